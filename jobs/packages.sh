# The Debian and Ubuntu packages that building GEMP-MPI needs. setup.sh and prefix.sh source this file.
# A tool is written as command=package, since the command may be installed without the package. Alternatives are written as
# first|second; the first one that the machine's release of Debian or Ubuntu has is used.

# A cluster provides these packages, so prefix.sh does not copy them.
site_tools=(gcc=gcc cmake=cmake ninja=ninja-build mpirun=openmpi-bin)
site_libraries=(libc6-dev tzdata libopenmpi-dev 'libhdf5-openmpi-dev|libhdf5-mpich-dev|libhdf5-dev')

# prefix.sh copies these packages for machines without root or network.
carried_tools=(flex=flex bison=bison)
carried_libraries=(ocl-icd-opencl-dev opencl-headers libjansson-dev libexpat1-dev libpopt-dev libpcre2-dev libutf8proc-dev
                   'libnauty2-dev|libnauty-dev' libxxhash-dev zlib1g-dev libbz2-dev libzstd-dev libpng-dev)

# Only the tests need these packages. prefix.sh also copies the first list.
test_libraries=(libcmocka-dev)
test_tools=(h5dump=hdf5-tools pkg-config=pkg-config zstd=zstd gzip=gzip)
test_python=(python3 python3-h5py python3-scipy python3-networkx python3-igraph)

# Only the scripts reproduce-*.sh need these packages.
reproduce_tools=(python3=python3 gnuplot=gnuplot-nox dot=graphviz)

# `gemp-mpi partition --method ptscotch` works only in a program that was built with this library. All else works without it.
optional_library=libptscotch-dev

# available first|second prints the first package that the release has, or the last package if the release has none of them.
available() {
	local package
	for package in ${1//|/ }; do
		apt-cache show "$package" >/dev/null 2>&1 && break
	done
	echo "$package"
}
