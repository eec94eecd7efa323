/* match_state: a prepared match, and the report of its memory. match_run.c runs the match, and estimate.c samples it.
 * match.h hides the struct from callers, so this header is only for the modules of match. */

#ifndef GEMP_MATCH_MATCH_STATE_H
#define GEMP_MATCH_MATCH_STATE_H

#include "match/exchange/push_pull.h"
#include "match/interpret/interpreter.h"
#include "match/planner/condition_phases.h"

#include <math.h>

/* The memory that a search needs, as far as it is known before the search runs. All sizes are bytes, and each is the
 * maximum over all ranks. */
typedef struct gemp_memory_report {
	uint64_t rows, replicas;          /* on the host: all rows; the part of them that are replicas */
	uint64_t numbering;               /* on the host: slots, bitmaps of candidates, lengths of rows */
	uint64_t round;                   /* on the host: rows of a round; 0: there are no rounds */
	uint64_t device_rows;             /* on the device: all rows, or those of a round */
	uint64_t device_buffers;          /* on the device: everything else */
	gemp_vertex hot;                  /* number of slots whose rows every rank has */
	bool pushes;                      /* partial matches are sent between ranks */
	gemp_push_pull_estimate exchange; /* the estimate by which push or pull was chosen */
	/* number of ranks of this node that share one copy of the rows; 1: each rank has its own copy */
	int sharers;
} gemp_memory_report;

/* What threads of the host did before the device began (match/early_search.h); zero if they did nothing. */
typedef struct gemp_early_result {
	uint64_t pivots, found; /* pivots of all ranks; matches of this rank, as the plan counts them */
	double seconds;
	bool all; /* no pivot was left to the device, or the sink wanted no more rows */
} gemp_early_result;

/* Rows that were grouped on the devices of this rank, and the groups that they passed on. */
typedef struct gemp_group_figures {
	uint64_t rows, groups;
} gemp_group_figures;

struct gemp_match {
	gemp_runtime *context;
	gemp_shard *graph;
	const gemp_pattern *pattern;
	gemp_match_options options;
	bool small_only; /* the match is given up if it is too large for the host */
	gemp_condition_phases phases;
	gemp_pushdown pushdown;
	const gemp_symmetry *symmetry;
	gemp_symmetry *own_symmetry; /* NULL: the caller owns symmetry */
	gemp_stab_chain *chain;      /* the chain of the whole tuple: vertices, then live edges */
	gemp_filter *filter;         /* NULL: the pattern has no conditions */
	gemp_candidates candidates;
	size_t attribute_bytes; /* bytes of attribute columns on the device */
	gemp_statistics statistics;
	gemp_plan *plan;
	gemp_resident *rows;
	/* NULL: all rows are resident, or partial matches are sent between ranks */
	gemp_pull *pull;
	gemp_sample_work sample_work[GEMP_MAX_STEPS]; /* sampled work of the plan's steps; zero without samples */
	gemp_push_pull_estimate exchange;
	uint64_t per; /* pattern vertices at whose images matches are counted (match/match_run.h) */
	/* A prepared match has either an interpreter or a search. A run whose interpreter gives up replaces it by a
	 * search. */
	gemp_interpreter *interpreter;
	gemp_search *search;
	gemp_early_result early;    /* of the present run */
	gemp_group_figures grouped; /* in the present run */
	bool checked;               /* a run of the search was compared with the host (match/sample_check.h) */
	gemp_seeds seeds;           /* of the present run, if the plan has arguments */
	gemp_memory_report memory;
	/* [pivot_count] slots of all pivots, once a part was set (match/match_run.h); NULL: no part was set */
	gemp_vertex *pivots;
	size_t pivot_count;
	/* step_rows, step_entries, step_lookups and step_bytes are filled, with sums over all ranks and runs so far */
	bool profiled;
	uint64_t step_rows[GEMP_MAX_STEPS], step_entries[GEMP_MAX_STEPS], step_lookups[GEMP_MAX_STEPS];
	uint64_t step_bytes[GEMP_MAX_STEPS];
	uint64_t own_reads;                   /* entries and lookups of this rank in all profiled runs so far */
	bool deduplicates;                    /* duplicates are removed by canonical-order hashing */
	int pairs[GEMP_MAX_PATTERN_EDGES][2]; /* the pattern's edges as pairs of vertices, for the canonical form */
};

/* Collective. pull is NULL unless rows come in rounds. */
void gemp_memory_report_measure(gemp_memory_report *out, const gemp_search *search, const gemp_resident *rows,
                                const gemp_candidates *candidates, const gemp_pull *pull);
/* Appends the report to the text of --explain. */
void gemp_memory_report_print(const gemp_memory_report *report, const gemp_search *search, gemp_text *out);

#endif
