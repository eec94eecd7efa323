# PCRE2, regular expressions (Debian: libpcre2-dev).
find_path(PCRE2_INCLUDE_DIR pcre2.h REQUIRED)
find_library(PCRE2_LIBRARY pcre2-8 REQUIRED)
add_library(gemp::pcre2 INTERFACE IMPORTED)
set_target_properties(gemp::pcre2 PROPERTIES
	INTERFACE_INCLUDE_DIRECTORIES ${PCRE2_INCLUDE_DIR} INTERFACE_LINK_LIBRARIES ${PCRE2_LIBRARY})
