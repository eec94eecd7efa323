/* device_exchange: measures the exchange between the devices of all ranks, as a whole and in chunks of several sizes.
 *
 *     mpirun -n R bench_device_exchange [MIB [KIB...]]
 *
 * Each rank sends MIB mebibytes [256] evenly to the other ranks; KIB are sizes of chunks [1024 to 65536]. A line has
 * the chunk, the rate at which a rank sends (the best of RUNS, by the slowest rank), and of one more, traced run on
 * rank 0: its seconds, and the seconds in which chunks were read from the device, sent, and written to the device. If
 * their sum, divided by the seconds (`overlap`), exceeds 1, the transfers overlapped. */
#include "primitive/device_exchange.h"
#include "comm/comm.h"
#include "core/timer.h"
#include "device/open.h"
#include "gemp/status.h"
#include "harness/limits.h"

#include <stdio.h>
#include <stdlib.h>

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

/* Collective. Measures one size of chunks; 0: as a whole. */
static void measure(bench *b, size_t chunk)
{
	gemp_device_exchange *exchange;
	const size_t sent = b->bytes * (size_t)(b->comm.size - 1);
	double best = 1e9;
	TEST_LIMIT(device_exchange_chunks, chunk > 0);
	TEST_LIMIT(device_exchange_chunk, chunk ? chunk : 1);
	check(gemp_device_exchange_new(&exchange, &b->comm, b->device));
	for (int i = 0; i < RUNS; i++) {
		const double seconds = run(b, exchange);
		best = seconds < best ? seconds : best;
	}
	gemp_trace_start(MAX_SPANS);
	const double traced = run(b, exchange);
	const gemp_trace *trace = gemp_trace_end();
	const double download = gemp_trace_lane_times(trace, GEMP_LANE_DOWNLOAD).seconds;
	const double wire = gemp_trace_lane_times(trace, GEMP_LANE_WIRE).seconds;
	const double upload = gemp_trace_lane_times(trace, GEMP_LANE_UPLOAD).seconds;
	if (b->comm.rank == 0)
		printf("%9zu %8.0f %9.4f %9.4f %9.4f %9.4f %8.2f\n", chunk >> 10, (double)sent / best / 1e6, traced, download,
		       wire, upload, (download + wire + upload) / traced);
	gemp_trace_free();
	gemp_device_exchange_free(exchange);
}

int main(int argc, char **argv)
{
	static bench b;
	MPI_Init(&argc, &argv);
	gemp_comm_new(&b.comm, MPI_COMM_WORLD);
	const size_t mib = argc > 1 ? strtoul(argv[1], NULL, 10) : 256, others = (size_t)b.comm.size - 1;
	if (others == 0 || b.comm.size > MAX_RANKS) {
		fprintf(stderr, "device_exchange: start 2 to %d ranks\n", MAX_RANKS);
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	b.bytes = (mib << 20) / others / 4 * 4;
	check(gemp_device_open(&b.device, NULL, b.comm.node_rank, b.comm.node_size, 0));
	for (int r = 0; r < b.comm.size; r++)
		b.send[r] = r == b.comm.rank ? 0 : b.bytes / 4;
	check(gemp_buffer_new(&b.from, b.device, b.bytes * others, NULL));
	check(gemp_buffer_zero(b.device, &b.from, 0, b.from.size));
	if (b.comm.rank == 0)
		printf(
			"%d ranks, %d of them on the first node, %s, %zu MiB from each\nchunk KiB     MB/s   seconds  download      "
			"wire    upload  overlap\n",
			b.comm.size, b.comm.node_size, b.device->name, mib);
	measure(&b, 0);
	if (argc > 2)
		for (int i = 2; i < argc; i++)
			measure(&b, strtoul(argv[i], NULL, 10) << 10);
	for (size_t kib = 1024; argc <= 2 && kib <= 65536; kib *= 2)
		measure(&b, kib << 10);
	gemp_buffers_free(b.device, &b.from, &b.to);
	gemp_device_close(b.device);
	gemp_comm_free(&b.comm);
	MPI_Finalize();
	return 0;
}
