/* Summarises the times of runs, and prints them as a line of JSON. */
#include "comm/comm.h"
#include "gas_parts/ours.h"

#include "core/memory.h"
#include "core/status.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

gemp_code timing_new(timing *out, const bench *b)
{
	gemp_code code = GEMP_OK;
	*out = (timing){ 0 };
	GEMP_TRY_DONE(GEMP_NEW(out->wall, b->runs));
	GEMP_TRY_DONE(GEMP_NEW(out->device, b->runs));
	GEMP_TRY_DONE(GEMP_NEW(out->edges, b->runs));
	GEMP_TRY_DONE(GEMP_NEW(out->exchange, b->runs));
done:
	return code;
}

void timing_free(timing *t)
{
	gemp_free(t->wall);
	gemp_free(t->device);
	gemp_free(t->edges);
	gemp_free(t->exchange);
	*t = (timing){ 0 };
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double median(double *values, unsigned count)
{
	qsort(values, count, sizeof *values, by_value);
	return values[count / 2];
}

/* GTEPS of the prototypes on one NVIDIA H200, by the device's clock and by wall clock (0: unknown). */
static const struct {
	const char *name, *spec;
	double device, wall;
} experiments[] = {
	{ "bfs", "kron:19", 98, 37 },      { "bfs", "kron:21", 213, 141 },    { "bfs", "uniform:21", 146, 108 },
	{ "sssp", "kron:19", 18, 15 },     { "sssp", "kron:21", 27, 25.6 },   { "sssp", "uniform:21", 37.6, 33.2 },
	{ "pagerank", "kron:19", 200, 0 }, { "pagerank", "kron:21", 204, 0 }, { "pagerank", "uniform:21", 140, 0 },
	{ "spmv", "kron:19", 170, 0 },     { "spmv", "kron:21", 176, 0 },     { "spmv", "uniform:21", 125, 0 },
};

static void print_rates(const char *clock, double *seconds, double *rates, unsigned runs, double experiment)
{
	double rate = median(rates, runs);
	double middle = median(seconds, runs); /* median() also sorts `seconds` */
	printf(", \"%s\": {\"best_ms\": %.4f, \"median_ms\": %.4f, \"gteps\": %.4g", clock, 1e3 * seconds[0], 1e3 * middle,
	       rate);
	if (experiment > 0)
		printf(", \"of_experiment\": %.3f", rate / experiment);
	printf("}");
}

void timing_print(timing *t, const bench *b, const char *name)
{
	const uint64_t stored = b->graph.begin[b->graph.vertices];
	double by_device = 0, by_wall = 0, *rates;
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, t->wall, (int)b->runs, MPI_DOUBLE, MPI_MAX, b->comm.world));
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, t->device, (int)b->runs, MPI_DOUBLE, MPI_MAX, b->comm.world));
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, t->exchange, (int)b->runs, MPI_DOUBLE, MPI_MAX, b->comm.world));
	gemp_comm_sum(&b->comm, &t->traffic.bytes, 1);
	gemp_comm_sum(&b->comm, &t->traffic.messages, 1);
	if (b->comm.rank != 0 || GEMP_NEW(rates, b->runs) != GEMP_OK)
		return;
	for (size_t i = 0; i < sizeof experiments / sizeof *experiments; i++)
		if (b->device->nvidia && !strcmp(experiments[i].name, name) && !strcmp(experiments[i].spec, b->spec)) {
			by_device = experiments[i].device;
			by_wall = experiments[i].wall;
		}
	printf("{\"program\": \"ours\", \"name\": \"%s\", \"graph\": \"%s\", \"on\": \"%s\", \"ranks\": %d, \"vertices\": "
	       "%" PRIu32 ", \"stored\": %" PRIu64 ", \"runs\": %u",
	       name, b->spec, b->device->name, b->comm.size, b->graph.vertices, stored, b->runs);
	for (unsigned i = 0; i < b->runs; i++)
		rates[i] = 1e-9 * t->edges[i] / t->wall[i];
	print_rates("wall", t->wall, rates, b->runs, by_wall);
	for (unsigned i = 0; i < b->runs; i++)
		rates[i] = 1e-9 * t->edges[i] / t->device[i];
	print_rates("device", t->device, rates, b->runs, by_device);
	printf(", \"prepare_s\": {\"layout\": %.3f, \"engine\": %.3f, \"build\": %.3f}, \"rounds\": %.1f", t->layout,
	       t->prepare, t->build, (double)t->rounds / b->runs);
	if (t->along > 0)
		printf(", \"along_per_edge\": %.3f", t->along / b->runs / (double)stored);
	if (t->bytes > 0 && b->copy > 0)
		printf(", \"of_copy\": %.3f", t->bytes / t->device[b->runs / 2] / b->copy);
	if (t->exchange[0] > 0)
		printf(", \"exchange_ms\": %.4f", 1e3 * median(t->exchange, b->runs));
	if (b->comm.size > 1 && t->rounds > 0)
		printf(", \"bytes_per_edge_round\": %.4f, \"messages\": %" PRIu64,
		       (double)t->traffic.bytes / (double)stored / (double)t->rounds, t->traffic.messages);
	printf("}\n");
	for (int i = 0; b->beside && i < BESIDE_IDS; i++) {
		double *wall = b->beside->wall[i];
		printf("{\"program\": \"openmp\", \"name\": \"%s\", \"graph\": \"%s\", \"ids\": \"%s\"", name, b->spec,
		       beside_ids[i]);
		for (unsigned run = 0; run < b->runs; run++)
			rates[run] = 1e-9 * t->edges[run] / wall[run];
		print_rates("wall", wall, rates, b->runs, 0);
		printf("}\n");
	}
	fflush(stdout);
	gemp_free(rates);
}
