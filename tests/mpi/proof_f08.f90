program proof
  use mpi_f08
  implicit none
  integer :: rank, total, ierr, bad
  type(MPI_Comm) :: half
  type(MPI_File) :: file
  type(MPI_Request) :: request
  type(MPI_Status) :: status
  integer(kind=MPI_OFFSET_KIND) :: at
  bad = 0
  call MPI_Init(ierr)
  bad = ior(bad, ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  bad = ior(bad, ierr)
  call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), rank, half, ierr)
  bad = ior(bad, ierr)
  call MPI_File_open(MPI_COMM_WORLD, 'proof.out', ior(MPI_MODE_CREATE, MPI_MODE_RDWR), MPI_INFO_NULL, file, ierr)
  bad = ior(bad, ierr)
  at = rank * 4
  call MPI_File_write_at(file, at, rank, 1, MPI_INTEGER, MPI_STATUS_IGNORE, ierr)
  bad = ior(bad, ierr)
  call MPI_File_close(file, ierr)
  bad = ior(bad, ierr)
  call MPI_Allreduce(rank, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  bad = ior(bad, ierr)
  call MPI_Ibcast(total, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, request, ierr)
  bad = ior(bad, ierr)
  call MPI_Wait(request, status, ierr)
  bad = ior(bad, ierr)
  call MPI_Comm_free(half, ierr)
  bad = ior(bad, ierr)
  write (*, '(A,I0,A,I0,A,I0)') 'rank ', rank, ' sum ', total, ' ierr ', bad
  call MPI_Finalize(ierr)
end program proof
