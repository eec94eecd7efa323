# utf8proc, case of Unicode characters (Debian: libutf8proc-dev).
find_path(UTF8PROC_INCLUDE_DIR utf8proc.h REQUIRED)
find_library(UTF8PROC_LIBRARY utf8proc REQUIRED)
add_library(gemp::utf8proc INTERFACE IMPORTED)
set_target_properties(gemp::utf8proc PROPERTIES
	INTERFACE_INCLUDE_DIRECTORIES ${UTF8PROC_INCLUDE_DIR} INTERFACE_LINK_LIBRARIES ${UTF8PROC_LIBRARY})
