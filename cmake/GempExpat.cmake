# Expat, XML (Debian: libexpat1-dev).
find_path(EXPAT_INCLUDE_DIR expat.h REQUIRED)
find_library(EXPAT_LIBRARY expat REQUIRED)
add_library(gemp::expat INTERFACE IMPORTED)
set_target_properties(gemp::expat PROPERTIES
	INTERFACE_INCLUDE_DIRECTORIES ${EXPAT_INCLUDE_DIR} INTERFACE_LINK_LIBRARIES ${EXPAT_LIBRARY})
