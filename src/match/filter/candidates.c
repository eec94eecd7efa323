#include "match/filter/candidates.h"

#include "core/threads.h"
#include "match/filter/bits_union.h"
#include "match/filter/computed_columns.h"
#include "match/filter/kept_results.h"
#include "match/filter/value_lookup.h"
#include "match/planner/plan_rows.h"

#include <string.h>

enum { GRAPH_ROWS = 1 }; /* tag of the graph's own rows */

/* Collective. Loads the columns that an expression reads. All ranks have the same expression, so they load the same
 * columns. */
static gemp_code load_for(gemp_shard *graph, const gemp_expr *expr, gemp_filter_rows *rows, const gemp_column **columns)
{
	if (expr->kind == GEMP_ATTRIBUTE && expr->attribute >= 0) {
		GEMP_TRY(gemp_shard_load_attribute(graph, (size_t)expr->attribute));
		columns[expr->attribute] = &graph->attributes.columns[expr->attribute];
	}
	if (expr->kind == GEMP_KEY) {
		GEMP_TRY(gemp_shard_load_keys(graph));
		rows->key = &graph->keys;
	}
	if (expr->kind == GEMP_HAS_LABEL || expr->kind == GEMP_LABELS) {
		GEMP_TRY(gemp_shard_load_labels(graph));
		rows->label_set = graph->label_set_of;
	}
	for (size_t i = 0; i < expr->count; i++)
		GEMP_TRY(load_for(graph, expr->children[i], rows, columns));
	return GEMP_OK;
}

/* Copies this rank's bits, numbered from 0, to the bitmap over all ids. There the first of them may be any bit of a
 * word. */
static void add_own_bits(uint32_t *all, const uint32_t *own, uint64_t first, size_t rows)
{
	unsigned shift = (unsigned)(first % 32);
	size_t to = first / 32;
	for (size_t w = 0; w < gemp_bits32_words(rows); w++) {
		all[to + w] |= own[w] << shift;
		if (shift)
			all[to + w + 1] |= own[w] >> (32 - shift);
	}
}

/* The inverse of add_own_bits: copies this rank's bits from a bitmap over all ids. */
static void own_bits_of(const uint32_t *all, uint64_t first, size_t rows, uint32_t *own)
{
	unsigned shift = (unsigned)(first % 32);
	size_t from = first / 32;
	for (size_t w = 0; w < gemp_bits32_words(rows); w++)
		own[w] = all[from + w] >> shift | (shift ? all[from + w + 1] << (32 - shift) : 0);
	gemp_bits32_trim(own, rows);
}

/* Local. Evaluates conditions for own rows, and *own becomes the bits of the rows for which they hold. If pattern
 * vertex v has a bitmap, only its candidates are evaluated. Otherwise *all becomes the memory of a new bitmap. */
static gemp_code evaluate(const gemp_candidates *candidates, size_t v, gemp_filter *filter, const gemp_shard *graph,
                          const gemp_filter_rows *rows, const gemp_condition *const *conditions, size_t count,
                          uint32_t **own, uint32_t **all)
{
	GEMP_OWNED uint32_t *among = NULL;
	gemp_filter_rows wanted = *rows;
	GEMP_TRY(GEMP_NEW(*own, gemp_bits32_words(rows->rows)));
	if (candidates->bits[v]) {
		GEMP_TRY(GEMP_NEW(among, gemp_bits32_words(rows->rows)));
		own_bits_of(candidates->bits[v], graph->first_vertex, rows->rows, among);
	} else {
		/* one word more, since add_own_bits shifts bits into the word behind the last */
		GEMP_TRY(GEMP_NEW(*all, candidates->words + 1));
	}
	wanted.among = among;
	GEMP_TRY(gemp_filter_evaluate(filter, &wanted, conditions, count, *own));
	gemp_bits32_trim(*own, rows->rows);
	return GEMP_OK;
}

/* Collective. Evaluates the conditions on pattern vertex v, and unites the bits of all ranks. */
static gemp_code evaluate_conditions(gemp_candidates *out, size_t v, gemp_runtime *context, gemp_filter *filter,
                                     const gemp_shard *graph, const gemp_filter_rows *rows,
                                     const gemp_condition *const *conditions, size_t count)
{
	GEMP_OWNED uint32_t *own = NULL, *all = NULL;
	const gemp_code code = evaluate(out, v, filter, graph, rows, conditions, count, &own, &all);
	if (!out->bits[v]) {
		out->bits[v] = all;
		all = NULL;
	}
	if (code == GEMP_OK) {
		memset(out->bits[v], 0, (out->words + 1) * sizeof *own);
		add_own_bits(out->bits[v], own, graph->first_vertex, rows->rows);
	}
	GEMP_TRY(gemp_bits_unite(context, code, out->bits[v], out->words));
	out->count[v] = gemp_bits32_count(out->bits[v], out->words);
	return GEMP_OK;
}

/* Values that conditions read but the graph does not store: lists of labels (one for each label set) and degrees. */
typedef struct computed_values {
	const gemp_shard *graph;
	gemp_column label_lists;
	gemp_degree_columns degrees;
} computed_values;

/* Collective. Makes the columns of computed values. */
static gemp_code prepare_computed(computed_values *out, gemp_runtime *context, gemp_shard *graph, bool count_loops,
                                  const gemp_condition *const *conditions, size_t count)
{
	gemp_code code = gemp_label_list_column(&out->label_lists, graph);
	out->graph = graph;
	out->degrees.relation_count = graph->relation_count;
	for (size_t i = 0; i < count && code == GEMP_OK; i++)
		code = gemp_degree_columns_note(&out->degrees, conditions[i]->expr);
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	return gemp_degree_columns_fill(&out->degrees, context, graph, count_loops);
}

/* The degree or the list of labels of an own vertex: the function `value` of gemp_filter_rows. */
static gemp_value value_of(void *context, const gemp_expr *expr, size_t row)
{
	const computed_values *asked = context;
	if (expr->kind == GEMP_DEGREE)
		return gemp_column_get(&asked->degrees.columns[gemp_degree_columns_find(&asked->degrees, expr)], row);
	GEMP_CHECK(expr->kind == GEMP_LABELS);
	return gemp_column_get(&asked->label_lists, asked->graph->label_set_of[row]);
}

/* Local. Keeps the candidates of pattern vertex v that are among these ids. */
static gemp_code keep_ids(gemp_candidates *candidates, size_t v, const gemp_vertex *ids, size_t count)
{
	uint32_t *bits = NULL;
	GEMP_TRY(GEMP_NEW(bits, candidates->words + 1));
	for (size_t i = 0; i < count; i++)
		if (gemp_candidates_has(candidates, (int)v, ids[i]))
			gemp_bits32_set(bits, ids[i]);
	gemp_free(candidates->bits[v]);
	candidates->bits[v] = bits;
	candidates->count[v] = gemp_bits32_count(bits, candidates->words);
	return GEMP_OK;
}

/* KEPT BITMAPS */

/* The key of the bitmap after these conditions on pattern vertex v, too. */
static gemp_text extended_key(const gemp_candidates *candidates, size_t v, const gemp_condition *const *conditions,
                              size_t count, bool count_loops)
{
	gemp_text key = { .failed = candidates->keyless };
	const char kind = GEMP_KEPT_CANDIDATES;
	gemp_text_add(&key, &kind, 1);
	gemp_kept_key_bytes(&key, candidates->key[v].data, candidates->key[v].size);
	gemp_kept_key_number(&key, count_loops);
	gemp_kept_key_number(&key, count);
	for (size_t i = 0; i < count; i++)
		gemp_kept_key_condition(&key, conditions[i]->expr);
	return key;
}

/* Takes the bytes of the key. */
static void set_key(gemp_candidates *candidates, size_t v, gemp_text *key)
{
	gemp_text_free(&candidates->key[v]);
	candidates->key[v] = *key;
	candidates->keyless |= key->failed;
	*key = (gemp_text){ 0 };
}

static void extend_key(gemp_candidates *candidates, size_t v, const gemp_condition *const *conditions, size_t count,
                       bool count_loops)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text key = extended_key(candidates, v, conditions, count, count_loops);
	set_key(candidates, v, &key);
}

void gemp_candidates_add_keys(const gemp_candidates *candidates, size_t vertex_count, gemp_text *key)
{
	key->failed |= candidates->keyless;
	for (size_t v = 0; v < vertex_count; v++)
		gemp_kept_key_bytes(key, candidates->key[v].data, candidates->key[v].size);
}

/* Lists the conditions on pattern vertex v in own[count]. */
static size_t conditions_on(size_t v, const gemp_condition *const *conditions, size_t count, const gemp_condition **own)
{
	size_t mine = 0;
	for (size_t i = 0; i < count; i++)
		if (conditions[i]->vertices == UINT64_C(1) << v)
			own[mine++] = conditions[i];
	return mine;
}

/* Collective. Takes the bitmaps that an earlier query has kept, and removes their conditions from the list.
 * own[*count] is for lists. */
static gemp_code take_kept(gemp_candidates *candidates, const gemp_runtime *context, const gemp_shard *graph,
                           size_t vertex_count, bool count_loops, const gemp_condition **conditions, size_t *count,
                           const gemp_condition **own)
{
	for (size_t v = 0; graph->kept && !candidates->keyless && v < vertex_count; v++) {
		const size_t mine = conditions_on(v, conditions, *count, own), words = candidates->words + 1;
		GEMP_OWNED uint32_t *bits = NULL;
		if (!mine)
			continue;
		GEMP_OWNED_BY(gemp_text_free) gemp_text key = extended_key(candidates, v, own, mine, count_loops);
		GEMP_TRY(gemp_comm_agree(context->comm, GEMP_NEW(bits, words)));
		if (!gemp_kept_results_get(context->comm, graph, &key, bits, words * sizeof *bits))
			continue;
		gemp_free(candidates->bits[v]);
		candidates->bits[v] = bits;
		bits = NULL;
		candidates->count[v] = gemp_bits32_count(candidates->bits[v], candidates->words);
		set_key(candidates, v, &key);
		size_t left = 0;
		for (size_t i = 0; i < *count; i++)
			if (conditions[i]->vertices != UINT64_C(1) << v)
				conditions[left++] = conditions[i];
		*count = left;
	}
	return GEMP_OK;
}

/* Collective. Evaluates the conditions that an index answers, without their columns. left[*left_count] become the
 * others. */
static gemp_code look_up(gemp_candidates *candidates, gemp_runtime *context, gemp_shard *graph,
                         const gemp_condition *const *conditions, size_t count, const gemp_condition **left,
                         size_t *left_count)
{
	const double began = gemp_now();
	*left_count = 0;
	for (size_t i = 0; i < count; i++) {
		GEMP_OWNED gemp_vertex *ids = NULL;
		size_t found;
		const gemp_expr *expr = conditions[i]->expr;
		const int index = gemp_value_lookup_index(graph, expr);
		if (index == GEMP_NO_LOOKUP) {
			left[(*left_count)++] = conditions[i];
			continue;
		}
		const size_t v = (size_t)__builtin_ctzll(conditions[i]->vertices);
		GEMP_TRY(gemp_value_lookup_find(graph, context->comm, index, expr, &ids, &found));
		GEMP_TRY(gemp_comm_agree(context->comm, keep_ids(candidates, v, ids, found)));
		extend_key(candidates, v, &conditions[i], 1, false);
	}
	gemp_timers_add(&context->timers, GEMP_PHASE_READ, began);
	return GEMP_OK;
}

/* Loads the columns of all conditions that no index answers. Then all conditions on one pattern vertex are evaluated
 * together, so that they need only one reduction. */
gemp_code gemp_candidates_narrow(gemp_candidates *candidates, gemp_runtime *context, gemp_filter *filter,
                                 gemp_shard *graph, const gemp_pattern *pattern, const gemp_condition *const *all,
                                 size_t all_count)
{
	gemp_code code = GEMP_OK;
	size_t count;
	GEMP_OWNED const gemp_column **columns = NULL;
	GEMP_OWNED const gemp_condition **own = NULL, **conditions = NULL;
	computed_values asked = { 0 };
	gemp_filter_rows rows = { .tag = GRAPH_ROWS,
		                      .rows = graph->rows,
		                      .label_set_count = graph->label_set_count,
		                      .value = value_of,
		                      .value_context = &asked,
		                      .lasting = true };
	GEMP_TRY(
		gemp_comm_agree(context->comm, gemp_new_all(GEMP_ARRAY(columns, graph->attributes.count),
	                                                GEMP_ARRAY(own, all_count), GEMP_ARRAY(conditions, all_count))));
	GEMP_TRY(look_up(candidates, context, graph, all, all_count, conditions, &count));
	const bool count_loops = gemp_filter_counts_loops(filter);
	GEMP_TRY(take_kept(candidates, context, graph, pattern->vertex_count, count_loops, conditions, &count, own));
	if (!count)
		return GEMP_OK;
	GEMP_TRY_DONE(prepare_computed(&asked, context, graph, count_loops, conditions, count));
	rows.columns = columns;
	double began = gemp_now();
	for (size_t i = 0; i < count; i++)
		GEMP_TRY_DONE(load_for(graph, conditions[i]->expr, &rows, columns));
	began = gemp_timers_add(&context->timers, GEMP_PHASE_READ, began);
	const double before = gemp_timers_sum(&context->timers);
	for (size_t v = 0; v < pattern->vertex_count; v++) {
		const size_t mine = conditions_on(v, conditions, count, own);
		if (!mine)
			continue;
		GEMP_TRY_DONE(evaluate_conditions(candidates, v, context, filter, graph, &rows, own, mine));
		extend_key(candidates, v, own, mine, count_loops);
		if (!candidates->keyless)
			gemp_kept_results_put(graph, &candidates->key[v], candidates->bits[v],
			                      (candidates->words + 1) * sizeof *candidates->bits[v]);
	}
	gemp_timers_add_rest(&context->timers, GEMP_PHASE_FILTER, began, before);
done:
	gemp_column_free(&asked.label_lists);
	gemp_degree_columns_free(&asked.degrees);
	return code;
}

/* Local. Sets the bits of every n-th own candidate of pattern vertex v, at most about `sampled` of them. */
static gemp_code sample_own(const gemp_candidates *candidates, const gemp_shard *graph, size_t v, size_t sampled,
                            uint32_t **out, size_t *count)
{
	size_t own = graph->rows, seen = 0;
	GEMP_TRY(GEMP_NEW(*out, gemp_bits32_words(graph->rows) + 1));
	if (candidates->bits[v]) {
		own_bits_of(candidates->bits[v], graph->first_vertex, graph->rows, *out);
		own = gemp_bits32_count(*out, gemp_bits32_words(graph->rows));
	}
	const size_t every = own / sampled + 1;
	memset(*out, 0, gemp_bits32_words(graph->rows) * sizeof **out);
	for (size_t row = 0; row < graph->rows; row += candidates->bits[v] ? 1 : every)
		if (!candidates->bits[v] ||
		    (gemp_candidates_has(candidates, (int)v, graph->first_vertex + row) && seen++ % every == 0)) {
			gemp_bits32_set(*out, row);
			++*count;
		}
	return GEMP_OK;
}

/* Local. Tests a condition on the host for a sample of the own candidates. */
static gemp_code test_sample(const gemp_candidates *candidates, const gemp_shard *graph, const gemp_filter_rows *rows,
                             const gemp_condition *condition, size_t sampled, uint64_t found[2])
{
	GEMP_OWNED uint32_t *among = NULL, *bits = NULL;
	const size_t v = (size_t)__builtin_ctzll(condition->vertices), words = gemp_bits32_words(graph->rows);
	size_t count = 0;
	const gemp_filter_view view = { graph->rows, rows, NULL };
	GEMP_TRY(GEMP_NEW(bits, words + 1));
	GEMP_TRY(sample_own(candidates, graph, v, sampled, &among, &count));
	gemp_code code = gemp_filter_on_host(&view, (const gemp_expr *const[]){ condition->expr }, 1, among, bits);
	found[0] = count;
	found[1] = code == GEMP_EDATA ? count : gemp_bits32_count(bits, words);
	return code == GEMP_EDATA ? GEMP_OK : code;
}

/* One more candidate passes and one more does not, so a small sample never rules out either (Laplace's rule of
 * succession). */
gemp_code gemp_candidates_share(const gemp_candidates *candidates, gemp_runtime *context, gemp_shard *graph,
                                const gemp_condition *condition, bool count_loops, size_t sampled, double *share)
{
	gemp_code code = GEMP_OK;
	GEMP_OWNED const gemp_column **columns = NULL;
	computed_values asked = { 0 };
	uint64_t found[2] = { 0 };
	gemp_filter_rows rows = {
		.rows = graph->rows, .label_set_count = graph->label_set_count, .value = value_of, .value_context = &asked
	};
	GEMP_TRY(gemp_comm_agree(context->comm, GEMP_NEW(columns, graph->attributes.count)));
	GEMP_TRY_DONE(prepare_computed(&asked, context, graph, count_loops, &condition, 1));
	rows.columns = columns;
	double began = gemp_now();
	GEMP_TRY_DONE(load_for(graph, condition->expr, &rows, columns));
	gemp_timers_add(&context->timers, GEMP_PHASE_READ, began);
	GEMP_TRY_DONE(gemp_comm_agree(context->comm, test_sample(candidates, graph, &rows, condition, sampled, found)));
	gemp_comm_sum(context->comm, found, 2);
	*share = ((double)found[1] + 1) / ((double)found[0] + 2);
done:
	gemp_column_free(&asked.label_lists);
	gemp_degree_columns_free(&asked.degrees);
	return code;
}

/* Without conditions every vertex is a candidate, and no bitmap is made. */
gemp_code gemp_candidates_new(gemp_candidates *out, gemp_runtime *context, gemp_filter *filter, gemp_shard *graph,
                              const gemp_pattern *pattern, const gemp_condition *const *conditions, size_t count)
{
	*out = (gemp_candidates){ .words = gemp_bits32_words(graph->vertex_count) };
	for (size_t v = 0; v < pattern->vertex_count; v++)
		out->count[v] = graph->vertex_count;
	gemp_code code = gemp_candidates_narrow(out, context, filter, graph, pattern, conditions, count);
	if (code != GEMP_OK)
		gemp_candidates_free(out);
	return code;
}

/* The bits themselves are in the key, unless they are more than a test of all vertices is worth: comparing 1 MiB takes
 * about 0.1 ms, a test of its 8 million vertices at least 8 ms. */
static void add_limit_to_key(gemp_candidates *candidates, size_t v, const uint32_t *bits)
{
	enum { MAX_WORDS = 1 << 18 };
	const char kind = GEMP_KEPT_LIMITED;
	gemp_text key = { .failed = candidates->keyless || candidates->words > MAX_WORDS };
	gemp_text_add(&key, &kind, 1);
	gemp_kept_key_bytes(&key, candidates->key[v].data, candidates->key[v].size);
	gemp_kept_key_bytes(&key, bits, candidates->words * sizeof *bits);
	set_key(candidates, v, &key);
}

/* The first bitmap is copied, since the caller may free its own bitmap as soon as the search is prepared. */
gemp_code gemp_candidates_limit(gemp_candidates *candidates, int vertex, const uint32_t *bits)
{
	uint32_t *own = candidates->bits[vertex];
	for (size_t w = 0; own && w < candidates->words; w++)
		own[w] &= bits[w];
	if (!own) {
		GEMP_TRY(GEMP_NEW(candidates->bits[vertex], candidates->words + 1));
		if (candidates->words)
			memcpy(candidates->bits[vertex], bits, candidates->words * sizeof *bits);
	}
	add_limit_to_key(candidates, (size_t)vertex, bits);
	candidates->count[vertex] = gemp_bits32_count(candidates->bits[vertex], candidates->words);
	return GEMP_OK;
}

void gemp_candidates_free(gemp_candidates *candidates)
{
	for (size_t v = 0; v < GEMP_MAX_PATTERN_VERTICES; v++) {
		gemp_free(candidates->bits[v]);
		gemp_text_free(&candidates->key[v]);
	}
	*candidates = (gemp_candidates){ 0 };
}

/* Bitmaps of which one is permuted to the other. */
typedef struct slot_bits {
	const gemp_slot_order *order;
	const uint32_t *by_id;
	uint32_t *out;
} slot_bits;

/* Makes some words of the bitmap by slot. */
static void gather_bits(void *context, size_t chunk, size_t begin, size_t end)
{
	const slot_bits *b = context;
	(void)chunk;
	for (size_t w = begin; w < end; w++) {
		const size_t count = gemp_min(b->order->vertices - w * 32, (size_t)32);
		const gemp_vertex *ids = b->order->id_of + w * 32;
		uint32_t word = 0;
		for (size_t i = 0; i < count; i++)
			word |= (b->by_id[ids[i] / 32] >> ids[i] % 32 & 1) << i;
		b->out[w] = word;
	}
}

/* Words without bits are skipped, so a selective filter costs little. All threads gather many bits, of which each makes
 * words of its own: 5 million candidates of 8 million vertices took 15 ms on one thread. */
void gemp_candidates_by_slot(const gemp_slot_order *order, const uint32_t *by_id, uint32_t *out, size_t words)
{
	enum { CHUNK_WORDS = 1 << 12, DENSE = 8 };
	if (words > 2 * CHUNK_WORDS && gemp_bits32_count(by_id, words) > order->vertices / DENSE) {
		gemp_for_chunks(gemp_bits32_words(order->vertices), CHUNK_WORDS, gather_bits,
		                &(slot_bits){ order, by_id, out });
		return;
	}
	for (size_t w = 0; w < words; w++)
		for (uint32_t left = by_id[w]; left; left &= left - 1)
			gemp_bits32_set(out, order->slot_of[w * 32 + (size_t)__builtin_ctz(left)]);
}

bool gemp_candidates_same(const gemp_candidates *candidates, int a, int b)
{
	const uint32_t *x = candidates->bits[a], *y = candidates->bits[b];
	return x == y || (x && y && memcmp(x, y, candidates->words * sizeof *x) == 0);
}
