# One small module per dependency; each gives one target gemp::NAME.
include(GempXxhash)
include(GempNauty)
include(GempOpenCL)
include(GempMPI)
include(GempHDF5)
include(GempCompression)
include(GempJansson)
include(GempExpat)
include(GempPopt)
include(GempPcre2)
include(GempUtf8proc)

find_package(Threads REQUIRED)
