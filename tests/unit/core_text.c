/* Tests growing texts, and edit distances that suggest the nearest name. */
#include "core/memory.h"
#include "harness/harness.h"

#include "core/random.h"
#include "core/status.h"
#include "core/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void starts_empty(void **state)
{
	(void)state;
	gemp_text text = { 0 };
	assert_ok(gemp_text_status(&text));
	gemp_text_clear(&text);
	gemp_text_free(&text);
	gemp_text_add(&text, NULL, 0);
	assert_int_equal(text.size, 0);
	assert_string_equal(text.data, "");
	gemp_text_free(&text);
	assert_int_equal(gemp_memory_blocks(), 0);
}

static void bytes_and_formats_follow_each_other(void **state)
{
	(void)state;
	gemp_text text = { 0 };
	gemp_text_add(&text, "a\0b", 3);
	gemp_text_print(&text, "%d-%s", 42, "");
	gemp_text_print(&text, "%s", "");
	assert_int_equal(text.size, 6);
	assert_memory_equal(text.data, "a\0b42-", 7);
	gemp_text_clear(&text);
	assert_int_equal(text.size, 0);
	assert_string_equal(text.data, "");
	gemp_text_print(&text, "%0500d", 7); /* longer than the reserved bytes */
	assert_int_equal(text.size, 500);
	assert_int_equal(text.data[499], '7');
	gemp_text_free(&text);
	assert_int_equal(gemp_memory_blocks(), 0);
}

/* A text that cannot be printed, such as a character that the C locale lacks, leaves the buffer unchanged, and its
 * status is a failure. */
static void a_failed_print_is_reported(void **state)
{
	(void)state;
	gemp_text text = { 0 };
	gemp_text_print(&text, "abc");
	gemp_text_print(&text, "%s%ls", "defg", L"\u20ac");
	assert_int_equal(text.size, 3);
	assert_string_equal(text.data, "abc");
	assert_int_not_equal(gemp_text_status(&text), GEMP_OK);
	gemp_text_free(&text);
	assert_int_equal(gemp_memory_blocks(), 0);
}

/* The result equals that of snprintf to one large buffer. */
static void grows_like_a_large_block(void **state)
{
	(void)state;
	uint64_t seed = test_seed();
	gemp_text text = { 0 };
	char *expected = malloc(1 << 20);
	size_t size = 0;
	for (int i = 0; i < 2000; i++) {
		uint64_t x = gemp_random(&seed);
		char bytes[64];
		size_t length = (size_t)gemp_random_below(&seed, sizeof bytes);
		memset(bytes, (int)(x & 127), sizeof bytes);
		gemp_text_add(&text, bytes, length);
		memcpy(expected + size, bytes, length);
		size += length;
		gemp_text_print(&text, "[%llx]", (unsigned long long)x);
		size += (size_t)sprintf(expected + size, "[%llx]", (unsigned long long)x);
	}
	assert_int_equal(text.size, size);
	assert_memory_equal(text.data, expected, size);
	free(expected);
	gemp_text_free(&text);
}

static gemp_code write_lines(void *unused)
{
	(void)unused;
	gemp_text text = { 0 };
	for (int i = 0; i < 100; i++)
		gemp_text_print(&text, "line %d\n", i);
	gemp_code code = gemp_text_status(&text);
	if (code == GEMP_OK)
		assert_int_equal(text.size, 790);
	gemp_text_free(&text);
	return code;
}

static void a_failure_is_kept_to_the_end(void **state)
{
	(void)state;
	assert_survives_no_memory(write_lines, NULL);
	gemp_text text = { 0 };
	gemp_memory_fail_after(0);
	gemp_text_add(&text, "lost", 4);
	gemp_memory_fail_after(-1);
	gemp_text_add(&text, "more", 4);
	assert_code(gemp_text_status(&text), GEMP_ENOMEM);
	assert_int_equal(text.size, 0);
	gemp_text_free(&text);
	assert_ok(gemp_text_status(&text));
}

static void the_nearest_name_is_found(void **state)
{
	(void)state;
	static const char *const names[] = { "Person", "Movie", "Genre", "title", "year" };
	const size_t n = sizeof names / sizeof names[0];
	assert_string_equal(gemp_text_nearest("Persn", names, n), "Person");
	assert_string_equal(gemp_text_nearest("person", names, n), "Person");
	assert_string_equal(gemp_text_nearest("Movies", names, n), "Movie");
	assert_string_equal(gemp_text_nearest("titel", names, n), "title");
	assert_string_equal(gemp_text_nearest("Person", names, n), "Person");
	assert_null(gemp_text_nearest("Company", names, n));
	assert_int_equal(gemp_text_edits("RETRUN", "return"), 1); /* two exchanged letters */
	assert_int_equal(gemp_text_edits("kitten", "sitting"), 3);
	assert_int_equal(gemp_text_edits("", "ab"), 2);
	assert_null(gemp_text_nearest("Person", names, 0));
	assert_null(gemp_text_nearest("", names, n));
}

/* The least number of edits by plain recursion, for words of a few letters. */
static size_t edits(const char *a, const char *b)
{
	if (!*a || !*b)
		return strlen(a) + strlen(b);
	size_t kept = edits(a + 1, b + 1) + (*a != *b), dropped = edits(a + 1, b) + 1, added = edits(a, b + 1) + 1;
	size_t least = kept < dropped ? kept : dropped;
	if (a[1] && a[0] == b[1] && a[1] == b[0]) { /* two exchanged letters */
		size_t exchanged = edits(a + 2, b + 2) + 1;
		least = exchanged < least ? exchanged : least;
	}
	return least < added ? least : added;
}

static void the_distance_is_the_least_number_of_edits(void **state)
{
	(void)state;
	uint64_t seed = test_seed();
	for (int i = 0; i < 3000; i++) {
		char word[8] = "", name[8] = "";
		for (uint64_t k = gemp_random_below(&seed, 7); k--;)
			word[k] = (char)('a' + gemp_random_below(&seed, 3));
		for (uint64_t k = gemp_random_below(&seed, 7); k--;)
			name[k] = (char)('a' + gemp_random_below(&seed, 3));
		const char *const names[] = { name };
		bool near = edits(word, name) <= 1 + strlen(word) / 3;
		assert_int_equal(gemp_text_edits(word, name), edits(word, name));
		assert_int_equal(gemp_text_nearest(word, names, 1) != NULL, near);
	}
}

static void very_long_words_are_compared_by_their_beginning(void **state)
{
	(void)state;
	char word[200], name[300];
	memset(word, 'x', sizeof word);
	memset(name, 'x', sizeof name);
	word[sizeof word - 1] = name[sizeof name - 1] = '\0';
	const char *const names[] = { name };
	assert_ptr_equal(gemp_text_nearest(word, names, 1), name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(starts_empty),
		cmocka_unit_test(bytes_and_formats_follow_each_other),
		cmocka_unit_test(a_failed_print_is_reported),
		cmocka_unit_test(grows_like_a_large_block),
		cmocka_unit_test(a_failure_is_kept_to_the_end),
		cmocka_unit_test(the_nearest_name_is_found),
		cmocka_unit_test(the_distance_is_the_least_number_of_edits),
		cmocka_unit_test(very_long_words_are_compared_by_their_beginning),
	};
	return test_main(tests);
}
