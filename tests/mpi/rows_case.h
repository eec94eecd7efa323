/* Shared by tests of rows that are written: random rows that every rank knows, of a graph that every rank knows
 * (made_graph.h), and the text that they have as TSV. */
#ifndef GEMP_TESTS_ROWS_CASE_H
#define GEMP_TESTS_ROWS_CASE_H

#include "made_graph.h"

#include "comm/comm.h"
#include "core/status.h"
#include "core/types.h"
#include "graph/batch.h"
#include "graph/column.h"
#include "io/rows/row_writer.h"
#include "pattern/bind/bind.h"
#include "pattern/model/expr.h"
#include "pattern/model/pattern.h"
#include "pattern/semantic/parse.h"
#include "pattern/symmetry/automorphism.h"
#include "pattern/symmetry/permutation_group.h"
#include "query/clause/pipeline.h"
#include "query/output/result_rows.h"

#include <unistd.h>

enum { MAX_ROWS = 400, ROUNDS = 4, MAX_TEXT = 1 << 20 };

/* Rows that every rank knows. The rows of one round and rank are adjacent in the output. */
typedef struct input_rows {
	made_graph *made;
	gemp_pattern *pattern;
	size_t rows;
	gemp_vertex vertices[MAX_ROWS][3];
	gemp_edge edges[MAX_ROWS][2];
	int round[MAX_ROWS], rank[MAX_ROWS];
} input_rows;

static const char all_items[] = "MATCH (a)-[r]->(b)<-[s]-(c) "
								"RETURN a, id(b) AS key, c.name, a.age, r, s AS weight, s AS cost, b.size, c.good";

/* Turns the items "weight" and "cost" into attributes of edges. */
static inline void request_edge_attributes(gemp_pattern *pattern)
{
	for (size_t i = 0; i < pattern->result.item_count; i++) {
		gemp_return_item *item = &pattern->result.items[i];
		if (strcmp(item->name, "weight") != 0 && strcmp(item->name, "cost") != 0)
			continue;
		item->expr->kind = GEMP_ATTRIBUTE;
		item->expr->of_edge = true;
		gemp_free(item->expr->name);
		item->expr->name = gemp_strdup(item->name);
	}
}

static inline input_rows *input_rows_new(uint64_t seed, const char *query, size_t rows)
{
	input_rows *g;
	assert_all_ok(GEMP_NEW(g, 1));
	g->made = made_graph_new(seed);
	g->rows = rows;
	assert_all_ok(gemp_pattern_parse(&g->pattern, query, NULL));
	assert_all_ok(gemp_pattern_bind(g->pattern, &g->made->graph));
	request_edge_attributes(g->pattern);
	for (size_t i = 0; i < rows; i++) {
		for (int v = 0; v < 3; v++)
			g->vertices[i][v] = (gemp_vertex)gemp_random_below(&seed, MADE_VERTICES);
		for (int e = 0; e < 2; e++)
			g->edges[i][e] = gemp_random_below(&seed, MADE_RELATIONS * MADE_EDGES);
		g->round[i] = (int)gemp_random_below(&seed, ROUNDS);
		g->rank[i] = (int)gemp_random_below(&seed, (uint64_t)test_comm.size);
		if (g->rank[i] == 2)
			g->rank[i] = 0; /* rank 2 finds no rows */
	}
	return g;
}

static inline void input_rows_free(input_rows *g)
{
	gemp_pattern_free(g->pattern);
	made_graph_free(g->made);
	gemp_free(g);
}

/* Passes the rows of the first `rounds` rounds to the sink, one at a time. */
static inline gemp_code pass_rows(const input_rows *g, gemp_sink *sink, int rounds)
{
	gemp_code code = GEMP_OK;
	bool enough = false, again = false;
	for (int round = 0; round < rounds && !enough; round++) {
		gemp_code mine = GEMP_OK;
		for (size_t i = 0; i < g->rows && mine == GEMP_OK; i++)
			if (g->round[i] == round && g->rank[i] == test_comm.rank)
				mine = sink->consume(sink->self, &(gemp_batch){ .rows = 1,
				                                                .vertex_count = 3,
				                                                .edge_count = 2,
				                                                .vertices = g->vertices[i],
				                                                .edges = g->edges[i] });
		GEMP_TRY_DONE(gemp_comm_agree(&test_comm, mine));
		GEMP_TRY_DONE(sink->end_round(sink->self, round + 1 == ROUNDS, &enough, &again));
	}
	if (again)
		code = gemp_fail(GEMP_EINTERNAL, "rows are not wanted again");
done:
	return code;
}

static inline gemp_rows_options rows_options(const char *path)
{
	return (gemp_rows_options){ .path = path, .limit = UINT64_MAX, .semantics = "iso", .distinct = "none" };
}

static inline gemp_code write_all(const input_rows *g, const gemp_rows_options *options, uint64_t *written)
{
	gemp_code code = GEMP_OK;
	gemp_sink sink = { 0 };
	GEMP_TRY_DONE(gemp_rows_new(&sink, &g->made->context, &g->made->graph, g->pattern, options));
	GEMP_TRY_DONE(pass_rows(g, &sink, ROUNDS));
	if (written)
		*written = gemp_rows_written(&sink);
done:
	if (sink.free)
		sink.free(sink.self);
	return code;
}

/* EXPECTED TEXT */

typedef struct text {
	char *bytes;
	size_t size;
} text;

static inline void text_add(text *t, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	t->size += (size_t)vsnprintf(t->bytes + t->size, MAX_TEXT - t->size, format, arguments);
	va_end(arguments);
}

static inline void add_value(text *t, gemp_value value)
{
	if (value.null)
		return;
	switch (value.type) {
	case GEMP_INTEGER: text_add(t, "%lld", (long long)value.integer); break;
	case GEMP_FLOAT: text_add(t, value.real == floor(value.real) ? "%.1f" : "%.15g", value.real); break;
	case GEMP_BOOLEAN: text_add(t, "%s", value.truth ? "true" : "false"); break;
	case GEMP_STRING:
	case GEMP_LIST:
		for (size_t i = 0; i < value.string.size; i++)
			switch (value.string.bytes[i]) {
			case '\t': text_add(t, "\\t"); break;
			case '\n': text_add(t, "\\n"); break;
			case '\\': text_add(t, "\\\\"); break;
			default: text_add(t, "%c", value.string.bytes[i]);
			}
	}
}

static inline void add_attribute(text *t, const made_graph *made, int attribute, gemp_vertex id)
{
	char room[64];
	add_value(t, made_value(made, attribute, id, room));
}

static const made_edge *edge_of(const made_graph *made, gemp_edge edge)
{
	return &made->edges[edge / MADE_EDGES][edge % MADE_EDGES];
}

static inline void add_edge(text *t, const made_graph *made, gemp_edge edge)
{
	text_add(t, "%s:%lld->%lld", edge < MADE_EDGES ? "LIKES" : "OWES",
	         (long long)made_key(made, edge_of(made, edge)->source),
	         (long long)made_key(made, edge_of(made, edge)->target));
}

static inline void add_row(text *t, const made_graph *made, const gemp_vertex *v, const gemp_edge *e)
{
	int64_t weight = edge_of(made, e[1])->weight;
	text_add(t, "%lld\t%lld\t", (long long)made_key(made, v[0]), (long long)made_key(made, v[1]));
	add_attribute(t, made, MADE_NAME, v[2]);
	text_add(t, "\t");
	add_attribute(t, made, MADE_AGE, v[0]);
	text_add(t, "\t");
	add_edge(t, made, e[0]);
	text_add(t, "\t");
	if (weight % 2 == 0 && e[1] < MADE_EDGES)
		text_add(t, "%lld", (long long)weight);
	text_add(t, "\t");
	if (weight % 2 == 0 && e[1] >= MADE_EDGES)
		text_add(t, "c%lld", (long long)weight);
	text_add(t, "\t");
	add_attribute(t, made, MADE_SIZE, v[1]);
	text_add(t, "\t");
	add_attribute(t, made, MADE_GOOD, v[2]);
	text_add(t, "\n");
}

static const char header[] = "a\tkey\tc.name\ta.age\tr\tweight\tcost\tb.size\tc.good\n";

/* Makes the text of the first `limit` rows in the order in which they are written. */
static inline text expected_tsv(const input_rows *g, size_t limit)
{
	text t = { .bytes = calloc(1, MAX_TEXT) };
	text_add(&t, "%s", header);
	for (int round = 0; round < ROUNDS; round++)
		for (int r = 0; r < test_comm.size; r++)
			for (size_t i = 0; i < g->rows; i++)
				if (g->round[i] == round && g->rank[i] == r && limit > 0) {
					limit--;
					add_row(&t, g->made, g->vertices[i], g->edges[i]);
				}
	return t;
}

static inline text read_text(const char *path)
{
	text t = { .bytes = calloc(1, MAX_TEXT) };
	FILE *file = fopen(path, "rb");
	if (file) {
		t.size = fread(t.bytes, 1, MAX_TEXT - 1, file);
		fclose(file);
	}
	return t;
}

/* Compares two texts and frees them. */
static inline bool same(text a, text b)
{
	bool equal = a.size == b.size && memcmp(a.bytes, b.bytes, a.size) == 0;
	if (!equal)
		fprintf(stderr, "expected (%zu):\n%.2000s\nfound (%zu):\n%.2000s\n", a.size, a.bytes, b.size, b.bytes);
	free(a.bytes);
	free(b.bytes);
	return equal;
}

static inline bool exists(const char *path)
{
	return access(path, F_OK) == 0;
}

#endif
