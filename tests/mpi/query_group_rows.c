/* Compares groups of random rows (keys and arguments of every kind, NULL, NaN, multiplicities, dictionaries) with a
 * slow computation, and their bytes and order for any number of ranks and threads, with and without runs on disk. */
#include "core/limits.h"
#include "core/memory.h"
#include "core/random.h"
#include "core/text.h"
#include "core/threads.h"
#include "harness/collective.h"
#include "harness/limits.h"
#include "query/clause/group.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 7, VERTEX = 0, EDGE, INTEGER, FLOAT, STRING, BOOLEAN, ARGUMENT, FRAMES = 3 };

/* The cells of a row follow from the seed and the row's number. */
typedef struct rows_case {
	uint64_t seed;
	size_t rows, variety, keys; /* variety: number of different values of a column */
	bool counted, dictionary;   /* rows have multiplicities; the columns of strings and floats have a dictionary */
	size_t budget;
	gemp_comm *comm;
	gemp_text text; /* rows of all ranks in the order in which they were pushed */
	size_t pushes;
} rows_case;

static uint64_t chance(const rows_case *c, size_t row, size_t column)
{
	return gemp_mix(c->seed ^ gemp_mix(row * COLUMNS + column)) % c->variety;
}

static gemp_value cell(const rows_case *c, size_t row, size_t column)
{
	static const double reals[] = { NAN, -NAN, 0.0, -0.0, INFINITY, -INFINITY, 1e-300, 1e300 };
	static char text[64];
	const uint64_t n = chance(c, row, column);
	gemp_value v = { .type = GEMP_INTEGER, .null = n % 11 == 3 };
	switch (column) {
	case FLOAT:
		v.type = GEMP_FLOAT;
		v.real = n % 16 < 8 && n < 64 ? reals[n % 16 % 8] : (double)n / 8 - 3;
		break;
	case STRING:
		v.type = GEMP_STRING;
		v.string = (gemp_string){ text,
			                      (size_t)snprintf(text, sizeof text, "%0*llx", (int)(n % 40), (unsigned long long)n) };
		break;
	case BOOLEAN:
		v.type = GEMP_BOOLEAN;
		v.truth = n % 2;
		break;
	default: v.integer = n % 5 == 0 ? INT64_MIN + (int64_t)n : n % 5 == 1 ? (int64_t)(n << 33) : (int64_t)n - 20;
	}
	return v;
}

static uint64_t element(const rows_case *c, size_t row, size_t column)
{
	const uint64_t n = chance(c, row, column);
	return n % 11 == 3 ? GEMP_NO_ELEMENT : column == EDGE && n % 2 ? n << 34 : n;
}

static uint64_t times_of(const rows_case *c, size_t row)
{
	return c->counted ? chance(c, row, COLUMNS) % 3 + 1 : 1;
}

static gemp_code make_columns(gemp_frame *frame)
{
	static const gemp_type types[COLUMNS] = { GEMP_INTEGER, GEMP_INTEGER, GEMP_INTEGER, GEMP_FLOAT,
		                                      GEMP_STRING,  GEMP_BOOLEAN, GEMP_INTEGER };
	GEMP_TRY(gemp_frame_init(frame, COLUMNS));
	for (size_t c = 0; c < COLUMNS; c++)
		GEMP_TRY(gemp_frame_set(frame, c,
		                        c == VERTEX ? GEMP_CELL_VERTEX
		                        : c == EDGE ? GEMP_CELL_EDGE
		                                    : GEMP_CELL_VALUE,
		                        "c", types[c]));
	return GEMP_OK;
}

/* A dictionary with the values in reverse order; NULLs are missing rows in odd places. */
static gemp_code use_dictionary(gemp_frame *frame, size_t column, gemp_column *dictionary)
{
	gemp_frame_column *c = &frame->columns[column];
	GEMP_TRY(gemp_column_init(dictionary, "d", c->values.type));
	GEMP_TRY(GEMP_NEW(c->index, frame->rows));
	c->index_capacity = frame->rows;
	for (size_t row = frame->rows; row-- > 0;) {
		const gemp_value value = gemp_column_get(&c->values, row);
		c->index[row] = value.null && row % 2 ? GEMP_NO_ROW : (uint32_t)dictionary->rows;
		GEMP_TRY(gemp_column_add(dictionary, &value));
	}
	c->values.rows = 0;
	c->dictionary = dictionary;
	return GEMP_OK;
}

/* Adds the rows of one frame that belong to this rank. */
static gemp_code fill(const rows_case *c, gemp_frame *frame, size_t part)
{
	for (size_t row = part; row < c->rows; row += FRAMES) {
		if (gemp_mix(row) % (uint64_t)c->comm->size != (uint64_t)c->comm->rank)
			continue;
		for (size_t k = 0; k < COLUMNS; k++) {
			const gemp_value value = cell(c, row, k);
			GEMP_TRY(k <= EDGE ? gemp_frame_add_element(&frame->columns[k], frame->rows, element(c, row, k))
			                   : gemp_column_add(&frame->columns[k].values, &value));
		}
		if (c->counted) {
			GEMP_TRY(GEMP_RESERVE(frame->multiplicity, frame->multiplicity_capacity, frame->rows + 1));
			frame->multiplicity[frame->rows] = times_of(c, row);
		}
		frame->rows++;
	}
	return GEMP_OK;
}

static void print_row(gemp_text *out, const gemp_frame *frame, size_t row)
{
	for (size_t k = 0; k < frame->count; k++) {
		const gemp_frame_column *column = &frame->columns[k];
		const gemp_value value = column->kind == GEMP_CELL_VALUE ? gemp_value_canonical(gemp_frame_value(column, row))
		                                                         : (gemp_value){ 0 };
		if (column->kind != GEMP_CELL_VALUE)
			gemp_text_print(out, "%llx", (unsigned long long)column->elements[row]);
		else if (value.null)
			gemp_text_print(out, "NULL");
		else
			gemp_value_print(&value, out);
		gemp_text_print(out, k + 1 < frame->count ? " " : "\n");
	}
}

/* Collective. Appends the rows of all ranks in rank order. */
static gemp_code take(void *self, gemp_frame *frame, bool last, bool *enough)
{
	rows_case *c = self;
	GEMP_OWNED_BY(gemp_text_free) gemp_text mine = { 0 };
	GEMP_OWNED void *all = NULL;
	GEMP_OWNED size_t *begin = NULL;
	(void)last;
	(void)enough;
	for (size_t row = 0; row < frame->rows; row++)
		print_row(&mine, frame, row);
	GEMP_TRY(gemp_comm_allgather(c->comm, gemp_text_status(&mine), mine.data, mine.size, &all, &begin));
	gemp_text_add(&c->text, all, begin[c->comm->size]);
	c->pushes++;
	return gemp_comm_agree(c->comm, gemp_text_status(&c->text));
}

typedef struct wanted_aggregate {
	gemp_expr_kind kind;
	bool distinct;
	int argument;
} wanted_aggregate;

static const wanted_aggregate wanted[] = {
	{ GEMP_COUNT_STAR, false, GEMP_NO_ARGUMENT },
	{ GEMP_COUNT, false, VERTEX },
	{ GEMP_COUNT, true, STRING },
	{ GEMP_COUNT, true, EDGE },
	{ GEMP_SUM, false, FLOAT },
	{ GEMP_AVG, false, ARGUMENT },
	{ GEMP_MIN, false, FLOAT },
	{ GEMP_MAX, false, STRING },
	{ GEMP_MAX, false, INTEGER },
	{ GEMP_MIN, false, BOOLEAN },
	{ GEMP_COLLECT, false, FLOAT },
	{ GEMP_AVG, true, FLOAT },
};
enum { AGGREGATES = sizeof wanted / sizeof *wanted };

static gemp_code make_stage(rows_case *c, gemp_runtime *context, gemp_row_stage *next, gemp_row_stage *stage)
{
	GEMP_OWNED_BY(gemp_frame_free) gemp_frame input = { 0 };
	gemp_expr exprs[AGGREGATES];
	const gemp_expr *list[AGGREGATES];
	int arguments[AGGREGATES];
	for (size_t i = 0; i < AGGREGATES; i++) {
		exprs[i] = (gemp_expr){ .kind = wanted[i].kind, .distinct = wanted[i].distinct };
		list[i] = &exprs[i];
		arguments[i] = wanted[i].argument;
	}
	GEMP_TRY(gemp_comm_agree(c->comm, make_columns(&input)));
	return gemp_group_new(stage, context, NULL,
	                      &(gemp_group_options){ .input = &input,
	                                             .key_count = c->keys,
	                                             .aggregate_count = AGGREGATES,
	                                             .aggregates = list,
	                                             .arguments = arguments,
	                                             .next = next });
}

static gemp_code push_frames(rows_case *c, gemp_row_stage *stage)
{
	bool enough = false;
	for (size_t part = 0; part < FRAMES; part++) {
		GEMP_OWNED_BY(gemp_frame_free) gemp_frame frame = { 0 };
		GEMP_OWNED_BY(gemp_column_free) gemp_column strings = { 0 };
		GEMP_OWNED_BY(gemp_column_free) gemp_column reals = { 0 };
		gemp_code code = make_columns(&frame);
		GEMP_THEN(fill(c, &frame, part));
		if (c->dictionary && frame.rows) {
			GEMP_THEN(use_dictionary(&frame, STRING, &strings));
			GEMP_THEN(use_dictionary(&frame, FLOAT, &reals));
		}
		GEMP_TRY(gemp_comm_agree(c->comm, code));
		GEMP_TRY(stage->push(stage->self, &frame, part + 1 == FRAMES, &enough));
	}
	return GEMP_OK;
}

/* Collective over c->comm. c->text becomes the result. */
static gemp_code run(rows_case *c)
{
	gemp_runtime context = { .comm = c->comm, .budgets = { .host_memory = c->budget } };
	gemp_row_stage stage = { 0 }, next = { .self = c, .push = take };
	gemp_text_free(&c->text);
	c->pushes = 0;
	gemp_code code = make_stage(c, &context, &next, &stage);
	GEMP_THEN(push_frames(c, &stage));
	gemp_row_stage_free(&stage);
	return code;
}

/* A SLOW COMPUTATION of the first aggregates, from the printed keys of all rows. */

typedef struct slow_group {
	char *key;
	uint64_t rows, vertices;
	int64_t largest;
	bool has_largest;
} slow_group;

static int compare_slow(const void *a, const void *b)
{
	return strcmp(((const slow_group *)a)->key, ((const slow_group *)b)->key);
}

static void print_keys(const rows_case *c, size_t row, gemp_text *out)
{
	for (size_t k = 0; k < c->keys; k++) {
		const gemp_value value = gemp_value_canonical(cell(c, row, k));
		if (k <= EDGE)
			gemp_text_print(out, "%llx", (unsigned long long)element(c, row, k));
		else if (value.null)
			gemp_text_print(out, "NULL");
		else
			gemp_value_print(&value, out);
		gemp_text_print(out, " ");
	}
}

/* Returns the expected begin of a line: keys, count(*) and count(vertex); and max(integer) behind a bar. */
static slow_group *slow_groups(const rows_case *c, size_t *count)
{
	slow_group *groups = calloc(c->rows + 1, sizeof *groups);
	for (size_t row = 0; row < c->rows; row++) {
		gemp_text key = { 0 };
		gemp_text_add(&key, "", 0);
		print_keys(c, row, &key);
		const gemp_value integer = cell(c, row, INTEGER);
		groups[row] = (slow_group){ strdup(key.data), times_of(c, row),
			                        element(c, row, VERTEX) == GEMP_NO_ELEMENT ? 0 : times_of(c, row), integer.integer,
			                        !integer.null };
		gemp_text_free(&key);
	}
	qsort(groups, c->rows, sizeof *groups, compare_slow);
	*count = 0;
	for (size_t i = 0; i < c->rows; i++) {
		slow_group *last = *count ? &groups[*count - 1] : NULL;
		if (!last || strcmp(last->key, groups[i].key) != 0) {
			groups[(*count)++] = groups[i];
			continue;
		}
		last->rows += groups[i].rows;
		last->vertices += groups[i].vertices;
		if (groups[i].has_largest && (!last->has_largest || groups[i].largest > last->largest)) {
			last->largest = groups[i].largest;
			last->has_largest = true;
		}
		free(groups[i].key);
	}
	return groups;
}

/* Returns the number of groups whose lines are not in the result. */
static size_t missing_groups(const rows_case *c, const slow_group *groups, size_t count)
{
	size_t missing = 0, lines = 0;
	char *padded = malloc(c->text.size + 2);
	padded[0] = '\n';
	memcpy(padded + 1, c->text.data, c->text.size);
	padded[c->text.size + 1] = 0;
	for (size_t i = 1; i <= c->text.size; i++)
		lines += padded[i] == '\n';
	for (size_t i = 0; i < count; i++) {
		gemp_text line = { 0 };
		gemp_text_print(&line, "\n%s%llu %llu ", groups[i].key, (unsigned long long)groups[i].rows,
		                (unsigned long long)groups[i].vertices);
		missing += strstr(padded, line.data) == NULL;
		gemp_text_free(&line);
	}
	free(padded);
	return missing + (lines != count);
}

static void groups_are_those_of_a_slow_computation(void **state)
{
	(void)state;
	uint64_t seed = test_seed_all();
	for (size_t keys = 0; keys <= BOOLEAN + 1; keys++) {
		rows_case c = { .seed = gemp_random(&seed),
			            .rows = 400,
			            .variety = keys > 2 ? 3 : 40,
			            .keys = keys,
			            .counted = keys % 2,
			            .dictionary = keys % 3 == 0,
			            .comm = &test_comm };
		size_t count;
		slow_group *groups = slow_groups(&c, &count);
		assert_all_ok(run(&c));
		assert_all(missing_groups(&c, groups, count) == 0);
		for (size_t i = 0; i < count; i++)
			free(groups[i].key);
		free(groups);
		gemp_text_free(&c.text);
		assert_all(gemp_memory_blocks() == 0);
	}
}

/* BYTES */

/* Compares a run of all ranks with that of one rank, which has one thread and no budget. */
static size_t compare_runs(rows_case *c, unsigned threads)
{
	gemp_comm self;
	gemp_comm_new(&self, MPI_COMM_SELF);
	rows_case alone = *c;
	alone.comm = &self;
	alone.budget = 0;
	alone.text = (gemp_text){ 0 };
	gemp_threads_limit(1);
	assert_all_ok(run(&alone));
	gemp_threads_limit(threads);
	assert_all_ok(run(c));
	gemp_threads_limit(0);
	assert_all(alone.text.size == c->text.size && memcmp(alone.text.data, c->text.data, c->text.size) == 0);
	gemp_text_free(&alone.text);
	gemp_comm_free(&self);
	const size_t pushes = c->pushes;
	gemp_text_free(&c->text);
	assert_all(gemp_memory_blocks() == 0);
	return pushes;
}

static void bytes_do_not_depend_on_ranks_threads_and_memory(void **state)
{
	(void)state;
	TEST_LIMIT(group_block, 500);
	uint64_t seed = test_seed_all();
	size_t most_pushes = 0;
	for (size_t trial = 0; trial < 6; trial++) {
		rows_case c = { .seed = gemp_random(&seed),
			            .rows = 6000,
			            .variety = trial % 2 ? 6 : 5000,
			            .keys = trial,
			            .counted = trial % 2,
			            .dictionary = trial % 3 == 0,
			            .comm = &test_comm,
			            .budget = trial % 3 ? (size_t)600 << 10 : 0 };
		const size_t pushes = compare_runs(&c, trial % 2 ? 3 : 1);
		most_pushes = pushes > most_pushes ? pushes : most_pushes;
	}
	TEST_LIMIT_DEFAULT(group_block);
	assert_true(most_pushes >= 8); /* groups came in several blocks */
}

/* More groups than the tables of threads hold, so rows go to the partitions directly. */
static void many_groups(void **state)
{
	(void)state;
	rows_case c = { .seed = test_seed_all(),
		            .rows = test_comm.size == 1 ? 60000 : 20000,
		            .variety = 1 << 30,
		            .keys = 1,
		            .comm = &test_comm };
	compare_runs(&c, 2);
	c.budget = (size_t)8 << 20;
	compare_runs(&c, 2);
}

/* Threads read keys that are stored by content from packets, of which each thread takes some thousands at a time. */
static void packets_of_stored_keys(void **state)
{
	(void)state;
	rows_case c = { .seed = test_seed_all(),
		            .rows = test_comm.size == 1 ? 30000 : 12000,
		            .variety = 1 << 30,
		            .keys = 5,
		            .comm = &test_comm,
		            .budget = test_comm.size == 1 ? (size_t)12 << 20 : 0 };
	compare_runs(&c, 2);
}

/* A budget for fewer groups than there are needs a file, and every rank fails if one cannot make it. */
static void runs_need_a_folder(void **state)
{
	(void)state;
	const char *before = getenv("TMPDIR");
	char *kept = before ? strdup(before) : NULL;
	rows_case c = {
		.seed = 3, .rows = 20000, .variety = 1 << 30, .keys = 2, .comm = &test_comm, .budget = (size_t)300 << 10
	};
	setenv("TMPDIR", "/there/is/no/such/folder", 1);
	assert_all_code(run(&c), GEMP_EIO);
	assert_true(strstr(gemp_message(), "/there/is/no/such/folder") != NULL);
	assert_true(strstr(gemp_message(), "TMPDIR") != NULL);
	if (kept)
		setenv("TMPDIR", kept, 1);
	else
		unsetenv("TMPDIR");
	free(kept);
	gemp_text_free(&c.text);
	assert_all(gemp_memory_blocks() == 0);
}

static gemp_code run_step(void *argument)
{
	rows_case *c = argument;
	gemp_code code = run(c);
	gemp_text_free(&c->text);
	return code;
}

static void memory_may_run_out(void **state)
{
	(void)state;
	rows_case c = { .seed = 5, .rows = 60, .variety = 9, .keys = 5, .dictionary = true, .comm = &test_comm };
	if (test_comm.size <= 3)
		assert_all_survive_no_memory(run_step, &c);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(groups_are_those_of_a_slow_computation),
		cmocka_unit_test(bytes_do_not_depend_on_ranks_threads_and_memory),
		cmocka_unit_test(many_groups),
		cmocka_unit_test(packets_of_stored_keys),
		cmocka_unit_test(runs_need_a_folder),
		cmocka_unit_test(memory_may_run_out),
	};
	return test_main_all(argc, argv, tests);
}
