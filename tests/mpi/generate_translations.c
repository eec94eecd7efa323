/* Tests generate translations: the number of pairs is exact, and without polysemy every concept is a component of the
 * graph, whose pairs and words are compared with a reference. */
#include "harness/collective.h"

#include "comm/comm.h"
#include "core/memory.h"
#include "core/status.h"
#include "generate/generate.h"
#include "graph/column.h"
#include "graph/graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A communicator of this rank only. */
static const gemp_comm alone = { .world = MPI_COMM_SELF, .size = 1, .node = MPI_COMM_SELF, .node_size = 1 };

enum { MAX_VERTICES = 4096, MAX_CONCEPTS = 512 };

/* A graph, and what the test computes of it. */
typedef struct case_state {
	gemp_generate_options options;
	gemp_shard *graph;
	size_t component[MAX_VERTICES]; /* a vertex of the same component, until it is its own */
	unsigned degree[MAX_VERTICES];
} case_state;

/* Collective. Makes the graph on all ranks together and on each rank alone, and compares both. */
static void make(case_state *self, const char *pairs, const char *concepts, const char *languages, const char *synonyms,
                 const char *polysemy)
{
	gemp_shard *shared = NULL;
	*self = (case_state){ 0 };
	assert_all_ok(gemp_generate_init(&self->options, "translations"));
	assert_all_ok(gemp_generate_set(&self->options, "pairs", pairs));
	assert_all_ok(gemp_generate_set(&self->options, "concepts", concepts));
	assert_all_ok(gemp_generate_set(&self->options, "languages", languages));
	assert_all_ok(gemp_generate_set(&self->options, "synonyms", synonyms));
	assert_all_ok(gemp_generate_set(&self->options, "polysemy", polysemy));
	assert_all_ok(gemp_generate(&shared, &test_comm, &self->options));
	assert_all_ok(gemp_generate(&self->graph, &alone, &self->options));
	assert_all(shared->hash == self->graph->hash && shared->vertex_count == self->graph->vertex_count);
	gemp_shard_free(shared);
	assert_all(self->graph->vertex_count <= MAX_VERTICES);
}

static size_t find(case_state *self, size_t v)
{
	while (self->component[v] != v)
		v = self->component[v] = self->component[self->component[v]];
	return v;
}

static gemp_string text_of(const case_state *self, const char *name, size_t v)
{
	return gemp_column_get(gemp_table_find(&self->graph->attributes, name), v).string;
}

static bool is_equal(gemp_string a, gemp_string b)
{
	return a.size == b.size && memcmp(a.bytes, b.bytes, a.size) == 0;
}

/* Local. Every vertex is a Word with a pair, and its key has its language and word. */
static bool has_right_words(const case_state *self)
{
	const gemp_shard *graph = self->graph;
	bool good = true;
	for (size_t v = 0; v < graph->rows && good; v++) {
		char wanted[80];
		const gemp_string key = gemp_column_get(&graph->keys, v).string;
		const gemp_string lang = text_of(self, "lang", v), word = text_of(self, "word", v);
		const gemp_label_set *set = &graph->label_sets[graph->label_set_of[v]];
		snprintf(wanted, sizeof wanted, "%.*s:%.*s", (int)lang.size, lang.bytes, (int)word.size, word.bytes);
		good = is_equal(key, (gemp_string){ wanted, strlen(wanted) }) && word.size >= 4 && self->degree[v] > 0 &&
		       set->count == 1 && strcmp(graph->labels[set->labels[0]], "Word") == 0;
	}
	return good;
}

/* Local. Checks all pairs of ends, and joins components. */
static bool has_right_edges(case_state *self)
{
	const gemp_shard *graph = self->graph;
	const gemp_relation *e = &graph->relations[0];
	bool good = graph->relation_count == 1 && !e->directed && strcmp(e->name, "TRANSLATES") == 0;
	GEMP_OWNED unsigned char *seen = NULL;
	assert_int_equal(GEMP_NEW(seen, graph->rows * graph->rows), GEMP_OK);
	for (size_t v = 0; v < graph->rows; v++)
		self->component[v] = v;
	for (size_t v = 0; v < graph->rows; v++)
		for (uint64_t i = e->out_offsets[v]; i < e->out_offsets[v + 1]; i++) {
			size_t w = e->out_targets[i];
			good = good && !is_equal(text_of(self, "lang", v), text_of(self, "lang", w));
			good = good && !seen[v * graph->rows + w]++ && !seen[w * graph->rows + v]++;
			self->degree[v]++;
			self->degree[w]++;
			self->component[find(self, v)] = find(self, w);
		}
	return good;
}

static int compare_numbers(const void *left, const void *right)
{
	const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
	return (a > b) - (a < b);
}

/* Local. Without polysemy: the sorted numbers of pairs of the components are those of the concepts, whose sum up to
 * concept x is the whole part of pairs * 9x / (8x + concepts). */
static bool components_are_concepts(case_state *self)
{
	static uint64_t found[MAX_VERTICES], wanted[MAX_CONCEPTS];
	size_t components = 0, concepts = 0;
	const uint64_t pairs = (uint64_t)self->options.values[0], count = (uint64_t)self->options.values[1];
	memset(found, 0, sizeof found);
	for (size_t v = 0; v < self->graph->rows; v++)
		found[find(self, v)] += self->degree[v];
	for (size_t v = 0; v < self->graph->rows; v++)
		if (found[v])
			found[components++] = found[v] / 2;
	for (uint64_t x = 0; x < count; x++) {
		uint64_t own = pairs * 9 * (x + 1) / (8 * (x + 1) + count) - pairs * 9 * x / (8 * x + count);
		if (own)
			wanted[concepts++] = own;
	}
	qsort(found, components, sizeof *found, compare_numbers);
	qsort(wanted, concepts, sizeof *wanted, compare_numbers);
	return components == concepts && memcmp(found, wanted, concepts * sizeof *wanted) == 0;
}

/* Local. Without polysemy: no component has more than `most` words of one language. */
static bool has_few_synonyms(case_state *self, unsigned most)
{
	for (size_t v = 0; v < self->graph->rows; v++) {
		unsigned equal = 0;
		for (size_t w = 0; w < self->graph->rows; w++)
			equal += find(self, v) == find(self, w) && is_equal(text_of(self, "lang", v), text_of(self, "lang", w));
		if (equal > most)
			return false;
	}
	return true;
}

static size_t components_of(case_state *self)
{
	size_t count = 0;
	for (size_t v = 0; v < self->graph->rows; v++)
		count += find(self, v) == v;
	return count;
}

/* Without polysemy the graph is known but for its random choices. The last case needs every possible pair. */
static void concepts_are_components(void **state)
{
	(void)state;
	static const char *const cases[][4] = {
		{ "0", "5", "2", "1" },    { "1", "1", "2", "1" },       { "100", "10", "20", "3" }, { "900", "200", "5", "2" },
		{ "40", "500", "3", "1" }, { "1500", "300", "40", "8" }, { "700", "3", "20", "3" },  { "54", "1", "4", "3" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		case_state self;
		make(&self, cases[i][0], cases[i][1], cases[i][2], cases[i][3], "0");
		bool any = self.graph->vertex_count > 0;
		assert_all(gemp_shard_edges(self.graph) == (gemp_count)self.options.values[0]);
		assert_all(!any || has_right_edges(&self));
		assert_all(!any || has_right_words(&self));
		assert_all(components_are_concepts(&self));
		assert_all(has_few_synonyms(&self, (unsigned)self.options.values[3]));
		gemp_shard_free(self.graph);
	}
}

/* Words with several meanings join concepts, and the number of pairs stays exact. */
static void polysemy_joins_concepts(void **state)
{
	(void)state;
	static const char *const chances[] = { "0", "0.15", "0.5", "1" };
	static const char *const shapes[][4] = { { "1000", "150", "20", "3" },
		                                     { "900", "150", "4", "3" },
		                                     { "400", "50", "2", "8" } };
	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
		size_t components[4];
		for (size_t k = 0; k < 4; k++) {
			case_state self;
			make(&self, shapes[i][0], shapes[i][1], shapes[i][2], shapes[i][3], chances[k]);
			assert_all(gemp_shard_edges(self.graph) == (gemp_count)self.options.values[0]);
			assert_all(has_right_edges(&self) && has_right_words(&self));
			components[k] = components_of(&self);
			gemp_shard_free(self.graph);
		}
		assert_all(components[0] > components[1] && components[1] > components[2]);
		assert_all(components[2] > components[3] && components[3] < components[0] / 2);
	}
}

static void impossible_graphs_are_refused(void **state)
{
	(void)state;
	gemp_generate_options options;
	gemp_shard *graph = NULL;
	assert_all_ok(gemp_generate_init(&options, "translations"));
	assert_all_ok(gemp_generate_set(&options, "pairs", "55"));
	assert_all_ok(gemp_generate_set(&options, "concepts", "1"));
	assert_all_ok(gemp_generate_set(&options, "languages", "4"));
	assert_all_code(gemp_generate(&graph, &test_comm, &options), GEMP_EUSAGE);
	assert_all(strstr(gemp_message(), "need 55 pairs") && strstr(gemp_message(), "make only 54"));
	assert_all_code(gemp_generate_set(&options, "languages", "41"), GEMP_EUSAGE);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(concepts_are_components),
		cmocka_unit_test(polysemy_joins_concepts),
		cmocka_unit_test(impossible_graphs_are_refused),
	};
	return test_main_all(argc, argv, tests);
}
