/* Shared by the tests of PageRank and SpMV on one device: random layouts of one rank, and the kernel forms and shapes
 * to try. The layouts are made without src/analytics/layout/layout_build.c, so its errors cannot hide errors of the
 * kernels. */
#ifndef GEMP_TESTS_GAS_DENSE_CASE_H
#define GEMP_TESTS_GAS_DENSE_CASE_H

#include "core/memory.h"
#include "harness/harness.h"

#include "analytics/dense/dense.h"
#include "analytics/layout/layout.h"
#include "comm/comm.h"
#include "core/random.h"
#include "core/status.h"
#include "device/device.h"
#include "device/open.h"
#include "primitive/toolbox.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static gemp_device *device;
static gemp_comm comm;
static uint64_t no_edges[1];
static const gemp_layout_rows no_rows = { .begin = no_edges };

/* A random weighted graph as a list of edges and as a layout. */
typedef struct dense_case {
	uint32_t vertices;
	size_t edges;
	uint32_t *source, *target;
	double *weight;
	gemp_layout layout;
} dense_case;

/* Builds the layout's rows by target from the list of edges. */
static void case_rows(dense_case *c, gemp_layout_weights weights)
{
	gemp_layout_rows *in = &c->layout.in;
	size_t size = weights == GEMP_LAYOUT_F64 ? sizeof(double) : sizeof(float);
	*in = (gemp_layout_rows){ c->vertices, gemp_calloc(c->vertices + 2, sizeof *in->begin), gemp_calloc(c->edges, 4),
		                      weights ? gemp_calloc(c->edges, size) : NULL };
	for (size_t e = 0; e < c->edges; e++)
		in->begin[c->target[e] + 2]++;
	for (uint32_t v = 0; v < c->vertices; v++)
		in->begin[v + 2] += in->begin[v + 1];
	for (size_t e = 0; e < c->edges; e++) {
		uint64_t place = in->begin[c->target[e] + 1]++;
		in->end[place] = c->source[e];
		if (weights == GEMP_LAYOUT_F64)
			((double *)in->weight)[place] = c->weight[e];
		else if (weights == GEMP_LAYOUT_F32)
			((float *)in->weight)[place] = (float)c->weight[e];
		else if (weights == GEMP_LAYOUT_U32)
			((uint32_t *)in->weight)[place] = (uint32_t)c->weight[e];
	}
}

/* hubs: all but every `hubs`-th edge lead to one of the first three vertices; with 0 all targets are random. dangling:
 * vertices v with v % dangling == 1 have no out-edge; with 0 every vertex may have out-edges. */
static dense_case case_new(uint32_t vertices, size_t edges, unsigned hubs, unsigned dangling,
                           gemp_layout_weights weights, uint64_t *seed)
{
	dense_case c = { .vertices = vertices, .edges = vertices ? edges : 0 };
	c.source = gemp_calloc(c.edges, sizeof *c.source);
	c.target = gemp_calloc(c.edges, sizeof *c.target);
	c.weight = gemp_calloc(c.edges, sizeof *c.weight);
	c.layout = (gemp_layout){ .comm = &comm,
		                      .vertices = vertices,
		                      .edges = c.edges,
		                      .own = vertices,
		                      .known = vertices,
		                      .weights = weights,
		                      .in_ghost = no_rows };
	c.layout.out_degree = gemp_calloc(vertices, sizeof *c.layout.out_degree);
	c.layout.out_weight = weights ? gemp_calloc(vertices, sizeof *c.layout.out_weight) : NULL;
	for (size_t e = 0; e < c.edges; e++) {
		do
			c.source[e] = (uint32_t)gemp_random_below(seed, vertices);
		while (dangling && vertices > 1 && c.source[e] % dangling == 1);
		c.target[e] = (uint32_t)gemp_random_below(seed, hubs && e % hubs ? (vertices < 3 ? vertices : 3) : vertices);
		if (e % 16 == 5) { /* makes parallel edges and loops */
			c.source[e] = c.source[e - 1];
			c.target[e] = e % 32 == 5 ? c.target[e - 1] : c.source[e];
		}
		c.weight[e] = weights ? (double)gemp_random_below(seed, 256) : 1;
		c.layout.max_weight = fmax(c.layout.max_weight, c.weight[e]);
		c.layout.out_degree[c.source[e]]++;
		if (weights)
			c.layout.out_weight[c.source[e]] += c.weight[e];
	}
	case_rows(&c, weights);
	return c;
}

static void case_free(dense_case *c)
{
	void *blocks[] = { c->source,
		               c->target,
		               c->weight,
		               c->layout.in.begin,
		               c->layout.in.end,
		               c->layout.in.weight,
		               c->layout.out_degree,
		               c->layout.out_weight };
	for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
		gemp_free(blocks[i]);
}

/* Forms and shapes of the kernels: by items and in groups, with tiny slices, with every row as a hub or as a middle
 * row, with the tuned shape, with few groups that take many tasks each, and with binned gathering. */
static const gemp_dense_options ways[] = {
	{ .form = GEMP_FORM_ITEMS },
	{ .form = GEMP_FORM_ITEMS, .shape = { .slice = 3, .block = 1 } },
	{ .form = GEMP_FORM_ITEMS, .shape = { .slice = 1, .block = 50 } },
	{ .form = GEMP_FORM_GROUPS, .shape = { .lanes = 4 } },
	{ .form = GEMP_FORM_GROUPS, .shape = { .lanes = 4, .slice = 40, .middle = 5 } },
	{ .form = GEMP_FORM_GROUPS, .shape = { .lanes = 4, .slice = 1, .groups = 1 } },
	{ .form = GEMP_FORM_GROUPS, .shape = { .lanes = 4, .slice = 5000000, .middle = 1, .groups = 1 } },
	{ .form = GEMP_FORM_GROUPS, .shape = { .lanes = 4, .slice = 5000000, .middle = 5000000 } },
	{ .form = GEMP_FORM_ITEMS, .gather = GEMP_GATHER_BINNED, .shape = { .slice = 9, .range = 16, .tile = 40 } },
	{ .form = GEMP_FORM_GROUPS,
	  .gather = GEMP_GATHER_BINNED,
	  .shape = { .lanes = 4, .slice = 9, .range = 16, .tile = 40 } },
};
enum { WAYS = sizeof ways / sizeof *ways };

static bool near(double found, double expected, double least, bool fp64)
{
	return fabs(found - expected) <= (fp64 ? 1e-12 : 1e-4) * (fabs(expected) + least);
}

static int dense_main(const struct CMUnitTest *tests, size_t count)
{
	/* PoCL 3.1 with two threads is wrong here: a thread finds in its local memory what the other thread wrote. */
	setenv("POCL_MAX_PTHREAD_COUNT", "1", 1);
	setenv("POCL_WORK_GROUP_SPECIALIZATION", "0", 1);
	MPI_Init(NULL, NULL);
	gemp_comm_new(&comm, MPI_COMM_WORLD);
	if (gemp_device_open(&device, NULL, 0, 1, 0) != GEMP_OK)
		return TEST_SKIPPED;
	int failed = _cmocka_run_group_tests("tests", tests, count, NULL, NULL);
	failed |= device->buffer_bytes != 0;
	gemp_device_close(device);
	gemp_comm_free(&comm);
	MPI_Finalize();
	return failed;
}

#endif
