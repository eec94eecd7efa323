/* gas_dense: measures pagerank and spmv on one graph of gas_parts/graph.h in several launch shapes, to find the best
 * shape for a device. GEMP_DEVICES selects the device.
 *     gas_dense SPEC ROUNDS SHAPE...
 * A SHAPE is "-" for the default, or a list such as "group=128,groups=16" of fields of gemp_dense_pull_shape. The list
 * may also contain `binned`, `twofold=1` (double precision), and `form=1` (rows by work-groups) or `form=3` (rows by
 * work-items). Each shape prints a line for pagerank and a line for spmv: milliseconds and GTEPS of a round by the
 * device's clock and by wall clock, the best of three runs of ROUNDS rounds. */
#include "analytics/dense/dense.h"
#include "analytics/dense/pagerank.h"
#include "analytics/dense/spmv.h"
#include "analytics/layout/layout.h"
#include "comm/comm.h"
#include "core/memory.h"
#include "core/status.h"
#include "device/device.h"
#include "device/open.h"
#include "gas_parts/check.h"
#include "gas_parts/in_memory.h"
#include "graph/graph.h"
#include "primitive/toolbox.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 3 };

typedef struct best {
	double device, wall, build, prepare;
} best;

static void keep(best *b, const gemp_dense_report *report)
{
	double device = (report->own + report->ghost) / report->rounds, wall = report->wall / report->rounds;
	b->device = b->device > 0 && b->device < device ? b->device : device;
	b->wall = b->wall > 0 && b->wall < wall ? b->wall : wall;
	b->build = report->build;
	b->prepare = report->prepare;
}

static void print(const char *what, const char *shape, const best *b, const gemp_layout *layout, const char *more)
{
	double edges = (double)layout->edges * 1e-9;
	printf("%-8s %-40s device %8.4f ms %7.2f GTEPS  wall %8.4f ms %7.2f GTEPS  prepare %.3f build %.2f s%s\n", what,
	       shape, 1e3 * b->device, edges / b->device, 1e3 * b->wall, edges / b->wall, b->prepare, b->build, more);
	fflush(stdout);
}

static gemp_code parse(gemp_dense_options *out, const char *text)
{
	const struct {
		const char *name;
		uint32_t *value;
	} names[] = { { "group=", &out->shape.group },
		          { "groups=", &out->shape.groups },
		          { "slice=", &out->shape.slice },
		          { "middle=", &out->shape.middle },
		          { "middle_lanes=", &out->shape.middle_lanes },
		          { "lanes=", &out->shape.lanes },
		          { "block=", &out->shape.block },
		          { "range=", &out->shape.range },
		          { "tile=", &out->shape.tile } };
	char copy[256], *rest = copy;
	snprintf(copy, sizeof copy, "%s", text);
	for (char *part; (part = strsep(&rest, ",")) != NULL;) {
		bool known = strcmp(part, "-") == 0;
		for (size_t i = 0; i < sizeof names / sizeof *names; i++)
			if (strncmp(part, names[i].name, strlen(names[i].name)) == 0) {
				*names[i].value = (uint32_t)atoi(part + strlen(names[i].name));
				known = true;
			}
		if (strcmp(part, "binned") == 0) {
			out->gather = GEMP_GATHER_BINNED;
			known = true;
		}
		if (strncmp(part, "twofold=", 8) == 0)
			out->fp64 = known = true;
		if (strncmp(part, "form=", 5) == 0)
			known = (out->form = (gemp_form)atoi(part + 5)) != GEMP_FORM_AUTO;
		if (!known)
			return gemp_fail(GEMP_EUSAGE, "no shape has '%s'", part);
	}
	return GEMP_OK;
}

static gemp_code time_pagerank(const gemp_layout *layout, gemp_device *device, uint32_t rounds, const char *text)
{
	gemp_code code = GEMP_OK;
	gemp_dense_options options = { 0 };
	gemp_pagerank *it = NULL;
	gemp_pagerank_result r = { 0 };
	best b = { 0 };
	char more[64];
	double sum = 0;
	GEMP_TRY_DONE(parse(&options, text));
	GEMP_TRY_DONE(gemp_pagerank_new(&it, layout, device, &options));
	for (int run = 0; run <= RUNS; run++) {
		gemp_pagerank_result_free(&r);
		GEMP_TRY_DONE(gemp_pagerank_run(it, &(gemp_pagerank_params){ .85, 0, rounds, NULL }, &r));
		if (run)
			keep(&b, &r.report);
	}
	for (uint32_t v = 0; v < layout->own; v++)
		sum += r.rank[v];
	snprintf(more, sizeof more, "  sum %.7f change %.3g", sum, r.change[rounds - 1]);
	print("pagerank", text, &b, layout, more);
done:
	gemp_pagerank_result_free(&r);
	gemp_pagerank_free(it);
	return code;
}

static gemp_code time_spmv(const gemp_layout *layout, gemp_device *device, uint32_t rounds, const char *text)
{
	gemp_code code = GEMP_OK;
	gemp_dense_options options = { 0 };
	gemp_spmv *it = NULL;
	gemp_spmv_result r = { 0 };
	best b = { 0 };
	GEMP_TRY_DONE(parse(&options, text));
	GEMP_TRY_DONE(gemp_spmv_new(&it, layout, device, &options));
	for (int run = 0; run <= RUNS; run++) {
		gemp_spmv_result_free(&r);
		GEMP_TRY_DONE(gemp_spmv_run(it, &(gemp_spmv_params){ NULL, rounds, true }, &r));
		if (run)
			keep(&b, &r.report);
	}
	print("spmv", text, &b, layout, "");
done:
	gemp_spmv_result_free(&r);
	gemp_spmv_free(it);
	return code;
}

int main(int argc, char **argv)
{
	gemp_code code = GEMP_OK;
	gemp_comm comm;
	graph made = { 0 };
	uint8_t *weight = NULL;
	gemp_shard *graph = NULL;
	gemp_device *device = NULL;
	gemp_layout plain = { 0 }, weighted = { 0 };
	MPI_Init(&argc, &argv);
	gemp_comm_new(&comm, MPI_COMM_WORLD);
	if (argc < 4)
		GEMP_TRY_DONE(gemp_fail(GEMP_EUSAGE, "gas_dense SPEC ROUNDS SHAPE..."));
	uint32_t rounds = (uint32_t)atoi(argv[2]);
	GEMP_TRY_DONE(gemp_device_open(&device, getenv("GEMP_DEVICES"), comm.node_rank, comm.node_size, 0));
	GEMP_TRY_DONE(graph_new(&made, argv[1], false));
	GEMP_TRY_DONE(graph_weights(&weight, &made));
	GEMP_TRY_DONE(graph_in_memory(&graph, &comm, &made, weight));
	GEMP_TRY_DONE(gemp_layout_new(&plain, &comm, graph, &(gemp_layout_options){ .parts = GEMP_LAYOUT_IN }));
	GEMP_TRY_DONE(gemp_layout_new(
		&weighted, &comm, graph,
		&(gemp_layout_options){ .parts = GEMP_LAYOUT_IN, .weight = "weight", .wanted = GEMP_LAYOUT_SINGLE }));
	printf("%s: %u vertices, %llu edges, %s\n", argv[1], plain.own, (unsigned long long)plain.edges, device->name);
	for (int i = 3; i < argc; i++) {
		GEMP_TRY_DONE(time_pagerank(&plain, device, rounds, argv[i]));
		GEMP_TRY_DONE(time_spmv(&weighted, device, rounds, argv[i]));
	}
done:
	if (code != GEMP_OK)
		fprintf(stderr, "%s\n", gemp_message());
	gemp_layout_free(&plain);
	gemp_layout_free(&weighted);
	gemp_shard_free(graph);
	gemp_free(weight);
	graph_free(&made);
	gemp_device_close(device);
	gemp_comm_free(&comm);
	MPI_Finalize();
	return (int)code;
}
