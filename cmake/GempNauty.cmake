# nauty (Debian: libnauty2-dev). The static library is linked, since Debian's shared library needs libcliquer, which is under the
# GPL.
find_path(NAUTY_INCLUDE_DIR nauty/nauty.h REQUIRED)
find_library(NAUTY_LIBRARY NAMES libnauty.a REQUIRED)
add_library(gemp::nauty INTERFACE IMPORTED)
set_target_properties(gemp::nauty PROPERTIES
	INTERFACE_INCLUDE_DIRECTORIES ${NAUTY_INCLUDE_DIR} INTERFACE_LINK_LIBRARIES ${NAUTY_LIBRARY})
