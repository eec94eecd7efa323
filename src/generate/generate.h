/* generate: makes graphs from a seed. A graph is the same for every number of ranks and threads.
 *
 * Each vertex, edge, film, person or route draws from its own counter-based stream of random numbers, so the graph does
 * not depend on which rank makes which ids. Only integers and exactly rounded operations are used, so the graph is the
 * same on every machine. */

#ifndef GEMP_GENERATE_GENERATE_H
#define GEMP_GENERATE_GENERATE_H

#include "comm/comm.h"
#include "gemp/graph.h"
#include "graph/graph.h"
#include "partition/build/builder.h"

/* GENERATORS make vertices and edges only from their numbers and a seed. */

/* The purpose of a random stream. Purpose, seed and a number identify the stream. */
typedef enum gemp_generator_stream {
	GEMP_FOR_VERTEX = 1,
	GEMP_FOR_EDGE,
	GEMP_FOR_ORDER,
	GEMP_FOR_PERSON,
	GEMP_FOR_FILM,
	GEMP_FOR_ROUTE,
	GEMP_FOR_WEIGHT,
	GEMP_FOR_CONCEPT
} gemp_generator_stream;

uint64_t gemp_generator_state(uint64_t seed, gemp_generator_stream purpose, uint64_t number);
/* The state of the stream of number k is gemp_mix(gemp_generator_stream_state(seed, purpose) + k). */
uint64_t gemp_generator_stream_state(uint64_t seed, gemp_generator_stream purpose);

/* Draws k of [1, n] with a probability of about 1/k (Zipf's law by octaves: all k of [2^i, 2^(i+1)) have the same
 * probability). */
uint64_t gemp_generator_zipf(uint64_t *state, uint64_t n);

/* One part of a generator's run, which one thread makes. */
typedef struct gemp_generator_run {
	const gemp_comm *comm;
	unsigned part, parts;  /* of this rank */
	gemp_builder *builder; /* the builder of this part */
	const double *values;  /* values of the parameters, in the generator's order */
	uint64_t seed;
	/* number of the file in places of messages; the line of a place is the number of the vertex or edge, from 1 */
	uint32_t file;
} gemp_generator_run;

/* Returns the part of [0, count) that belongs to this part. */
gemp_block_range gemp_generator_range(const gemp_generator_run *making, uint64_t count);

/* Adds a vertex whose key is its id. label "": no label. */
gemp_code gemp_generator_vertex(const gemp_generator_run *making, uint64_t id, const char *label);
/* Set an attribute of the last added vertex. */
gemp_code gemp_generator_set_text(const gemp_generator_run *making, size_t column, const char *text);
gemp_code gemp_generator_set_integer(const gemp_generator_run *making, size_t column, int64_t value);
/* Adds this part of the vertices 0..count-1. With labels > 0, each vertex has one of the labels L0, L1, ...,
 * which a hash of its id selects. */
gemp_code gemp_generator_vertices(const gemp_generator_run *making, uint64_t count, uint64_t labels);
/* Adds an edge between vertices whose keys are their ids. number: the number of the edge, for its place in messages. */
gemp_code gemp_generator_edge(const gemp_generator_run *making, uint64_t source, uint64_t target, const char *type,
                              uint64_t number);

/* Adds `count` edges of type E between vertices whose keys are their ids. ends: source, target, source, ... number: the
 * number of the first edge, which is the place of all of them. weights: as for gemp_generator_weight. */
gemp_code gemp_generator_edges(const gemp_generator_run *making, const int64_t *ends, size_t count, uint64_t number,
                               double weights);

#define GEMP_LABELS_PARAMETER                                                                \
	{                                                                                        \
		"labels", 4, 1, 1 << 20, true, "labels L0, L1, ... spread by a hash of the id", NULL \
	}

/* The parameter of the edge attribute `weight`, from 1 to `max`; 0: edges have no weight. A weight is a hash of the
 * edge's ends, in their order, so parallel edges that are merged have the same weight. */
#define GEMP_WEIGHTS_PARAMETER                                                                                      \
	{                                                                                                               \
		"weights", 0, 0, 0x1p31, true, "edges get an attribute `weight`, a whole number from 1 to N; 0: none", NULL \
	}
gemp_code gemp_generator_weight(const gemp_generator_run *making, uint64_t source, uint64_t target,
                                double max); /* weight of the last edge */

/* A generator: its table of parameters and its functions. */
typedef struct gemp_generator_entry {
	gemp_generator generator;
	bool merge_parallel; /* a pair may be drawn repeatedly, so the builder merges parallel edges */
	size_t directed;     /* 1 + the index of the parameter that is 0 for undirected edges; 0: edges are directed */
	bool undirected;     /* edges are always undirected */
	size_t weights;      /* 1 + the index of the parameter with the maximum weight; 0: edges have no weights */
	/* true if the graph has string keys; NULL: keys are integers */
	bool (*string_keys)(const double *values);
	/* The number n of vertices, with the keys 0 to n - 1, of a generator whose edges do not follow the order of keys.
	 * Ids in this order make ranges of ids random parts. NULL: ids must be made random. */
	uint64_t (*random_keys)(const double *values);
	gemp_code (*check)(const double *values);            /* checks that values fit together; may be NULL */
	gemp_code (*declare)(gemp_builder *builder);         /* declares columns; may be NULL */
	gemp_code (*make)(const gemp_generator_run *making); /* makes one part */
} gemp_generator_entry;

extern const gemp_generator_entry gemp_generator_rmat, gemp_generator_uniform, gemp_generator_movies,
	gemp_generator_railway, gemp_generator_translations, gemp_generator_eulerian, gemp_generator_debruijn;

enum { GEMP_MAX_PARAMETERS = 10 };

typedef struct gemp_generate_options {
	size_t generator;                   /* index in gemp_generators() */
	double values[GEMP_MAX_PARAMETERS]; /* values of its parameters, in their order */
	uint64_t seed;                      /* seed of the graph; 1 by default */
	/* Seed of the random partition, as in import. 0, the default: ids are keys if the order of keys is random already,
	 * and otherwise the seed is 1. */
	uint64_t relabel_seed;
	bool merged_rows;              /* as in gemp_builder_options */
	struct gemp_step_times *steps; /* receives the time of each stage (core/log.h); NULL: not timed */
} gemp_generate_options;

/* Sets the defaults of the named generator. GEMP_EUSAGE if there is no such generator; the message suggests similar
 * names. */
gemp_code gemp_generate_init(gemp_generate_options *options, const char *generator);
/* Sets one parameter from text: "scale", "20". GEMP_EUSAGE if the name or word is unknown, or the value is not a number
 * or out of range. */
gemp_code gemp_generate_set(gemp_generate_options *options, const char *parameter, const char *value);

/* Collective. The options are equal on all ranks. */
gemp_code gemp_generate(gemp_shard **out, const gemp_comm *comm, const gemp_generate_options *options);

/* GRAPHS WITH AN EULER CIRCUIT OR PATH. Every vertex has equal in- and out-degree, except the ends of a path. Every
 * vertex has an edge, and the graph is connected. Each edge is a function of its number. */

typedef enum gemp_eulerian_shape {
	/* A band: an edge leads to one of the next 31 vertices. There are few circuits, and each of them passes all
	 * vertices repeatedly. */
	GEMP_EULERIAN_DEEP,
	/* Each vertex is joined to older vertices by a triangle or a pair of edges, which makes tens of thousands of short
	 * circuits. With fewer edges, several vertices share a triangle or pair. */
	GEMP_EULERIAN_SHALLOW,
	/* A closed walk that visits all vertices about equally often, in random order. */
	GEMP_EULERIAN_RANDOM,
} gemp_eulerian_shape;

typedef struct gemp_eulerian {
	gemp_eulerian_shape shape;
	uint64_t vertices, edges, seed;
	bool path; /* the walk ends at another vertex than it begins */
} gemp_eulerian;

/* Returns GEMP_EUSAGE if there is no such graph. */
gemp_code gemp_eulerian_check(const gemp_eulerian *graph);
/* ends[i] becomes source and target of edge first + i, for `count` edges with numbers less than graph->edges. */
void gemp_eulerian_edges(const gemp_eulerian *graph, uint64_t first, size_t count, uint64_t (*ends)[2]);

/* NAMES that look real, from a random stream. */

enum { GEMP_NAME_SIZE = 96, GEMP_GENRES = 18 };

extern const char *const gemp_movies_genres[GEMP_GENRES];

/* Each function fills name[GEMP_NAME_SIZE] and returns the length of the name. */
size_t gemp_movies_person(char *name, uint64_t *state); /* "Jack Moreau" */
size_t gemp_movies_title(char *name, uint64_t *state);  /* "The Silent Harbour" */
size_t gemp_movies_role(char *name, uint64_t *state);   /* "The Sheriff", or the name of a person */

#endif
