/* generate: makes graphs from a seed. A graph is the same for every number of ranks and threads.
 *
 * Every vertex and edge draws from its own counter-based stream of random numbers, so each rank makes its part of the
 * ids, and the graph does not depend on which rank made what. Only integers and exactly rounded operations are used, so
 * the graph is the same on every machine.
 */

#ifndef GEMP_GENERATE_GENERATE_H
#define GEMP_GENERATE_GENERATE_H

#include "comm/comm.h"
#include "gemp/graph.h"
#include "graph/graph.h"
#include "partition/build/builder.h"

/* GENERATORS make vertices and edges from their numbers and a seed alone. */

/* The purpose of a stream of random numbers. Purpose, seed and a number identify the stream. */
typedef enum gemp_generator_stream {
	GEMP_FOR_VERTEX = 1,
	GEMP_FOR_EDGE,
	GEMP_FOR_ORDER,
	GEMP_FOR_PERSON,
	GEMP_FOR_FILM,
	GEMP_FOR_ROUTE,
	GEMP_FOR_WEIGHT
} gemp_generator_stream;

uint64_t gemp_generator_state(uint64_t seed, gemp_generator_stream purpose, uint64_t number);

/* The image of `x` under a seeded permutation of [0, n), which any rank computes without a table. */
uint64_t gemp_generator_permute(uint64_t seed, uint64_t n, uint64_t x);

/* Draws k of [1, n] with probability about 1/k (Zipf's law by octaves: it is the same for all k of [2^i, 2^(i+1))). */
uint64_t gemp_generator_zipf(uint64_t *state, uint64_t n);

/* One thread of a generator's run. */
typedef struct gemp_generator_run {
	const gemp_comm *comm;
	unsigned thread, threads;
	gemp_builder *builder; /* of this thread */
	const double *values;  /* of the parameters, in the generator's order */
	uint64_t seed;
	uint32_t file; /* of places in messages; their line is the number of the vertex or edge, from 1 */
} gemp_generator_run;

/* The part of [0, count) that this thread of this rank makes. */
gemp_block_range gemp_generator_range(const gemp_generator_run *making, uint64_t count);

/* Adds a vertex whose key is its id. label: "" for none. */
gemp_code gemp_generator_vertex(const gemp_generator_run *making, uint64_t id, const char *label);
/* Set an attribute of the last vertex. */
gemp_code gemp_generator_set_text(const gemp_generator_run *making, size_t column, const char *text);
gemp_code gemp_generator_set_integer(const gemp_generator_run *making, size_t column, int64_t value);
/* Adds this thread's part of the vertices 0..count-1, without labels (labels 0), or each with one of the labels L0, L1,
 * ..., by a hash of its id. */
gemp_code gemp_generator_vertices(const gemp_generator_run *making, uint64_t count, uint64_t labels);
/* Adds an edge between vertices whose keys are their ids. number: of the edge, for its place. */
gemp_code gemp_generator_edge(const gemp_generator_run *making, uint64_t source, uint64_t target, const char *type,
                              uint64_t number);

/* An edge attribute `weight`, from 1 to `max`; 0: edges have none. It is a hash of the edge's ends, in their order, so
 * parallel edges that are merged have the same weight. */
#define GEMP_WEIGHTS_PARAMETER                                                                                      \
	{                                                                                                               \
		"weights", 0, 0, 0x1p31, true, "edges get an attribute `weight`, a whole number from 1 to N; 0: none", NULL \
	}
gemp_code gemp_generator_weight(const gemp_generator_run *making, uint64_t source, uint64_t target,
                                double max); /* of the last edge */

/* A generator's table of parameters and its functions. */
typedef struct gemp_generator_entry {
	gemp_generator generator;
	bool merge_parallel; /* a pair may be drawn more than once */
	size_t directed;     /* 1 + the parameter that is 0 if edges have no direction; 0: edges are directed */
	size_t weights;      /* 1 + the parameter that is the largest weight; 0: edges have no weights */
	bool (*string_keys)(const double *values);           /* NULL: keys are integers */
	gemp_code (*check)(const double *values);            /* of values that must fit together; may be NULL */
	gemp_code (*declare)(gemp_builder *builder);         /* columns; may be NULL */
	gemp_code (*make)(const gemp_generator_run *making); /* this thread's part */
} gemp_generator_entry;

extern const gemp_generator_entry gemp_generator_rmat, gemp_generator_uniform, gemp_generator_movies,
	gemp_generator_railway, gemp_generator_eulerian, gemp_generator_debruijn;

enum { GEMP_MAX_PARAMETERS = 8 };

typedef struct gemp_generate_options {
	size_t generator;                   /* index in gemp_generators() */
	double values[GEMP_MAX_PARAMETERS]; /* of its parameters, in their order */
	uint64_t seed;                      /* of the graph; 1 by default */
	uint64_t relabel_seed;              /* of the random partition, as in import; 1 by default */
	struct gemp_step_times *steps;      /* core/log.h: gets the time of each stage; NULL: not wanted */
} gemp_generate_options;

/* Defaults of the named generator; an unknown name is GEMP_EUSAGE with near names. */
gemp_code gemp_generate_init(gemp_generate_options *options, const char *generator);
/* Sets one parameter from text: "scale", "20". GEMP_EUSAGE: an unknown name or word, or a value that is no number or
 * out of range. */
gemp_code gemp_generate_set(gemp_generate_options *options, const char *parameter, const char *value);

/* Collective; the options are alike on all ranks. */
gemp_code gemp_generate(gemp_shard **out, const gemp_comm *comm, const gemp_generate_options *options);

/* GRAPHS WITH AN EULER CIRCUIT OR PATH. Every vertex has as many edges in as out (except the ends of a path), every
 * vertex has an edge, and the graph is connected. Each edge is a function of its number. */

typedef enum gemp_eulerian_shape {
	/* A band: edges go to one of the next 31 vertices, so there are few circuits, each of which winds around all
	 * vertices. */
	GEMP_EULERIAN_DEEP,
	/* Each vertex is joined to older ones by a triangle or a pair of edges, which makes tens of thousands of short
	 * circuits. With fewer edges several vertices share a triangle or pair. */
	GEMP_EULERIAN_SHALLOW,
	/* A closed walk that visits every vertex about equally often, in random order. */
	GEMP_EULERIAN_RANDOM,
} gemp_eulerian_shape;

typedef struct gemp_eulerian {
	gemp_eulerian_shape shape;
	uint64_t vertices, edges, seed;
	bool path; /* the walk ends at another vertex than it begins at */
} gemp_eulerian;

/* GEMP_EUSAGE if there is no such graph. */
gemp_code gemp_eulerian_check(const gemp_eulerian *graph);
/* ends[count] become source and target of the edges first .. first + count - 1, all below graph->edges. */
void gemp_eulerian_edges(const gemp_eulerian *graph, uint64_t first, size_t count, uint64_t (*ends)[2]);

/* NAMES that look real, from a stream of random numbers. */

enum { GEMP_NAME_SIZE = 96, GEMP_GENRES = 18 };

extern const char *const gemp_movies_genres[GEMP_GENRES];

/* Each fills name[GEMP_NAME_SIZE] and returns its length. */
size_t gemp_movies_person(char *name, uint64_t *state); /* "Jack Moreau" */
size_t gemp_movies_title(char *name, uint64_t *state);  /* "The Silent Harbour" */
size_t gemp_movies_role(char *name, uint64_t *state);   /* "The Sheriff", or a person */

#endif
