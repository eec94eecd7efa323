/* plan: the operators by which a pattern is matched. Host only. The plan is the same on all ranks, which agree on its
 * hash.
 *
 * A plan is a chain of operators over the slot table, which has one slot for each pattern vertex and one for each live
 * pattern edge. SCAN binds the pivot. EXTEND binds a vertex from rows of vertices that are bound already. BIND_EDGE
 * binds one of several parallel edges. Everything else (the other rows of an EXTEND, absent edges of induced matching,
 * loops, EXISTS of an edge) is a check. A check belongs to the operator that binds the last vertex that the check
 * needs.
 *
 * The plan of a pattern with arguments has no pivot. It begins with an ARGUMENT for each argument, whose image comes
 * with the task. The last ARGUMENT, the plan's root, makes the checks between the arguments.
 *
 * Stages number the places where a partial match can travel to another rank: ENTER(step) to the owner of the row to
 * expand, VERIFY(step, k) to the owner of the next row after k of the step's checks are done. Stage numbers ascend
 * along the plan, so credits for each stage cannot deadlock. */

#ifndef GEMP_PATTERN_PLAN_PLAN_H
#define GEMP_PATTERN_PLAN_PLAN_H

#include "core/memory.h"
#include "graph/graph.h"
#include "pattern/model/pattern.h"

enum { GEMP_MAX_VIEWS = 32, GEMP_MAX_CHECKS = 64, GEMP_MAX_STEPS = GEMP_MAX_PATTERN_VERTICES + GEMP_MAX_PATTERN_EDGES };

/* One adjacency that the plan reads; directions as in partition/views/view.h: 0 out, 1 in, 2 either. */
typedef struct gemp_plan_view {
	bool *relations; /* [relation_count] owned */
	int direction;
	bool simple, edges;
} gemp_plan_view;

/* The row of `from` in the view must contain the image of `to`; if `absent`, it must not. */
typedef struct gemp_check {
	int from, to; /* pattern vertices */
	int view;
	int edge; /* pattern edge; -1: the edge must be absent, or is tested and not bound */
	bool absent;
} gemp_check;

typedef enum gemp_operator { GEMP_SCAN, GEMP_EXTEND, GEMP_BIND_EDGE, GEMP_ARGUMENT } gemp_operator;

typedef struct gemp_step {
	gemp_operator kind;
	int vertex;     /* the vertex that SCAN, ARGUMENT or EXTEND binds; BIND_EDGE: the far end of the edge */
	int edge;       /* edge that BIND_EDGE binds, or EXTEND if the pattern has live edges; -1: none */
	size_t sources; /* EXTEND: each row of checks[0..sources) can give the candidates (1 row if edge >= 0) */
	size_t check_count;
	gemp_check checks[GEMP_MAX_CHECKS];
	bool candidates;                  /* the vertex has a bitmap */
	uint64_t differ;                  /* bound vertices that this vertex must differ from */
	uint64_t less;                    /* bound vertices whose slot must be greater than this one's */
	uint64_t greater;                 /* bound vertices whose slot must be smaller */
	uint64_t same;                    /* bound vertices that this vertex must equal */
	uint64_t key_less, key_le;        /* bound vertices whose key must be greater (key_le: or equal) */
	uint64_t key_greater, key_ge;     /* bound vertices whose key must be less (key_ge: or equal) */
	uint64_t edges_differ, edge_less; /* like `differ` and `less`, for the edge that is bound here */
	double rows; /* estimated number of partial matches after this step; for each task, if there are arguments */
} gemp_step;

typedef struct gemp_plan {
	size_t step_count;
	size_t view_count;
	gemp_plan_view views[GEMP_MAX_VIEWS];
	size_t relation_count;
	int vertex_count, edge_count;
	uint64_t live_edges; /* live edges: pattern edges that have a slot; all edges or none */
	int pivot;           /* -1: there are arguments */
	int arguments;       /* steps [0, arguments) are the ARGUMENTs of vertices 0, 1, ... */
	int root;            /* first step that searches: that of the pivot, or the last ARGUMENT */
	uint64_t ranges;     /* vertices whose candidates are a range of slots, which replaces the bitmap */
	bool keys;           /* some step compares keys */
	bool broken;         /* symmetry broken by restrictions */
	bool pivot_off;
	/* the last vertex is not enumerated. It is joined to the pivot (checks[0] of the last step) and to one other vertex
	 * (checks[1]), and a table of the pivot's two-paths has the number of its images */
	bool two_paths;
	uint64_t divisor;     /* how often each match is counted, because restrictions on the last vertex were dropped */
	uint64_t group_order; /* number of automorphisms; not valid if group_overflow */
	bool group_overflow;
	uint64_t hash;
	gemp_step
		steps[GEMP_MAX_STEPS]; /* the first step_count are defined: to set all of these 136 KiB takes microseconds */
} gemp_plan;

/* Statistics of the graph that the planner estimates with. */
typedef struct gemp_statistics {
	double vertices;
	double candidates[GEMP_MAX_PATTERN_VERTICES]; /* number of host vertices that a pattern vertex can be */
	bool filtered[GEMP_MAX_PATTERN_VERTICES];     /* the vertex has a bitmap of candidates */
	/* number of host edges between candidates of the edge's ends, in its direction */
	double edges[GEMP_MAX_PATTERN_EDGES];
	double paths_from[GEMP_MAX_PATTERN_EDGES]; /* sum of squares of degrees of `from` over those edges */
	double paths_to[GEMP_MAX_PATTERN_EDGES];
	bool parallel[GEMP_MAX_PATTERN_EDGES]; /* the relations of the edge join some pair of vertices more than once */
} gemp_statistics;

/* [NOT] EXISTS { (from)-[]->(to) }: the edge is tested and not bound. */
typedef struct gemp_edge_test {
	int from, to;          /* pattern vertices */
	const bool *relations; /* [relation_count] borrowed */
	bool either, absent;
} gemp_edge_test;

/* Tests between the vertex that a step binds and the bound vertices. Bit u of word v relates v and u. */
typedef struct gemp_vertex_tests {
	uint64_t unequal[GEMP_MAX_PATTERN_VERTICES];  /* v <> u */
	uint64_t equal[GEMP_MAX_PATTERN_VERTICES];    /* v = u */
	uint64_t key_less[GEMP_MAX_PATTERN_VERTICES]; /* id(v) < id(u) */
	uint64_t key_le[GEMP_MAX_PATTERN_VERTICES];   /* id(v) <= id(u) */
} gemp_vertex_tests;

typedef struct gemp_plan_options {
	gemp_semantics semantics;
	bool break_symmetry; /* iso and induced only */
	bool pivot_off;
	/* a table of two-paths may count the last vertex: only a count is asked for, and all rows are resident */
	bool two_paths;
	/* [vertex_count] order in which vertices are bound, arguments first; borrowed; NULL: estimates choose it */
	const int *order;
	uint64_t wanted_edges; /* pattern edges whose identity the results need */
	gemp_vertex_tests tests;
	size_t edge_test_count;
	const gemp_edge_test *edge_tests; /* borrowed */
} gemp_plan_options;

/* Writes the pattern's vertices in the order in which the plan binds them, and returns their number. */
int gemp_plan_binding_order(const gemp_plan *plan, int order[GEMP_MAX_PATTERN_VERTICES]);
void gemp_plan_free(gemp_plan *plan);
GEMP_RELEASE(gemp_plan_free, gemp_plan *)

/* STAGES. Stage 0 begins at the pivots, or at the arguments. An ARGUMENT is verified from `done` = 0 on, since its
 * tasks may begin on any rank. */
typedef struct gemp_plan_stage {
	int step;
	bool verify; /* true: VERIFY, and the item has a candidate for the step's vertex; false: ENTER */
	int done;    /* VERIFY: number of checks that are done */
} gemp_plan_stage;
/* Returns the number of stages, and fills at most `capacity`. */
size_t gemp_plan_stages(const gemp_plan *plan, gemp_plan_stage *stages, size_t capacity);

/* Notes for --explain and --profile: conditions tested before and after the search, and the counters of a run. */
typedef struct gemp_plan_notes {
	/* [step_count] number of partial matches that passed each step, on all ranks; NULL: there are no counters */
	const uint64_t *rows;
	const uint64_t *entries; /* [step_count] number of row entries that each step read */
	const uint64_t *bytes;   /* [step_count] number of bytes that ranks sent on the way into each step */
	size_t before_count, after_count;
	const gemp_condition *const *before; /* conditions that the bitmaps of candidates contain */
	const gemp_condition *const *after;  /* conditions that are tested on finished matches */
	const char *distinct;                /* how matches are deduplicated; NULL: not at all */
} gemp_plan_notes;

/* Prints the tree of operators for --explain and --profile, the last operator first, each with estimated and actual
 * rows. notes may be NULL. */
void gemp_plan_print(const gemp_plan *plan, const gemp_pattern *pattern, const gemp_statistics *statistics,
                     const gemp_shard *graph, const gemp_plan_notes *notes, gemp_text *out);

#endif
