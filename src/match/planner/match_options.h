/* match_options: the options of a search. The command line sets some of them, and queries set the others for their
 * patterns. match/match.h and match/planner/condition_phases.h both need this struct, and neither header may include
 * the other. */

#ifndef GEMP_MATCH_PLANNER_MATCH_OPTIONS_H
#define GEMP_MATCH_PLANNER_MATCH_OPTIONS_H

#include "gemp/types.h"
#include "pattern/symmetry/permutation_group.h"

/* The rows that the caller's sink treats alike (match/groups/grouping.h). */
typedef struct gemp_group_request {
	/* pattern vertices, as bits: the sink reads no other vertex of a row. Rows that agree in them may come as one
	 * row with a multiplicity, in which the other vertices are arbitrary. 0: every row comes by itself */
	uint64_t keys;
	/* [vertex] 1 + the column of the graph's attributes that is all that the sink reads of this vertex, so that rows
	 * with equal values of it are alike, too; 0: the vertex itself */
	int attribute[GEMP_MAX_PATTERN_VERTICES];
	/* some of them, as bits: the sink groups rows by these, and min_rows and top speak of these groups; 0: it does not
	 * leave out groups by their numbers of rows */
	uint64_t by;
	/* Rows that agree in `by` are wanted only if there are at least min_rows of them, and only those of the `top`
	 * groups with most rows, and of groups that have as many rows as the last of these; 0: of all. The sink leaves out
	 * a group itself if it comes, also if only some of its rows come. */
	uint64_t min_rows, top;
	/* the sink only counts rows, and rows in which elements are present: other rows may come instead, of which as many
	 * have the elements of each OPTIONAL MATCH */
	bool only_presence;
} gemp_group_request;

/* The candidates of a pattern vertex: bits by id, equal on all ranks, and borrowed while the match is prepared.
 * Vertices that an automorphism maps to one another must have equal candidates. If a query has several patterns, the
 * vertex is one of the first MATCH. */
typedef struct gemp_among {
	int vertex;
	const uint32_t *bits;
} gemp_among;

typedef struct gemp_match_options {
	gemp_semantics semantics;
	gemp_distinct distinct;
	bool symmetry_by_hash; /* --symmetry hash: find all embeddings, and remove duplicates by canonical form */
	/* the pivot is the first vertex of the query text, and every vertex of the graph is tried as its image */
	bool pivot_off;
	gemp_condition_phase attributes; /* --attributes */
	bool copy_each;                  /* --attribute-copies each */
	gemp_placement place;            /* --on */
	bool listed;                     /* the caller wants rows, not only counts */
	int64_t replicate;               /* bytes of replicas on each rank, or GEMP_REPLICATE_*; 0: no replicas */
	gemp_exchange_mode exchange;     /* used if a rank lacks rows, or if its rows do not fit on the device */
	/* factor C of the launch formula (update_batch in match/search/search_launch.c); 0: default */
	double launch_factor;
	/* --count-by auto: a formula may count last vertices, which then are not enumerated */
	bool count_by_formula;
	/* --profile: for each number of parts P = 1 .. 64, measure the share of matches within one part (enumerates) */
	bool count_parts;
	bool profile;   /* --profile: count the rows that pass each step of the plan, see gemp_match_explain */
	int lanes;      /* lanes that walk one row together; 0: the device decides (1 on a CPU) */
	uint64_t limit; /* number of rows wanted; UINT64_MAX: all */
	/* pattern edges whose images rows must contain in addition to the edges of RETURN and of conditions, as bits */
	uint64_t wanted_edges;
	int count_per;  /* --count-per: 1 + pattern vertex, see match/vertex_counts.h; 0: off */
	bool compiled;  /* the kernels are built before the match runs, since its time is measured */
	bool explained; /* --dry-run: the kernels are not built, and the match cannot run */
	/* --estimate: the match is sampled (match/estimate.h) and not run; GEMP_EUSAGE if it cannot be sampled */
	bool sampled;
	uint64_t order_reads; /* about how many entries may be read to find an order; 0: a fraction of the expected work */
	/* --order: length of order[], the number of pattern vertices; 0: the planner chooses the order */
	int order_count;
	int order[GEMP_MAX_PATTERN_VERTICES];
	gemp_group_request groups; /* {0}: rows are not grouped */
	bool edges;                /* batches have edge columns even if no condition or RETURN reads edges */
	bool in_parts;             /* runs may search parts of the pivots, see match/match_run.h */
	/* one row of each task (pivot or seed) suffices, though a task may give more; not for sinks that drop rows */
	bool first_only;
	const gemp_symmetry
		*symmetry; /* borrowed, if the pattern is a part of another pattern; NULL: computed from the pattern */
	size_t among_count;
	gemp_among among[GEMP_MAX_PATTERN_VERTICES + 1]; /* [among_count] a vertex may occur several times */
} gemp_match_options;

typedef struct gemp_match gemp_match;

#endif
