/* Draws the edges of Kronecker graphs, uniform graphs and grids, or reads the edges of a graph file. */
#include "gas_parts/edge_list.h"

#include "comm/comm.h"
#include "core/memory.h"
#include "core/random.h"
#include "core/status.h"
#include "core/threads.h"
#include "graph/graph.h"
#include "io/graph_file/graph_file_read.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { PIECES = 512, PER_WORD = 4 };

typedef struct drawing {
	edge_list *list;
	unsigned scale;
	bool uniform, grid;
} drawing;

/* A bijection of the numbers below 2^scale. */
static uint32_t permute(uint32_t v, unsigned scale)
{
	uint32_t mask = (uint32_t)(((uint64_t)1 << scale) - 1);
	for (int round = 0; round < 3; round++) {
		v = (v * 2654435761u + 12345) & mask;
		v ^= v >> (scale / 2 + 1);
	}
	return v;
}

/* Sixteen random bits choose a quarter of the matrix: .57 .19 .19 .05. */
static void draw(const drawing *d, uint64_t edge, uint32_t ends[2])
{
	uint64_t bits = gemp_mix(edge + 1);
	uint32_t source = 0, target = 0, mask = (uint32_t)(((uint64_t)1 << d->scale) - 1);
	if (d->grid) { /* edge 2 v leads to the right of v, and edge 2 v + 1 down; the last column and row wrap around */
		uint32_t v = (uint32_t)(edge / 2), width = 1u << d->scale / 2;
		ends[0] = permute(v, d->scale);
		ends[1] = permute((edge % 2 ? v + width : v % width == width - 1 ? v + 1 - width : v + 1) & mask, d->scale);
		return;
	}
	if (d->uniform) {
		ends[0] = (uint32_t)bits & mask;
		ends[1] = (uint32_t)(bits >> 32) & mask;
		return;
	}
	for (unsigned bit = 0; bit < d->scale; bit++, bits >>= 16) {
		if (bit % PER_WORD == 0)
			bits = gemp_mix(((uint64_t)1 << 40) + edge * 8 + bit / PER_WORD);
		uint32_t r = bits & 0xffff;
		source = source << 1 | (uint32_t)(r >= 49807);
		target = target << 1 | (uint32_t)(r >= 62259 || (r >= 37356 && r < 49807));
	}
	ends[0] = permute(source, d->scale);
	ends[1] = permute(target, d->scale);
}

static void draw_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	const drawing *d = context;
	size_t count = d->list->count;
	for (size_t e = count * piece / PIECES; e < count * (piece + 1) / PIECES; e++)
		draw(d, e, d->list->ends[e]);
}

static gemp_code from_file(edge_list *list, const char *path)
{
	gemp_code code = GEMP_OK;
	gemp_comm comm;
	gemp_shard *graph = NULL;
	size_t at = 0;
	gemp_comm_new(&comm, MPI_COMM_SELF);
	GEMP_TRY_DONE(gemp_graph_file_open(&graph, &comm, path, false));
	*list = (edge_list){ (uint32_t)graph->vertex_count, gemp_shard_edges(graph), NULL };
	GEMP_TRY_DONE(GEMP_NEW(list->ends, list->count));
	for (size_t r = 0; r < graph->relation_count; r++) {
		const gemp_relation *relation = &graph->relations[r];
		GEMP_TRY_DONE(gemp_shard_load_relation(graph, r, GEMP_LOAD_OUT));
		for (uint32_t v = 0; v < list->vertices; v++)
			for (uint64_t e = relation->out_offsets[v]; e < relation->out_offsets[v + 1]; e++, at++) {
				list->ends[at][0] = v;
				list->ends[at][1] = relation->out_targets[e];
			}
	}
done:
	gemp_shard_free(graph);
	gemp_comm_free(&comm);
	return code;
}

gemp_code edge_list_new(edge_list *out, const char *spec)
{
	gemp_code code = GEMP_OK;
	drawing d = { .list = out, .uniform = !strncmp(spec, "uniform:", 8), .grid = !strncmp(spec, "grid:", 5) };
	unsigned each = 16;
	*out = (edge_list){ 0 };
	if (!d.uniform && !d.grid && strncmp(spec, "kron:", 5)) {
		code = from_file(out, spec);
		goto done;
	}
	if (sscanf(strchr(spec, ':'), ":%u:%u", &d.scale, &each) < 1 || d.scale < 1 || d.scale > 27)
		return gemp_fail(GEMP_EUSAGE, "%s: a scale from 1 to 27 is needed", spec);
	each = d.grid ? 2 : each;
	out->vertices = 1u << d.scale;
	out->count = (size_t)each << d.scale;
	GEMP_TRY_DONE(GEMP_NEW(out->ends, out->count));
	gemp_parallel_for(PIECES, draw_piece, &d);
done:
	if (code != GEMP_OK)
		edge_list_free(out);
	return code;
}

void edge_list_free(edge_list *list)
{
	gemp_free(list->ends);
	*list = (edge_list){ 0 };
}
