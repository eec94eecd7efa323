/* generate: random graphs from a seed, the same for every number of ranks.
 *
 * Every vertex and edge draws from its own counter-based stream, so that each rank makes its share of the ids and the
 * graph does not depend on who made what. Only integers and exactly rounded operations are used: the same on every
 * machine.
 */

#ifndef GEMP_GENERATE_GENERATE_H
#define GEMP_GENERATE_GENERATE_H

#include "comm/comm.h"
#include "gemp/graph.h"
#include "graph/graph.h"
#include "partition/build/builder.h"

/* GENERATORS: what they share.
 *
 * A generator makes vertices and edges from their numbers and a seed alone, so that the graph is the same on any number
 * of ranks and threads. Streams of random numbers are told apart by what they are for (GEMP_FOR_...) and by a number.
 */

/* What a stream is drawn for; with the seed and a number it names the stream. */
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

/* Where `x` goes in a seeded permutation of [0, n): a bijection that any rank computes for itself. */
uint64_t gemp_generator_permute(uint64_t seed, uint64_t n, uint64_t x);

/* Zipf's law by octaves: k of [1, n] with chance about 1/k, the same for all k of [2^i, 2^(i+1)). */
uint64_t gemp_generator_zipf(uint64_t *state, uint64_t n);

/* A generator at work, on one thread. */
typedef struct gemp_generator_run {
	const gemp_comm *comm;
	unsigned thread, threads;
	gemp_builder *builder; /* of this thread */
	const double *values;  /* of the parameters, in the generator's order */
	uint64_t seed;
	uint32_t file; /* places are (this, number of the thing) */
} gemp_generator_run;

/* Which of many things this thread of this rank makes. */
gemp_block_range gemp_generator_range(const gemp_generator_run *making, uint64_t count);

/* Vertices 0..count-1 without labels. */
gemp_code gemp_generator_vertices(const gemp_generator_run *making, uint64_t count);
/* Vertices 0..count-1 with one of `labels` labels L0, L1, ... each, by a hash of the id. */
gemp_code gemp_generator_labelled(const gemp_generator_run *making, uint64_t count, uint64_t labels);
gemp_code gemp_generator_edge(const gemp_generator_run *making, uint64_t source, uint64_t target, const char *type,
                              uint64_t number);

/* An edge attribute `weight`, from 1 to `most`; 0: edges have none. It is a hash of the edge's ends, in their order, so
 * that edges that are merged have the same. */
#define GEMP_WEIGHTS_PARAMETER                                                                                      \
	{                                                                                                               \
		"weights", 0, 0, 0x1p31, true, "edges get an attribute `weight`, a whole number from 1 to N; 0: none", NULL \
	}
gemp_code gemp_generator_declare_weights(gemp_builder *builder, double most);
gemp_code gemp_generator_weight(const gemp_generator_run *making, uint64_t source, uint64_t target,
                                double most); /* of the last edge */

/* Where a generator keeps its table and its functions. */
typedef struct gemp_generator_entry {
	gemp_generator generator;
	bool merge_parallel; /* a pair may be drawn more than once */
	bool (*undirected)(const double *values);
	bool (*string_keys)(const double *values); /* NULL: keys are integers where they look so */
	gemp_code (*check)(const double *values);  /* of values that must fit together; may be NULL */
	gemp_code (*declare)(gemp_builder *builder, const double *values); /* columns; may be NULL */
	gemp_code (*make)(const gemp_generator_run *making);               /* this thread's share */
} gemp_generator_entry;

extern const gemp_generator_entry gemp_generator_rmat, gemp_generator_uniform, gemp_generator_movies,
	gemp_generator_railway, gemp_generator_eulerian, gemp_generator_debruijn;

enum { GEMP_MAX_PARAMETERS = 8 };

typedef struct gemp_generate_options {
	size_t generator;                   /* index in gemp_generators() */
	double values[GEMP_MAX_PARAMETERS]; /* of its parameters, in their order */
	uint64_t seed;                      /* of what is drawn; 1 by default */
	uint64_t relabel_seed;              /* of the relabelling, as in import; 1 by default */
	struct gemp_step_times *steps;      /* core/log.h: takes the time of each stage; NULL: nobody asks */
} gemp_generate_options;

/* Defaults of the named generator; an unknown name is GEMP_EUSAGE with near names. */
gemp_code gemp_generate_init(gemp_generate_options *options, const char *generator);
/* Sets one parameter from text: "scale", "20". GEMP_EUSAGE for an unknown name or word, not a number, or out of range.
 * */
gemp_code gemp_generate_set(gemp_generate_options *options, const char *parameter, const char *value);

/* Collective; the options are alike on all ranks. */
gemp_code gemp_generate(gemp_shard **out, const gemp_comm *comm, const gemp_generate_options *options);

#endif
