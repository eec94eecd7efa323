/* random_graphs: the generators of uniform graphs, graphs with an Euler circuit or path, and de Bruijn
 * graphs. */

#include "generate/generate.h"
#include "generate/permutation.h"

#include "core/random.h"
#include "partition/build/builder.h"

/* UNIFORM: G(n, m), a graph of m different pairs of n vertices. Every set of m pairs is equally likely, as far as a
 * seeded permutation is random. Pairs are numbered, and edge k is the pair with the number that a permutation assigns
 * to k. Hence no pair occurs twice. */

enum { UNIFORM_VERTICES, UNIFORM_EDGES, UNIFORM_LABELS, UNIFORM_DIRECTED, UNIFORM_WEIGHTS };

static const gemp_parameter uniform_parameters[] = {
	[UNIFORM_VERTICES] = { "vertices", 10000, 0, (double)GEMP_MAX_VERTICES, true, "vertices", NULL },
	[UNIFORM_EDGES] = { "edges", 80000, 0, 0x1p53, true, "edges, all between different pairs, no loops", NULL },
	[UNIFORM_LABELS] = GEMP_LABELS_PARAMETER,
	[UNIFORM_DIRECTED] = { "directed", 0, 0, 1, true, "1: edges have a direction", NULL },
	[UNIFORM_WEIGHTS] = GEMP_WEIGHTS_PARAMETER,
};

/* The number of pairs; an undirected pair counts once. The division comes first, since the product could overflow. */
static uint64_t pairs(const double *values)
{
	uint64_t n = (uint64_t)values[UNIFORM_VERTICES];
	if (n < 2)
		return 0;
	return values[UNIFORM_DIRECTED] == 0 ? (n % 2 ? n * ((n - 1) / 2) : n / 2 * (n - 1)) : n * (n - 1);
}

static gemp_code uniform_check(const double *values)
{
	if ((uint64_t)values[UNIFORM_EDGES] <= pairs(values))
		return GEMP_OK;
	return gemp_fail(GEMP_EUSAGE, "generate uniform: %.0f vertices have only %" PRIu64 " pairs, fewer than %.0f edges",
	                 values[UNIFORM_VERTICES], pairs(values), values[UNIFORM_EDGES]);
}

/* No rank has to store pairs, since the permutation makes them different. The pair with number x is {i, (i + d) mod n}
 * with i = x mod n and d = 1 + x / n. For undirected pairs, each d < n / 2 has n pairs, and d = n / 2 for an even n has
 * n / 2 pairs. */
static gemp_code uniform_make(const gemp_generator_run *making)
{
	enum { BLOCK = 256 }; /* edges that are made together */
	gemp_block_range span = gemp_generator_range(making, (uint64_t)making->values[UNIFORM_EDGES]);
	uint64_t n = (uint64_t)making->values[UNIFORM_VERTICES], numbers[BLOCK], ends[2 * BLOCK];
	uint64_t order = gemp_generator_state(making->seed, GEMP_FOR_EDGE, 0);
	GEMP_TRY(gemp_generator_vertices(making, n, (uint64_t)making->values[UNIFORM_LABELS]));
	GEMP_TRY(gemp_builder_reserve_edges(making->builder, span.end - span.begin));
	for (uint64_t number = span.begin; number < span.end; number += BLOCK) {
		size_t count = gemp_min(span.end - number, BLOCK);
		for (size_t i = 0; i < count; i++)
			numbers[i] = number + i;
		gemp_permute_all(order, pairs(making->values), numbers, count);
		for (size_t i = 0; i < count; i++) {
			ends[2 * i] = numbers[i] % n;
			ends[2 * i + 1] = (ends[2 * i] + numbers[i] / n + 1) % n;
		}
		GEMP_TRY(gemp_generator_edges(making, (const int64_t *)ends, count, number, making->values[UNIFORM_WEIGHTS]));
	}
	return GEMP_OK;
}

/* All vertices are alike. */
static uint64_t uniform_keys(const double *values)
{
	return (uint64_t)values[UNIFORM_VERTICES];
}

const gemp_generator_entry gemp_generator_uniform = {
	.generator = { "uniform", "a random graph with n vertices and m edges",
	               sizeof uniform_parameters / sizeof *uniform_parameters, uniform_parameters },
	.directed = 1 + UNIFORM_DIRECTED,
	.weights = 1 + UNIFORM_WEIGHTS,
	.random_keys = uniform_keys,
	.check = uniform_check,
	.make = uniform_make,
};

/* EULERIAN. An edge is a function of its number and the seed alone, so ranks make their edges without an exchange, and
 * in- and out-degrees are equal by construction. The shapes are hard for different algorithms: a deep graph has few
 * long circuits, a shallow graph has very many short circuits, and a random graph is a closed random walk. */

enum { EULERIAN_SHAPE, EULERIAN_VERTICES, EULERIAN_EDGES, EULERIAN_PATH };
enum { BAND = 16 };    /* average distance from source to target in a deep graph */
enum { BATCH = 1024 }; /* number of edges that are made together */

static const char *const shapes[] = {
	[GEMP_EULERIAN_DEEP] = "deep", [GEMP_EULERIAN_SHALLOW] = "shallow", [GEMP_EULERIAN_RANDOM] = "random", NULL
};

static const gemp_parameter eulerian_parameters[] = {
	[EULERIAN_SHAPE] = { "shape", GEMP_EULERIAN_DEEP, 0, GEMP_EULERIAN_RANDOM, true,
	                     "deep: a band of edges to near vertices, few long circuits; shallow: very many short circuits; "
	                     "random: a random closed walk",
	                     shapes },
	[EULERIAN_VERTICES] = { "vertices", 10000, 0, (double)GEMP_MAX_VERTICES, true, "vertices", NULL },
	[EULERIAN_EDGES] = { "edges", 40000, 0, 0x1p53, true,
	                     "edges, at least as many as vertices (with --path 1 one less)", NULL },
	[EULERIAN_PATH] = { "path", 0, 0, 1, true, "1: an Euler path, which ends elsewhere than it begins, and no circuit",
	                    NULL },
};

/* An Euler circuit through all vertices needs an edge into every vertex. */
gemp_code gemp_eulerian_check(const gemp_eulerian *graph)
{
	uint64_t min = graph->path && graph->vertices ? graph->vertices - 1 : graph->vertices;
	if (graph->path && graph->vertices < 2)
		return gemp_fail(GEMP_EUSAGE, "generate eulerian: a path from one vertex to another needs two vertices");
	if (!graph->vertices && graph->edges)
		return gemp_fail(GEMP_EUSAGE, "generate eulerian: %" PRIu64 " edges need a vertex", graph->edges);
	if (graph->edges < min)
		return gemp_fail(GEMP_EUSAGE,
		                 "generate eulerian: an Euler %s through %" PRIu64 " vertices takes at "
		                 "least %" PRIu64 " edges, more than %" PRIu64,
		                 graph->path ? "path" : "circuit", graph->vertices, min, graph->edges);
	return GEMP_OK;
}

/* A deep graph begins with a ring of all vertices. The other edges form a second ring, of places that are spread evenly
 * over the vertices with some noise. At each place one edge ends, and another edge begins, which ends some places
 * ahead. */

static uint64_t vertex_at(const gemp_eulerian *graph, uint64_t places, uint64_t place)
{
	uint64_t noise = gemp_generator_state(graph->seed, GEMP_FOR_EDGE, place) % BAND;
	double apart = (double)graph->vertices / (double)places;
	return ((uint64_t)((double)place * apart) + noise) % graph->vertices;
}

/* The ring connects all vertices, so one circuit can visit all of them. */
static void deep_edge(const gemp_eulerian *graph, uint64_t edges, uint64_t number, uint64_t ends[2])
{
	uint64_t n = graph->vertices, places = edges - n;
	if (number < n) {
		ends[0] = number;
		ends[1] = number + 1 == n ? 0 : number + 1;
		return;
	}
	uint64_t ahead = (uint64_t)((double)places / (double)n * BAND) + 1;
	ends[0] = vertex_at(graph, places, number - n);
	ends[1] = vertex_at(graph, places, (number - n + ahead) % places);
}

/* In a shallow graph all vertices except 0 are in groups; with enough edges, each group has one vertex. A group is a
 * path that begins and ends at an older vertex, its anchor. If the group has two anchors, a third edge leads from the
 * second anchor to the first. The remaining edges are pairs, forth and back between two vertices. Edges are numbered in
 * this order: first edges into each vertex, edges out of groups, third edges, remaining edges. */

/* The first new vertex of a group, if `count` vertices are in `groups` groups. Longer groups come first. */
static uint64_t first_of(uint64_t count, uint64_t groups, uint64_t group)
{
	uint64_t size = count / groups, longer = count % groups;
	return group * size + gemp_min(group, longer);
}

/* The group of new vertex number `which`; *first becomes the first new vertex of this group. */
static uint64_t group_of(uint64_t count, uint64_t groups, uint64_t which, uint64_t *first)
{
	uint64_t size = count / groups, longer = count % groups, in_longer = longer * (size + 1);
	uint64_t group = which < in_longer ? which / (size + 1) : longer + (which - in_longer) / size;
	*first = first_of(count, groups, group);
	return group;
}

/* between becomes the anchors of a group. New vertex number i is vertex i + 1. */
static void choose_anchors(const gemp_eulerian *graph, uint64_t group, uint64_t first, bool apart, uint64_t between[2])
{
	uint64_t state = gemp_generator_state(graph->seed, GEMP_FOR_VERTEX, group);
	between[0] = gemp_random_below(&state, first + 1);
	between[1] = apart ? gemp_random_below(&state, first + 1) : between[0];
}

/* Two edges forth and back keep degrees equal. A single remaining edge is a loop. */
static void remaining_edge(const gemp_eulerian *graph, uint64_t count, uint64_t number, uint64_t ends[2])
{
	uint64_t state = gemp_generator_state(graph->seed, GEMP_FOR_EDGE, number / 2);
	uint64_t a = gemp_random_below(&state, graph->vertices), b = gemp_random_below(&state, graph->vertices);
	bool single = number + 1 == count && number % 2 == 0;
	ends[0] = single || number % 2 == 0 ? a : b;
	ends[1] = single || number % 2 != 0 ? a : b;
}

/* The number of an edge determines its kind, in the order of the comment above. */
static void shallow_edge(const gemp_eulerian *graph, uint64_t edges, uint64_t number, uint64_t ends[2])
{
	uint64_t count = graph->vertices - 1, more = edges - count, first, between[2];
	uint64_t groups = gemp_min(more, count);
	uint64_t thirds = more - groups < count ? more - groups : count;
	if (number < count) {
		uint64_t group = group_of(count, groups, number, &first);
		choose_anchors(graph, group, first, group < thirds, between);
		ends[0] = number == first ? between[0] : number;
		ends[1] = number + 1;
	} else if ((number -= count) < groups) {
		first = first_of(count, groups, number);
		choose_anchors(graph, number, first, number < thirds, between);
		ends[0] = first_of(count, groups, number + 1);
		ends[1] = between[1];
	} else if ((number -= groups) < thirds) {
		choose_anchors(graph, number, first_of(count, groups, number), true, between);
		ends[0] = between[1];
		ends[1] = between[0];
	} else {
		remaining_edge(graph, more - groups - thirds, number - thirds, ends);
	}
}

/* A random graph is a walk over places. A permutation determines which vertex is at a place. */

/* Returns the vertex at a place. A path must not end where it begins; its last place then has the next vertex. */
static uint64_t walk_at(const gemp_eulerian *graph, uint64_t place)
{
	uint64_t places = graph->edges + graph->path, order = gemp_generator_state(graph->seed, GEMP_FOR_ORDER, 0);
	uint64_t vertex = gemp_permute(order, places, place % places) % graph->vertices;
	if (!graph->path || place != graph->edges)
		return vertex;
	bool closed = vertex == gemp_permute(order, places, 0) % graph->vertices;
	return closed ? (vertex + 1) % graph->vertices : vertex;
}

static void walk_edges(const gemp_eulerian *graph, uint64_t first, size_t count, uint64_t (*ends)[2])
{
	uint64_t at = walk_at(graph, first);
	for (size_t i = 0; i < count; i++) {
		ends[i][0] = at;
		ends[i][1] = at = walk_at(graph, first + i + 1);
	}
}

/* A path is a circuit without one edge that is not a loop: the edge that closes the ring, or the edge that leads from
 * the first group to vertex 0. */
void gemp_eulerian_edges(const gemp_eulerian *graph, uint64_t first, size_t count, uint64_t (*ends)[2])
{
	if (graph->shape == GEMP_EULERIAN_RANDOM) {
		walk_edges(graph, first, count, ends);
		return;
	}
	uint64_t edges = graph->edges + graph->path;
	for (size_t i = 0; i < count; i++) {
		uint64_t number = first + i + (graph->path && first + i >= graph->vertices - 1);
		(graph->shape == GEMP_EULERIAN_DEEP ? deep_edge : shallow_edge)(graph, edges, number, ends[i]);
	}
}

static gemp_eulerian graph_of(const double *values, uint64_t seed)
{
	return (gemp_eulerian){ .shape = (gemp_eulerian_shape)values[EULERIAN_SHAPE],
		                    .vertices = (uint64_t)values[EULERIAN_VERTICES],
		                    .edges = (uint64_t)values[EULERIAN_EDGES],
		                    .path = values[EULERIAN_PATH] != 0,
		                    .seed = seed };
}

static gemp_code eulerian_check(const double *values)
{
	gemp_eulerian graph = graph_of(values, 0);
	return gemp_eulerian_check(&graph);
}

/* Makes edges in batches, since in a walk each vertex is computed once for two edges. */
static gemp_code eulerian_make(const gemp_generator_run *making)
{
	gemp_eulerian graph = graph_of(making->values, making->seed);
	gemp_block_range span = gemp_generator_range(making, graph.edges);
	uint64_t ends[BATCH][2];
	GEMP_TRY(gemp_generator_vertices(making, graph.vertices, 0));
	GEMP_TRY(gemp_builder_reserve_edges(making->builder, span.end - span.begin));
	for (uint64_t at = span.begin; at < span.end; at += BATCH) {
		size_t count = gemp_min(span.end - at, BATCH);
		gemp_eulerian_edges(&graph, at, count, ends);
		for (size_t i = 0; i < count; i++)
			GEMP_TRY(gemp_generator_edge(making, ends[i][0], ends[i][1], "E", at + i));
	}
	return GEMP_OK;
}

const gemp_generator_entry gemp_generator_eulerian = {
	.generator = { "eulerian", "a directed graph with an Euler circuit or path",
	               sizeof eulerian_parameters / sizeof *eulerian_parameters, eulerian_parameters },
	.check = eulerian_check,
	.make = eulerian_make,
};

/* DE BRUIJN (1946). Vertices are the words of k - 1 letters, and edges are the words of k letters. An edge leads from
 * its first k - 1 letters to its last k - 1 letters. An Euler circuit spells the shortest circular text that contains
 * every word of k letters. */

enum { DEBRUIJN_ALPHABET, DEBRUIJN_LENGTH, DEBRUIJN_KEYS, DEBRUIJN_PATH };
enum { LONGEST = 53 };
enum { WORDS, NUMBERS };

static const char letters[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
enum { LETTERS = sizeof letters - 1 };

static const char *const keys[] = { [WORDS] = "words", [NUMBERS] = "numbers", NULL };

static const gemp_parameter debruijn_parameters[] = {
	[DEBRUIJN_ALPHABET] = { "alphabet", 4, 1, 65536, true, "letters; the first ten are 0 to 9, then a to z and A to Z",
	                        NULL },
	[DEBRUIJN_LENGTH] = { "length", 6, 2, LONGEST, true,
	                      "letters of the word that an edge stands for; a vertex has one less", NULL },
	[DEBRUIJN_KEYS] = { "keys", WORDS, 0, NUMBERS, true,
	                    "of vertices: words of letters, or, which takes less time and memory, the numbers that they are to "
	                    "the base of the alphabet",
	                    keys },
	[DEBRUIJN_PATH] = { "path", 0, 0, 1, true,
	                    "1: without the edge 0...01, so that there is an Euler path and no circuit", NULL },
};

/* Computes with integers, since a double would lose the low digits. */
static uint64_t power(const double *values, double exponent)
{
	uint64_t product = 1;
	for (double i = 0; i < exponent; i++)
		product *= (uint64_t)values[DEBRUIJN_ALPHABET];
	return product;
}

static bool string_keys(const double *values)
{
	return values[DEBRUIJN_KEYS] == WORDS;
}

/* The number of vertices is computed as a double, since the integer could overflow. */
static gemp_code debruijn_check(const double *values)
{
	double vertices = 1;
	for (double i = 1; i < values[DEBRUIJN_LENGTH]; i++)
		vertices *= values[DEBRUIJN_ALPHABET];
	if (vertices > (double)GEMP_MAX_VERTICES)
		return gemp_fail(GEMP_EUSAGE,
		                 "generate debruijn: %.0f letters and words of %.0f are %.0f vertices, more than %.0f",
		                 values[DEBRUIJN_ALPHABET], values[DEBRUIJN_LENGTH], vertices, (double)GEMP_MAX_VERTICES);
	if (values[DEBRUIJN_KEYS] == WORDS && values[DEBRUIJN_ALPHABET] > LETTERS)
		return gemp_fail(GEMP_EUSAGE,
		                 "generate debruijn: there are %d letters for words, fewer than %.0f; take numbers as keys",
		                 LETTERS, values[DEBRUIJN_ALPHABET]);
	if (values[DEBRUIJN_PATH] != 0 && values[DEBRUIJN_ALPHABET] < 2)
		return gemp_fail(GEMP_EUSAGE, "generate debruijn: one letter makes one word; a path needs two");
	return GEMP_OK;
}

/* Returns the key of a vertex. The bytes of a string key are in `word`. */
static gemp_value key_of(const double *values, uint64_t vertex, char word[LONGEST])
{
	if (values[DEBRUIJN_KEYS] == NUMBERS)
		return (gemp_value){ .type = GEMP_INTEGER, .integer = (int64_t)vertex };
	uint64_t base = (uint64_t)values[DEBRUIJN_ALPHABET];
	size_t size = (size_t)values[DEBRUIJN_LENGTH] - 1;
	for (size_t i = size; i-- > 0; vertex /= base)
		word[i] = letters[vertex % base];
	return (gemp_value){ .type = GEMP_STRING, .string = { word, size } };
}

/* gemp_generator_vertices does not serve here, since keys may be words. */
static gemp_code make_vertices(const gemp_generator_run *making, uint64_t vertices)
{
	gemp_block_range span = gemp_generator_range(making, vertices);
	for (uint64_t id = span.begin; id < span.end; id++) {
		char word[LONGEST];
		gemp_value key = key_of(making->values, id, word);
		GEMP_TRY(gemp_builder_vertex(making->builder, &key, "", 0, (gemp_place){ making->file, id + 1 }));
	}
	return GEMP_OK;
}

/* The number of an edge is its word: the first letters are the source, and the last letters are the target. */
static gemp_code debruijn_make(const gemp_generator_run *making)
{
	const double *values = making->values;
	uint64_t vertices = power(values, values[DEBRUIJN_LENGTH] - 1), base = (uint64_t)values[DEBRUIJN_ALPHABET];
	gemp_block_range span = gemp_generator_range(making, vertices * base);
	GEMP_TRY(make_vertices(making, vertices));
	for (uint64_t edge = span.begin; edge < span.end; edge++) {
		char first[LONGEST], last[LONGEST];
		if (values[DEBRUIJN_PATH] != 0 && edge == 1)
			continue;
		gemp_value source = key_of(values, edge / base, first), target = key_of(values, edge % vertices, last);
		GEMP_TRY(gemp_builder_edge(making->builder, &source, &target, "E", 1, (gemp_place){ making->file, edge + 1 }));
	}
	return GEMP_OK;
}

const gemp_generator_entry gemp_generator_debruijn = {
	.generator = { "debruijn", "a de Bruijn graph: an edge for each word of so many letters",
	               sizeof debruijn_parameters / sizeof *debruijn_parameters, debruijn_parameters },
	.string_keys = string_keys,
	.check = debruijn_check,
	.make = debruijn_make,
};
