/* Tests the classes of values against all pairs of vertices of a graph that every rank knows. */
#include "made_graph.h"

#include "core/bitset.h"
#include "core/threads.h"
#include "harness/limits.h"
#include "match/groups/group_key.h"

static bool same(const made_graph *made, int attribute, gemp_vertex a, gemp_vertex b)
{
	char rooms[2][64];
	const gemp_value x = made_value(made, attribute, a, rooms[0]), y = made_value(made, attribute, b, rooms[1]);
	bool comparable;
	if (x.null || y.null)
		return x.null && y.null;
	return gemp_value_compare(&x, &y, &comparable) == 0;
}

/* among: bits of the vertices that are numbered; NULL: all. */
static void check(made_graph *made, int attribute, const uint32_t *among)
{
	gemp_value_classes classes;
	size_t count = 0;
	assert_all_ok(gemp_value_classes_new(&classes, &made->context, &made->graph, (size_t)attribute, among));
	assert_all(classes.of != NULL);
	for (gemp_vertex a = 0; a < MADE_VERTICES; a++) {
		gemp_vertex first = a;
		for (gemp_vertex b = 0; b < MADE_VERTICES; b++) {
			if (among && !(gemp_bits32_test(among, a) && gemp_bits32_test(among, b)))
				continue;
			assert_int_equal(classes.of[a] == classes.of[b], same(made, attribute, a, b));
			first = same(made, attribute, a, b) && b < first ? b : first;
		}
		if (among && !gemp_bits32_test(among, a))
			continue;
		assert_int_equal(classes.first[classes.of[a]], first);
		count += first == a;
	}
	assert_int_equal(classes.count, count);
	gemp_value_classes_free(&classes);
}

static void classes_are_values(void **state)
{
	(void)state;
	uint64_t random = test_seed_all();
	for (int round = 0; round < 5; round++) {
		TEST_LIMIT(class_chunk, 1 + gemp_random_below(&random, 40));
		gemp_threads_limit(1 + (unsigned)gemp_random_below(&random, 7));
		made_graph *made = made_graph_new(gemp_random(&random));
		uint32_t among[MADE_VERTICES / 32 + 1] = { 0 };
		for (size_t v = 0; v < MADE_VERTICES; v++)
			if (round && gemp_random_below(&random, (uint64_t)round) == 0)
				gemp_bits32_set(among, v);
		for (int attribute = 0; attribute < MADE_ATTRIBUTES; attribute++) {
			check(made, attribute, NULL);
			check(made, attribute, among);
		}
		made_graph_free(made);
	}
	TEST_LIMIT_DEFAULT(class_chunk);
	gemp_threads_limit(0);
	assert_all(gemp_memory_blocks() == 0);
}

/* Keys of ids and classes are numbers whose rows have the same classes. */
static void keys_are_numbers(void **state)
{
	(void)state;
	uint64_t random = test_seed_all();
	made_graph *made = made_graph_new(gemp_random(&random));
	gemp_value_classes classes;
	gemp_group_key key = gemp_group_key_new(4, 11, MADE_VERTICES);
	assert_all_ok(gemp_value_classes_new(&classes, &made->context, &made->graph, MADE_AGE, NULL));
	assert_true(gemp_group_key_fits(&key));
	gemp_group_key_classify(&key, 1, &classes);
	for (int i = 0; i < 200; i++) {
		gemp_vertex row[4], back[4];
		for (int v = 0; v < 4; v++)
			row[v] = (gemp_vertex)gemp_random_below(&random, MADE_VERTICES);
		const uint64_t word = gemp_group_key_pack(&key, row);
		gemp_group_key_unpack(&key, word, back);
		assert_true(word > 0 && back[0] == row[0] && back[2] == 0 && back[3] == row[3]);
		assert_int_equal(back[1], classes.first[classes.of[row[1]]]);
		assert_int_equal(gemp_group_key_pack(&key, back), word);
	}
	key = gemp_group_key_new(4, 3, UINT32_MAX);
	assert_true(gemp_group_key_fits(&key));
	key = gemp_group_key_new(4, 11, UINT32_MAX);
	assert_false(gemp_group_key_fits(&key));
	gemp_group_key_classify(&key, 1, &classes); /* fewer than 32 classes */
	assert_false(gemp_group_key_fits(&key));
	key.digits[1].base = 1;
	assert_true(gemp_group_key_fits(&key));
	gemp_value_classes_free(&classes);
	made_graph_free(made);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(classes_are_values), cmocka_unit_test(keys_are_numbers) };
	return test_main_all(argc, argv, tests);
}
