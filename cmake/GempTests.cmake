# How tests are built and registered with CTest.
set(GEMP_TEST_RANKS 1 2 3 4 8 CACHE STRING "Numbers of ranks that each test in tests/mpi runs under")
set(GEMP_TEST_LONG_RANKS 2 4 8 CACHE STRING "Of these, those that only the whole suite has: two cores take minutes for many ranks")
set(GEMP_MPIEXEC_FLAGS -q --oversubscribe --bind-to none CACHE STRING "Options of mpirun in tests")
set(GEMP_PYTHON /usr/bin/python3 CACHE FILEPATH "Python with h5py and scipy, for tests of the file format")
set(GEMP_SHARED_DEFAULT ${PROJECT_SOURCE_DIR}/../shared) # the environment variable GEMP_SHARED has precedence

# The tests start thousands of ranks. Without these settings Open MPI waits two seconds after a rank exits with a nonzero code,
# spends a third of a second at each start on trying its networks (libfabric, PSM, UCX, TCP), starts a daemon beside a process
# that runs without mpirun (src/comm/session.h), scans all buses for devices, and loads modules that it does not choose:
# those for collectives, windows and files cost a fifth of the processor time of `mpirun -n 3 gemp-mpi info`.
set(GEMP_TEST_MPI OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_odls_base_sigkill_timeout=0 OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,vader
	OMPI_MCA_coll=basic,self,libnbc,tuned OMPI_MCA_osc=sm OMPI_MCA_io=ompio
	OMPI_MCA_ess_singleton_isolated=1 PMIX_MCA_gds=hash HWLOC_COMPONENTS=-opencl,-pci,-linuxio)

# The tests have private caches, since a test must not depend on files in the caches of the user.
set(GEMP_TEST_CACHE ${CMAKE_BINARY_DIR}/tests/cache)
file(MAKE_DIRECTORY ${GEMP_TEST_CACHE}/gemp ${GEMP_TEST_CACHE}/pocl)
set(GEMP_TEST_ENVIRONMENT
	OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 ${GEMP_TEST_MPI}
	GEMP_CACHE_DIR=${GEMP_TEST_CACHE}/gemp POCL_CACHE_DIR=${GEMP_TEST_CACHE}/pocl
	GEMP_SOURCE_DIR=${PROJECT_SOURCE_DIR})
# PoCL compiles a kernel twice: for any group size, and for the group size of the launch. Ranks share only the first binary. Tests
# turn the second compilation off: with empty caches it took 17 of 49 seconds of cli/bfs.py. It is on for users, so the tests of
# a first start, of phases and of benchmarks keep it.
set(GEMP_TEST_ONE_KERNEL POCL_WORK_GROUP_SPECIALIZATION=0)
if(GEMP_SANITIZE)
	# Leak detection is off, since MPI and OpenCL libraries leak. The tests count the blocks of GEMP-MPI (gemp_memory_blocks).
	list(APPEND GEMP_TEST_ENVIRONMENT ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1)
endif()
if(GEMP_TSAN)
	# MPI, OpenCL and HDF5 are not instrumented. ThreadSanitizer cannot see their locks and would report false races.
	list(APPEND GEMP_TEST_ENVIRONMENT TSAN_OPTIONS=ignore_noninstrumented_modules=1:halt_on_error=1:second_deadlock_stack=1)
endif()

# The tests run on small graphs. -O3 would double their build time and save a few percent of their run time.
set(GEMP_TEST_OPTIONS $<$<CONFIG:Release>:-O1>)

# gemp_test(NAME LABEL PROCESSORS COMMAND...) adds a test. `timeout` ends a hanging test by a signal, which mpirun passes to its
# ranks. CTest's own timeout would kill only mpirun, and the ranks would continue.
function(gemp_test name label processors)
	set(labels ${label})
	set(seconds 300)
	if(label MATCHES "cli|oracle")
		set(seconds 1200)
	endif()
	if(name MATCHES "_long([./]|$)")
		list(APPEND labels long)
		set(seconds 3600)
	endif()
	math(EXPR limit "${seconds} + 30")
	add_test(NAME ${name} COMMAND timeout -k 10 ${seconds} ${ARGN})
	set_tests_properties(${name} PROPERTIES LABELS "${labels}" PROCESSORS ${processors} TIMEOUT ${limit}
		SKIP_RETURN_CODE 77 ENVIRONMENT "${GEMP_TEST_ENVIRONMENT}")
	string(REGEX MATCH "^mpi/.*/([0-9]+)$" under_ranks ${name})
	if(under_ranks AND CMAKE_MATCH_1 IN_LIST GEMP_TEST_LONG_RANKS AND NOT "long" IN_LIST labels)
		set_property(TEST ${name} APPEND PROPERTY LABELS long)
	endif()
	if(NOT name MATCHES "cold|phases|trace|bench")
		set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT ${GEMP_TEST_ONE_KERNEL})
	endif()
endfunction()

# gemp_c_tests(FOLDER) makes a target of every FOLDER/LAYER_TOPIC.c and registers its tests.
function(gemp_c_tests folder)
	file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.c)
	foreach(source IN LISTS sources)
		get_filename_component(stem ${source} NAME_WE)
		string(REGEX REPLACE "_.*" "" layer ${stem})
		if(NOT TARGET gemp_${layer})
			message(WARNING "${source}: no layer is called '${layer}'; the name is to be LAYER_TOPIC.c")
			continue()
		endif()
		set(target test_${folder}_${stem})
		add_executable(${target} ${source})
		target_link_libraries(${target} PRIVATE gemp_cli gemp_api gemp_io $<TARGET_PROPERTY:gemp_${layer},LINK_LIBRARIES>
			gemp_harness gemp_warnings)
		target_compile_options(${target} PRIVATE ${GEMP_TEST_OPTIONS})
		if(folder STREQUAL mpi)
			target_link_libraries(${target} PRIVATE gemp_harness_mpi)
			foreach(ranks IN LISTS GEMP_TEST_RANKS)
				# The ranks of a small test mostly wait for one another. If a computing test runs at the same time, a
				# small test takes ten times as long, since the other test gets the core whenever a rank yields it.
				math(EXPR processors "(${ranks} + 1) / 2")
				set(launch ${MPIEXEC_EXECUTABLE} ${GEMP_MPIEXEC_FLAGS} ${MPIEXEC_NUMPROC_FLAG} ${ranks})
				if(ranks EQUAL 1)
					set(launch) # one rank needs no mpirun, whose start takes longer than most tests
				endif()
				gemp_test(${folder}/${stem}/${ranks} ${folder} ${processors} ${launch} $<TARGET_FILE:${target}>)
			endforeach()
		else()
			gemp_test(${folder}/${stem} ${folder} 1 $<TARGET_FILE:${target}>)
		endif()
	endforeach()
endfunction()

# gemp_script_tests(FOLDER) registers every FOLDER/*.sh and FOLDER/*.py.
function(gemp_script_tests folder)
	file(GLOB scripts CONFIGURE_DEPENDS ${folder}/*.sh ${folder}/*.py)
	set(processors 1) # a script starts ranks, but waits most of the time
	list(JOIN GEMP_MPIEXEC_FLAGS " " flags)
	foreach(script IN LISTS scripts)
		get_filename_component(name ${script} NAME)
		set(shell bash)
		if(name MATCHES "\\.py$")
			set(shell ${GEMP_PYTHON})
		endif()
		gemp_test(${folder}/${name} ${folder} ${processors} ${shell} ${script})
		set_property(TEST ${folder}/${name} APPEND PROPERTY ENVIRONMENT
			GEMP_MPI=$<TARGET_FILE:gemp-mpi> "GEMP_MPIRUN=${MPIEXEC_EXECUTABLE} ${flags}" GEMP_PYTHON=${GEMP_PYTHON})
	endforeach()
endfunction()
