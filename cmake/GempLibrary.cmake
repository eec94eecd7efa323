# libgemp: all layers below the command line as one library, shared and static, with the headers of include/gemp. Programs find
# it by pkg-config or find_package(gemp). libgemp.so exports only functions with the mark GEMP_API: the layers are compiled with
# hidden visibility, and libgemp.map hides the symbols of the static libraries that libgemp.so contains.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

get_property(layers GLOBAL PROPERTY GEMP_LAYERS)
list(REMOVE_ITEM layers cli)
set(objects "")
set(libraries "")
foreach(layer IN LISTS layers)
	list(APPEND objects $<TARGET_OBJECTS:gemp_${layer}>)
	get_target_property(needs gemp_${layer} LINK_LIBRARIES)
	list(APPEND libraries ${needs})
endforeach()
list(REMOVE_DUPLICATES libraries)
list(FILTER libraries EXCLUDE REGEX "^gemp_")

# Debian's static nauty cannot be part of a shared library, since its accesses to thread-local variables are compiled for a program
# (the TLS model local-exec). libgemp.so therefore links the shared nauty, which depends on libcliquer. libcliquer is under the GPL,
# which applies to anyone who distributes it together with libgemp.so. gemp-mpi and libgemp.a use the static nauty, which does not
# need libcliquer.
# Without a shared nauty only libgemp.a is built.
find_library(GEMP_NAUTY_SHARED NAMES libnauty.so)
set(kinds STATIC)
if(GEMP_NAUTY_SHARED)
	list(APPEND kinds SHARED)
else()
	message(WARNING "libnauty.so was not found: libgemp.a is built, libgemp.so is not. Install libnauty2-dev or libnauty-dev for both.")
endif()
foreach(kind IN LISTS kinds)
	string(TOLOWER ${kind} suffix)
	set(target libgemp_${suffix})
	add_library(${target} ${kind} ${objects})
	add_library(gemp::${suffix} ALIAS ${target})
	set_target_properties(${target} PROPERTIES OUTPUT_NAME gemp EXPORT_NAME ${suffix} LINKER_LANGUAGE C
		VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
	target_include_directories(${target} INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
		$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endforeach()
if(GEMP_NAUTY_SHARED)
	list(REMOVE_ITEM libraries gemp::nauty)
	target_link_libraries(libgemp_shared PRIVATE ${libraries} ${GEMP_NAUTY_SHARED})
	target_link_options(libgemp_shared PRIVATE -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/libgemp.map -Wl,--no-undefined)
	set_target_properties(libgemp_shared PROPERTIES LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/libgemp.map)
	install(TARGETS libgemp_shared)
endif()
install(TARGETS libgemp_static)
install(DIRECTORY include/gemp TYPE INCLUDE)

# pkg-config --static lists the libraries that a program links in addition to the static library.
# GEMP_PC_MPI is the pkg-config name of the MPI that was found, or empty if that MPI has no pkg-config file.
find_package(PkgConfig)
set(GEMP_PC_MPI "")
if(PkgConfig_FOUND)
	foreach(name IN ITEMS ompi-c ompi mpich)
		pkg_check_modules(GEMP_PC_${name} QUIET ${name})
		if(GEMP_PC_${name}_FOUND AND NOT GEMP_PC_MPI)
			set(GEMP_PC_MPI ${name})
		endif()
	endforeach()
endif()
set(GEMP_PRIVATE_LIBRARIES "-lOpenCL ${HDF5_C_LIBRARY_hdf5} -ljansson -lexpat -lpcre2-8 -lutf8proc -lpng -lz -lbz2 -lzstd -lxxhash -l:libnauty.a -lpthread -lm")
# The path is relative to the file gemp.pc, so that an installed tree can be moved and --prefix works.
file(RELATIVE_PATH GEMP_PC_UP /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/gemp.pc.in gemp.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/gemp.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

configure_package_config_file(cmake/gemp_config.in ${PROJECT_BINARY_DIR}/gempConfig.cmake
	INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/gemp PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/gempConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/gempConfig.cmake ${PROJECT_BINARY_DIR}/gempConfigVersion.cmake
	DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/gemp)
