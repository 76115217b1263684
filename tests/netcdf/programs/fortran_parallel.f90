! A Fortran program with PnetCDF that computes the expected calls of the C functions behind its own. Any number of processes.
program fortran_parallel
  use mpi
  use pnetcdf
  implicit none
  integer, parameter :: rows = 4, columns = 6
  integer :: rank, processes, error, ncid, dims(2), field, out, request(2), status(2)
  double precision :: slab(columns, rows)
  real :: narrow(columns, rows)
  integer(kind=MPI_OFFSET_KIND) :: start(2), count(2)
  character(len=16) :: name

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, processes, error)
  write(name, '(a, i0)') 'said.', rank
  open(newunit=out, file=trim(name))
  call expect('ncmpi_create', nf90mpi_create(MPI_COMM_WORLD, 'fortran.nc', NF90_CLOBBER, MPI_INFO_NULL, ncid), &
              '"comm": "MPI_COMM_WORLD", "path": "fortran.nc", "ncid": "fortran.nc"')
  call expect('ncmpi_def_dim', nf90mpi_def_dim(ncid, 'column', int(columns, MPI_OFFSET_KIND), dims(1)), &
              '"name": "column", "len": 6')
  call expect('ncmpi_def_dim', nf90mpi_def_dim(ncid, 'row', int(rows * processes, MPI_OFFSET_KIND), dims(2)), '"name": "row"')
  call expect('ncmpi_def_var', nf90mpi_def_var(ncid, 'field', NF90_DOUBLE, dims, field), &
              '"name": "field", "xtype": "NC_DOUBLE", "ndims": 2, "dimids": "[1,0]", "variable": "field"')
  call expect('ncmpi_enddef', nf90mpi_enddef(ncid), '')
  slab = rank
  start = (/ 1, rows * rank + 1 /)
  count = (/ columns, rows /)
  call expect('ncmpi_put_vara_double_all', nf90mpi_put_var_all(ncid, field, slab, start, count), &
              selected() // ', "elements": 24, "bytes": 192')
  call expect('ncmpi_get_vara_float_all', nf90mpi_get_var_all(ncid, field, narrow, start, count), &
              selected() // ', "elements": 24, "bytes": 96')
  write(out, '(a, f10.2)') '# sum ', sum(narrow)
  call expect('ncmpi_iput_vara_double', nf90mpi_iput_var(ncid, field, slab, request(1), start, count), &
              selected() // ', "request": 1, "bytes": 192')
  call expect('ncmpi_iget_vara_float', nf90mpi_iget_var(ncid, field, narrow, request(2), start, count), &
              selected() // ', "request": 2, "bytes": 96')
  call expect('ncmpi_wait_all', nf90mpi_wait_all(ncid, 2, request, status), '"num": 2')
  call expect('pnetcdf_event', 192, '"request": 1')
  call expect('pnetcdf_event', 96, '"request": 2')
  write(out, '(a, 2i5)') '# statuses ', status
  call expect('ncmpi_close', nf90mpi_close(ncid), '"ncid": "fortran.nc"')
  close(out)
  call MPI_Finalize(error)

contains

  subroutine expect(function, result, facts)
    character(len=*), intent(in) :: function, facts
    integer, intent(in) :: result
    write(out, '(3a, i0, 3a)') '{"function": "', function, '", "result": ', result, ', "args": {', facts, '}}'
  end subroutine

  function selected() result(facts)
    character(len=:), allocatable :: facts
    character(len=100) :: made
    write(made, '(a, i0, a)') '"variable": "field", "selection": "start=[', rows * rank, ',0] count=[4,6]"'
    facts = trim(made)
  end function
end program
