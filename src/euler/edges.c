#include "euler/euler.h"

#include "core/memory.h"
#include "core/threads.h"

#include <string.h>

enum { ROWS_A_PIECE = 16384 };

/* Which relations, and that all of them are directed or all undirected. */
static gemp_code choose_relations(gemp_euler_edges *edges, const gemp_graph *graph, const bool *relations)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(GEMP_NEW(edges->relations, graph->relation_count));
	for (size_t r = 0; r < graph->relation_count; r++) {
		const gemp_relation *relation = &graph->relations[r];
		if (relations && !relations[r])
			continue;
		if (edges->relation_count && edges->undirected == relation->directed) {
			code = gemp_fail(GEMP_EUSAGE, "relation '%s' is %s and '%s' is not; take those of one kind with --relation",
			                 relation->name, relation->directed ? "directed" : "undirected",
			                 edges->relations[0]->name);
			goto done;
		}
		edges->undirected = !relation->directed;
		edges->relations[edges->relation_count++] = relation;
		edges->first += relation->first;
		edges->edges += relation->edges;
	}
done:
	return code;
}

static void merge_rows(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	gemp_euler_edges *edges = context;
	size_t end = (piece + 1) * ROWS_A_PIECE < edges->rows ? (piece + 1) * ROWS_A_PIECE : edges->rows;
	for (size_t row = piece * ROWS_A_PIECE; row < end; row++) {
		gemp_vertex *to = edges->own_target + edges->begin[row];
		for (size_t r = 0; r < edges->relation_count; r++) {
			const gemp_relation *relation = edges->relations[r];
			size_t count = relation->out_begin[row + 1] - relation->out_begin[row];
			memcpy(to, relation->out + relation->out_begin[row], count * sizeof *to);
			to += count;
		}
	}
}

static gemp_code merge_relations(gemp_euler_edges *edges)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(GEMP_NEW(edges->own_begin, edges->rows + 1));
	for (size_t row = 0; row <= edges->rows; row++)
		for (size_t r = 0; r < edges->relation_count; r++)
			edges->own_begin[row] += edges->relations[r]->out_begin[row];
	GEMP_TRY(GEMP_NEW(edges->own_target, edges->own_begin[edges->rows]));
	edges->begin = edges->own_begin;
	edges->target = edges->own_target;
	gemp_parallel_for((edges->rows + ROWS_A_PIECE - 1) / ROWS_A_PIECE, merge_rows, edges);
done:
	return code;
}

gemp_code gemp_euler_edges_new(gemp_euler_edges *out, const gemp_graph *graph, const bool *relations)
{
	gemp_code code = GEMP_OK;
	*out = (gemp_euler_edges){ .rank = graph->rank, .ranks = graph->ranks, .vertices = graph->vertices,
		.bounds = graph->bounds, .rows = graph->rows, .closing = GEMP_NO_EDGE, .path_start = GEMP_NO_VERTEX,
		.path_end = GEMP_NO_VERTEX };
	GEMP_TRY(choose_relations(out, graph, relations));
	if (out->relation_count == 1) {
		out->begin = out->relations[0]->out_begin;
		out->target = out->relations[0]->out;
	} else {
		GEMP_TRY(merge_relations(out));
	}
done:
	if (code != GEMP_OK)
		gemp_euler_edges_free(out);
	return code;
}

/* This rank's rows with one slot more at the end of `row`. */
static gemp_code insert(gemp_euler_edges *edges, size_t row, gemp_vertex target)
{
	gemp_code code = GEMP_OK;
	uint64_t *begin = NULL;
	gemp_vertex *targets = NULL;
	size_t before = edges->begin[row + 1], count = edges->begin[edges->rows];
	GEMP_TRY(GEMP_NEW(begin, edges->rows + 1));
	GEMP_TRY(GEMP_NEW(targets, count + 1));
	for (size_t r = 0; r <= edges->rows; r++)
		begin[r] = edges->begin[r] + (r > row);
	memcpy(targets, edges->target, before * sizeof *targets);
	targets[before] = target;
	memcpy(targets + before + 1, edges->target + before, (count - before) * sizeof *targets);
	gemp_free(edges->own_begin);
	gemp_free(edges->own_target);
	edges->begin = edges->own_begin = begin;
	edges->target = edges->own_target = targets;
	begin = NULL;
	targets = NULL;
	edges->closing = edges->first + before;
done:
	gemp_free(begin);
	gemp_free(targets);
	return code;
}

gemp_code gemp_euler_edges_close(gemp_euler_edges *edges, gemp_vertex start, gemp_vertex end)
{
	gemp_code code = GEMP_OK;
	uint64_t first = edges->bounds[edges->rank];
	if (end >= first && end < first + edges->rows)
		GEMP_TRY(insert(edges, end - first, start));
	else if (end < first)
		edges->first++;
	edges->edges++;
	edges->path_start = start;
	edges->path_end = end;
done:
	return code;
}

gemp_code gemp_euler_edges_share_relations(gemp_euler_edges *to, const gemp_euler_edges *from)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(GEMP_NEW(to->relations, from->relation_count));
	to->relation_count = from->relation_count;
	for (size_t r = 0; r < from->relation_count; r++)
		to->relations[r] = from->relations[r];
done:
	return code;
}

void gemp_euler_edges_free(gemp_euler_edges *edges)
{
	gemp_free(edges->relations);
	gemp_free(edges->own_begin);
	gemp_free(edges->own_target);
	gemp_free(edges->own_edge);
	*edges = (gemp_euler_edges){ 0 };
}

gemp_vertex gemp_euler_source(const gemp_euler_edges *edges, gemp_edge slot)
{
	uint64_t local = slot - edges->first;
	return (gemp_vertex)(edges->bounds[edges->rank] + gemp_range_of(edges->begin, edges->rows, local));
}

gemp_euler_edge gemp_euler_edge_of(const gemp_euler_edges *edges, gemp_vertex source, gemp_edge slot)
{
	size_t row = source - edges->bounds[edges->rank], r = 0;
	if (edges->own_edge)
		return gemp_euler_edge_named(edges->own_edge[slot - edges->first]);
	uint64_t at = slot - edges->first - edges->begin[row];
	for (; r < edges->relation_count; r++) {
		const gemp_relation *relation = edges->relations[r];
		uint64_t count = relation->out_begin[row + 1] - relation->out_begin[row];
		if (at < count)
			return (gemp_euler_edge){ r, relation->first + relation->out_begin[row] + at };
		at -= count;
	}
	return (gemp_euler_edge){ edges->relation_count, GEMP_NO_EDGE };
}

void gemp_euler_order_free(gemp_euler_order *order)
{
	gemp_free(order->edge);
	gemp_free(order->source);
	*order = (gemp_euler_order){ 0 };
}

void gemp_euler_result_free(gemp_euler_result *result)
{
	gemp_euler_order_free(&result->order);
	gemp_free(result->circuit);
	gemp_free(result->joined);
	*result = (gemp_euler_result){ 0 };
}
