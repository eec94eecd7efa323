# zlib, bzip2 and Zstandard (Debian: zlib1g-dev, libbz2-dev, libzstd-dev).
find_package(ZLIB REQUIRED)
add_library(gemp::zlib ALIAS ZLIB::ZLIB)
find_package(BZip2 REQUIRED)
add_library(gemp::bzip2 ALIAS BZip2::BZip2)
find_path(ZSTD_INCLUDE_DIR zstd.h REQUIRED)
find_library(ZSTD_LIBRARY zstd REQUIRED)
add_library(gemp::zstd INTERFACE IMPORTED)
set_target_properties(gemp::zstd PROPERTIES
	INTERFACE_INCLUDE_DIRECTORIES ${ZSTD_INCLUDE_DIR} INTERFACE_LINK_LIBRARIES ${ZSTD_LIBRARY})
