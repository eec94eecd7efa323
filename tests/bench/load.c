/* load: measures the time of reading the edges of a graph file, compared with read(2) of the same number of bytes of
 * the file. The file has one relation, E, with rows by source and by target.
 *     mpirun -n N load G.h5 [cold]
 * Prints one line of JSON: seconds of the slowest rank and MB/s of three ways of reading, and for two of them the time
 * of `plain` divided by theirs. `plain`: read(2), each rank its part. `datasets`: our reading of three datasets of
 * edges without checksums. `load`: loading the graph, with checksums and checks; its MB/s counts only the bytes of the
 * three datasets. Each way reads into newly allocated memory, and the best of four runs counts. cold: each way runs
 * once, after the file was dropped from the page cache. */
#include "comm/comm.h"
#include "core/memory.h"
#include "core/status.h"
#include "core/timer.h"
#include "graph/graph.h"
#include "io/graph_file/graph_file_read.h"
#include "io/hdf5/hdf5_dataset.h"
#include "io/hdf5/hdf5_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { READ_BYTES = 8 << 20 };

static double slowest(const gemp_comm *comm, double seconds)
{
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, comm->world));
	return seconds;
}

static void forget(const gemp_comm *comm, const char *path, bool cold)
{
	int file = open(path, O_RDONLY);
	if (cold && comm->rank == 0 && file >= 0 && fsync(file) == 0)
		posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
	close(file);
	GEMP_MPI(MPI_Barrier(comm->world));
}

typedef double way(const gemp_comm *comm, const char *path, uint64_t *bytes);

/* Each rank reads its part of *bytes bytes that start 1 MiB after the beginning of the file. */
static double read_plainly(const gemp_comm *comm, const char *path, uint64_t *bytes)
{
	gemp_block_range range = gemp_comm_block(comm, *bytes);
	char *buffer = calloc(1, range.end - range.begin + 1);
	int file = open(path, O_RDONLY);
	double since = gemp_now();
	for (uint64_t at = range.begin; at < range.end; at += READ_BYTES) {
		uint64_t left = range.end - at;
		if (pread(file, buffer + at - range.begin, left < READ_BYTES ? left : READ_BYTES, (off_t)((1 << 20) + at)) <= 0)
			break;
	}
	double seconds = gemp_now() - since;
	close(file);
	free(buffer);
	return seconds;
}

static double read_datasets(const gemp_comm *comm, const char *path, uint64_t *bytes)
{
	static const char *const names[] = { "/edges/E/csr/indices_1", "/edges/E/csc/indices_1", "/edges/E/csc/edge" };
	gemp_h5 h5 = { 0 };
	double since = gemp_now();
	gemp_code code = gemp_h5_open(&h5, comm, path, false);
	*bytes = 0;
	for (int i = 0; i < 3 && code == GEMP_OK; i++) {
		gemp_h5_type type;
		uint64_t total;
		void *data = NULL;
		code = gemp_h5_info(&h5, names[i], &type, &total);
		gemp_block_range range = gemp_comm_block(comm, total);
		if (code == GEMP_OK)
			data = gemp_calloc(range.end - range.begin, type.size);
		if (data)
			code = gemp_h5_read(&h5, GEMP_OK, names[i], type, range.begin, range.end - range.begin, 0, data);
		*bytes += total * type.size;
		gemp_free(data);
	}
	if (code != GEMP_OK)
		fprintf(stderr, "%s\n", gemp_message());
	gemp_h5_close(&h5);
	return gemp_now() - since;
}

static double load(const gemp_comm *comm, const char *path, uint64_t *bytes)
{
	gemp_shard *graph = NULL;
	(void)bytes;
	double since = gemp_now();
	gemp_code code = gemp_graph_file_open(&graph, comm, path, false);
	for (size_t r = 0; code == GEMP_OK && r < graph->relation_count; r++)
		code = gemp_shard_load_relation(graph, r, GEMP_LOAD_OUT | GEMP_LOAD_IN | GEMP_LOAD_IN_EDGES);
	double seconds = gemp_now() - since;
	if (code != GEMP_OK)
		fprintf(stderr, "%s\n", gemp_message());
	gemp_shard_free(graph);
	return seconds;
}

static double best(const gemp_comm *comm, way *way, const char *path, bool cold, uint64_t *bytes)
{
	double least = 0;
	for (int run = 0; run < (cold ? 1 : 4); run++) {
		forget(comm, path, cold);
		double seconds = slowest(comm, way(comm, path, bytes));
		if (!run || seconds < least)
			least = seconds;
	}
	return least;
}

int main(int argc, char **argv)
{
	gemp_comm comm;
	uint64_t bytes = 0;
	MPI_Init(&argc, &argv);
	gemp_comm_new(&comm, MPI_COMM_WORLD);
	gemp_comm_share_cores(&comm);
	if (argc < 2)
		return fprintf(stderr, "usage: load G.h5 [cold]\n"), 2;
	bool cold = argc > 2 && strcmp(argv[2], "cold") == 0;
	double datasets = best(&comm, read_datasets, argv[1], cold, &bytes);
	double plain = best(&comm, read_plainly, argv[1], cold, &bytes);
	double loaded = best(&comm, load, argv[1], cold, &bytes), mb = (double)bytes / 1e6;
	if (comm.rank == 0)
		printf(
			"{\"ranks\": %d, \"cache\": \"%s\", \"mb\": %.0f, \"plain_s\": %.3f, \"plain_mb_s\": %.0f, \"datasets_s\": %.3f, "
			"\"datasets_mb_s\": %.0f, \"datasets_share\": %.2f, \"load_s\": %.3f, \"load_mb_s\": %.0f, \"load_share\": %.2f}\n",
			comm.size, cold ? "cold" : "warm", mb, plain, mb / plain, datasets, mb / datasets, plain / datasets, loaded,
			mb / loaded, plain / loaded);
	gemp_comm_free(&comm);
	MPI_Finalize();
	return 0;
}
