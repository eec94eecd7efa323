/* Compares rows sorted in place with qsort: lengths on both sides of every change of method, and many and few distinct
 * slots, without edges and with edges. Edges of equal slots keep their order. */
#include "core/types.h"
#include "partition/build/row_builder.h"

#include "harness/harness.h"

#include "core/random.h"

#include <stdlib.h>

enum { MOST = 5000 };

typedef struct entry {
	gemp_vertex slot;
	gemp_edge edge;
} entry;

static int compare(const void *a, const void *b)
{
	const entry *x = a, *y = b;
	if (x->slot != y->slot)
		return x->slot < y->slot ? -1 : 1;
	return (x->edge > y->edge) - (x->edge < y->edge);
}

static void check(size_t count, unsigned bits, bool edges, uint64_t *random)
{
	static gemp_vertex slots[MOST + 1], spare_slots[MOST];
	static gemp_edge numbers[MOST + 1], spare_numbers[MOST];
	static entry want[MOST];
	uint64_t bound = bits == 32 ? UINT64_C(1) << 32 : UINT64_C(1) << bits;
	for (size_t i = 0; i < count; i++) {
		want[i] = (entry){ (gemp_vertex)gemp_random_below(random, bound), i };
		slots[i] = want[i].slot;
		numbers[i] = i;
	}
	slots[count] = 77;
	numbers[count] = 78;
	qsort(want, count, sizeof *want, compare);
	gemp_row_sort(slots, edges ? numbers : NULL, count, bits, spare_slots, edges ? spare_numbers : NULL);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(slots[i], want[i].slot);
		assert_int_equal(numbers[i], edges ? want[i].edge : i);
	}
	assert_int_equal(slots[count], 77);
	assert_int_equal(numbers[count], 78);
}

static void rows_of_all_lengths(void **state)
{
	(void)state;
	static const size_t counts[] = { 0, 1, 2, 3, 17, 39, 40, 41, 42, 300, 2047, 2048, 2049, MOST };
	static const unsigned bits[] = { 0, 1, 5, 8, 9, 11, 12, 16, 20, 22, 23, 31, 32 };
	uint64_t random = test_seed();
	for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
		for (size_t b = 0; b < sizeof bits / sizeof *bits; b++)
			for (int edges = 0; edges < 2; edges++)
				check(counts[c], bits[b], edges, &random);
	for (int turn = 0; turn < 200; turn++)
		check((size_t)gemp_random_below(&random, 100), (unsigned)gemp_random_below(&random, 33), turn & 1, &random);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(rows_of_all_lengths) };
	return test_main(tests);
}
