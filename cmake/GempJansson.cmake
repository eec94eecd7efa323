# jansson, JSON (Debian: libjansson-dev).
find_path(JANSSON_INCLUDE_DIR jansson.h REQUIRED)
find_library(JANSSON_LIBRARY jansson REQUIRED)
add_library(gemp::jansson INTERFACE IMPORTED)
set_target_properties(gemp::jansson PROPERTIES
	INTERFACE_INCLUDE_DIRECTORIES ${JANSSON_INCLUDE_DIR} INTERFACE_LINK_LIBRARIES ${JANSSON_LIBRARY})
