/* match_state: a prepared match, which match_run.c runs and estimate.c samples. */

#ifndef GEMP_MATCH_MATCH_STATE_H
#define GEMP_MATCH_MATCH_STATE_H

#include "match/exchange/push_pull.h"
#include "match/planner/condition_phases.h"

#include <math.h>

/* Memory that a search needs, as far as it is known before the search runs: bytes, the maximum over all ranks. */
typedef struct gemp_memory_report {
	uint64_t rows, replicas;          /* on the host; replicas are among the rows */
	uint64_t numbering;               /* on the host: slots, bitmaps of candidates, sizes of rows */
	uint64_t round;                   /* on the host: rows of a round; 0: there are no rounds */
	uint64_t device_rows;             /* on the device: all rows, or those of a round */
	uint64_t device_buffers;          /* on the device: everything else */
	gemp_vertex hot;                  /* slots whose rows every rank has */
	bool pushes;                      /* partial matches travel */
	gemp_push_pull_estimate exchange; /* the estimate that decided between push and pull */
	int sharers;                      /* ranks of this node that share one copy of the rows; 1: each has its own */
} gemp_memory_report;

struct gemp_match {
	gemp_runtime *context;
	gemp_shard *graph;
	const gemp_pattern *pattern;
	gemp_match_options options;
	gemp_condition_phases phases;
	gemp_pushdown pushdown;
	const gemp_symmetry *symmetry;
	gemp_symmetry *own_symmetry; /* NULL: the caller owns symmetry */
	gemp_stab_chain *chain;      /* over the whole tuple: vertices, then live edges */
	gemp_filter *filter;         /* NULL: the pattern has no conditions */
	gemp_candidates candidates;
	size_t attribute_bytes; /* columns on the device */
	gemp_statistics statistics;
	gemp_plan *plan;
	gemp_resident *rows;
	gemp_pull *pull;                              /* NULL: all rows are resident, or partial matches travel */
	gemp_sample_work sample_work[GEMP_MAX_STEPS]; /* of the plan's steps; zero without samples */
	gemp_push_pull_estimate exchange;
	gemp_search *search;
	gemp_memory_report memory;
	gemp_vertex *pivots; /* [pivot_count] slots, once a part was set (match/match_run.h); NULL: no parts */
	size_t pivot_count;
	bool profiled; /* the four arrays are filled, with sums over all ranks and runs so far */
	uint64_t step_rows[GEMP_MAX_STEPS], step_entries[GEMP_MAX_STEPS], step_lookups[GEMP_MAX_STEPS];
	uint64_t step_bytes[GEMP_MAX_STEPS];
	bool deduplicates;                    /* by canonical-order hashing */
	int pairs[GEMP_MAX_PATTERN_EDGES][2]; /* the pattern's edges, for the canonical form */
};

/* Collective. pull is NULL where rows do not come in rounds. */
void gemp_memory_report_measure(gemp_memory_report *out, const gemp_search *search, const gemp_resident *rows,
                                const gemp_candidates *candidates, const gemp_pull *pull);
/* Appends the report to the text of --explain. */
void gemp_memory_report_print(const gemp_memory_report *report, const gemp_search *search, gemp_text *out);

#endif
