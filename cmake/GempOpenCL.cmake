# OpenCL headers and ICD loader (Debian: opencl-headers, ocl-icd-opencl-dev).
find_package(OpenCL REQUIRED)
add_library(gemp::opencl INTERFACE IMPORTED)
set_target_properties(gemp::opencl PROPERTIES
	INTERFACE_COMPILE_DEFINITIONS CL_TARGET_OPENCL_VERSION=120 INTERFACE_LINK_LIBRARIES OpenCL::OpenCL)
