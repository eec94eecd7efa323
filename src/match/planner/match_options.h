/* match_options: what a caller asks of a search; the command line's options, and those that queries set for their
 * patterns.
 */

#ifndef GEMP_MATCH_PLANNER_MATCH_OPTIONS_H
#define GEMP_MATCH_PLANNER_MATCH_OPTIONS_H

#include "gemp/types.h"
#include "pattern/symmetry/permutation_group.h"

typedef struct gemp_match_options {
	gemp_semantics semantics;
	gemp_distinct distinct;
	bool symmetry_by_hash;           /* --symmetry hash: find all embeddings, deduplicate by canonical form */
	bool pivot_off;                  /* start from the first vertex of the text, from every host vertex */
	gemp_condition_phase attributes; /* --attributes */
	bool listed;                     /* rows are wanted, not only counts */
	int64_t replicate;               /* bytes a rank, or GEMP_REPLICATE_* ; 0: none */
	gemp_exchange_mode exchange;     /* where rows are not all here, or do not fit on the device */
	double launch_factor;            /* C of the launch formula; 0: default */
	bool count_by_formula; /* --count-by auto: where only a count is asked, what has a formula is not enumerated */
	bool count_parts;      /* --profile: share of matches within one of P parts, P = 1 .. 64 (enumerates) */
	bool profile;          /* --profile: rows that pass each step of the plan are counted, see gemp_match_explain */
	int lanes;             /* lanes a row; 0: choose by device (1 on a CPU) */
	uint64_t limit;        /* rows wanted; UINT64_MAX: all */
	uint64_t wanted_edges; /* pattern edges that rows must tell apart, beside those of RETURN and of conditions */
	int count_per;         /* --count-per: 1 + pattern vertex; 0: none. See match/match_run.h */
	bool explained;        /* --dry-run: the search has all but its kernels, and cannot run */
	bool sampled;          /* --estimate: no search is made ready, see match/estimate.h; GEMP_EUSAGE if it cannot be */
	uint64_t order_reads;  /* entries that may be read to find an order, about; 0: as the work to come is worth */
	int order_count;       /* --order: vertices of the pattern in the order to bind them, all of them; 0: chosen */
	int order[GEMP_MAX_PATTERN_VERTICES];
	bool edges;      /* batches have edge columns, also where nothing asks for them */
	bool in_parts;   /* runs will be from parts of the pivots, see match/match_run.h */
	bool first_only; /* one row of each task (pivot, seed) suffices; there may still be more. Not for sinks that
	                               drop rows */
	const gemp_symmetry
		*symmetry;         /* of a pattern that is part of a greater one; borrowed; NULL: found from the pattern */
	const uint32_t *among; /* bits by id, the same on every rank: what `among_vertex` can be, which no automorphism
	                               moves; borrowed until the search is prepared; NULL: any vertex */
	int among_vertex;      /* of the pattern; where a query has many patterns, of the first MATCH */
} gemp_match_options;

typedef struct gemp_match gemp_match;

#endif
