/* Tests the division of arrays into chunks of ranks: every element of a full chunk reaches the chunk's owner once, and
 * every other element rank 0. */
#include "harness/harness.h"

#include "core/random.h"
#include "io/hdf5/chunk_split.h"

enum { MAX_RANKS = 9, MAX_ELEMENTS = 400 };

/* reached[i]: the rank that gets element begin[0] + i; -1: none yet. */
static void reach(int *reached, const gemp_chunk_split *split, uint64_t first, uint64_t count, int rank)
{
	for (uint64_t i = first - split->begin[0]; i < first + count - split->begin[0]; i++) {
		assert_true(i < MAX_ELEMENTS);
		assert_int_equal(reached[i], -1);
		reached[i] = rank;
	}
}

static void reach_all(int *reached, const gemp_chunk_split *split)
{
	for (int r = 0; r < split->ranks; r++) {
		const gemp_chunk_piece head = gemp_chunk_head(split, r), tail = gemp_chunk_tail(split, r);
		const uint64_t begin = head.first + head.count;
		assert_true(head.first == split->begin[r] && (!head.count || head.rank < r));
		assert_int_equal(tail.rank, 0);
		reach(reached, split, head.first, head.count, head.rank);
		reach(reached, split, tail.first, tail.count, tail.rank);
		reach(reached, split, begin, split->begin[r + 1] - begin - tail.count, r);
	}
}

static void every_element_has_its_rank(void **state)
{
	(void)state;
	const uint64_t seed = test_seed();
	for (uint64_t round = 0; round < 20000; round++) {
		uint64_t begin[MAX_RANKS + 1], random = gemp_mix(seed + round);
		const int ranks = 1 + (int)(random % MAX_RANKS);
		const uint64_t chunk = 1 + random / 16 % 13;
		const gemp_chunk_split split = { chunk, ranks, begin };
		int reached[MAX_ELEMENTS];
		begin[0] = random / 512 % 5 * chunk;
		for (int r = 0; r < ranks; r++) {
			random = gemp_mix(random);
			begin[r + 1] = begin[r] + (random % 3 ? random / 8 % 40 : 0);
		}
		for (size_t i = 0; i < MAX_ELEMENTS; i++)
			reached[i] = -1;
		reach_all(reached, &split);
		for (uint64_t i = begin[0]; i < begin[ranks]; i++) {
			const uint64_t start = i / chunk * chunk;
			const bool full = start + chunk <= begin[ranks];
			int owner = 0;
			while (full && !(begin[owner] <= start && start < begin[owner + 1]))
				owner++;
			assert_int_equal(reached[i - begin[0]], owner);
			assert_true(!full || gemp_chunk_owner(&split, start) == owner);
		}
		assert_true(begin[ranks] - begin[0] == 0 || gemp_chunk_whole(&split) + chunk > begin[ranks]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(every_element_has_its_rank) };
	return test_main(tests);
}
