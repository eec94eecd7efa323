/* The smallest program that starts MPI and OpenCL: MPI_Init, a context, a queue, MPI_Finalize. overhead.sh subtracts
 * its time from the time of match. latency.sh compiles it also with NO_MPI, with NO_OPENCL and with both, which leave
 * that part and its library out. With the argument `cpu` the context is one of a CPU. */
#ifndef NO_OPENCL
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#endif
#ifndef NO_MPI
#include <mpi.h>
#endif
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef NO_OPENCL
enum { MOST_PLATFORMS = 16 };

static void check(cl_int error, const char *what)
{
	if (error == CL_SUCCESS)
		return;
	fprintf(stderr, "bench_empty: %s: OpenCL error %d\n", what, (int)error);
	exit(EXIT_FAILURE);
}

/* Selects a GPU if there is one, otherwise a CPU, as `--devices auto` does. */
static cl_device_id find_device(bool cpu)
{
	static const cl_device_type wanted[] = { CL_DEVICE_TYPE_GPU, CL_DEVICE_TYPE_CPU };
	cl_platform_id platforms[MOST_PLATFORMS];
	cl_device_id device = NULL;
	cl_uint count = 0;
	check(clGetPlatformIDs(MOST_PLATFORMS, platforms, &count), "clGetPlatformIDs");
	for (size_t t = cpu; t < sizeof wanted / sizeof *wanted; t++)
		for (cl_uint p = 0; p < count && p < MOST_PLATFORMS; p++)
			if (clGetDeviceIDs(platforms[p], wanted[t], 1, &device, NULL) == CL_SUCCESS)
				return device;
	check(CL_DEVICE_NOT_FOUND, "clGetDeviceIDs");
	return NULL;
}

static void start_device(bool cpu)
{
	cl_int error;
	cl_device_id device = find_device(cpu);
	cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
	check(error, "clCreateContext");
	cl_command_queue queue = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &error);
	check(error, "clCreateCommandQueue");
	clReleaseCommandQueue(queue);
	clReleaseContext(context);
}
#else
static void start_device(bool cpu)
{
	(void)cpu;
}
#endif

int main(int argc, char **argv)
{
	bool cpu = argc > 1 && strcmp(argv[1], "cpu") == 0;
#ifndef NO_MPI
	int provided;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
#endif
	start_device(cpu);
#ifndef NO_MPI
	MPI_Finalize();
#endif
	return 0;
}
