/* The parts of a query are its first MATCH, which is part 0, and each OPTIONAL MATCH. A part depends on the part of its
 * argument, and is computed before it. The sums have targets: target 0 is the number of all rows, and each other target
 * is the number of rows in which a certain OPTIONAL MATCH has a match. All parts on the way from there to part 0 have a
 * match then, too, so n replaces max(1, n) in all of them. */
#include "query/typed_counting.h"

#include "core/limits.h"
#include "core/status.h"
#include "core/threads.h"
#include "count/elimination.h"
#include "query/typed_part.h"

#include <string.h>

enum { MAX_WEIGHTS = 64 };

/* The entries that sums could read while an OPTIONAL MATCH extends a row, which takes about 170 ns: the row is stored,
 * sorted into a tuple and written again. In LSQB 7 over 53,350 vertices, two OPTIONAL MATCH take 16 ms for 47,701 rows
 * on two cores that are shared (2026-12-01). */
enum { ENTRIES_PER_ROW = 64 };

typedef struct counted_part {
	gemp_typed_part typed;
	gemp_elimination elimination;
	int outer, vertex; /* the part of the argument, and its vertex there; -1: part 0 has none */
} counted_part;

struct gemp_typed_counting {
	gemp_runtime *context;
	gemp_shard *graph;
	const gemp_pattern *pattern;
	const gemp_match_options *options;
	int part_count, target_count;
	counted_part *parts;           /* [part_count] owned */
	int targets[MAX_WEIGHTS];      /* [target_count] the part that has a match; 0: all rows */
	uint64_t counts[MAX_WEIGHTS];  /* [target_count] after the run */
	uint64_t *tables[MAX_WEIGHTS]; /* [weight_of(part, target)] owned; NULL: not used, or not computed yet */
	const char *reason;
};

/* PARTS AND TARGETS */

/* Returns why the options or the shape of the pattern exclude elimination. */
static const char *refusal(const gemp_pattern *pattern, const gemp_match_options *o)
{
	if (o->place == GEMP_PLACE_DEVICE)
		return "it is to be counted on devices";
	if (o->distinct != GEMP_BY_NOTHING || (o->semantics != GEMP_EDGE_ISO && o->semantics != GEMP_HOM))
		return "vertices of a match must differ, or several embeddings are one match";
	if (pattern->simple || pattern->arguments || !(pattern->edge_count || pattern->optional_count))
		return "its shape or an option needs a search";
	for (size_t i = 0; i < pattern->optional_count; i++)
		if (pattern->optionals[i].pattern->arguments != 1 || !pattern->optionals[i].pattern->edge_count)
			return "an OPTIONAL MATCH does not have a single given vertex";
	return NULL;
}

/* Returns why the shape of a part excludes elimination. Parts of a disconnected pattern would be multiplied. */
static const char *part_refusal(const gemp_pattern *pattern)
{
	int component[GEMP_MAX_PATTERN_VERTICES];
	if (gemp_pattern_has_paths(pattern))
		return "it has paths of variable length";
	return gemp_pattern_components(pattern, component) == 1 ? NULL : "it falls into several parts";
}

/* The part that adds a vertex or edge to the row. */
static int part_of(const gemp_pattern *pattern, int variable, bool edge)
{
	if (variable < (int)(edge ? pattern->edge_count : pattern->vertex_count))
		return 0;
	return 1 + (int)(gemp_pattern_optional_of(pattern, variable, edge) - pattern->optionals);
}

static void set_part(gemp_typed_counting *c, int p)
{
	counted_part *part = &c->parts[p];
	const gemp_optional *optional = p ? &c->pattern->optionals[p - 1] : NULL;
	part->typed = (gemp_typed_part){
		.context = c->context, .graph = c->graph, .pattern = p ? optional->pattern : c->pattern, .options = c->options
	};
	part->outer = part->vertex = -1;
	if (!c->reason)
		c->reason = part_refusal(part->typed.pattern);
	if (!p)
		return;
	part->outer = part_of(c->pattern, optional->outer[0], false);
	part->vertex = optional->outer[0];
	if (part->outer) /* the new vertices of an OPTIONAL MATCH follow its argument */
		part->vertex += 1 - c->pattern->optionals[part->outer - 1].first_vertex;
	c->parts[part->outer].typed.extended |= GEMP_BIT(part->vertex);
}

static void add_target(gemp_typed_counting *c, int part)
{
	for (int t = 0; t < c->target_count; t++)
		if (c->targets[t] == part)
			return;
	c->targets[c->target_count++] = part;
}

/* Adds the OPTIONAL MATCHes whose elements the expression counts. */
static void add_targets(gemp_typed_counting *c, const gemp_expr *expr)
{
	if (expr->kind == GEMP_COUNT)
		add_target(c, part_of(c->pattern, expr->children[0]->variable, expr->children[0]->kind == GEMP_EDGE));
	for (size_t i = 0; i < expr->count && expr->kind != GEMP_COUNT; i++)
		add_targets(c, expr->children[i]);
}

/* Local. */
static gemp_code set_parts(gemp_typed_counting *c)
{
	const gemp_clause *clause = gemp_pattern_first_clause(c->pattern);
	c->part_count = 1 + (int)c->pattern->optional_count;
	GEMP_TRY(GEMP_NEW(c->parts, (size_t)c->part_count));
	for (int p = 0; p < c->part_count; p++)
		set_part(c, p);
	add_target(c, 0);
	for (size_t i = 0; i < clause->item_count && c->options->groups.only_presence; i++)
		add_targets(c, clause->items[i].expr);
	if ((c->part_count - 1) * c->target_count > MAX_WEIGHTS)
		c->reason = "it has too many OPTIONAL MATCH";
	return GEMP_OK;
}

/* Does the part have a match in each row of the target? */
static bool has_match(const gemp_typed_counting *c, int part, int target)
{
	int p = c->targets[target];
	while (p > part)
		p = c->parts[p].outer;
	return target && p == part;
}

/* The weight of the vertex at which the part is an OPTIONAL MATCH. */
static int weight_of(const gemp_typed_counting *c, int part, int target)
{
	return (part - 1) * c->target_count + target;
}

/* Is the elimination of the part run for the target? Otherwise its numbers are those of target 0. */
static bool is_own_target(const gemp_typed_counting *c, int part, int target)
{
	return target == 0 || (has_match(c, part, target) && c->targets[target] != part);
}

/* PLANNING */

/* Sets the weights that the vertices of a part have in the terms of a target. */
static void set_weights(gemp_typed_counting *c, int p, int target)
{
	gemp_typed_term *whole = &c->parts[p].typed.typed.whole;
	memset(whole->weights, 0, sizeof whole->weights);
	whole->target = target;
	for (int i = p + 1; i < c->part_count; i++)
		if (c->parts[i].outer == p)
			whole->weights[c->parts[i].vertex] |= GEMP_BIT(weight_of(c, i, has_match(c, i, target) ? target : 0));
}

/* Local. Adds the terms of a part and a target. */
static gemp_code add_terms(gemp_typed_counting *c, int p, int target, gemp_typed_terms *all)
{
	GEMP_OWNED_BY(gemp_typed_terms_free) gemp_typed_terms terms = { 0 };
	bool fits;
	set_weights(c, p, target);
	GEMP_TRY(gemp_typed_terms_new(&terms, &c->parts[p].typed.typed, &fits));
	if (!fits)
		c->reason = "it has too many conditions";
	for (size_t i = 0; i < terms.count && fits; i++)
		GEMP_TRY(gemp_typed_terms_add(all, &terms.terms[i]));
	return GEMP_OK;
}

/* Collective. */
static gemp_code plan_part(gemp_typed_counting *c, int p)
{
	GEMP_OWNED_BY(gemp_typed_terms_free) gemp_typed_terms terms = { 0 };
	counted_part *part = &c->parts[p];
	gemp_code code = GEMP_OK;
	for (int t = 0; t < c->target_count && code == GEMP_OK && !c->reason; t++)
		if (is_own_target(c, p, t))
			code = add_terms(c, p, t, &terms);
	GEMP_TRY(gemp_comm_agree(c->context->comm, code));
	if (c->reason)
		return GEMP_OK;
	GEMP_TRY(gemp_elimination_new(&part->elimination, c->context, c->graph, &part->typed.typed.types,
	                              &part->typed.classes, &terms, &c->reason));
	part->elimination.weights = c->tables;
	return GEMP_OK;
}

/* Compares the cost of the sums with that of a search, which reads the edges once to plan. */
static void compare_costs(gemp_typed_counting *c)
{
	const gemp_core_order search = gemp_elimination_search(&c->parts[0].elimination, &c->parts[0].typed.typed.whole);
	double walks = 0, passes = 0;
	for (int p = 0; p < c->part_count; p++) {
		walks += c->parts[p].elimination.walk_cost;
		passes += c->parts[p].elimination.pass_cost;
	}
	if (walks > (double)gemp_limits_now()->host_entries)
		c->reason = "its cycles have too many matches";
	else if (4 * (search.cost + search.rows * ENTRIES_PER_ROW * (c->part_count - 1)) < walks + passes)
		c->reason = "a search reads less";
}

/* Collective. */
static gemp_code prepare(gemp_typed_counting *c)
{
	GEMP_TRY(gemp_comm_agree(c->context->comm, set_parts(c)));
	for (int p = 0; p < c->part_count && !c->reason; p++) {
		GEMP_TRY(gemp_typed_part_find(&c->parts[p].typed));
		c->reason = c->parts[p].typed.reason;
		if (!c->reason)
			GEMP_TRY(plan_part(c, p));
	}
	if (!c->reason && c->options->place != GEMP_PLACE_HOST)
		compare_costs(c);
	return GEMP_OK;
}

gemp_code gemp_typed_counting_new(gemp_typed_counting **out, gemp_runtime *context, gemp_shard *graph,
                                  const gemp_pattern *pattern, const gemp_match_options *options, const char **reason)
{
	GEMP_OWNED_BY(gemp_typed_counting_free_at) gemp_typed_counting *c = NULL;
	*out = NULL;
	if ((*reason = refusal(pattern, options)))
		return GEMP_OK;
	GEMP_TRY(gemp_comm_agree(context->comm, GEMP_NEW(c, 1)));
	c->context = context;
	c->graph = graph;
	c->pattern = pattern;
	c->options = options;
	GEMP_TRY(prepare(c));
	*reason = c->reason;
	if (!c->reason) {
		*out = c;
		c = NULL;
	}
	return GEMP_OK;
}

void gemp_typed_counting_free(gemp_typed_counting *c)
{
	if (!c)
		return;
	for (int p = 0; c->parts && p < c->part_count; p++) {
		gemp_elimination_free(&c->parts[p].elimination);
		gemp_typed_part_free(&c->parts[p].typed);
	}
	for (int w = 0; w < MAX_WEIGHTS; w++)
		gemp_free(c->tables[w]);
	gemp_free_all(c->parts, c);
}

/* RUNNING */

static void raise_to_one(void *context, size_t begin, size_t end)
{
	uint64_t *table = context;
	for (size_t v = begin; v < end; v++)
		table[v] += !table[v];
}

/* Collective. Makes the tables of an OPTIONAL MATCH. Target 0 has max(1, n), and the target of the part itself n. */
static gemp_code make_tables(gemp_typed_counting *c, int p)
{
	counted_part *part = &c->parts[p];
	uint64_t **tables = &c->tables[weight_of(c, p, 0)];
	if (tables[0])
		return GEMP_OK;
	for (int t = 0; t < c->target_count; t++)
		if (is_own_target(c, p, t))
			GEMP_TRY(gemp_elimination_table(&part->elimination, t, part->typed.divisor, &tables[t]));
	for (int t = 1; t < c->target_count; t++)
		if (c->targets[t] == p)
			GEMP_TRY(gemp_comm_agree(c->context->comm, GEMP_COPY(tables[t], tables[0], c->graph->rows)));
	gemp_for_elements(c->graph->rows, raise_to_one, tables[0]);
	return GEMP_OK;
}

gemp_code gemp_typed_counting_run(gemp_typed_counting *c, uint64_t *count)
{
	counted_part *first = &c->parts[0];
	for (int p = c->part_count - 1; p > 0; p--)
		GEMP_TRY(make_tables(c, p));
	for (int t = 0; t < c->target_count; t++)
		GEMP_TRY(gemp_elimination_run(&first->elimination, t, first->typed.divisor, &c->counts[t]));
	*count = c->counts[0];
	return GEMP_OK;
}

/* ROWS */

/* Writes the row in which the given parts have a match. No sink reads the elements that are present. */
static void fill_row(const gemp_typed_counting *c, uint64_t present, gemp_vertex *vertices, gemp_edge *edges)
{
	for (size_t v = 0; v < gemp_pattern_row_vertices(c->pattern); v++)
		vertices[v] = present >> part_of(c->pattern, (int)v, false) & 1 ? 0 : GEMP_NO_VERTEX;
	for (size_t e = 0; e < gemp_pattern_row_edges(c->pattern); e++)
		edges[e] = present >> part_of(c->pattern, (int)e, true) & 1 ? 0 : GEMP_NO_EDGE;
}

/* Local. If the parts have matches in n1 >= n2 >= ... >= nk of n rows, n - n1 rows have none of them, n1 - n2 rows have
 * the first, and so on, and nk rows have all. */
static gemp_code make_rows(const gemp_typed_counting *c, gemp_row_store *store)
{
	GEMP_OWNED gemp_vertex *vertices = NULL;
	GEMP_OWNED gemp_edge *edges = NULL;
	const size_t vertex_count = gemp_pattern_row_vertices(c->pattern), edge_count = gemp_pattern_row_edges(c->pattern);
	uint64_t present = 1, left = GEMP_BIT(c->target_count) - 2; /* targets after target 0 */
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(vertices, vertex_count), GEMP_ARRAY(edges, edge_count)));
	for (uint64_t rows = c->counts[0]; rows;) {
		int next = 0;
		for (int t = 1; t < c->target_count; t++)
			if (left & GEMP_BIT(t) && (!next || c->counts[t] > c->counts[next]))
				next = t;
		const uint64_t multiplicity = rows - (next ? c->counts[next] : 0);
		const gemp_batch row = { .rows = multiplicity > 0,
			                     .vertex_count = (int)vertex_count,
			                     .edge_count = (int)edge_count,
			                     .vertices = vertices,
			                     .edges = edges,
			                     .multiplicity = &multiplicity };
		fill_row(c, present, vertices, edges);
		GEMP_TRY(gemp_row_store_add(store, &row, row.rows));
		rows -= multiplicity;
		present |= GEMP_BIT(c->targets[next]);
		left &= ~GEMP_BIT(next);
	}
	return GEMP_OK;
}

gemp_code gemp_typed_counting_deliver(const gemp_typed_counting *c, gemp_sink *sink)
{
	GEMP_OWNED_BY(gemp_row_store_free) gemp_row_store store = { 0 };
	bool enough = false, again = false;
	gemp_code code = GEMP_OK;
	if (c->counts[0] > INT64_MAX)
		return gemp_fail(GEMP_EDATA, "there are %llu rows, and integers of a row end at 2^63 - 1; count without rows",
		                 (unsigned long long)c->counts[0]);
	if (c->context->comm->rank == 0)
		code = make_rows(c, &store);
	GEMP_THEN(gemp_row_store_pass(&store, sink));
	GEMP_TRY(gemp_comm_agree(c->context->comm, code));
	return sink->end_round(sink->self, true, &enough, &again);
}

/* TEXT */

static void print_sums(const gemp_typed_counting *c, int p, int target, gemp_text *out)
{
	const counted_part *part = &c->parts[p];
	size_t sums = 0;
	for (size_t i = 0; i < part->elimination.sum_count; i++)
		sums += part->elimination.sums[i].target == target;
	gemp_text_print(out, ": %zu sums / %llu\n", sums, (unsigned long long)part->typed.divisor);
	gemp_elimination_print(&part->elimination, target, out);
}

void gemp_typed_counting_explain(const gemp_typed_counting *c, gemp_text *out)
{
	gemp_text_print(out, "counted without enumerating");
	for (int t = 0; t < c->target_count; t++) {
		if (t)
			gemp_text_print(out, "rows with a match of OPTIONAL MATCH %d", c->targets[t]);
		print_sums(c, 0, t, out);
	}
	for (int p = 1; p < c->part_count; p++)
		for (int t = 0; t < c->target_count; t++) {
			if (!is_own_target(c, p, t))
				continue;
			gemp_text_print(out, t ? "{%d} = n of OPTIONAL MATCH %d" : "{%d} = max(1, n of OPTIONAL MATCH %d)",
			                weight_of(c, p, t), p);
			for (int own = 1; own < c->target_count && !t; own++)
				if (c->targets[own] == p)
					gemp_text_print(out, ", {%d} = n", weight_of(c, p, own));
			print_sums(c, p, t, out);
		}
	gemp_text_print(out, "on the host\n");
}
