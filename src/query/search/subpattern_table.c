#include "query/search/subpattern_table.h"

#include "core/bitset.h"
#include "core/memory.h"
#include "core/threads.h"
#include "count/vertex_tables.h"
#include "match/filter/kept_results.h"
#include "match/filter/value_lookup.h"
#include "query/search/pattern_tree.h"

/* SEED: a search from a vertex takes about as long as so many entries of a table's passes: 250 ns and 2 ns (films of
 * tests/bench/rows.sh, AMD EPYC, 2026-11-30). */
enum { SEED = 128 };

static bool is_possible(const gemp_runtime *context, const gemp_shard *graph, const gemp_pattern *inner,
                        const gemp_match_options *options)
{
	return inner->arguments == 1 && inner->edge_count && !inner->simple && !gemp_pattern_has_paths(inner) &&
	       options->place != GEMP_PLACE_DEVICE && gemp_pattern_has_vertex_conditions(inner) &&
	       gemp_pattern_tables_fit(context, graph, inner->vertex_count);
}

/* THE TABLE */

/* Collective. Numbers that exceed 64 bits leave no table. */
static gemp_code fold(uint64_t **table, gemp_runtime *context, gemp_shard *graph, const gemp_tree_vertex *tree,
                      size_t count)
{
	const double began = gemp_now();
	const gemp_code code = gemp_tree_table(table, context->comm, graph, tree, count);
	if (code == GEMP_OK)
		GEMP_TRY(gemp_vertex_table_gather(table, context->comm, graph));
	gemp_timers_add(&context->timers, GEMP_PHASE_FILTER, began);
	return code == GEMP_EDATA ? GEMP_OK : code;
}

/* The key of the table. */
static gemp_text key_of(const gemp_pattern *inner, const gemp_candidates *candidates)
{
	const char kind = GEMP_KEPT_TABLE;
	gemp_text key = { .failed = candidates->keyless };
	gemp_text_add(&key, &kind, 1);
	gemp_kept_key_pattern(&key, inner);
	gemp_candidates_add_keys(candidates, inner->vertex_count, &key);
	return key;
}

/* Collective. Takes the table that an earlier query has kept, or folds the tree. */
static gemp_code find_table(uint64_t **table, gemp_runtime *context, gemp_shard *graph, const gemp_pattern *inner,
                            const gemp_candidates *candidates, const gemp_tree_vertex *tree)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text key = { .failed = true };
	GEMP_OWNED uint64_t *kept = NULL;
	const size_t bytes = graph->vertex_count * sizeof *kept;
	if (graph->kept) {
		key = key_of(inner, candidates);
		GEMP_TRY(gemp_comm_agree(context->comm, GEMP_NEW(kept, graph->vertex_count)));
	}
	if (gemp_kept_results_get(context->comm, graph, &key, kept, bytes)) {
		*table = kept;
		kept = NULL;
		return GEMP_OK;
	}
	GEMP_TRY(fold(table, context, graph, tree, inner->vertex_count));
	if (*table)
		gemp_kept_results_put(graph, &key, *table, bytes);
	return GEMP_OK;
}

gemp_code gemp_subpattern_table(uint64_t **table, gemp_runtime *context, gemp_shard *graph, const gemp_pattern *inner,
                                const gemp_match_options *options)
{
	gemp_tree_vertex tree[GEMP_MAX_PATTERN_VERTICES];
	const gemp_condition *conditions[GEMP_MAX_PATTERN_VERTICES * 4];
	GEMP_OWNED_BY(gemp_candidates_free) gemp_candidates candidates = { 0 };
	int at[GEMP_MAX_PATTERN_VERTICES];
	*table = NULL;
	if (!is_possible(context, graph, inner, options) || !gemp_pattern_tree(inner, 0, tree, at) ||
	    inner->condition_count > sizeof conditions / sizeof *conditions)
		return GEMP_OK;
	for (size_t i = 0; i < inner->condition_count; i++)
		conditions[i] = &inner->conditions[i];
	GEMP_TRY(gemp_pattern_candidates(&candidates, context, graph, inner, options->semantics, conditions,
	                                 inner->condition_count));
	if (!gemp_pattern_differs_by_candidates(inner, &candidates, options->semantics))
		return GEMP_OK;
	for (size_t v = 0; v < inner->vertex_count; v++)
		tree[at[v]].bits = candidates.bits[v];
	return find_table(table, context, graph, inner, &candidates, tree);
}

/* FEW ROWS */

/* True for a condition that few vertices may fulfil. */
static bool may_be_selective(const gemp_shard *graph, const gemp_condition *condition)
{
	const gemp_expr_kind kind = condition->expr->kind;
	return __builtin_popcountll(condition->vertices) == 1 && !condition->edges &&
	       gemp_filter_has_kernels(condition->expr) &&
	       (kind == GEMP_EQ || kind == GEMP_IN || kind == GEMP_STARTS_WITH || kind == GEMP_CONTAINS ||
	        gemp_value_lookup_index(graph, condition->expr) != GEMP_NO_LOOKUP);
}

gemp_code gemp_subpattern_rows_are_few(bool *few, gemp_runtime *context, gemp_shard *graph, const gemp_pattern *outer,
                                       gemp_semantics semantics)
{
	GEMP_OWNED const gemp_condition **conditions = NULL;
	GEMP_OWNED_BY(gemp_candidates_free) gemp_candidates candidates = { 0 };
	size_t count = 0;
	uint64_t least = graph->vertex_count;
	*few = false;
	GEMP_TRY(gemp_comm_agree(context->comm, GEMP_NEW(conditions, outer->condition_count)));
	for (size_t i = 0; i < outer->condition_count; i++)
		if (may_be_selective(graph, &outer->conditions[i]))
			conditions[count++] = &outer->conditions[i];
	if (!count)
		return GEMP_OK;
	GEMP_TRY(gemp_pattern_candidates(&candidates, context, graph, outer, semantics, conditions, count));
	for (size_t v = 0; v < outer->vertex_count; v++)
		least = gemp_min(least, candidates.count[v]);
	*few = least <= (graph->vertex_count + gemp_shard_edges(graph)) / SEED;
	return GEMP_OK;
}

/* CONDITIONS */

bool gemp_subpattern_is_test(const gemp_expr *condition, const gemp_expr **value)
{
	*value = condition;
	if (condition->kind == GEMP_NOT || (condition->kind >= GEMP_EQ && condition->kind <= GEMP_GE))
		*value = condition->children[0];
	if (condition->kind == GEMP_EXISTS || condition->kind == GEMP_NOT)
		return (*value)->kind == GEMP_EXISTS;
	const bool compares = *value != condition && (*value)->kind == GEMP_COUNT_OF;
	return compares && condition->children[1]->kind == GEMP_LITERAL && !condition->children[1]->value.null &&
	       condition->children[1]->value.type == GEMP_INTEGER;
}

typedef struct number_test {
	const gemp_expr *condition;
	const uint64_t *table;
	uint32_t *bits;
} number_test;

static bool passes(const gemp_expr *condition, uint64_t number)
{
	const int64_t count = (int64_t)number;
	switch (condition->kind) {
	case GEMP_EXISTS: return number > 0;
	case GEMP_NOT: return number == 0;
	case GEMP_EQ: return count == condition->children[1]->value.integer;
	case GEMP_NE: return count != condition->children[1]->value.integer;
	case GEMP_LT: return count < condition->children[1]->value.integer;
	case GEMP_LE: return count <= condition->children[1]->value.integer;
	case GEMP_GT: return count > condition->children[1]->value.integer;
	default: return count >= condition->children[1]->value.integer;
	}
}

/* Chunks are words of bits, so threads do not write into the same word. */
static void test_words(void *context, size_t begin, size_t end)
{
	const number_test *t = context;
	for (size_t w = begin; w < end; w++)
		for (uint32_t left = t->bits[w]; left; left &= left - 1) {
			const size_t v = w * 32 + (size_t)__builtin_ctz(left);
			if (!passes(t->condition, t->table[v]))
				gemp_bits32_clear(t->bits, v);
		}
}

void gemp_subpattern_test(const gemp_expr *condition, const uint64_t *table, uint64_t vertices, uint32_t *bits)
{
	number_test test = { condition, table, bits };
	gemp_for_elements(gemp_bits32_words(vertices), test_words, &test);
}
