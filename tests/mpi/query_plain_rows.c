/* Tests the special path for rows that have only integer keys, which is used once there are many rows. Its lines must
 * equal those of the reference: with limits, with the smallest row of each class, with multiplicities, and with few or
 * many rows in a round. */
#include "made_graph.h"

#include "comm/comm.h"
#include "core/status.h"
#include "core/types.h"
#include "graph/batch.h"
#include "harness/pattern_oracle.h"
#include "io/rows/row_writer.h"
#include "pattern/bind/bind.h"
#include "pattern/model/pattern.h"
#include "pattern/semantic/parse.h"
#include "pattern/symmetry/permutation_group.h"
#include "query/output/result_rows.h"

enum { ROUNDS = 6, MAX_ROWS = 30000, WIDTH = 3, SHOWN = 4 };

/* A row that every rank knows. One rank passes it to the sink in one round. */
typedef struct row {
	gemp_vertex vertices[WIDTH];
	uint64_t times;
	int round, rank;
} row;

/* Random matches in a graph that every rank knows, and the symmetry of their pattern. */
typedef struct input_rows {
	made_graph *made;
	gemp_pattern *pattern;
	gemp_symmetry *symmetry;
	gemp_stab_chain *chain;
	size_t count;
	row rows[MAX_ROWS];
} input_rows;

static input_rows *input_rows_new(uint64_t *seed, size_t count, bool several)
{
	input_rows *g;
	const int base[WIDTH] = { 1, 0, 2 };
	assert_all_ok(GEMP_NEW(g, 1));
	g->made = made_graph_new(*seed);
	g->count = count;
	assert_all_ok(gemp_pattern_parse(&g->pattern, "MATCH (a)-[r]->(b)<-[s]-(c) RETURN c, a AS one, b, a AS two", NULL));
	assert_all_ok(gemp_pattern_bind(g->pattern, &g->made->graph));
	assert_all_ok(full_symmetry(&g->symmetry, WIDTH));
	assert_all_ok(gemp_stab_chain_new(&g->chain, g->symmetry, base, WIDTH));
	for (size_t i = 0; i < count; i++) {
		row *r = &g->rows[i];
		for (int v = 0; v < WIDTH; v++)
			r->vertices[v] = (gemp_vertex)gemp_random_below(seed, MADE_VERTICES);
		r->times = several && i % 97 == 3 ? gemp_random_below(seed, 4) : 1;
		/* The first round has few rows, and the last round has none. */
		r->round = i < 5 ? 0 : 1 + (int)gemp_random_below(seed, ROUNDS - 2);
		r->rank = (int)gemp_random_below(seed, (uint64_t)test_comm.size);
	}
	return g;
}

static void input_rows_free(input_rows *g)
{
	gemp_stab_chain_free(g->chain);
	gemp_symmetry_free(g->symmetry);
	gemp_pattern_free(g->pattern);
	made_graph_free(g->made);
	gemp_free(g);
}

static gemp_code pass_row(gemp_sink *sink, const row *r)
{
	return sink->consume(sink->self, &(gemp_batch){ .rows = 1,
	                                                .vertex_count = WIDTH,
	                                                .vertices = r->vertices,
	                                                .multiplicity = r->times == 1 ? NULL : &r->times });
}

/* Passes this rank's rows of a round: rows of multiplicity 1 in large batches, other rows one at a time. */
static gemp_code pass_round(const input_rows *g, gemp_sink *sink, int round, gemp_vertex *room)
{
	gemp_code code = GEMP_OK;
	size_t rows = 0;
	for (size_t i = 0; i < g->count; i++) {
		const row *r = &g->rows[i];
		if (r->round != round || r->rank != test_comm.rank)
			continue;
		if (r->times == 1)
			memcpy(room + rows++ * WIDTH, r->vertices, sizeof r->vertices);
		else
			GEMP_TRY_DONE(pass_row(sink, r));
	}
	for (size_t at = 0, some; at < rows; at += some) {
		some = rows - at < 9000 ? rows - at : 9000;
		GEMP_TRY_DONE(sink->consume(
			sink->self, &(gemp_batch){ .rows = some, .vertex_count = WIDTH, .vertices = room + at * WIDTH }));
	}
done:
	return code;
}

static gemp_code write_all(const input_rows *g, const char *path, uint64_t limit, bool smallest, uint64_t *written,
                           bool *complete)
{
	gemp_code code = GEMP_OK;
	gemp_sink sink = { 0 };
	gemp_vertex *room = NULL;
	bool enough = false, again = false;
	const gemp_rows_options options = {
		.path = path, .limit = limit, .semantics = "iso", .distinct = "none", .chain = smallest ? g->chain : NULL
	};
	GEMP_TRY_DONE(gemp_rows_new(&sink, &g->made->context, &g->made->graph, g->pattern, &options));
	GEMP_TRY_DONE(gemp_comm_agree(&test_comm, GEMP_NEW(room, g->count * WIDTH)));
	for (int round = 0; round < ROUNDS && !enough; round++) {
		GEMP_TRY_DONE(gemp_comm_agree(&test_comm, pass_round(g, &sink, round, room)));
		GEMP_TRY_DONE(sink.end_round(sink.self, round + 1 == ROUNDS, &enough, &again));
	}
	*written = gemp_rows_written(&sink);
	*complete = gemp_rows_complete(&sink);
done:
	gemp_free(room);
	if (sink.free)
		sink.free(sink.self);
	return code;
}

/* LINES as numbers, so that they can be compared. */

typedef struct line {
	int64_t cell[SHOWN];
} line;

static int compare(const void *a, const void *b)
{
	const line *x = a, *y = b;
	for (int c = 0; c < SHOWN; c++)
		if (x->cell[c] != y->cell[c])
			return x->cell[c] < y->cell[c] ? -1 : 1;
	return 0;
}

static size_t expected_lines(const input_rows *g, bool smallest, line *lines)
{
	size_t count = 0;
	for (size_t i = 0; i < g->count; i++) {
		int64_t key[WIDTH];
		for (int v = 0; v < WIDTH; v++)
			key[v] = made_key(g->made, g->rows[i].vertices[v]);
		for (int pass = 0; smallest && pass < 3; pass++) /* sorts the keys: b <= a <= c */
			for (int k = 0; k < 2; k++) {
				int64_t *x = &key[k == 0 ? 1 : 0], *y = &key[k == 0 ? 0 : 2], kept = *x;
				if (*x > *y) {
					*x = *y;
					*y = kept;
				}
			}
		for (uint64_t time = 0; time < g->rows[i].times; time++)
			lines[count++] = (line){ { key[2], key[0], key[1], key[0] } };
	}
	qsort(lines, count, sizeof *lines, compare);
	return count;
}

static size_t read_lines(const char *path, line *lines)
{
	char text[200];
	size_t count = 0;
	FILE *file = fopen(path, "r");
	if (!file || !fgets(text, sizeof text, file) || strcmp(text, "c\tone\tb\ttwo\n") != 0)
		return SIZE_MAX;
	while (fgets(text, sizeof text, file)) {
		long long cell[SHOWN];
		if (sscanf(text, "%lld\t%lld\t%lld\t%lld\n", &cell[0], &cell[1], &cell[2], &cell[3]) != SHOWN)
			return SIZE_MAX;
		lines[count++] = (line){ { cell[0], cell[1], cell[2], cell[3] } };
	}
	fclose(file);
	qsort(lines, count, sizeof *lines, compare);
	return count;
}

/* Are all `count` lines expected, and none of them more often than expected? */
static bool are_among(const line *lines, size_t count, const line *expected, size_t expected_count)
{
	size_t at = 0;
	for (size_t i = 0; i < count; i++) {
		while (at < expected_count && compare(&expected[at], &lines[i]) < 0)
			at++;
		if (at == expected_count || compare(&expected[at++], &lines[i]) != 0)
			return false;
	}
	return true;
}

static void check(const input_rows *g, uint64_t limit, bool smallest)
{
	const char *path = test_path_all("plain.tsv");
	line *expected = calloc(4 * MAX_ROWS, sizeof *expected), *lines = calloc(4 * MAX_ROWS, sizeof *lines);
	size_t all = expected_lines(g, smallest, expected), count = all < limit ? all : limit;
	uint64_t written;
	bool complete;
	assert_all_ok(write_all(g, path, limit, smallest, &written, &complete));
	assert_all(written == count);
	assert_all(complete == (all <= limit) || all == limit);
	assert_all(read_lines(path, lines) == count);
	assert_all(are_among(lines, count, expected, all));
	free(expected);
	free(lines);
}

static void few_and_many_rows(void **state)
{
	(void)state;
	static const size_t counts[] = { 0, 1, 7, 40, 500, MAX_ROWS };
	uint64_t seed = test_seed_all();
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
		for (int several = 0; several < 2; several++) {
			input_rows *g = input_rows_new(&seed, counts[i], several);
			check(g, UINT64_MAX, false);
			check(g, UINT64_MAX, true);
			input_rows_free(g);
		}
}

static void limited_rows(void **state)
{
	(void)state;
	static const uint64_t limit[] = { 1, 6, 100, 4999, 5000, 5001 };
	uint64_t seed = test_seed_all();
	for (size_t i = 0; i < sizeof limit / sizeof *limit; i++) {
		input_rows *g = input_rows_new(&seed, 5000, false);
		check(g, limit[i], i % 2);
		input_rows_free(g);
	}
}

static gemp_code use_once(void *context)
{
	uint64_t written;
	bool complete;
	return write_all(context, test_path_all("memory.tsv"), UINT64_MAX, true, &written, &complete);
}

static void memory_may_run_out(void **state)
{
	(void)state;
	uint64_t seed = 77;
	input_rows *g = input_rows_new(&seed, 300, true);
	assert_all_survive_no_memory(use_once, g);
	input_rows_free(g);
	assert_all(gemp_memory_blocks() == 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_and_many_rows),
		cmocka_unit_test(limited_rows),
		cmocka_unit_test(memory_may_run_out),
	};
	return test_main_all(argc, argv, tests);
}
