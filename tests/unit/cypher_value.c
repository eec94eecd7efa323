/* Tests the making and copying of values of openCypher. */
#include "harness/harness.h"

#include "cypher/value/datum.h"

#include <string.h>

static gemp_datum text(gemp_arena *arena, const char *bytes)
{
	gemp_datum value;
	assert_ok(gemp_datum_string(&value, arena, bytes, strlen(bytes)));
	return value;
}

static gemp_datum json(gemp_arena *arena, const char *bytes)
{
	gemp_datum value;
	assert_ok(gemp_datum_of_json(&value, arena, bytes, strlen(bytes)));
	return value;
}

static void maps_are_sorted_and_the_last_of_equal_keys_counts(void **state)
{
	(void)state;
	gemp_arena arena = { 0 };
	const gemp_datum_entry entries[] = { { "name", gemp_datum_integer(1) },
		                                 { "age", gemp_datum_integer(2) },
		                                 { "name", gemp_datum_integer(3) },
		                                 { "\xc3\xa9", gemp_datum_integer(4) },
		                                 { "Name", gemp_datum_boolean(true) } };
	gemp_datum map;
	assert_ok(gemp_datum_map(&map, &arena, entries, 5));
	assert_int_equal(map.kind, GEMP_DATUM_MAP);
	assert_int_equal(map.size, 4);
	for (size_t i = 1; i < map.size; i++)
		assert_true(strcmp(map.entries[i - 1].key, map.entries[i].key) < 0);
	assert_int_equal(gemp_datum_find(map, "name")->integer, 3);
	assert_int_equal(gemp_datum_find(map, "age")->integer, 2);
	assert_int_equal(gemp_datum_find(map, "\xc3\xa9")->integer, 4);
	assert_true(gemp_datum_find(map, "Name")->truth);
	assert_null(gemp_datum_find(map, "nam"));
	assert_null(gemp_datum_find(map, "zzz"));
	assert_ok(gemp_datum_map(&map, &arena, NULL, 0));
	assert_null(gemp_datum_find(map, "name"));
	gemp_arena_free(&arena);
}

static void json_becomes_a_value(void **state)
{
	(void)state;
	gemp_arena arena = { 0 };
	gemp_datum value = json(&arena, "[1, 2.0, \"a\\u0000b\", null, true, {\"b\": [[]], \"a\": -9223372036854775808}]");
	assert_int_equal(value.kind, GEMP_DATUM_LIST);
	assert_int_equal(value.size, 6);
	assert_int_equal(value.depth, 4);
	assert_int_equal(value.items[0].integer, 1);
	assert_int_equal(value.items[1].kind, GEMP_DATUM_FLOAT);
	assert_int_equal(value.items[2].size, 3);
	assert_memory_equal(value.items[2].text, "a\0b", 4);
	assert_true(gemp_datum_is_null(value.items[3]));
	assert_true(value.items[4].truth);
	assert_int_equal(gemp_datum_find(value.items[5], "a")->integer, INT64_MIN);
	assert_int_equal(gemp_datum_find(value.items[5], "b")->depth, 2);
	assert_code(gemp_datum_of_json(&value, &arena, "[1,", 3), GEMP_EUSAGE);
	assert_message("'[1,': expected JSON");
	gemp_arena_free(&arena);
}

/* A tagged object is a temporal value, at any level. Other objects are maps. */
static void tagged_objects_become_temporal_values(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		gemp_datum_kind kind;
		const char *written;
	} good[] = {
		{ "{\"$date\":\"1984-10-11\"}", GEMP_DATUM_DATE, "1984-10-11" },
		{ "{\"$localtime\":\"12:31:14.5\"}", GEMP_DATUM_LOCAL_TIME, "12:31:14.5" },
		{ "{\"$time\":\"12:31+01:00\"}", GEMP_DATUM_TIME, "12:31+01:00" },
		{ "{\"$localdatetime\":\"1984-10-11T12:31\"}", GEMP_DATUM_LOCAL_DATETIME, "1984-10-11T12:31" },
		{ "{\"$datetime\":\"1984-10-11T12:31Z\"}", GEMP_DATUM_DATETIME, "1984-10-11T12:31Z" },
		{ "{\"$duration\":\"P1Y2M\"}", GEMP_DATUM_DURATION, "P1Y2M" },
	};
	gemp_arena arena = { 0 };
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		gemp_text written = { 0 };
		const gemp_datum value = json(&arena, good[i].text);
		assert_int_equal(value.kind, good[i].kind);
		assert_ok(gemp_datum_text(value, &written));
		assert_string_equal(written.data, good[i].written);
		gemp_text_free(&written);
	}
	assert_int_equal(json(&arena, "[{\"a\":{\"$date\":\"1984\"}}]").items[0].entries[0].value.kind, GEMP_DATUM_DATE);
	assert_int_equal(json(&arena, "{\"$date\":5}").kind, GEMP_DATUM_MAP);
	assert_int_equal(json(&arena, "{\"$date\":\"1984\",\"a\":1}").kind, GEMP_DATUM_MAP);
	gemp_datum value;
	assert_code(gemp_datum_of_json(&value, &arena, "{\"$date\":\"1984-13\"}", 19), GEMP_EDATA);
	gemp_arena_free(&arena);
}

static void columns_become_values(void **state)
{
	(void)state;
	gemp_arena arena = { 0 };
	gemp_datum value;
	assert_ok(gemp_datum_of_value(&value, &arena, &(gemp_value){ .type = GEMP_FLOAT, .real = 2.5 }));
	assert_true(value.kind == GEMP_DATUM_FLOAT && value.real == 2.5);
	assert_ok(gemp_datum_of_value(&value, &arena, &(gemp_value){ .type = GEMP_STRING, .string = { "xyz", 2 } }));
	assert_true(value.kind == GEMP_DATUM_STRING && value.size == 2);
	assert_string_equal(value.text, "xy");
	assert_ok(gemp_datum_of_value(&value, &arena, &(gemp_value){ .type = GEMP_LIST, .string = { "[3, 4]]", 6 } }));
	assert_true(value.kind == GEMP_DATUM_LIST && value.size == 2 && value.items[1].integer == 4);
	assert_ok(gemp_datum_of_value(&value, &arena, &(gemp_value){ .type = GEMP_STRING, .null = true }));
	assert_true(gemp_datum_is_null(value));
	gemp_arena_free(&arena);
}

/* Without a limit, functions that recurse over a value would exhaust the stack. */
static void levels_are_limited(void **state)
{
	(void)state;
	gemp_arena arena = { 0 };
	gemp_datum value = gemp_datum_integer(1), next;
	for (int level = 0; level < GEMP_DATUM_MAX_DEPTH; level++) {
		const gemp_datum_entry entry = { "k", value };
		assert_ok(level % 2 ? gemp_datum_map(&next, &arena, &entry, 1) : gemp_datum_list(&next, &arena, &value, 1));
		value = next;
		assert_int_equal(value.depth, level + 1);
	}
	assert_code(gemp_datum_list(&next, &arena, &value, 1), GEMP_EUSAGE);
	assert_message("nested more than 1000 levels deep");
	assert_code(gemp_datum_map(&next, &arena, &(gemp_datum_entry){ "k", value }, 1), GEMP_EUSAGE);
	gemp_arena_free(&arena);
}

/* One value of each kind that has parts. The zone lies in the arena, too. */
static gemp_code make_all(gemp_datum *out, gemp_arena *arena)
{
	gemp_datum items[8];
	gemp_moment *moment;
	gemp_duration *duration;
	GEMP_TRY(gemp_datum_string(&items[0], arena, "text", 4));
	GEMP_TRY(gemp_datum_list(&items[1], arena, items, 1));
	GEMP_TRY(gemp_datum_map(&items[2], arena, (const gemp_datum_entry[]){ { "k", items[1] }, { "a", items[0] } }, 2));
	const gemp_datum elements[3] = { { .kind = GEMP_DATUM_NODE, .id = 1 },
		                             { .kind = GEMP_DATUM_RELATIONSHIP, .id = 2 },
		                             { .kind = GEMP_DATUM_NODE, .id = 3 } };
	GEMP_TRY(gemp_datum_path(&items[3], arena, elements, 3));
	GEMP_TRY(GEMP_ARENA_NEW(arena, moment, 2));
	moment[0] = (gemp_moment){ .nanos = 5, .offset = 3600 };
	moment[1] = (gemp_moment){ .seconds = 7, .nanos = 8, .zone = gemp_arena_copy(arena, "Europe/Berlin", 13) };
	if (!moment[1].zone)
		return GEMP_ENOMEM;
	items[4] = (gemp_datum){ .kind = GEMP_DATUM_TIME, .moment = &moment[0] };
	items[5] = (gemp_datum){ .kind = GEMP_DATUM_DATETIME, .moment = &moment[1] };
	GEMP_TRY(GEMP_ARENA_NEW(arena, duration, 1));
	*duration = (gemp_duration){ 1, 2, 3, 4 };
	items[6] = (gemp_datum){ .kind = GEMP_DATUM_DURATION, .duration = duration };
	items[7] = gemp_datum_float(0.5);
	return gemp_datum_list(out, arena, items, 8);
}

static void a_copy_outlives_its_source(void **state)
{
	(void)state;
	gemp_arena arena = { 0 }, other = { 0 };
	gemp_datum value, copy;
	assert_ok(make_all(&value, &arena));
	assert_ok(gemp_datum_copy(&copy, &other, value));
	gemp_arena_free(&arena);
	assert_int_equal(copy.size, 8);
	assert_int_equal(copy.depth, 3);
	assert_string_equal(copy.items[0].text, "text");
	assert_string_equal(copy.items[1].items[0].text, "text");
	assert_string_equal(copy.items[2].entries[0].key, "a");
	assert_string_equal(gemp_datum_find(copy.items[2], "k")->items[0].text, "text");
	assert_int_equal(copy.items[3].items[2].id, 3);
	assert_int_equal(copy.items[4].moment->offset, 3600);
	assert_string_equal(copy.items[5].moment->zone, "Europe/Berlin");
	assert_int_equal(copy.items[6].duration->nanos, 4);
	gemp_arena_free(&other);
	assert_int_equal(gemp_memory_blocks(), 0);
}

static gemp_code make_and_copy(void *unused)
{
	(void)unused;
	gemp_arena arena = { 0 }, other = { 0 };
	gemp_datum value, copy;
	gemp_code code = make_all(&value, &arena);
	for (int i = 0; i < 40; i++) /* until the arena needs several blocks */
		GEMP_THEN(gemp_datum_copy(&copy, &other, value));
	gemp_arena_free(&arena);
	gemp_arena_free(&other);
	return code;
}

static void no_memory(void **state)
{
	(void)state;
	assert_survives_no_memory(make_and_copy, NULL);
}

static void strings_end_in_a_zero(void **state)
{
	(void)state;
	gemp_arena arena = { 0 };
	gemp_datum value;
	assert_ok(gemp_datum_string(&value, &arena, "abcdef", 3));
	assert_string_equal(value.text, "abc");
	assert_string_equal(text(&arena, "").text, "");
	assert_code(gemp_datum_string(&value, &arena, "", (size_t)UINT32_MAX), GEMP_EUSAGE);
	assert_message("4294967295 bytes");
	gemp_arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(maps_are_sorted_and_the_last_of_equal_keys_counts),
		cmocka_unit_test(json_becomes_a_value),
		cmocka_unit_test(tagged_objects_become_temporal_values),
		cmocka_unit_test(columns_become_values),
		cmocka_unit_test(levels_are_limited),
		cmocka_unit_test(a_copy_outlives_its_source),
		cmocka_unit_test(strings_end_in_a_zero),
		cmocka_unit_test(no_memory),
	};
	return test_main(tests);
}
