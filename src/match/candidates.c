#include "match/candidates.h"

#include "core/memory.h"

#include <string.h>

enum { GATHERED_AT_ONCE = 1 << 26, GRAPH_ROWS = 1 }; /* words in one allreduce; tag of the graph's own rows */

/* LOADING what conditions read, on all ranks alike. */
static gemp_code load_for(gemp_graph *graph, const gemp_expr *expr, gemp_filter_rows *rows, const gemp_column **columns)
{
	gemp_code code = GEMP_OK;
	if (expr->kind == GEMP_ATTRIBUTE && expr->attribute >= 0) {
		GEMP_TRY(gemp_graph_need_attribute(graph, (size_t)expr->attribute));
		columns[expr->attribute] = &graph->attributes.columns[expr->attribute];
	}
	if (expr->kind == GEMP_KEY) {
		GEMP_TRY(gemp_graph_need_keys(graph));
		rows->key = &graph->key;
	}
	if (expr->kind == GEMP_HAS_LABEL) {
		GEMP_TRY(gemp_graph_need_labels(graph));
		rows->label_set = graph->label_set;
	}
	for (size_t i = 0; i < expr->count; i++)
		GEMP_TRY(load_for(graph, expr->children[i], rows, columns));
done:
	return code;
}

/* Own bits, numbered from 0, into the bitmap over all ids. */
static void place(uint32_t *all, const uint32_t *own, uint64_t first, size_t rows)
{
	unsigned shift = (unsigned)(first % 32);
	size_t to = first / 32, words = (rows + 31) / 32;
	for (size_t w = 0; w < words; w++) {
		uint32_t bits = own[w];
		if (w == words - 1 && rows % 32)
			bits &= (UINT32_C(1) << rows % 32) - 1;
		all[to + w] |= bits << shift;
		if (shift && bits >> (32 - shift))
			all[to + w + 1] |= bits >> (32 - shift);
	}
}

static void gather(const gemp_comm *comm, uint32_t *bits, size_t words)
{
	for (size_t at = 0; at < words; at += GATHERED_AT_ONCE) {
		size_t left = words - at;
		GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, bits + at, (int)(left < GATHERED_AT_ONCE ? left : GATHERED_AT_ONCE),
		                       MPI_UINT32_T, MPI_BOR, comm->world));
	}
}

static gemp_code fill(gemp_candidates *out, size_t v, gemp_context *context, gemp_filter *filter, const gemp_graph *graph,
                      const gemp_filter_rows *rows, const gemp_condition *const *conditions, size_t count)
{
	gemp_code code = GEMP_OK;
	uint32_t *own = NULL;
	code = GEMP_NEW(own, (rows->rows + 31) / 32);
	if (code == GEMP_OK)
		code = GEMP_NEW(out->bits[v], out->words + 1);
	if (code == GEMP_OK)
		code = gemp_filter_evaluate(filter, rows, conditions, count, own);
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	place(out->bits[v], own, graph->first, rows->rows);
	gather(context->comm, out->bits[v], out->words);
	out->count[v] = 0;
	for (size_t w = 0; w < out->words; w++)
		out->count[v] += (uint64_t)__builtin_popcount(out->bits[v][w]);
done:
	gemp_free(own);
	return code;
}

gemp_code gemp_candidates_new(gemp_candidates *out, gemp_context *context, gemp_filter *filter, gemp_graph *graph,
                              const gemp_pattern *pattern, const gemp_condition *const *before, size_t count)
{
	gemp_code code = GEMP_OK;
	const gemp_column **columns = NULL;
	const gemp_condition **own = NULL;
	gemp_filter_rows rows = { .tag = GRAPH_ROWS, .rows = graph->rows, .label_set_count = graph->label_set_count };
	*out = (gemp_candidates){ .words = (graph->vertices + 31) / 32 };
	code = GEMP_NEW(columns, graph->attributes.count);
	if (code == GEMP_OK)
		code = GEMP_NEW(own, count);
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	rows.columns = columns;
	double began = gemp_now();
	for (size_t i = 0; i < count; i++)
		GEMP_TRY(load_for(graph, before[i]->expr, &rows, columns));
	began = gemp_timers_add(&context->timers, GEMP_READ, began);
	for (size_t v = 0; v < pattern->vertex_count; v++) {
		size_t mine = 0;
		out->count[v] = graph->vertices;
		for (size_t i = 0; i < count; i++)
			if (before[i]->vertices == UINT64_C(1) << v)
				own[mine++] = before[i];
		if (mine)
			GEMP_TRY(fill(out, v, context, filter, graph, &rows, own, mine));
	}
	gemp_timers_add(&context->timers, GEMP_ATTRIBUTES, began);
done:
	if (code != GEMP_OK)
		gemp_candidates_free(out);
	gemp_free(columns);
	gemp_free(own);
	return code;
}

void gemp_candidates_free(gemp_candidates *candidates)
{
	for (size_t v = 0; v < GEMP_MAX_PATTERN_VERTICES; v++)
		gemp_free(candidates->bits[v]);
	*candidates = (gemp_candidates){ 0 };
}
