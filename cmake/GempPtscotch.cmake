# PT-Scotch is optional. Without it `partition --method ptscotch` fails with a message that names the package to install.
option(GEMP_USE_PTSCOTCH "Use PT-Scotch where it is installed" ON)
if(GEMP_USE_PTSCOTCH)
	find_package(PTScotch QUIET)
endif()
if(NOT TARGET gemp::ptscotch)
	add_library(gemp::ptscotch INTERFACE IMPORTED)
	message(STATUS "PT-Scotch was not found (Debian: libptscotch-dev): built without partition --method ptscotch")
endif()
