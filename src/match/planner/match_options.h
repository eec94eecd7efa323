/* match_options: the options of a search: those of the command line, and those that queries set for their patterns. */

#ifndef GEMP_MATCH_PLANNER_MATCH_OPTIONS_H
#define GEMP_MATCH_PLANNER_MATCH_OPTIONS_H

#include "gemp/types.h"
#include "pattern/symmetry/permutation_group.h"

typedef struct gemp_match_options {
	gemp_semantics semantics;
	gemp_distinct distinct;
	bool symmetry_by_hash;           /* --symmetry hash: find all embeddings, deduplicate by canonical form */
	bool pivot_off;                  /* the pivot is the first vertex of the text, and every host vertex is tried */
	gemp_condition_phase attributes; /* --attributes */
	bool listed;                     /* rows are wanted, not only counts */
	int64_t replicate;               /* bytes a rank, or GEMP_REPLICATE_*; 0: no replicas */
	gemp_exchange_mode exchange;     /* used where a rank lacks rows, or its rows do not fit on the device */
	double launch_factor;            /* C of the launch formula; 0: default */
	bool count_by_formula;           /* --count-by auto: a count need not enumerate vertices that a formula counts */
	bool count_parts;                /* --profile: share of matches within one of P parts, P = 1 .. 64 (enumerates) */
	bool profile;          /* --profile: count the rows that pass each step of the plan, see gemp_match_explain */
	int lanes;             /* lanes that share a row; 0: chosen by device (1 on a CPU) */
	uint64_t limit;        /* rows wanted; UINT64_MAX: all */
	uint64_t wanted_edges; /* pattern edges whose images rows must contain, beside those of RETURN and of conditions */
	int count_per;         /* --count-per: 1 + pattern vertex; 0: none. See gemp_match_vertex_counts */
	bool explained;        /* --dry-run: the kernels are not built, and the match cannot run */
	bool sampled;         /* --estimate: no search is made, see match/estimate.h; GEMP_EUSAGE if it cannot be sampled */
	uint64_t order_reads; /* about how many entries may be read to find an order; 0: a part of the expected work */
	int order_count;      /* --order: length of order[], which then has all pattern vertices; 0: chosen */
	int order[GEMP_MAX_PATTERN_VERTICES];
	bool edges;    /* batches have edge columns even if no condition or RETURN reads edges */
	bool in_parts; /* runs search parts of the pivots, see match/match_run.h */
	bool
		first_only; /* one row of each task (pivot or seed) suffices, though more may come; not for sinks that drop rows */
	const gemp_symmetry
		*symmetry;         /* borrowed, for a pattern that is a part of another one; NULL: found from the pattern */
	const uint32_t *among; /* bits by id, equal on all ranks: candidates of `among_vertex`, which no automorphism
	                                  moves; borrowed while the match is prepared; NULL: any vertex */
	int among_vertex;      /* a pattern vertex; in a query of several patterns, of the first MATCH */
} gemp_match_options;

typedef struct gemp_match gemp_match;

#endif
