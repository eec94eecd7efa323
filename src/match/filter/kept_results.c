#include "match/filter/kept_results.h"

#include "graph/kept.h"

#include <string.h>

void gemp_kept_key_number(gemp_text *key, uint64_t number)
{
	gemp_text_add(key, &number, sizeof number);
}

void gemp_kept_key_bytes(gemp_text *key, const void *bytes, size_t size)
{
	gemp_kept_key_number(key, size);
	gemp_text_add(key, bytes, size);
}

static void add_name(gemp_text *key, const char *name)
{
	gemp_kept_key_bytes(key, name, name ? strlen(name) : 0);
}

static void add_literal(gemp_text *key, const gemp_value *value)
{
	gemp_kept_key_number(key, value->type);
	gemp_kept_key_number(key, value->null);
	if (value->null)
		return;
	if (gemp_is_text(value->type))
		gemp_kept_key_bytes(key, value->string.bytes, value->string.size);
	else
		gemp_kept_key_number(key, value->type == GEMP_BOOLEAN ? value->truth : (uint64_t)value->integer);
}

/* Fields that a kind does not use are 0, so all kinds have the same fields. The bits of a float are those of the
 * integer in the same union. */
void gemp_kept_key_condition(gemp_text *key, const gemp_expr *expr)
{
	const uint64_t numbers[] = {
		expr->kind,     expr->of_edge, (uint64_t)expr->attribute, expr->type, expr->always_null,
		expr->distinct, expr->item,    (uint64_t)expr->direction
	};
	key->failed |= gemp_expr_is_subpattern(expr);
	GEMP_KEPT_KEY_ARRAY(key, numbers, sizeof numbers / sizeof *numbers);
	add_name(key, expr->name);
	gemp_kept_key_number(key, expr->name_count);
	for (size_t i = 0; i < expr->name_count; i++)
		add_name(key, expr->names[i]);
	gemp_kept_key_bytes(key, expr->relations, expr->relations ? expr->relation_count : 0);
	gemp_kept_key_bytes(key, expr->label_sets, expr->label_sets ? expr->label_set_count : 0);
	if (gemp_expr_is_literal(expr))
		add_literal(key, &expr->value);
	gemp_kept_key_number(key, expr->count);
	for (size_t i = 0; i < expr->count; i++)
		gemp_kept_key_condition(key, expr->children[i]);
}

void gemp_kept_key_pattern(gemp_text *key, const gemp_pattern *pattern)
{
	const uint64_t numbers[] = { pattern->simple, pattern->vertex_count, pattern->edge_count, pattern->arguments,
		                         pattern->relation_count };
	GEMP_KEPT_KEY_ARRAY(key, numbers, sizeof numbers / sizeof *numbers);
	for (size_t v = 0; v < pattern->vertex_count; v++)
		gemp_kept_key_number(key, pattern->vertices[v].repeatable);
	for (size_t e = 0; e < pattern->edge_count; e++) {
		const gemp_pattern_edge *edge = &pattern->edges[e];
		const uint64_t ends[] = { (uint64_t)edge->from, (uint64_t)edge->to, edge->direction, (uint64_t)edge->match };
		GEMP_KEPT_KEY_ARRAY(key, ends, sizeof ends / sizeof *ends);
		GEMP_KEPT_KEY_ARRAY(key, edge->relations, pattern->relation_count);
	}
}

/* A shortage of memory may have freed the result on some ranks. */
bool gemp_kept_results_get(const gemp_comm *comm, const gemp_shard *graph, const gemp_text *key, void *value,
                           size_t size)
{
	if (!graph->kept)
		return false;
	const bool found = gemp_kept_get(graph->kept, key, value, size);
	return gemp_comm_sum1(comm, !found) == 0;
}

void gemp_kept_results_put(const gemp_shard *graph, const gemp_text *key, const void *value, size_t size)
{
	gemp_kept_put(graph->kept, key, value, size);
}
