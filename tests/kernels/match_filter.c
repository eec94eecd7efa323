/* Tests conditions on one vertex. The bitmaps that the device and the threads of the host compute must equal the result
 * of the evaluation of each row, on random tables and conditions. */
#include "match_filter_case.h"

static void random_tables(void **state)
{
	static const size_t sizes[] = { 0, 1, 2, 31, 32, 33, 64, 100, MAX_ROWS };
	size_t set = 0, rows = 0;
	(void)state;
	for (size_t i = 0; i < 3 * sizeof sizes / sizeof *sizes; i++) {
		table *t = new_table(sizes[i % (sizeof sizes / sizeof *sizes)]);
		for (int j = 0; j < 40; j++) {
			gemp_condition conditions[3] = { 0 };
			const gemp_condition *pointers[3];
			size_t count = 1 + below(2);
			for (size_t c = 0; c < count; c++) {
				conditions[c].expr = random_condition(2);
				pointers[c] = &conditions[c];
			}
			set += check(t, pointers, count);
			rows += t->rows.rows;
			for (size_t c = 0; c < count; c++)
				free_expr(conditions[c].expr);
		}
		free_table(t);
	}
	/* Between 5 % and 95 % of the results are true, so both outcomes are tested. */
	assert_in_range(set, rows / 20, rows - rows / 20);
}

static void every_leaf(void **state)
{
	table *t = new_table(MAX_ROWS);
	(void)state;
	for (int i = 0; i < 1500; i++) {
		gemp_condition condition = { .expr = random_condition(0) };
		const gemp_condition *pointer = &condition;
		check(t, &pointer, 1);
		free_expr(condition.expr);
	}
	free_table(t);
}

static void no_conditions(void **state)
{
	table *t = new_table(70);
	uint32_t bitmap[3] = { 0 };
	(void)state;
	assert_ok(gemp_filter_evaluate(filter, &t->rows, NULL, 0, bitmap));
	assert_int_equal(bitmap[0], UINT32_MAX);
	assert_int_equal(bitmap[1], UINT32_MAX);
	assert_int_equal(bitmap[2], (1 << 6) - 1);
	free_table(t);
}

static void columns_are_copied_once(void **state)
{
	table *t = new_table(50);
	uint32_t bitmap[2];
	gemp_condition condition = { .expr = new_expr(GEMP_EQ, 2) };
	const gemp_condition *twice[2] = { &condition, &condition };
	(void)state;
	for (int i = 0; i < 2; i++) {
		condition.expr->children[i] = new_expr(GEMP_ATTRIBUTE, 0);
		condition.expr->children[i]->attribute = 1 + 4 * i;
	}
	uint64_t before = gemp_filter_copied(filter);
	assert_ok(gemp_filter_evaluate(filter, &t->rows, twice, 2, bitmap));
	assert_ok(gemp_filter_evaluate(filter, &t->rows, twice, 1, bitmap));
	assert_int_equal(gemp_filter_copied(filter) - before, 100);
	t->rows.tag += 1000000;
	assert_ok(gemp_filter_evaluate(filter, &t->rows, twice, 1, bitmap));
	assert_int_equal(gemp_filter_copied(filter) - before, 200);
	free_expr(condition.expr);
	free_table(t);
}

/* A column with few distinct strings is sent to the device as codes; a column of distinct strings is sent as it is. */
static void repeated_strings_are_coded(void **state)
{
	table *t = new_table(MAX_ROWS);
	uint32_t bitmap[MAX_ROWS / 32 + 1];
	gemp_condition condition = { .expr = new_expr(GEMP_CONTAINS, 2) };
	const gemp_condition *pointer = &condition;
	gemp_filter_codes codes;
	(void)state;
	condition.expr->children[0] = new_expr(GEMP_ATTRIBUTE, 0);
	condition.expr->children[1] = new_expr(GEMP_LITERAL, 0);
	condition.expr->children[1]->value = (gemp_value){ .type = GEMP_STRING, .string = { "a", 1 } };
	assert_ok(gemp_filter_codes_new(&codes, &t->columns[0], false));
	assert_non_null(codes.codes);
	assert_in_range(codes.values.rows, 2, 11); /* at most ten strings and NULL */
	for (size_t row = 0; row < MAX_ROWS; row++) {
		gemp_value value = gemp_column_get(&t->columns[0], row),
				   same = gemp_column_get(&codes.values, codes.codes[row]);
		assert_int_equal(value.null, same.null);
		assert_true(value.null || (value.string.size == same.string.size &&
		                           memcmp(value.string.bytes, same.string.bytes, same.string.size) == 0));
	}
	uint64_t before = gemp_filter_copied(filter);
	assert_ok(gemp_filter_evaluate(filter, &t->rows, &pointer, 1, bitmap));
	assert_int_equal(gemp_filter_copied(filter) - before, MAX_ROWS + codes.values.rows);
	gemp_filter_codes_free(&codes);
	free_table(t);
	t = new_table(MAX_ROWS);
	fill_numbers(&t->columns[0], MAX_ROWS);
	for (int eager = 0; eager < 2; eager++) {
		assert_ok(gemp_filter_codes_new(&codes, &t->columns[0], eager));
		assert_null(codes.codes);
	}
	before = gemp_filter_copied(filter);
	assert_ok(gemp_filter_evaluate(filter, &t->rows, &pointer, 1, bitmap));
	assert_int_equal(gemp_filter_copied(filter) - before, MAX_ROWS);
	free_expr(condition.expr);
	free_table(t);
}

static gemp_expr *pair(gemp_expr_kind kind, gemp_expr *left, gemp_expr *right)
{
	gemp_expr *expr = new_expr(kind, 2);
	expr->children[0] = left;
	expr->children[1] = right;
	return expr;
}

static gemp_expr *integer(int64_t value)
{
	gemp_expr *expr = new_expr(GEMP_LITERAL, 0);
	expr->value = (gemp_value){ .type = GEMP_INTEGER, .integer = value };
	return expr;
}

static gemp_expr *attribute(int column)
{
	gemp_expr *expr = new_expr(GEMP_ATTRIBUTE, 0);
	expr->attribute = column;
	return expr;
}

static gemp_expr *inverse_of_attribute(void)
{
	return pair(GEMP_GE, pair(GEMP_DIVIDE, integer(6), attribute(1)), integer(0));
}

static gemp_expr *inverse_of_size(void)
{
	gemp_expr *size = new_expr(GEMP_SIZE, 1);
	size->children[0] = attribute(0);
	return pair(GEMP_GE, pair(GEMP_DIVIDE, integer(6), size), integer(0));
}

/* 6 / n.number >= 0 is an error where the number is 0, unless another condition already drops the row. */
static void failing_expressions(void **state)
{
	table *t = new_table(MAX_ROWS);
	uint32_t bitmap[MAX_ROWS / 32 + 1];
	gemp_condition divided = { .expr = inverse_of_attribute() }, sized = { .expr = inverse_of_size() };
	gemp_condition not_zero = { .expr = pair(GEMP_NE, attribute(1), integer(0)) };
	gemp_condition guarded = { .expr = pair(GEMP_AND, inverse_of_attribute(),
		                                    pair(GEMP_NE, attribute(1), integer(0))) };
	gemp_condition either = { .expr = pair(GEMP_OR, pair(GEMP_EQ, attribute(1), integer(0)), inverse_of_attribute()) };
	gemp_condition some = { .expr = pair(GEMP_NE, attribute(0), new_expr(GEMP_LITERAL, 0)) };
	const gemp_condition *alone[] = { &divided }, *both[] = { &divided, &not_zero }, *size_alone[] = { &sized };
	const gemp_condition *strings[] = { &sized, &some }, *in_one[] = { &guarded }, *one_of_two[] = { &either };
	(void)state;
	some.expr->children[1]->value = (gemp_value){ .type = GEMP_STRING };
	assert_code(gemp_filter_evaluate(filter, &t->rows, alone, 1, bitmap), GEMP_EDATA);
	assert_code(gemp_filter_evaluate(filter, &t->rows, size_alone, 1, bitmap), GEMP_EDATA);
	check(t, both, 2);
	check(t, in_one, 1);
	check(t, one_of_two, 1);
	check(t, strings, 2);
	free_expr(divided.expr);
	free_expr(sized.expr);
	free_expr(not_zero.expr);
	free_expr(guarded.expr);
	free_expr(either.expr);
	free_expr(some.expr);
	free_table(t);
}

/* Without a function for values that no column holds, a condition on a degree is an error. */
static void degrees_need_a_function(void **state)
{
	table *t = new_table(MAX_ROWS);
	uint32_t bitmap[MAX_ROWS / 32 + 1];
	gemp_condition condition = { .expr = new_expr(GEMP_GT, 2) };
	const gemp_condition *pointer = &condition;
	(void)state;
	t->rows.value = NULL;
	condition.expr->children[0] = new_expr(GEMP_DEGREE, 0);
	condition.expr->children[1] = random_literal();
	assert_code(gemp_filter_evaluate(filter, &t->rows, &pointer, 1, bitmap), GEMP_EINTERNAL);
	assert_message("reads values that are not known");
	free_expr(condition.expr);
	free_table(t);
}

typedef struct evaluation {
	table *table;
	const gemp_condition *conditions[2];
} evaluation;

static gemp_code evaluate(void *argument)
{
	const evaluation *e = argument;
	uint32_t bitmap[MAX_ROWS / 32 + 1];
	return gemp_filter_evaluate(filter, &e->table->rows, e->conditions, 2, bitmap);
}

/* Makes the conditions n.text CONTAINS 'a' and n.number IN [1, 2.5]. */
static void make_conditions(gemp_condition conditions[2])
{
	gemp_expr *contains = new_expr(GEMP_CONTAINS, 2), *in = new_expr(GEMP_IN, 3);
	for (int i = 0; i < 2; i++)
		contains->children[i] = new_expr(i ? GEMP_LITERAL : GEMP_ATTRIBUTE, 0);
	for (int i = 0; i < 3; i++)
		in->children[i] = new_expr(i ? GEMP_LITERAL : GEMP_ATTRIBUTE, 0);
	contains->children[0]->attribute = 0;
	contains->children[1]->value = (gemp_value){ .type = GEMP_STRING, .string = { "a", 1 } };
	in->children[0]->attribute = 1;
	in->children[1]->value = (gemp_value){ .type = GEMP_INTEGER, .integer = 1 };
	in->children[2]->value = (gemp_value){ .type = GEMP_FLOAT, .real = 2.5 };
	conditions[0].expr = contains;
	conditions[1].expr = in;
}

static void memory_may_run_out(void **state)
{
	gemp_condition conditions[2] = { 0 };
	evaluation e = { new_table(MAX_ROWS), { &conditions[0], &conditions[1] } };
	gemp_device *device = context->device;
	size_t memory = device->memory;
	(void)state;
	make_conditions(conditions);
	uint32_t bitmap[MAX_ROWS / 32 + 1];
	/* this call drops the device's columns of another table */
	assert_ok(gemp_filter_evaluate(filter, &e.table->rows, NULL, 0, bitmap));
	/* the number column alone is larger than 2000 bytes */
	device->memory = device->buffer_bytes + 2000;
	assert_code(evaluate(&e), GEMP_ENOMEM);
	assert_message("attribute column: ");
	device->memory = memory;
	check(e.table, e.conditions, 2);
	size_t held = device->buffer_bytes;
	assert_survives_no_memory(evaluate, &e);
	assert_int_equal(device->buffer_bytes, held);
	check(e.table, e.conditions, 2);
	for (int i = 0; i < 2; i++)
		free_expr(conditions[i].expr);
	free_table(e.table);
}

/* A filter on the host copies nothing to the device. */
static void host_memory_may_run_out(void **state)
{
	gemp_condition conditions[2] = { 0 };
	evaluation e = { new_table(MAX_ROWS), { &conditions[0], &conditions[1] } };
	size_t held = context->device->buffer_bytes;
	(void)state;
	make_conditions(conditions);
	assert_survives_no_memory(evaluate, &e);
	assert_int_equal(context->device->buffer_bytes, held);
	assert_int_equal(gemp_filter_copied(filter), 0);
	for (int i = 0; i < 2; i++)
		free_expr(conditions[i].expr);
	free_table(e.table);
}

/* CONTAINS, STARTS WITH, ENDS WITH and = over strings that all differ, so the filter cannot use a dictionary. */
static char *random_bytes(size_t size)
{
	char *bytes = gemp_calloc(size, 1);
	assert_non_null(bytes);
	for (size_t i = 0; i < size; i++)
		bytes[i] = (char)('a' + below(3));
	return bytes;
}

/* Fills the column with `rows` random strings of up to `longest` bytes. Some of them are empty or NULL. */
static void fill_distinct(gemp_column *column, size_t rows, size_t longest)
{
	gemp_column_free(column);
	assert_ok(gemp_column_init(column, "column", GEMP_STRING));
	for (size_t i = 0; i < rows; i++) {
		size_t size = below(5) ? below(longest + 1) : 0;
		char *bytes = random_bytes(size);
		gemp_value value = { .type = GEMP_STRING, .null = below(9) == 0, .string = { bytes, size } };
		assert_ok(gemp_column_add(column, &value));
		gemp_free(bytes);
	}
}

/* Returns a substring of the column's bytes, which may reach across the boundary of two strings or be empty. */
static gemp_value random_substring(const gemp_column *column, size_t longest)
{
	uint64_t bytes = column->offsets[column->rows];
	size_t size = below(longest + 1);
	if (size > bytes)
		size = bytes;
	return (gemp_value){ .type = GEMP_STRING,
		                 .string = { column->bytes + (size == bytes ? 0 : below(bytes - size)), size } };
}

static void searches_in_long_strings(void **state)
{
	static const gemp_expr_kind kinds[] = { GEMP_CONTAINS, GEMP_CONTAINS, GEMP_STARTS_WITH, GEMP_ENDS_WITH, GEMP_EQ };
	static const size_t longest[] = { 1, 7, 40, 300, 3000 };
	size_t set = 0, rows = 0;
	(void)state;
	for (size_t i = 0; i < 25; i++) {
		table *t = new_table(1 + below(MAX_ROWS));
		fill_distinct(&t->columns[0], t->rows.rows, longest[i % 5]);
		for (size_t j = 0; j < 12; j++) {
			gemp_condition condition = { .expr = new_expr(kinds[j % 5], 2) };
			const gemp_condition *pointer = &condition;
			condition.expr->children[0] = new_expr(GEMP_ATTRIBUTE, 0);
			condition.expr->children[1] = new_expr(GEMP_LITERAL, 0);
			condition.expr->children[1]->value = random_substring(&t->columns[0], below(4) ? 6 : longest[i % 5]);
			if (below(3) == 0) {
				gemp_expr *not = new_expr(GEMP_NOT, 1);
				not ->children[0] = condition.expr;
				condition.expr = not ;
			}
			set += check(t, &pointer, 1);
			rows += t->rows.rows;
			free_expr(condition.expr);
		}
		free_table(t);
	}
	assert_in_range(set, rows / 20, rows - rows / 20);
}

static int setup(void **state)
{
	static const gemp_budgets budgets;
	(void)state;
	seed = test_seed();
	gemp_comm_new(&comm, MPI_COMM_WORLD);
	assert_ok(runtime_with_devices(&context, &comm, NULL, &budgets));
	assert_ok(gemp_filter_new(&filter, context, false));
	return 0;
}

/* Builds the kernels in the form for a GPU, on whatever device there is. */
static int setup_gpu_shape(void **state)
{
	setup(state);
	gemp_filter_free(filter);
	context->device->gpu = true;
	assert_ok(gemp_filter_new(&filter, context, false));
	return 0;
}

/* Threads of the host evaluate all conditions. */
static int setup_host(void **state)
{
	setup(state);
	gemp_filter_free(filter);
	assert_ok(gemp_filter_new(&filter, context, true));
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	gemp_filter_free(filter);
	gemp_runtime_free(context);
	gemp_comm_free(&comm);
	assert_int_equal(gemp_memory_blocks(), 0);
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_conditions),
		cmocka_unit_test(columns_are_copied_once),
		cmocka_unit_test(repeated_strings_are_coded),
		cmocka_unit_test(degrees_need_a_function),
		cmocka_unit_test(failing_expressions),
		cmocka_unit_test(memory_may_run_out),
		cmocka_unit_test(every_leaf),
		cmocka_unit_test(searches_in_long_strings),
		cmocka_unit_test(random_tables),
	};
	const struct CMUnitTest gpu_tests[] = {
		cmocka_unit_test(no_conditions),
		cmocka_unit_test(every_leaf),
		cmocka_unit_test(searches_in_long_strings),
	};
	const struct CMUnitTest host_tests[] = {
		cmocka_unit_test(no_conditions),       cmocka_unit_test(degrees_need_a_function),
		cmocka_unit_test(failing_expressions), cmocka_unit_test(host_memory_may_run_out),
		cmocka_unit_test(every_leaf),          cmocka_unit_test(searches_in_long_strings),
		cmocka_unit_test(random_tables),
	};
	MPI_Init(&argc, &argv);
	int failed = cmocka_run_group_tests(tests, setup, teardown);
	failed += cmocka_run_group_tests(gpu_tests, setup_gpu_shape, teardown);
	failed += cmocka_run_group_tests(host_tests, setup_host, teardown);
	MPI_Finalize();
	return failed;
}
