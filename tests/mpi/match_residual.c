/* Tests conditions on finished matches. Their result must be as expected from values that every rank knows, on the host
 * and on the device. */
#include "made_graph.h"

#include "comm/comm.h"
#include "core/status.h"
#include "core/types.h"
#include "graph/batch.h"
#include "graph/column.h"
#include "harness/runtime.h"
#include "match/filter/filter.h"
#include "match/filter/residual.h"
#include "pattern/bind/bind.h"
#include "pattern/model/pattern.h"
#include "pattern/semantic/parse.h"

enum { MAX_ROWS = 300, ROUNDS = 3, VERTICES = 3 };

/* Random finished matches, and the rank that finds each of them. */
typedef struct input_rows {
	made_graph *made;
	gemp_vertex vertices[MAX_ROWS][VERTICES];
	gemp_edge edges[MAX_ROWS][2];
	int rank[MAX_ROWS];
} input_rows;

/* Marks this rank's rows that passed the conditions, and counts the rounds of the next sink. */
typedef struct collector {
	const input_rows *input_rows;
	bool passed[MAX_ROWS];
	bool wrong;
	int rounds, last_rounds;
} collector;

static gemp_code collect(void *self, const gemp_batch *batch)
{
	collector *c = self;
	size_t i = 0;
	for (size_t row = 0; row < batch->rows; row++) {
		while (i < MAX_ROWS &&
		       (c->passed[i] || c->input_rows->rank[i] != test_comm.rank ||
		        memcmp(c->input_rows->vertices[i], batch->vertices + row * VERTICES, sizeof *c->input_rows->vertices) ||
		        memcmp(c->input_rows->edges[i], batch->edges + row * 2, sizeof *c->input_rows->edges)))
			i++;
		c->wrong |= i == MAX_ROWS;
		if (i < MAX_ROWS)
			c->passed[i] = true;
	}
	return GEMP_OK;
}

static gemp_code collector_end_round(void *self, bool last, bool *enough, bool *again)
{
	collector *c = self;
	(void)enough;
	(void)again;
	c->rounds++;
	c->last_rounds += last;
	return GEMP_OK;
}

static input_rows *input_rows_new(uint64_t seed)
{
	input_rows *g;
	assert_all_ok(GEMP_NEW(g, 1));
	g->made = made_graph_new(seed);
	for (size_t i = 0; i < MAX_ROWS; i++) {
		for (int v = 0; v < VERTICES; v++)
			g->vertices[i][v] = (gemp_vertex)gemp_random_below(&seed, MADE_VERTICES);
		for (int e = 0; e < 2; e++)
			g->edges[i][e] = i * 2 + (size_t)e; /* makes all rows different */
		g->rank[i] = (int)gemp_random_below(&seed, (uint64_t)test_comm.size);
		if (g->rank[i] == 2)
			g->rank[i] = 0; /* rank 2 finds no rows */
	}
	return g;
}

static void input_rows_free(input_rows *g)
{
	made_graph_free(g->made);
	gemp_free(g);
}

static gemp_code pass_rows(const input_rows *g, gemp_sink *sink)
{
	gemp_code code = GEMP_OK;
	bool enough = false, again = false;
	for (int round = 0; round < ROUNDS; round++) {
		gemp_code mine = GEMP_OK;
		for (size_t i = 0; i < MAX_ROWS && mine == GEMP_OK; i++)
			if ((int)i * ROUNDS / MAX_ROWS == round && g->rank[i] == test_comm.rank)
				mine = sink->consume(sink->self, &(gemp_batch){ .rows = 1,
				                                                .vertex_count = VERTICES,
				                                                .edge_count = 2,
				                                                .vertices = g->vertices[i],
				                                                .edges = g->edges[i] });
		GEMP_TRY_DONE(gemp_comm_agree(&test_comm, mine));
		GEMP_TRY_DONE(sink->end_round(sink->self, round + 1 == ROUNDS, &enough, &again));
	}
done:
	return code;
}

static gemp_value attribute(const input_rows *g, size_t row, int vertex, int column, char room[64])
{
	return made_value(g->made, column, g->vertices[row][vertex], room);
}

/* The expected results of the questions below. Vertices 0, 1 and 2 of a row are a, b and c. */
static bool a_older_than_b(const input_rows *g, size_t row)
{
	char room[64];
	gemp_value a = attribute(g, row, 0, MADE_AGE, room), b = attribute(g, row, 1, MADE_AGE, room);
	return !a.null && !b.null && a.integer > b.integer;
}

static bool good_and_small(const input_rows *g, size_t row)
{
	char room[64];
	gemp_value good = attribute(g, row, 2, MADE_GOOD, room), size = attribute(g, row, 2, MADE_SIZE, room);
	return !good.null && good.truth && !size.null && size.real < 20;
}

static bool known_ages(const input_rows *g, size_t row)
{
	char room[64];
	return !attribute(g, row, 0, MADE_AGE, room).null && attribute(g, row, 1, MADE_AGE, room).null;
}

static bool same_key_or_old(const input_rows *g, size_t row)
{
	char room[64];
	gemp_value b = attribute(g, row, 1, MADE_AGE, room);
	return made_key(g->made, g->vertices[row][0]) < made_key(g->made, g->vertices[row][2]) ||
	       (!b.null && b.integer >= 9);
}

static bool any_row(const input_rows *g, size_t row)
{
	(void)g;
	(void)row;
	return true;
}

/* A condition, and the function that evaluates it for a row. */
typedef struct question {
	const char *where;
	bool (*holds)(const input_rows *g, size_t row);
	uint64_t mentions; /* number of attributes and keys in the text */
} question;

static const question questions[] = {
	{ "a.age > b.age", a_older_than_b, 2 },
	{ "c.good = true AND c.size < 20", good_and_small, 2 },
	{ "a.age IS NOT NULL AND b.age IS NULL", known_ages, 2 },
	{ "id(a) < id(c) OR b.age >= 9", same_key_or_old, 3 },
	{ "a.age IS NULL OR a.age IS NOT NULL", any_row, 2 },
};
enum { QUESTIONS = sizeof questions / sizeof *questions };

static gemp_code parse(gemp_pattern **out, const made_graph *made, const char *where)
{
	char query[512];
	snprintf(query, sizeof query, "MATCH (a)-[r]->(b)<-[s]-(c) WHERE %s RETURN a", where);
	gemp_code code = gemp_pattern_parse(out, query, NULL);
	return code == GEMP_OK ? gemp_pattern_bind(*out, &made->graph) : code;
}

/* `each`: values are copied for each row, and not once for each vertex. */
static gemp_code run(const input_rows *g, const gemp_pattern *pattern, gemp_filter *filter, bool each, collector *found,
                     uint64_t *copied, uint64_t *referred)
{
	gemp_code code = GEMP_OK;
	gemp_sink next = { .self = found, .consume = collect, .end_round = collector_end_round }, sink = { 0 };
	const gemp_condition *conditions[8];
	for (size_t i = 0; i < pattern->condition_count; i++)
		conditions[i] = &pattern->conditions[i];
	*found = (collector){ .input_rows = g };
	GEMP_TRY_DONE(gemp_comm_agree(&test_comm, gemp_residual_new(&sink, &g->made->context, &g->made->graph, conditions,
	                                                            pattern->condition_count, filter, false, &next)));
	if (each)
		gemp_residual_copy_each(&sink);
	GEMP_TRY_DONE(pass_rows(g, &sink));
	const gemp_residual_figures figures = gemp_residual_figures_of(&sink);
	*copied = gemp_comm_sum1(&test_comm, figures.copied);
	*referred = gemp_comm_sum1(&test_comm, figures.referred);
done:
	if (sink.free)
		sink.free(sink.self);
	return code;
}

static void check_copies(const input_rows *g, const question *q, gemp_filter *filter, bool each)
{
	gemp_pattern *pattern;
	collector found;
	uint64_t copied, referred;
	assert_all_ok(parse(&pattern, g->made, q->where));
	assert_all_ok(run(g, pattern, filter, each, &found, &copied, &referred));
	bool right = !found.wrong && found.rounds == ROUNDS && found.last_rounds == 1;
	for (size_t i = 0; i < MAX_ROWS; i++)
		right &= found.passed[i] == (g->rank[i] == test_comm.rank && q->holds(g, i));
	assert_all(right);
	assert_all(referred == MAX_ROWS * q->mentions);
	if (each) /* a condition may mention a value twice */
		assert_all(copied >= MAX_ROWS && copied <= MAX_ROWS * q->mentions && copied % MAX_ROWS == 0);
	else
		assert_all(copied > 0 && copied <= (uint64_t)ROUNDS * (uint64_t)test_comm.size * MADE_VERTICES * q->mentions);
	gemp_pattern_free(pattern);
}

static void check(const input_rows *g, const question *q, gemp_filter *filter)
{
	check_copies(g, q, filter, false);
	check_copies(g, q, filter, true);
}

static void conditions_on_rows(void **state)
{
	(void)state;
	input_rows *g = input_rows_new(test_seed_all());
	for (int q = 0; q < QUESTIONS; q++)
		check(g, &questions[q], NULL);
	input_rows_free(g);
}

static void check_filtered(gemp_runtime *context, bool on_host)
{
	gemp_filter *filter;
	assert_all_ok(gemp_filter_new(&filter, context, on_host));
	input_rows *g = input_rows_new(test_seed_all());
	for (int q = 0; q < QUESTIONS; q++)
		check(g, &questions[q], filter);
	assert_all(!on_host || gemp_filter_copied(filter) == 0);
	input_rows_free(g);
	gemp_filter_free(filter);
}

static void conditions_by_threads(void **state)
{
	(void)state;
	gemp_runtime *context;
	assert_all_ok(gemp_runtime_new(&context, &test_comm, NULL, &(gemp_budgets){ 0 }));
	check_filtered(context, true);
	assert_all(!context->device);
	gemp_runtime_free(context);
}

static void conditions_on_the_device(void **state)
{
	(void)state;
	gemp_runtime *context;
	gemp_budgets budgets = { 0 };
	gemp_code code = runtime_with_devices(&context, &test_comm, "cpu", &budgets);
	if (code == GEMP_ENODEVICE) {
		print_message("no OpenCL device: not tested\n");
		return;
	}
	assert_all_ok(code);
	check_filtered(context, false);
	gemp_runtime_free(context);
}

/* All rows contain the same two vertices. In each round, a rank that has rows copies each of the two values once. */
static void values_are_copied_once_a_round(void **state)
{
	(void)state;
	input_rows *g = input_rows_new(1);
	gemp_pattern *pattern;
	collector found;
	uint64_t copied, referred, finders = 0;
	for (size_t i = 0; i < MAX_ROWS; i++)
		for (int v = 0; v < VERTICES; v++)
			g->vertices[i][v] = v == 0 ? 5 : 7;
	for (int round = 0; round < ROUNDS; round++) {
		bool finds = false;
		for (size_t i = 0; i < MAX_ROWS; i++)
			finds |= (int)i * ROUNDS / MAX_ROWS == round && g->rank[i] == test_comm.rank;
		finders += finds;
	}
	assert_all_ok(parse(&pattern, g->made, "a.age > b.age OR b.age > c.age"));
	assert_all_ok(run(g, pattern, NULL, false, &found, &copied, &referred));
	assert_all(copied == 2 * gemp_comm_sum1(&test_comm, finders));
	assert_all(referred == 4 * MAX_ROWS);
	assert_all_ok(run(g, pattern, NULL, true, &found, &copied, &referred));
	assert_all(copied == 3 * MAX_ROWS); /* of three pattern vertices */
	assert_all(referred == 4 * MAX_ROWS);
	gemp_pattern_free(pattern);
	input_rows_free(g);
}

typedef struct trial {
	const input_rows *input_rows;
	const gemp_pattern *pattern;
	bool each;
} trial;

static gemp_code run_once(void *argument)
{
	const trial *t = argument;
	collector found;
	uint64_t copied, referred;
	return run(t->input_rows, t->pattern, NULL, t->each, &found, &copied, &referred);
}

static void memory_may_run_out(void **state)
{
	(void)state;
	if (test_comm.size > 3)
		return; /* lets each request for memory fail, which is slow and tests nothing new on more ranks */
	trial t;
	gemp_pattern *pattern;
	input_rows *g = input_rows_new(1);
	assert_all_ok(parse(&pattern, g->made, "a.age > b.age AND c.good = true"));
	for (int each = 0; each < 2; each++) {
		t = (trial){ g, pattern, each };
		assert_all_survive_no_memory(run_once, &t);
	}
	gemp_pattern_free(pattern);
	input_rows_free(g);
	assert_all(gemp_memory_blocks() == 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(conditions_on_rows),       cmocka_unit_test(conditions_by_threads),
		cmocka_unit_test(conditions_on_the_device), cmocka_unit_test(values_are_copied_once_a_round),
		cmocka_unit_test(memory_may_run_out),
	};
	return test_main_all(argc, argv, tests);
}
