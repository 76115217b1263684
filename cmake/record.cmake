# The preload library, libvarve-record.so.
#
# It lives in other people's programs, so it is compiled from its own sources and from those of the libraries below it with
# flags of its own, and never with a sanitizer's runtime, which would have to come first in the program. In a build with
# UBSan it traps instead of reporting, which needs no runtime.

file(GLOB record CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/base/*.c ${CMAKE_SOURCE_DIR}/src/codec/*.c
     ${CMAKE_SOURCE_DIR}/src/sink/*.c ${CMAKE_SOURCE_DIR}/src/record/*.c ${CMAKE_SOURCE_DIR}/src/record/*.S)
add_library(varve-record MODULE ${record} ${VARVE_GENERATED_ROWS} ${VARVE_GENERATED_RECORD})
add_dependencies(varve-record varve_generated)
target_link_libraries(varve-record PRIVATE varve_flags varve_zstd varve_xxhash)
target_compile_options(
  varve-record PRIVATE -O3 -fno-exceptions -fasynchronous-unwind-tables -ftls-model=initial-exec -U_FORTIFY_SOURCE -fno-stack-protector -fno-plt)
# Wrappers begin at a line of the cache: where one begins otherwise changes with every edit, and its cost by 10 ns.
target_compile_options(varve-record PRIVATE -falign-functions=64)
# gcc clears a struct of this size with `rep stos`, whose start alone costs as much as the rest of a wrapper.
if(CMAKE_C_COMPILER_ID STREQUAL GNU)
  target_compile_options(varve-record PRIVATE -mmemset-strategy=unrolled_loop:256:noalign,libcall:-1:noalign)
endif()
# Compiled as one, hooks and words grow together with the wrappers: 5 ns less for a call with a path. The traps of UBSan are
# forgotten on the way.
if(CMAKE_C_COMPILER_ID STREQUAL GNU AND NOT VARVE_SANITIZE)
  target_compile_options(varve-record PRIVATE -flto=auto)
  target_link_options(varve-record PRIVATE -flto=auto)
endif()
if(VARVE_SANITIZE MATCHES undefined)
  target_compile_options(varve-record PRIVATE -fsanitize=undefined -fsanitize-undefined-trap-on-error)
endif()
target_link_options(
  varve-record PRIVATE -Wl,--version-script=${VARVE_EXPORTS} -Wl,--exclude-libs,ALL -Wl,-z,now -Wl,-z,nodelete
  -Wl,-z,defs -Wl,-z,text -Wl,-Bsymbolic)
set_target_properties(varve-record PROPERTIES LINK_DEPENDS ${VARVE_EXPORTS} LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin
                                              OUTPUT_NAME varve-record)
