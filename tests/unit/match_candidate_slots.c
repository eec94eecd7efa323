/* Tests bitmaps of candidates by slot, of few and of many candidates, against the slots of each vertex. */
#include "core/bitset.h"
#include "core/memory.h"
#include "harness/harness.h"
#include "match/filter/candidates.h"

#include "core/random.h"

static void check(size_t vertices, uint64_t share, uint64_t *random)
{
	const size_t words = gemp_bits32_words(vertices);
	gemp_vertex *slot_of = calloc(vertices, sizeof *slot_of), *id_of = calloc(vertices, sizeof *id_of);
	uint32_t *by_id = calloc(words, sizeof *by_id), *out = calloc(words, sizeof *out);
	for (size_t i = 0; i < vertices; i++) { /* Fisher and Yates */
		const size_t j = gemp_random_below(random, i + 1);
		id_of[i] = id_of[j];
		id_of[j] = (gemp_vertex)i;
	}
	for (size_t i = 0; i < vertices; i++) {
		slot_of[id_of[i]] = (gemp_vertex)i;
		if (gemp_random_below(random, share) == 0)
			gemp_bits32_set(by_id, i);
	}
	const gemp_slot_order order = { .vertices = vertices, .slot_of = slot_of, .id_of = id_of };
	gemp_candidates_by_slot(&order, by_id, out, words);
	for (size_t i = 0; i < words * 32; i++)
		assert_int_equal(gemp_bits32_test(out, i), i < vertices && gemp_bits32_test(by_id, id_of[i]));
	free(slot_of);
	free(id_of);
	free(by_id);
	free(out);
}

static void bits_move_to_slots(void **state)
{
	(void)state;
	uint64_t random = test_seed();
	for (uint64_t share = 1; share < 40; share *= 3) {
		check(1 + gemp_random_below(&random, 300), share, &random);
		check(300000 + gemp_random_below(&random, 1000), share, &random);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(bits_move_to_slots) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
