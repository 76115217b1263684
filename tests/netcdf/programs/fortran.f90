! A Fortran program with NetCDF that computes the expected calls of the C library behind its own. Selections are those of C: the
! last dimension first, from 0.
program fortran
  use netcdf
  implicit none
  integer, parameter :: rows = 4, columns = 6, steps = 3
  integer :: ncid, dims(3), field, label, step, out
  double precision :: slab(columns, rows)
  real :: narrow(columns, rows)
  character(len=8) :: title

  open(newunit=out, file='said.0')
  call expect('nc_create', nf90_create('fortran.nc', nf90_netcdf4, ncid), '"path": "fortran.nc", "ncid": "fortran.nc"')
  call expect('nc_def_dim', nf90_def_dim(ncid, 'column', columns, dims(1)), '"name": "column", "len": 6')
  call expect('nc_def_dim', nf90_def_dim(ncid, 'row', rows, dims(2)), '"name": "row", "len": 4')
  call expect('nc_def_dim', nf90_def_dim(ncid, 'time', nf90_unlimited, dims(3)), '"name": "time", "len": 0')
  call expect('nc_def_var', nf90_def_var(ncid, 'field', nf90_double, dims, field), &
              '"name": "field", "xtype": "NC_DOUBLE", "ndims": 3, "dimids": "[2,1,0]", "variable": "field"')
  call expect('nc_def_var_chunking_ints', nf90_def_var_chunking(ncid, field, nf90_chunked, (/ 3, 2, 1 /)), &
              '"variable": "field", "storage": "NC_CHUNKED", "chunks": "[1,2,3]"')
  call expect('nc_def_var_deflate', nf90_def_var_deflate(ncid, field, 0, 1, 2), '"variable": "field", "deflate_level": 2')
  call expect('nc_def_var', nf90_def_var(ncid, 'label', nf90_char, dims(1:1), label), '"variable": "label"')
  call expect('nc_put_att_text', nf90_put_att(ncid, nf90_global, 'title', 'steps'), '"name": "title", "bytes": 5')
  call expect('nc_put_att_float', nf90_put_att(ncid, field, 'scale', 2.0), '"variable": "field", "len": 1, "bytes": 4')
  call expect('nc_enddef', nf90_enddef(ncid), '')
  slab = reshape((/ (step, step = 1, rows * columns) /), (/ columns, rows /))
  do step = 1, steps
    call moved('nc_put_vara_double', nf90_put_var(ncid, field, slab, start=(/ 1, 1, step /), count=(/ columns, rows, 1 /)), &
               step - 1, 1, rows * columns, 8)
  end do
  call expect('nc_put_vars_text', nf90_put_var(ncid, label, 'abcdef'), &
              '"variable": "label", "selection": "start=[0] count=[6] stride=[1]", "elements": 6, "bytes": 6')
  call expect('nc_close', nf90_close(ncid), '"ncid": "fortran.nc"')
  call expect('nc_open', nf90_open('fortran.nc', nf90_nowrite, ncid), '"path": "fortran.nc", "mode": "NC_NOWRITE"')
  do step = 1, steps
    call moved('nc_get_vara_float', nf90_get_var(ncid, field, narrow, start=(/ 1, 1, step /), count=(/ columns, rows, 1 /)), &
               step - 1, 1, rows * columns, 4)
    write(out, '(a, f10.2)') '# sum ', sum(narrow)
  end do
  title = ''
  call expect('nc_get_att_text', nf90_get_att(ncid, nf90_global, 'title', title), '"bytes": 5')
  write(out, '(2a)') '# ', title
  call expect('nc_close', nf90_close(ncid), '"ncid": "fortran.nc"')
  close(out)

contains

  subroutine expect(function, status, facts)
    character(len=*), intent(in) :: function, facts
    integer, intent(in) :: status
    write(out, '(3a, i0, 3a)') '{"function": "', function, '", "result": ', status, ', "args": {', facts, '}}'
  end subroutine

  subroutine moved(function, status, first, number, elements, width)
    character(len=*), intent(in) :: function
    integer, intent(in) :: status, first, number, elements, width
    character(len=200) :: facts
    write(facts, '(a, i0, a, i0, a, i0, a, i0)') '"variable": "field", "selection": "start=[', first, ',0,0] count=[', &
      number, ',4,6]", "elements": ', elements, ', "bytes": ', elements * width
    call expect(function, status, trim(facts))
  end subroutine
end program
