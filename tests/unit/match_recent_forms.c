/* Tests the cache of recent forms: against a list of all forms that were passed on, no form is dropped that was not
 * passed on before, every class is passed on, and the others keep their order. */
#include "harness/harness.h"

#include "core/random.h"
#include "core/threads.h"
#include "match/distinct/recent_forms.h"

#include <stdlib.h>
#include <string.h>

enum { UNIVERSE = 2000, FORMS = 700 };

/* A form for each number. Two forms may have equal first or equal second words, and none has 0 as its first. */
static void write_form(uint64_t *form, size_t width, size_t number)
{
	form[0] = width == 1 ? number + 1 : number % 50 + 1;
	form[width - 1] = width == 1 ? form[0] : number / 50;
}

static size_t number_of(const uint64_t *form, size_t width)
{
	return width == 1 ? form[0] - 1 : form[1] * 50 + form[0] - 1;
}

/* Drops forms of a random array, and compares what is left with the array. */
static void check_array(gemp_recent_forms *recent, size_t width, unsigned thread, bool *passed, uint64_t *seed)
{
	uint64_t forms[2 * FORMS], before[2 * FORMS];
	const size_t count = gemp_random_below(seed, FORMS + 1);
	size_t left = 0;
	for (size_t i = 0; i < count; i++)
		write_form(forms + i * width, width, gemp_random_below(seed, UNIVERSE));
	memcpy(before, forms, count * width * sizeof *forms);
	const size_t kept = gemp_recent_forms_drop(recent, thread, forms, count);
	for (size_t i = 0; i < count; i++) {
		bool *known = &passed[number_of(before + i * width, width)];
		if (left < kept && !memcmp(forms + left * width, before + i * width, width * sizeof *forms)) {
			*known = true;
			left++;
		} else {
			assert_true(*known);
		}
	}
	assert_int_equal(left, kept);
}

static void drops_only_known_forms(void **state)
{
	static const size_t bytes[] = { 0, 8, 100, 4096, 1 << 20, SIZE_MAX };
	uint64_t seed = test_seed();
	(void)state;
	for (size_t b = 0; b < sizeof bytes / sizeof *bytes; b++)
		for (size_t width = 1; width <= 2; width++) {
			gemp_recent_forms recent;
			bool passed[2][UNIVERSE] = { { false } };
			assert_ok(gemp_recent_forms_init(&recent, width, bytes[b]));
			for (size_t i = 0; i < 60; i++) {
				const unsigned thread = (unsigned)gemp_random_below(&seed, gemp_min(gemp_threads(), 2));
				check_array(&recent, width, thread, passed[thread], &seed);
				if (i % 20 == 19) {
					gemp_recent_forms_forget(&recent);
					memset(passed, false, sizeof passed);
				}
			}
			gemp_recent_forms_free(&recent);
		}
}

/* A form that comes twice in succession is dropped. A thread whose forms are all new stops looking them up, passes on
 * known forms for a while, and then drops them again. */
static void pauses_without_duplicates(void **state)
{
	gemp_recent_forms recent;
	uint64_t forms[FORMS], next = 1;
	size_t paused = 0;
	(void)state;
	assert_ok(gemp_recent_forms_init(&recent, 1, SIZE_MAX));
	for (size_t i = 0; i < FORMS; i++)
		forms[i] = 7;
	assert_int_equal(gemp_recent_forms_drop(&recent, 0, forms, FORMS), 1);
	while (!recent.thread[0].unseen) {
		for (size_t i = 0; i < FORMS; i++)
			forms[i] = next++;
		assert_int_equal(gemp_recent_forms_drop(&recent, 0, forms, FORMS), FORMS - (next == FORMS + 1));
	}
	for (size_t i = 0; i < FORMS; i++)
		forms[i] = 7;
	while (gemp_recent_forms_drop(&recent, 0, forms, FORMS) == FORMS) {
		paused += FORMS;
		for (size_t i = 0; i < FORMS; i++)
			forms[i] = 7;
	}
	assert_in_range(paused, 1 << 20, 1 << 24);
	gemp_recent_forms_free(&recent);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(drops_only_known_forms),
		cmocka_unit_test(pauses_without_duplicates),
	};
	return test_main(tests);
}
