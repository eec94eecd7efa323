/* Tests integers of all widths: the narrowest kind of all ranks, and that numbers are the same after they were narrowed
 * and widened, for arrays of one element and for arrays that several threads convert. */
#include "harness/collective.h"

#include "core/memory.h"
#include "core/random.h"
#include "io/hdf5/hdf5_numbers.h"

enum { KINDS = 4 };
static const gemp_h5_kind kinds[KINDS] = { GEMP_H5_I8, GEMP_H5_I16, GEMP_H5_I32, GEMP_H5_I64 };
static const int64_t least[KINDS] = { INT8_MIN, INT16_MIN, INT32_MIN, INT64_MIN };
static const int64_t most[KINDS] = { INT8_MAX, INT16_MAX, INT32_MAX, INT64_MAX };

/* Only one rank has the number that decides. */
static void kind_is_that_of_the_widest_number(void **state)
{
	(void)state;
	for (int k = 0; k < KINDS; k++) {
		for (int above = 0; above < 2; above++) {
			int64_t number = test_comm.rank == test_comm.size - 1 ? (above ? most[k] : least[k]) : 1;
			assert_all(gemp_h5_numbers_kind(&test_comm, &number, 1) == kinds[k]);
			number = test_comm.rank == test_comm.size - 1 && k + 1 < KINDS ? (above ? most[k] + 1 : least[k] - 1) : 1;
			assert_all(k + 1 == KINDS || gemp_h5_numbers_kind(&test_comm, &number, 1) == kinds[k + 1]);
		}
	}
	assert_all(gemp_h5_numbers_kind(&test_comm, NULL, 0) == GEMP_H5_I8);
}

/* Fills numbers[count] with numbers of `kind`, among them the least and the greatest. */
static void draw_numbers(int64_t *numbers, size_t count, int64_t low, int64_t high)
{
	uint64_t seed = test_seed_all();
	for (size_t i = 0; i < count; i++) {
		uint64_t range = (uint64_t)high - (uint64_t)low, drawn = gemp_random(&seed);
		numbers[i] = (int64_t)((uint64_t)low + (range == UINT64_MAX ? drawn : drawn % (range + 1)));
	}
	numbers[0] = low;
	numbers[count - 1] = high;
}

static void expect_round_trip(gemp_h5_kind kind, size_t count, int64_t low, int64_t high)
{
	const size_t size = gemp_h5_type_of(kind).size;
	int64_t *numbers = NULL, *back = NULL;
	char *narrow = NULL;
	bool same = true;
	assert_all(GEMP_NEW(numbers, count) == GEMP_OK && GEMP_NEW(back, count) == GEMP_OK &&
	           GEMP_NEW(narrow, count * size + 1) == GEMP_OK);
	draw_numbers(numbers, count, low, high);
	narrow[count * size] = 77;
	gemp_h5_numbers_narrow(narrow, kind, numbers, count, 0);
	gemp_h5_numbers_widen(back, narrow, kind, count);
	for (size_t i = 0; i < count; i++)
		same &= back[i] == numbers[i] && gemp_h5_number_at(narrow, kind, i) == numbers[i];
	assert_all(same && narrow[count * size] == 77);
	numbers[0] = low + 1;
	gemp_h5_numbers_narrow(narrow, kind, numbers, 1, -1);
	assert_all(gemp_h5_number_at(narrow, kind, 0) == low);
	gemp_free_all(numbers, back, narrow);
}

static void numbers_survive_every_width(void **state)
{
	(void)state;
	static const size_t counts[] = { 1, 2, 1000, 100000 };
	for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
		for (int k = 0; k < KINDS; k++)
			expect_round_trip(kinds[k], counts[c], least[k], most[k]);
		expect_round_trip(GEMP_H5_U32, counts[c], 0, UINT32_MAX);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kind_is_that_of_the_widest_number),
		cmocka_unit_test(numbers_survive_every_width),
	};
	return test_main_all(argc, argv, tests);
}
