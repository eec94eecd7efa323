/* gas: measures bfs, sssp, pagerank and spmv on graphs that are made in memory or read from a file (gas_parts/graph.h).
 *     gas SPEC [-a bfs,sssp,pagerank,spmv] [-n RUNS] [-k ROUNDS] [-d DELTA] [-D DEVICES] [-L LAUNCHES]
 *              [-b] [-2] [-m] [-u] [-w] [-x]
 * Under mpirun all ranks share the work. pagerank and spmv print a line of JSON each. bfs and sssp print two: without
 * parents and with them. The fields by wall clock and by the device's clock are:
 *   best_ms, median_ms: of RUNS runs. Each run of bfs and sssp has its own source; each run of pagerank and
 *                       spmv has the same ROUNDS iterations.
 *   gteps: the median of the runs' edges per second, in 10^9. All stored directed edges count; for bfs each undirected
 *          edge of the source's component counts once.
 *   of_experiment: on NVIDIA devices, gteps relative to a prototype on one NVIDIA H200, for the graphs of timing.c.
 * On several ranks there is exchange_ms, the part of wall in which ranks exchange or wait for each other.
 * pagerank and spmv also have of_copy: the bytes that must move, relative to the bytes that a copy moves in the same
 * time. The first search warms up and is not measured. The answer of the last run is checked; for spmv, an additional
 * product.
 *   -b: on one rank, the plain OpenMP program runs alternately with ours, with unchanged ids and with ids by degree.
 *   -2: pagerank and spmv run alternately with edges cut by target and with edges on a grid of ranks.
 *   -L: launches of sssp between two exchanges of several ranks.
 *   -u: answers are not checked.
 *   -w: weak scaling: each doubling of the ranks adds 1 to the scale of SPEC.
 *   -m: ranks of one node exchange by MPI messages, as ranks of different nodes do.
 *   -x: a CPU device packs messages with kernels, as a GPU does. */
#include "comm/comm.h"
#include "core/memory.h"
#include "core/status.h"
#include "device/open.h"
#include "gas_parts/check.h"
#include "gas_parts/ours.h"
#include "harness/limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static gemp_code run_all(bench *b, const char *names)
{
	static const struct {
		const char *name;
		gemp_code (*run)(bench *b);
	} all[] = { { "bfs", ours_bfs }, { "sssp", ours_sssp }, { "pagerank", ours_pagerank }, { "spmv", ours_spmv } };
	gemp_code code = GEMP_OK;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (strstr(names, all[i].name))
			GEMP_TRY_DONE(all[i].run(b));
done:
	return code;
}

/* Writes NAME:SCALE, followed by the rest of the spec, with a scale that fits the number of ranks. Any other spec is
 * returned as it is. */
static const char *grown(const char *spec, int ranks, char *out, size_t capacity)
{
	const char *colon = strchr(spec, ':');
	char *rest;
	if (!colon)
		return spec;
	long scale = strtol(colon + 1, &rest, 10);
	for (; ranks > 1; ranks = (ranks + 1) / 2)
		scale++;
	snprintf(out, capacity, "%.*s:%ld%s", (int)(colon - spec), spec, scale, rest);
	return out;
}

int main(int argc, char **argv)
{
	gemp_code code = GEMP_OK;
	bench b = { .runs = 8, .rounds = 20 };
	const char *names = "bfs,sssp,pagerank,spmv", *devices = NULL;
	gemp_rates rates = { 0 };
	uint8_t *weight = NULL;
	int option, rank = 0;
	bool in_turns = false, weak = false;
	char larger[64];
	MPI_Init(&argc, &argv);
	gemp_comm_new(&b.comm, MPI_COMM_WORLD);
	gemp_comm_share_cores(&b.comm);
	rank = b.comm.rank;
	while ((option = getopt(argc, argv, "a:n:k:d:D:L:b2muwx")) != -1)
		switch (option) {
		case 'a': names = optarg; break;
		case 'n': b.runs = (unsigned)atoi(optarg); break;
		case 'k': b.rounds = (unsigned)atoi(optarg); break;
		case 'd': b.delta = (uint32_t)atoi(optarg); break;
		case 'D': devices = optarg; break;
		case 'L': b.batch = (uint32_t)atoi(optarg); break;
		case 'u': b.unchecked = true; break;
		case 'w': weak = true; break;
		case 'b': in_turns = true; break;
		case '2': b.grid = true; break;
		case 'm': TEST_LIMIT(halo_shared, 0); break;
		case 'x': TEST_LIMIT(halo_kernels, 1); break;
		default: code = GEMP_EUSAGE;
		}
	if (code != GEMP_OK || optind + 1 != argc || b.runs < 1 || b.rounds < 1)
		GEMP_TRY_DONE(gemp_fail(GEMP_EUSAGE, "gas SPEC [-a bfs,sssp,pagerank,spmv] [-n RUNS] [-k ROUNDS] [-d DELTA] "
		                                     "[-D DEVICES] [-L LAUNCHES] [-b] [-2] [-m] [-u] [-w] [-x]"));
	b.spec = weak ? grown(argv[optind], b.comm.size, larger, sizeof larger) : argv[optind];
	GEMP_TRY_DONE(graph_new(&b.graph, b.spec, false));
	if (b.graph.begin[b.graph.vertices] == 0)
		GEMP_TRY_DONE(gemp_fail(GEMP_EDATA, "%s has no edges", b.spec));
	GEMP_TRY_DONE(graph_weights(&weight, &b.graph));
	b.weight = weight;
	if (in_turns && b.comm.size == 1)
		GEMP_TRY_DONE(beside_new(&b.beside, b.spec, b.runs, BESIDE_DELTA));
	GEMP_TRY_DONE(gemp_device_open(&b.device, devices, b.comm.node_rank, b.comm.node_size, 0));
	GEMP_TRY_DONE(gemp_device_rates(b.device, &rates));
	b.copy = rates.copy;
	GEMP_TRY_DONE(run_all(&b, names));
done:
	if (code != GEMP_OK)
		fprintf(stderr, "rank %d: %s\n", rank, gemp_message());
	gemp_device_close(b.device);
	beside_free(b.beside);
	graph_free(&b.graph);
	gemp_free(weight);
	gemp_comm_free(&b.comm);
	if (code != GEMP_OK)
		MPI_Abort(MPI_COMM_WORLD, (int)code);
	MPI_Finalize();
	return 0;
}
