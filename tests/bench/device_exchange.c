/* device_exchange: measures the exchange between the devices of all ranks: as a whole, in chunks of several sizes
 * through the host, and from device to device.
 *
 *     mpirun -n R bench_device_exchange [MIB [WAY [KIB...]]]
 *
 * Each rank sends MIB mebibytes [256] evenly to the other ranks. WAY is whole, host, peer or all [all]; KIB are sizes
 * of chunks [host: 1024 to 65536, peer: 16384 to 131072]. A line has the way, the chunk, the milliseconds of the first
 * exchange, the rate at which a rank sends (the best of RUNS, by the slowest rank), and of one more, traced run on
 * rank 0: its seconds, and the seconds in which chunks were read from the device, sent, and written to the device. If
 * their sum, divided by the seconds (`overlap`), exceeds 1, the transfers overlapped. Each exchange sends other words,
 * and the words received by the last one are checked. */
#include "primitive/device_exchange.h"
#include "comm/comm.h"
#include "core/log.h"
#include "core/timer.h"
#include "device/cuda.h"
#include "device/open.h"
#include "gemp/status.h"
#include "harness/limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 4, MAX_RANKS = 1024, MAX_SPANS = 1000000 };

typedef struct bench {
	gemp_comm comm;
	gemp_device *device;
	gemp_buffer from, to;
	uint64_t send[MAX_RANKS], received[MAX_RANKS];
	size_t bytes; /* that a rank sends to each other rank */
} bench;

static void check(gemp_code code)
{
	if (code == GEMP_OK)
		return;
	fprintf(stderr, "%s\n", gemp_message());
	MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Collective. Returns the seconds of the slowest rank. */
static double run(bench *b, gemp_device_exchange *exchange)
{
	GEMP_MPI(MPI_Barrier(b->comm.world));
	double seconds = gemp_now();
	check(gemp_device_exchange_run(exchange, GEMP_OK, &b->from, b->send, 4, &b->to, b->received));
	seconds = gemp_now() - seconds;
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, b->comm.world));
	return seconds;
}

/* The word at a position of the elements from one rank to another. */
static uint32_t word_of(int source, int target, size_t i)
{
	return (uint32_t)(i * 2654435761u) ^ (uint32_t)source << 28 ^ (uint32_t)target << 20;
}

/* Fills the elements to send, or compares those that have arrived. */
static void visit(bench *b, bool fill)
{
	const size_t words = b->bytes / 4;
	uint32_t *block = malloc(b->bytes + 4);
	size_t at = 0;
	for (int r = 0; r < b->comm.size; r++) {
		if (r == b->comm.rank)
			continue;
		if (!fill)
			check(gemp_buffer_read(b->device, &b->to, at, b->bytes, block));
		for (size_t i = 0; i < words; i++) {
			const uint32_t word = fill ? word_of(b->comm.rank, r, i) : word_of(r, b->comm.rank, i);
			if (fill)
				block[i] = word;
			else if (block[i] != word)
				check(gemp_fail(GEMP_EINTERNAL, "rank %d: word %zu from rank %d is wrong", b->comm.rank, i, r));
		}
		if (fill)
			check(gemp_buffer_write(b->device, &b->from, at, b->bytes, block));
		at += b->bytes;
	}
	free(block);
}

static const char *const way_names[] = { "whole", "host", "peer" };
enum { WHOLE, HOST, PEER, WAYS };

/* Collective. Measures one way with one size of chunks. */
static void measure(bench *b, int way, size_t chunk)
{
	gemp_device_exchange *exchange;
	const size_t sent = b->bytes * (size_t)(b->comm.size - 1);
	double best = 1e9, first = 0;
	TEST_LIMIT(device_exchange_chunks, way != WHOLE);
	TEST_LIMIT(device_exchange_chunk, chunk ? chunk : 1);
	TEST_LIMIT(device_exchange_peer, way == PEER);
	TEST_LIMIT(peer_exchange_min, 0);
	TEST_LIMIT(peer_exchange_start, 0);
	TEST_LIMIT(peer_exchange_chunk, chunk ? chunk : 1);
	check(gemp_device_exchange_new(&exchange, &b->comm, b->device));
	check(gemp_buffer_zero(b->device, &b->to, 0, b->to.size));
	for (int i = 0; i < RUNS; i++) {
		const double seconds = run(b, exchange);
		first = i ? first : seconds;
		best = seconds < best ? seconds : best;
	}
	gemp_trace_start(MAX_SPANS);
	const double traced = run(b, exchange);
	const gemp_trace *trace = gemp_trace_end();
	const double download = gemp_trace_lane_times(trace, GEMP_LANE_DOWNLOAD).seconds;
	const double wire = gemp_trace_lane_times(trace, GEMP_LANE_WIRE).seconds;
	const double upload = gemp_trace_lane_times(trace, GEMP_LANE_UPLOAD).seconds;
	if (b->comm.rank == 0)
		printf("%-5s %9zu %8.1f %8.0f %9.4f %9.4f %9.4f %9.4f %8.2f\n", way_names[way], chunk >> 10, first * 1e3,
		       (double)sent / best / 1e6, traced, download, wire, upload, (download + wire + upload) / traced);
	fflush(stdout);
	gemp_trace_free();
	visit(b, false);
	gemp_device_exchange_free(exchange);
}

/* Collective. */
static void measure_way(bench *b, int way, int count, char **sizes)
{
	const size_t least = way == HOST ? 1024 : 16384, most = way == HOST ? 65536 : 131072;
	if (way == WHOLE)
		measure(b, way, 0);
	for (int i = 0; way != WHOLE && i < count; i++)
		measure(b, way, strtoul(sizes[i], NULL, 10) << 10);
	for (size_t kib = least; way != WHOLE && count <= 0 && kib <= most; kib *= 2)
		measure(b, way, kib << 10);
}

static void say(void *self, gemp_verbosity level, bool warning, int rank, const char *message)
{
	(void)self;
	(void)level;
	(void)warning;
	(void)rank;
	fputs(message, stdout);
}

int main(int argc, char **argv)
{
	static bench b;
	MPI_Init(&argc, &argv);
	gemp_comm_new(&b.comm, MPI_COMM_WORLD);
	gemp_log_setup(b.comm.rank, GEMP_VERBOSE, say, NULL, NULL);
	const size_t mib = argc > 1 ? strtoul(argv[1], NULL, 10) : 256, others = (size_t)b.comm.size - 1;
	const char *chosen = argc > 2 ? argv[2] : "all";
	if (others == 0 || b.comm.size > MAX_RANKS) {
		fprintf(stderr, "device_exchange: start 2 to %d ranks\n", MAX_RANKS);
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	b.bytes = (mib << 20) / others / 4 * 4;
	check(gemp_device_open(&b.device, NULL, b.comm.node_rank, b.comm.node_size, 0));
	for (int r = 0; r < b.comm.size; r++)
		b.send[r] = r == b.comm.rank ? 0 : b.bytes / 4;
	check(gemp_buffer_new(&b.from, b.device, b.bytes * others, NULL));
	check(gemp_buffer_new(&b.to, b.device, b.bytes * others, NULL));
	visit(&b, true);
	if (b.comm.rank == 0)
		printf(
			"%d ranks, %d of them on the first node, %s, %zu MiB from each\nway   chunk KiB first ms     MB/s   seconds  "
			"download      wire    upload  overlap\n",
			b.comm.size, b.comm.node_size, b.device->name, mib);
	gemp_cuda_preload();
	gemp_cuda_wait();
	for (int way = 0; way < WAYS; way++)
		if (strcmp(chosen, "all") == 0 || strcmp(chosen, way_names[way]) == 0)
			measure_way(&b, way, argc - 3, argv + 3);
	gemp_buffers_free(b.device, &b.from, &b.to);
	gemp_device_close(b.device);
	gemp_comm_free(&b.comm);
	MPI_Finalize();
	return 0;
}
