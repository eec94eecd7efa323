#include "api/context_state.h"
#include "cli/checkpoint_options.h"
#include "cli/graph_job.h"
#include "cli/graph_output.h"
#include "cli/report/report_run.h"
#include "cli/transform/step_checkpoint.h"
#include "core/memory.h"
#include "core/quantity.h"
#include "core/signals.h"
#include "io/file/output.h"
#include "io/file/stream.h"
#include "io/graph_file/graph_file_read.h"
#include "partition/derived/canonical.h"
#include "pattern/semantic/parse.h"
#include "transform/changelog/change_log.h"
#include "transform/graph_diff.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

typedef struct transforming {
	gemp_report *report;
	gemp_comm *comm;
	const gemp_options *options;
	gemp_shard *graph;
	gemp_rule_set *rules;
	gemp_runtime *context;
	gemp_query_parameter *parameters; /* [options->parameters.count] */
	gemp_rule_report *reports;        /* [rules->count] */
	json_t *steps;                    /* of --explain */
	gemp_change_log log;              /* of --changes */
	gemp_transform_history history;
	gemp_step_checkpoint kept;          /* of --checkpoint */
	gemp_graph_diff_side before, after; /* of --dot */
	bool string_keys;                   /* as gemp_builder_options has it */
	double told;                        /* when something was said of how far it is */
	bool replays;                       /* a change log stands in place of rules */
} transforming;

/* Local. */
static gemp_code parse(transforming *t, const char *text)
{
	gemp_code code = GEMP_OK;
	const gemp_list *list = &t->options->parameters;
	GEMP_TRY(GEMP_NEW(t->parameters, list->count));
	for (size_t i = 0; i < list->count; i++)
		GEMP_TRY(gemp_query_parameter_read(&t->parameters[i], list->items[i]));
	GEMP_TRY(gemp_rule_set_parse(&t->rules, text, t->options->arguments[1], t->parameters, list->count));
	code = GEMP_NEW(t->reports, t->rules->count);
done:
	return code;
}

/* Collective. */
static gemp_code read_rules(transforming *t)
{
	char *text = NULL;
	gemp_code code = gemp_file_read(&text, t->comm, "RULES", t->options->arguments[1]);
	if (code == GEMP_OK)
		code = gemp_comm_agree(t->comm, parse(t, text));
	gemp_free(text);
	return code;
}

static json_t *make_pair(uint64_t vertices, uint64_t edges)
{
	return json_pack("{s:o, s:o}", "vertices", gemp_json_count(vertices), "edges", gemp_json_count(edges));
}

static void report_selected(json_t *object, const gemp_select_report *s)
{
	json_object_set_new(object, "matches", gemp_json_count(s->matches));
	json_object_set_new(object, "applied", gemp_json_count(s->applied));
	json_object_set_new(object, "conflicts", gemp_json_count(s->conflicts));
	json_object_set_new(object, "blocked", gemp_json_count(s->inapplicable));
	json_object_set_new(object, "rounds", gemp_json_count(s->rounds));
}

static void report_effects(json_t *object, const gemp_effects *e)
{
	json_object_set_new(object, "created", make_pair(e->created_vertices, e->created_edges));
	json_object_set_new(object, "deleted", make_pair(e->deleted_vertices, e->deleted_edges));
	json_object_set_new(object, "set", gemp_json_count(e->set));
}

/* --explain: each step as it is done. */
static void explain_step(transforming *t, const gemp_rule *rule, uint64_t step, const gemp_step_report *one)
{
	const gemp_select_report *s = &one->select;
	gemp_report_print(t->report,
	                  "step %" PRIu64 ", %s: %s, %s applied, %s in conflict, %s blocked, %s, "
	                  "%.3f s\n",
	                  step + 1, rule->name, gemp_counted(s->matches, "match").text, gemp_grouped(s->applied).text,
	                  gemp_grouped(s->conflicts).text, gemp_grouped(s->inapplicable).text,
	                  gemp_counted(s->rounds, "round").text, one->seconds);
	json_t *object = json_pack("{s:s, s:f}", "rule", rule->name, "seconds", one->seconds);
	report_selected(object, s);
	if (one->rematch.incremental) {
		json_object_set_new(object, "kept", gemp_json_count(one->rematch.cached));
		json_object_set_new(object, "places", gemp_json_count(one->rematch.anchors));
	}
	report_effects(object, &one->effects);
	json_array_append_new(t->steps, object);
}

/* What a run of many steps says now and then. */
static void report_progress(transforming *t, const gemp_rule *rule, uint64_t step, const gemp_step_report *one)
{
	double now = gemp_now(), quiet = isatty(STDERR_FILENO) ? 5 : 30;
	if (now - t->told < quiet)
		return;
	t->told = now;
	gemp_log(GEMP_NORMAL, "step %" PRIu64 ", %s: %s, %s applied, %.1f s; %s vertices and %s edges after %.0f s",
	         step + 1, rule->name, gemp_counted(one->select.matches, "match").text,
	         gemp_grouped(one->select.applied).text, one->seconds, gemp_grouped(t->graph->vertex_count).text,
	         gemp_grouped(gemp_shard_edges(t->graph)).text, now - t->report->began);
}

static void report_step(void *self, const gemp_rule *rule, uint64_t step, const gemp_step_report *one)
{
	transforming *t = self;
	if (t->options->explain)
		explain_step(t, rule, step, one);
	else
		report_progress(t, rule, step, one);
}

static void report_rule(const transforming *t, const char *name, const gemp_rule_report *r, json_t *list)
{
	const gemp_select_report *s = &r->select;
	const gemp_effects *e = &r->effects;
	json_t *object = json_pack("{s:s, s:f}", "rule", name, "seconds", r->seconds);
	json_object_set_new(object, "steps", gemp_json_count(r->steps));
	report_selected(object, s);
	report_effects(object, e);
	json_array_append_new(list, object);
	gemp_report_detail(t->report, "%s: %s in %s, %s applied, %s in conflict, %s blocked, %.3f s\n", name,
	                   gemp_counted(s->matches, "match").text, gemp_counted(r->steps, "step").text,
	                   gemp_grouped(s->applied).text, gemp_grouped(s->conflicts).text,
	                   gemp_grouped(s->inapplicable).text, r->seconds);
	if (s->applied)
		gemp_report_detail(t->report, "  created %s and %s, deleted %s and %s, set %s\n",
		                   gemp_counted(e->created_vertices, "vertex").text,
		                   gemp_counted(e->created_edges, "edge").text, gemp_grouped(e->deleted_vertices).text,
		                   gemp_grouped(e->deleted_edges).text, gemp_grouped(e->set).text);
}

static void report_rules(const transforming *t)
{
	json_t *list = json_array();
	for (size_t i = 0; i < t->rules->count; i++)
		report_rule(t, t->rules->rules[i].name, &t->reports[i], list);
	gemp_report_set(t->report, "steps", gemp_json_count(t->history.count));
	gemp_report_set(t->report, "rules", list);
	if (t->options->explain)
		gemp_report_set(t->report, "explain", json_incref(t->steps));
}

/* Collective. Once the graph has changed its ids are not those of a file. */
static gemp_code make_canonical(transforming *t, gemp_shard **graph)
{
	uint64_t applied = 0;
	for (size_t i = 0; i < t->rules->count; i++)
		applied += t->reports[i].select.applied;
	if (!applied)
		return GEMP_OK;
	gemp_code code = gemp_shard_load_outgoing(*graph);
	return code == GEMP_OK ? gemp_shard_canonical(graph, t->comm, t->string_keys) : code;
}

static gemp_code between_steps(void *self, gemp_shard **graph, const gemp_transform_history *history)
{
	transforming *t = self;
	(void)history;
	if (!gemp_step_checkpoint_stop(&t->kept))
		return GEMP_OK;
	gemp_code code = make_canonical(t, graph);
	return code == GEMP_OK ? gemp_step_checkpoint_save(&t->kept, *graph) : code;
}

/* Collective. */
static gemp_code run(transforming *t)
{
	gemp_code code = GEMP_OK;
	const gemp_options *o = t->options;
	gemp_transform_options how = {
		.step = {
			.match = {
				.semantics = (gemp_semantics)o->semantics,
				.attributes = GEMP_CONDITIONS_AUTO,
				.replicate = o->replicate,
				.exchange = (gemp_exchange_mode)o->exchange,
			},
			.combinations = o->combinations,
			.seed = o->seed,
			.choose = (gemp_resolve_on)o->choose,
			.recorder = o->changes ? &t->log.recorder : NULL,
		},
		.max_steps = o->max_steps,
		.parameters = t->parameters,
		.parameter_count = o->parameters.count,
		.lenient = o->lenient,
		.rematch_all = o->rematch == 1,
		.on_step = report_step,
		.before_step = o->checkpoint ? between_steps : NULL,
		.self = t,
	};
	GEMP_TRY(gemp_shard_load_keys(t->graph));
	GEMP_TRY(gemp_has_string_keys(t->comm, t->graph, &t->string_keys));
	how.step.string_keys = t->string_keys;
	t->told = gemp_now();
	code = gemp_transform(&t->graph, t->context, t->rules, &how, t->reports, &t->history);
	if (code == GEMP_OK)
		code = make_canonical(t, &t->graph);
	if (code == GEMP_OK || code == GEMP_STOPPED)
		report_rules(t);
done:
	return code;
}

/* Collective. Where a checkpoint is kept, the log is one of its files until all is done. */
static gemp_code open_log(transforming *t)
{
	gemp_code code = GEMP_OK;
	char *part = NULL;
	if (!t->options->changes)
		return GEMP_OK;
	if (t->options->checkpoint)
		GEMP_TRY(gemp_comm_agree(t->comm, gemp_step_checkpoint_log(&t->kept, &part)));
	GEMP_TRY(gemp_change_log_open(&t->log, t->comm, part ? part : t->options->changes));
	if (t->history.count == 0)
		code = gemp_change_log_head(&t->log, t->graph, t->rules->file, t->options->seed);
done:
	gemp_free(part);
	return code;
}

/* Collective. */
static gemp_code close_log(transforming *t)
{
	gemp_code code = GEMP_OK;
	if (!t->options->changes)
		return GEMP_OK;
	GEMP_TRY(gemp_change_log_foot(&t->log, t->graph, t->history.count));
	GEMP_TRY(gemp_change_log_close(&t->log));
	if (t->options->checkpoint)
		GEMP_TRY(gemp_step_checkpoint_join(&t->kept, t->options->changes));
	gemp_report_set(
		t->report, "changes",
		json_pack("{s:s, s:o}", "file", t->options->changes, "lines", gemp_json_count(t->log.recorder.lines)));
	gemp_report_detail(t->report, "%s: %s\n", t->options->changes, gemp_counted(t->log.recorder.lines, "change").text);
done:
	return code;
}

/* Collective. */
static gemp_code open_checkpoint(transforming *t)
{
	if (!t->options->checkpoint)
		return GEMP_OK;
	t->kept = (gemp_step_checkpoint){ .began = t->report->began,
		                              .rules = t->rules,
		                              .reports = t->reports,
		                              .history = &t->history,
		                              .steps = t->steps,
		                              .log = t->options->changes ? &t->log : NULL };
	return gemp_step_checkpoint_open(&t->kept, t->comm, t->options, &t->graph);
}

/* A change log in place of rules. Collective. */
static gemp_code replay(transforming *t)
{
	gemp_code code = GEMP_OK;
	gemp_change_log_replayed done = { 0 };
	GEMP_TRY(gemp_change_log_replay(&t->graph, t->context, t->options->arguments[1], &done));
	gemp_report_set(t->report, "steps", gemp_json_count(done.steps));
	gemp_report_set(t->report, "replayed", gemp_json_count(done.lines));
	gemp_report_detail(t->report, "%s: %s of %s\n", t->options->arguments[1], gemp_counted(done.lines, "change").text,
	                   gemp_counted(done.steps, "step").text);
done:
	return code;
}

/* Collective. Rules are read before the graph, so that errors in them are told at once. */
static gemp_code read_second(transforming *t)
{
	static const char *const of_rules[] = { "changes", "param", "seed", "max-steps", "explain", "checkpoint" };
	gemp_code code = gemp_change_log_is(&t->replays, t->comm, t->options->arguments[1]);
	if (code == GEMP_OK && !t->replays)
		return read_rules(t);
	for (size_t i = 0; i < sizeof of_rules / sizeof *of_rules && code == GEMP_OK; i++)
		if (gemp_options_has(t->options, of_rules[i]))
			code = gemp_fail(GEMP_EUSAGE,
			                 "--%s is for rules, and %s is a change log, which is applied as it is; leave the "
			                 "option out",
			                 of_rules[i], t->options->arguments[1]);
	return code;
}

/* Collective. A graph for --dot. */
static gemp_code take(transforming *t, gemp_graph_diff_side *side, const char *moment)
{
	return t->options->dot ? gemp_graph_diff_take(side, t->context, t->graph, t->options->dot, moment) : GEMP_OK;
}

/* Collective. */
static gemp_code draw(transforming *t)
{
	if (!t->options->dot)
		return GEMP_OK;
	gemp_code code = gemp_graph_diff_write(t->comm, &t->before, &t->after, t->options->dot);
	if (code == GEMP_OK)
		gemp_report_set(t->report, "dot", json_string(t->options->dot));
	return code;
}

static void release(transforming *t)
{
	gemp_change_log_abandon(&t->log);
	for (size_t i = 0; t->parameters && i < t->options->parameters.count; i++)
		gemp_query_parameter_free(&t->parameters[i]);
	gemp_free(t->parameters);
	gemp_free(t->reports);
	gemp_rule_set_free(t->rules);
	gemp_shard_free(t->graph);
	json_decref(t->steps);
	gemp_graph_diff_free(&t->before);
	gemp_graph_diff_free(&t->after);
	gemp_free(t->history.applied);
	gemp_step_checkpoint_free(&t->kept);
}

/* Collective. Before any work: do the options go together, and can all that is to be written be? */
static gemp_code check(const gemp_comm *comm, const gemp_options *o)
{
	gemp_code code = gemp_checkpoint_options_check(o);
	if (code == GEMP_OK && o->dot && o->checkpoint)
		code = gemp_fail(GEMP_EUSAGE,
		                 "--dot does not go with --checkpoint, which does not keep how the graph was before; "
		                 "leave one of them out");
	if (code == GEMP_OK && o->changes && strcmp(o->changes, "-") == 0)
		code = gemp_fail(GEMP_EUSAGE, "--changes -: a log appears when it is whole; name a file");
	if (code == GEMP_OK && o->changes && comm->rank == 0)
		code = gemp_file_may_write("--changes", o->changes);
	if (code == GEMP_OK && o->dot && comm->rank == 0)
		code = gemp_file_may_write("--dot", o->dot);
	code = gemp_comm_agree(comm, code);
	return code == GEMP_OK ? gemp_graph_output_check(comm, o) : code;
}

/* What keeps steps ends behind one, anything else at once; rank 0 says so for all. */
static void expect_signals(const transforming *t)
{
	if (t->comm->rank == 0 && !t->options->checkpoint)
		gemp_signals_set_message(
			t->replays ? "gemp-mpi: ended by a signal, and no graph is written\n"
					   : "gemp-mpi: ended by a signal, and no graph is written; --checkpoint FOLDER keeps what "
						 "is finished\n");
}

static gemp_code transform(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	gemp_comm *comm = &context->comm;
	gemp_timers timers = { 0 };
	transforming t = { .report = report, .comm = comm, .options = options };
	gemp_code code = check(comm, options);
	if (code != GEMP_OK)
		return code;
	t.steps = json_array();
	GEMP_TRY(read_second(&t));
	expect_signals(&t);
	double since = gemp_now();
	GEMP_TRY(gemp_graph_file_open(&t.graph, comm, options->arguments[0]));
	gemp_timers_add(&timers, GEMP_PHASE_READ, since);
	GEMP_TRY(open_checkpoint(&t));
	GEMP_TRY(gemp_context_runtime(&t.context, context, true, &timers));
	GEMP_TRY(take(&t, &t.before, "before"));
	if (t.replays) {
		GEMP_TRY(replay(&t));
	} else {
		GEMP_TRY(open_log(&t));
		GEMP_TRY(run(&t));
	}
	GEMP_TRY(take(&t, &t.after, "after"));
	timers = t.context->timers;
	const char *const path[] = { options->arguments[1] };
	GEMP_TRY(gemp_graph_output(report, options, t.graph, &(gemp_list){ .count = 1, .items = (const char **)path }, 1,
	                           &timers, NULL));
	GEMP_TRY(close_log(&t));
	GEMP_TRY(draw(&t));
	if (options->checkpoint)
		GEMP_TRY(gemp_step_checkpoint_remove(&t.kept));
	code = gemp_report_devices(report, t.context);
done:
	if (code != GEMP_OK && code != GEMP_STOPPED && t.kept.store.comm && !t.kept.store.saved)
		gemp_step_checkpoint_remove(&t.kept);
	if (t.kept.store.comm)
		gemp_step_checkpoint_report(report, &t.kept, code == GEMP_OK);
	release(&t);
	return code;
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
