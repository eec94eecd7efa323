/* Does the measurements of listing.sh in the process: listing matches to host memory, deduplicating them, and the
 * bandwidths of the machine, each separately.
 *
 *     listing GRAPH PATTERN [REPEAT [KEPT]]
 *
 * Lists PATTERN to a sink that counts rows, and once more to a sink that also keeps the first KEPT rows and then ends
 * the search. Then deduplicates the kept rows by vertex set while nothing else runs, and prints one JSON object. The
 * seconds of the first listing and of the deduplication are the least of REPEAT runs. With REPEAT 0, the first listing
 * is left out and the deduplication runs once. */
#include "comm/comm.h"
#include "core/memory.h"
#include "core/status.h"
#include "core/threads.h"
#include "core/timer.h"
#include "core/types.h"
#include "device/device.h"
#include "device/staging.h"
#include "graph/batch.h"
#include "graph/graph.h"
#include "harness/runtime.h"
#include "io/graph_file/graph_file_read.h"
#include "match/distinct/distinct.h"
#include "match/match.h"
#include "match/match_run.h"
#include "match/planner/match_options.h"
#include "partition/views/resident.h"
#include "pattern/bind/bind.h"
#include "pattern/model/pattern.h"
#include "pattern/shapes/named_pattern.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { TRANSFER = 64 << 20, TRANSFERS = 32, BATCH = 1 << 20 };

typedef struct timed {
	double wall, cpu;
} timed;

static timed clock_now(void)
{
	struct rusage used;
	getrusage(RUSAGE_SELF, &used);
	return (timed){ gemp_now(), (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
		                            1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) };
}

/* Returns true if this run was faster than all runs before it. */
static bool keep_least(timed *least, timed began)
{
	timed now = clock_now(), passed = { now.wall - began.wall, now.cpu - began.cpu };
	bool faster = least->wall == 0 || passed.wall < least->wall;
	if (faster)
		*least = passed;
	return faster;
}

/* A sink that counts rows and keeps them up to its capacity. */
typedef struct keeping {
	size_t rows, kept, capacity;
	int vertices;
	gemp_vertex *ids;
} keeping;

static gemp_code take(void *self, const gemp_batch *batch)
{
	keeping *k = self;
	size_t left = k->capacity - k->kept, count = batch->rows < left ? batch->rows : left,
		   width = (size_t)batch->vertex_count;
	k->rows += batch->rows;
	if (count)
		memcpy(k->ids + k->kept * width, batch->vertices, count * width * sizeof *k->ids);
	k->kept += count;
	return GEMP_OK;
}

static gemp_code turn(void *self, bool last, bool *enough, bool *again)
{
	const keeping *k = self;
	(void)last, (void)again;
	*enough |= k->capacity && k->kept == k->capacity;
	return GEMP_OK;
}

static gemp_code list(gemp_runtime *context, gemp_match *match, keeping *k, int repeat, timed *least, double *kernel)
{
	gemp_code code = GEMP_OK;
	gemp_sink sink = { .self = k, .consume = take, .end_round = turn };
	for (int i = 0; i < repeat; i++) {
		double before = context->timers.seconds[GEMP_PHASE_KERNEL];
		timed began = clock_now();
		k->rows = k->kept = 0;
		GEMP_TRY_DONE(gemp_match_run(match, &sink, NULL));
		if (keep_least(least, began))
			*kernel = context->timers.seconds[GEMP_PHASE_KERNEL] - before;
	}
done:
	return code;
}

static gemp_code deduplicate(gemp_runtime *context, const keeping *k, int repeat, timed *least, uint64_t *classes)
{
	gemp_code code = GEMP_OK;
	const gemp_distinct_options options = { .vertex_count = k->vertices,
		                                    .as_vertices = true,
		                                    .memory = (size_t)16 << 30 };
	gemp_sink sink = { 0 };
	for (int i = 0; i < repeat; i++) {
		bool enough = false, again = false;
		timed began = clock_now();
		GEMP_TRY_DONE(gemp_distinct_new(&sink, context, &options));
		for (size_t at = 0; at < k->kept; at += BATCH)
			GEMP_TRY_DONE(sink.consume(sink.self, &(gemp_batch){ .rows = k->kept - at < BATCH ? k->kept - at : BATCH,
			                                                     .vertex_count = k->vertices,
			                                                     .vertices = k->ids + at * (size_t)k->vertices }));
		GEMP_TRY_DONE(sink.end_round(sink.self, true, &enough, &again));
		keep_least(least, began);
		*classes = gemp_distinct_count(&sink);
		sink.free(sink.self);
		sink = (gemp_sink){ 0 };
	}
done:
	if (sink.free)
		sink.free(sink.self);
	return code;
}

/* Measures the bytes per second of copies from the device to the host, and from host memory to host memory. */
static gemp_code reference(gemp_device *device, double *transfer, double *copy)
{
	gemp_code code = GEMP_OK;
	gemp_readback from = { 0 };
	char *to = NULL;
	timed moved = { 0 }, copied = { 0 };
	GEMP_TRY_DONE(gemp_readback_new(&from, device, TRANSFER));
	GEMP_TRY_DONE(gemp_buffer_zero(device, &from.buffer, 0, TRANSFER));
	GEMP_TRY_DONE(GEMP_NEW(to, TRANSFER));
	for (int i = 0; i < TRANSFERS; i++) {
		timed began = clock_now();
		GEMP_TRY_DONE(gemp_readback_begin(&from, device, 0, TRANSFER));
		GEMP_TRY_DONE(gemp_readback_wait(&from));
		keep_least(&moved, began);
		began = clock_now();
		memcpy(to, from.host, TRANSFER);
		keep_least(&copied, began);
		GEMP_TRY_DONE(gemp_readback_end(&from, device));
	}
	*transfer = TRANSFER / moved.wall;
	*copy = TRANSFER / copied.wall;
done:
	gemp_readback_free(&from, device);
	gemp_free(to);
	return code;
}

static gemp_code measure(gemp_runtime *context, gemp_shard *graph, gemp_pattern *pattern, int repeat, size_t capacity)
{
	gemp_code code = GEMP_OK;
	const gemp_match_options options = {
		.listed = true, .limit = UINT64_MAX, .distinct = GEMP_BY_ORBIT, .replicate = GEMP_REPLICATE_AUTO
	};
	gemp_match *match = NULL;
	keeping k = { .vertices = (int)pattern->vertex_count };
	timed listed = { 0 }, kept = { 0 }, distinct = { 0 };
	double kernel = 0, ignored, transfer, copy;
	uint64_t classes = 0;
	GEMP_TRY_DONE(gemp_match_prepare(&match, context, graph, pattern, &options));
	GEMP_TRY_DONE(list(context, match, &k, repeat, &listed, &kernel));
	size_t rows = k.rows;
	k.capacity = repeat && k.rows < capacity ? k.rows : capacity;
	GEMP_TRY_DONE(GEMP_NEW(k.ids, k.capacity * (size_t)k.vertices));
	memset(k.ids, 1, k.capacity * (size_t)k.vertices * sizeof *k.ids);
	GEMP_TRY_DONE(list(context, match, &k, 1, &kept, &ignored));
	GEMP_TRY_DONE(deduplicate(context, &k, repeat ? repeat : 1, &distinct, &classes));
	GEMP_TRY_DONE(reference(context->device, &transfer, &copy));
	double bytes = (double)rows * k.vertices * sizeof(gemp_vertex);
	printf("{\"device\": \"%s\", \"threads\": %u, \"pattern\": \"%s\", \"rows\": %zu, \"bytes\": %.0f, "
	       "\"list_seconds\": %.6f, \"list_kernel\": %.6f, \"list_cpu\": %.6f, \"list_gbps\": %.3f, "
	       "\"list_rows_ps\": %.4g, "
	       "\"kept_rows\": %zu, \"kept_seconds\": %.6f, \"distinct_rows\": %zu, \"classes\": %llu, "
	       "\"distinct_seconds\": %.6f, \"distinct_cpu\": %.6f, \"transfer_gbps\": %.3f, \"memcpy_gbps\": %.3f}\n",
	       context->device->name, gemp_threads(), pattern->text ? pattern->text : "", rows, bytes, listed.wall, kernel,
	       listed.cpu, bytes / listed.wall * 1e-9, (double)rows / listed.wall, k.kept, kept.wall, k.kept,
	       (unsigned long long)classes, distinct.wall, distinct.cpu, transfer * 1e-9, copy * 1e-9);
done:
	gemp_free(k.ids);
	gemp_match_free(match);
	return code;
}

int main(int count, char **argument)
{
	gemp_code code = GEMP_OK;
	gemp_comm comm;
	gemp_runtime *context = NULL;
	gemp_shard *graph = NULL;
	gemp_pattern *pattern = NULL;
	int provided, repeat = count > 3 ? atoi(argument[3]) : 3;
	size_t capacity = count > 4 ? strtoull(argument[4], NULL, 10) : 100000000;
	if (count < 3) {
		fprintf(stderr, "usage: %s GRAPH PATTERN [REPEAT [KEPT]]\n", argument[0]);
		return GEMP_EUSAGE;
	}
	GEMP_MPI(MPI_Init_thread(&count, &argument, MPI_THREAD_FUNNELED, &provided));
	gemp_comm_new(&comm, MPI_COMM_WORLD);
	GEMP_TRY_DONE(runtime_with_devices(&context, &comm, NULL, &(gemp_budgets){ 0 }));
	GEMP_TRY_DONE(gemp_graph_file_open(&graph, &comm, argument[1], false));
	GEMP_TRY_DONE(gemp_pattern_named(&pattern, argument[2]));
	GEMP_TRY_DONE(gemp_pattern_bind(pattern, graph));
	code = measure(context, graph, pattern, repeat, capacity);
done:
	if (code != GEMP_OK)
		fprintf(stderr, "listing: %s\n", gemp_message());
	gemp_pattern_free(pattern);
	gemp_shard_free(graph);
	gemp_runtime_free(context);
	gemp_comm_free(&comm);
	MPI_Finalize();
	return (int)code;
}
