# Code that gen/generate.py makes from the tables of calls, in ${build}/generated, and the document of all calls,
# ${build}/docs/calls.md, which has more marks if tests/reach has written ${build}/reached.list.
#
# Sets VARVE_GENERATED_ROWS (for the codec), VARVE_GENERATED_RECORD and VARVE_GENERATED_STUBS (for both preload libraries),
# VARVE_GENERATED_REAL (compiled separately for each), VARVE_GENERATED_SYNC (for the one with the layers in_sync_library) and their
# VARVE_EXPORTS. The generator does not write files that do not change; therefore there is a stamp file.

set(generated ${CMAKE_BINARY_DIR}/generated)
set(VARVE_GENERATED_ROWS ${generated}/rows_data.c)
set(VARVE_GENERATED_REAL ${generated}/real.c)
set(VARVE_GENERATED_RECORD ${generated}/direct.c ${generated}/library_rows.c)
set(VARVE_GENERATED_STUBS ${generated}/library_stubs.S)
set(VARVE_CALLS_DOCUMENT ${CMAKE_BINARY_DIR}/docs/calls.md)
set(VARVE_EXPORTS ${generated}/exports.map)
set(VARVE_EXPORTS_SYNC ${generated}/exports_sync_library.map)

# One file of wrappers for each layer in the tables, except internal ones.
set(words "")
file(GLOB tables CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/calls/*)
foreach(table IN LISTS tables)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${table})
  file(STRINGS ${table} layers REGEX "^layer +[a-z0-9_]+")
  foreach(layer IN LISTS layers)
    if(layer MATCHES "^layer +([a-z0-9_]+).* in_sync_library")
      list(APPEND VARVE_GENERATED_SYNC ${generated}/wrappers_${CMAKE_MATCH_1}.c)
    elseif(layer MATCHES "^layer +([a-z0-9_]+).* words")
      list(APPEND words ${generated}/wrappers_${CMAKE_MATCH_1}.c)
    elseif(NOT layer MATCHES " internal" AND layer MATCHES "^layer +([a-z0-9_]+)")
      list(APPEND VARVE_GENERATED_RECORD ${generated}/wrappers_${CMAKE_MATCH_1}.c)
    endif()
  endforeach()
endforeach()
list(REMOVE_DUPLICATES VARVE_GENERATED_RECORD)
# A second table of such a layer does not repeat its properties.
list(REMOVE_ITEM VARVE_GENERATED_RECORD ${words})

file(GLOB generator CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/gen/*.py ${CMAKE_SOURCE_DIR}/gen/templates/*.in)
add_custom_command(
  OUTPUT ${generated}/stamp
  BYPRODUCTS ${VARVE_GENERATED_ROWS} ${VARVE_GENERATED_RECORD} ${VARVE_GENERATED_REAL} ${VARVE_GENERATED_STUBS}
             ${VARVE_GENERATED_SYNC}
             ${VARVE_EXPORTS} ${VARVE_EXPORTS_SYNC} ${generated}/call_ids.h ${generated}/real.h
             ${generated}/header_check.c ${generated}/calls.json ${VARVE_CALLS_DOCUMENT}
  COMMAND ${Python3_EXECUTABLE} -B gen/generate.py ${generated} --docs ${VARVE_CALLS_DOCUMENT}
          --reached ${CMAKE_BINARY_DIR}/reached.list
  COMMAND ${CMAKE_COMMAND} -E touch ${generated}/stamp
  WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
  DEPENDS ${tables} ${generator}
  COMMENT "Generating code from calls/"
  VERBATIM)
add_custom_target(varve_generated DEPENDS ${generated}/stamp)

# Compiling this compares every row of the tables with the system's headers.
add_library(varve_header_check OBJECT ${generated}/header_check.c)
add_dependencies(varve_header_check varve_generated)
target_include_directories(varve_header_check PRIVATE ${CMAKE_SOURCE_DIR}/src ${generated})
target_compile_definitions(varve_header_check PRIVATE _GNU_SOURCE)
target_compile_options(varve_header_check PRIVATE -Wall -Werror -Wno-deprecated-declarations)
