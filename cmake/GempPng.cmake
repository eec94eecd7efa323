# libpng, pictures (Debian: libpng-dev).
find_package(PNG REQUIRED)
add_library(gemp::png INTERFACE IMPORTED)
set_target_properties(gemp::png PROPERTIES INTERFACE_LINK_LIBRARIES PNG::PNG)
