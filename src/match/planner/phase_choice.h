/* phase_choice: the candidates of each pattern vertex, and under --attributes auto the phase of each condition on
 * attributes.
 *
 * Labels and ids narrow the candidates first. A condition on attributes is then tested where it costs less. Before the
 * search, it costs a test of a whole column. After the search, it costs a test of each match and the part of the search
 * that fewer candidates would have saved. Samples of the search (match/planner/sample.h) give the matches and the row
 * entries, and the share of candidates that pass is measured on some of them. Where testing a column costs less than a
 * sample, nothing is sampled. All ranks decide alike. */

#ifndef GEMP_MATCH_PLANNER_PHASE_CHOICE_H
#define GEMP_MATCH_PLANNER_PHASE_CHOICE_H

#include "match/filter/candidates.h"
#include "match/planner/condition_phases.h"

typedef struct gemp_phase_inputs {
	gemp_runtime *context;
	gemp_filter *filter; /* NULL if the pattern has no conditions */
	gemp_shard *graph;   /* the rows of the pattern's edges are loaded, as for gemp_statistics_new */
	const gemp_pattern *pattern;
	const gemp_symmetry *symmetry;
	const gemp_match_options *options;
	const gemp_plan_options *plan;
	const uint32_t *key_rank; /* [vertices] NULL if the plan compares no keys */
} gemp_phase_inputs;

/* Collective. Makes the candidates for which all conditions in phases->before are true. Under --attributes auto the
 * function also chooses between the phases. It moves some open conditions from phases->before to phases->after, and
 * notes the reasons in phases->choices. Nothing to free after an error. */
gemp_code gemp_filter_candidates(gemp_candidates *out, gemp_condition_phases *phases, const gemp_phase_inputs *inputs);

#endif
