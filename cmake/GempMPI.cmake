# MPI (Debian: libopenmpi-dev).
find_package(MPI REQUIRED COMPONENTS C)
add_library(gemp::mpi ALIAS MPI::MPI_C)
