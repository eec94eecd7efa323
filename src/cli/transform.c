/* transform: rewrites a graph by rules, or replays the change log of an earlier run, by gemp/rules.h. */

#include "cli/handles.h"
#include "cli/report/report_run.h"
#include "cli/settings.h"

#include <gemp/file.h>
#include <gemp/rules.h>

/* Collective. Opens the rules of the file in the second argument and binds their parameters; the caller closes them,
 * also after a failure. */
static gemp_code open_rules(gemp_rules **out, gemp_context *context, const gemp_options *options)
{
	gemp_rules_settings settings;
	GEMP_OWNED_BY(gemp_text_release_at) char *text = NULL;
	gemp_rules_settings_init(&settings);
	settings.name = options->arguments[1];
	settings.semantics = (gemp_semantics)options->semantics;
	settings.max_steps = options->max_steps;
	settings.seed = options->seed;
	settings.lenient = options->lenient;
	settings.combinations = options->combinations;
	settings.exchange = (gemp_exchange_mode)options->exchange;
	settings.replicate = options->replicate;
	settings.choose = (gemp_placement)options->choose;
	settings.rematch_all = options->rematch == 1;
	GEMP_TRY(gemp_file_read_text(&text, context, "RULES", options->arguments[1]));
	GEMP_TRY(gemp_rules_open(out, context, text, &settings));
	for (size_t i = 0; i < options->parameters.count; i++)
		GEMP_TRY(gemp_rules_bind(*out, options->parameters.items[i]));
	return GEMP_OK;
}

/* With a checkpoint a signal ends the run after the current step. Otherwise it ends the process at once, and the
 * handler of rank 0 prints the message. */
static void set_signal_action(const gemp_context *context, const gemp_options *options, bool replays)
{
	if (options->checkpoint)
		gemp_process_on_signal(GEMP_SIGNAL_NOTE, NULL);
	else if (gemp_context_rank(context) == 0)
		gemp_process_on_signal(
			GEMP_SIGNAL_SAY,
			replays
				? "gemp-mpi: stopped by a signal; no graph is written\n"
				: "gemp-mpi: stopped by a signal; no graph is written. --checkpoint FOLDER would save finished work\n");
}

/* The second argument is a change log or a file of rules; its content tells. All paths are checked before the graph is
 * opened. */
static gemp_code transform(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	GEMP_OWNED_BY(gemp_rules_close_at) gemp_rules *rules = NULL;
	GEMP_OWNED_BY(gemp_graph_close_at) gemp_graph *graph = NULL;
	gemp_write_settings write;
	gemp_rewrite_settings settings;
	bool replays;
	GEMP_TRY(gemp_checkpoint_options_check(options));
	GEMP_TRY(gemp_output_check(context, options));
	gemp_write_settings_init(&write);
	write.command = options->as_given;
	write.weight = options->weight;
	write.inputs = (const char *const *)&options->arguments[1];
	write.input_count = 1;
	gemp_rewrite_settings_init(&settings);
	settings.output = options->output;
	settings.write = &write;
	settings.dot = options->dot;
	settings.changes = options->changes;
	settings.explain = options->explain;
	settings.checkpoint = gemp_checkpoint_options(options);
	GEMP_TRY(gemp_change_log_recognize(&replays, context, options->arguments[1]));
	if (replays)
		GEMP_TRY(gemp_options_refuse(options, "changes|param|seed|max-steps|explain|checkpoint",
		                             "has no effect on a change log, which is applied as it is; leave the option out"));
	else
		GEMP_TRY(open_rules(&rules, context, options));
	set_signal_action(context, options, replays);
	GEMP_TRY(gemp_graph_open(&graph, context, options->arguments[0]));
	return replays ? gemp_graph_replay(graph, options->arguments[1], &settings, NULL, report)
	               : gemp_rules_run(rules, graph, &settings, NULL, report);
}

const gemp_command gemp_command_transform = {
	.name = "transform",
	.bit = GEMP_ON_TRANSFORM,
	.arguments = "G.h5 RULES -o H.h5\nG.h5 CHANGES.jsonl -o H.h5",
	.summary = "Rewrites a graph by rules",
	.text =
		"RULES is a file of rules and of statements that run them: RULE name MATCH ... WHERE ... CREATE, SET, REMOVE, "
		"DELETE, and RUN with *, {n}, |, ONE and TRY (docs/rules.md). A step applies at once all matches of a rule "
		"that do not conflict: a match that writes what another match reads or writes waits for a later step. --seed "
		"decides which of two conflicting matches goes first.\n"
		"The resulting graph depends on the graph, the rules and the seed, not on the number of ranks.\n"
		"CHANGES.jsonl is the file that --changes wrote for the same graph: its changes are made again, without "
		"matching.\n",
	.examples = "gemp-mpi transform railway.h5 repair.rules -o repaired.h5\n"
				"mpirun -n 8 gemp-mpi transform movies.h5 couples.rules --param least=3 -o couples.h5 --explain\n"
				"gemp-mpi transform railway.h5 repair.rules -o repaired.h5 --changes repair.jsonl\n"
				"gemp-mpi transform railway.h5 repair.jsonl -o again.h5\n",
	.argument_count = { 2, 2 },
	.run = transform,
};
