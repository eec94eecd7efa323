/* Tests generated graphs. They must not depend on the number of ranks, and must have the properties that the generators
 * promise. */
#include "harness/collective.h"

#include "comm/comm.h"
#include "core/random.h"
#include "core/status.h"
#include "core/types.h"
#include "generate/generate.h"
#include "graph/column.h"
#include "graph/either_rows.h"
#include "graph/graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A communicator of this rank only. */
static const gemp_comm alone = { .world = MPI_COMM_SELF, .size = 1, .node = MPI_COMM_SELF, .node_size = 1 };

static gemp_generate_options options;

/* Collective. Sets the generator and its options. pairs: names and values in turn, ended by NULL. */
static void set_options(const char *generator, const char *const *pairs)
{
	assert_all_ok(gemp_generate_init(&options, generator));
	for (; *pairs; pairs += 2)
		assert_all_ok(gemp_generate_set(&options, pairs[0], pairs[1]));
}

#define CHOOSE(generator, ...) set_options(generator, (const char *const[]){ __VA_ARGS__ __VA_OPT__(, ) NULL })

/* Collective. Generates the graph on all ranks together and on each rank alone, checks that both graphs are equal, and
 * returns the graph that this rank has made alone. */
static gemp_shard *generate(void)
{
	gemp_shard *graph = NULL, *whole = NULL;
	assert_all_ok(gemp_generate(&graph, &test_comm, &options));
	assert_all_ok(gemp_generate(&whole, &alone, &options));
	assert_all(graph->hash == whole->hash && graph->vertex_count == whole->vertex_count);
	assert_all(gemp_shard_edges(graph) == gemp_shard_edges(whole));
	gemp_shard_free(graph);
	return whole;
}

static uint64_t hash_of(void)
{
	gemp_shard *graph = generate();
	uint64_t hash = graph->hash;
	gemp_shard_free(graph);
	return hash;
}

static uint64_t key_of(const gemp_shard *graph, gemp_vertex v)
{
	return (uint64_t)gemp_column_get(&graph->keys, v).integer;
}

static bool has_label(const gemp_shard *graph, gemp_vertex v, const char *label)
{
	const gemp_label_set *set = &graph->label_sets[graph->label_set_of[v]];
	return set->count == 1 && strcmp(graph->labels[set->labels[0]], label) == 0;
}

/* Checks that the graph has neither loops nor parallel edges (in either direction, if undirected), and that labels
 * follow their formula. */
static bool is_simple(const gemp_shard *graph, unsigned labels)
{
	const gemp_relation *e = graph->relation_count ? &graph->relations[0] : NULL;
	bool good = true;
	for (gemp_vertex v = 0; v < graph->rows; v++) {
		char label[16];
		snprintf(label, sizeof label, "L%u",
		         (unsigned)(gemp_mix(key_of(graph, v) + UINT64_C(0x9e3779b97f4a7c15)) % labels));
		good = good && has_label(graph, v, label);
		for (uint64_t i = e ? e->out_offsets[v] : 0; e && i < e->out_offsets[v + 1]; i++) {
			good = good && e->out_targets[i] != v &&
			       (i == e->out_offsets[v] || e->out_targets[i] != e->out_targets[i - 1]);
			for (uint64_t j = e->in_offsets[v]; !e->directed && j < e->in_offsets[v + 1]; j++)
				good = good && e->in_sources[j] != e->out_targets[i];
		}
	}
	return good;
}

static void rmat_is_simple_with_hubs(void **state)
{
	(void)state;
	CHOOSE("rmat", "scale", "9", "edge-factor", "8");
	gemp_shard *graph = generate();
	assert_all(graph->vertex_count == 512 && graph->relation_count == 1 && !graph->relations[0].directed);
	gemp_count edges = gemp_shard_edges(graph);
	assert_all(edges > 2000 && edges < 4096);
	assert_all(is_simple(graph, 4));
	uint64_t most = 0;
	bool directed = true; /* every edge has the direction that its ids give */
	const gemp_relation *e = &graph->relations[0];
	for (gemp_vertex v = 0; v < graph->rows; v++) {
		for (uint64_t i = e->out_offsets[v]; i < e->out_offsets[v + 1]; i++)
			directed = directed && gemp_edge_leads((gemp_vertex)(graph->first_vertex + v), e->out_targets[i]);
		uint64_t degree = e->out_offsets[v + 1] - e->out_offsets[v] + e->in_offsets[v + 1] - e->in_offsets[v];
		most = degree > most ? degree : most;
	}
	assert_all(directed && most > 5 * 2 * edges / 512);
	gemp_shard_free(graph);
}

static void rmat_may_be_directed_and_even(void **state)
{
	(void)state;
	CHOOSE("rmat", "scale", "7", "directed", "1", "a", "0.25", "b", "0.25", "c", "0.25", "labels", "7");
	gemp_shard *graph = generate();
	assert_all(graph->relations[0].directed && is_simple(graph, 7));
	assert_all(gemp_shard_edges(graph) > 900);
	gemp_shard_free(graph);
	CHOOSE("rmat", "scale", "1", "edge-factor", "0");
	graph = generate();
	assert_all(graph->vertex_count == 2 && gemp_shard_edges(graph) == 0);
	gemp_shard_free(graph);
	CHOOSE("rmat", "a", "0.9", "b", "0.2");
	assert_all_code(gemp_generate(&graph, &test_comm, &options), GEMP_EUSAGE);
}

/* 2^scale vertices and edges given as numbers make the graph of scale and edge-factor. For other numbers the ends are
 * folded, so vertices beyond the last one have no edges and no edge is lost but loops and parallels. */
static void rmat_has_any_size(void **state)
{
	(void)state;
	CHOOSE("rmat", "scale", "8", "edge-factor", "6", "directed", "1");
	const uint64_t by_scale = hash_of();
	CHOOSE("rmat", "vertices", "256", "edges", "1536", "directed", "1", "scale", "3");
	assert_all(hash_of() == by_scale);
	static const char *const sizes[] = { "1", "2", "3", "129", "255" };
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		CHOOSE("rmat", "vertices", sizes[i], "edges", "3000", "directed", i % 2 ? "1" : "0", "a", "0.3", "b", "0.25",
		       "c", "0.25");
		gemp_shard *graph = generate();
		const uint64_t vertices = (uint64_t)strtoul(sizes[i], NULL, 10), pairs = vertices * (vertices - 1);
		assert_all(graph->vertex_count == vertices && is_simple(graph, 4));
		assert_all(gemp_shard_edges(graph) >= gemp_min(2000, i % 2 ? pairs : pairs / 2));
		gemp_shard_free(graph);
	}
}

static void uniform_has_exact_edge_count(void **state)
{
	(void)state;
	static const char *const cases[][3] = {
		/* vertices, edges, directed; some cases are complete graphs */
		{ "0", "0", "0" },    { "1", "0", "0" },       { "2", "1", "0" },       { "2", "2", "1" },
		{ "9", "36", "0" },   { "10", "45", "0" },     { "10", "44", "0" },     { "10", "90", "1" },
		{ "11", "110", "1" }, { "1000", "3000", "0" }, { "1000", "3000", "1" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		CHOOSE("uniform", "vertices", cases[i][0], "edges", cases[i][1], "directed", cases[i][2], "labels", "2");
		gemp_shard *graph = generate();
		assert_all(graph->vertex_count == (uint64_t)options.values[0]);
		assert_all(gemp_shard_edges(graph) == (gemp_count)options.values[1]);
		assert_all(is_simple(graph, 2));
		gemp_shard_free(graph);
	}
	gemp_shard *graph;
	CHOOSE("uniform", "vertices", "10", "edges", "46");
	assert_all_code(gemp_generate(&graph, &test_comm, &options), GEMP_EUSAGE);
	assert_all(strstr(gemp_message(), "only 45 pairs") != NULL);
}

/* Every edge must have a weight; the smallest weight is 1 and the largest is `most`. */
static bool weights_are_right(const gemp_shard *graph, int64_t most)
{
	const gemp_relation *e = &graph->relations[0];
	const gemp_column *weight = gemp_table_find(&e->props, "weight");
	bool good = weight && weight->type == GEMP_INTEGER && weight->rows == e->out_offsets[graph->rows] && !weight->null;
	int64_t least = INT64_MAX, greatest = 0;
	for (size_t i = 0; good && i < weight->rows; i++) {
		least = weight->integers[i] < least ? weight->integers[i] : least;
		greatest = weight->integers[i] > greatest ? weight->integers[i] : greatest;
	}
	return good && least == 1 && greatest == most;
}

/* Weights must not keep parallel edges apart: a weighted graph has as many edges as the same graph without weights. */
static void weights_are_drawn_for_edges(void **state)
{
	(void)state;
	static const char *const directions[] = { "0", "1" };
	for (size_t i = 0; i < 2; i++) {
		CHOOSE("rmat", "scale", "8", "directed", directions[i]);
		gemp_shard *plain = generate();
		CHOOSE("rmat", "scale", "8", "directed", directions[i], "weights", "20");
		gemp_shard *weighted = generate();
		assert_all(weights_are_right(weighted, 20) && is_simple(weighted, 4));
		assert_all(gemp_shard_edges(weighted) == gemp_shard_edges(plain));
		gemp_shard_free(plain);
		gemp_shard_free(weighted);
		CHOOSE("uniform", "vertices", "100", "edges", "900", "directed", directions[i], "weights", "9");
		weighted = generate();
		assert_all(weights_are_right(weighted, 9) && is_simple(weighted, 4));
		gemp_shard_free(weighted);
	}
}

static bool film_is_right(const gemp_shard *graph, gemp_vertex v)
{
	const gemp_relation *acts = gemp_shard_relation(graph, "ACTS_IN");
	const gemp_relation *genres = gemp_shard_relation(graph, "HAS_GENRE");
	gemp_value year = gemp_column_get(gemp_table_find(&graph->attributes, "year"), v);
	gemp_value rating = gemp_column_get(gemp_table_find(&graph->attributes, "rating"), v);
	uint64_t cast = acts->in_offsets[v + 1] - acts->in_offsets[v];
	uint64_t kinds = genres->out_offsets[v + 1] - genres->out_offsets[v];
	bool good = cast >= 1 && cast <= 15 && kinds >= 1 && kinds <= 3;
	good = good && year.integer >= 1900 && year.integer <= 2023;
	good = good && (rating.null || (rating.real >= 1 && rating.real <= 10));
	for (uint64_t i = acts->in_offsets[v]; i < acts->in_offsets[v + 1]; i++)
		good = good && has_label(graph, acts->in_sources[i], "Person") &&
		       (i == acts->in_offsets[v] || acts->in_sources[i] != acts->in_sources[i - 1]);
	return good;
}

static void movies_have_casts_and_genres(void **state)
{
	(void)state;
	CHOOSE("movies", "films", "300", "people", "400");
	gemp_shard *graph = generate();
	const gemp_column *name = gemp_table_find(&graph->attributes, "name");
	size_t films = 0, people = 0, nameless = 0;
	bool good = true;
	for (gemp_vertex v = 0; v < graph->rows; v++) {
		bool film = has_label(graph, v, "Movie"), person = has_label(graph, v, "Person");
		films += film;
		people += person;
		nameless += person && gemp_column_get(name, v).null;
		good = good && (!film || film_is_right(graph, v));
	}
	assert_all(good && films == 300 && people == 400 && graph->vertex_count == 718);
	assert_all(nameless > 0 && nameless < 40);
	assert_all(!gemp_shard_relation(graph, "ACTS_IN")->multigraph && gemp_shard_relation(graph, "ACTS_IN")->directed);
	gemp_shard_free(graph);
}

static void few_movies(void **state)
{
	(void)state;
	static const char *const sizes[][3] = {
		{ "0", "0", "1" }, { "0", "5", "1" }, { "5", "0", "9" }, { "5", "2", "15" }, { "3", "1", "1000" }
	};
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		CHOOSE("movies", "films", sizes[i][0], "people", sizes[i][1], "cast", sizes[i][2]);
		gemp_shard *graph = generate();
		assert_all(graph->vertex_count == (uint64_t)(options.values[0] + options.values[1]) + 18);
		gemp_shard_free(graph);
	}
}

static uint64_t count_edges(const gemp_shard *graph, const char *type)
{
	const gemp_relation *relation = gemp_shard_relation(graph, type);
	return relation ? relation->edge_count : 0;
}

static size_t count_labelled(const gemp_shard *graph, const char *label)
{
	size_t count = 0;
	for (gemp_vertex v = 0; v < graph->rows; v++)
		count += has_label(graph, v, label);
	return count;
}

static size_t count_short_segments(const gemp_shard *graph)
{
	const gemp_column *length = gemp_table_find(&graph->attributes, "length");
	size_t count = 0;
	for (gemp_vertex v = 0; v < graph->rows; v++)
		count += has_label(graph, v, "Segment") && gemp_column_get(length, v).integer <= 0;
	return count;
}

/* With faults 0 nothing is missing. With faults 1 everything is missing that may be missing. */
static void railways_have_faults(void **state)
{
	(void)state;
	CHOOSE("railway", "routes", "6", "switches", "3", "sensors", "2", "faults", "0");
	gemp_shard *graph = generate();
	size_t sensors = count_labelled(graph, "Sensor"), segments = count_labelled(graph, "Segment");
	size_t switches = count_labelled(graph, "Switch");
	assert_all(count_labelled(graph, "Route") == 6 && count_edges(graph, "entry") == 6 &&
	           count_edges(graph, "exit") == 6);
	assert_all(segments == 5 * sensors && count_short_segments(graph) == 0 &&
	           count_edges(graph, "definedBy") == sensors);
	assert_all(count_edges(graph, "sensor") == segments + switches &&
	           count_edges(graph, "connectsTo") == segments + switches);
	gemp_shard_free(graph);
	CHOOSE("railway", "routes", "6", "switches", "3", "sensors", "2", "faults", "1");
	graph = generate();
	sensors = count_labelled(graph, "Sensor");
	segments = count_labelled(graph, "Segment");
	assert_all(segments == 6 * sensors && count_short_segments(graph) == segments &&
	           count_edges(graph, "sensor") == segments);
	assert_all(count_edges(graph, "definedBy") == 0 && count_edges(graph, "entry") == 0 &&
	           count_edges(graph, "exit") == 6);
	gemp_shard_free(graph);
	CHOOSE("railway", "routes", "0");
	graph = generate();
	assert_all(graph->vertex_count == 0);
	gemp_shard_free(graph);
}

/* Has every vertex equal in- and out-degree? */
static bool is_balanced(const gemp_relation *e, size_t rows)
{
	bool good = true;
	for (size_t v = 0; v < rows; v++)
		good = good && e->out_offsets[v + 1] - e->out_offsets[v] == e->in_offsets[v + 1] - e->in_offsets[v];
	return good;
}

static void eulerian_graphs_are_balanced(void **state)
{
	(void)state;
	static const char *const shapes[] = { "deep", "shallow", "random" };
	for (size_t i = 0; i < 3; i++) {
		CHOOSE("eulerian", "shape", shapes[i], "vertices", "300", "edges", "900");
		gemp_shard *graph = generate();
		assert_all(graph->vertex_count == 300 && gemp_shard_edges(graph) == 900 && graph->relations[0].directed);
		assert_all(is_balanced(&graph->relations[0], graph->rows));
		gemp_shard_free(graph);
	}
	CHOOSE("eulerian", "vertices", "300", "edges", "900", "path", "1");
	gemp_shard *graph = generate();
	assert_all(gemp_shard_edges(graph) == 900 && !is_balanced(&graph->relations[0], graph->rows));
	gemp_shard_free(graph);
	CHOOSE("eulerian", "vertices", "0", "edges", "0");
	graph = generate();
	assert_all(graph->vertex_count == 0);
	gemp_shard_free(graph);
	CHOOSE("eulerian", "vertices", "9", "edges", "8");
	assert_all_code(gemp_generate(&graph, &test_comm, &options), GEMP_EUSAGE);
}

/* Each word must be an edge from the vertex of its first letters to the vertex of its last letters. */
static bool is_debruijn(const gemp_shard *graph, unsigned alphabet, size_t length)
{
	const gemp_relation *e = &graph->relations[0];
	bool good = is_balanced(e, graph->rows);
	for (size_t v = 0; v < graph->rows; v++) {
		gemp_value from = gemp_column_get(&graph->keys, v);
		good = good && from.type == GEMP_STRING && from.string.size == length - 1;
		good = good && e->out_offsets[v + 1] - e->out_offsets[v] == alphabet;
		for (uint64_t i = e->out_offsets[v]; good && i < e->out_offsets[v + 1]; i++) {
			gemp_value to = gemp_column_get(&graph->keys, e->out_targets[i]);
			good = memcmp(from.string.bytes + 1, to.string.bytes, length - 2) == 0;
			good = good && (i == e->out_offsets[v] || e->out_targets[i] != e->out_targets[i - 1]);
		}
	}
	return good;
}

static void debruijn_graphs_have_an_edge_for_each_word(void **state)
{
	(void)state;
	CHOOSE("debruijn", "alphabet", "10", "length", "3");
	gemp_shard *graph = generate();
	assert_all(graph->vertex_count == 100 && gemp_shard_edges(graph) == 1000 && is_debruijn(graph, 10, 3));
	gemp_shard_free(graph);
	CHOOSE("debruijn", "alphabet", "3", "length", "2");
	graph = generate();
	assert_all(graph->vertex_count == 3 && gemp_shard_edges(graph) == 9 && is_debruijn(graph, 3, 2));
	gemp_shard_free(graph);
	CHOOSE("debruijn", "alphabet", "2", "length", "8", "keys", "numbers", "path", "1");
	graph = generate();
	assert_all(graph->vertex_count == 128 && gemp_shard_edges(graph) == 255 && graph->keys.type == GEMP_INTEGER);
	assert_all(!is_balanced(&graph->relations[0], graph->rows));
	gemp_shard_free(graph);
	CHOOSE("debruijn", "alphabet", "1", "length", "5");
	graph = generate();
	assert_all(graph->vertex_count == 1 && gemp_shard_edges(graph) == 1);
	gemp_shard_free(graph);
	CHOOSE("debruijn", "alphabet", "4", "length", "18");
	assert_all_code(gemp_generate(&graph, &test_comm, &options), GEMP_EUSAGE);
	CHOOSE("debruijn", "alphabet", "63");
	assert_all_code(gemp_generate(&graph, &test_comm, &options), GEMP_EUSAGE);
	assert_all(strstr(gemp_message(), "take numbers as keys") != NULL);
}

static void seeds_matter(void **state)
{
	(void)state;
	static const char *const generators[] = { "rmat", "uniform", "movies", "railway" };
	for (size_t i = 0; i < sizeof generators / sizeof *generators; i++) {
		CHOOSE(generators[i]);
		options.values[0] = i == 0 ? 6 : 200;
		options.values[1] = i == 0 ? 4 : i == 3 ? 2 : 250;
		uint64_t first = hash_of(), again = hash_of();
		options.seed = 2;
		uint64_t drawn_otherwise = hash_of();
		options.seed = 1;
		options.relabel_seed = 2;
		uint64_t labelled_otherwise = hash_of();
		assert_all(first == again && first != drawn_otherwise && first != labelled_otherwise);
	}
}

static gemp_code generate_once(void *unused)
{
	gemp_shard *graph = NULL;
	(void)unused;
	gemp_code code = gemp_generate(&graph, &test_comm, &options);
	gemp_shard_free(graph);
	return code;
}

static void memory_may_run_out(void **state)
{
	(void)state;
	if (test_comm.size > 3)
		skip(); /* takes long and tests nothing new on more ranks */
	CHOOSE("movies", "films", "3", "people", "2");
	assert_all_survive_no_memory(generate_once, NULL);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rmat_is_simple_with_hubs),
		cmocka_unit_test(rmat_may_be_directed_and_even),
		cmocka_unit_test(rmat_has_any_size),
		cmocka_unit_test(weights_are_drawn_for_edges),
		cmocka_unit_test(uniform_has_exact_edge_count),
		cmocka_unit_test(movies_have_casts_and_genres),
		cmocka_unit_test(few_movies),
		cmocka_unit_test(railways_have_faults),
		cmocka_unit_test(eulerian_graphs_are_balanced),
		cmocka_unit_test(debruijn_graphs_have_an_edge_for_each_word),
		cmocka_unit_test(seeds_matter),
		cmocka_unit_test(memory_may_run_out),
	};
	return test_main_all(argc, argv, tests);
}
