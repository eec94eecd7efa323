/* Tests unitigs of random texts that are cut anywhere among ranks. The reference applies the definition of a unitig
 * word by word. */
#include "core/memory.h"
#include "harness/collective.h"

#include "assembly/kmer.h"
#include "assembly/kmer_graph.h"
#include "assembly/sequences.h"
#include "assembly/unitigs.h"
#include "comm/comm.h"
#include "core/random.h"
#include "core/status.h"
#include "core/text.h"
#include "harness/limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_TEXT = 400, MAX_WORDS = 4096, MAX_UNITIGS = 2 * MAX_WORDS };

/* The texts of one case, the same on all ranks, separated by '>'. */
static char text[MAX_TEXT + 1];
static size_t text_size;
static unsigned k;
static bool both_strands;
static uint64_t min_times;

/* The reference: times[w] is the number of occurrences of word w of k letters, or 0 if they are fewer than
 * min_times. */
static uint64_t times[MAX_WORDS];
static char *expected[MAX_UNITIGS];
static size_t expected_count;

static int code_of(char c)
{
	const char *at = c ? strchr("ACGT", c) : NULL;
	return at ? (int)(at - "ACGT") : -1;
}

static unsigned reverse_of(unsigned word, unsigned size)
{
	unsigned reverse = 0;
	for (unsigned i = 0; i < size; i++, word /= 4)
		reverse = reverse * 4 + (3 - word % 4);
	return reverse;
}

static unsigned words(unsigned size)
{
	return 1u << 2 * size;
}

static void count_words(void)
{
	memset(times, 0, sizeof times);
	for (size_t i = 0; i + k <= text_size; i++) {
		unsigned word = 0;
		bool good = true;
		for (unsigned j = 0; j < k; j++) {
			good = good && code_of(text[i + j]) >= 0;
			word = word * 4 + (good ? (unsigned)code_of(text[i + j]) : 0);
		}
		if (!good)
			continue;
		times[word]++;
		if (both_strands && reverse_of(word, k) != word)
			times[reverse_of(word, k)]++;
	}
	for (unsigned w = 0; w < words(k); w++)
		times[w] = times[w] < min_times ? 0 : times[w];
}

/* Returns the next or previous word if the vertex between both words has one in-edge and one out-edge, otherwise -1.
 * With both strands, the result is also -1 if this vertex or one of the words is its own reverse complement. */
static int neighbour(unsigned word, bool forward)
{
	unsigned vertex = forward ? word % words(k - 1) : word / 4, in = 0, out = 0;
	int found_in = -1, found_out = -1;
	for (unsigned c = 0; c < 4; c++) {
		if (times[c * words(k - 1) + vertex])
			in++, found_in = (int)(c * words(k - 1) + vertex);
		if (times[vertex * 4 + c])
			out++, found_out = (int)(vertex * 4 + c);
	}
	if (in != 1 || out != 1)
		return -1;
	if (both_strands &&
	    (reverse_of(vertex, k - 1) == vertex || reverse_of((unsigned)found_in, k) == (unsigned)found_in ||
	     reverse_of((unsigned)found_out, k) == (unsigned)found_out))
		return -1;
	return forward ? found_out : found_in;
}

static void spell(char *out, unsigned word, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		out[i] = "ACGT"[word >> 2 * (size - 1 - i) & 3];
	out[size] = '\0';
}

/* Returns the unitig that contains the word, in the word's direction. A closed unitig begins with its smallest word. */
static char *unitig_of(unsigned word)
{
	unsigned first = word, least = word;
	int at;
	bool closed = false;
	while ((at = neighbour(first, false)) >= 0 && !closed) {
		first = (unsigned)at;
		least = first < least ? first : least;
		closed = first == word;
	}
	if (closed)
		first = least;
	char *out = malloc(2 * MAX_WORDS + k);
	spell(out, first, k);
	size_t size = k;
	for (at = neighbour(first, true); at >= 0 && (unsigned)at != first; at = neighbour((unsigned)at, true))
		out[size++] = "ACGT"[at % 4];
	out[size] = '\0';
	return out;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Returns the unitig of the word or of its reverse complement, whichever is smaller as a text. */
static char *kept_unitig_of(unsigned word)
{
	char *one = unitig_of(word);
	if (!both_strands)
		return one;
	char *other = unitig_of(reverse_of(word, k));
	bool swap = strcmp(other, one) < 0;
	free(swap ? one : other);
	return swap ? other : one;
}

static void make_expected(void)
{
	count_words();
	expected_count = 0;
	for (unsigned w = 0; w < words(k); w++)
		if (times[w])
			expected[expected_count++] = kept_unitig_of(w);
	qsort(expected, expected_count, sizeof *expected, by_text);
	size_t kept = 0;
	for (size_t i = 0; i < expected_count; i++)
		if (kept > 0 && strcmp(expected[kept - 1], expected[i]) == 0)
			free(expected[i]);
		else
			expected[kept++] = expected[i];
	expected_count = kept;
}

/* Adds this rank's part of the text. The cuts are the same on all ranks. */
static gemp_code add_part(gemp_kmer_counter *bag, uint64_t *random)
{
	gemp_code code = GEMP_OK;
	size_t cut[9] = { 0 };
	for (int r = 1; r < test_comm.size; r++)
		cut[r] = gemp_random_below(random, text_size + 1);
	for (int r = 1; r < test_comm.size; r++)
		for (int q = r; q > 1 && cut[q] < cut[q - 1]; q--) {
			size_t other = cut[q];
			cut[q] = cut[q - 1];
			cut[q - 1] = other;
		}
	cut[test_comm.size] = text_size;
	for (size_t i = cut[test_comm.rank]; i < cut[test_comm.rank + 1] && code == GEMP_OK; i++)
		code = gemp_kmer_counter_add(bag, text + i, text[i] != '>');
	return code;
}

/* Collective. Sets *out to the FASTA text of all ranks; the caller frees it. */
static gemp_code assemble(char **out, uint64_t *random)
{
	gemp_code code = GEMP_OK;
	gemp_kmer_counter bag = { 0 };
	gemp_kmer_graph graph = { 0 };
	gemp_unitigs unitigs = { 0 };
	gemp_sequences sequences = { 0 };
	gemp_text part = { 0 };
	size_t *begin = NULL;
	code = gemp_kmer_counter_new(&bag, k, both_strands);
	if (code == GEMP_OK)
		code = add_part(&bag, random);
	GEMP_TRY_DONE(gemp_comm_agree(&test_comm, code));
	GEMP_TRY_DONE(gemp_kmer_counter_join(&bag, &test_comm));
	GEMP_TRY_DONE(gemp_kmer_graph_new(&graph, &test_comm, &bag, min_times, false));
	GEMP_TRY_DONE(gemp_unitigs_new(&unitigs, &graph));
	GEMP_TRY_DONE(gemp_unitigs_spell(&sequences, &unitigs, &graph.traffic));
	code = gemp_sequences_fasta(&sequences, "u", &part);
	if (test_comm.rank == test_comm.size - 1)
		gemp_text_add(&part, "", 1);
	GEMP_TRY_DONE(gemp_comm_agree(&test_comm, code == GEMP_OK ? gemp_text_status(&part) : code));
	GEMP_TRY_DONE(gemp_comm_allgather(&test_comm, GEMP_OK, part.data, part.size, (void **)out, &begin));
done:
	gemp_free(begin);
	gemp_text_free(&part);
	gemp_sequences_free(&sequences);
	gemp_unitigs_free(&unitigs);
	gemp_kmer_graph_free(&graph);
	gemp_kmer_counter_free(&bag);
	return code;
}

/* Returns the letters of the next sequence of a FASTA text, or NULL at the end. */
static char *next_sequence(char **at)
{
	static char letters[2 * MAX_WORDS];
	size_t size = 0;
	if (**at != '>')
		return NULL;
	for (char *line = strchr(*at, '\n') + 1;; line = strchr(line, '\n') + 1) {
		if (*line == '>' || *line == '\0') {
			*at = line;
			letters[size] = '\0';
			return letters;
		}
		size_t length = (size_t)(strchr(line, '\n') - line);
		memcpy(letters + size, line, length);
		size += length;
	}
}

static void draw_case(uint64_t *random)
{
	unsigned letters = 1 + (unsigned)gemp_random_below(random, 4);
	text_size = gemp_random_below(random, MAX_TEXT);
	k = 2 + (unsigned)gemp_random_below(random, 5);
	both_strands = gemp_random_below(random, 2);
	min_times = 1 + gemp_random_below(random, 2) * gemp_random_below(random, 3);
	for (size_t i = 0; i < text_size; i++) {
		size_t back = gemp_random_below(random, 40);
		if (gemp_random_below(random, 3) && back && i >= back) /* copies earlier letters, which makes repeats */
			text[i] = text[i - back];
		else
			text[i] = "ACGTN>"[gemp_random_below(random, 30) == 0 ? 4 + gemp_random_below(random, 2)
			                                                      : gemp_random_below(random, letters)];
	}
}

static void random_texts(void **state)
{
	(void)state;
	int cases = test_comm.size > 4 ? 12 : test_comm.size > 2 ? 30 : 150;
	uint64_t random = test_seed_all();
	for (int c = 0; c < cases; c++) {
		char *file = NULL, *at, *found;
		size_t count = 0;
		bool good = true;
		draw_case(&random);
		TEST_LIMIT(list_rank_gather, gemp_random_below(&random, 3) ? 4 : 1000);
		TEST_LIMIT(list_rank_spacing, 2 + (unsigned)gemp_random_below(&random, 3));
		make_expected();
		assert_all_ok(assemble(&file, &random));
		for (at = file; (found = next_sequence(&at)); count++)
			good = good && count < expected_count && strcmp(found, expected[count]) == 0;
		good = good && count == expected_count && *at == '\0';
		if (!good && test_comm.rank == 0)
			fprintf(stderr, "case %d: k %u, both %d, least %d: '%.*s'\n%s", c, k, both_strands, (int)min_times,
			        (int)text_size, text, file);
		assert_all(good);
		for (size_t i = 0; i < expected_count; i++)
			free(expected[i]);
		gemp_free(file);
	}
	TEST_LIMIT_DEFAULT(list_rank_gather);
	TEST_LIMIT_DEFAULT(list_rank_spacing);
}

static gemp_code one_assembly(void *argument)
{
	(void)argument;
	char *file = NULL;
	uint64_t random = 1;
	gemp_code code = assemble(&file, &random);
	gemp_free(file);
	return code;
}

static void memory_may_run_out(void **state)
{
	(void)state;
	if (test_comm.size > 2) /* thousands of assemblies take too long on more ranks */
		return;
	strcpy(text, "ACGGTCAACGGTTTTTTACACACACACGNACGGT>GGTACGATTTACGCGCGCA");
	text_size = strlen(text);
	k = 4;
	both_strands = true;
	min_times = 1;
	TEST_LIMIT(list_rank_gather, 4);
	TEST_LIMIT(list_rank_spacing, 2);
	assert_all_survive_no_memory(one_assembly, NULL);
	TEST_LIMIT_DEFAULT(list_rank_gather);
	TEST_LIMIT_DEFAULT(list_rank_spacing);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_texts),
		cmocka_unit_test(memory_may_run_out),
	};
	return test_main_all(argc, argv, tests);
}
