/* translations: a stand-in for the translations of a Wiktionary.
 *
 * A concept has words in several languages, and in some of them several words, which are synonyms. Pairs of its words
 * in different languages are translations of each other: first a random tree, which joins all words of the concept,
 * then further pairs at random. A concept has few pairs or many: the densities of pairs fall with the square of the
 * number of the concept.
 *
 * A word may be a guest: instead of a word of its own, the concept takes the first word of an earlier concept. Such a
 * word has two meanings. Two guests of a concept are never a pair. So a pair has a word that belongs to the concept,
 * and no other concept has this pair: an earlier concept does not know the word, and in a later one both words would be
 * guests. Therefore all pairs are different, and their number is exact.
 *
 * Every concept is a function of the seed and of its number. */

#include "generate/generate.h"
#include "generate/permutation.h"

#include "core/random.h"
#include "core/status.h"
#include "partition/build/builder.h"

#include <inttypes.h>
#include <string.h>

enum { PAIRS, CONCEPTS, LANGUAGES, SYNONYMS, GUESTS };
enum { LANGUAGE, WORD };
enum { MAX_LANGUAGES = 40, MAX_SYNONYMS = 8, MAX_WORDS = MAX_LANGUAGES * MAX_SYNONYMS };
/* The first concepts have about (1 + FALL)^2 times as many pairs as the last ones. */
enum { FALL = 8 };
enum { SYLLABLES = 100, KEY_SIZE = 64 };

static const char languages[MAX_LANGUAGES][3] = {
	"EN", "DE", "FR", "ES", "HU", "IT", "RU", "PL", "NL", "SV", "PT", "FI", "EL", "JA",
	"ZH", "CS", "TR", "DA", "NO", "RO", "BG", "UK", "LA", "KO", "AR", "HE", "SK", "SL",
	"HR", "SR", "LT", "LV", "ET", "CA", "EU", "GA", "IS", "ID", "VI", "HI",
};

static const gemp_parameter translation_parameters[] = {
	[PAIRS] = { "pairs", 514047, 0, 0x1p40, true, "pairs of words, all different", NULL },
	[CONCEPTS] = { "concepts", 70000, 1, 1e8, true, "meanings that words have; the pairs are spread over them unevenly",
	               NULL },
	[LANGUAGES] = { "languages", 20, 2, MAX_LANGUAGES, true, "languages: EN, DE, FR, ES, HU, ...", NULL },
	[SYNONYMS] = { "synonyms", 3, 1, MAX_SYNONYMS, true, "words that a language has for a meaning, at most", NULL },
	[GUESTS] = { "polysemy", 0.15, 0, 1, false, "chance that a word has another meaning already", NULL },
};

/* A word. home: the concept that it belongs to. synonym: its number among the words of this concept and language. */
typedef struct word {
	uint64_t home;
	uint32_t language, synonym;
} word;

typedef struct concept {
	const double *values;
	uint64_t seed, number, state; /* state: of the concept's random stream */
	uint64_t pairs;               /* pairs that the concept has */
	uint64_t possible;            /* pairs that its words can make */
	size_t count;
	word words[MAX_WORDS];               /* [count] */
	uint32_t parents[MAX_WORDS];         /* [count] the earlier word that word i is joined to */
	uint32_t of_language[MAX_LANGUAGES]; /* words of each language, guests included */
	uint32_t own[MAX_LANGUAGES];         /* words of each language that are no guests */
}
concept;

/* The pairs of all concepts before this one. Densities that fall as 1 / (x + C / FALL)^2 have a sum that is a fraction
 * of integers, so all ranks and machines compute the same numbers. */
static uint64_t pairs_before(const double *values, uint64_t number)
{
	unsigned __int128 pairs = (uint64_t)values[PAIRS], concepts = (uint64_t)values[CONCEPTS];
	return (uint64_t)(pairs * number * (FALL + 1) / (FALL * (unsigned __int128)number + concepts));
}

static uint64_t pairs_of(const double *values, uint64_t number)
{
	return pairs_before(values, number + 1) - pairs_before(values, number);
}

/* The language of a concept's first word is the first number of its stream. */
static uint32_t first_language(const concept *c, uint64_t number, uint64_t *state)
{
	*state = gemp_generator_state(c->seed, GEMP_FOR_CONCEPT, number);
	return (uint32_t)gemp_generator_zipf(state, (uint64_t)c->values[LANGUAGES]) - 1;
}

/* Two words can be a pair if their languages differ and one of them belongs to the concept. */
static bool may_be_pair(const concept *c, size_t i, size_t j)
{
	const word *a = &c->words[i], *b = &c->words[j];
	return a->language != b->language && (a->home == c->number || b->home == c->number);
}

/* Appends a word, and joins it to an earlier word at random. */
static void add_word(concept *c, word added)
{
	size_t i = c->count++;
	uint64_t partners = 0;
	c->words[i] = added;
	c->of_language[added.language]++;
	c->own[added.language] += added.home == c->number;
	for (size_t j = 0; j < i; j++)
		partners += may_be_pair(c, i, j);
	c->possible += partners;
	uint64_t left = partners ? gemp_random_below(&c->state, partners) : 0;
	for (size_t j = 0; j < i && partners; j++)
		if (may_be_pair(c, i, j) && left-- == 0) {
			c->parents[i] = (uint32_t)j;
			return;
		}
}

static bool has_capacity(const concept *c, uint32_t language)
{
	return c->of_language[language] < (uint32_t)c->values[SYNONYMS];
}

/* Adds the first word of an earlier concept. One concept in four is drawn by the product of two random numbers, so
 * early concepts are drawn more often, and some words have many meanings. If all were drawn so, a word had up to 544
 * translations by default, with one in four 257 and with none 146; the maximum in 19 languages of a real Wiktionary is
 * 190. Returns false if the word does not suit. */
static bool add_guest(concept *c)
{
	uint64_t home = gemp_random_below(&c->state, c->number), other;
	if (gemp_random_below(&c->state, 4) == 0)
		home = home * gemp_random_below(&c->state, c->number) / c->number;
	uint32_t language = first_language(c, home, &other);
	if (pairs_of(c->values, home) == 0 || !has_capacity(c, language))
		return false;
	for (size_t i = 0; i < c->count; i++)
		if (c->words[i].home == home)
			return false;
	add_word(c, (word){ home, language, 0 });
	return true;
}

/* Every second word on average gets a language that the concept has not, as long as there are any; a language that is
 * full is replaced by the next one. */
static void add_own(concept *c)
{
	uint32_t count = (uint32_t)c->values[LANGUAGES];
	uint32_t language = (uint32_t)gemp_generator_zipf(&c->state, count) - 1;
	bool another = c->count == 1 || gemp_random_below(&c->state, 2) == 0;
	for (uint32_t tries = 0; tries < count && another && c->of_language[language]; tries++)
		language = (language + 1) % count;
	while (!has_capacity(c, language) || (c->count == 1 && c->of_language[language]))
		language = (language + 1) % count;
	add_word(c, (word){ c->number, language, c->own[language] });
}

/* Draws words until they can make as many pairs as wanted. The pairs join all words as long as there are at most
 * pairs + 1 words. With one word more there is always one possible pair more, unless there are no words left. */
static void draw_words(concept *c, bool guests)
{
	const uint64_t max_words = (uint64_t)c->values[LANGUAGES] * (uint64_t)c->values[SYNONYMS];
	c->count = 0;
	c->possible = 0;
	memset(c->of_language, 0, sizeof c->of_language);
	memset(c->own, 0, sizeof c->own);
	uint32_t language = first_language(c, c->number, &c->state);
	add_word(c, (word){ c->number, language, 0 });
	uint64_t wanted = c->pairs + gemp_random_below(&c->state, c->pairs + 1);
	while (c->possible < wanted && c->count <= c->pairs && c->count < max_words) {
		bool guest = guests && c->count > 1 && c->number > 0 && gemp_random_unit(&c->state) < c->values[GUESTS];
		if (!guest || !add_guest(c))
			add_own(c);
	}
}

/* Guests make fewer pairs possible, so a concept that needs more pairs has none. translations_check makes sure that
 * there are enough without guests. */
static void make_concept(concept *c, const gemp_generator_run *making, uint64_t number)
{
	c->values = making->values;
	c->seed = making->seed;
	c->number = number;
	c->pairs = pairs_of(making->values, number);
	draw_words(c, true);
	if (c->possible < c->pairs)
		draw_words(c, false);
}

/* The key is the language, a colon and syllables, which are the digits of a number to the base of 100. A permutation
 * keeps words of neighbouring concepts from being alike. */
static gemp_value key_of(const concept *c, const word *w, char *key)
{
	static const char consonants[] = "bdfghjklmnprstvzcywq", vowels[] = "aeiou";
	uint64_t synonyms = (uint64_t)c->values[SYNONYMS], all = (uint64_t)c->values[CONCEPTS] * synonyms;
	uint64_t order = gemp_generator_state(c->seed, GEMP_FOR_ORDER, w->language);
	uint64_t left = gemp_permute(order, all, w->home * synonyms + w->synonym);
	size_t size = 3;
	memcpy(key, languages[w->language], 2);
	key[2] = ':';
	for (int digits = 0; digits < 2 || left; digits++, left /= SYLLABLES) {
		key[size++] = consonants[left % SYLLABLES / 5];
		key[size++] = vowels[left % 5];
	}
	return (gemp_value){ .type = GEMP_STRING, .string = { key, size } };
}

/* Only the words that belong to the concept; guests are vertices of their own concepts. */
static gemp_code add_vertices(const gemp_generator_run *making, const concept *c)
{
	for (size_t i = 0; i < c->count; i++) {
		char bytes[KEY_SIZE];
		if (c->words[i].home != c->number)
			continue;
		const gemp_value key = key_of(c, &c->words[i], bytes);
		const gemp_value language = { .type = GEMP_STRING, .string = { bytes, 2 } };
		const gemp_value text = { .type = GEMP_STRING, .string = { bytes + 3, key.string.size - 3 } };
		GEMP_TRY(gemp_builder_vertex(making->builder, &key, "Word", 4, (gemp_place){ making->file, c->number + 1 }));
		GEMP_TRY(gemp_builder_vertex_value(making->builder, LANGUAGE, &language));
		GEMP_TRY(gemp_builder_vertex_value(making->builder, WORD, &text));
	}
	return GEMP_OK;
}

static gemp_code add_pair(const gemp_generator_run *making, const concept *c, size_t i, size_t j)
{
	char bytes[2][KEY_SIZE];
	const gemp_value one = key_of(c, &c->words[i], bytes[0]), other = key_of(c, &c->words[j], bytes[1]);
	return gemp_builder_edge(making->builder, &one, &other, "TRANSLATES", 10,
	                         (gemp_place){ making->file, c->number + 1 });
}

/* The pairs of the tree, and so many others (selection sampling: Knuth, The Art of Computer Programming 3.4.2, S). */
static gemp_code add_pairs(const gemp_generator_run *making, concept *c)
{
	uint64_t tree = c->count - 1, wanted = c->pairs - tree, others = c->possible - tree;
	for (size_t i = 1; i < c->count; i++)
		for (size_t j = 0; j < i; j++) {
			if (c->parents[i] == j) {
				GEMP_TRY(add_pair(making, c, i, j));
			} else if (may_be_pair(c, i, j) && gemp_random_below(&c->state, others--) < wanted) {
				GEMP_TRY(add_pair(making, c, i, j));
				wanted--;
			}
		}
	return GEMP_OK;
}

/* The columns are those of dictionaries that are imported. */
static gemp_code declare_words(gemp_builder *builder)
{
	size_t column;
	GEMP_TRY(gemp_builder_vertex_column(builder, "lang", GEMP_STRING, &column));
	return gemp_builder_vertex_column(builder, "word", GEMP_STRING, &column);
}

/* The first concept has the most pairs, but rounding may give one more to another. */
static gemp_code translations_check(const double *values)
{
	uint64_t synonyms = (uint64_t)values[SYNONYMS], count = (uint64_t)values[LANGUAGES];
	uint64_t possible = synonyms * synonyms * count * (count - 1) / 2, max_pairs = pairs_of(values, 0);
	if (values[CONCEPTS] > 1 && values[PAIRS] > 0)
		max_pairs++;
	if (max_pairs > possible)
		return gemp_fail(GEMP_EUSAGE,
		                 "generate translations: a concept would need %" PRIu64 " pairs, but %" PRIu64 " words in each "
		                 "of %" PRIu64 " languages make only %" PRIu64 "; give more concepts, languages or synonyms",
		                 max_pairs, synonyms, count, possible);
	return GEMP_OK;
}

static bool words_are_keys(const double *values)
{
	(void)values;
	return true;
}

static gemp_code make_translations(const gemp_generator_run *making)
{
	const gemp_block_range range = gemp_generator_range(making, (uint64_t)making->values[CONCEPTS]);
	for (uint64_t number = range.begin; number < range.end; number++) {
		concept c;
		if (pairs_of(making->values, number) == 0)
			continue;
		make_concept(&c, making, number);
		GEMP_TRY(add_vertices(making, &c));
		GEMP_TRY(add_pairs(making, &c));
	}
	return GEMP_OK;
}

const gemp_generator_entry gemp_generator_translations = {
	.generator = { "translations", "words of many languages and their translations, as a Wiktionary has them",
	               sizeof translation_parameters / sizeof *translation_parameters, translation_parameters },
	.undirected = true,
	.string_keys = words_are_keys,
	.check = translations_check,
	.declare = declare_words,
	.make = make_translations,
};
