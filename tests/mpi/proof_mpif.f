      program proof
      implicit none
      include 'mpif.h'
      integer rank, sum, ierr, bad, half, file, request
      integer status(MPI_STATUS_SIZE)
      integer(kind=MPI_OFFSET_KIND) at
      bad = 0
      call MPI_INIT(ierr)
      bad = ior(bad, ierr)
      call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierr)
      bad = ior(bad, ierr)
      call MPI_COMM_SPLIT(MPI_COMM_WORLD, mod(rank, 2), rank, half,
     &                    ierr)
      bad = ior(bad, ierr)
      call MPI_FILE_OPEN(MPI_COMM_WORLD, 'proof.out',
     &     ior(MPI_MODE_CREATE, MPI_MODE_RDWR), MPI_INFO_NULL, file,
     &     ierr)
      bad = ior(bad, ierr)
      at = rank * 4
      call MPI_FILE_WRITE_AT(file, at, rank, 1, MPI_INTEGER,
     &     MPI_STATUS_IGNORE, ierr)
      bad = ior(bad, ierr)
      call MPI_FILE_CLOSE(file, ierr)
      bad = ior(bad, ierr)
      call MPI_ALLREDUCE(rank, sum, 1, MPI_INTEGER, MPI_SUM,
     &     MPI_COMM_WORLD, ierr)
      bad = ior(bad, ierr)
      call MPI_IBCAST(sum, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, request,
     &     ierr)
      bad = ior(bad, ierr)
      call MPI_WAIT(request, status, ierr)
      bad = ior(bad, ierr)
      call MPI_COMM_FREE(half, ierr)
      bad = ior(bad, ierr)
      write (*, '(A,I0,A,I0,A,I0)') 'rank ', rank, ' sum ', sum,
     &     ' ierr ', bad
      call MPI_FINALIZE(ierr)
      end
