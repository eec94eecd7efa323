/* Tests the encoding of partial matches as bytes: decoding returns the same items for any values and any mixture of
 * groups. Items with common words take fewer bytes, and no items take more bytes than uncoded. Truncated bytes are
 * refused, and damaged bytes do no harm. */
#include "harness/harness.h"

#include "core/random.h"
#include "match/exchange/item_codec.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 300, WORDS = 12 };

static const gemp_item_form forms[] = {
	{ 2, 1, 2, 2 },                                           /* a vertex after the common words */
	{ 5, 4, 5, 5 },     { 7, 6, 7, 7 },   { 9, 4, 5, 7 },     /* a vertex and an edge */
	{ 6, 4, 4, 4 },                                           /* an edge alone */
	{ 12, 11, 12, 12 }, { 12, 5, 6, 10 }, { 12, 12, 12, 12 }, /* only common words */
};
enum { FORMS = sizeof forms / sizeof *forms };

/* Makes items of several workers. The items of one worker share a prefix that changes now and then, and their vertices
 * ascend. */
static void make_items(const gemp_item_form *form, uint32_t *items, size_t count, size_t workers, uint64_t *random)
{
	uint32_t now[8][WORDS];
	for (size_t w = 0; w < 8; w++)
		for (size_t i = 0; i < WORDS; i++)
			now[w][i] = (uint32_t)gemp_random_below(random, 50);
	for (size_t i = 0; i < count; i++) {
		uint32_t *item = now[gemp_random_below(random, workers)];
		if (gemp_random_below(random, 5) == 0)
			item[gemp_random_below(random, form->words)] = (uint32_t)gemp_random(random);
		if (form->vertex < form->words)
			item[form->vertex] += (uint32_t)gemp_random_below(random, 300);
		memcpy(items + i * form->words, item, form->words * sizeof *item);
	}
}

static size_t round_trip(const gemp_item_form *form, const uint32_t *items, size_t count)
{
	gemp_item_coder *coder = NULL;
	size_t words = count * form->words, slack = gemp_item_slack(form);
	uint8_t *coded = malloc(words * sizeof *items + slack);
	uint32_t *back = malloc((words + 1) * sizeof *back);
	assert_ok(gemp_item_coder_new(&coder));
	size_t size = gemp_items_encode(coder, form, items, count, coded);
	assert_true(size <= words * sizeof *items);
	assert_true(gemp_items_decode(form, coded, size, back, count));
	bool *taken = calloc(count + 1, sizeof *taken); /* the same items the same number of times, in any order */
	for (size_t i = 0; i < count; i++) {
		size_t j = 0;
		while (j < count && (taken[j] || memcmp(items + j * form->words, back + i * form->words, form->words * 4)))
			j++;
		assert_true(j < count);
		taken[j] = true;
	}
	free(taken);
	free(back);
	free(coded);
	gemp_item_coder_free(coder);
	return size;
}

static void all_items_are_decoded(void **state)
{
	(void)state;
	uint64_t random = test_seed();
	static uint32_t items[MOST * WORDS];
	for (int trial = 0; trial < 200; trial++) {
		const gemp_item_form *form = &forms[gemp_random_below(&random, FORMS)];
		size_t count = gemp_random_below(&random, MOST + 1), workers = 1 + gemp_random_below(&random, 8);
		make_items(form, items, count, workers, &random);
		round_trip(form, items, count);
	}
}

static void extremes_come_back(void **state)
{
	(void)state;
	static uint32_t items[4 * WORDS];
	for (size_t f = 0; f < FORMS; f++)
		for (uint32_t bits = 0; bits < 16; bits++) {
			for (size_t i = 0; i < 4; i++)
				memset(items + i * forms[f].words, bits >> i & 1 ? 0xff : 0, forms[f].words * 4);
			round_trip(&forms[f], items, 4);
		}
}

/* The candidates of partial matches take little more than one byte each, also if two workers append alternately. */
static void groups_are_short(void **state)
{
	(void)state;
	const gemp_item_form form = { 7, 6, 7, 7 };
	static uint32_t items[MOST * 7];
	for (uint32_t i = 0; i < MOST; i++) {
		uint32_t *item = items + (size_t)i * 7;
		item[0] = 1;
		item[1] = 2;
		item[2] = 0;
		item[3] = 5000 + i % 2;
		item[4] = 70000;
		item[5] = 12 + i % 2;
		item[6] = 10 * i;
	}
	assert_true(round_trip(&form, items, MOST) < MOST + 40);
}

static void damage_is_refused(void **state)
{
	(void)state;
	uint64_t random = test_seed();
	gemp_item_coder *coder = NULL;
	static uint32_t items[MOST * WORDS], back[MOST * WORDS];
	static uint8_t coded[MOST * WORDS * 4 + 1000];
	assert_ok(gemp_item_coder_new(&coder));
	for (size_t f = 0; f < FORMS; f++) {
		make_items(&forms[f], items, MOST, 2, &random);
		size_t size = gemp_items_encode(coder, &forms[f], items, MOST, coded);
		assert_true(size < MOST * forms[f].words * 4u);
		assert_false(gemp_items_decode(&forms[f], coded, size - 1, back, MOST));
		assert_false(gemp_items_decode(&forms[f], coded, size, back, MOST - 1));
		for (size_t cut = 0; cut < size; cut += 1 + size / 50) {
			assert_false(gemp_items_decode(&forms[f], coded, cut, back, MOST));
			/* the damaged bytes may decode or not, but nothing out of bounds is read */
			coded[cut] = (uint8_t)gemp_random(&random);
			gemp_items_decode(&forms[f], coded, size, back, MOST);
		}
	}
	gemp_item_coder_free(coder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_items_are_decoded),
		cmocka_unit_test(extremes_come_back),
		cmocka_unit_test(groups_are_short),
		cmocka_unit_test(damage_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
