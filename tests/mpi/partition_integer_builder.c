/* Tests the builder for integer keys without attributes, with ends that are looked up in a table, or hashed and looked
 * up at their owners, and with rows that are made in one bucket or in many. Every way must give the same graph, which
 * is compared with the sorted pairs of keys. */
#include "comm/comm.h"
#include "core/limits.h"
#include "core/memory.h"
#include "core/random.h"
#include "core/status.h"
#include "core/threads.h"
#include "graph/graph.h"
#include "harness/collective.h"
#include "partition/build/builder.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 700 };

/* The vertices and edges of one test, the same on all ranks. */
typedef struct input {
	size_t vertices, edges;
	int64_t vertex[MOST], end[2 * MOST];
	const char *type[MOST];
	bool implied, merge, undirected;
} input;

static int64_t random_key(uint64_t *random, unsigned kind)
{
	static const int64_t first[] = { 0, -50, INT64_MAX - 300, INT64_MIN };
	if (kind == 4)
		return (int64_t)gemp_random(random);
	return first[kind] + (int64_t)gemp_random_below(random, kind == 0 ? 1 << 20 : 200);
}

static int compare(const void *a, const void *b)
{
	return memcmp(a, b, 2 * sizeof(int64_t));
}

static int compare_keys(const void *a, const void *b)
{
	int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
	return (left > right) - (left < right);
}

/* Without implied vertices all ends are vertices. */
static void make_input(input *in, uint64_t *random)
{
	unsigned kind = (unsigned)gemp_random_below(random, 5);
	*in = (input){ .edges = gemp_random_below(random, MOST + 1) };
	in->implied = gemp_random_below(random, 2);
	in->merge = gemp_random_below(random, 2);
	in->undirected = gemp_random_below(random, 2);
	bool types = gemp_random_below(random, 3) == 0;
	size_t known = 1 + gemp_random_below(random, MOST);
	for (size_t v = 0; v < known; v++)
		in->vertex[v] = random_key(random, kind);
	qsort(in->vertex, known, sizeof *in->vertex, compare_keys);
	for (size_t v = 0; v < known; v++)
		if (v == 0 || in->vertex[v] != in->vertex[v - 1])
			in->vertex[in->vertices++] = in->vertex[v];
	for (size_t e = 0; e < in->edges; e++) {
		in->end[2 * e] = in->vertex[gemp_random_below(random, in->vertices)];
		in->end[2 * e + 1] = in->vertex[gemp_random_below(random, in->vertices)];
		in->type[e] = types && gemp_random_below(random, 2) ? "F" : "E";
	}
	if (in->implied)
		in->vertices = gemp_random_below(random, in->vertices + 1);
}

static gemp_code add(gemp_builder *to, const input *in, bool edge, size_t i)
{
	static const char *const labels[] = { "A", "", "B;A" };
	const gemp_value key = { .type = GEMP_INTEGER, .integer = in->vertex[edge ? 0 : i] };
	if (edge)
		return gemp_builder_integer_edges(to, in->end + 2 * i, 1, in->type[i], 1, (gemp_place){ 0, i + 1 }, i % 2);
	const char *label = labels[i % 3];
	return gemp_builder_vertex(to, &key, label, strlen(label), (gemp_place){ 0, i + 1 });
}

/* Collective. Ranks and branches add the vertices and edges in a random division. */
static gemp_code build(gemp_shard **out, const gemp_comm *comm, const input *in, uint64_t random)
{
	gemp_builder *builder[2] = { 0 };
	const gemp_builder_options options = { .seed = 3,
		                                   .undirected = in->undirected,
		                                   .vertices_from_edges = in->implied,
		                                   .merge_parallel = in->merge,
		                                   .default_label = in->implied ? "Node" : NULL,
		                                   .batch = random % 2 ? 200 : 0 };
	gemp_code code = gemp_builder_new(&builder[0], comm, &options);
	if (code != GEMP_OK)
		return code;
	code = gemp_builder_branch(&builder[1], builder[0]);
	for (size_t i = 0; i < in->vertices + in->edges; i++) {
		bool edge = i >= in->vertices;
		uint64_t to = gemp_random_below(&random, 2 * (uint64_t)comm->size);
		if (to / 2 == (uint64_t)comm->rank)
			GEMP_THEN(add(builder[to % 2], in, edge, edge ? i - in->vertices : i));
	}
	if (code == GEMP_OK) {
		code = gemp_builder_join(builder[1]);
		builder[1] = NULL;
	}
	code = gemp_comm_agree(comm, code);
	GEMP_THEN(gemp_builder_finish(builder[0], out));
	gemp_builder_free(builder[1]);
	gemp_builder_free(builder[0]);
	return code;
}

/* Local, for a graph of one rank. The edges of relation `name` as sorted pairs of keys. */
static size_t pairs_of(const gemp_shard *graph, const char *name, int64_t (*pairs)[2])
{
	size_t count = 0;
	for (size_t r = 0; r < graph->relation_count; r++)
		for (size_t v = 0; strcmp(graph->relations[r].name, name) == 0 && v < graph->rows; v++)
			for (uint64_t e = graph->relations[r].out_offsets[v]; e < graph->relations[r].out_offsets[v + 1]; e++) {
				pairs[count][0] = graph->keys.integers[v];
				pairs[count++][1] = graph->keys.integers[graph->relations[r].out_targets[e]];
			}
	qsort(pairs, count, sizeof *pairs, compare);
	return count;
}

/* Compares a graph of one rank with the input. The direction in which an undirected edge is stored depends on the ids;
 * the pairs are turned so that the smaller key is first. */
static void check(const gemp_shard *graph, const input *in, const char *name)
{
	static int64_t found[MOST][2], wanted[MOST][2];
	size_t count = pairs_of(graph, name, found), wants = 0, kept = 0;
	bool turn = in->undirected;
	for (size_t e = 0; e < in->edges; e++)
		if (strcmp(in->type[e], name) == 0) {
			bool turned = turn && in->end[2 * e] > in->end[2 * e + 1];
			wanted[wants][0] = in->end[2 * e + turned];
			wanted[wants++][1] = in->end[2 * e + !turned];
		}
	for (size_t e = 0; e < count && turn; e++)
		if (found[e][0] > found[e][1]) {
			int64_t low = found[e][1];
			found[e][1] = found[e][0];
			found[e][0] = low;
		}
	qsort(found, count, sizeof *found, compare);
	qsort(wanted, wants, sizeof *wanted, compare);
	for (size_t e = 0; e < wants; e++)
		if (!in->merge || e == 0 || compare(wanted[e], wanted[e - 1]) != 0) {
			memmove(wanted[kept], wanted[e], sizeof *wanted);
			kept++;
		}
	assert_int_equal(count, kept);
	assert_memory_equal(found, wanted, kept * sizeof *found);
}

/* Without several ranks: keys are distinct, and ranks follow the order of keys. */
static void check_keys(const gemp_shard *graph)
{
	int64_t *by_rank = calloc(graph->rows + 1, sizeof *by_rank);
	for (size_t v = 0; v < graph->rows; v++)
		by_rank[graph->key_ranks[v]] = graph->keys.integers[v];
	for (size_t i = 1; i < graph->rows; i++)
		assert_true(by_rank[i - 1] < by_rank[i]);
	free(by_rank);
}

static void all_ways_give_one_graph(void **state)
{
	(void)state;
	uint64_t random = test_seed_all();
	static input in;
	gemp_comm self;
	gemp_limits before = *gemp_limits_now(), limits = before;
	gemp_comm_new(&self, MPI_COMM_SELF);
	for (unsigned turn = 0; turn < 40; turn++) {
		gemp_shard *alone = NULL, *graph = NULL;
		make_input(&in, &random);
		limits.dense_keys = 0;
		limits.rows_bucket = before.rows_bucket;
		gemp_limits_override(limits);
		gemp_code code = build(&alone, &self, &in, random);
		assert_all_ok(code);
		check(alone, &in, "E");
		check(alone, &in, "F");
		check_keys(alone);
		for (int way = 0; way < 4; way++) {
			limits.dense_keys = way - 1;
			limits.dense_keys = way == 3 ? 1 : limits.dense_keys;
			limits.rows_bucket = way % 2 ? 7 : before.rows_bucket;
			limits.rows_reversed = way % 2 ? 9 : before.rows_reversed;
			gemp_limits_override(limits);
			assert_all_ok(build(&graph, way == 3 ? &self : &test_comm, &in, gemp_random(&random)));
			assert_all(graph->hash == alone->hash && graph->vertex_count == alone->vertex_count);
			for (size_t v = 0; v < graph->rows; v++)
				assert_true(graph->key_ranks[v] == alone->key_ranks[graph->first_vertex + v]);
			gemp_shard_free(graph);
		}
		gemp_shard_free(alone);
	}
	gemp_limits_override(before);
	gemp_comm_free(&self);
	assert_all(gemp_memory_blocks() == 0);
}

/* The edge with the lowest place among the edges with an unknown end is reported, in a table or without. */
static void unknown_ends_are_reported(void **state)
{
	(void)state;
	static input in = { .vertices = 3, .edges = 4, .vertex = { 5, 6, 7 }, .end = { 5, 6, 6, 9, 4, 5, 7, 7 } };
	gemp_limits before = *gemp_limits_now(), limits = before;
	for (int dense = 0; dense < 2; dense++) {
		gemp_shard *graph = NULL;
		for (size_t e = 0; e < in.edges; e++)
			in.type[e] = "E";
		limits.dense_keys = dense;
		gemp_limits_override(limits);
		assert_all_code(build(&graph, &test_comm, &in, 1), GEMP_EDATA);
		assert_all(strstr(gemp_message(), "record 2: the edge's target '9' is not among the vertices") != NULL);
		assert_all(strstr(gemp_message(), "1 more like this") != NULL);
	}
	gemp_limits_override(before);
}

static void duplicates_are_reported(void **state)
{
	(void)state;
	static input in = { .vertices = 4, .vertex = { 5, 6, 5, 5 } };
	gemp_shard *graph = NULL;
	assert_all_code(build(&graph, &test_comm, &in, 1), GEMP_EDATA);
	assert_all(strstr(gemp_message(), "record 3: vertex '5' was already given at record 1") != NULL);
	assert_all(strstr(gemp_message(), "1 more like this") != NULL);
}

static gemp_code build_small(void *unused)
{
	static input in = { .vertices = 2, .edges = 3, .vertex = { 5, 6 }, .end = { 5, 6, 6, 9, 4, 5 }, .implied = true };
	gemp_shard *graph = NULL;
	(void)unused;
	for (size_t e = 0; e < in.edges; e++)
		in.type[e] = "E";
	gemp_code code = build(&graph, &test_comm, &in, 1);
	gemp_shard_free(graph);
	return code;
}

static void memory_may_run_out(void **state)
{
	(void)state;
	if (test_comm.size > 2)
		skip(); /* takes long and tests nothing new on more ranks */
	assert_all_survive_no_memory(build_small, NULL);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_ways_give_one_graph),
		cmocka_unit_test(unknown_ends_are_reported),
		cmocka_unit_test(duplicates_are_reported),
		cmocka_unit_test(memory_may_run_out),
	};
	return test_main_all(argc, argv, tests);
}
