/* transfers: measures uploads and downloads of large arrays (device/transfer) with pieces and lanes of several sizes.
 *
 *     bench_transfers [MILLIONS [THREADS...]]
 *
 * MILLIONS [160] numbers of 32 bits are copied, with all threads of the host or with THREADS. A line has the bytes of a
 * piece, the lanes, and GB/s of the device's copy: of an upload, of a download, and of a download to numbers of 64
 * bits, all of mapped memory, the best of RUNS; then the milliseconds of a first upload, which locks the lanes. */
#include "core/memory.h"
#include "core/pages.h"
#include "core/threads.h"
#include "core/timer.h"
#include "device/open.h"
#include "device/staging.h"
#include "device/transfer.h"
#include "harness/limits.h"

#include <stdio.h>
#include <stdlib.h>

enum { RUNS = 4 };

static void check(gemp_code code)
{
	if (code == GEMP_OK)
		return;
	fprintf(stderr, "%s\n", gemp_message());
	exit(1);
}

typedef struct bench {
	gemp_device *device;
	gemp_buffer buffer;
	gemp_transfer_numbers narrow, wide;
	size_t count;
} bench;

static double run(bench *b, int kind)
{
	const double since = gemp_now();
	if (kind == 0)
		check(gemp_transfer_upload(b->device, &b->buffer, b->narrow, b->count));
	else
		check(gemp_transfer_download(b->device, &b->buffer, 0, kind == 1 ? b->narrow : b->wide, b->count));
	return gemp_now() - since;
}

static void measure(bench *b, size_t piece, size_t lanes)
{
	double best[3] = { 1e9, 1e9, 1e9 };
	TEST_LIMIT(transfer_chunk, piece);
	TEST_LIMIT(transfer_lanes, lanes);
	gemp_pinned_free_pool(b->device);
	const double first = run(b, 0);
	for (int i = 0; i < RUNS; i++)
		for (int kind = 0; kind < 3; kind++) {
			const double seconds = run(b, kind);
			best[kind] = seconds < best[kind] ? seconds : best[kind];
		}
	const double gb = (double)b->count * 4e-9;
	printf(
		"%2u threads, piece %5zu KiB, %2zu lanes: up %5.1f GB/s, down %5.1f, down to 64 bits %5.1f; first upload %.1f ms\n",
		gemp_threads(), piece >> 10, lanes, gb / best[0], gb / best[1], gb / best[2], 1e3 * first);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	bench b = { .count = (size_t)(argc > 1 ? atoi(argv[1]) : 160) * 1000000 };
	check(gemp_device_open(&b.device, NULL, 0, 1, 0));
	check(gemp_buffer_new(&b.buffer, b.device, b.count * 4, NULL));
	check(gemp_new_all(GEMP_ARRAY(b.narrow.narrow, b.count), GEMP_ARRAY(b.wide.wide, b.count)));
	gemp_touch_pages(b.narrow.narrow, b.count * 4);
	gemp_touch_pages(b.wide.wide, b.count * 8);
	for (int t = 2; t < argc || t == 2; t++) {
		static const size_t lanes[] = { 4, 8, 16 };
		gemp_threads_limit(t < argc ? (unsigned)atoi(argv[t]) : 0);
		for (size_t piece = 1 << 20; piece <= 8 << 20; piece *= 2)
			for (size_t i = 0; i < 3; i++)
				measure(&b, piece, lanes[i]);
	}
	gemp_free_all(b.narrow.narrow, b.wide.wide);
	gemp_buffer_free(&b.buffer, b.device);
	gemp_device_close(b.device);
	return 0;
}
