/* Tests WITH and RETURN on random rows of a graph that every rank knows. The reference is a naive evaluation of the
 * same expression trees. */
#include "harness/limits.h"
#include "query_naive.h"

enum { TRIALS = 60 };

static int compare_lines(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sorts the lines, since they may come in any order without ORDER BY. */
static void sort_lines(gemp_text *text)
{
	size_t count = 0;
	char **lines = calloc(text->size + 1, sizeof *lines), *copy = calloc(text->size + 1, 1);
	for (size_t i = 0, begin = 0; i < text->size; i++)
		if (text->data[i] == '\1') {
			text->data[i] = '\0';
			lines[count++] = text->data + begin;
			begin = i + 1;
		}
	qsort(lines, count, sizeof *lines, compare_lines);
	size_t at = 0;
	for (size_t i = 0; i < count; i++)
		at += (size_t)snprintf(copy + at, text->size + 1 - at, "%s\1", lines[i]);
	memcpy(text->data, copy, at);
	free(copy);
	free(lines);
}

static bool same(gemp_text *expected, gemp_text *found, bool ordered)
{
	if (!ordered && expected->size == found->size && expected->size) {
		sort_lines(expected);
		sort_lines(found);
	}
	bool equal = expected->size == found->size &&
	             (expected->size == 0 || memcmp(expected->data, found->data, found->size) == 0);
	if (!equal)
		fprintf(stderr, "expected (%zu):\n%.3000s\nfound (%zu):\n%.3000s\n", expected->size,
		        expected->data ? expected->data : "", found->size, found->data ? found->data : "");
	gemp_text_free(expected);
	gemp_text_free(found);
	return equal;
}

static void check(uint64_t seed, size_t rows)
{
	input_rows *g = input_rows_new(seed, rows);
	output o;
	assert_all_ok(run(g, &o));
	gemp_text expected = expected_text(g);
	bool ordered = g->pattern->result.order_count;
	bool equal = same(&expected, &o.text, ordered);
	if (!equal)
		fprintf(stderr, "seed of the trial: %llu, %zu rows\n", (unsigned long long)seed, rows);
	assert_all(equal);
	input_rows_free(g);
}

static void random_clauses(void **state)
{
	(void)state;
	static const size_t sizes[] = { 0, 1, 7, 60, MAX_ROWS };
	uint64_t seed = test_seed_all();
	for (int trial = 0; trial < TRIALS; trial++)
		check(gemp_random(&seed), sizes[trial % 5]);
	assert_all(gemp_memory_blocks() == 0);
}

/* Makes a clause of the given items. */
static void set_clause(gemp_clause *clause, size_t count, gemp_expr **exprs)
{
	*clause = (gemp_clause){ .item_count = count, .shown = count };
	assert_ok(GEMP_NEW(clause->items, count));
	for (size_t i = 0; i < count; i++) {
		clause->items[i] = (gemp_return_item){ exprs[i], gemp_strdup("x") };
		clause->grouped |= is_aggregate(exprs[i]);
	}
}

static input_rows *input_rows_with_items(size_t rows, size_t count, gemp_expr **exprs)
{
	input_rows *g = input_rows_new(test_seed_all(), rows);
	clauses_clear(g->pattern);
	set_clause(&g->pattern->result, count, exprs);
	return g;
}

static void set_order(gemp_clause *clause, size_t item, bool descending)
{
	gemp_free(clause->orders);
	assert_ok(GEMP_NEW(clause->orders, 1));
	clause->orders[0] = (gemp_sort_item){ item, descending };
	clause->order_count = 1;
}

static size_t lines_of(const gemp_text *text)
{
	size_t lines = 0;
	for (size_t i = 0; i < text->size; i++)
		lines += text->data[i] == '\1';
	return lines;
}

static void skip_and_limit_without_order(void **state)
{
	(void)state;
	static const uint64_t cuts[][2] = { { 0, 0 },          { 0, 5 },    { 5, 0 },    { 3, 4 },
		                                { 0, UINT64_MAX }, { 200, 10 }, { 10, 1000 } };
	for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
		input_rows *g = input_rows_with_items(60, 2, (gemp_expr *[]){ element(0, false), attribute(1, MADE_NAME) });
		gemp_clause *clause = &g->pattern->result;
		output o;
		size_t all = 0, rest;
		for (size_t row = 0; row < g->rows; row++)
			all += g->row[row].times;
		clause->has_skip = cuts[i][0] > 0;
		clause->has_limit = cuts[i][1] < UINT64_MAX;
		clause->skip = cuts[i][0];
		clause->limit = cuts[i][1];
		rest = all > clause->skip ? all - clause->skip : 0;
		assert_all_ok(run(g, &o));
		assert_all(lines_of(&o.text) == (rest < clause->limit ? rest : clause->limit));
		assert_all(o.left_out == (clause->skip > 0 || clause->limit < all));
		gemp_text_free(&o.text);
		input_rows_free(g);
	}
}

static void aggregates_within_expressions_need_keys(void **state)
{
	(void)state;
	gemp_expr *sum = node(GEMP_ADD, GEMP_INTEGER);
	assert_ok(gemp_expr_children(sum, 2));
	sum->children[0] = attribute(0, MADE_AGE);
	sum->children[1] = node(GEMP_COUNT_STAR, GEMP_INTEGER);
	input_rows *g = input_rows_with_items(5, 2, (gemp_expr *[]){ element(1, false), sum });
	output o;
	g->pattern->result.grouped = true;
	assert_all_code(run(g, &o), GEMP_EUSAGE);
	assert_message("grouped by");
	input_rows_free(g);
}

/* A budget below the least one counts as that. */
static void groups_have_the_least_budget(void **state)
{
	(void)state;
	output in_memory, small;
	input_rows *g = input_rows_with_items(MAX_ROWS, 2, (gemp_expr *[]){ element(0, false), element(0, true) });
	g->pattern->result.distinct = true;
	assert_all_ok(run(g, &in_memory));
	g->made->context.budgets.host_memory = 1000;
	assert_all_ok(run(g, &small));
	assert_all(in_memory.text.size == small.text.size);
	assert_all(memcmp(in_memory.text.data, small.text.data, small.text.size) == 0);
	gemp_text_free(&in_memory.text);
	gemp_text_free(&small.text);
	input_rows_free(g);
}

static void too_many_groups_are_an_error(void **state)
{
	(void)state;
	output o;
	input_rows *g = input_rows_with_items(MAX_ROWS, 2, (gemp_expr *[]){ element(0, false), element(0, true) });
	g->pattern->result.distinct = true;
	g->made->context.budgets.host_memory = 1000;
	TEST_LIMIT(group_budget_min, 1);
	assert_all_code(run(g, &o), GEMP_ENOMEM);
	TEST_LIMIT_DEFAULT(group_budget_min);
	assert_message("raise --host-memory");
	gemp_text_free(&o.text);
	input_rows_free(g);
}

/* Each push writes a run, and each range of rows that is read back has few blocks. */
static void rows_beyond_memory_are_sorted_on_disk(void **state)
{
	(void)state;
	static const uint64_t cuts[][2] = { { 0, UINT64_MAX }, { 0, 17 }, { 9, 40 }, { MAX_ROWS + 5, 4 } };
	for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
		output in_memory, on_disk;
		input_rows *g = input_rows_with_items(
			MAX_ROWS, 3, (gemp_expr *[]){ attribute(0, MADE_AGE), element(1, false), element(0, true) });
		set_order(&g->pattern->result, 0, true);
		g->pattern->result.has_skip = g->pattern->result.has_limit = i > 0;
		g->pattern->result.skip = cuts[i][0];
		g->pattern->result.limit = cuts[i][1];
		assert_all_ok(run(g, &in_memory));
		g->made->context.budgets.host_memory = 1;
		assert_all_ok(run(g, &on_disk));
		assert_all(in_memory.text.size == on_disk.text.size);
		assert_all(memcmp(in_memory.text.data, on_disk.text.data, on_disk.text.size) == 0);
		gemp_text_free(&in_memory.text);
		gemp_text_free(&on_disk.text);
		input_rows_free(g);
	}
}

static void overflow_is_an_error(void **state)
{
	(void)state;
	gemp_expr *items[2];
	for (int i = 0; i < 3; i++) {
		items[0] = node(GEMP_COUNT_STAR, GEMP_INTEGER);
		items[1] = parent(i == 2 ? GEMP_AVG : GEMP_SUM, i == 2 ? GEMP_FLOAT : GEMP_INTEGER, key_of(0));
		input_rows *g = input_rows_with_items(40, 2, items);
		output o;
		g->counted = true;
		for (size_t row = 0; row < g->rows; row++) {
			g->row[row].times = i == 0 ? UINT64_MAX / 8 : UINT64_MAX / 128;
			g->row[row].vertices[0] = largest_key(g->made);
		}
		assert_all_code(run(g, &o), i == 2 ? GEMP_OK : GEMP_EDATA);
		if (i < 2)
			assert_message("64 bits");
		gemp_text_free(&o.text);
		input_rows_free(g);
	}
}

static gemp_code run_case(void *context)
{
	output o;
	gemp_code code = run(context, &o);
	gemp_text_free(&o.text);
	return code;
}

static void memory_may_run_out(void **state)
{
	(void)state;
	if (test_comm.size > 3)
		return; /* slow, and tests nothing new on more ranks */
	for (uint64_t seed = 1; seed < 12; seed += 2) {
		input_rows *g = input_rows_new(seed, 12);
		assert_all_survive_no_memory(run_case, g);
		input_rows_free(g);
	}
	assert_all(gemp_memory_blocks() == 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_clauses),
		cmocka_unit_test(skip_and_limit_without_order),
		cmocka_unit_test(aggregates_within_expressions_need_keys),
		cmocka_unit_test(groups_have_the_least_budget),
		cmocka_unit_test(too_many_groups_are_an_error),
		cmocka_unit_test(rows_beyond_memory_are_sorted_on_disk),
		cmocka_unit_test(overflow_is_an_error),
		cmocka_unit_test(memory_may_run_out),
	};
	return test_main_all(argc, argv, tests);
}
