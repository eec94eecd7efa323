# HDF5. The parallel build (Debian: libhdf5-openmpi-dev) is preferred, but the serial build works, too.
set(HDF5_PREFER_PARALLEL ON)
find_package(HDF5 REQUIRED COMPONENTS C)
add_library(gemp::hdf5 INTERFACE IMPORTED)
set_target_properties(gemp::hdf5 PROPERTIES INTERFACE_LINK_LIBRARIES hdf5::hdf5)
if(HDF5_IS_PARALLEL)
	set_property(TARGET gemp::hdf5 PROPERTY INTERFACE_COMPILE_DEFINITIONS GEMP_PARALLEL_HDF5=1)
endif()
