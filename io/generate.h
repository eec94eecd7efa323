/* generate: random graphs from a seed, the same for every number of ranks.
 *
 * Every vertex and edge draws from its own counter-based stream, so that each rank makes its share of the ids and the
 * graph does not depend on who made what. Only integers and exactly rounded operations are used: the same on every
 * machine.
 */
#ifndef GEMP_IO_GENERATE_H
#define GEMP_IO_GENERATE_H

#include "comm/comm.h"
#include "core/text.h"
#include "graph/graph.h"

enum { GEMP_MAX_PARAMETERS = 8 };

typedef struct gemp_parameter {
	const char *name;          /* as the command line says it: "edge-factor" */
	double value, least, most; /* default and range */
	bool whole;                /* integers only */
	const char *meaning;
	const char *const *words;  /* that stand for 0, 1, ..., NULL at their end; NULL: numbers are given */
} gemp_parameter;

typedef struct gemp_generator {
	const char *name, *meaning;
	size_t parameter_count;
	const gemp_parameter *parameters; /* [parameter_count], at most GEMP_MAX_PARAMETERS */
} gemp_generator;

/* All generators, for --help: *count of them. */
const gemp_generator *gemp_generators(size_t *count);
/* For --help: what values look like ("N", "X" or "deep|shallow|random"), and the default as one would give it. */
void gemp_parameter_form(const gemp_parameter *parameter, gemp_text *out);
void gemp_parameter_default(const gemp_parameter *parameter, gemp_text *out);

typedef struct gemp_generate_options {
	size_t generator;                   /* index in gemp_generators() */
	double values[GEMP_MAX_PARAMETERS]; /* of its parameters, in their order */
	uint64_t seed;                      /* of what is drawn; 1 by default */
	uint64_t relabel_seed;              /* of the relabelling, as in import; 1 by default */
	struct gemp_steps *steps;           /* core/steps.h: takes the time of each stage; NULL: nobody asks */
} gemp_generate_options;

/* Defaults of the named generator; an unknown name is GEMP_EUSAGE with near names. */
gemp_code gemp_generate_init(gemp_generate_options *options, const char *generator);
/* Sets one parameter from text: "scale", "20". GEMP_EUSAGE for an unknown name or word, not a number, or out of range.
 * */
gemp_code gemp_generate_set(gemp_generate_options *options, const char *parameter, const char *value);

/* Collective; the options are alike on all ranks. */
gemp_code gemp_generate(gemp_graph **out, const gemp_comm *comm, const gemp_generate_options *options);

#endif
