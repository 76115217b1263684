# The preload libraries: libvarve-record.so, and libvarve-record-sync.so, which also has the wrappers of the layers marked
# in_sync_library.
#
# They run inside other programs, so their sources, and those of the libraries that they include, are compiled with separate
# flags, and never with the runtime of a sanitizer, which would have to be the first library of the program. In a build with
# UBSan they trap instead of reporting, which needs no runtime.

file(GLOB record CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/base/*.c ${CMAKE_SOURCE_DIR}/src/base/program/*.c
     ${CMAKE_SOURCE_DIR}/src/codec/inprocess/*.c)
file(GLOB_RECURSE record_rooms CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/sink/*.c ${CMAKE_SOURCE_DIR}/src/record/*.c
     ${CMAKE_SOURCE_DIR}/src/record/*.S)
list(APPEND record ${record_rooms})

add_library(varve_record_flags INTERFACE)
target_link_libraries(varve_record_flags INTERFACE varve_flags varve_zstd varve_xxhash)
target_compile_options(
  varve_record_flags INTERFACE -O3 -fno-exceptions -fasynchronous-unwind-tables -ftls-model=initial-exec -U_FORTIFY_SOURCE
                               -fno-stack-protector -fno-plt)
# Wrappers are aligned to cache lines: otherwise their alignment changes with every edit, and their cost by up to 10 ns.
# clang's code is larger: with this alignment it would be too large for a program with little address space.
target_compile_options(varve_record_flags INTERFACE -falign-functions=$<IF:$<C_COMPILER_ID:GNU>,64,16>)
# gcc clears a struct of this size with `rep stos`, whose start alone costs as much as the rest of a wrapper. Clearing 16 bytes at
# a time is 5 ns faster than 8.
if(CMAKE_C_COMPILER_ID STREQUAL GNU)
  target_compile_options(varve_record_flags INTERFACE -mmemset-strategy=vector_loop:256:noalign,libcall:-1:noalign)
endif()
# Code that waits for the kernel or another library anyway is optimised for size, by folder, so that the recorder fits into a
# program with little address space. Excluded are transfers of MPI-IO, and the detection of calls that the MPI library makes itself:
# they are as frequent as calls of the C library.
file(GLOB small CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/record/mpi/*.c ${CMAKE_SOURCE_DIR}/src/record/hdf5/*.c
     ${CMAKE_SOURCE_DIR}/src/record/netcdf/*.c ${CMAKE_SOURCE_DIR}/src/record/sockets/*.c ${CMAKE_SOURCE_DIR}/src/record/async/*.c)
list(REMOVE_ITEM small ${CMAKE_SOURCE_DIR}/src/record/mpi/mpi_files.c ${CMAKE_SOURCE_DIR}/src/record/mpi/runtime.c)
set_source_files_properties(
  ${small} ${CMAKE_SOURCE_DIR}/src/record/loader/lazy_symbols.c ${generated}/direct.c ${generated}/real.c
  ${generated}/wrappers_async.c ${generated}/wrappers_process.c ${generated}/wrappers_socket.c
  PROPERTIES COMPILE_OPTIONS "-Os;-falign-functions=16")
# The loops of a library call process only a few words.
set_source_files_properties(${CMAKE_SOURCE_DIR}/src/record/library/library.c PROPERTIES COMPILE_OPTIONS "-O2;-fno-tree-vectorize")
# With link-time optimisation, hooks and words are inlined into the wrappers: 5 ns less for a call with a path. The traps of
# UBSan would be lost.
if(CMAKE_C_COMPILER_ID STREQUAL GNU AND NOT VARVE_SANITIZE)
  target_compile_options(varve_record_flags INTERFACE -flto=auto)
  target_link_options(varve_record_flags INTERFACE -flto=auto)
else()
  # Link-time optimisation also removes unused functions; without it, the linker does.
  target_compile_options(varve_record_flags INTERFACE -ffunction-sections -fdata-sections)
endif()
# This removes mainly the decoder, and the half of zstd that only the decoder needs.
target_link_options(varve_record_flags INTERFACE -Wl,--gc-sections)
# zstd gets its memory from the recorder; its calls of an allocator are redirected to functions that return none
# (src/record/no_causes.c).
target_link_options(varve_record_flags INTERFACE -Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=free)
if(VARVE_SANITIZE MATCHES undefined)
  target_compile_options(varve_record_flags INTERFACE -fsanitize=undefined -fsanitize-undefined-trap-on-error)
endif()
target_link_options(varve_record_flags INTERFACE -Wl,--exclude-libs,ALL -Wl,-z,now -Wl,-z,nodelete -Wl,-z,defs -Wl,-z,text
                    -Wl,-Bsymbolic)

# The part of both libraries. The pointers to the real functions are compiled separately for each.
add_library(varve_record_objects OBJECT ${record} ${VARVE_GENERATED_ROWS} ${VARVE_GENERATED_RECORD} ${VARVE_GENERATED_STUBS})
add_dependencies(varve_record_objects varve_generated)
target_link_libraries(varve_record_objects PRIVATE varve_record_flags)

function(varve_preload name exports)
  add_library(${name} MODULE ${VARVE_GENERATED_REAL} ${ARGN} $<TARGET_OBJECTS:varve_record_objects>)
  add_dependencies(${name} varve_generated)
  target_link_libraries(${name} PRIVATE varve_record_flags)
  target_link_options(${name} PRIVATE -Wl,--version-script=${exports})
  set_target_properties(${name} PROPERTIES LINK_DEPENDS ${exports} LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin
                                           OUTPUT_NAME ${name})
endfunction()

varve_preload(varve-record ${VARVE_EXPORTS})
varve_preload(varve-record-sync ${VARVE_EXPORTS_SYNC} ${VARVE_GENERATED_SYNC})
target_compile_definitions(varve-record-sync PRIVATE VARVE_SYNC_LIBRARY)
