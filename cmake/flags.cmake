# Compiler flags: `varve_flags` for all sources of Varve, `varve_sanitizers` for those that may be instrumented.

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_EXTENSIONS ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O2 -g")
set(CMAKE_C_FLAGS_RELEASE "-O2")

add_library(varve_flags INTERFACE)
target_include_directories(varve_flags INTERFACE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include ${CMAKE_BINARY_DIR}/generated)
target_compile_definitions(
  varve_flags INTERFACE _GNU_SOURCE VARVE_VERSION="${PROJECT_VERSION}" VARVE_COMMAND="varve${VARVE_SUFFIX}")
set(warnings
    -Wall -Wextra -Wshadow -Wconversion -Wsign-conversion -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wundef -Wcast-qual
    -Wwrite-strings -Wformat=2 -Wnull-dereference -Wswitch-enum -Wimplicit-fallthrough)
if(VARVE_WERROR)
  list(APPEND warnings -Werror)
endif()
target_compile_options(varve_flags INTERFACE $<$<COMPILE_LANGUAGE:C>:${warnings}>)
target_link_libraries(varve_flags INTERFACE pthread)

add_library(varve_sanitizers INTERFACE)
if(VARVE_SANITIZE)
  target_compile_options(varve_sanitizers INTERFACE -fsanitize=${VARVE_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(varve_sanitizers INTERFACE -fsanitize=${VARVE_SANITIZE})
  if(VARVE_SANITIZE MATCHES undefined)
    target_compile_options(varve_sanitizers INTERFACE -fno-sanitize-recover=undefined)
  endif()
  if(VARVE_SANITIZE MATCHES thread AND CMAKE_C_COMPILER_ID STREQUAL GNU)
    # TSan does not understand fences; code that relies on them must be checked in another way.
    target_compile_options(varve_sanitizers INTERFACE -Wno-tsan)
  endif()
endif()
