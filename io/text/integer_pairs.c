/* Eight bytes are tested and converted at once, in one 64-bit register (the sums of neighbouring digits, then pairs,
 * then fours: Lemire 2022, "Number parsing at a gigabyte per second" describes the method). 48 bytes are enough for the
 * words that a line reads, so no word ends behind `end`. */

#include "io/text/integer_pairs.h"

#include <string.h>

enum { WORD = 8, LOOK_AHEAD = 48 };

static uint64_t load(const char *text)
{
	uint64_t word;
	memcpy(&word, text, sizeof word);
	return word;
}

/* The number of digits at the begin of the word. In a byte that is no digit, xor with '0' gives more than 9, so adding
 * 0x76 sets the high bit; a high bit that is set already marks the byte as well. */
static unsigned count_digits(uint64_t word)
{
	uint64_t digits = word ^ UINT64_C(0x3030303030303030);
	uint64_t other = (((digits & UINT64_C(0x7f7f7f7f7f7f7f7f)) + UINT64_C(0x7676767676767676)) | digits) &
	                 UINT64_C(0x8080808080808080);
	return other ? (unsigned)__builtin_ctzll(other) / 8 : WORD;
}

/* The value of the first `count` digits of the word, 1 to 8. The digits move to the high bytes, so zeros precede
 * them. */
static uint64_t convert(uint64_t word, unsigned count)
{
	word = (word ^ UINT64_C(0x3030303030303030)) << (64 - 8 * count);
	word = word * 10 + (word >> 8);
	return (((word & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x000f424000000064)) +
	        ((word >> 16 & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x0000271000000001))) >>
	       32;
}

/* Reads an integer and returns the byte after it; NULL if the text does not begin with an integer in this form. */
static inline const char *read_integer(const char *text, int64_t *out)
{
	static const uint64_t powers[] = { 1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000 };
	const bool negative = *text == '-';
	const char *first = text += negative;
	uint64_t word = load(text);
	unsigned count = count_digits(word);
	if (count == 0)
		return NULL;
	uint64_t value = convert(word, count);
	text += count;
	if (count == WORD) {
		word = load(text);
		count = count_digits(word);
		value = count ? value * powers[count] + convert(word, count) : value;
		text += count;
		if (count == WORD && (unsigned char)(*text - '0') < 10)
			return NULL;
	}
	if (*first == '0' && (negative || text - first > 1))
		return NULL;
	*out = negative ? -(int64_t)value : (int64_t)value;
	return text;
}

size_t gemp_integer_pairs_read(char **text, const char *end, bool blanks, int64_t (*pairs)[2], size_t capacity)
{
	const char *at = *text;
	size_t count = 0;
	while (count < capacity && end - at >= LOOK_AHEAD) {
		const char *next = read_integer(at, &pairs[count][0]);
		if (!next || (*next != '\t' && !(blanks && *next == ' ')))
			break;
		next = read_integer(next + 1, &pairs[count][1]);
		if (!next)
			break;
		next += *next == '\r';
		if (*next != '\n')
			break;
		at = next + 1;
		count++;
	}
	*text += at - *text;
	return count;
}
