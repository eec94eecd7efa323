/* Compares the fast reader of pairs of integers with a plain one, on random lines: integers of all lengths, and lines
 * that the fast reader must leave to others. */
#include "harness/harness.h"

#include "core/random.h"
#include "io/text/integer_pairs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LINES = 40, SIZE = 4096 };

/* Writes an integer of 1 to 17 digits, or something else, and returns whether the fast reader takes it. */
static bool write_word(char *out, size_t size, uint64_t *random, int64_t *value)
{
	static const char *const others[] = {
		"", "-", "007", "+5", "-0", "1.5", "x", "1234567x", "0x1", " 1", "12345678a"
	};
	uint64_t kind = gemp_random_below(random, 40);
	if (kind == 0) {
		snprintf(out, size, "%s", others[gemp_random_below(random, sizeof others / sizeof *others)]);
		return false;
	}
	uint64_t bound = 10;
	for (uint64_t digits = gemp_random_below(random, kind == 1 ? 17 : 16); digits > 0; digits--)
		bound *= 10;
	*value = (int64_t)gemp_random_below(random, bound);
	*value = gemp_random_below(random, 4) ? *value : -*value;
	snprintf(out, size, "%" PRId64, *value);
	return *value > -INT64_C(10000000000000000) && *value < INT64_C(10000000000000000);
}

/* Appends a random line. Returns whether the fast reader takes it. */
static bool write_line(char *text, bool blanks, uint64_t *random, int64_t pair[2])
{
	static const char *const ends[] = { "\n", "\r\n", "\n", "\n" };
	char words[2][64];
	bool taken = write_word(words[0], sizeof words[0], random, &pair[0]);
	taken &= write_word(words[1], sizeof words[1], random, &pair[1]);
	char between = gemp_random_below(random, 8) ? '\t' : ' ';
	taken &= between == '\t' || blanks;
	bool third = gemp_random_below(random, 40) == 0;
	sprintf(text + strlen(text), "%s%c%s%s%s", words[0], between, words[1], third ? "\t3" : "",
	        ends[gemp_random_below(random, 4)]);
	return taken && !third;
}

static void lines_are_read_up_to_the_first_other_line(void **state)
{
	(void)state;
	uint64_t random = test_seed();
	for (int turn = 0; turn < 3000; turn++) {
		char text[SIZE] = "", *at = text;
		int64_t wanted[LINES][2], found[LINES][2];
		size_t begin[LINES + 1], expected = LINES, capacity = 1 + gemp_random_below(&random, LINES);
		bool blanks = turn & 1;
		for (size_t i = 0; i < LINES; i++) {
			begin[i] = strlen(text);
			if (!write_line(text, blanks, &random, wanted[i]) && expected == LINES)
				expected = i;
		}
		size_t size = strlen(text);
		for (size_t i = LINES; i-- > 0;)
			if (size - begin[i] < 48 && expected > i)
				expected = i;
		expected = expected < capacity ? expected : capacity;
		char *exact = malloc(size); /* so that sanitizers see reads behind the text */
		memcpy(exact, text, size);
		at = exact;
		assert_int_equal(gemp_integer_pairs_read(&at, exact + size, blanks, found, capacity), expected);
		assert_int_equal(at - exact, begin[expected]);
		assert_memory_equal(found, wanted, expected * sizeof *found);
		free(exact);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(lines_are_read_up_to_the_first_other_line) };
	return test_main(tests);
}
