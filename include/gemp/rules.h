/* gemp/rules.h: rewrites a graph in memory by rules (docs/rules.md), and replays a log of the changes that rules have
 * made.
 *
 *     gemp_rules *rules;
 *     gemp_rules_open(&rules, context, "RULE old MATCH (p:Person) WHERE p.age > $limit SET p:Old", NULL);
 *     gemp_rules_bind_integer(rules, "limit", 65);
 *     gemp_rules_run(rules, graph, NULL, &result, NULL);   // may be repeated with other values and other graphs of the
 * context
 *     gemp_rules_close(rules);
 *
 * The resulting graph depends on the graph, the rules, the parameters and the seed, but not on the number of ranks. Its
 * hash equals the hash of the file that gemp_graph_write makes of it. Columns that were made from the old graph do not
 * match the rows of the new graph. */

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
	size_t size; /* the size of this struct in bytes; gemp_rules_settings_init sets it */
	/* what messages and the change log call the text, such as "repair.rules"; NULL: "rules" */
	const char *name;
	gemp_semantics semantics; /* the semantics of the patterns; GEMP_ISO by default */
	uint64_t max_steps;       /* the run fails if it needs more steps; 1,000,000 by default */
	uint64_t seed;            /* decides which of several conflicting matches is applied; 1 by default */
	bool lenient; /* labels, types and attributes that the graph lacks match nothing; otherwise they are an error */
	/* limit on the combinations of matches of pattern parts that no edge joins; 1,000,000,000 by default */
	uint64_t combinations;
	gemp_exchange_mode exchange; /* how a search obtains rows that its rank does not hold */
	/* bytes that a device spends on copies of other ranks' rows; GEMP_REPLICATE_AUTO by default */
	int64_t replicate;
	/* where the ranks resolve conflicts between matches; the result does not depend on it */
	gemp_placement choose;
	/* search for all matches in each step, not only near the changes; the result is the same */
	bool rematch_all;
} gemp_rules_settings;

/* The files and the checkpoint of a run of rules or of a replay. Each file gets its name only when it is complete. */
typedef struct gemp_rewrite_settings {
	size_t size; /* the size of this struct in bytes; gemp_rewrite_settings_init sets it */
	/* file for the new graph; NULL: none, and a finished run removes its checkpoint without writing the graph */
	const char *output;
	const gemp_write_settings *write; /* how `output` is written; NULL: the defaults */
	/* Graphviz drawing of a small graph before and after the run; NULL: none; not possible with a checkpoint */
	const char *dot;
	/* The following members have an effect only on a run of rules. */
	const char *changes;                 /* change log (JSON lines, docs/rules.md); NULL: none */
	bool explain;                        /* the report has an entry for each step */
	gemp_checkpoint_settings checkpoint; /* without a folder no checkpoint is kept */
} gemp_rewrite_settings;

/* Counts over all ranks and all steps. A step applies all matches of one rule that do not conflict. */
typedef struct gemp_rules_result {
	uint64_t steps;
	uint64_t matches; /* the matches of all steps: applied + conflicts + inapplicable */
	uint64_t applied; /* matches that were applied */
	/* matches that wait for a later step, since another match writes what they read or write, or since RUN ONE selected
	 * another match */
	uint64_t conflicts;
	uint64_t inapplicable; /* matches that cannot be applied, such as DELETE of a vertex that keeps edges */
	uint64_t created_vertices, created_edges;
	uint64_t deleted_vertices, deleted_edges; /* a vertex that is merged into another vertex counts as deleted */
	/* number of updates of attributes, labels and types; an update counts once for each element */
	uint64_t set;
} gemp_rules_result;

/* Local. Sets all defaults. */
GEMP_API void gemp_rules_settings_init(gemp_rules_settings *settings);
GEMP_API void gemp_rewrite_settings_init(gemp_rewrite_settings *settings);

/* Collective. Copies the text of the rules, which is parsed when the rules run. If `settings` is NULL, the defaults
 * apply. gemp_rules_close frees *out. */
GEMP_API gemp_code gemp_rules_open(gemp_rules **out, gemp_context *context, const char *text,
                                   const gemp_rules_settings *settings);
/* Local. Frees the rules; does nothing for NULL. */
GEMP_API void gemp_rules_close(gemp_rules *rules);

/* Local; must be called with the same values on all ranks. Sets the value of the parameter $name for all later runs.
 * Name and value are copied. GEMP_ENOMEM. */
GEMP_API gemp_code gemp_rules_bind_integer(gemp_rules *rules, const char *name, int64_t value);
GEMP_API gemp_code gemp_rules_bind_real(gemp_rules *rules, const char *name, double value);
GEMP_API gemp_code gemp_rules_bind_boolean(gemp_rules *rules, const char *name, bool value);
GEMP_API gemp_code gemp_rules_bind_text(gemp_rules *rules, const char *name, const char *value);
/* Sets a parameter from text: "name=value", or "name:type=value" with the types string, int, float and bool. Without a
 * type the form of the value decides the type, and 'quotes' make the value a string. GEMP_EUSAGE if the text has
 * another form, or if the parameter has a value already. */
GEMP_API gemp_code gemp_rules_bind(gemp_rules *rules, const char *assignment);

/* Collective. Rewrites the graph in place. The graph must belong to the context of the rules. If `settings` is NULL,
 * nothing is written. `result` and `report` may be NULL. The report gets the rules, their matches and changes, and, if
 * `output` is written, the fields of gemp_graph_write.
 *
 * GEMP_EUSAGE if the text has a mistake, whose line and column the message names, or if the run needs more than
 * max_steps. If the text cannot be parsed, or names something that the graph lacks, the graph is unchanged.
 * GEMP_STOPPED if the run stopped early; a checkpoint then holds the graph in its current state. After any other
 * failure the graph can only be closed. */
GEMP_API gemp_code gemp_rules_run(gemp_rules *rules, gemp_graph *graph, const gemp_rewrite_settings *settings,
                                  gemp_rules_result *result, gemp_report *report);

/* The number of steps and changes in a change log that was replayed. */
typedef struct gemp_replay_result {
	uint64_t steps, changes;
} gemp_replay_result;

/* Collective. *out becomes true if the file begins like a change log. It becomes false if the file begins differently
 * or cannot be read. */
GEMP_API gemp_code gemp_change_log_recognize(bool *out, gemp_context *context, const char *path);

/* Collective. Repeats the changes of a change log without matching. The graph must be the graph with which the log
 * began. GEMP_EDATA if it is another graph, or if the log is incomplete. If the replay fails, the graph is unchanged;
 * if only writing a file fails, the graph has the changes. Of the settings only output, write and dot have an effect;
 * if `settings` is NULL, nothing is written. `result` and `report` may be NULL. */
GEMP_API gemp_code gemp_graph_replay(gemp_graph *graph, const char *changes, const gemp_rewrite_settings *settings,
                                     gemp_replay_result *result, gemp_report *report);

#ifdef __cplusplus
}
#endif

#endif
