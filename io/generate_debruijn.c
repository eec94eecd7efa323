/* de Bruijn graphs: the words of k - 1 letters are the vertices, those of k letters the edges, from their first letters
 * to their last ones. An Euler circuit spells the shortest circular text that contains every word of k letters. */
#include "io/generate_parts.h"

#include <string.h>

enum { ALPHABET, LENGTH, KEYS, PATH };
enum { LONGEST = 53 };
enum { WORDS, NUMBERS };

static const char letters[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
enum { LETTERS = sizeof letters - 1 };

static const char *const keys[] = { [WORDS] = "words", [NUMBERS] = "numbers", NULL };

static const gemp_parameter parameters[] = {
	[ALPHABET] = { "alphabet", 4, 1, 65536, true, "letters; the first ten are 0 to 9, then a to z and A to Z",
	               NULL },
	[LENGTH] = { "length", 6, 2, LONGEST, true,
	             "letters of the word that an edge stands for; a vertex has one less", NULL },
	[KEYS] = { "keys", WORDS, 0, NUMBERS, true,
	           "of vertices: words of letters, or, which takes less time and memory, the numbers that they are to "
	           "the base of the alphabet", keys },
	[PATH] = { "path", 0, 0, 1, true, "1: without the edge 0...01, so that there is an Euler path and no circuit",
	           NULL },
};

static uint64_t power(const double *values, double exponent)
{
	uint64_t product = 1;
	for (double i = 0; i < exponent; i++)
		product *= (uint64_t)values[ALPHABET];
	return product;
}

static bool undirected(const double *values)
{
	(void)values;
	return false;
}

static bool string_keys(const double *values)
{
	return values[KEYS] == WORDS;
}

static gemp_code check(const double *values)
{
	double vertices = 1;
	for (double i = 1; i < values[LENGTH]; i++)
		vertices *= values[ALPHABET];
	if (vertices > (double)GEMP_MAX_VERTICES)
		return gemp_fail(GEMP_EUSAGE,
		                 "generate debruijn: %.0f letters and words of %.0f are %.0f vertices, more "
		                 "than %.0f", values[ALPHABET], values[LENGTH], vertices, (double)GEMP_MAX_VERTICES);
	if (values[KEYS] == WORDS && values[ALPHABET] > LETTERS)
		return gemp_fail(GEMP_EUSAGE, "generate debruijn: there are %d letters for words, fewer than %.0f; use "
		                 "--keys numbers", LETTERS, values[ALPHABET]);
	if (values[PATH] != 0 && values[ALPHABET] < 2)
		return gemp_fail(GEMP_EUSAGE, "generate debruijn: one letter makes one word; a path needs two");
	return GEMP_OK;
}

/* A vertex's key; the text of a word lies in `word`. */
static gemp_value key_of(const double *values, uint64_t vertex, char word[LONGEST])
{
	if (values[KEYS] == NUMBERS)
		return (gemp_value){ .type = GEMP_INTEGER, .integer = (int64_t)vertex };
	uint64_t base = (uint64_t)values[ALPHABET];
	size_t size = (size_t)values[LENGTH] - 1;
	for (size_t i = size; i-- > 0; vertex /= base)
		word[i] = letters[vertex % base];
	return (gemp_value){ .type = GEMP_STRING, .string = { word, size } };
}

static gemp_code make_vertices(const gemp_making *making, uint64_t vertices)
{
	gemp_code code = GEMP_OK;
	gemp_span span = gemp_making_share(making, vertices);
	for (uint64_t id = span.begin; id < span.end && code == GEMP_OK; id++) {
		char word[LONGEST];
		gemp_value key = key_of(making->values, id, word);
		code = gemp_builder_vertex(making->builder, &key, "", 0, (gemp_place){ making->file, id + 1 });
	}
	return code;
}

static gemp_code make(const gemp_making *making)
{
	const double *values = making->values;
	uint64_t vertices = power(values, values[LENGTH] - 1), base = (uint64_t)values[ALPHABET];
	gemp_span span = gemp_making_share(making, vertices * base);
	gemp_code code = make_vertices(making, vertices);
	for (uint64_t edge = span.begin; edge < span.end && code == GEMP_OK; edge++) {
		char first[LONGEST], last[LONGEST];
		if (values[PATH] != 0 && edge == 1)
			continue;
		gemp_value source = key_of(values, edge / base, first), target = key_of(values, edge % vertices, last);
		code = gemp_builder_edge(making->builder, &source, &target, "E", 1, (gemp_place){ making->file,
		                                                                                  edge + 1 });
	}
	return code;
}

const gemp_generator_entry gemp_generator_debruijn = {
	.generator = { "debruijn", "a de Bruijn graph: an edge for each word of so many letters",
	               sizeof parameters / sizeof *parameters, parameters },
	.undirected = undirected,
	.string_keys = string_keys,
	.check = check,
	.make = make,
};
