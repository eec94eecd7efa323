#include "cli/handles.h"
#include "cli/options/options.h"
#include "cli/query_options.h"
#include "cli/report/report_run.h"
#include "core/status.h"

#include <gemp/file.h>
#include <gemp/rules.h>

/* Options for rules, which a change log, already made with them, does not take. */
static gemp_code check_replay(const gemp_options *o)
{
	static const char *const of_rules[] = { "changes", "param", "seed", "max-steps", "explain", "checkpoint" };
	for (size_t i = 0; i < sizeof of_rules / sizeof *of_rules; i++)
		if (gemp_options_has(o, of_rules[i]))
			return gemp_fail(GEMP_EUSAGE,
			                 "--%s is for rules, and %s is a change log, which is applied as it is; leave the "
			                 "option out",
			                 of_rules[i], o->arguments[1]);
	return GEMP_OK;
}

/* Collective. The rules of the file of the second argument, with values of their parameters; the caller closes them, also after a
 * failure. */
static gemp_code open_rules(gemp_rules **out, gemp_context *context, const gemp_options *o)
{
	gemp_rules_settings settings;
	GEMP_OWNED_BY(gemp_text_release_at) char *text = NULL;
	gemp_rules_settings_init(&settings);
	settings.name = o->arguments[1];
	settings.semantics = (gemp_semantics)o->semantics;
	settings.max_steps = o->max_steps;
	settings.seed = o->seed;
	settings.lenient = o->lenient;
	settings.combinations = o->combinations;
	settings.exchange = (gemp_exchange_mode)o->exchange;
	settings.replicate = o->replicate;
	settings.choose = (gemp_placement)o->choose;
	settings.rematch_all = o->rematch == 1;
	GEMP_TRY(gemp_file_read_text(&text, context, "RULES", o->arguments[1]));
	GEMP_TRY(gemp_rules_open(out, context, text, &settings));
	for (size_t i = 0; i < o->parameters.count; i++)
		GEMP_TRY(gemp_rules_bind(*out, o->parameters.items[i]));
	return GEMP_OK;
}

/* A run with a checkpoint ends behind a step; any other is ended by a signal, after rank 0 has said so. */
static void expect_signals(const gemp_context *context, const gemp_options *o, bool replays)
{
	if (o->checkpoint)
		gemp_process_on_signal(GEMP_SIGNAL_NOTE, NULL);
	else if (gemp_context_rank(context) == 0)
		gemp_process_on_signal(
			GEMP_SIGNAL_SAY,
			replays
				? "gemp-mpi: ended by a signal, and no graph is written\n"
				: "gemp-mpi: ended by a signal, and no graph is written; --checkpoint FOLDER keeps what is finished\n");
}

static gemp_code transform(gemp_context *context, const gemp_options *o, gemp_report *report)
{
	GEMP_OWNED_BY(gemp_rules_close_at) gemp_rules *rules = NULL;
	GEMP_OWNED_BY(gemp_graph_close_at) gemp_graph *graph = NULL;
	gemp_write_settings write;
	gemp_rewrite_settings settings;
	bool replays;
	GEMP_TRY(gemp_checkpoint_options_check(o));
	GEMP_TRY(gemp_output_check(context, o));
	gemp_write_settings_init(&write);
	write.command = o->as_given;
	write.weight = o->weight;
	write.inputs = (const char *const *)&o->arguments[1];
	write.input_count = 1;
	gemp_rewrite_settings_init(&settings);
	settings.output = o->output;
	settings.write = &write;
	settings.dot = o->dot;
	settings.changes = o->changes;
	settings.explain = o->explain;
	settings.checkpoint = gemp_checkpoint_options(o);
	GEMP_TRY(gemp_change_log_recognize(&replays, context, o->arguments[1]));
	GEMP_TRY(replays ? check_replay(o) : open_rules(&rules, context, o));
	expect_signals(context, o, replays);
	GEMP_TRY(gemp_graph_open(&graph, context, o->arguments[0]));
	return replays ? gemp_graph_replay(graph, o->arguments[1], &settings, NULL, report)
	               : gemp_rules_run(rules, graph, &settings, NULL, report);
}

const gemp_command gemp_command_transform = {
	.name = "transform",
	.bit = GEMP_ON_TRANSFORM,
	.arguments = "G.h5 RULES -o H.h5\nG.h5 CHANGES.jsonl -o H.h5",
	.summary = "Rewrites a graph by rules",
	.text =
		"RULES is a file of rules and of what to run: RULE name MATCH ... WHERE ... CREATE, SET, REMOVE, DELETE, and "
		"RUN with *, {n}, |, ONE and TRY (docs/rules.md). A step applies all matches of a rule that do not conflict with one "
		"another, at once: a match that writes what another reads or writes waits for a later step. Which of them go first "
		"is drawn by --seed.\n"
		"The graph that comes out depends on graph, rules and seed, not on the number of ranks.\n"
		"CHANGES.jsonl is what --changes has written for the same graph: its changes are made again, without matching.\n",
	.examples = "gemp-mpi transform railway.h5 repair.rules -o repaired.h5\n"
				"mpirun -n 8 gemp-mpi transform movies.h5 couples.rules --param least=3 -o couples.h5 --explain\n"
				"gemp-mpi transform railway.h5 repair.rules -o repaired.h5 --changes repair.jsonl\n"
				"gemp-mpi transform railway.h5 repair.jsonl -o again.h5\n",
	.min_arguments = 2,
	.max_arguments = 2,
	.run = transform,
};
