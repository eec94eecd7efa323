/* Tests EXISTS, COUNT and OPTIONAL MATCH that share one, two or no vertices with the rows, and paths of variable
 * length. Rows are compared with trials of all edges on random multigraphs with loops. Each graph is searched by the
 * host, and by devices in several ways. */
#include "query_world.h"

enum { MAX_EDGES = 5, MAX_VERTICES = 6, MAX_COLUMNS = 4 };

typedef struct trial_edge {
	int from, to;
	bool either;
} trial_edge;

/* Edges [0, outer) are those of MATCH, the others those of the inner pattern. Vertices [0, vertices) are those of
 * MATCH, and inner_vertices follow. odd: the vertices that must have the label Odd, as bits. The rows have the ids of
 * the vertices of MATCH, and then the value or the new vertices. */
typedef struct subquery {
	const char *text;
	enum { EXISTS, NOT_EXISTS, AT_LEAST_2, VALUE, OPTIONAL } kind;
	int vertices, inner_vertices;
	size_t outer, count;
	trial_edge edges[MAX_EDGES];
	unsigned odd;
} subquery;

static const subquery subqueries[] = {
	{ "MATCH (a) WHERE EXISTS { MATCH (a)-->(b:Odd) } RETURN id(a)", EXISTS, 1, 1, 0, 1, { { 0, 1, false } }, 2 },
	{ "MATCH (a) WHERE NOT EXISTS { MATCH (a)-->(b)-->(c:Odd) } RETURN id(a)",
	  NOT_EXISTS,
	  1,
	  2,
	  0,
	  2,
	  { { 0, 1, false }, { 1, 2, false } },
	  4 },
	{ "MATCH (a) WHERE EXISTS { MATCH (a)--(b)--(c) } RETURN id(a)",
	  EXISTS,
	  1,
	  2,
	  0,
	  2,
	  { { 0, 1, true }, { 1, 2, true } },
	  0 },
	{ "MATCH (a)-->(b) WHERE COUNT { MATCH (b)<--(c:Odd) } >= 2 RETURN id(a), id(b)",
	  AT_LEAST_2,
	  2,
	  1,
	  1,
	  2,
	  { { 0, 1, false }, { 2, 1, false } },
	  4 },
	{ "MATCH (a) RETURN id(a), COUNT { MATCH (a)-->(b)<--(c) } AS n",
	  VALUE,
	  1,
	  2,
	  0,
	  2,
	  { { 0, 1, false }, { 2, 1, false } },
	  0 },
	{ "MATCH (a)-->(b) RETURN id(a), id(b), COUNT { MATCH (b)-->(c)--(d:Odd) } AS n",
	  VALUE,
	  2,
	  2,
	  1,
	  3,
	  { { 0, 1, false }, { 1, 2, false }, { 2, 3, true } },
	  8 },
	{ "MATCH (a)-->(b) WHERE EXISTS { MATCH (a)-->(c)-->(b) } RETURN id(a), id(b)",
	  EXISTS,
	  2,
	  1,
	  1,
	  3,
	  { { 0, 1, false }, { 0, 2, false }, { 2, 1, false } },
	  0 },
	{ "MATCH (a)--(b) WHERE EXISTS { MATCH (a)-->(c:Odd) } RETURN id(a), id(b)",
	  EXISTS,
	  2,
	  1,
	  1,
	  2,
	  { { 0, 1, true }, { 0, 2, false } },
	  4 },
	{ "MATCH (a)-->(b) RETURN id(a), id(b), COUNT { MATCH (a)--(c)-->(b) } AS n",
	  VALUE,
	  2,
	  1,
	  1,
	  3,
	  { { 0, 1, false }, { 0, 2, true }, { 2, 1, false } },
	  0 },
	{ "MATCH (a)-->(b:Odd)-->(c) WHERE NOT EXISTS { MATCH (c)-->(d)-->(a), (d)-->(b) } RETURN id(a), id(b), id(c)",
	  NOT_EXISTS,
	  3,
	  1,
	  2,
	  5,
	  { { 0, 1, false }, { 1, 2, false }, { 2, 3, false }, { 3, 0, false }, { 3, 1, false } },
	  2 },
	{ "MATCH (a) OPTIONAL MATCH (a)-->(b:Odd) RETURN id(a), id(b)", OPTIONAL, 1, 1, 0, 1, { { 0, 1, false } }, 2 },
	{ "MATCH (a)-->(b) OPTIONAL MATCH (b)-->(c)--(d:Odd) RETURN id(a), id(b), id(c), id(d)",
	  OPTIONAL,
	  2,
	  2,
	  1,
	  3,
	  { { 0, 1, false }, { 1, 2, false }, { 2, 3, true } },
	  8 },
	{ "MATCH (a)-->(b) OPTIONAL MATCH (b)-->(c:Odd)-->(a) RETURN id(a), id(b), id(c)",
	  OPTIONAL,
	  2,
	  1,
	  1,
	  3,
	  { { 0, 1, false }, { 1, 2, false }, { 2, 0, false } },
	  4 },
};

/* Rows as a bag: their number, and the sum of the hashes of all rows. */
typedef struct bag {
	uint64_t rows, hash;
} bag;

static void bag_add(bag *b, const double *row)
{
	int64_t cells[MAX_COLUMNS];
	for (int i = 0; i < MAX_COLUMNS; i++)
		cells[i] = isnan(row[i]) ? INT64_MIN : (int64_t)row[i];
	b->rows++;
	b->hash += gemp_hash(cells, sizeof cells, 0);
}

typedef struct trial {
	const api_case *c;
	const subquery *q;
	size_t first, last; /* the edges that are tried */
	int vertices;       /* the vertices that a match has */
	gemp_semantics semantics;
	unsigned scope; /* iso: the vertices of the pattern, which differ */
	size_t edge[MAX_EDGES];
	int64_t vertex[MAX_VERTICES];
	void (*found)(void *context, const struct trial *match);
	void *context;
} trial;

static void try_edge(trial t, size_t i);

/* Binds a vertex, if its label and an earlier binding allow. */
static bool bind(trial *t, int vertex, size_t to)
{
	if ((t->vertex[vertex] >= 0 && t->vertex[vertex] != (int64_t)to) || (t->q->odd >> vertex & 1 && to % 2 == 0))
		return false;
	for (int u = 0; u < MAX_VERTICES && t->semantics == GEMP_ISO && t->scope >> vertex & 1; u++)
		if (u != vertex && t->scope >> u & 1 && t->vertex[u] == (int64_t)to)
			return false;
	t->vertex[vertex] = (int64_t)to;
	return true;
}

static void try_ends(trial t, size_t i, size_t edge, size_t from, size_t to)
{
	for (size_t f = t.first; f < i && t.semantics != GEMP_HOM; f++)
		if (t.edge[f] == edge)
			return;
	t.edge[i] = edge;
	if (bind(&t, t.q->edges[i].from, from) && bind(&t, t.q->edges[i].to, to))
		try_edge(t, i + 1);
}

/* Tries every edge of the graph for edge i, and then every vertex for the vertices without edges. */
static void try_edge(trial t, size_t i)
{
	for (size_t edge = 0; edge < t.c->m && i < t.last; edge++) {
		const size_t *end = t.c->end[edge];
		try_ends(t, i, edge, end[0], end[1]);
		if (t.q->edges[i].either && end[0] != end[1])
			try_ends(t, i, edge, end[1], end[0]);
	}
	if (i < t.last)
		return;
	for (int v = 0; v < t.vertices; v++)
		if (t.vertex[v] < 0) {
			for (size_t to = 0; to < t.c->n; to++) {
				trial next = t;
				if (bind(&next, v, to))
					try_edge(next, i);
			}
			return;
		}
	t.found(t.context, &t);
}

typedef struct expectation {
	bag bag;
	uint64_t extensions;
} expectation;

static void fill_row(const trial *t, int vertices, double *row)
{
	for (int i = 0; i < MAX_COLUMNS; i++)
		row[i] = i < vertices ? (double)t->c->key[t->vertex[i]] : 0;
}

static void count_extension(void *context, const trial *t)
{
	expectation *e = context;
	double row[MAX_COLUMNS];
	e->extensions++;
	if (t->q->kind != OPTIONAL)
		return;
	fill_row(t, t->q->vertices + t->q->inner_vertices, row);
	bag_add(&e->bag, row);
}

/* Tries the inner pattern for a row of MATCH. */
static void extend_row(void *context, const trial *t)
{
	expectation *e = context;
	const subquery *q = t->q;
	double row[MAX_COLUMNS];
	trial inner = *t;
	inner.first = q->outer;
	inner.last = q->count;
	inner.vertices = q->vertices + q->inner_vertices;
	inner.found = count_extension;
	inner.scope = 0;
	for (size_t i = q->outer; i < q->count; i++)
		inner.scope |= 1u << q->edges[i].from | 1u << q->edges[i].to;
	e->extensions = 0;
	try_edge(inner, inner.first);
	fill_row(t, q->vertices, row);
	if (q->kind == VALUE)
		row[q->vertices] = (double)e->extensions;
	for (int i = 0; i < q->inner_vertices && q->kind == OPTIONAL; i++)
		row[q->vertices + i] = NAN;
	const bool there[] = { [EXISTS] = e->extensions > 0,
		                   [NOT_EXISTS] = e->extensions == 0,
		                   [AT_LEAST_2] = e->extensions >= 2,
		                   [VALUE] = true,
		                   [OPTIONAL] = e->extensions == 0 };
	if (there[q->kind])
		bag_add(&e->bag, row);
}

static bag expected_rows(const api_case *c, const subquery *q, gemp_semantics semantics)
{
	expectation e = { 0 };
	trial t = { .c = c,
		        .q = q,
		        .last = q->outer,
		        .vertices = q->vertices,
		        .semantics = semantics,
		        .scope = (1u << q->vertices) - 1,
		        .found = extend_row,
		        .context = &e };
	memset(t.vertex, -1, sizeof t.vertex);
	try_edge(t, 0);
	return e.bag;
}

/* Collective. The number of matches of a query that is only counted. */
static uint64_t count_of_query(gemp_graph *graph, const char *text, const gemp_query_settings *settings)
{
	gemp_query *query = query_new(graph, text, settings);
	gemp_query_result result;
	assert_all_ok(gemp_query_count(query, &result, NULL));
	gemp_query_close(query);
	return result.matches;
}

static bag rows_of_query(gemp_graph *graph, const char *text, const gemp_query_settings *settings)
{
	gemp_query *query = query_new(graph, text, settings);
	gemp_columns *columns = NULL;
	size_t count;
	bag b = { 0 };
	assert_all_ok(gemp_query_run(query, &columns, NULL, NULL));
	double(*rows)[4] = rows_of(columns, &count);
	for (size_t i = 0; i < count; i++)
		bag_add(&b, rows[i]);
	free(rows);
	gemp_columns_close(columns);
	gemp_query_close(query);
	return b;
}

static void check(const world *w, const subquery *q, const gemp_query_settings *settings)
{
	const bag expected = expected_rows(w->c, q, settings->semantics),
			  found = rows_of_query(w->graph, q->text, settings);
	if (found.rows != expected.rows || found.hash != expected.hash)
		fprintf(stderr, "%s: %" PRIu64 " rows, not %" PRIu64 "\n", q->text, found.rows, expected.rows);
	assert_all(found.rows == expected.rows && found.hash == expected.hash);
	assert_all(count_of_query(w->graph, q->text, settings) == expected.rows);
}

/* PATHS */

typedef struct path {
	const char *text;
	int shortest, longest;
	bool either, odd; /* odd: the end must have the label Odd */
} path;

static const path paths[] = {
	{ "MATCH (a)-[*1..3]->(b) RETURN id(a), id(b)", 1, 3, false, false },
	{ "MATCH (a)-[*1..2]-(b:Odd) RETURN id(a), id(b)", 1, 2, true, true },
	{ "MATCH (a)-[*2..3]->(b:Odd) RETURN id(a), id(b)", 2, 3, false, true },
	{ "MATCH (a)-[*2..2]->(b) RETURN id(a), id(b)", 2, 2, false, false },
};

static void add_path(void *context, const trial *t)
{
	double row[MAX_COLUMNS] = { 0 };
	row[0] = (double)t->c->key[t->vertex[0]];
	row[1] = (double)t->c->key[t->vertex[t->vertices - 1]];
	bag_add(context, row);
}

/* Inner vertices of a path need not differ from other vertices, whatever the semantics. */
static bag expected_paths(const api_case *c, const path *p, gemp_semantics semantics)
{
	bag b = { 0 };
	for (int length = p->shortest; length <= p->longest; length++) {
		subquery q = { .odd = p->odd ? 1u << length : 0 };
		for (int e = 0; e < length; e++)
			q.edges[e] = (trial_edge){ e, e + 1, p->either };
		trial t = { .c = c,
			        .q = &q,
			        .last = (size_t)length,
			        .vertices = length + 1,
			        .semantics = semantics,
			        .scope = 1u | 1u << length,
			        .found = add_path,
			        .context = &b };
		memset(t.vertex, -1, sizeof t.vertex);
		try_edge(t, 0);
	}
	return b;
}

static void check_path(const world *w, const path *p, const gemp_query_settings *settings)
{
	const bag expected = expected_paths(w->c, p, settings->semantics);
	const bag found = rows_of_query(w->graph, p->text, settings);
	const uint64_t counted = count_of_query(w->graph, p->text, settings);
	if (found.rows != expected.rows || counted != expected.rows)
		fprintf(stderr, "%s: %" PRIu64 " rows, %" PRIu64 " counted, not %" PRIu64 "\n", p->text, found.rows, counted,
		        expected.rows);
	assert_all(found.rows == expected.rows && found.hash == expected.hash && counted == expected.rows);
}

static void agree_with_trials(void **state)
{
	(void)state;
	uint64_t random = test_seed_all();
	const size_t all = sizeof subqueries / sizeof *subqueries;
	for (size_t k = 0; k < 9; k++) {
		world w = world_new(3 + gemp_random_below(&random, 9), 5 + 3 * k, false, (api_split)(k % API_SPLITS), &random);
		gemp_query_settings settings;
		gemp_query_settings_init(&settings);
		settings.semantics = (gemp_semantics[]){ GEMP_EDGE_ISO, GEMP_HOM, GEMP_ISO }[k % 3];
		settings.distinct_given = true;
		settings.distinct = GEMP_BY_NOTHING;
		settings.place = k % 2 ? GEMP_PLACE_HOST : GEMP_PLACE_AUTO;
		for (size_t i = 0; i < all; i++)
			check(&w, &subqueries[i], &settings);
		for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
			check_path(&w, &paths[i], &settings);
		world_free(&w);
	}
}

/* A device compiles a program for each query, so each way has two of them. */
static void on_devices(void **state)
{
	(void)state;
	uint64_t random = test_seed_all();
	static const gemp_exchange_mode exchanges[] = { GEMP_EXCHANGE_AUTO, GEMP_EXCHANGE_PUSH, GEMP_EXCHANGE_PULL };
	const size_t all = sizeof subqueries / sizeof *subqueries;
	for (size_t k = 0; k < 3; k++) {
		world w = world_new(4 + gemp_random_below(&random, 6), 14, false, (api_split)k, &random);
		gemp_query_settings settings;
		gemp_query_settings_init(&settings);
		settings.place = GEMP_PLACE_DEVICE;
		settings.exchange = exchanges[k];
		settings.replicate = k ? 0 : GEMP_REPLICATE_AUTO;
		for (size_t i = 0; i < 2; i++)
			check(&w, &subqueries[gemp_random_below(&random, all)], &settings);
		world_free(&w);
	}
}

typedef struct memory_step {
	gemp_graph *graph;
	const char *text;
	gemp_query_settings settings;
} memory_step;

static gemp_code run_once(void *context)
{
	const memory_step *step = context;
	gemp_query *query = NULL;
	gemp_columns *columns = NULL;
	gemp_code code = gemp_query_open(&query, step->graph, step->text, &step->settings);
	if (code == GEMP_OK)
		code = gemp_query_run(query, &columns, NULL, NULL);
	gemp_columns_close(columns);
	gemp_query_close(query);
	return code;
}

/* The first run of each query loads what the graph keeps. */
static void memory_may_run_out(void **state)
{
	(void)state;
	uint64_t random = 3;
	static const char *const texts[] = {
		"MATCH (a)-->(b) WHERE EXISTS { MATCH (a)-->(c:Odd) } AND COUNT { MATCH (b)-->(c)-->(d) } < 9 "
		"RETURN id(a), id(b), COUNT { MATCH (a)-->(c)-->(b) } AS n",
		"MATCH (a)-->(b) OPTIONAL MATCH (b)-->(c)-->(d) RETURN id(a), id(c), id(d)",
		"MATCH (a)-[*1..2]->(b) WHERE EXISTS { MATCH (b)-->(c:Odd) } RETURN count(*) AS n",
	};
	world w = world_new(8, 20, false, SPLIT_TURNS, &random);
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		memory_step step = { .graph = w.graph, .text = texts[i] };
		gemp_query_settings_init(&step.settings);
		step.settings.place = GEMP_PLACE_HOST;
		assert_all_ok(run_once(&step));
		assert_all_survive_no_memory(run_once, &step);
	}
	world_free(&w);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { API_TEST(agree_with_trials), API_TEST(on_devices),
		                                API_TEST(memory_may_run_out) };
	return test_main_all(argc, argv, tests);
}
