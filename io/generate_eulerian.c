#include "io/generate_eulerian.h"

#include "core/random.h"
#include "io/generate_parts.h"

enum { SHAPE, VERTICES, EDGES, PATH };
enum { BAND = 16 };    /* vertices that an edge of a deep graph goes ahead, on average */
enum { BATCH = 1024 }; /* edges made at a time */

static const char *const shapes[] = {
	[GEMP_EULERIAN_DEEP] = "deep", [GEMP_EULERIAN_SHALLOW] = "shallow", [GEMP_EULERIAN_RANDOM] = "random", NULL,
};

static const gemp_parameter parameters[] = {
	[SHAPE] = { "shape", GEMP_EULERIAN_DEEP, 0, GEMP_EULERIAN_RANDOM, true,
	            "deep: a band of edges to near vertices, few long circuits; shallow: very many short circuits; "
	            "random: a random closed walk", shapes },
	[VERTICES] = { "vertices", 10000, 0, (double)GEMP_MAX_VERTICES, true, "vertices", NULL },
	[EDGES] = { "edges", 40000, 0, 0x1p53, true, "edges, at least as many as vertices (with --path 1 one less)",
	            NULL },
	[PATH] = { "path", 0, 0, 1, true, "1: an Euler path, which ends elsewhere than it begins, and no circuit",
	           NULL },
};

gemp_code gemp_eulerian_check(const gemp_eulerian *graph)
{
	uint64_t least = graph->path && graph->vertices ? graph->vertices - 1 : graph->vertices;
	if (graph->path && graph->vertices < 2)
		return gemp_fail(GEMP_EUSAGE,
		                 "generate eulerian: a path from one vertex to another needs two vertices");
	if (!graph->vertices && graph->edges)
		return gemp_fail(GEMP_EUSAGE, "generate eulerian: %" PRIu64 " edges need a vertex", graph->edges);
	if (graph->edges < least)
		return gemp_fail(GEMP_EUSAGE, "generate eulerian: an Euler %s through %" PRIu64 " vertices takes at "
		                 "least %" PRIu64 " edges, more than %" PRIu64, graph->path ? "path" : "circuit",
		                 graph->vertices, least, graph->edges);
	return GEMP_OK;
}

/* DEEP: first a ring of all vertices. The rest are a second ring, of places that are spread over the vertices evenly
 * with some noise: each place is where one edge ends and one begins, some places ahead. */

static uint64_t vertex_at(const gemp_eulerian *graph, uint64_t places, uint64_t place)
{
	uint64_t noise = gemp_stream_state(graph->seed, GEMP_FOR_EDGE, place) % BAND;
	double apart = (double)graph->vertices / (double)places;
	return ((uint64_t)((double)place * apart) + noise) % graph->vertices;
}

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
	*first = group * size + (group < longer ? group : longer);
	return group;
}

static uint64_t first_of(uint64_t count, uint64_t groups, uint64_t group)
{
	uint64_t size = count / groups, longer = count % groups;
	return group * size + (group < longer ? group : longer);
}

/* The older vertices between which a group hangs; new vertex number i is i + 1. */
static void hang(const gemp_eulerian *graph, uint64_t group, uint64_t first, bool apart, uint64_t between[2])
{
	uint64_t state = gemp_stream_state(graph->seed, GEMP_FOR_VERTEX, group);
	between[0] = gemp_random_below(&state, first + 1);
	between[1] = apart ? gemp_random_below(&state, first + 1) : between[0];
}

static void left_over_edge(const gemp_eulerian *graph, uint64_t count, uint64_t number, uint64_t ends[2])
{
	uint64_t state = gemp_stream_state(graph->seed, GEMP_FOR_EDGE, number / 2);
	uint64_t a = gemp_random_below(&state, graph->vertices), b = gemp_random_below(&state, graph->vertices);
	bool single = number + 1 == count && number % 2 == 0;
	ends[0] = single || number % 2 == 0 ? a : b;
	ends[1] = single || number % 2 != 0 ? a : b;
}

static void shallow_edge(const gemp_eulerian *graph, uint64_t edges, uint64_t number, uint64_t ends[2])
{
	uint64_t count = graph->vertices - 1, more = edges - count, first, between[2];
	uint64_t groups = more < count ? more : count;
	uint64_t thirds = more - groups < count ? more - groups : count;
	if (number < count) {
		uint64_t group = group_of(count, groups, number, &first);
		hang(graph, group, first, group < thirds, between);
		ends[0] = number == first ? between[0] : number;
		ends[1] = number + 1;
	} else if ((number -= count) < groups) {
		first = first_of(count, groups, number);
		hang(graph, number, first, number < thirds, between);
		ends[0] = first_of(count, groups, number + 1);
		ends[1] = between[1];
	} else if ((number -= groups) < thirds) {
		hang(graph, number, first_of(count, groups, number), true, between);
		ends[0] = between[1];
		ends[1] = between[0];
	} else {
		left_over_edge(graph, more - groups - thirds, number - thirds, ends);
	}
}

/* RANDOM: a walk over places, of which a permutation says which vertices they are. */

static uint64_t walk_at(const gemp_eulerian *graph, uint64_t place)
{
	uint64_t places = graph->edges + graph->path, order = gemp_stream_state(graph->seed, GEMP_FOR_ORDER, 0);
	uint64_t vertex = gemp_permute(order, places, place % places) % graph->vertices;
	if (!graph->path || place != graph->edges)
		return vertex;
	bool closed = vertex == gemp_permute(order, places, 0) % graph->vertices;
	return closed ? (vertex + 1) % graph->vertices : vertex;
}

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

static gemp_eulerian asked_for(const double *values, uint64_t seed)
{
	return (gemp_eulerian){ .shape = (gemp_eulerian_shape)values[SHAPE], .vertices = (uint64_t)values[VERTICES],
	                        .edges = (uint64_t)values[EDGES], .path = values[PATH] != 0, .seed = seed };
}

static bool undirected(const double *values)
{
	(void)values;
	return false;
}

static gemp_code check(const double *values)
{
	gemp_eulerian graph = asked_for(values, 0);
	return gemp_eulerian_check(&graph);
}

static gemp_code make(const gemp_making *making)
{
	gemp_eulerian graph = asked_for(making->values, making->seed);
	gemp_span span = gemp_making_share(making, graph.edges);
	gemp_code code = gemp_make_vertices(making, graph.vertices);
	if (code == GEMP_OK)
		code = gemp_builder_reserve_edges(making->builder, span.end - span.begin);
	uint64_t ends[BATCH][2];
	for (uint64_t at = span.begin; at < span.end && code == GEMP_OK; at += BATCH) {
		size_t count = span.end - at < BATCH ? span.end - at : BATCH;
		gemp_eulerian_edges(&graph, at, count, ends);
		for (size_t i = 0; i < count && code == GEMP_OK; i++)
			code = gemp_make_edge(making, ends[i][0], ends[i][1], "E", at + i);
	}
	return code;
}

const gemp_generator_entry gemp_generator_eulerian = {
	.generator = { "eulerian", "a directed graph with an Euler circuit or path",
	               sizeof parameters / sizeof *parameters, parameters },
	.undirected = undirected,
	.check = check,
	.make = make,
};
