/* generate: random graphs from a seed, the same for every number of ranks.
 *
 * Every vertex and edge draws from its own counter-based stream, so that each rank makes its share of the ids and the
 * graph does not depend on who made what. Only integers and exactly rounded operations are used: the same on every
 * machine.
 */

#ifndef GEMP_GENERATE_GENERATE_H
#define GEMP_GENERATE_GENERATE_H

#include "generate/generator.h"
#include "graph/graph.h"

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
