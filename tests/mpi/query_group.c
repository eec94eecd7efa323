/* Tests groups of values that are hard to distinguish (NaN, zeros, NULL), and aggregates of values whose sum depends on
 * the order of plain additions. */
#include "core/memory.h"
#include "harness/collective.h"

#include "comm/comm.h"
#include "core/random.h"
#include "core/status.h"
#include "core/text.h"
#include "graph/column.h"
#include "partition/runtime.h"
#include "pattern/model/expr.h"
#include "query/clause/group.h"
#include "query/rows/frame.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_VALUES = 12, AGGREGATES = 8 };

/* A key and an argument. Each rank pushes some of the rows. */
typedef struct input_row {
	bool key_null, value_null;
	double key, value;
} input_row;

typedef struct output {
	gemp_text lines; /* lines of this rank */
} output;

static gemp_code output_push(void *self, gemp_frame *frame, bool last, bool *enough)
{
	output *o = self;
	(void)last;
	(void)enough;
	for (size_t row = 0; row < frame->rows; row++)
		for (size_t c = 0; c < frame->count; c++) {
			gemp_value value = gemp_frame_value(&frame->columns[c], row);
			gemp_value_print(&value, &o->lines);
			gemp_text_print(&o->lines, c + 1 < frame->count ? " " : "\n");
		}
	return gemp_text_status(&o->lines);
}

static const struct {
	gemp_expr_kind kind;
	bool distinct;
} wanted[AGGREGATES] = {
	{ GEMP_COUNT_STAR, false }, { GEMP_COUNT, false }, { GEMP_COUNT, true }, { GEMP_SUM, false },
	{ GEMP_AVG, false },        { GEMP_MIN, false },   { GEMP_MAX, false },  { GEMP_COLLECT, true },
};

static gemp_code make_stage(gemp_row_stage *stage, gemp_runtime *context, size_t keys, gemp_row_stage *next)
{
	gemp_code code = GEMP_OK;
	gemp_expr exprs[AGGREGATES] = { { 0 } };
	const gemp_expr *list[AGGREGATES];
	int arguments[AGGREGATES];
	gemp_frame input = { 0 };
	for (size_t i = 0; i < AGGREGATES; i++) {
		exprs[i] = (gemp_expr){ .kind = wanted[i].kind, .distinct = wanted[i].distinct };
		list[i] = &exprs[i];
		arguments[i] = wanted[i].kind == GEMP_COUNT_STAR ? GEMP_NO_ARGUMENT : 1;
	}
	GEMP_TRY_DONE(gemp_frame_init(&input, 2));
	GEMP_TRY_DONE(gemp_frame_set(&input, 0, GEMP_CELL_VALUE, "k", GEMP_FLOAT));
	GEMP_TRY_DONE(gemp_frame_set(&input, 1, GEMP_CELL_VALUE, "x", GEMP_FLOAT));
	const gemp_group_options options = { .input = &input,
		                                 .key_count = keys,
		                                 .aggregate_count = AGGREGATES,
		                                 .aggregates = list,
		                                 .arguments = arguments,
		                                 .next = next };
	code = gemp_group_new(stage, context, NULL, &options);
done:
	gemp_frame_free(&input);
	return code;
}

static int compare_lines(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Collective. Returns the sorted lines of all ranks. */
static char *all_lines(const output *o)
{
	void *all;
	size_t *begin, count = 0;
	assert_all_ok(gemp_comm_allgather(&test_comm, GEMP_OK, o->lines.data, o->lines.size, &all, &begin));
	char *text = calloc(begin[test_comm.size] + 1, 1), *sorted = calloc(begin[test_comm.size] + 1, 1), *lines[64];
	memcpy(text, all, begin[test_comm.size]);
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		lines[count++] = line;
	qsort(lines, count, sizeof *lines, compare_lines);
	for (size_t i = 0; i < count; i++)
		strcat(strcat(sorted, lines[i]), "\n");
	free(text);
	gemp_free(all);
	gemp_free(begin);
	return sorted;
}

/* Collective. Every row is pushed once, by a random rank in a random round. */
static void check(size_t keys, const input_row *rows, size_t count, uint64_t seed, const char *expected)
{
	enum { TURNS = 2 };
	gemp_runtime context = { .comm = &test_comm };
	output o = { { 0 } };
	gemp_row_stage stage, next = { .self = &o, .push = output_push };
	assert_all_ok(make_stage(&stage, &context, keys, &next));
	for (uint64_t turn = 0; turn < TURNS; turn++) {
		gemp_frame frame;
		bool enough = false;
		gemp_code code = gemp_frame_init(&frame, 2);
		code |= gemp_frame_set(&frame, 0, GEMP_CELL_VALUE, "k", GEMP_FLOAT);
		code |= gemp_frame_set(&frame, 1, GEMP_CELL_VALUE, "x", GEMP_FLOAT);
		for (size_t i = 0; i < count; i++) {
			uint64_t chance = gemp_mix(seed + i);
			if (chance % TURNS != turn || chance / TURNS % (uint64_t)test_comm.size != (uint64_t)test_comm.rank)
				continue;
			code |= gemp_column_add(&frame.columns[0].values,
			                        &(gemp_value){ .type = GEMP_FLOAT, .null = rows[i].key_null, .real = rows[i].key });
			code |= gemp_column_add(
				&frame.columns[1].values,
				&(gemp_value){ .type = GEMP_FLOAT, .null = rows[i].value_null, .real = rows[i].value });
			frame.rows++;
		}
		assert_all_ok(code);
		assert_all_ok(stage.push(stage.self, &frame, turn + 1 == TURNS, &enough));
		gemp_frame_free(&frame);
	}
	char *lines = all_lines(&o);
	if (strcmp(lines, expected) != 0)
		fprintf(stderr, "expected:\n%sfound:\n%s", expected, lines);
	assert_all(strcmp(lines, expected) == 0);
	free(lines);
	gemp_text_free(&o.lines);
	gemp_row_stage_free(&stage);
	assert_all(gemp_memory_blocks() == 0);
}

static void check_orders(size_t keys, const input_row *rows, size_t count, const char *expected)
{
	uint64_t seed = test_seed_all();
	for (int trial = 0; trial < 10; trial++)
		check(keys, rows, count, gemp_random(&seed), expected);
}

static void equal_keys_are_one_group(void **state)
{
	(void)state;
	const input_row rows[] = {
		{ .key = NAN, .value = 1 },
		{ .key = -NAN, .value = 2 },
		{ .key = 0.0, .value = 3 },
		{ .key = -0.0, .value = 4 },
		{ .key_null = true, .value = 5 },
		{ .key_null = true, .value_null = true },
		{ .key = INFINITY, .value_null = true },
	};
	check_orders(1, rows, 7,
	             " 2 1 1 5.0 5.0 5.0 5.0 [5.0]\n"
	             "0.0 2 2 2 7.0 3.5 3.0 4.0 [3.0, 4.0]\n"
	             "inf 1 0 0 0.0    []\n"
	             "nan 2 2 2 3.0 1.5 1.0 2.0 [1.0, 2.0]\n");
}

static void sums_do_not_depend_on_order(void **state)
{
	(void)state;
	const input_row rows[] = {
		{ .value = 1e100 }, { .value = 1 }, { .value = -1e100 }, { .value = 0.1 }, { .value = 1e-300 },
		{ .value = 1e300 }, { .value = 3 }, { .value = -1e300 }, { .value = 0.1 }, { .value_null = true },
	};
	check_orders(0, rows, 10,
	             "10 9 8 4.2 0.4666666666666667 -1e+300 1e+300 "
	             "[-1e+300, -1e+100, 1e-300, 0.1, 1.0, 3.0, 1e+100, 1e+300]\n");
}

static void nan_comes_last(void **state)
{
	(void)state;
	const input_row rows[] = { { .value = NAN },  { .value = 1 },   { .value = -INFINITY },
		                       { .value = -NAN }, { .value = 0.0 }, { .value = -0.0 } };
	check_orders(0, rows, 6, "6 6 4 nan nan -inf nan [null, 0.0, 1.0, null]\n");
}

static void no_rows(void **state)
{
	(void)state;
	check(0, NULL, 0, 1, "0 0 0 0.0    []\n");
	check(1, NULL, 0, 1, "");
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_keys_are_one_group),
		cmocka_unit_test(sums_do_not_depend_on_order),
		cmocka_unit_test(nan_comes_last),
		cmocka_unit_test(no_rows),
	};
	return test_main_all(argc, argv, tests);
}
