/* gemp/rules.h: rewrites a graph in memory by rules (docs/rules.md), and replays the changes that rules have made.
 *
 *     gemp_rules *rules;
 *     gemp_rules_open(&rules, context, "RULE old MATCH (p:Person) WHERE p.age > $limit SET p:Old", NULL);
 *     gemp_rules_bind_integer(rules, "limit", 65);
 *     gemp_rules_run(rules, graph, NULL, &result, NULL);           // again, with other values and other graphs of the context
 *     gemp_rules_close(rules);
 *
 * The resulting graph depends on graph, rules, parameters and seed, not on the number of ranks. Its hash is that of the graph file that
 * gemp_graph_write makes of it. Columns that were made before do not match the rows of the new graph.
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
	uint64_t max_steps;       /* the run fails if the rules are not done after so many steps; 1,000,000 by default */
	uint64_t seed;            /* decides which of several matches in conflict is applied; 1 by default */
	bool lenient; /* labels, types and attributes that the graph lacks match nothing, instead of being an error */
	uint64_t combinations; /* limit of combined matches of pattern parts that no edge joins; 1,000,000,000 by default */
	gemp_exchange_mode exchange; /* how a search obtains rows of other ranks */
	int64_t replicate;           /* bytes of replicas on each device; GEMP_REPLICATE_AUTO by default */
	gemp_placement choose;       /* where one rank resolves conflicts between matches; the result is the same */
	bool rematch_all;            /* each step searches for all matches, not only near changes; the result is the same */
} gemp_rules_settings;

/* Files and checkpoint of a run of rules, or of a replay. Each file gets its name only when it is complete. */
typedef struct gemp_rewrite_settings {
	size_t size;        /* of this struct in bytes, set by gemp_rewrite_settings_init */
	const char *output; /* graph file of the new graph; NULL: none, and a checkpoint is removed without it */
	const gemp_write_settings *write; /* of output; NULL: defaults */
	const char *dot; /* Graphviz drawing of a small graph before and after; NULL: none; not with a checkpoint */
	/* The rest is only for runs of rules. */
	const char *changes;                 /* change log (JSON lines, docs/rules.md); NULL: none */
	bool explain;                        /* the report has an entry for each step */
	gemp_checkpoint_settings checkpoint; /* without a folder nothing is kept */
} gemp_rewrite_settings;

/* Counts of all ranks, over all steps. A step applies all matches of one rule that are not in conflict. */
typedef struct gemp_rules_result {
	uint64_t steps;
	uint64_t matches;      /* found by all steps: applied + conflicts + inapplicable */
	uint64_t applied;      /* matches that were applied */
	uint64_t conflicts;    /* matches that wait for a later step, since another match writes what they read or write */
	uint64_t inapplicable; /* matches that cannot be applied, such as DELETE of a vertex that keeps edges */
	uint64_t created_vertices, created_edges;
	uint64_t deleted_vertices, deleted_edges; /* a vertex that is merged into another one counts as deleted */
	uint64_t set;                             /* attributes, labels and types that were set or removed */
} gemp_rules_result;

/* Local. Sets all defaults. */
GEMP_API void gemp_rules_settings_init(gemp_rules_settings *settings);
GEMP_API void gemp_rewrite_settings_init(gemp_rewrite_settings *settings);

/* Collective. Opens rules. The text, which is copied, is parsed when the rules run. settings NULL: defaults.
 * gemp_rules_close frees *out. */
GEMP_API gemp_code gemp_rules_open(gemp_rules **out, gemp_context *context, const char *text,
                                   const gemp_rules_settings *settings);
/* Local. Frees the rules; does nothing for NULL. */
GEMP_API void gemp_rules_close(gemp_rules *rules);

/* Local, with the same values on all ranks. Sets the value of $name from the next run on; name and text are copied.
 * GEMP_ENOMEM. */
GEMP_API gemp_code gemp_rules_bind_integer(gemp_rules *rules, const char *name, int64_t value);
GEMP_API gemp_code gemp_rules_bind_real(gemp_rules *rules, const char *name, double value);
GEMP_API gemp_code gemp_rules_bind_boolean(gemp_rules *rules, const char *name, bool value);
GEMP_API gemp_code gemp_rules_bind_text(gemp_rules *rules, const char *name, const char *value);
/* The same from text: "name=value" or "name:type=value", with the types string, int, float and bool. Without a type the
 * form of the value decides, and 'quotes' make it a text. GEMP_EUSAGE: the text is none of these, or the name has a
 * value already. */
GEMP_API gemp_code gemp_rules_bind(gemp_rules *rules, const char *assignment);

/* Collective. Rewrites the graph in place; it must be of the context that the rules were opened with. settings NULL:
 * nothing is written. result: NULL if not wanted. report (NULL: not wanted) gets the rules, their matches and changes,
 * and, if `output` is written, the fields of gemp_graph_write. GEMP_EUSAGE: the message names line and column of a
 * mistake in the text, or the step limit. If the text cannot be parsed, or names what the graph lacks, the graph stays
 * as it was. GEMP_STOPPED: a checkpoint of the graph as it is now was written. After any other failure the graph can
 * only be closed. */
GEMP_API gemp_code gemp_rules_run(gemp_rules *rules, gemp_graph *graph, const gemp_rewrite_settings *settings,
                                  gemp_rules_result *result, gemp_report *report);

/* The contents of a change log that was replayed. */
typedef struct gemp_replay_result {
	uint64_t steps, changes;
} gemp_replay_result;

/* Collective. *out becomes true if the file begins as a change log, false if it does not or cannot be read. */
GEMP_API gemp_code gemp_change_log_recognize(bool *out, gemp_context *context, const char *path);

/* Collective. Makes the changes of a change log again, without matching. The graph must be the graph with which the log
 * began. GEMP_EDATA: it is another graph, or the log is incomplete. After a failure the graph is as it was. Of the
 * settings (NULL: nothing is written) only output, write and dot are used. result, report: NULL if not wanted. */
GEMP_API gemp_code gemp_graph_replay(gemp_graph *graph, const char *changes, const gemp_rewrite_settings *settings,
                                     gemp_replay_result *result, gemp_report *report);

#ifdef __cplusplus
}
#endif

#endif
