# The public library: libvarve.so, and libvarve.a for programs that are linked statically. The command does not use them: it
# is linked with the same objects, so that it starts without searching for libraries.
#
# Both export only the functions of include/varve. zstd is inside libvarve.so, hidden. With libvarve.a the program links zstd
# (Libs.private in varve.pc), so that it does not contain two copies of it.

include(GNUInstallDirs)

# All functions in src/api that are not static are public. The compiler flags hide all others.
set_target_properties(varve_api PROPERTIES C_VISIBILITY_PRESET default)

set(exports ${CMAKE_SOURCE_DIR}/src/api/libvarve.map)
add_library(libvarve SHARED $<TARGET_OBJECTS:varve_api>)
target_link_libraries(libvarve PRIVATE varve_analyze varve_sanitizers)
target_include_directories(libvarve INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_options(libvarve PRIVATE -Wl,--version-script=${exports} -Wl,--exclude-libs,ALL -Wl,-Bsymbolic -Wl,-z,now
                    -Wl,-z,relro -Wl,-z,text -Wl,--as-needed)
if(NOT VARVE_SANITIZE)
  target_link_options(libvarve PRIVATE -Wl,-z,defs)
endif()
set_target_properties(
  libvarve
  PROPERTIES OUTPUT_NAME varve
             EXPORT_NAME varve
             VERSION ${PROJECT_VERSION}
             SOVERSION 0
             LINKER_LANGUAGE C
             LINK_DEPENDS ${exports}
             LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)

# One object in which all hidden names are local, so that they cannot conflict with names of a program.
set(VARVE_STATIC "")
if(NOT VARVE_SANITIZE)
  set(VARVE_STATIC ${CMAKE_BINARY_DIR}/lib/libvarve.a)
  set(whole ${CMAKE_BINARY_DIR}/lib/varve.o)
  add_custom_command(
    OUTPUT ${VARVE_STATIC}
    BYPRODUCTS ${whole}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/lib
    COMMAND ${CMAKE_C_COMPILER} -r -nostdlib -o ${whole} $<TARGET_OBJECTS:varve_api> $<TARGET_FILE:varve_analyze> $<TARGET_FILE:varve_trace>
            $<TARGET_FILE:varve_packed> $<TARGET_FILE:varve_loop> $<TARGET_FILE:varve_codec> $<TARGET_FILE:varve_base>
    COMMAND ${CMAKE_OBJCOPY} --localize-hidden ${whole}
    COMMAND ${CMAKE_COMMAND} -E rm -f ${VARVE_STATIC}
    COMMAND ${CMAKE_AR} rcsD ${VARVE_STATIC} ${whole}
    DEPENDS varve_api varve_analyze varve_trace varve_packed varve_loop varve_codec varve_base
    COMMENT "Making lib/libvarve.a"
    VERBATIM COMMAND_EXPAND_LISTS)
  add_custom_target(libvarve_static ALL DEPENDS ${VARVE_STATIC})
endif()
