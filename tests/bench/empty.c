/* The smallest program that starts MPI and OpenCL: MPI_Init, a context, a queue, MPI_Finalize. overhead.sh subtracts
 * its time from the time of match. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_PLATFORMS = 16 };

static void check(cl_int error, const char *what)
{
	if (error == CL_SUCCESS)
		return;
	fprintf(stderr, "bench_empty: %s: OpenCL error %d\n", what, (int)error);
	exit(EXIT_FAILURE);
}

/* Selects a GPU if there is one, otherwise a CPU, as `--devices auto` does. */
static cl_device_id find_device(void)
{
	static const cl_device_type wanted[] = { CL_DEVICE_TYPE_GPU, CL_DEVICE_TYPE_CPU };
	cl_platform_id platforms[MOST_PLATFORMS];
	cl_device_id device = NULL;
	cl_uint count = 0;
	check(clGetPlatformIDs(MOST_PLATFORMS, platforms, &count), "clGetPlatformIDs");
	for (size_t t = 0; t < sizeof wanted / sizeof *wanted; t++)
		for (cl_uint p = 0; p < count && p < MOST_PLATFORMS; p++)
			if (clGetDeviceIDs(platforms[p], wanted[t], 1, &device, NULL) == CL_SUCCESS)
				return device;
	check(CL_DEVICE_NOT_FOUND, "clGetDeviceIDs");
	return NULL;
}

int main(int argc, char **argv)
{
	int provided;
	cl_int error;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
	cl_device_id device = find_device();
	cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
	check(error, "clCreateContext");
	cl_command_queue queue = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &error);
	check(error, "clCreateCommandQueue");
	clReleaseCommandQueue(queue);
	clReleaseContext(context);
	MPI_Finalize();
	return 0;
}
