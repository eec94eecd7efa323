/* gemp/rules.h: rewrites a graph in memory by rules (docs/rules.md), and replays what rules have done.
 *
 *     gemp_rules *rules;
 *     gemp_rules_open(&rules, context, "RULE old MATCH (p:Person) WHERE p.age > $limit SET p:Old", NULL);
 *     gemp_rules_bind_integer(rules, "limit", 65);
 *     gemp_rules_run(rules, graph, NULL, &result, NULL);           // again, with other values and other graphs of the context
 *     gemp_rules_close(rules);
 *
 * The graph that comes out depends on graph, rules, parameters and seed, not on the number of ranks; its hash is the hash of the
 * graph file that gemp_graph_write makes of it. Rows of columns of the old graph do not belong to the new one.
 */

#ifndef GEMP_RULES_H
#define GEMP_RULES_H

#include <gemp/graph.h>
#include <gemp/report.h>
#include <gemp/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gemp_rules gemp_rules;

typedef struct gemp_rules_settings {
	size_t size;              /* of this struct in bytes, set by gemp_rules_settings_init */
	const char *name;         /* of the text, for messages and the change log, as "repair.rules"; NULL: "rules" */
	gemp_semantics semantics; /* of the patterns; GEMP_ISO by default */
	uint64_t max_steps;       /* rules that are not done after so many steps fail; 1,000,000 by default */
	uint64_t seed;            /* of which matches go first among those in conflict; 1 by default */
	bool lenient; /* labels, types and attributes that the graph lacks match nothing, instead of being an error */
	uint64_t
		combinations; /* of a pattern's parts that no edge joins, at most about so many; 1,000,000,000 by default */
	gemp_exchange_mode exchange; /* how patterns reach rows of other ranks */
	int64_t replicate;           /* bytes of replicas on each device; GEMP_REPLICATE_AUTO by default */
	gemp_placement choose; /* where one rank decides which matches in conflict are applied; the answer is the same */
	bool rematch_all; /* each step looks for all matches, not only for those near changes; the answer is the same */
} gemp_rules_settings;

/* What a run of rules, or a replay, writes and keeps beside the graph in memory. Files appear when they are whole. */
typedef struct gemp_rewrite_settings {
	size_t size;        /* of this struct in bytes, set by gemp_rewrite_settings_init */
	const char *output; /* graph file of the new graph; NULL: none, and a checkpoint is removed without it */
	const gemp_write_settings *write; /* of output; NULL: defaults */
	const char *dot; /* Graphviz drawing of a small graph before and after; NULL: none; not with a checkpoint */
	/* runs of rules alone */
	const char *changes;                 /* change log (JSON lines, docs/rules.md); NULL: none */
	bool explain;                        /* the report tells of each step */
	gemp_checkpoint_settings checkpoint; /* without a folder nothing is kept */
} gemp_rewrite_settings;

/* Counts of all ranks, over all steps. A step applies all matches of one rule that are not in conflict. */
typedef struct gemp_rules_result {
	uint64_t steps;
	uint64_t matches;      /* found by all steps: applied + conflicts + inapplicable */
	uint64_t applied;      /* matches whose updates were made */
	uint64_t conflicts;    /* matches that wait for a later step, since another one writes what they read or write */
	uint64_t inapplicable; /* matches that cannot be applied, as DELETE of a vertex that keeps edges */
	uint64_t created_vertices, created_edges;
	uint64_t deleted_vertices, deleted_edges; /* a vertex that is merged into another one counts as deleted */
	uint64_t set;                             /* attributes, labels and types that were set or removed */
} gemp_rules_result;

/* Local. */
GEMP_API void gemp_rules_settings_init(gemp_rules_settings *settings);
GEMP_API void gemp_rewrite_settings_init(gemp_rewrite_settings *settings);

/* Collective. The text, which is copied, is parsed when the rules run. The context must outlive the rules. settings NULL:
 * defaults. gemp_rules_close frees *out. */
GEMP_API gemp_code gemp_rules_open(gemp_rules **out, gemp_context *context, const char *text,
                                   const gemp_rules_settings *settings);
/* Local. Takes NULL. */
GEMP_API void gemp_rules_close(gemp_rules *rules);

/* Local, alike on all ranks. The value of $name from the next run on; name and text are copied. GEMP_ENOMEM. */
GEMP_API gemp_code gemp_rules_bind_integer(gemp_rules *rules, const char *name, int64_t value);
GEMP_API gemp_code gemp_rules_bind_real(gemp_rules *rules, const char *name, double value);
GEMP_API gemp_code gemp_rules_bind_boolean(gemp_rules *rules, const char *name, bool value);
GEMP_API gemp_code gemp_rules_bind_text(gemp_rules *rules, const char *name, const char *value);
/* Likewise of "name=value" or "name:type=value", type string, int, float or bool; without a type the value is what it is written as,
 * and 'quotes' make it a text. GEMP_EUSAGE also where the name has a value. */
GEMP_API gemp_code gemp_rules_bind(gemp_rules *rules, const char *assignment);

/* Collective. Rewrites the graph, of the context of the rules, in place. settings NULL: nothing is written. result: NULL if not wanted.
 * report (NULL: not wanted) gets the rules, their matches and updates, and where `output` is written what gemp_graph_write reports.
 * GEMP_EUSAGE names line and column of what is wrong with the text, or the step limit. A text that cannot be parsed or names
 * what the graph lacks leaves the graph as it was. GEMP_STOPPED: a checkpoint has been kept, of the graph as it is then. After any
 * other failure the graph can only be closed. */
GEMP_API gemp_code gemp_rules_run(gemp_rules *rules, gemp_graph *graph, const gemp_rewrite_settings *settings,
                                  gemp_rules_result *result, gemp_report *report);

/* What a change log held. */
typedef struct gemp_replay_result {
	uint64_t steps, changes;
} gemp_replay_result;

/* Collective. *out: does the file begin as a change log does, and not as rules? False for a file that cannot be read. */
GEMP_API gemp_code gemp_change_log_recognize(bool *out, gemp_context *context, const char *path);

/* Collective. Makes the changes of a change log again, without matching. The graph must be the one that the log began with:
 * GEMP_EDATA otherwise, as for a log that is incomplete; after a failure the graph is as it was. settings (NULL: nothing is
 * written): output, write and dot. result, report: NULL if not wanted. */
GEMP_API gemp_code gemp_graph_replay(gemp_graph *graph, const char *changes, const gemp_rewrite_settings *settings,
                                     gemp_replay_result *result, gemp_report *report);

#ifdef __cplusplus
}
#endif

#endif
