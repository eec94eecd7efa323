/* G(n, m): m different pairs, each set of m pairs with the same chance (as far as a seeded permutation gives it). The
 * pairs are numbered, and edge k is the pair that a permutation of the numbers puts at k: no pair comes twice. */

#include "generate/random_graphs.h"

#include "core/random.h"
#include "core/status.h"
#include "generate/generate.h"
#include "partition/build/builder.h"

enum { UNIFORM_VERTICES, UNIFORM_EDGES, UNIFORM_LABELS, UNIFORM_DIRECTED, UNIFORM_WEIGHTS };

static const gemp_parameter uniform_parameters[] = {
	[UNIFORM_VERTICES] = { "vertices", 10000, 0, (double)GEMP_MAX_VERTICES, true, "vertices", NULL },
	[UNIFORM_EDGES] = { "edges", 80000, 0, 0x1p53, true, "edges, all between different pairs, no loops", NULL },
	[UNIFORM_LABELS] = { "labels", 4, 1, 1 << 20, true, "labels L0, L1, ... spread by a hash of the id", NULL },
	[UNIFORM_DIRECTED] = { "directed", 0, 0, 1, true, "1: edges have a direction", NULL },
	[UNIFORM_WEIGHTS] = GEMP_WEIGHTS_PARAMETER,
};

static bool uniform_undirected(const double *values)
{
	return values[UNIFORM_DIRECTED] == 0;
}

/* Undirected pairs are counted once; the division comes first, as the product could overflow. */
static uint64_t pairs(const double *values)
{
	uint64_t n = (uint64_t)values[UNIFORM_VERTICES];
	if (n < 2)
		return 0;
	return uniform_undirected(values) ? (n % 2 ? n * ((n - 1) / 2) : n / 2 * (n - 1)) : n * (n - 1);
}

/* More edges than pairs cannot be all different. */
static gemp_code uniform_check(const double *values)
{
	if ((uint64_t)values[UNIFORM_EDGES] <= pairs(values))
		return GEMP_OK;
	return gemp_fail(GEMP_EUSAGE, "generate uniform: %.0f vertices have only %" PRIu64 " pairs, fewer than %.0f edges",
	                 values[UNIFORM_VERTICES], pairs(values), values[UNIFORM_EDGES]);
}

static gemp_code uniform_declare(gemp_builder *builder, const double *values)
{
	return gemp_generator_declare_weights(builder, values[UNIFORM_WEIGHTS]);
}

/* Undirected pairs are {i, i + d mod n}: n for each d below n / 2, and for an even n half as many for d = n / 2. */
static gemp_code uniform_make_edge(const gemp_generator_run *making, uint64_t number)
{
	uint64_t n = (uint64_t)making->values[UNIFORM_VERTICES];
	uint64_t x = gemp_generator_permute(gemp_generator_state(making->seed, GEMP_FOR_EDGE, 0), pairs(making->values),
	                                    number);
	uint64_t source = x % n, target = (source + x / n + 1) % n;
	gemp_code code = gemp_generator_edge(making, source, target, "E", number);
	return code == GEMP_OK ? gemp_generator_weight(making, source, target, making->values[UNIFORM_WEIGHTS]) : code;
}

/* A permutation of pair numbers gives different pairs without remembering any. */
static gemp_code uniform_make(const gemp_generator_run *making)
{
	gemp_block_range span = gemp_generator_range(making, (uint64_t)making->values[UNIFORM_EDGES]);
	uint64_t vertices = (uint64_t)making->values[UNIFORM_VERTICES];
	gemp_code code = gemp_generator_labelled(making, vertices, (uint64_t)making->values[UNIFORM_LABELS]);
	for (uint64_t number = span.begin; number < span.end && code == GEMP_OK; number++)
		code = uniform_make_edge(making, number);
	return code;
}

const gemp_generator_entry gemp_generator_uniform = {
	.generator = { "uniform", "a random graph with n vertices and m edges",
	               sizeof uniform_parameters / sizeof *uniform_parameters, uniform_parameters },
	.undirected = uniform_undirected,
	.check = uniform_check,
	.declare = uniform_declare,
	.make = uniform_make,
};

/* R-MAT (Chakrabarti, Zhan, Faloutsos 2004): each edge falls into one of four quadrants of the adjacency matrix,
 * `scale` times over. Loops are dropped, ids are shuffled, parallel edges are merged by the builder. */

enum { RMAT_SCALE, RMAT_EDGE_FACTOR, RMAT_A, RMAT_B, RMAT_C, RMAT_LABELS, RMAT_DIRECTED, RMAT_WEIGHTS };

static const gemp_parameter rmat_parameters[] = {
	[RMAT_SCALE] = { "scale", 14, 1, 31, true, "2^scale vertices", NULL },
	[RMAT_EDGE_FACTOR] = { "edge-factor", 8, 0, 1 << 20, true,
	                       "edges drawn per vertex, before loops and parallels are dropped", NULL },
	[RMAT_A] = { "a", 0.57, 0, 1, false, "chance of the quadrant low -> low", NULL },
	[RMAT_B] = { "b", 0.19, 0, 1, false, "chance of the quadrant low -> high", NULL },
	[RMAT_C] = { "c", 0.19, 0, 1, false, "chance of the quadrant high -> low; the rest is high -> high", NULL },
	[RMAT_LABELS] = { "labels", 4, 1, 1 << 20, true, "labels L0, L1, ... spread by a hash of the id", NULL },
	[RMAT_DIRECTED] = { "directed", 0, 0, 1, true, "1: edges keep their direction", NULL },
	[RMAT_WEIGHTS] = GEMP_WEIGHTS_PARAMETER,
};

static bool rmat_undirected(const double *values)
{
	return values[RMAT_DIRECTED] == 0;
}

/* The fourth quadrant has what the other three leave. */
static gemp_code rmat_check(const double *values)
{
	double sum = values[RMAT_A] + values[RMAT_B] + values[RMAT_C];
	if (sum <= 1 + 1e-9)
		return GEMP_OK;
	return gemp_fail(GEMP_EUSAGE, "generate rmat: a + b + c is %g; chances of quadrants cannot pass 1", sum);
}

static gemp_code rmat_declare(gemp_builder *builder, const double *values)
{
	return gemp_generator_declare_weights(builder, values[RMAT_WEIGHTS]);
}

/* Each level of the recursion chooses a quarter of the matrix (Chakrabarti, Zhan and Faloutsos 2004). */
static gemp_code rmat_make_edge(const gemp_generator_run *making, uint64_t number)
{
	const double *values = making->values;
	double a = values[RMAT_A], ab = a + values[RMAT_B], abc = ab + values[RMAT_C];
	uint64_t state = gemp_generator_state(making->seed, GEMP_FOR_EDGE, number), source = 0, target = 0;
	uint64_t order = gemp_generator_state(making->seed, GEMP_FOR_ORDER, 0);
	uint64_t vertices = UINT64_C(1) << (int)values[RMAT_SCALE];
	for (int bit = 0; bit < (int)values[RMAT_SCALE]; bit++) {
		double r = gemp_random_unit(&state);
		source = source << 1 | (r >= ab);
		target = target << 1 | ((r >= a && r < ab) || r >= abc);
	}
	if (source == target)
		return GEMP_OK;
	source = gemp_generator_permute(order, vertices, source);
	target = gemp_generator_permute(order, vertices, target);
	bool turn = rmat_undirected(values) && source > target; /* then it does not matter which of two parallels is kept */
	uint64_t from = turn ? target : source, to = turn ? source : target;
	gemp_code code = gemp_generator_edge(making, from, to, "E", number);
	return code == GEMP_OK ? gemp_generator_weight(making, from, to, values[RMAT_WEIGHTS]) : code;
}

/* Edges may repeat, as in Graph500; the builder keeps or merges them. */
static gemp_code rmat_make(const gemp_generator_run *making)
{
	uint64_t vertices = UINT64_C(1) << (int)making->values[RMAT_SCALE];
	gemp_block_range span = gemp_generator_range(making, vertices * (uint64_t)making->values[RMAT_EDGE_FACTOR]);
	gemp_code code = gemp_generator_labelled(making, vertices, (uint64_t)making->values[RMAT_LABELS]);
	for (uint64_t number = span.begin; number < span.end && code == GEMP_OK; number++)
		code = rmat_make_edge(making, number);
	return code;
}

const gemp_generator_entry gemp_generator_rmat = {
	.generator = { "rmat", "a graph with hubs, as social networks have (R-MAT)",
	               sizeof rmat_parameters / sizeof *rmat_parameters, rmat_parameters },
	.merge_parallel = true,
	.undirected = rmat_undirected,
	.check = rmat_check,
	.declare = rmat_declare,
	.make = rmat_make,
};

/* Two generators of graphs with an Euler circuit or path.
 *
 * eulerian: edge number i is a function of i and the seed alone, so that ranks make their edges without any exchange,
 * and in- and out-degrees are equal by construction. The shapes are hard for different algorithms: deep graphs have few
 * long circuits, shallow ones very many short circuits, random ones a closed random walk. debruijn: the words of k - 1
 * letters are the vertices, those of k letters the edges, from their first letters to their last ones (de Bruijn 1946).
 * An Euler circuit spells the shortest circular text that contains every word of k letters.
 */

enum { EULERIAN_SHAPE, EULERIAN_VERTICES, EULERIAN_EDGES, EULERIAN_PATH };
enum { BAND = 16 };    /* vertices that an edge of a deep graph goes ahead, on average */
enum { BATCH = 1024 }; /* edges made at a time */

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

/* An Euler circuit through all vertices needs an edge into each of them. */
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

/* DEEP: first a ring of all vertices. The rest are a second ring, of places that are spread over the vertices evenly
 * with some noise: each place is where one edge ends and one begins, some places ahead. */

static uint64_t vertex_at(const gemp_eulerian *graph, uint64_t places, uint64_t place)
{
	uint64_t noise = gemp_generator_state(graph->seed, GEMP_FOR_EDGE, place) % BAND;
	double apart = (double)graph->vertices / (double)places;
	return ((uint64_t)((double)place * apart) + noise) % graph->vertices;
}

/* The ring joins all vertices, so that one circuit can reach them all. */
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

/* SHALLOW: all vertices but 0 are in groups, of one vertex each if there are edges enough. A group is entered from an
 * older vertex, gone through, and left to an older vertex; where these two are drawn apart a third edge joins them.
 * Edges that are left over go to and fro between two vertices. In the order of numbers: edges into a vertex for the
 * first time, edges that leave groups, third edges, others. */

/* The group of the new vertex number `which` of `count` in `groups`, and the first new vertex in it. */
static uint64_t group_of(uint64_t count, uint64_t groups, uint64_t which, uint64_t *first)
{
	uint64_t size = count / groups, longer = count % groups, in_longer = longer * (size + 1);
	uint64_t group = which < in_longer ? which / (size + 1) : longer + (which - in_longer) / size;
	*first = group * size + gemp_min(group, longer);
	return group;
}

/* The longer groups come first. */
static uint64_t first_of(uint64_t count, uint64_t groups, uint64_t group)
{
	uint64_t size = count / groups, longer = count % groups;
	return group * size + gemp_min(group, longer);
}

/* The older vertices between which a group hangs; new vertex number i is i + 1. */
static void choose_anchors(const gemp_eulerian *graph, uint64_t group, uint64_t first, bool apart, uint64_t between[2])
{
	uint64_t state = gemp_generator_state(graph->seed, GEMP_FOR_VERTEX, group);
	between[0] = gemp_random_below(&state, first + 1);
	between[1] = apart ? gemp_random_below(&state, first + 1) : between[0];
}

/* Two edges to and fro keep degrees equal; a single one is a loop. */
static void left_over_edge(const gemp_eulerian *graph, uint64_t count, uint64_t number, uint64_t ends[2])
{
	uint64_t state = gemp_generator_state(graph->seed, GEMP_FOR_EDGE, number / 2);
	uint64_t a = gemp_random_below(&state, graph->vertices), b = gemp_random_below(&state, graph->vertices);
	bool single = number + 1 == count && number % 2 == 0;
	ends[0] = single || number % 2 == 0 ? a : b;
	ends[1] = single || number % 2 != 0 ? a : b;
}

/* Every edge is a function of its number, so that ranks make theirs without talking to each other. */
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
		left_over_edge(graph, more - groups - thirds, number - thirds, ends);
	}
}

/* RANDOM: a walk over places, of which a permutation says which vertices they are. */

static uint64_t walk_at(const gemp_eulerian *graph, uint64_t place)
{
	uint64_t places = graph->edges + graph->path, order = gemp_generator_state(graph->seed, GEMP_FOR_ORDER, 0);
	uint64_t vertex = gemp_generator_permute(order, places, place % places) % graph->vertices;
	if (!graph->path || place != graph->edges)
		return vertex;
	bool closed = vertex == gemp_generator_permute(order, places, 0) % graph->vertices;
	return closed ? (vertex + 1) % graph->vertices : vertex;
}

/* A walk that closes has equal degrees everywhere. */
static void walk(const gemp_eulerian *graph, uint64_t first, size_t count, uint64_t (*ends)[2])
{
	uint64_t at = walk_at(graph, first);
	for (size_t i = 0; i < count; i++) {
		ends[i][0] = at;
		ends[i][1] = at = walk_at(graph, first + i + 1);
	}
}

/* A path is a circuit without one edge that is no loop: in a ring the one that closes it, and of groups the one that
 * leaves the first, to vertex 0. */
void gemp_eulerian_edges(const gemp_eulerian *graph, uint64_t first, size_t count, uint64_t (*ends)[2])
{
	if (graph->shape == GEMP_EULERIAN_RANDOM) {
		walk(graph, first, count, ends);
		return;
	}
	uint64_t edges = graph->edges + graph->path;
	for (size_t i = 0; i < count; i++) {
		uint64_t number = first + i + (graph->path && first + i >= graph->vertices - 1);
		(graph->shape == GEMP_EULERIAN_DEEP ? deep_edge : shallow_edge)(graph, edges, number, ends[i]);
	}
}

/* THE GENERATOR */

static gemp_eulerian graph_of(const double *values, uint64_t seed)
{
	return (gemp_eulerian){ .shape = (gemp_eulerian_shape)values[EULERIAN_SHAPE],
		                    .vertices = (uint64_t)values[EULERIAN_VERTICES],
		                    .edges = (uint64_t)values[EULERIAN_EDGES],
		                    .path = values[EULERIAN_PATH] != 0,
		                    .seed = seed };
}

static bool eulerian_undirected(const double *values)
{
	(void)values;
	return false;
}

static gemp_code eulerian_check(const double *values)
{
	gemp_eulerian graph = graph_of(values, 0);
	return gemp_eulerian_check(&graph);
}

/* Edges are made in batches to share the work per call. */
static gemp_code eulerian_make(const gemp_generator_run *making)
{
	gemp_eulerian graph = graph_of(making->values, making->seed);
	gemp_block_range span = gemp_generator_range(making, graph.edges);
	gemp_code code = gemp_generator_vertices(making, graph.vertices);
	GEMP_THEN(gemp_builder_reserve_edges(making->builder, span.end - span.begin));
	uint64_t ends[BATCH][2];
	for (uint64_t at = span.begin; at < span.end && code == GEMP_OK; at += BATCH) {
		size_t count = span.end - at < BATCH ? span.end - at : BATCH;
		gemp_eulerian_edges(&graph, at, count, ends);
		for (size_t i = 0; i < count && code == GEMP_OK; i++)
			code = gemp_generator_edge(making, ends[i][0], ends[i][1], "E", at + i);
	}
	return code;
}

const gemp_generator_entry gemp_generator_eulerian = {
	.generator = { "eulerian", "a directed graph with an Euler circuit or path",
	               sizeof eulerian_parameters / sizeof *eulerian_parameters, eulerian_parameters },
	.undirected = eulerian_undirected,
	.check = eulerian_check,
	.make = eulerian_make,
};

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

/* Integers, as a double would lose the last digits. */
static uint64_t power(const double *values, double exponent)
{
	uint64_t product = 1;
	for (double i = 0; i < exponent; i++)
		product *= (uint64_t)values[DEBRUIJN_ALPHABET];
	return product;
}

static bool debruijn_undirected(const double *values)
{
	(void)values;
	return false;
}

static bool string_keys(const double *values)
{
	return values[DEBRUIJN_KEYS] == WORDS;
}

/* The count is taken as a double, since the integer could overflow. */
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

/* A vertex's key; the text of a word lies in `word`. */
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

/* A rank makes the vertices of its block. */
static gemp_code make_vertices(const gemp_generator_run *making, uint64_t vertices)
{
	gemp_code code = GEMP_OK;
	gemp_block_range span = gemp_generator_range(making, vertices);
	for (uint64_t id = span.begin; id < span.end && code == GEMP_OK; id++) {
		char word[LONGEST];
		gemp_value key = key_of(making->values, id, word);
		code = gemp_builder_vertex(making->builder, &key, "", 0, (gemp_place){ making->file, id + 1 });
	}
	return code;
}

/* An edge's number is its word: its first letters are the source, its last ones the target. */
static gemp_code debruijn_make(const gemp_generator_run *making)
{
	const double *values = making->values;
	uint64_t vertices = power(values, values[DEBRUIJN_LENGTH] - 1), base = (uint64_t)values[DEBRUIJN_ALPHABET];
	gemp_block_range span = gemp_generator_range(making, vertices * base);
	gemp_code code = make_vertices(making, vertices);
	for (uint64_t edge = span.begin; edge < span.end && code == GEMP_OK; edge++) {
		char first[LONGEST], last[LONGEST];
		if (values[DEBRUIJN_PATH] != 0 && edge == 1)
			continue;
		gemp_value source = key_of(values, edge / base, first), target = key_of(values, edge % vertices, last);
		code = gemp_builder_edge(making->builder, &source, &target, "E", 1, (gemp_place){ making->file, edge + 1 });
	}
	return code;
}

const gemp_generator_entry gemp_generator_debruijn = {
	.generator = { "debruijn", "a de Bruijn graph: an edge for each word of so many letters",
	               sizeof debruijn_parameters / sizeof *debruijn_parameters, debruijn_parameters },
	.undirected = debruijn_undirected,
	.string_keys = string_keys,
	.check = debruijn_check,
	.make = debruijn_make,
};
