/* transform: rewrites a graph by rules. The control program of the rules consists of sequences, choices, repetitions
 * and attempts of steps. A step applies one rule once: it finds the matches of the rule, selects a maximal set of
 * matches without conflicts, and applies all selected matches at the same time.
 *
 * The run is deterministic. The control depends only on which steps have applied a match. A history with one byte for
 * each step is therefore sufficient to continue a run from a checkpoint. */

#ifndef GEMP_TRANSFORM_TRANSFORM_H
#define GEMP_TRANSFORM_TRANSFORM_H

#include "pattern/model/source.h"
#include "transform/changelog/record.h"
#include "transform/conflicts/select.h"
#include "transform/incremental/match_cache.h"

/* The changes of a step, counted over all ranks. A vertex that is merged into another vertex counts as deleted. `set`
 * counts the updates of attributes, labels and types of matched elements, once for each update of an element. */
typedef struct gemp_effects {
	uint64_t created_vertices, created_edges, deleted_vertices, deleted_edges, set;
} gemp_effects;

/* The figures of a step over all ranks. */
typedef struct gemp_step_report {
	gemp_select_report select;
	gemp_match_cache_report cache;
	gemp_effects effects;
	double seconds;
} gemp_step_report;

/* Says for each step so far whether it applied a match. If the history has steps of an earlier run, and the graph is
 * the graph after these steps, the run continues after them. */
typedef struct gemp_transform_history {
	uint64_t count;
	size_t capacity;
	uint8_t *applied;     /* [count] 1: the step applied at least one match */
} gemp_transform_history; /* {0} is an empty history; gemp_free(applied) frees it */

typedef struct gemp_transform_options {
	gemp_match_options match; /* the options of the user; the rules set all options that follow from them */
	uint64_t combinations;    /* the same as in gemp_prepared_options */
	uint64_t seed;            /* seed of the priorities of all steps */
	bool string_keys;         /* the same as in gemp_builder_options */
	gemp_placement choose;    /* where conflicts are resolved */
	gemp_recorder *recorder;  /* records every change; NULL: no log is written */
	uint64_t max_steps;       /* the run fails if it needs more steps */
	const gemp_query_parameter *parameters;
	size_t parameter_count;
	bool lenient;     /* names that the graph lacks at the start of the run cause warnings; otherwise they are errors */
	bool rematch_all; /* each step searches the whole graph; otherwise only the neighbourhood of changes */
	/* Called after each step, collectively, unless it is NULL. */
	void (*on_step)(void *self, const gemp_rule *rule, uint64_t step, const gemp_step_report *report);
	/* Called before each step except the first step of this run, collectively, unless it is NULL. If it returns another
	 * code than GEMP_OK, the run ends; only in this case may it replace the graph. */
	gemp_code (*before_step)(void *self, gemp_shard **graph, const gemp_transform_history *history);
	void *self; /* first argument of both callbacks */
} gemp_transform_options;

/* The figures of one rule over all its steps. */
typedef struct gemp_rule_report {
	uint64_t steps;
	gemp_select_report select;
	gemp_effects effects;
	double seconds;
} gemp_rule_report;

/* Collective. *graph becomes the rewritten graph. Its ids are not the ids of a graph file (gemp_shard_canonical). After
 * an error *graph can only be freed (gemp_shard_free). Unless the history has steps, the rules are first bound to the
 * graph, which finds names that the graph lacks. The figures are added to reports[rules->count]. `history` gets all
 * executed steps, also after an error. */
gemp_code gemp_transform(gemp_shard **graph, gemp_runtime *context, gemp_rule_set *rules,
                         const gemp_transform_options *options, gemp_rule_report *reports,
                         gemp_transform_history *history);

#endif
