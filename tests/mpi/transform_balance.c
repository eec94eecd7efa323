/* Matches that create vertices are spread over the ranks: rows stay whole, none is lost or repeated, and no rank gets
 * many more vertices than others if it can be avoided. */
#include "harness/limits.h"
#include "memory_fixture.h"

#include "core/random.h"
#include "transform/apply/balance.h"

#include <stdio.h>
#include <string.h>

enum { MAX_ROWS = 300 };

/* The cells of a row follow from the number of its match. */
static uint64_t vertex_of(uint64_t number)
{
	return number % 3 ? number * 7 % 24 : GEMP_NO_ELEMENT;
}

static gemp_value text_of(uint64_t number, char *text, size_t size)
{
	int length = snprintf(text, size, "match %llu", (unsigned long long)number);
	return (gemp_value){ .type = GEMP_STRING, .null = number % 5 == 0, .string = { text, (size_t)length } };
}

typedef struct matches {
	gemp_frame frame;
	uint8_t *selected;
	uint64_t *numbers, applied;
} matches;

/* Local. Every second or third match of this rank is selected; the selected ones are numbered from `first`. */
static gemp_code make_matches(matches *m, size_t rows, unsigned every, uint64_t first)
{
	char text[40];
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(m->selected, rows), GEMP_ARRAY(m->numbers, rows)));
	GEMP_TRY(gemp_frame_init(&m->frame, 3));
	GEMP_TRY(gemp_frame_set(&m->frame, 0, GEMP_CELL_VERTEX, "v", GEMP_INTEGER));
	GEMP_TRY(gemp_frame_set(&m->frame, 1, GEMP_CELL_EDGE, "unread", GEMP_INTEGER));
	GEMP_TRY(gemp_frame_set(&m->frame, 2, GEMP_CELL_VALUE, "t", GEMP_STRING));
	for (size_t row = 0; row < rows; row++) {
		m->selected[row] = row % every == 0;
		m->numbers[row] = m->selected[row] ? first + m->applied++ : 12345;
		const gemp_value value = text_of(m->numbers[row], text, sizeof text);
		GEMP_TRY(gemp_frame_add_element(&m->frame.columns[0], row, vertex_of(m->numbers[row])));
		GEMP_TRY(gemp_column_add(&m->frame.columns[2].values, &value));
		m->frame.rows++;
	}
	return GEMP_OK;
}

static bool is_whole(const matches *m, size_t row)
{
	char text[40];
	const gemp_value is = gemp_frame_value(&m->frame.columns[2], row),
					 wanted = text_of(m->numbers[row], text, sizeof text);
	return m->frame.columns[0].elements[row] == vertex_of(m->numbers[row]) && is.null == wanted.null &&
	       (is.null || (is.string.size == wanted.string.size &&
	                    memcmp(is.string.bytes, wanted.string.bytes, is.string.size) == 0));
}

/* Collective. Each number of a selected match is on one rank. */
static void check(const matches *m, uint64_t applied)
{
	GEMP_OWNED uint64_t *times = NULL;
	bool right = true;
	assert_all_ok(GEMP_NEW(times, applied + 1));
	for (size_t row = 0; row < m->frame.rows; row++) {
		if (!m->selected[row])
			continue;
		right &= is_whole(m, row) && m->numbers[row] < applied;
		times[gemp_min(m->numbers[row], applied)]++;
	}
	gemp_comm_sum(&test_comm, times, (int)applied + 1);
	for (uint64_t number = 0; number < applied; number++)
		right &= times[number] == 1;
	assert_all(right);
}

static void test_matches_are_spread(void **state)
{
	uint64_t seed = test_seed_all(), moved = 0;
	gemp_shard *graph = build_graph();
	const gemp_limits before = *gemp_limits_now();
	(void)state;
	TEST_LIMIT(balance_min, 0);
	for (int round = 0; round < 40; round++) {
		const gemp_rule rule = { .created_vertices = (size_t)gemp_random_below(&seed, 4) };
		const uint64_t chosen = gemp_random_below(&seed, (uint64_t)test_comm.size);
		const unsigned every = 1 + (unsigned)gemp_random_below(&seed, 3);
		const bool one = round % 2; /* one rank has found all matches */
		const size_t all = (size_t)gemp_random_below(&seed, MAX_ROWS);
		const size_t rows = !one                            ? (all * ((size_t)test_comm.rank + 3) * 7) % MAX_ROWS
		                    : (int)chosen == test_comm.rank ? all
		                                                    : 0;
		matches m = { 0 };
		assert_all_ok(make_matches(&m, rows, every, gemp_comm_exscan(&test_comm, (rows + every - 1) / every)));
		const uint64_t applied = gemp_comm_sum1(&test_comm, m.applied);
		assert_all_ok(gemp_balance_matches(&test_comm, graph, &rule, applied, &m.frame, &m.selected, &m.numbers));
		check(&m, applied);
		uint64_t here = 0, most;
		for (size_t row = 0; row < m.frame.rows; row++)
			here += m.selected[row];
		moved += here != m.applied;
		most = graph->rows + here * rule.created_vertices;
		gemp_comm_max(&test_comm, &most, 1);
		const uint64_t vertices = graph->vertex_count + applied * rule.created_vertices;
		if (rule.created_vertices && applied * rule.created_vertices > 5 * graph->vertex_count)
			assert_all(most <= vertices / (uint64_t)test_comm.size * 5 / 4 + 6);
		gemp_frame_free(&m.frame);
		gemp_free_all(m.selected, m.numbers);
	}
	assert_all(gemp_comm_sum1(&test_comm, moved) || test_comm.size == 1);
	gemp_limits_override(before);
	gemp_shard_free(graph);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_matches_are_spread, open_context, close_context),
	};
	return test_main_all(argc, argv, tests);
}
