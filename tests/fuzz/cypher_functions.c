/* Calls every function of openCypher with random arguments of all kinds, extreme numbers and strings that are almost
 * dates or not UTF-8 among them. A call gives a value or a message with a place. A value has a text in JSON, equals its
 * copy, and is the same in a second call. GEMP_FUZZ_ROUNDS is the number of calls (200000 by default), and
 * GEMP_TEST_SEED repeats a run. */
#include "unit/cypher_call.h"

#include <stdlib.h>

static const gemp_cypher_function *const tables[] = {
	gemp_cypher_string_functions,  gemp_cypher_math_functions,       gemp_cypher_list_functions,
	gemp_cypher_element_functions, gemp_cypher_conversion_functions, gemp_cypher_temporal_functions,
};
enum { MAX_FUNCTIONS = 256 };
static const gemp_cypher_function *functions[MAX_FUNCTIONS];
static size_t function_count;

static const char *const words[] = { "",
	                                 "a",
	                                 " ab ",
	                                 "true",
	                                 "-12",
	                                 "1.5e3",
	                                 "9223372036854775808",
	                                 "\xc3\xa4\xf0\x9f\x98\x80",
	                                 "\xc3",
	                                 "\x80\xff",
	                                 "month",
	                                 "week",
	                                 "HALF_EVEN",
	                                 "2015-07-21",
	                                 "2015-W30-2",
	                                 "21:40:32.142+01:00",
	                                 "2015-07-21T21:40:32[Europe/Berlin]",
	                                 "+999999999-12-31",
	                                 "P1Y2M10DT2H30M-1.5S",
	                                 "PT9223372036854775807S",
	                                 "Europe/Berlin",
	                                 "+18:00" };
static const char *const keys[] = { "year",       "month",    "day",         "hour",       "minute",      "second",
	                                "nanosecond", "timezone", "epochMillis", "years",      "days",        "date",
	                                "week",       "seconds",  "quarter",     "ordinalDay", "microseconds" };
#define COUNT(array) (sizeof(array) / sizeof *(array))

static gemp_datum random_argument(fixture *f, uint64_t *random, int levels);

static gemp_datum random_string(fixture *f, uint64_t *random)
{
	char text[64];
	gemp_datum value;
	const char *word = words[gemp_random_below(random, COUNT(words))];
	size_t size = strlen(word);
	memcpy(text, word, size);
	if (size && gemp_random_below(random, 4) == 0) /* a mutation */
		text[gemp_random_below(random, size)] = (char)gemp_random_below(random, 256);
	assert_ok(gemp_datum_string(&value, &f->arena, text, size));
	return value;
}

static gemp_datum random_number(uint64_t *random)
{
	static const int64_t integers[] = { 0, 1, -1, 2, 3, 7, 12, 31, 2015, 100, INT64_MAX, INT64_MIN };
	static const double reals[] = { 0, -0.0, 0.5, -2.5, 1e-7, 1e300, 0x1p63, 12.75, -1 / 0.0, 0 / 0.0 };
	return gemp_random_below(random, 2) ? gemp_datum_integer(integers[gemp_random_below(random, COUNT(integers))])
	                                    : gemp_datum_float(reals[gemp_random_below(random, COUNT(reals))]);
}

static gemp_datum random_collection(fixture *f, uint64_t *random, int levels)
{
	gemp_datum items[4], value;
	gemp_datum_entry entries[4];
	const size_t count = gemp_random_below(random, 5);
	const bool map = gemp_random_below(random, 2);
	for (size_t i = 0; i < count; i++) {
		items[i] = random_argument(f, random, levels - 1);
		entries[i] = (gemp_datum_entry){ keys[gemp_random_below(random, COUNT(keys))], items[i] };
	}
	assert_ok(map ? gemp_datum_map(&value, &f->arena, entries, count)
	              : gemp_datum_list(&value, &f->arena, items, count));
	return value;
}

/* A result of date(), time() and the like, so that other functions get temporal values. */
static gemp_datum random_temporal(fixture *f, uint64_t *random)
{
	static const struct {
		const char *name, *text;
	} makers[] = { { "date", "2015-07-21" },
		           { "localtime", "21:40:32.142" },
		           { "time", "21:40+01:00" },
		           { "localdatetime", "-0044-03-15T21:40" },
		           { "datetime", "2015-10-25T02:30[Europe/Berlin]" },
		           { "duration", "P1Y-2M3DT4.5S" },
		           { "date", "+999999999-12-31" },
		           { "duration", "PT922337203685477S" } };
	const size_t which = gemp_random_below(random, COUNT(makers));
	const gemp_source source = { NULL, "f()" };
	const gemp_cypher_environment environment = { .arena = &f->arena, .source = &source };
	const gemp_cypher_expr expr = { .kind = GEMP_CY_CALL };
	gemp_datum text, out;
	assert_ok(gemp_datum_string(&text, &f->arena, makers[which].text, strlen(makers[which].text)));
	const gemp_cypher_call call = { &environment, &expr, &text, 1 };
	assert_ok(gemp_cypher_function_call(gemp_cypher_function_find(makers[which].name), &call, &out));
	return out;
}

static gemp_datum random_argument(fixture *f, uint64_t *random, int levels)
{
	const gemp_datum elements[3] = { { .kind = GEMP_DATUM_NODE, .id = 1 },
		                             { .kind = GEMP_DATUM_RELATIONSHIP, .id = 7 },
		                             { .kind = GEMP_DATUM_NODE, .id = 2 } };
	gemp_datum path;
	switch (gemp_random_below(random, levels > 0 ? 10 : 8)) {
	case 0: return gemp_datum_null();
	case 1: return gemp_datum_boolean(gemp_random_below(random, 2));
	case 2:
	case 3: return random_number(random);
	case 4:
	case 5: return random_string(f, random);
	case 6: return random_temporal(f, random);
	case 7:
		assert_ok(gemp_datum_path(&path, &f->arena, elements, 3));
		return gemp_random_below(random, 3) == 0 ? path : elements[gemp_random_below(random, 2)];
	default: return random_collection(f, random, levels);
	}
}

static bool depends_on_more(const char *name)
{
	return strcmp(name, "rand") == 0 || strcmp(name, "randomUUID") == 0 || strstr(name, ".realtime") != NULL;
}

static void check_result(fixture *f, const gemp_cypher_function *function, const gemp_cypher_call *call, gemp_datum out)
{
	gemp_arena other = { 0 };
	gemp_datum copy, again;
	bool null = false;
	for (size_t i = 0; i < call->count; i++)
		null = null || gemp_datum_is_null(call->arguments[i]);
	if (null && !function->takes_null)
		assert_true(gemp_datum_is_null(out));
	gemp_text_clear(&f->result);
	assert_ok(gemp_datum_json(out, &writer, &f->result));
	assert_ok(gemp_datum_copy(&copy, &other, out));
	assert_true(gemp_datum_equivalent(out, copy));
	assert_true(gemp_datum_hash(out) == gemp_datum_hash(copy));
	if (!depends_on_more(function->name)) {
		assert_ok(gemp_cypher_function_call(function, call, &again));
		assert_true(gemp_datum_equivalent(out, again));
	}
	gemp_arena_free(&other);
}

static void calls_give_a_value_or_a_message(void **state)
{
	(void)state;
	const char *rounds = getenv("GEMP_FUZZ_ROUNDS");
	uint64_t random = test_seed();
	fixture f = { .random = 1 };
	size_t values = 0, called[MAX_FUNCTIONS] = { 0 };
	const gemp_source source = { NULL, "RETURN f(x)" };
	const gemp_cypher_expr expr = { .kind = GEMP_CY_CALL, .place = { 7, 11 } };
	const gemp_cypher_environment environment = {
		.arena = &f.arena, .source = &source, .graph = &graph, .random = &f.random, .now_seconds = 1437507632
	};
	for (long round = rounds ? atol(rounds) : 200000; round > 0; round--) {
		const size_t which = gemp_random_below(&random, function_count);
		const gemp_cypher_function *function = functions[which];
		const size_t most = gemp_min(function->max_arguments, 4);
		gemp_datum out;
		gemp_arena_reset(&f.arena);
		const size_t count = function->min_arguments + gemp_random_below(&random, most - function->min_arguments + 1);
		for (size_t i = 0; i < count; i++)
			f.arguments[i] = random_argument(&f, &random, 2);
		const gemp_cypher_call call = { &environment, &expr, f.arguments, count };
		const gemp_code code = gemp_cypher_function_call(function, &call, &out);
		if (code == GEMP_OK) {
			check_result(&f, function, &call, out);
			called[which]++;
			values++;
		} else if (code != GEMP_EUSAGE || strncmp(gemp_message(), "query:1:8: ", 11) != 0) {
			fail_msg("%s() with %zu arguments: code %d, %s", function->name, count, (int)code, gemp_message());
		}
	}
	print_message("%zu values\n", values);
	for (size_t i = 0; i < function_count && !rounds; i++)
		if (!called[i])
			fail_msg("no call of %s() gave a value", functions[i]->name);
	release(&f);
	assert_int_equal(gemp_memory_blocks(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(calls_give_a_value_or_a_message) };
	for (size_t t = 0; t < COUNT(tables); t++)
		for (const gemp_cypher_function *function = tables[t]; function->name; function++)
			functions[function_count++] = function;
	return test_main(tests);
}
