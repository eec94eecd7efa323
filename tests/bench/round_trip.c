/* round_trip: what the commands of a round cost that a host and its device take in turn, in microseconds (medians).
 *     round_trip [DEVICE]
 * Each line is a sequence of commands, from the first call until the host knows that the last one has ended.
 * `locked` is memory that the driver has allocated, `registered` memory of the host that a buffer uses
 * (gemp_pinned_register). The last lines say whether the host sees what a kernel writes to such memory without a
 * command that copies it. On an H200 with NVIDIA's driver 0 of 100 writes are seen (2026-11-30). */
#include "core/memory.h"
#include "core/status.h"
#include "core/timer.h"
#include "device/launch.h"
#include "device/open.h"
#include "device/program.h"
#include "device/staging.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 201, SMALL = 256, LARGE = 1 << 16, HUGE_SIZE = 1 << 19, BLOCK = 1 << 20, PAGE = 4096 };
enum { SVM_CAPABILITIES = 0x1053, SVM_COARSE = 1, SVM_FINE = 2 }; /* of OpenCL 2.0; our headers are of 1.2 */

static const char *const source = "__kernel void put(__global uint *to, uint words, uint value)\n"
								  "{\n"
								  "	if (get_global_id(0) < words)\n"
								  "		to[get_global_id(0)] = value;\n"
								  "}\n";

typedef struct trip {
	gemp_device *device;
	cl_command_queue queue;
	cl_kernel kernel;
	gemp_buffer buffer;
	char *to;
	size_t size, reads, writes, kernels;
	cl_mem written; /* the buffer that kernels write; NULL: `buffer` */
	bool events;    /* the host waits for the event of the last command; otherwise for the queue */
} trip;

static gemp_code run(trip *t, cl_uint value)
{
	const cl_uint words = (cl_uint)(t->size / sizeof(cl_uint));
	const size_t items = (words + 255) / 256 * 256;
	cl_event event = NULL;
	for (size_t i = 0; i < t->writes; i++)
		GEMP_TRY(GEMP_CL(clEnqueueWriteBuffer(t->queue, t->buffer.mem, CL_FALSE, 0, t->size, t->to, 0, NULL, NULL)));
	for (size_t i = 0; i < t->kernels; i++) {
		const cl_mem *to = t->written ? &t->written : &t->buffer.mem;
		GEMP_TRY(GEMP_CL(clSetKernelArg(t->kernel, 0, sizeof *to, to)));
		GEMP_TRY(GEMP_CL(clSetKernelArg(t->kernel, 1, sizeof words, &words)));
		GEMP_TRY(GEMP_CL(clSetKernelArg(t->kernel, 2, sizeof value, &value)));
		GEMP_TRY(GEMP_CL(clEnqueueNDRangeKernel(t->queue, t->kernel, 1, NULL, &items, NULL, 0, NULL,
		                                        i + 1 == t->kernels && t->events && !t->reads ? &event : NULL)));
	}
	for (size_t i = 0; i < t->reads; i++)
		GEMP_TRY(GEMP_CL(clEnqueueReadBuffer(t->queue, t->buffer.mem, i + 1 == t->reads && !t->events, 0, t->size,
		                                     t->to, 0, NULL, i + 1 == t->reads && t->events ? &event : NULL)));
	if (event) {
		GEMP_TRY(GEMP_CL(clFlush(t->queue)));
		GEMP_TRY(GEMP_CL(clWaitForEvents(1, &event)));
		clReleaseEvent(event);
		return GEMP_OK;
	}
	return t->reads ? GEMP_OK : GEMP_CL(clFinish(t->queue));
}

static int by_value(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static gemp_code measure(trip *t, const char *name)
{
	double seconds[RUNS];
	for (int i = 0; i < RUNS; i++) {
		const double since = gemp_now();
		GEMP_TRY(run(t, (cl_uint)i));
		seconds[i] = gemp_now() - since;
	}
	qsort(seconds, RUNS, sizeof *seconds, by_value);
	printf("%-62s %7zu bytes %8.1f us\n", name, t->size, 1e6 * seconds[RUNS / 2]);
	return GEMP_OK;
}

static gemp_code measure_all(trip *t, const char *memory)
{
	static const struct {
		const char *name;
		size_t writes, kernels, reads;
		bool events;
	} trips[] = { { "kernel", 0, 1, 0, false },
		          { "kernel, wait for its event", 0, 1, 0, true },
		          { "2 kernels", 0, 2, 0, false },
		          { "3 kernels", 0, 3, 0, false },
		          { "kernel, read", 0, 1, 1, false },
		          { "kernel, read, wait for its event", 0, 1, 1, true },
		          { "kernel, 2 reads", 0, 1, 2, false },
		          { "write, kernel", 1, 1, 0, false },
		          { "write, kernel, kernel, read", 1, 2, 1, false },
		          { "write, write, kernel, kernel, read, read", 2, 2, 2, false } };
	static const size_t sizes[] = { SMALL, LARGE, HUGE_SIZE };
	char name[80];
	for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
		for (size_t i = 0; i < sizeof trips / sizeof *trips; i++) {
			t->size = sizes[s];
			t->writes = trips[i].writes;
			t->kernels = trips[i].kernels;
			t->reads = trips[i].reads;
			t->events = trips[i].events;
			snprintf(name, sizeof name, "%s: %s", memory, trips[i].name);
			GEMP_TRY(measure(t, name));
		}
	return GEMP_OK;
}

/* Does the host see the words that a kernel has written to memory of the host, once the queue has ended? */
static gemp_code look(trip *t, cl_mem written, volatile cl_uint *host, const char *name)
{
	size_t seen = 0;
	t->written = written;
	t->writes = t->reads = 0;
	t->kernels = 1;
	t->size = LARGE;
	t->events = false;
	for (cl_uint i = 1; i <= 100; i++) {
		GEMP_TRY(run(t, i));
		seen += host[0] == i && host[LARGE / sizeof(cl_uint) - 1] == i;
	}
	GEMP_TRY(measure(t, name));
	printf("%s: seen %zu times of 100\n", name, seen);
	t->written = NULL;
	return GEMP_OK;
}

int main(int argc, char **argv)
{
	gemp_code code = GEMP_OK;
	trip t = { 0 };
	gemp_program program = { 0 };
	gemp_pinned locked = { 0 }, registered = { 0 };
	char *memory = NULL;
	cl_bitfield svm = 0;
	MPI_Init(&argc, &argv);
	GEMP_TRY_DONE(gemp_device_open(&t.device, argc > 1 ? argv[1] : NULL, 0, 1, 0));
	t.queue = t.device->queue;
	GEMP_TRY_DONE(gemp_program_new(&program, t.device, source, ""));
	GEMP_TRY_DONE(gemp_kernel_new(&t.kernel, &program, "put"));
	GEMP_TRY_DONE(gemp_buffer_new(&t.buffer, t.device, BLOCK, NULL));
	GEMP_TRY_DONE(gemp_pinned_take(&locked, t.device, BLOCK));
	if (posix_memalign((void **)&memory, PAGE, BLOCK) != 0)
		GEMP_TRY_DONE(gemp_fail(GEMP_ENOMEM, "no memory"));
	memset(memory, 0, BLOCK);
	gemp_pinned_register(&registered, t.device, memory, BLOCK);
	clGetDeviceInfo(t.device->id, SVM_CAPABILITIES, sizeof svm, &svm, NULL);
	printf("%s, shared virtual memory: coarse %d, fine %d\n", t.device->name, (svm & SVM_COARSE) != 0,
	       (svm & SVM_FINE) != 0);
	t.to = locked.host;
	GEMP_TRY_DONE(measure_all(&t, "locked"));
	t.to = memory;
	GEMP_TRY_DONE(measure_all(&t, "registered"));
	GEMP_TRY_DONE(look(&t, locked.mem, (volatile cl_uint *)(void *)locked.host, "kernel writes locked memory"));
	if (registered.mem)
		GEMP_TRY_DONE(look(&t, registered.mem, (volatile cl_uint *)(void *)memory, "kernel writes registered memory"));
done:
	if (code != GEMP_OK)
		fprintf(stderr, "%s\n", gemp_message());
	gemp_kernels_free(&t.kernel);
	gemp_program_free(&program);
	gemp_pinned_unregister(&registered);
	if (t.device) {
		gemp_pinned_release(&locked, t.device);
		gemp_buffer_free(&t.buffer, t.device);
	}
	gemp_device_close(t.device);
	free(memory);
	MPI_Finalize();
	return code != GEMP_OK;
}
