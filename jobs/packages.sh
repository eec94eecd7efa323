# Sourced by setup.sh and prefix.sh: the Debian and Ubuntu packages that GEMP-MPI is made from, in one place.
# Tools are written command=package, because a command may have come from elsewhere. Alternatives are written first|second:
# the first one that this release has is taken.

# A cluster has these of its own; prefix.sh does not carry them.
site_tools=(gcc=gcc cmake=cmake ninja=ninja-build mpirun=openmpi-bin)
site_libraries=(libc6-dev libopenmpi-dev 'libhdf5-openmpi-dev|libhdf5-mpich-dev|libhdf5-dev')

# Small enough to be carried to a machine without root or network.
carried_tools=(flex=flex bison=bison)
carried_libraries=(ocl-icd-opencl-dev opencl-headers libjansson-dev libexpat1-dev libpopt-dev libpcre2-dev libutf8proc-dev
                   'libnauty2-dev|libnauty-dev' libxxhash-dev zlib1g-dev libzstd-dev libpng-dev)

# Only the tests need these; the first list is carried, too.
test_libraries=(libcmocka-dev)
test_tools=(h5dump=hdf5-tools pkg-config=pkg-config zstd=zstd gzip=gzip)
test_python=(python3 python3-h5py python3-scipy python3-networkx python3-igraph)

# Used where it is installed; nothing fails without it: partition --method ptscotch.
optional_library=libptscotch-dev

# available first|second: prints the first package that this release has, or the last one if it has none.
available() {
	local package
	for package in ${1//|/ }; do
		apt-cache show "$package" >/dev/null 2>&1 && break
	done
	echo "$package"
}
