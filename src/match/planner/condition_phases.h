/* condition_phases: which conditions of a pattern are tested before the search (as bitmaps), in it (pushed down to
 * the step that binds the second vertex), and after it (match/filter/residual.h).
 *
 * Labels and ids narrow the candidates first. Then each condition that reads attributes is tested where that is
 * estimated to cost less: before the search over a whole column, or after it on the vertices of the matches. The
 * number of matches is estimated from the candidates by labels and a sample of the host edges between them. Rank 0
 * decides for all ranks.
 */

#ifndef GEMP_MATCH_PLANNER_CONDITION_PHASES_H
#define GEMP_MATCH_PLANNER_CONDITION_PHASES_H

#include "match/filter/candidates.h"
#include "match/planner/match_options.h"

/* In which phase a condition on one vertex is tested, and why; --explain prints it. */
typedef struct gemp_phase_choice {
	const gemp_condition *condition;
	bool before;
	bool open;                      /* --attributes auto, and it reads attributes: cost decides */
	double before_cost, after_cost; /* estimated seconds, the work of all ranks together; 0: cost does not decide */
	char reason[120];
} gemp_phase_choice;

typedef struct gemp_condition_phases {
	size_t before_count, after_count;
	size_t certain;                /* the first ones of `before` stay there whatever they cost; the others are open */
	const gemp_condition **before; /* conditions on one vertex: labels always, attributes unless --attributes after */
	const gemp_condition **after;  /* the others; conditions with sub-patterns are always here */
	size_t choice_count;
	gemp_phase_choice *choices;                  /* [choice_count] in the order of the pattern's conditions */
	uint64_t unequal[GEMP_MAX_PATTERN_VERTICES]; /* a <> b between vertices: bit b of element a, and vice versa */
	uint64_t mentions;                           /* attribute values that the conditions read of each match */
	bool count_loops;                            /* degrees in conditions count loops: see gemp_degree_loops */
} gemp_condition_phases;

/* Open conditions are in `before` until gemp_filter_candidates has chosen. */
gemp_code gemp_phases_new(gemp_condition_phases *out, const gemp_pattern *pattern, const gemp_match_options *options);
void gemp_phases_free(gemp_condition_phases *phases);

/* Moves a condition from `before` to `after`. */
void gemp_phases_defer(gemp_condition_phases *phases, gemp_phase_choice *choice);

/* Pushdown: conditions between two vertices that the search tests as soon as it has bound the second one: a <> b, a =
 * b, id(a) < id(b) by the rank of keys, [NOT] EXISTS of an edge by its row. */
typedef struct gemp_pushdown {
	gemp_vertex_tests tests;
	size_t edge_test_count;
	gemp_edge_test *edge_tests; /* [edge_test_count] owned; their relations are the pattern's */
	uint32_t *key_rank;         /* [vertices] by id, owned; NULL: keys are not compared */
	uint64_t conditions;        /* how many were taken out of the phases */
} gemp_pushdown;

/* Collective. Takes the conditions that the search can test out of phases->after. */
gemp_code gemp_pushdown_new(gemp_pushdown *out, gemp_runtime *context, gemp_shard *graph, const gemp_pattern *pattern,
                            gemp_condition_phases *phases);
void gemp_pushdown_free(gemp_pushdown *pushdown);

/* Collective. Makes the candidates that the conditions before the search leave. Under --attributes auto it also chooses
 * these conditions: it moves the others from phases->before to phases->after and notes the reason in phases->choices.
 * The pattern's relations are loaded. filter may be NULL if the pattern has no conditions. Nothing to free after an
 * error. */
gemp_code gemp_filter_candidates(gemp_candidates *out, gemp_condition_phases *phases, gemp_runtime *context,
                                 gemp_filter *filter, gemp_shard *graph, const gemp_pattern *pattern,
                                 const gemp_match_options *options);

#endif
