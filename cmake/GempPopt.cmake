# popt, command line options (Debian: libpopt-dev).
find_path(POPT_INCLUDE_DIR popt.h REQUIRED)
find_library(POPT_LIBRARY popt REQUIRED)
add_library(gemp::popt INTERFACE IMPORTED)
set_target_properties(gemp::popt PROPERTIES
	INTERFACE_INCLUDE_DIRECTORIES ${POPT_INCLUDE_DIR} INTERFACE_LINK_LIBRARIES ${POPT_LIBRARY})
