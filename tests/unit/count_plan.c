/* Tests count plans on random graphs: their sums, evaluated here by definition, equal the number of matches found by
 * enumeration. */
#include "count_plan_case.h"

static bool check(const char *text, uint64_t *random, bool codegrees, int rounds, int size)
{
	const gemp_count_planner_options premise = { .codegrees = codegrees, .ordered = gemp_random_below(random, 2) };
	bool found = check_sense(text, ISO, random, premise, rounds, size, 1);
	found = check_sense(text, EDGE_ISO, random, premise, rounds, size - 1, 1) && found;
	check_sense(text, EDGE_ISO, random, premise, rounds, size - 1, 2);
	check_sense(text, HOM, random, premise, rounds, size - 1, 1);
	return found;
}

static void all_small_patterns(void **state)
{
	(void)state;
	uint64_t random = test_seed();
	char text[128];
	int found[6] = { 0 }, all[6] = { 0 };
	for (int size = 2; size <= 5; size++)
		for (unsigned edges = 0; edges < 1u << size * (size - 1) / 2; edges++)
			if (pattern_text(text, size, edges) && (size < 5 || gemp_random_below(&random, 8) == 0)) {
				all[size]++;
				found[size] += check(text, &random, true, size < 5 ? 6 : 3, size < 5 ? 10 : 9);
			}
	for (int size = 2; size <= 5; size++)
		assert_int_equal(found[size], all[size]); /* each graph of this size has sums */
	assert_int_equal(gemp_memory_blocks(), 0);
}

static void known_to_have_sums(void **state)
{
	(void)state;
	static const char *const names[] = {
		"triangle", "cycle:4", "diamond", "clique:4", "clique:5", "cycle:5",  "house",
		"star:4",   "path:5",  "star:5",  "path:6",   "clique:7", "clique:8", "star:7"
	};
	uint64_t random = test_seed();
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		assert_true(check(names[i], &random, false, 3, 8));
}

/* With the order of slots, cycles of six have sums, since the subpatterns that they need have a least vertex. Other
 * patterns have sums with and without this order. */
static void with_an_order(void **state)
{
	(void)state;
	static const char *const names[] = {
		"cycle:6", "cycle:5", "house", "triangle", "edges:0-1,0-2,1-2,0-3,0-4,3-4", "edges:0-1,0-2,1-2,2-3,2-4,3-4,4-5"
	};
	const gemp_count_planner_options ordered = { .ordered = true }, none = { .iso = false };
	uint64_t random = test_seed();
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		for (sense sense = ISO; sense <= HOM; sense++)
			assert_true(check_sense(names[i], sense, &random, ordered, 6, sense == ISO ? 9 : 8, 1));
	assert_false(check_sense("cycle:6", ISO, &random, none, 1, 8, 1));
}

/* Random trees of six and seven vertices, and trees with one more edge: two of their edges can coincide although they
 * have no common end. Half of them are of two MATCH. */
static void with_distinct_edges(void **state)
{
	(void)state;
	uint64_t random = test_seed();
	const gemp_count_planner_options ordered = { .ordered = true, .codegrees = true };
	const int rounds = 40;
	int found = 0;
	for (int i = 0; i < rounds; i++) {
		char text[128];
		const int size = 6 + i % 2;
		int n = sprintf(text, "edges:0-1"), parent = 0;
		for (int v = 2; v < size; v++) {
			parent = (int)gemp_random_below(&random, (uint64_t)v);
			n += sprintf(text + n, ",%d-%d", parent, v);
		}
		if (parent && i & 2)
			sprintf(text + n, ",0-%d", size - 1);
		found += check_sense(text, EDGE_ISO, &random, ordered, 3, 8, 1 + (uint64_t)i / 4 % 2);
	}
	assert_true(found >= rounds / 2);
}

static void refused_with_a_reason(void **state)
{
	(void)state;
	gemp_pattern *pattern = NULL;
	gemp_count_plan *plan = NULL;
	const char *reason = NULL;
	assert_int_equal(gemp_pattern_named(&pattern, "cycle:4"), GEMP_OK);
	const gemp_count_planner_options hom = { .iso = false }, parallel = { .iso = true, .parallel = true };
	assert_int_equal(gemp_count_plan_new(&plan, pattern, 8, &hom, &reason), GEMP_OK);
	assert_null(plan);
	assert_non_null(strstr(reason, "iso"));
	assert_int_equal(gemp_count_plan_new(&plan, pattern, 8, &parallel, &reason), GEMP_OK);
	assert_null(plan);
	assert_non_null(strstr(reason, "parallel"));
	gemp_pattern_free(pattern);
	/* In this pattern vertices 2 and 3 have the same neighbours, and 2 and 3 are not adjacent. */
	assert_int_equal(gemp_pattern_named(&pattern, "edges:0-1,0-2,0-3,1-2,1-3,2-4,3-4"), GEMP_OK);
	const gemp_count_planner_options iso = { .iso = true };
	assert_int_equal(gemp_count_plan_new(&plan, pattern, 4, &iso, &reason), GEMP_OK);
	assert_null(plan);
	assert_non_null(reason);
	gemp_pattern_free(pattern);
}

static void out_of_memory(void **state)
{
	(void)state;
	gemp_pattern *pattern = NULL;
	gemp_count_plan *plan = NULL;
	const gemp_count_planner_options iso = { .iso = true };
	const char *reason;
	assert_int_equal(gemp_pattern_named(&pattern, "house"), GEMP_OK);
	for (long k = 0; !plan; k++) {
		gemp_memory_fail_after(k);
		gemp_code code = gemp_count_plan_new(&plan, pattern, 2, &iso, &reason);
		gemp_memory_fail_after(-1);
		assert_true(code == (plan ? GEMP_OK : GEMP_ENOMEM));
	}
	gemp_count_plan_free(plan);
	gemp_pattern_free(pattern);
	assert_int_equal(gemp_memory_blocks(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_small_patterns),  cmocka_unit_test(known_to_have_sums),    cmocka_unit_test(with_an_order),
		cmocka_unit_test(with_distinct_edges), cmocka_unit_test(refused_with_a_reason), cmocka_unit_test(out_of_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
