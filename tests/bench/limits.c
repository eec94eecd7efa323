/* limits: measures the rates of this machine that bound the time of a whole process, for latency.sh.
 *
 *     limits FOLDER MIB auto|cpu
 *
 * Prints one JSON object with bytes per second, each the best of RUNS: `write`: all threads write a file of MIB
 * mebibytes in FOLDER, and fsync; `page_cache`: all threads read the file again into memory that is already mapped;
 * `disk`: the same after the file was dropped from the page cache; `link`: copies from page-locked host memory to the
 * device, a GPU if there is one and `cpu` is not given. `dropped` is the part of the file that had left the page cache
 * before `disk` was measured: if it is below 1, that rate contains reads from memory. `threads` is their number. A rate
 * of 0 could not be measured. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { RUNS = 3, MAX_THREADS = 64, MAX_PLATFORMS = 16, TRANSFERS = 16 };
#define CHUNK ((size_t)4 << 20)
#define TRANSFER ((size_t)64 << 20)

/* One thread's part of a file: the bytes begin to end, in pieces of CHUNK. */
typedef struct part {
	pthread_t thread;
	int file;
	bool writes, failed;
	char *memory; /* of the whole file */
	size_t begin, end;
} part;

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double larger(double a, double b)
{
	return a > b ? a : b;
}

static int thread_count(void)
{
	cpu_set_t cores;
	int count = sched_getaffinity(0, sizeof cores, &cores) == 0 ? CPU_COUNT(&cores) : 1;
	return count < MAX_THREADS ? count : MAX_THREADS;
}

static void *move_part(void *argument)
{
	part *p = argument;
	for (size_t at = p->begin; at < p->end && !p->failed;) {
		size_t size = p->end - at < CHUNK ? p->end - at : CHUNK;
		ssize_t done = p->writes ? pwrite(p->file, p->memory + at, size, (off_t)at)
		                         : pread(p->file, p->memory + at, size, (off_t)at);
		p->failed = done <= 0;
		at += done > 0 ? (size_t)done : 0;
	}
	return NULL;
}

/* Returns the seconds in which all threads read or write the file, or 0 after a failure. */
static double move_file(int file, char *memory, size_t bytes, bool writes)
{
	part parts[MAX_THREADS];
	size_t threads = (size_t)thread_count();
	bool failed = false;
	double since = now();
	for (size_t t = 0; t < threads; t++) {
		parts[t] = (part){ .file = file,
			               .writes = writes,
			               .memory = memory,
			               .begin = bytes / threads * t,
			               .end = t + 1 < threads ? bytes / threads * (t + 1) : bytes };
		if (pthread_create(&parts[t].thread, NULL, move_part, &parts[t]) != 0)
			exit(EXIT_FAILURE);
	}
	for (size_t t = 0; t < threads; t++) {
		pthread_join(parts[t].thread, NULL);
		failed |= parts[t].failed;
	}
	failed |= writes && fsync(file) != 0;
	return failed ? 0 : now() - since;
}

/* Returns the part of the file that is not in the page cache. */
static double absent(int file, size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), pages = (bytes + page - 1) / page, resident = 0;
	void *map = mmap(NULL, bytes, PROT_READ, MAP_SHARED, file, 0);
	unsigned char *in_core = calloc(pages, 1);
	if (map == MAP_FAILED || !in_core || mincore(map, bytes, in_core) != 0)
		resident = pages;
	else
		for (size_t i = 0; i < pages; i++)
			resident += in_core[i] & 1;
	if (map != MAP_FAILED)
		munmap(map, bytes);
	free(in_core);
	return 1 - (double)resident / (double)pages;
}

static void measure_file(const char *folder, size_t bytes)
{
	char path[4096];
	double write = 0, page_cache = 0, disk = 0, dropped = 1;
	snprintf(path, sizeof path, "%s/limits.XXXXXX", folder);
	int file = mkstemp(path);
	char *memory = malloc(bytes);
	if (file < 0 || !memory) {
		perror(path);
		exit(EXIT_FAILURE);
	}
	unlink(path);
	memset(memory, 7, bytes);
	for (int run = 0; run < RUNS; run++) {
		double seconds = ftruncate(file, 0) == 0 ? move_file(file, memory, bytes, true) : 0;
		write = larger(write, seconds > 0 ? (double)bytes / seconds : 0);
		seconds = move_file(file, memory, bytes, false);
		page_cache = larger(page_cache, seconds > 0 ? (double)bytes / seconds : 0);
		posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
		double gone = absent(file, bytes);
		dropped = gone < dropped ? gone : dropped;
		seconds = move_file(file, memory, bytes, false);
		disk = larger(disk, seconds > 0 ? (double)bytes / seconds : 0);
	}
	printf("{\"threads\": %d, \"write\": %.6g, \"page_cache\": %.6g, \"disk\": %.6g, \"dropped\": %.3f, ",
	       thread_count(), write, page_cache, disk, dropped);
	free(memory);
	close(file);
}

static cl_device_id find_device(bool cpu)
{
	static const cl_device_type wanted[] = { CL_DEVICE_TYPE_GPU, CL_DEVICE_TYPE_CPU };
	cl_platform_id platforms[MAX_PLATFORMS];
	cl_device_id device;
	cl_uint count = 0;
	if (clGetPlatformIDs(MAX_PLATFORMS, platforms, &count) != CL_SUCCESS)
		return NULL;
	for (size_t t = cpu; t < sizeof wanted / sizeof *wanted; t++)
		for (cl_uint p = 0; p < count && p < MAX_PLATFORMS; p++)
			if (clGetDeviceIDs(platforms[p], wanted[t], 1, &device, NULL) == CL_SUCCESS)
				return device;
	return NULL;
}

/* Memory that OpenCL allocates on the host and maps is page-locked in all drivers that we know. */
static double copy_seconds(cl_command_queue queue, cl_mem pinned, cl_mem target)
{
	cl_int error;
	void *host = clEnqueueMapBuffer(queue, pinned, CL_TRUE, CL_MAP_WRITE, 0, TRANSFER, 0, NULL, NULL, &error);
	if (error != CL_SUCCESS)
		return 0;
	double best = 0;
	memset(host, 1, TRANSFER);
	for (int run = 0; run <= RUNS; run++) { /* the first run only warms up */
		double since = now();
		for (int i = 0; i < TRANSFERS && error == CL_SUCCESS; i++)
			error = clEnqueueWriteBuffer(queue, target, CL_FALSE, 0, TRANSFER, host, 0, NULL, NULL);
		if (error != CL_SUCCESS || clFinish(queue) != CL_SUCCESS)
			return 0;
		double seconds = (now() - since) / TRANSFERS;
		best = run == 1 || (run > 1 && seconds < best) ? seconds : best;
	}
	clEnqueueUnmapMemObject(queue, pinned, host, 0, NULL, NULL);
	clFinish(queue);
	return best;
}

static void measure_link(bool cpu)
{
	cl_int error;
	char name[256] = "none";
	double seconds = 0;
	cl_device_id device = find_device(cpu);
	cl_context context = device ? clCreateContext(NULL, 1, &device, NULL, NULL, &error) : NULL;
	if (context) {
		clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL);
		cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
		cl_mem pinned = clCreateBuffer(context, CL_MEM_ALLOC_HOST_PTR, TRANSFER, NULL, NULL);
		cl_mem target = clCreateBuffer(context, CL_MEM_READ_WRITE, TRANSFER, NULL, NULL);
		seconds = queue && pinned && target ? copy_seconds(queue, pinned, target) : 0;
		clReleaseMemObject(pinned);
		clReleaseMemObject(target);
		clReleaseCommandQueue(queue);
		clReleaseContext(context);
	}
	printf("\"link\": %.6g, \"device\": \"%s\"}\n", seconds > 0 ? (double)TRANSFER / seconds : 0, name);
}

int main(int argc, char **argv)
{
	if (argc != 4)
		return fprintf(stderr, "usage: limits FOLDER MIB auto|cpu\n"), 2;
	measure_file(argv[1], (size_t)strtoull(argv[2], NULL, 10) << 20);
	measure_link(strcmp(argv[3], "cpu") == 0);
	return 0;
}
