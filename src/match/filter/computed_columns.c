#include "match/filter/computed_columns.h"

#include "core/memory.h"
#include "core/search.h"
#include "core/text.h"
#include "partition/views/view.h"

#include <string.h>

/* The number of entries of a row. Without `loops`, entries that are the row's own vertex are not counted; they are
 * adjacent, since rows ascend. */
static uint64_t degree(const uint64_t *begin, const gemp_vertex *ids, size_t row, uint64_t id, bool loops)
{
	const gemp_vertex *entries = ids + begin[row];
	size_t count = begin[row + 1] - begin[row];
	return count -
	       (loops ? 0 : gemp_lower_bound_u32(entries, count, id + 1) - gemp_lower_bound_u32(entries, count, id));
}

/* A loop is an entry of the row by source and of the row by target of its vertex. In direction 2 only the entry in the
 * row by source counts. */
gemp_code gemp_degree_column(gemp_runtime *context, gemp_shard *graph, const bool *relations, int direction,
                             bool count_loops, gemp_column *out)
{
	static const gemp_view_direction direction_of[] = { GEMP_VIEW_OUT, GEMP_VIEW_IN, GEMP_VIEW_EITHER };
	GEMP_OWNED_BY(gemp_column_free) gemp_column degrees = { 0 };
	memset(out, 0, sizeof *out);
	double began = gemp_now();
	for (size_t r = 0; r < graph->relation_count; r++)
		if (relations[r])
			GEMP_TRY(gemp_shard_load_relation(graph, r, gemp_view_parts(direction_of[direction])));
	gemp_timers_add(&context->timers, GEMP_PHASE_READ, began);
	gemp_code code = gemp_column_init(&degrees, "", GEMP_INTEGER);
	GEMP_THEN(gemp_column_reserve(&degrees, graph->rows, 0));
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	for (size_t v = 0; v < graph->rows; v++) {
		uint64_t found = 0;
		for (size_t r = 0; r < graph->relation_count; r++) {
			const gemp_relation *relation = &graph->relations[r];
			if (relations[r] && direction != 1)
				found += degree(relation->out_offsets, relation->out_targets, v, graph->first_vertex + v, count_loops);
			if (relations[r] && direction != 0)
				found += degree(relation->in_offsets, relation->in_sources, v, graph->first_vertex + v,
				                count_loops && direction == 1);
		}
		degrees.integers[v] = (int64_t)found;
	}
	degrees.rows = graph->rows;
	*out = degrees;
	degrees = (gemp_column){ 0 };
	return GEMP_OK;
}

/* Expressions that count the same edges in the same direction share a column. */
size_t gemp_degree_columns_find(const gemp_degree_columns *d, const gemp_expr *expr)
{
	size_t i = 0;
	while (i < d->count && (d->of[i]->direction != expr->direction ||
	                        memcmp(d->of[i]->relations, expr->relations, d->relation_count) != 0))
		i++;
	return i;
}

/* A degree can occur anywhere in a condition, so the whole tree is searched. */
gemp_code gemp_degree_columns_note(gemp_degree_columns *d, const gemp_expr *expr)
{
	if (expr->kind == GEMP_DEGREE && gemp_degree_columns_find(d, expr) == d->count) {
		GEMP_TRY(GEMP_RESERVE(d->of, d->capacity, d->count + 1));
		d->of[d->count++] = expr;
	}
	for (size_t i = 0; i < expr->count; i++)
		GEMP_TRY(gemp_degree_columns_note(d, expr->children[i]));
	return GEMP_OK;
}

/* Every rank computes the same columns in the same order, because each column loads its relations collectively. */
gemp_code gemp_degree_columns_fill(gemp_degree_columns *d, gemp_runtime *context, gemp_shard *graph, bool count_loops)
{
	if (d->count == 0)
		return GEMP_OK;
	GEMP_TRY(gemp_comm_agree(context->comm, GEMP_NEW(d->columns, d->count)));
	for (size_t i = 0; i < d->count; i++)
		GEMP_TRY(
			gemp_degree_column(context, graph, d->of[i]->relations, d->of[i]->direction, count_loops, &d->columns[i]));
	return GEMP_OK;
}

/* The expressions are borrowed from the conditions and stay. */
void gemp_degree_columns_free(gemp_degree_columns *d)
{
	for (size_t i = 0; d->columns && i < d->count; i++)
		gemp_column_free(&d->columns[i]);
	gemp_free_all(d->columns, d->of);
	*d = (gemp_degree_columns){ 0 };
}

/* Appends a string as an element of a list, with JSON's escapes. */
static void add_string(gemp_text *text, const char *name)
{
	gemp_text_add(text, "\"", 1);
	for (; *name; name++) {
		unsigned char byte = (unsigned char)*name;
		if (byte == '"' || byte == '\\')
			gemp_text_print(text, "\\%c", byte);
		else if (byte < 0x20)
			gemp_text_print(text, "\\u%04x", byte);
		else
			gemp_text_add(text, name, 1);
	}
	gemp_text_add(text, "\"", 1);
}

/* A graph has few label sets and many vertices, so each label set has one list. */
gemp_code gemp_label_list_column(gemp_column *out, const gemp_shard *graph)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text text = { 0 };
	GEMP_OWNED_BY(gemp_column_free) gemp_column lists = { 0 };
	*out = lists;
	GEMP_TRY(gemp_column_init(&lists, "labels", GEMP_LIST));
	for (size_t s = 0; s < graph->label_set_count; s++) {
		gemp_text_clear(&text);
		gemp_text_add(&text, "[", 1);
		for (size_t i = 0; i < graph->label_sets[s].count; i++) {
			if (i)
				gemp_text_add(&text, ", ", 2);
			add_string(&text, graph->labels[graph->label_sets[s].labels[i]]);
		}
		gemp_text_add(&text, "]", 1);
		GEMP_TRY(gemp_text_status(&text));
		GEMP_TRY(gemp_column_add(&lists, &(gemp_value){ .type = GEMP_LIST, .string = { text.data, text.size } }));
	}
	*out = lists;
	lists = (gemp_column){ 0 };
	return GEMP_OK;
}
