/* Runs a random pattern (cypher_pattern.h) by src/cypher/search on a distributed graph, and compares the rows with the
 * reference (cypher_reference.h). */
#ifndef GEMP_TESTS_CYPHER_CASE_H
#define GEMP_TESTS_CYPHER_CASE_H

#include "core/log.h"
#include "cypher/check/check.h"
#include "cypher/search/search.h"
#include "cypher_reference.h"
#include "harness/runtime.h"

/* In larger graphs there may be millions of trails without an upper bound. */
enum { GIVEN_ROWS = 3, MAX_UNBOUNDED_EDGES = 8 };

/* The same graph with other ids on each rank alone. */
typedef struct case_graphs {
	fixture made;
	gemp_shard *distributed, *whole;
} case_graphs;

typedef struct pattern_case {
	random_pattern pattern;
	size_t given_count;
	given_row given[GIVEN_ROWS];
	bool whole; /* all rows of the first MATCH are given, and no row is printed */
	gemp_text text;
} pattern_case;

/* The rows of a run, on rank 0. */
typedef struct case_rows {
	size_t count;
	char **rows;
} case_rows;

static gemp_comm alone;
static gemp_runtime *all_ranks, *one_rank;

static inline int open_context(void **state)
{
	(void)state;
	gemp_budgets none = { 0 };
	gemp_log_set_level(GEMP_QUIET);
	gemp_comm_new(&alone, MPI_COMM_SELF);
	return gemp_runtime_new(&all_ranks, &test_comm, NULL, &none) == GEMP_OK &&
	               gemp_runtime_new(&one_rank, &alone, NULL, &none) == GEMP_OK
	           ? 0
	           : -1;
}

static inline int close_context(void **state)
{
	(void)state;
	gemp_runtime_free(all_ranks);
	gemp_runtime_free(one_rank);
	gemp_comm_free(&alone);
	return gemp_memory_blocks() == 0 ? 0 : -1;
}

static inline void graphs_new(case_graphs *g, size_t vertices, size_t edges, uint64_t seed)
{
	gemp_builder_options here = { .seed = seed }, there = { .seed = seed + 1 };
	g->made = fixture_new(vertices, edges, KEYS_INTEGER, seed);
	assert_all_ok(fixture_build(&g->distributed, &g->made, &test_comm, &here, seed));
	assert_all_ok(fixture_build(&g->whole, &g->made, &alone, &there, seed));
}

static inline void graphs_free(case_graphs *g)
{
	gemp_shard_free(g->distributed);
	gemp_shard_free(g->whole);
	fixture_free(&g->made);
}

/* The first MATCH binds the given variables, and its rows are reduced to those of the case. */
static inline void pattern_case_new(pattern_case *c, const fixture *made, uint64_t *random)
{
	*c = (pattern_case){ .pattern = random_pattern_new(random) };
	for (size_t h = 0; h < c->pattern.hop_count && made->edge_count > MAX_UNBOUNDED_EDGES; h++)
		c->pattern.hops[h].bounded = true;
	c->given_count = made->edge_count ? gemp_random_below(random, GIVEN_ROWS + 1) : 0;
	for (size_t i = 0; i < c->given_count; i++) {
		for (int v = 0; v < GIVEN_NODES; v++)
			c->given[i].nodes[v] = gemp_random_below(random, made->vertex_count);
		c->given[i].edge = gemp_random_below(random, made->edge_count);
	}
	gemp_text_print(&c->text, "MATCH (n0), (n1), ()-[r0]->() ");
	print_pattern(&c->pattern, &c->text);
	gemp_text_print(&c->text, " RETURN 1 AS one");
}

/* RUNNING */

typedef struct running {
	const case_graphs *graphs;
	const pattern_case *c;
	gemp_shard *graph;
	gemp_cypher_search *search;
	gemp_cypher_tree tree;
	const gemp_cypher_clause *first, *second;
	gemp_cypher_environment environment;
	gemp_arena arena;
} running;

/* The key of vertex i of the fixture is i * 1000003 - 5000, but that of vertex 1 is the smallest integer. */
static inline gemp_code vertex_of(const running *r, uint64_t id, size_t *out)
{
	const gemp_cypher_graph *graph = gemp_cypher_search_graph(r->search);
	gemp_datum key;
	GEMP_TRY(graph->key(graph->self, id, r->environment.arena, &key));
	*out = key.integer == INT64_MIN ? 1 : (size_t)((key.integer + 5000) / 1000003);
	return GEMP_OK;
}

static inline gemp_code print_property(const running *r, gemp_datum edge, const char *name, gemp_text *out)
{
	const gemp_cypher_graph *graph = gemp_cypher_search_graph(r->search);
	gemp_datum value;
	GEMP_TRY(graph->property(graph->self, edge, name, r->environment.arena, &value));
	if (value.kind == GEMP_DATUM_INTEGER)
		gemp_text_print(out, " %lld", (long long)value.integer);
	else if (value.kind == GEMP_DATUM_STRING)
		gemp_text_print(out, " %s", value.text);
	return GEMP_OK;
}

static inline gemp_code print_value(const running *r, gemp_datum value, gemp_text *out)
{
	const gemp_cypher_graph *graph = gemp_cypher_search_graph(r->search);
	uint64_t from, to;
	size_t a = 0, b;
	gemp_datum type;
	switch (value.kind) {
	case GEMP_DATUM_NULL: gemp_text_print(out, "NULL"); return GEMP_OK;
	case GEMP_DATUM_NODE:
		GEMP_TRY(vertex_of(r, value.id, &a));
		gemp_text_print(out, "%zu", a);
		return GEMP_OK;
	case GEMP_DATUM_RELATIONSHIP:
		GEMP_TRY(graph->ends(graph->self, value.id, &from, &to));
		GEMP_TRY(graph->type(graph->self, value.id, r->environment.arena, &type));
		GEMP_TRY(vertex_of(r, from, &a));
		GEMP_TRY(vertex_of(r, to, &b));
		gemp_text_print(out, "%zu-%s->%zu", a, type.text, b);
		GEMP_TRY(print_property(r, value, "weight", out));
		return print_property(r, value, "note", out);
	default:
		for (size_t i = 0; i < value.size; i++) {
			gemp_text_print(out, value.kind == GEMP_DATUM_LIST || i ? ", " : "<");
			GEMP_TRY(print_value(r, value.items[i], out));
		}
		return GEMP_OK;
	}
}

static inline gemp_code print_slot(const running *r, const gemp_datum *row, int slot, bool list, gemp_text *out)
{
	gemp_text_print(out, "=%s", list && row[slot].kind == GEMP_DATUM_LIST ? "[" : "");
	if (row[slot].kind == GEMP_DATUM_RELATIONSHIP)
		gemp_text_print(out, ", "); /* as the reference does */
	return print_value(r, row[slot], out);
}

static inline int slot_of_node(const gemp_cypher_pattern *pattern, const char *name)
{
	for (const gemp_cypher_path *path = pattern->first; path; path = path->next) {
		const gemp_cypher_node *node = path->from;
		for (const gemp_cypher_edge *edge = path->first; node; edge = edge->next) {
			if (node->name.bytes && strcmp(node->name.bytes, name) == 0)
				return node->slot;
			node = edge ? edge->to : NULL;
			if (!edge)
				break;
		}
	}
	return -1;
}

static inline gemp_code print_row(const running *r, size_t origin, const gemp_datum *row, gemp_text *out)
{
	const random_pattern *p = &r->c->pattern;
	size_t h = 0, i = 0;
	gemp_text_print(out, "%zu:", origin);
	for (int v = GIVEN_NODES; v < MAX_NODES; v++) {
		char name[8];
		snprintf(name, sizeof name, "n%d", v);
		if (!p->used[v])
			continue;
		gemp_text_print(out, " %s", name);
		GEMP_TRY(print_slot(r, row, slot_of_node(r->second->pattern, name), false, out));
	}
	for (const gemp_cypher_path *path = r->second->pattern->first; path; path = path->next)
		for (const gemp_cypher_edge *edge = path->first; edge; edge = edge->next, h++)
			if (p->hops[h].named && !p->hops[h].is_given) {
				gemp_text_print(out, " r%zu", h + 1);
				GEMP_TRY(print_slot(r, row, edge->slot, true, out));
			}
	for (const gemp_cypher_path *path = r->second->pattern->first; path; path = path->next, i++)
		if (p->paths[i].named) {
			gemp_text_print(out, " p%zu", i);
			GEMP_TRY(print_slot(r, row, path->slot, false, out));
		}
	return GEMP_OK;
}

/* The row of the first MATCH that has the values of a given row. */
static inline gemp_code add_given(const running *r, const given_row *given, const gemp_cypher_table *rows,
                                  gemp_cypher_table *in)
{
	for (size_t i = 0; i < rows->rows; i++) {
		const gemp_datum *row = gemp_cypher_table_row(rows, i);
		GEMP_OWNED_BY(gemp_text_free) gemp_text wanted = { 0 };
		GEMP_OWNED_BY(gemp_text_free) gemp_text edge = { 0 };
		size_t a, b;
		gemp_datum *to;
		GEMP_TRY(vertex_of(r, row[0].id, &a));
		GEMP_TRY(vertex_of(r, row[1].id, &b));
		if (a != given->nodes[0] || b != given->nodes[1])
			continue;
		print_edge(&r->graphs->made, given->edge, &wanted);
		GEMP_TRY(print_value(r, row[2], &edge));
		if (strcmp(wanted.data, edge.data) != 0)
			continue;
		GEMP_TRY(gemp_cypher_table_add(in, &to));
		memcpy(to, row, in->width * sizeof *to);
		return GEMP_OK;
	}
	return gemp_fail(GEMP_EDATA, "the first MATCH lacks a row");
}

static inline gemp_code match_both(running *r, gemp_cypher_table tables[4], case_rows *out)
{
	gemp_cypher_table *start = &tables[0], *bound = &tables[1], *in = &tables[2], *rows = &tables[3];
	gemp_datum *row;
	GEMP_TRY(gemp_cypher_table_add(start, &row));
	bound->width = in->width = (size_t)r->first->width_out;
	rows->width = (size_t)r->second->width_out;
	rows->with_origin = true;
	r->environment.slots = (size_t)gemp_cypher_clause_slots(r->first);
	GEMP_TRY(gemp_cypher_search_match(r->search, r->first->pattern, NULL, false, &r->environment, start, bound));
	GEMP_TRY(gemp_cypher_search_load(r->search, bound));
	if (r->c->whole)
		in = bound;
	for (size_t i = 0; i < r->c->given_count; i++)
		GEMP_TRY(add_given(r, &r->c->given[i], bound, in));
	r->environment.slots = (size_t)gemp_cypher_clause_slots(r->second);
	GEMP_TRY(gemp_cypher_search_match(r->search, r->second->pattern, r->second->where, r->second->optional,
	                                  &r->environment, in, rows));
	GEMP_TRY(gemp_cypher_search_load(r->search, rows));
	out->rows = calloc(rows->rows + 1, sizeof *out->rows);
	for (size_t i = 0; i < rows->rows && !r->c->whole; i++) {
		gemp_text text = { 0 };
		GEMP_TRY(print_row(r, gemp_cypher_table_origin(rows, i), gemp_cypher_table_row(rows, i), &text));
		out->rows[out->count++] = strdup(text.data);
		gemp_text_free(&text);
	}
	return GEMP_OK;
}

/* Rank 0 of a communicator. */
static inline gemp_code drive(running *r, case_rows *out)
{
	gemp_cypher_table tables[4] = { 0 };
	r->environment = (gemp_cypher_environment){ .arena = &r->arena,
		                                        .source = &r->tree.source,
		                                        .graph = gemp_cypher_search_graph(r->search) };
	gemp_code code = match_both(r, tables, out);
	for (int i = 0; i < 4; i++)
		gemp_cypher_table_free(&tables[i]);
	gemp_arena_free(&r->arena);
	return code;
}

/* Collective over the ranks of the runtime. */
static inline gemp_code run_case(gemp_runtime *context, gemp_shard *graph, const case_graphs *graphs,
                                 const pattern_case *c, case_rows *out)
{
	running r = { .graphs = graphs, .c = c, .graph = graph };
	const gemp_prepared_options options = {
		.match = { .listed = true, .replicate = GEMP_REPLICATE_AUTO, .limit = UINT64_MAX }
	};
	const gemp_source source = { NULL, c->text.data };
	gemp_code code = gemp_cypher_parse(&r.tree, &source);
	GEMP_THEN(gemp_cypher_check(&r.tree));
	code = gemp_comm_agree(context->comm, code);
	if (code == GEMP_OK) {
		r.first = r.tree.query->first->first;
		r.second = r.first->next;
	}
	GEMP_THEN(gemp_cypher_search_new(&r.search, context, graph, &r.tree, NULL, &options, NULL));
	if (code == GEMP_OK && context->comm->rank == 0) {
		code = drive(&r, out);
		gemp_cypher_search_end(r.search, code);
	} else if (code == GEMP_OK) {
		code = gemp_cypher_search_serve(r.search);
	}
	gemp_cypher_search_free(r.search);
	gemp_cypher_tree_free(&r.tree);
	return code;
}

/* COMPARING */

static inline void rows_free(case_rows *rows)
{
	for (size_t i = 0; i < rows->count; i++)
		free(rows->rows[i]);
	free(rows->rows);
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static inline bool same_texts(char *const *a, size_t a_count, char *const *b, size_t b_count, const char *what)
{
	size_t i = 0;
	while (i < a_count && i < b_count && strcmp(a[i], b[i]) == 0)
		i++;
	if (i == a_count && i == b_count)
		return true;
	print_message("%s: %zu rows, not %zu; row %zu is '%s', not '%s'\n", what, a_count, b_count, i,
	              i < a_count ? a[i] : "(none)", i < b_count ? b[i] : "(none)");
	return false;
}

static inline void check_case(const case_graphs *graphs, pattern_case *c)
{
	case_rows here = { 0 }, there = { 0 };
	reference expected = { .made = &graphs->made, .pattern = &c->pattern };
	expected.rows = calloc(MAX_FOUND, sizeof *expected.rows);
	for (size_t i = 0; i < c->given_count; i++)
		reference_extend(&expected, &c->given[i], i);
	print_message("%s: %zu rows of %zu\n", c->text.data, expected.count, c->given_count);
	if (!expected.too_many) {
		assert_all_ok(run_case(all_ranks, graphs->distributed, graphs, c, &here));
		assert_all_ok(run_case(one_rank, graphs->whole, graphs, c, &there));
		if (test_comm.rank == 0) {
			bool same = c->pattern.has_single || same_texts(here.rows, here.count, there.rows, there.count, "order");
			qsort(here.rows, here.count, sizeof *here.rows, compare_texts);
			qsort(expected.rows, expected.count, sizeof *expected.rows, compare_texts);
			assert_all(same_texts(here.rows, here.count, expected.rows, expected.count, "rows") && same);
		} else {
			assert_all(true);
		}
	}
	rows_free(&here);
	rows_free(&there);
	reference_free(&expected);
	gemp_text_free(&c->text);
}

#endif
