# External libraries: zstd, linked statically, and xxHash, headers only.

find_path(ZSTD_INCLUDE zstd.h REQUIRED)
find_library(ZSTD_STATIC libzstd.a REQUIRED)
find_path(XXHASH_INCLUDE xxhash.h REQUIRED)
find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)

add_library(varve_zstd STATIC IMPORTED)
set_target_properties(varve_zstd PROPERTIES IMPORTED_LOCATION ${ZSTD_STATIC} INTERFACE_INCLUDE_DIRECTORIES ${ZSTD_INCLUDE})
add_library(varve_xxhash INTERFACE)
target_include_directories(varve_xxhash SYSTEM INTERFACE ${XXHASH_INCLUDE})
