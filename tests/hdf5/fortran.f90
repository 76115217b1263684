! Writes and reads a dataset through HDF5's Fortran interface.
program fortran
  use hdf5
  implicit none
  integer(hid_t) :: file, space, memory, dataset, list, group
  integer(hsize_t) :: sizes(2) = (/4, 6/), chunks(2) = (/2, 3/), start(2) = (/1, 2/), count(2) = (/2, 3/)
  integer :: error, values(4, 6), part(2, 3), i
  values = reshape((/(i, i=1, 24)/), (/4, 6/))
  call h5open_f(error)
  call h5fcreate_f("fortran.h5", H5F_ACC_TRUNC_F, file, error)
  call h5gcreate_f(file, "group", group, error)
  call h5screate_simple_f(2, sizes, space, error)
  call h5pcreate_f(H5P_DATASET_CREATE_F, list, error)
  call h5pset_chunk_f(list, 2, chunks, error)
  call h5dcreate_f(group, "values", H5T_NATIVE_INTEGER, space, dataset, error, list)
  call h5dwrite_f(dataset, H5T_NATIVE_INTEGER, values, sizes, error)
  call h5sselect_hyperslab_f(space, H5S_SELECT_SET_F, start, count, error)
  call h5screate_simple_f(2, count, memory, error)
  call h5dread_f(dataset, H5T_NATIVE_INTEGER, part, count, error, memory, space)
  print *, part
  call h5dclose_f(dataset, error)
  call h5sclose_f(memory, error)
  call h5sclose_f(space, error)
  call h5pclose_f(list, error)
  call h5gclose_f(group, error)
  call h5fclose_f(file, error)
  call h5close_f(error)
  print *, error
end program
