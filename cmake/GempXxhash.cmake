# XXH3, header and library (Debian: libxxhash-dev).
find_path(XXHASH_INCLUDE_DIR xxhash.h REQUIRED)
find_library(XXHASH_LIBRARY xxhash REQUIRED)
add_library(gemp::xxhash INTERFACE IMPORTED)
set_target_properties(gemp::xxhash PROPERTIES
	INTERFACE_INCLUDE_DIRECTORIES ${XXHASH_INCLUDE_DIR} INTERFACE_LINK_LIBRARIES ${XXHASH_LIBRARY})
