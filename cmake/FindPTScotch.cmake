# PT-Scotch, which cuts graphs into parts with few edges between them (Debian: libptscotch-dev). Defines the target gemp::ptscotch.
# PTSCOTCH_ROOT may name a folder with include and lib. Header and libraries must have the same width of integers.
include(FindPackageHandleStandardArgs)
find_path(PTSCOTCH_INCLUDE_DIR ptscotch.h HINTS ${PTSCOTCH_ROOT} PATH_SUFFIXES include include/scotch scotch)
set(libraries)
foreach(name ptscotch scotch ptscotcherr)
	string(TOUPPER ${name} upper)
	find_library(${upper}_LIBRARY ${name} HINTS ${PTSCOTCH_ROOT} PATH_SUFFIXES lib)
	list(APPEND libraries ${${upper}_LIBRARY})
endforeach()
find_package_handle_standard_args(PTScotch REQUIRED_VARS PTSCOTCH_LIBRARY SCOTCH_LIBRARY PTSCOTCHERR_LIBRARY
	PTSCOTCH_INCLUDE_DIR)
mark_as_advanced(PTSCOTCH_INCLUDE_DIR PTSCOTCH_LIBRARY SCOTCH_LIBRARY PTSCOTCHERR_LIBRARY)
if(PTScotch_FOUND AND NOT TARGET gemp::ptscotch)
	add_library(gemp::ptscotch INTERFACE IMPORTED)
	set_target_properties(gemp::ptscotch PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${PTSCOTCH_INCLUDE_DIR}
		INTERFACE_LINK_LIBRARIES "${libraries}" INTERFACE_COMPILE_DEFINITIONS GEMP_PTSCOTCH)
endif()
