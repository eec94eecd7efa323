/* Tests the comparison and the text of values of openCypher: the examples of its specification, and laws at random
 * values. */
#include "harness/harness.h"

#include "core/random.h"
#include "cypher/value/datum.h"

#include <math.h>
#include <string.h>

static gemp_datum json(gemp_arena *arena, const char *bytes)
{
	gemp_datum value;
	assert_ok(gemp_datum_of_json(&value, arena, bytes, strlen(bytes)));
	return value;
}

typedef struct comparison {
	const char *a, *b;
	gemp_truth expected;
} comparison;
#define NO GEMP_IS_FALSE
#define YES GEMP_IS_TRUE
#define MAYBE GEMP_IS_UNKNOWN

static void equality(void **state)
{
	(void)state;
	static const comparison examples[] = {
		{ "[1, 2]", "[1]", NO },
		{ "[null]", "[1]", MAYBE },
		{ "[\"a\"]", "[1]", NO },
		{ "[[1]]", "[[1], [null]]", NO },
		{ "[[1], [2]]", "[[1], [null]]", MAYBE },
		{ "[[1], [2, 3]]", "[[1], [null]]", NO },
		{ "[1, 2]", "[null, \"foo\"]", NO },
		{ "{}", "{}", YES },
		{ "{\"k\": \"a\", \"l\": 2}", "{\"l\": 2.0, \"k\": \"a\"}", YES },
		{ "{}", "{\"k\": null}", NO },
		{ "{\"k\": 1}", "{\"l\": 1}", NO },
		{ "{\"k\": null}", "{\"k\": null}", MAYBE },
		{ "{\"k\": 1, \"l\": null}", "{\"k\": 1, \"l\": 1}", MAYBE },
		{ "{\"k\": 2, \"l\": null}", "{\"k\": 1, \"l\": 1}", NO },
		{ "1", "1.0", YES },
		{ "\"1\"", "1", NO },
		{ "9007199254740993", "9007199254740992.0", NO },
		{ "9223372036854775807", "9223372036854775808.0", NO },
		{ "-0.0", "0", YES },
		{ "null", "null", MAYBE },
		{ "null", "1", MAYBE },
		{ "true", "1", NO },
		{ "\"a\\u0000b\"", "\"a\"", NO },
	};
	gemp_arena arena = { 0 };
	for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
		gemp_datum a = json(&arena, examples[i].a), b = json(&arena, examples[i].b);
		if (gemp_datum_equal(a, b) != examples[i].expected || gemp_datum_equal(b, a) != examples[i].expected)
			fail_msg("%s = %s: expected %d", examples[i].a, examples[i].b, (int)examples[i].expected);
	}
	gemp_datum nan = gemp_datum_float((double)NAN);
	assert_int_equal(gemp_datum_equal(nan, nan), NO);
	assert_int_equal(gemp_datum_equal(nan, json(&arena, "1")), NO);
	assert_int_equal(gemp_datum_equal(nan, json(&arena, "\"a\"")), NO);
	assert_true(gemp_datum_equivalent(nan, nan));
	gemp_arena_free(&arena);
}

static void comparability(void **state)
{
	(void)state;
	static const comparison examples[] = {
		{ "[1, 0]", "[1]", NO }, /* a < b */
		{ "[1]", "[1, 0]", YES },
		{ "[1, null]", "[1]", NO },
		{ "[1, 2]", "[1, null]", MAYBE },
		{ "[1, \"a\"]", "[1, null]", MAYBE },
		{ "[1, 2]", "[3, null]", YES },
		{ "[1, \"a\"]", "[1, 2]", MAYBE },
		{ "1", "3.14", YES },
		{ "1", "1.0", NO },
		{ "\"1\"", "1", MAYBE },
		{ "false", "true", YES },
		{ "false", "1", MAYBE },
		{ "\"a\"", "\"ab\"", YES },
		{ "\"\\uffff\"", "\"\\ud83d\\ude00\"", YES }, /* code points, not UTF-16 */
		{ "{}", "{\"k\": 1}", MAYBE },
		{ "null", "1", MAYBE },
		{ "9007199254740992.0", "9007199254740993", YES },
	};
	gemp_arena arena = { 0 };
	for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
		gemp_datum a = json(&arena, examples[i].a), b = json(&arena, examples[i].b);
		if (gemp_datum_less(a, b, false) != examples[i].expected)
			fail_msg("%s < %s: expected %d", examples[i].a, examples[i].b, (int)examples[i].expected);
	}
	gemp_datum nan = gemp_datum_float((double)NAN), one = gemp_datum_integer(1), two = gemp_datum_float(2);
	assert_int_equal(gemp_datum_less(nan, one, true), NO);
	assert_int_equal(gemp_datum_less(nan, nan, true), NO);
	assert_int_equal(gemp_datum_less(nan, json(&arena, "\"a\""), false), MAYBE);
	assert_int_equal(gemp_datum_less(one, gemp_datum_float(1), true), YES);
	assert_int_equal(gemp_datum_less(json(&arena, "[1]"), json(&arena, "[1.0]"), true), YES);
	const gemp_datum node = { .kind = GEMP_DATUM_NODE, .id = 1 }, other = { .kind = GEMP_DATUM_NODE, .id = 2 };
	assert_int_equal(gemp_datum_less(node, other, true), MAYBE);
	assert_int_equal(gemp_datum_less(one, two, true), YES);
	const gemp_duration hour = { .seconds = 3600 }, day = { .days = 1 };
	assert_int_equal(gemp_datum_less((gemp_datum){ .kind = GEMP_DATUM_DURATION, .duration = &hour },
	                                 (gemp_datum){ .kind = GEMP_DATUM_DURATION, .duration = &day }, false),
	                 MAYBE);
	gemp_arena_free(&arena);
}

/* Values in the order of the specification. */
static void order_of_kinds(void **state)
{
	(void)state;
	gemp_arena arena = { 0 };
	gemp_datum values[32];
	size_t count = 0;
	static const char *const before[] = { "{}", "{\"a\": 1}", "{\"a\": 2}", "{\"b\": 0}", "{\"a\": 0, \"b\": 0}" };
	static const char *const after[] = { "\"\"", "\" \"", "\"one\"", "false", "true", "-1e300", "1", "1.5", "2" };
	static const char *const lists[] = { "[]",         "[\"a\"]",   "[\"a\", 1]", "[1]",
		                                 "[1, \"a\"]", "[1, null]", "[null, 1]",  "[null, 2]" };
	for (size_t i = 0; i < sizeof before / sizeof *before; i++)
		values[count++] = json(&arena, before[i]);
	values[count++] = (gemp_datum){ .kind = GEMP_DATUM_NODE, .id = 5 };
	values[count++] = (gemp_datum){ .kind = GEMP_DATUM_RELATIONSHIP, .id = 3 };
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
		values[count++] = json(&arena, lists[i]);
	assert_ok(gemp_datum_path(&values[count++], &arena, &values[5], 1));
	for (size_t i = 0; i < sizeof after / sizeof *after; i++)
		values[count++] = json(&arena, after[i]);
	values[count++] = (gemp_datum){ .kind = GEMP_DATUM_DATE, .integer = 7 };
	values[count++] = gemp_datum_float((double)NAN);
	values[count++] = gemp_datum_null();
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < count; j++) {
			int order = gemp_datum_order(values[i], values[j]);
			if ((order > 0) - (order < 0) != (i > j) - (i < j))
				fail_msg("values %zu and %zu: order %d", i, j, order);
		}
	gemp_arena_free(&arena);
}

static gemp_datum random_temporal(gemp_arena *arena, uint64_t *random)
{
	static const char *const zones[] = { NULL, "Europe/Berlin", "UTC" };
	const uint8_t kind = (uint8_t)(GEMP_DATUM_DATE + gemp_random_below(random, GEMP_DATUM_KINDS - GEMP_DATUM_DATE));
	const int64_t low = (int64_t)gemp_random_below(random, 3) - 1;
	gemp_moment *moment;
	gemp_duration *duration;
	if (kind == GEMP_DATUM_DATE || kind == GEMP_DATUM_LOCAL_TIME)
		return (gemp_datum){ .kind = kind, .integer = low + 1 };
	if (kind == GEMP_DATUM_DURATION) {
		assert_ok(GEMP_ARENA_NEW(arena, duration, 1));
		*duration = (gemp_duration){ low, (int64_t)gemp_random_below(random, 2), low, 500 };
		return (gemp_datum){ .kind = kind, .duration = duration };
	}
	assert_ok(GEMP_ARENA_NEW(arena, moment, 1));
	*moment = (gemp_moment){ .nanos = (low + 1) * 500 };
	if (kind != GEMP_DATUM_TIME)
		moment->seconds = low * 3600;
	if (kind != GEMP_DATUM_LOCAL_DATETIME)
		moment->offset = (int32_t)gemp_random_below(random, 2) * 3600;
	if (kind == GEMP_DATUM_DATETIME)
		moment->zone = zones[gemp_random_below(random, 3)];
	return (gemp_datum){ .kind = kind, .moment = moment };
}

/* Few different values of each kind, so that many pairs are equivalent. */
static gemp_datum random_value(gemp_arena *arena, uint64_t *random, int levels)
{
	static const double reals[] = { 0, -0.0, 1, 0.5, NAN, INFINITY, -INFINITY, 9007199254740992.0, 0x1p63 };
	static const int64_t integers[] = { 0, 1, -1, 9007199254740992, 9007199254740993, INT64_MAX, INT64_MIN };
	static const char *const strings[] = { "", "a", "ab", "b" };
	gemp_datum items[3], value;
	gemp_datum_entry entries[3];
	size_t count = gemp_random_below(random, 4);
	switch (gemp_random_below(random, levels ? 10 : 8)) {
	case 0: return gemp_datum_null();
	case 1: return gemp_datum_boolean(gemp_random_below(random, 2));
	case 2: return gemp_datum_integer(integers[gemp_random_below(random, 7)]);
	case 3: return gemp_datum_float(reals[gemp_random_below(random, 9)]);
	case 4: {
		const char *string = strings[gemp_random_below(random, 4)];
		assert_ok(gemp_datum_string(&value, arena, string, strlen(string)));
		return value;
	}
	case 5: return (gemp_datum){ .kind = GEMP_DATUM_NODE, .id = gemp_random_below(random, 2) };
	case 6: return (gemp_datum){ .kind = GEMP_DATUM_RELATIONSHIP, .id = gemp_random_below(random, 2) };
	case 7: return random_temporal(arena, random);
	case 8:
		for (size_t i = 0; i < count; i++)
			items[i] = random_value(arena, random, levels - 1);
		assert_ok(gemp_datum_list(&value, arena, items, count));
		return value;
	default:
		for (size_t i = 0; i < count; i++)
			entries[i] = (gemp_datum_entry){ strings[1 + gemp_random_below(random, 2)],
				                             random_value(arena, random, levels - 1) };
		assert_ok(gemp_datum_map(&value, arena, entries, count));
		return value;
	}
}

/* True if the value has a NULL or NaN at some level; then equality and equivalence differ. */
static bool has_odd_part(gemp_datum value)
{
	bool odd = gemp_datum_is_null(value) || (value.kind == GEMP_DATUM_FLOAT && isnan(value.real));
	for (size_t i = 0; i < value.size && !odd; i++)
		if (value.kind == GEMP_DATUM_LIST)
			odd = has_odd_part(value.items[i]);
		else if (value.kind == GEMP_DATUM_MAP)
			odd = has_odd_part(value.entries[i].value);
	return odd;
}

static void check_pair(gemp_datum a, gemp_datum b)
{
	int order = gemp_datum_order(a, b), back = gemp_datum_order(b, a);
	assert_true((order > 0) == (back < 0) && (order < 0) == (back > 0));
	assert_true(gemp_datum_equivalent(a, b) == (order == 0));
	if (order == 0)
		assert_true(gemp_datum_hash(a) == gemp_datum_hash(b));
	gemp_truth equal = gemp_datum_equal(a, b);
	assert_int_equal(equal, gemp_datum_equal(b, a));
	if (!has_odd_part(a) && !has_odd_part(b))
		assert_int_equal(equal, order == 0 ? YES : NO);
	else if (equal == YES)
		assert_int_equal(order, 0);
	gemp_truth less = gemp_datum_less(a, b, false), or_equal = gemp_datum_less(a, b, true);
	if (less == YES)
		assert_true(order < 0 && or_equal == YES && gemp_datum_less(b, a, true) == NO);
	if (or_equal == YES)
		assert_true(order <= 0 && (less == YES || equal == YES));
	if (order == 0)
		assert_int_not_equal(less, YES);
}

static void laws_of_random_values(void **state)
{
	(void)state;
	uint64_t random = test_seed();
	enum { VALUES = 60 };
	for (int round = 0; round < 30; round++) {
		gemp_arena arena = { 0 };
		gemp_datum values[VALUES];
		signed char order[VALUES][VALUES];
		for (size_t i = 0; i < VALUES; i++)
			values[i] = random_value(&arena, &random, 3);
		for (size_t i = 0; i < VALUES; i++)
			for (size_t j = 0; j < VALUES; j++) {
				int compared = gemp_datum_order(values[i], values[j]);
				order[i][j] = (signed char)((compared > 0) - (compared < 0));
				check_pair(values[i], values[j]);
			}
		for (size_t i = 0; i < VALUES; i++)
			for (size_t j = 0; j < VALUES; j++)
				for (size_t k = 0; k < VALUES; k++)
					if (order[i][j] <= 0 && order[j][k] <= 0)
						assert_true(order[i][k] <= 0);
		gemp_arena_free(&arena);
	}
}

/* Equivalent values have equal hashes; others should differ. With a bad hash, groups would be slow, not wrong. */
static void hashes_differ(void **state)
{
	(void)state;
	gemp_arena arena = { 0 };
	enum { COUNT = 200 };
	uint64_t hashes[3 * COUNT];
	for (int i = 0; i < COUNT; i++) {
		const gemp_datum pair[2] = { gemp_datum_integer(i), gemp_datum_integer(1) };
		const gemp_datum swapped[2] = { pair[1], gemp_datum_integer(i + 2) };
		gemp_datum list, other;
		assert_ok(gemp_datum_list(&list, &arena, pair, 2));
		assert_ok(gemp_datum_list(&other, &arena, swapped, 2));
		hashes[3 * i] = gemp_datum_hash(pair[0]);
		hashes[3 * i + 1] = gemp_datum_hash(list);
		hashes[3 * i + 2] = gemp_datum_hash(other);
	}
	size_t collisions = 0;
	for (size_t i = 0; i < 3 * COUNT; i++)
		for (size_t j = 0; j < i; j++)
			collisions += hashes[i] == hashes[j];
	assert_int_equal(collisions, 0);
	gemp_arena_free(&arena);
}

/* TEXT */

static gemp_code write_id(void *self, uint64_t id, gemp_text *out)
{
	gemp_text_print(out, "%s%d", (const char *)self, (int)id);
	return gemp_text_status(out);
}

static void json_is_read_back(void **state)
{
	(void)state;
	static const char document[] = "{\"\": [], \"\\u00e4\\n\": [null, true, -5, 1.0, 1e-07, \"\\\"\\\\\"], \"b\": {}}";
	gemp_arena arena = { 0 };
	gemp_text text = { 0 };
	gemp_datum value = json(&arena, document);
	assert_ok(gemp_datum_json(value, NULL, &text));
	assert_string_equal(text.data, "{\"\": [], \"b\": {}, \"ä\\n\": [null, true, -5, 1.0, 1e-07, \"\\\"\\\\\"]}");
	assert_true(gemp_datum_equivalent(value, json(&arena, text.data)));
	const gemp_datum_writer writer = { (void *)"#", write_id, write_id };
	const gemp_datum items[4] = { { .kind = GEMP_DATUM_NODE, .id = 1 },
		                          { .kind = GEMP_DATUM_RELATIONSHIP, .id = 2 },
		                          { .kind = GEMP_DATUM_NODE, .id = 3 },
		                          gemp_datum_float((double)NAN) };
	assert_ok(gemp_datum_path(&value, &arena, items, 3));
	gemp_text_clear(&text);
	assert_ok(gemp_datum_json(value, &writer, &text));
	assert_string_equal(text.data, "[#1, #2, #3]");
	gemp_text_clear(&text);
	assert_ok(gemp_datum_json(items[3], NULL, &text));
	assert_string_equal(text.data, "null");
	gemp_text_free(&text);
	gemp_arena_free(&arena);
}

static void text_of_values(void **state)
{
	(void)state;
	static const struct {
		double real;
		const char *text;
	} examples[] = { { 1, "1.0" },   { -0.0, "-0.0" },   { 1e-7, "1e-7" },           { 1e20, "1e20" },
		             { 0.1, "0.1" }, { 1e300, "1e300" }, { 1e-300, "1e-300" },       { (double)NAN, "NaN" },
		             { 3.6, "3.6" }, { 1e15, "1e15" },   { -INFINITY, "-Infinity" }, { INFINITY, "Infinity" } };
	gemp_text text = { 0 };
	for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
		gemp_text_clear(&text);
		assert_ok(gemp_datum_text(gemp_datum_float(examples[i].real), &text));
		assert_string_equal(text.data, examples[i].text);
	}
	assert_code(gemp_datum_text((gemp_datum){ .kind = GEMP_DATUM_LIST }, &text), GEMP_EUSAGE);
	assert_message("a value of type List has no text");
	gemp_text_free(&text);
}

static gemp_code print_value(void *unused)
{
	static const char document[] = "{\"name\": [1, 2.5, \"ä\"]}";
	(void)unused;
	gemp_arena arena = { 0 };
	gemp_text text = { 0 };
	gemp_datum value;
	gemp_code code = gemp_datum_of_json(&value, &arena, document, strlen(document));
	GEMP_THEN(gemp_datum_json(value, NULL, &text));
	GEMP_THEN(gemp_datum_text(gemp_datum_float(1e-7), &text));
	gemp_text_free(&text);
	gemp_arena_free(&arena);
	return code;
}

static void no_memory(void **state)
{
	(void)state;
	assert_survives_no_memory(print_value, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equality),       cmocka_unit_test(comparability),
		cmocka_unit_test(order_of_kinds), cmocka_unit_test(laws_of_random_values),
		cmocka_unit_test(hashes_differ),  cmocka_unit_test(json_is_read_back),
		cmocka_unit_test(text_of_values), cmocka_unit_test(no_memory),
	};
	return test_main(tests);
}
