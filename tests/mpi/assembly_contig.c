/* Tests contigs of random texts. With one strand there must be a contig exactly if the graph of k-mers has an Eulerian
 * path. A contig must contain each k-mer as often as the text does, or once with GEMP_COPIES_ONE. */
#include "core/memory.h"
#include "harness/collective.h"

#include "assembly/contig.h"
#include "assembly/kmer.h"
#include "assembly/kmer_graph.h"
#include "assembly/unitigs.h"
#include "comm/comm.h"
#include "core/random.h"
#include "core/status.h"

#include <stdio.h>
#include <string.h>

enum { MAX_TEXT = 200, MAX_WORDS = 1024, MAX_LETTERS = 8192 };

static char text[MAX_TEXT];
static size_t text_size;
static unsigned k;
static bool both_strands;
static gemp_assembly_copies copying;
static uint64_t wanted[MAX_WORDS],
	/* wanted, found: [k-mer] number of occurrences; with both strands, a k-mer and its reverse complement count under
	 * the smaller number */
	found[MAX_WORDS];

static unsigned words(unsigned size)
{
	return 1u << 2 * size;
}

static void count_word(uint64_t *times, const char *letters)
{
	gemp_kmer word = 0;
	for (unsigned i = 0; i < k; i++)
		word = word << 2 | (gemp_kmer)(strchr("ACGT", letters[i]) - "ACGT");
	gemp_kmer reverse = gemp_kmer_reverse(word, k);
	times[both_strands && reverse < word ? reverse : word]++;
}

static void count_wanted(void)
{
	memset(wanted, 0, sizeof wanted);
	for (size_t i = 0; i + k <= text_size; i++)
		count_word(wanted, text + i);
	for (unsigned w = 0; w < words(k) && copying == GEMP_COPIES_ONE; w++)
		wanted[w] = wanted[w] > 0;
}

/* Returns the verdict with one strand: whether the graph has an Eulerian path or circuit, and if not, why. */
static gemp_contig_verdict expected_verdict(void)
{
	int64_t surplus[MAX_WORDS] = { 0 };
	unsigned part[MAX_WORDS], above = 0, far = 0, parts = 0;
	for (unsigned v = 0; v < words(k - 1); v++)
		part[v] = v;
	for (unsigned round = 0; round < words(k - 1); round++)
		for (unsigned w = 0; w < words(k); w++)
			if (wanted[w]) {
				unsigned a = w / 4, b = w % words(k - 1), least = part[a] < part[b] ? part[a] : part[b];
				part[a] = part[b] = least;
			}
	for (unsigned w = 0; w < words(k); w++) {
		surplus[w / 4] += (int64_t)wanted[w];
		surplus[w % words(k - 1)] -= (int64_t)wanted[w];
		parts += wanted[w] && part[w / 4] == w / 4;
		for (unsigned other = w / 4 * 4; other < w && wanted[w] && part[w / 4] == w / 4; other++)
			if (wanted[other]) { /* the vertex was already counted with its first edge */
				parts--;
				break;
			}
	}
	for (unsigned v = 0; v < words(k - 1); v++) {
		above += surplus[v] == 1;
		far += surplus[v] > 1 || surplus[v] < -1;
	}
	if (far || above > 1)
		return GEMP_CONTIG_UNBALANCED;
	return parts > 1 ? GEMP_CONTIG_DISCONNECTED : above ? GEMP_CONTIG_PATH : GEMP_CONTIG_CIRCUIT;
}

static gemp_code assemble(gemp_contig *contig)
{
	gemp_code code = GEMP_OK;
	gemp_kmer_counter bag = { 0 };
	gemp_kmer_graph graph = { 0 };
	gemp_unitigs unitigs = { 0 };
	size_t begin = text_size * (size_t)test_comm.rank / (size_t)test_comm.size;
	size_t end = text_size * (size_t)(test_comm.rank + 1) / (size_t)test_comm.size;
	code = gemp_kmer_counter_new(&bag, k, both_strands);
	if (code == GEMP_OK && end > begin)
		code = gemp_kmer_counter_add(&bag, text + begin, end - begin);
	GEMP_TRY_DONE(gemp_comm_agree(&test_comm, code));
	GEMP_TRY_DONE(gemp_kmer_counter_join(&bag, &test_comm));
	GEMP_TRY_DONE(gemp_kmer_graph_new(&graph, &test_comm, &bag, 1, copying == GEMP_COPIES_BY_COUNT));
	GEMP_TRY_DONE(gemp_unitigs_new(&unitigs, &graph));
	GEMP_TRY_DONE(gemp_contig_new(contig, &unitigs, copying, &graph.traffic));
done:
	gemp_unitigs_free(&unitigs);
	gemp_kmer_graph_free(&graph);
	gemp_kmer_counter_free(&bag);
	return code;
}

/* Collective. Does the sequence have exactly the wanted k-mers? The k-mers of a circuit also go across its end. */
static bool has_wanted(const gemp_contig *contig)
{
	static char letters[MAX_LETTERS];
	char *all = NULL;
	size_t *begin = NULL, size = (size_t)contig->sequences.total_letters;
	bool closed = contig->verdict == GEMP_CONTIG_CIRCUIT;
	assert_all_ok(gemp_comm_allgather(&test_comm, GEMP_OK, contig->sequences.letter, contig->sequences.letters,
	                                  (void **)&all, &begin));
	memset(found, 0, sizeof found);
	for (size_t i = 0; i < size + (closed ? k - 1 : 0); i++)
		letters[i] = all[i % size];
	for (size_t i = 0; i < (closed ? size : size - (k - 1)); i++)
		count_word(found, letters + i);
	gemp_free(all);
	gemp_free(begin);
	return memcmp(found, wanted, sizeof found) == 0;
}

static void draw_case(uint64_t *random)
{
	unsigned letters = 1 + (unsigned)gemp_random_below(random, 4);
	text_size = gemp_random_below(random, MAX_TEXT);
	k = 2 + (unsigned)gemp_random_below(random, 4);
	both_strands = gemp_random_below(random, 3) == 0;
	copying = gemp_random_below(random, 2) ? GEMP_COPIES_BY_COUNT : GEMP_COPIES_ONE;
	for (size_t i = 0; i < text_size; i++)
		text[i] = "ACGT"[gemp_random_below(random, letters)];
}

static void random_texts(void **state)
{
	(void)state;
	uint64_t random = test_seed_all();
	for (int c = 0; c < (test_comm.size > 4 ? 15 : test_comm.size > 2 ? 40 : 150); c++) {
		gemp_contig contig = { 0 };
		draw_case(&random);
		count_wanted();
		assert_all_ok(assemble(&contig));
		bool some = contig.verdict <= GEMP_CONTIG_CIRCUIT && text_size >= k;
		bool good = contig.sequences.total == some && (!some || has_wanted(&contig));
		if (!both_strands && text_size >= k)
			good = good && contig.verdict == expected_verdict();
		if (!both_strands && text_size >= k && copying == GEMP_COPIES_BY_COUNT) /* then the text itself is a path */
			good = good && contig.verdict <= GEMP_CONTIG_CIRCUIT;
		if (!good && test_comm.rank == 0)
			fprintf(stderr, "case %d: k %u, both %d, copies %d, %s: '%.*s'\n", c, k, both_strands, (int)copying,
			        gemp_contig_verdict_name[contig.verdict], (int)text_size, text);
		assert_all(good);
		gemp_contig_free(&contig);
	}
}

static gemp_code one_assembly(void *argument)
{
	(void)argument;
	gemp_contig contig = { 0 };
	gemp_code code = assemble(&contig);
	gemp_contig_free(&contig);
	return code;
}

static void memory_may_run_out(void **state)
{
	(void)state;
	if (test_comm.size > 2) /* thousands of assemblies take too long on more ranks */
		return;
	strcpy(text, "ACGGTCAACGGTTTTACACACACG");
	text_size = strlen(text);
	k = 4;
	both_strands = false;
	copying = GEMP_COPIES_BY_COUNT;
	assert_all_survive_no_memory(one_assembly, NULL);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_texts),
		cmocka_unit_test(memory_may_run_out),
	};
	return test_main_all(argc, argv, tests);
}
