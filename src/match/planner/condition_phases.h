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

/* Where a condition on one vertex is tested, and why: for --explain. */
typedef struct gemp_phase_choice {
	const gemp_condition *condition;
	bool before;
	bool open; /* --attributes auto, and it reads attributes: chosen by cost (match/planner/condition_phases.h) */
	double before_cost, after_cost; /* seconds as estimated, all ranks' work together; 0: not by cost */
	char reason[120];
} gemp_phase_choice;

typedef struct gemp_condition_phases {
	size_t before_count, after_count;
	size_t certain;                /* the first of `before` are there whatever they cost; others are open */
	const gemp_condition **before; /* on one vertex: labels always, attributes unless --attributes after */
	const gemp_condition **after;  /* the rest; what asks for sub-patterns is always here */
	size_t choice_count;
	gemp_phase_choice *choices;                  /* [choice_count] as the pattern has them */
	uint64_t unequal[GEMP_MAX_PATTERN_VERTICES]; /* a <> b between vertices, by vertex */
	uint64_t mentions;                           /* attribute values that a match refers to */
	bool count_loops;                            /* in degrees: see gemp_degree_loops */
} gemp_condition_phases;

/* Open conditions are before the search until gemp_filter_candidates has chosen. */
gemp_code gemp_phases_new(gemp_condition_phases *out, const gemp_pattern *pattern, const gemp_match_options *options);
void gemp_phases_free(gemp_condition_phases *phases);

/* From `before` to `after`. */
void gemp_phases_defer(gemp_condition_phases *phases, gemp_phase_choice *choice);

/* Pushdown: conditions between two vertices that the search tests itself, as soon as it has bound the second: a <> b,
 * a = b, id(a) < id(b) by the rank of keys, [NOT] EXISTS of an edge by its row. */

typedef struct gemp_pushdown {
	gemp_vertex_tests tests;
	size_t edge_test_count;
	gemp_edge_test *edge_tests; /* [edge_test_count] owned; their relations are the pattern's */
	uint32_t *key_rank;         /* [vertices] by id, owned; NULL: keys are not compared */
	uint64_t conditions;        /* taken out of the phases */
} gemp_pushdown;

/* Collective. Takes what it can out of the phases. */
gemp_code gemp_pushdown_new(gemp_pushdown *out, gemp_runtime *context, gemp_shard *graph, const gemp_pattern *pattern,
                            gemp_condition_phases *phases);
void gemp_pushdown_free(gemp_pushdown *pushdown);

/* The candidates that the conditions before the search leave, and, under --attributes auto, which
 * conditions these are.
 *
 * Labels and ids narrow the candidates first. Then each condition that reads attributes is tested where that is
 * estimated to cost less: before the search over a whole column, or after it on the vertices of the matches. The number
 * of matches is estimated from the candidates by labels and a sample of the host edges between them; rank 0 decides for
 * all ranks.
 */

/* Collective. The parts of the pattern's relations are loaded. filter may be NULL where the pattern has no conditions; it
 * learns whether degrees count loops. In place of gemp_candidates_new; moves conditions from
 * phases->before to phases->after and says in phases->choices why. */
gemp_code gemp_filter_candidates(gemp_candidates *out, gemp_condition_phases *phases, gemp_runtime *context,
                                 gemp_filter *filter, gemp_shard *graph, const gemp_pattern *pattern,
                                 const gemp_match_options *options);

#endif
