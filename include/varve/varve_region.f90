! Varve: names the parts of a program in its trace: regions, phases and values, in Fortran. varve/region.h does this in C.
!
!     use varve_region
!     call varve_region_begin("step", step)
!     call compute()
!     call varve_region_end("step")
!
! Compile this file with the program: no library is linked. In a program that is not recorded, each call costs a load and a
! branch; the first call also checks whether Varve is loaded. With a C library before glibc 2.34, link with -ldl. A name has up
! to 256 bytes; blanks at its end are ignored. The file is Fortran 2018, because it omits optional arguments of C functions:
! compilers that are limited to an older standard, for example with -std=f2008, reject it.
module varve_region
  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_f_procpointer, c_funptr, c_int, c_int32_t, c_int64_t, &
                                         c_null_char, c_null_ptr, c_ptr, c_size_t
  implicit none
  private
  public :: varve_region_begin, varve_region_end, varve_region_phase, varve_region_value

  ! Begins a region; the number distinguishes regions with the same name.
  interface varve_region_begin
    module procedure begin_plain, begin_32, begin_64
  end interface

  ! Ends the innermost region with this name; without a name: the innermost region. Regions inside it end too.
  interface varve_region_end
    module procedure end_named, end_last
  end interface

  ! Ends the current phase and begins this one; without a name: only ends the current one.
  interface varve_region_phase
    module procedure phase_plain, phase_32, phase_64, phase_end
  end interface

  ! Records a number of the program at this moment.
  interface varve_region_value
    module procedure value_32, value_64
  end interface

  integer(c_int), parameter :: say_begin = 1, say_end = 2, say_phase = 3, say_value = 4

  abstract interface
    function say_function(what, name, length, number) bind(c) result(done)
      import :: c_char, c_int, c_int64_t, c_size_t
      integer(c_int), value :: what
      character(kind=c_char), intent(in), optional :: name(*)
      integer(c_size_t), value :: length
      integer(c_int64_t), value :: number
      integer(c_int) :: done
    end function
  end interface

  interface
    function dlsym(handle, symbol) bind(c, name="dlsym") result(found)
      import :: c_char, c_funptr, c_ptr
      type(c_ptr), value :: handle
      character(kind=c_char), intent(in) :: symbol(*)
      type(c_funptr) :: found
    end function

    function dlerror() bind(c, name="dlerror") result(text)
      import :: c_ptr
      type(c_ptr) :: text
    end function
  end interface

  ! The function of the recorder; before the first call a function that searches for it; not associated: Varve is not loaded.
  procedure(say_function), pointer, save :: known => look

contains

  function look(what, name, length, number) bind(c, name="") result(done)
    integer(c_int), value :: what
    character(kind=c_char), intent(in), optional :: name(*)
    integer(c_size_t), value :: length
    integer(c_int64_t), value :: number
    integer(c_int) :: done
    procedure(say_function), pointer :: there
    type(c_funptr) :: found
    type(c_ptr) :: ignored
    there => null()
    found = dlsym(c_null_ptr, "varve_region" // c_null_char)
    if (c_associated(found)) then
      call c_f_procpointer(found, there)
    else
      ignored = dlerror() ! removes the error of dlsym
    end if
    known => there
    done = 0
    if (associated(there)) done = there(what, name, length, number)
  end function

  subroutine say(what, name, number)
    integer(c_int), intent(in) :: what
    character(kind=c_char, len=*), intent(in) :: name
    integer(c_int64_t), intent(in) :: number
    integer(c_int) :: done
    if (associated(known)) done = known(what, name, len_trim(name, kind=c_size_t), number)
  end subroutine

  subroutine say_nameless(what)
    integer(c_int), intent(in) :: what
    integer(c_int) :: done
    if (associated(known)) done = known(what, length=0_c_size_t, number=0_c_int64_t)
  end subroutine

  subroutine begin_plain(name)
    character(kind=c_char, len=*), intent(in) :: name
    call say(say_begin, name, 0_c_int64_t)
  end subroutine

  subroutine begin_32(name, number)
    character(kind=c_char, len=*), intent(in) :: name
    integer(c_int32_t), intent(in) :: number
    call say(say_begin, name, int(number, c_int64_t))
  end subroutine

  subroutine begin_64(name, number)
    character(kind=c_char, len=*), intent(in) :: name
    integer(c_int64_t), intent(in) :: number
    call say(say_begin, name, number)
  end subroutine

  subroutine end_named(name)
    character(kind=c_char, len=*), intent(in) :: name
    call say(say_end, name, 0_c_int64_t)
  end subroutine

  subroutine end_last()
    call say_nameless(say_end)
  end subroutine

  subroutine phase_plain(name)
    character(kind=c_char, len=*), intent(in) :: name
    call say(say_phase, name, 0_c_int64_t)
  end subroutine

  subroutine phase_32(name, number)
    character(kind=c_char, len=*), intent(in) :: name
    integer(c_int32_t), intent(in) :: number
    call say(say_phase, name, int(number, c_int64_t))
  end subroutine

  subroutine phase_64(name, number)
    character(kind=c_char, len=*), intent(in) :: name
    integer(c_int64_t), intent(in) :: number
    call say(say_phase, name, number)
  end subroutine

  subroutine phase_end()
    call say_nameless(say_phase)
  end subroutine

  subroutine value_32(name, number)
    character(kind=c_char, len=*), intent(in) :: name
    integer(c_int32_t), intent(in) :: number
    call say(say_value, name, int(number, c_int64_t))
  end subroutine

  subroutine value_64(name, number)
    character(kind=c_char, len=*), intent(in) :: name
    integer(c_int64_t), intent(in) :: number
    call say(say_value, name, number)
  end subroutine
end module
