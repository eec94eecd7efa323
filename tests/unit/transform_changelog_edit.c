/* Tests edits of a change log: they name edges as they are before a step, and edits that do not fit the graph are
 * refused. */
#include "core/memory.h"
#include "harness/harness.h"

#include "core/status.h"
#include "core/text.h"
#include "graph/column.h"
#include "partition/exchange/value_exchange.h"
#include "transform/changelog/edit.h"

#include <math.h>
#include <string.h>

static gemp_table vertex_schema, edge_schema;

static gemp_name name(const char *text)
{
	return (gemp_name){ text, strlen(text) };
}

static gemp_value number(int64_t integer)
{
	return (gemp_value){ .type = GEMP_INTEGER, .integer = integer };
}

static const gemp_value none = { .null = true };
static gemp_edit_attribute one[] = { { 0, { .type = GEMP_INTEGER, .integer = 1 } } };

static gemp_edit vertex(gemp_edit_kind kind, int64_t key, const char *labels)
{
	return (gemp_edit){ .kind = kind, .line = 7, .step = 1, .key = number(key), .labels = name(labels) };
}

/* Makes an edit of an edge. with: the edge has the attribute x = 1. */
static gemp_edit edge(gemp_edit_kind kind, int64_t source, int64_t target, uint64_t n, bool with)
{
	return (gemp_edit){ .kind = kind,
		                .line = 7,
		                .step = 1,
		                .key = number(source),
		                .target = number(target),
		                .type = name("T"),
		                .into = name("U"),
		                .n = n,
		                .attribute_count = with,
		                .attributes = one };
}

static gemp_edit set(gemp_edit e, gemp_value value, gemp_value was)
{
	e.value = value;
	e.was = was;
	return e;
}

/* Returns the number of existing edges of this type with this attribute. */
static size_t count(const gemp_edit_state *t, const char *type, gemp_value value)
{
	size_t found = 0;
	for (size_t i = 0; i < t->edge_count; i++) {
		gemp_name is;
		gemp_value ends[2];
		gemp_edit_state_ends(t, i, &is, ends);
		found += t->edges[i].exists && is.size == strlen(type) && memcmp(is.bytes, type, is.size) == 0 &&
		         gemp_value_same(&t->edge_values[i], &value);
	}
	return found;
}

static gemp_edit_state begin(void)
{
	return (gemp_edit_state){ .vertex_schema = &vertex_schema, .edge_schema = &edge_schema };
}

static void test_names_are_those_before_the_step(void **state)
{
	gemp_edit_state t = begin();
	size_t blocks = gemp_memory_blocks();
	(void)state;
	const gemp_edit before[] = { edge(GEMP_EDIT_CREATE_EDGE, 1, 2, 0, true), edge(GEMP_EDIT_CREATE_EDGE, 1, 2, 0, true),
		                         edge(GEMP_EDIT_CREATE_EDGE, 1, 2, 0, true),
		                         edge(GEMP_EDIT_CREATE_EDGE, 1, 2, 0, false) };
	assert_ok(gemp_edit_state_apply(&t, before, 4));
	assert_int_equal(count(&t, "T", number(1)), 3);
	const gemp_edit step[] = {
		set(edge(GEMP_EDIT_SET_EDGE, 1, 2, 1, true), number(5), number(1)),
		edge(GEMP_EDIT_RETYPE_EDGE, 1, 2, 2, true),
		set(edge(GEMP_EDIT_SET_EDGE, 1, 2, 2, true), number(6), number(1)),
		edge(GEMP_EDIT_DELETE_EDGE, 1, 2, 3, true),
	};
	assert_ok(gemp_edit_state_apply(&t, step, 4));
	assert_int_equal(count(&t, "T", number(5)), 1);
	assert_int_equal(count(&t, "U", number(6)), 1);
	assert_int_equal(count(&t, "T", none), 1);
	assert_int_equal(count(&t, "T", number(1)) + count(&t, "U", number(1)), 0);
	gemp_edit_state_free(&t);
	assert_int_equal(gemp_memory_blocks(), blocks);
}

static void test_labels(void **state)
{
	gemp_edit_state t = begin();
	(void)state;
	const gemp_edit edits[] = { vertex(GEMP_EDIT_CREATE_VERTEX, 1, "A;BC"), vertex(GEMP_EDIT_ADD_LABELS, 1, "B;A;C"),
		                        vertex(GEMP_EDIT_REMOVE_LABELS, 1, "BC;X"), vertex(GEMP_EDIT_ADD_LABELS, 1, "B") };
	assert_ok(gemp_edit_state_apply(&t, edits, 4));
	assert_int_equal(t.vertices[0].labels.size, 5);
	assert_memory_equal(t.vertices[0].labels.bytes, "A;B;C", 5);
	const gemp_edit again[] = { vertex(GEMP_EDIT_DELETE_VERTEX, 1, ""), vertex(GEMP_EDIT_CREATE_VERTEX, 1, "Z") };
	assert_ok(gemp_edit_state_apply(&t, again, 2));
	assert_int_equal(t.keys.count, 1);
	assert_int_equal(t.vertices[0].labels.size, 1);
	gemp_edit_state_free(&t);
}

static void assert_refused(const gemp_edit *e, const char *message)
{
	gemp_edit_state t = begin();
	const gemp_edit before[] = { vertex(GEMP_EDIT_CREATE_VERTEX, 1, "A"), edge(GEMP_EDIT_CREATE_EDGE, 1, 2, 0, true) };
	assert_ok(gemp_edit_state_apply(&t, before, 2));
	assert_code(gemp_edit_state_apply(&t, e, 1), GEMP_EDATA);
	assert_message(message);
	assert_int_equal(t.failed_line, 7);
	gemp_edit_state_free(&t);
}

static void test_what_does_not_fit_is_refused(void **state)
{
	(void)state;
	const struct {
		gemp_edit edit;
		const char *message;
	} all[] = {
		{ vertex(GEMP_EDIT_CREATE_VERTEX, 1, ""), "vertex 1 cannot be created, since it exists" },
		{ vertex(GEMP_EDIT_DELETE_VERTEX, 2, ""), "there is no vertex 2 in step 1" },
		{ vertex(GEMP_EDIT_ADD_LABELS, 2, "A"), "there is no vertex 2 in step 1" },
		{ set(vertex(GEMP_EDIT_SET_VERTEX, 1, ""), number(1), number(2)), "'x' of vertex 1 has another value" },
		{ edge(GEMP_EDIT_DELETE_EDGE, 1, 2, 2, true), "with these attributes, or fewer than n before step 1" },
		{ edge(GEMP_EDIT_DELETE_EDGE, 1, 2, 1, false), "there is no edge T from 1 to 2 with these attributes" },
		{ edge(GEMP_EDIT_RETYPE_EDGE, 2, 1, 1, true), "there is no edge T from 2 to 1" },
		{ set(edge(GEMP_EDIT_SET_EDGE, 1, 2, 1, true), none, none), "'x' of the edge from 1 has another value" },
	};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		assert_refused(&all[i].edit, all[i].message);
}

static gemp_code pack_and_apply(void *argument)
{
	gemp_code code = GEMP_OK;
	gemp_edit_state t = begin();
	gemp_text text = { 0 };
	gemp_edit read = { 0 };
	const gemp_edit edits[] = { vertex(GEMP_EDIT_CREATE_VERTEX, 1, "A"), vertex(GEMP_EDIT_ADD_LABELS, 1, "B"),
		                        edge(GEMP_EDIT_CREATE_EDGE, 1, 2, 0, true),
		                        edge(GEMP_EDIT_RETYPE_EDGE, 1, 2, 1, true) };
	(void)argument;
	for (size_t i = 0; i < 4; i++)
		gemp_edit_pack(&text, &edits[i]);
	GEMP_TRY_DONE(gemp_text_status(&text));
	for (const char *at = text.data; at < text.data + text.size;) {
		GEMP_TRY_DONE(gemp_edit_unpack(&read, &at));
		GEMP_TRY_DONE(gemp_edit_state_apply(&t, &read, 1));
	}
done:
	gemp_free(read.attributes);
	gemp_text_free(&text);
	gemp_edit_state_free(&t);
	return code;
}

static void test_values_are_packed(void **state)
{
	const gemp_value values[] = { none,
		                          number(-1),
		                          { .type = GEMP_FLOAT, .real = NAN },
		                          { .type = GEMP_BOOLEAN, .truth = true },
		                          { .type = GEMP_STRING, .string = { "a\0b", 3 } },
		                          { .type = GEMP_STRING, .null = true } };
	const size_t size = sizeof values / sizeof *values;
	gemp_text text = { 0 };
	(void)state;
	for (size_t i = 0; i < size; i++)
		gemp_pack_value(&text, &values[i]);
	const char *at = text.data;
	for (size_t i = 0; i < size; i++) {
		gemp_value value = gemp_unpack_value(&at);
		assert_int_equal(value.type, values[i].type);
		assert_true(gemp_value_same(&value, &values[i]));
		for (size_t k = 0; k < size; k++)
			assert_int_equal(gemp_value_same(&value, &values[k]), k == i || (value.null && values[k].null));
	}
	assert_ptr_equal(at, text.data + text.size);
	gemp_text_free(&text);
}

static void test_memory_runs_out(void **state)
{
	(void)state;
	assert_survives_no_memory(pack_and_apply, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_are_those_before_the_step),
		cmocka_unit_test(test_labels),
		cmocka_unit_test(test_what_does_not_fit_is_refused),
		cmocka_unit_test(test_values_are_packed),
		cmocka_unit_test(test_memory_runs_out),
	};
	if (gemp_table_add(&vertex_schema, "x", GEMP_INTEGER, NULL) != GEMP_OK ||
	    gemp_table_add(&edge_schema, "x", GEMP_INTEGER, NULL) != GEMP_OK)
		return 1;
	int code = test_main(tests);
	gemp_table_free(&vertex_schema);
	gemp_table_free(&edge_schema);
	return code;
}
