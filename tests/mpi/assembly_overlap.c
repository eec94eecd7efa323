/* Tests the text of an Euler circuit over all words of five letters: it must contain each word once, distributed over
 * the ranks. Also lets requests for memory fail. */
#include "core/memory.h"
#include "harness/collective.h"

#include "assembly/overlap.h"
#include "comm/comm.h"
#include "core/status.h"
#include "euler/euler.h"
#include "euler/ranks/ranks_engine.h"
#include "generate/generate.h"
#include "graph/graph.h"

#include <string.h>

enum { LETTERS = 3, LENGTH = 5, WORDS = 243 };

static const char alphabet[] = "abc";

typedef struct circuit {
	gemp_shard *graph;
	gemp_euler_edges edges;
	gemp_euler_result result;
	const char *alphabet; /* NULL if the keys of vertices are words */
} circuit;

static void find_circuit(circuit *c, const char *keys)
{
	gemp_generate_options how;
	const gemp_euler_options options = { .sources = true, .seed = 1 };
	assert_all_ok(gemp_generate_init(&how, "debruijn"));
	assert_all_ok(gemp_generate_set(&how, "alphabet", "3"));
	assert_all_ok(gemp_generate_set(&how, "length", "5"));
	assert_all_ok(gemp_generate_set(&how, "keys", keys));
	assert_all_ok(gemp_generate(&c->graph, &test_comm, &how));
	assert_all_ok(gemp_euler_edges_new(&c->edges, c->graph, NULL));
	assert_all_ok(gemp_euler_on_ranks(&c->result, &test_comm, &c->edges, &options));
	assert_all(c->result.order.edges == WORDS);
	c->alphabet = strcmp(keys, "numbers") == 0 ? alphabet : NULL;
}

static void free_circuit(circuit *c)
{
	gemp_euler_result_free(&c->result);
	gemp_euler_edges_free(&c->edges);
	gemp_shard_free(c->graph);
}

static gemp_code spell_circuit(gemp_overlap *out, const circuit *c)
{
	return gemp_overlap_new(out, &test_comm, c->graph, &c->edges, &c->result.order, c->alphabet);
}

/* Does the text contain each word of five letters once? `first` is the smallest letter. */
static bool has_all_words(const char *text, size_t size, char first, bool circular)
{
	bool seen[WORDS] = { false };
	size_t words = circular ? size : size - (LENGTH - 1), found = 0;
	for (size_t i = 0; i < words; i++) {
		size_t number = 0;
		for (size_t j = 0; j < LENGTH; j++)
			number = number * LETTERS + (size_t)(text[(i + j) % size] - first);
		if (number >= WORDS || seen[number])
			return false;
		seen[number] = true;
		found++;
	}
	return found == WORDS;
}

static void check_text(const gemp_overlap *overlap, char first, bool circular)
{
	char text[2 * WORDS];
	size_t at = overlap->word;
	memcpy(text, overlap->head, at);
	for (int stretch = 0; stretch < 2; stretch++) {
		size_t size, *begin = NULL;
		char *all = NULL;
		const char *own = gemp_overlap_stretch(overlap, stretch, circular, &size);
		assert_all_ok(gemp_comm_allgather(&test_comm, GEMP_OK, own, size, (void **)&all, &begin));
		memcpy(text + at, all, begin[test_comm.size]);
		at += begin[test_comm.size];
		gemp_free(all);
		gemp_free(begin);
	}
	assert_all(at == WORDS + (circular ? 0 : LENGTH - 1) && has_all_words(text, at, first, circular));
	for (size_t i = 0; i < LENGTH; i++)
		assert_all(text[i] == first);
}

static void each_word_once(void **state)
{
	(void)state;
	static const char *const keys[] = { "words", "numbers" };
	for (int i = 0; i < 2; i++) {
		circuit c = { 0 };
		gemp_overlap overlap = { 0 };
		find_circuit(&c, keys[i]);
		assert_all_ok(spell_circuit(&overlap, &c));
		check_text(&overlap, i ? 'a' : '0', false);
		check_text(&overlap, i ? 'a' : '0', true);
		gemp_overlap_free(&overlap);
		c.alphabet = c.alphabet ? NULL : alphabet;
		assert_all_code(spell_circuit(&overlap, &c), GEMP_EUSAGE);
		free_circuit(&c);
	}
}

static gemp_code spell_once(void *argument)
{
	gemp_overlap overlap = { 0 };
	gemp_code code = spell_circuit(&overlap, argument);
	gemp_overlap_free(&overlap);
	return code;
}

static void memory_may_run_out(void **state)
{
	(void)state;
	circuit c = { 0 };
	if (test_comm.size > 3)
		return;
	find_circuit(&c, "numbers");
	assert_all_survive_no_memory(spell_once, &c);
	free_circuit(&c);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_word_once),
		cmocka_unit_test(memory_may_run_out),
	};
	return test_main_all(argc, argv, tests);
}
