# Installation and packages. `cmake --install BUILD --prefix DIR` makes a tree that can be moved: it contains no path of the build
# or of the installation. `cpack` in a build of the preset `debian` makes three packages: varve, libvarve0, libvarve-dev.
#
# Components: `command` (the command with its documents; the default component), `library` (libvarve.so.0),
# `development` (headers, libvarve.so, libvarve.a, pkg-config, CMake).

option(VARVE_DEBIAN "install the additional files of a Debian package, and omit those that it does not need" OFF)
include(CMakePackageConfigHelpers)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME command)
set(made ${CMAKE_BINARY_DIR}/packaging)

install(TARGETS varve RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS varve-record varve-record-sync LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
# In the folders of the source tree, because the documents link to each other.
install(FILES README.md ARCHITECTURE.md CONTRIBUTING.md packaging/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES ${VARVE_CALLS_DOCUMENT} DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs)
install(FILES bench/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR}/bench)
install(FILES packaging/spack/package.py DESTINATION ${CMAKE_INSTALL_DOCDIR}/packaging/spack)

# The library. Its CMake targets find the prefix relative to their own path.
set(cmake_folder ${CMAKE_INSTALL_LIBDIR}/cmake/varve)
install(TARGETS libvarve EXPORT varve LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library
                                              NAMELINK_COMPONENT development)
install(EXPORT varve NAMESPACE varve:: FILE varve-targets.cmake DESTINATION ${cmake_folder} COMPONENT development)
install(DIRECTORY include/varve DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
if(VARVE_STATIC)
  install(FILES ${VARVE_STATIC} DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
endif()
configure_package_config_file(packaging/varve-config.cmake.in ${made}/varve-config.cmake INSTALL_DESTINATION ${cmake_folder}
                              PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(${made}/varve-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${made}/varve-config.cmake ${made}/varve-config-version.cmake DESTINATION ${cmake_folder} COMPONENT development)
set(pc_folder ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH VARVE_PC_TO_PREFIX /prefix/${pc_folder} /prefix)
string(REGEX REPLACE "/$" "" VARVE_PC_TO_PREFIX "${VARVE_PC_TO_PREFIX}")
configure_file(packaging/varve.pc.in ${made}/varve.pc @ONLY)
install(FILES ${made}/varve.pc DESTINATION ${pc_folder} COMPONENT development)

if(VARVE_DEBIAN)
  # Each package has a copy of the licences and its changelog; the licence file itself would be a duplicate.
  configure_file(packaging/debian/changelog.in ${made}/changelog @ONLY)
  execute_process(COMMAND gzip -9nc ${made}/changelog OUTPUT_FILE ${made}/changelog.Debian.gz COMMAND_ERROR_IS_FATAL ANY)
  foreach(component IN ITEMS "command;varve" "library;libvarve0" "development;libvarve-dev")
    list(GET component 1 package)
    list(GET component 0 component)
    install(FILES packaging/copyright ${made}/changelog.Debian.gz DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package}
            COMPONENT ${component})
  endforeach()
else()
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
  set(VARVE_MODULE_FOLDER ${CMAKE_INSTALL_DATADIR}/modulefiles/varve)
  configure_file(packaging/modulefiles/varve.lua.in ${made}/varve.lua @ONLY)
  install(FILES ${made}/varve.lua DESTINATION ${VARVE_MODULE_FOLDER} RENAME ${PROJECT_VERSION}.lua)
endif()

set(CPACK_PACKAGE_NAME varve)
set(CPACK_PACKAGE_VENDOR "Varve developers")
set(CPACK_PACKAGE_CONTACT "Varve developers <varve@localhost>")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
if(NOT VARVE_DEBIAN)
  set(CPACK_GENERATOR TGZ)
  include(CPack)
  return()
endif()
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGING_INSTALL_PREFIX ${CMAKE_INSTALL_PREFIX})
set(CPACK_COMPONENTS_ALL command library development)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ
                                                WORLD_EXECUTE)

set(CPACK_DEBIAN_COMMAND_PACKAGE_NAME varve)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SECTION utils)
# No program is linked with the preload libraries: the dynamic linker loads them by their paths.
set(CPACK_DEBIAN_COMMAND_PACKAGE_GENERATE_SHLIBS OFF)
set(CPACK_DEBIAN_COMMAND_DESCRIPTION
    "records every I/O call that a program makes
Varve records the I/O calls of programs, with all arguments, results and
both times, without changing or recompiling them, and shows afterwards what
they did, call by call or summed up. A program that is killed loses nothing
that had returned.")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libvarve0)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${CMAKE_SOURCE_DIR}/packaging/debian/triggers)
set(CPACK_DEBIAN_LIBRARY_DESCRIPTION
    "reads traces of I/O calls that Varve recorded
The library opens traces of Varve and returns their records one by one or
as columns, filtered and merged by time, with their files and processes.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libvarve-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
    "libvarve0 (= ${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}), libzstd-dev")
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION
    "headers for programs that read traces of Varve
Headers, static library and files for pkg-config and CMake. Also the headers
with which a program pauses its own recording and names its parts, and a
Fortran module for the latter.")
include(CPack)
