/* Tests the parts of the movie generator: permutations, Zipf's law, division among ranks, names, and parameters of
 * generators. */
#include "core/memory.h"
#include "harness/harness.h"

#include "comm/comm.h"
#include "core/random.h"
#include "core/status.h"
#include "core/text.h"
#include "generate/generate.h"
#include "generate/permutation.h"
#include "io/text/cells.h"

#include <math.h>
#include <string.h>

static void permutations_hit_everything_once(void **state)
{
	(void)state;
	uint64_t seed = test_seed();
	static const uint64_t sizes[] = { 1, 2, 3, 4, 5, 16, 17, 100, 1023, 1024, 1025, 50000 };
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		uint8_t *hit = gemp_calloc(sizes[i], 1);
		for (uint64_t x = 0; x < sizes[i]; x++) {
			uint64_t y = gemp_permute(seed, sizes[i], x);
			assert_true(y < sizes[i] && !hit[y]);
			hit[y] = 1;
		}
		gemp_free(hit);
	}
	uint64_t huge = UINT64_C(4294967294) * 4294967293;
	for (uint64_t x = 0; x < 1000; x++)
		assert_true(gemp_permute(seed, huge, huge - 1 - x) < huge);
}

/* Blocks of numbers and single numbers have the same images, also where numbers walk. */
static void permutations_of_blocks(void **state)
{
	(void)state;
	enum { MOST = 1300 };
	uint64_t seed = test_seed(), numbers[MOST], images[MOST];
	for (uint64_t turn = 0; turn < 50; turn++) {
		uint64_t n = 1 + (gemp_random(&seed) >> gemp_random_below(&seed, 64));
		size_t count = (size_t)gemp_random_below(&seed, MOST + 1);
		n = n ? n : UINT64_MAX;
		for (size_t i = 0; i < count; i++)
			images[i] = numbers[i] = gemp_random_below(&seed, n);
		gemp_permute_all(turn, n, images, count);
		for (size_t i = 0; i < count; i++)
			assert_true(images[i] == gemp_permute(turn, n, numbers[i]));
	}
}

/* Over many seeds, the image of 0 under a small permutation is uniformly distributed. */
static void permutations_spread(void **state)
{
	(void)state;
	enum { N = 10, ROUNDS = 20000 };
	double counts[N] = { 0 }, chi = 0;
	for (uint64_t seed = 0; seed < ROUNDS; seed++)
		counts[gemp_permute(gemp_mix(seed), N, 0)]++;
	for (size_t i = 0; i < N; i++)
		chi += pow(counts[i] - (double)ROUNDS / N, 2) / ((double)ROUNDS / N);
	assert_true(chi < 40); /* chi-square with 9 degrees of freedom exceeds 40 once in 100,000 tests */
}

static void zipf_halves_with_every_octave(void **state)
{
	(void)state;
	enum { N = 100, DRAWS = 200000 };
	double counts[N + 1] = { 0 };
	uint64_t seed = 7;
	for (int i = 0; i < DRAWS; i++) {
		uint64_t k = gemp_generator_zipf(&seed, N);
		assert_in_range(k, 1, N);
		counts[k]++;
	}
	assert_true(fabs(counts[1] / (counts[2] + counts[3]) - 1) < 0.1);
	assert_true(fabs((counts[4] + counts[5] + counts[6] + counts[7]) / counts[1] - 1) < 0.1);
	assert_true(counts[N] > 0);
	assert_int_equal(gemp_generator_zipf(&seed, 1), 1);
}

static void shares_cover_everything_in_order(void **state)
{
	(void)state;
	for (int ranks = 1; ranks < 9; ranks++)
		for (uint64_t count = 0; count < 30; count++) {
			uint64_t at = 0;
			for (int rank = 0; rank < ranks; rank++) {
				gemp_comm comm = { .rank = rank, .size = ranks };
				gemp_block_range span = gemp_comm_block(&comm, count);
				assert_true(span.begin == at && span.end >= at && span.end - at <= count / (uint64_t)ranks + 1);
				at = span.end;
			}
			assert_int_equal(at, count);
		}
}

static void check_name(const char *name, size_t size)
{
	assert_int_equal(strlen(name), size);
	assert_in_range(size, 3, GEMP_NAME_SIZE - 1);
	assert_int_equal(gemp_utf8_check(name, size), size);
	assert_null(strpbrk(name, "\t\n%0123456789"));
}

static void names_look_like_names(void **state)
{
	(void)state;
	char name[GEMP_NAME_SIZE];
	uint64_t seed = test_seed();
	int jacks = 0;
	for (int i = 0; i < 20000; i++) {
		check_name(name, gemp_movies_person(name, &seed));
		assert_non_null(strchr(name, ' '));
		jacks += strncmp(name, "Jack ", 5) == 0;
		check_name(name, gemp_movies_title(name, &seed));
		check_name(name, gemp_movies_role(name, &seed));
	}
	assert_in_range(jacks, 50, 500);
}

static gemp_generate_options options;

static void refused(const char *parameter, const char *value, const char *message)
{
	assert_code(gemp_generate_set(&options, parameter, value), GEMP_EUSAGE);
	assert_message(message);
}

static void parameters_are_set_by_name(void **state)
{
	(void)state;
	assert_code(gemp_generate_init(&options, "rmta"), GEMP_EUSAGE);
	assert_message("did you mean rmat");
	assert_ok(gemp_generate_init(&options, "rmat"));
	assert_true(options.seed == 1 && options.relabel_seed == 0 && options.values[0] == 14);
	assert_ok(gemp_generate_set(&options, "scale", "20"));
	assert_true(options.values[0] == 20);
	assert_ok(gemp_generate_set(&options, "a", "0.45"));
	refused("scal", "3", "did you mean --scale");
	refused("films", "3", "rmat has no --films");
	refused("scale", "x", "is not a number");
	refused("scale", "", "is not a number");
	refused("scale", "nan", "is not a number");
	refused("scale", "3.5", "is not a whole number");
	refused("scale", "32", "is not between 1 and 31");
	refused("scale", "inf", "not between");
	assert_true(options.values[0] == 20);
}

static void some_parameters_are_words(void **state)
{
	(void)state;
	char form[4][32];
	size_t count;
	assert_ok(gemp_generate_init(&options, "eulerian"));
	const gemp_parameter *shape = &gemp_generators(&count)[options.generator].parameters[0];
	for (size_t i = 0; i < 2; i++) {
		gemp_parameter_form(form[2 * i], sizeof *form, shape + i);
		gemp_parameter_default(form[2 * i + 1], sizeof *form, shape + i);
	}
	assert_string_equal(form[0], "deep|shallow|random");
	assert_string_equal(form[1], "deep");
	assert_string_equal(form[2], "N");
	assert_string_equal(form[3], "10000");
	assert_ok(gemp_generate_set(&options, "shape", "random"));
	assert_true(options.values[0] == 2);
	refused("shape", "1", "is not one of these words: deep|shallow|random");
	refused("shape", "", "is not one of these words");
}

static void generators_are_listed_with_defaults_in_range(void **state)
{
	(void)state;
	size_t count;
	const gemp_generator *list = gemp_generators(&count);
	assert_int_equal(count, 7);
	for (size_t i = 0; i < count; i++) {
		assert_ok(gemp_generate_init(&options, list[i].name));
		assert_int_equal(options.generator, i);
		assert_true(list[i].parameter_count <= GEMP_MAX_PARAMETERS && strlen(list[i].meaning) > 0);
		for (size_t p = 0; p < list[i].parameter_count; p++) {
			const gemp_parameter *parameter = &list[i].parameters[p];
			assert_true(parameter->min <= parameter->value && parameter->value <= parameter->max);
			assert_true(strlen(parameter->name) > 0 && strlen(parameter->meaning) > 0);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(permutations_hit_everything_once),
		cmocka_unit_test(permutations_of_blocks),
		cmocka_unit_test(permutations_spread),
		cmocka_unit_test(zipf_halves_with_every_octave),
		cmocka_unit_test(shares_cover_everything_in_order),
		cmocka_unit_test(names_look_like_names),
		cmocka_unit_test(parameters_are_set_by_name),
		cmocka_unit_test(some_parameters_are_words),
		cmocka_unit_test(generators_are_listed_with_defaults_in_range),
	};
	return test_main(tests);
}
