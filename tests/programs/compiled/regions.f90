! For tests/cli/test_regions.py, which compiles it with several options: regions, phases and values in Fortran.
program main
  use varve_region
  use iso_c_binding, only: c_int64_t
  implicit none
  integer :: i, unit
  character(len=20) :: padded = "padded"
  call varve_region_begin("fortran")
  do i = 1, 2
    call varve_region_begin("step", i)
    call varve_region_phase("first", 7_c_int64_t)
    open(newunit=unit, file="out", access="stream")
    call varve_region_phase("second")
    write(unit) i
    close(unit)
    call varve_region_value("left", -i)
    call varve_region_end()
  end do
  call varve_region_phase(padded)
  call varve_region_phase()
  call varve_region_end("fortran ")
  print *, "done"
end program
