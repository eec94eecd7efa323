/* rules: opens rules, runs them on a graph, and replays change logs.
 *
 * A run parses the text again, since the values of parameters are part of the rules. It changes the graph in memory.
 * The change log and the checkpoint are written during the run; the drawing and the graph file are written at its end.
 * A replay has no rules. */

#include "gemp/rules.h"

#include "api/match/query.h"
#include "api/transform/changed_graph.h"
#include "api/transform/rule_report.h"
#include "api/transform/step_checkpoint.h"
#include "core/memory.h"
#include "core/quantity.h"
#include "core/random.h"
#include "partition/derived/canonical.h"
#include "pattern/semantic/parse.h"
#include "transform/graph_diff.h"

#include <inttypes.h>
#include <string.h>

struct gemp_rules {
	char *text, *name; /* owned */
	gemp_rules_settings settings;
	gemp_parameter_list parameters;
};

GEMP_SETTINGS(gemp_rules_settings, .max_steps = 1000000, .seed = 1, .combinations = 1000000000,
              .replicate = GEMP_REPLICATE_AUTO)
GEMP_SETTINGS(gemp_rewrite_settings)
GEMP_RELEASE(gemp_rules_close, gemp_rules *)

static gemp_code check_settings(const gemp_rules_settings *settings)
{
	if ((unsigned)settings->semantics > GEMP_INDUCED)
		return gemp_fail(GEMP_EUSAGE, "semantics %d is none of gemp_semantics", (int)settings->semantics);
	if ((unsigned)settings->choose > GEMP_PLACE_DEVICE)
		return gemp_fail(GEMP_EUSAGE, "choose %d is none of gemp_placement", (int)settings->choose);
	if (settings->max_steps == 0)
		return gemp_fail(GEMP_EUSAGE, "max_steps is 0; allow 1 step at least");
	return GEMP_OK;
}

/* Only the settings are checked here, since the text is parsed by the run. */
gemp_code gemp_rules_open(gemp_rules **out, gemp_context *context, const char *text,
                          const gemp_rules_settings *settings)
{
	GEMP_OWNED_BY(gemp_rules_close_at) gemp_rules *rules = NULL;
	*out = NULL;
	gemp_code code = GEMP_NEW(rules, 1);
	if (code == GEMP_OK) {
		rules->settings = gemp_rules_settings_from(settings);
		rules->text = gemp_strdup(text);
		rules->name = gemp_strdup(rules->settings.name ? rules->settings.name : "rules");
		code = rules->text && rules->name ? check_settings(&rules->settings) : GEMP_ENOMEM;
	}
	GEMP_TRY(gemp_comm_agree(&context->comm, code));
	*out = GEMP_MOVE(rules);
	return GEMP_OK;
}

void gemp_rules_close(gemp_rules *rules)
{
	if (!rules)
		return;
	gemp_parameter_list_free(&rules->parameters);
	gemp_free_all(rules->text, rules->name, rules);
}

gemp_code gemp_rules_bind(gemp_rules *rules, const char *assignment)
{
	return gemp_parameter_list_read(&rules->parameters, assignment, false);
}

gemp_code gemp_rules_bind_integer(gemp_rules *rules, const char *name, int64_t value)
{
	return gemp_parameter_list_set(&rules->parameters, name, (gemp_value){ .type = GEMP_INTEGER, .integer = value });
}

gemp_code gemp_rules_bind_real(gemp_rules *rules, const char *name, double value)
{
	return gemp_parameter_list_set(&rules->parameters, name, (gemp_value){ .type = GEMP_FLOAT, .real = value });
}

gemp_code gemp_rules_bind_boolean(gemp_rules *rules, const char *name, bool value)
{
	return gemp_parameter_list_set(&rules->parameters, name, (gemp_value){ .type = GEMP_BOOLEAN, .truth = value });
}

gemp_code gemp_rules_bind_text(gemp_rules *rules, const char *name, const char *value)
{
	return gemp_parameter_list_set_text(&rules->parameters, name, value);
}

/* REWRITING: the steps that a run of rules and a replay share */

typedef struct rewriting {
	const gemp_rules *rules; /* NULL: the rewriting is a replay of a change log */
	gemp_rewrite_settings settings;
	gemp_graph *graph;
	const gemp_comm *comm;
	gemp_report *report, none;
	gemp_runtime *runtime;
	gemp_graph_diff_side before, after; /* the two graphs of the drawing `dot` */
	/* The following members belong to runs of rules. */
	gemp_rule_set *parsed;
	gemp_rule_report *reports; /* [parsed->count] */
	json_t *steps;             /* the field `explain` */
	gemp_change_log log;       /* {0}: no log is wanted */
	gemp_transform_history history;
	gemp_step_checkpoint checkpoint; /* {0}: no checkpoint is kept */
	bool string_keys;                /* the same as in gemp_builder_options */
	double shown;                    /* the time of gemp_now() when progress was last logged */
} rewriting;

/* Collective. Checks before the work that the settings are compatible and that rank 0 can write all files. */
static gemp_code check_files(const rewriting *r)
{
	const gemp_rewrite_settings *s = &r->settings;
	const struct {
		const char *name, *path;
	} files[] = { { "changes", s->changes }, { "dot", s->dot }, { "output", s->output } };
	gemp_code code = GEMP_OK;
	if (s->dot && s->checkpoint.folder)
		code = gemp_fail(GEMP_EUSAGE, "dot does not go with checkpoint, which does not keep how the graph was before; "
		                              "leave one of them out");
	for (size_t i = 0; i < sizeof files / sizeof *files && r->comm->rank == 0; i++)
		if (files[i].path)
			GEMP_THEN(gemp_file_may_write(files[i].name, files[i].path));
	return gemp_comm_agree(r->comm, code);
}

/* Collective. `r` must not be moved, since its report may be a member of it. */
static gemp_code begin(rewriting *r, gemp_graph *graph, const gemp_rewrite_settings *settings, gemp_report *report)
{
	*r = (rewriting){ .graph = graph, .comm = &graph->context->comm, .settings = gemp_rewrite_settings_from(settings) };
	r->report = gemp_report_or(report, &r->none, graph->context);
	return check_files(r);
}

/* Collective. Makes the runtime, whose devices a search opens, and copies the graph if a drawing is wanted. */
static gemp_code make_runtime(rewriting *r)
{
	GEMP_TRY(gemp_context_runtime(&r->runtime, r->graph->context, GEMP_NEED_DEVICES_LATER, NULL));
	return r->settings.dot ? gemp_graph_diff_take(&r->before, r->runtime, r->graph->shard, r->settings.dot, "before")
	                       : GEMP_OK;
}

/* Collective. Writes the graph if it has a file, and reports it. Before that it copies the graph for a drawing. */
static gemp_code write_graph(rewriting *r)
{
	if (r->settings.dot)
		GEMP_TRY(gemp_graph_diff_take(&r->after, r->runtime, r->graph->shard, r->settings.dot, "after"));
	return gemp_changed_graph_write(r->graph, r->runtime, r->settings.output, r->settings.write, r->report);
}

/* Collective. Writes the drawing of the graph before and after the changes if a drawing is wanted. */
static gemp_code draw(rewriting *r)
{
	if (!r->settings.dot)
		return GEMP_OK;
	GEMP_TRY(gemp_graph_diff_write(r->comm, &r->before, &r->after, r->settings.dot));
	gemp_report_set(r->report, "dot", json_string(r->settings.dot));
	return GEMP_OK;
}

/* A change log that has not been closed leaves no file. */
static void free_rewriting(rewriting *r)
{
	gemp_change_log_abandon(&r->log);
	gemp_graph_diff_free(&r->before);
	gemp_graph_diff_free(&r->after);
	gemp_step_checkpoint_free(&r->checkpoint);
	gemp_rule_set_free(r->parsed);
	gemp_free_all(r->reports, r->history.applied);
	json_decref(r->steps);
}

/* REPORT */

/* Reports a finished step, for the setting `explain`. */
static void explain_step(rewriting *r, const gemp_rule *rule, uint64_t step, const gemp_step_report *one)
{
	const gemp_select_report *s = &one->select;
	gemp_report_print(r->report,
	                  "step %" PRIu64 ", %s: %s, %s applied, %s in conflict, %s blocked, %s, "
	                  "%.3f s\n",
	                  step + 1, rule->name, gemp_counted(s->matches, "match").text, gemp_grouped(s->applied).text,
	                  gemp_grouped(s->conflicts).text, gemp_grouped(s->inapplicable).text,
	                  gemp_counted(s->rounds, "round").text, one->seconds);
	json_t *object = json_pack("{s:s, s:f}", "rule", rule->name, "seconds", one->seconds);
	gemp_select_json(object, s);
	if (one->cache.incremental)
		gemp_json_set_counts(object, { "kept", one->cache.cached }, { "places", one->cache.anchors });
	gemp_effects_json(object, &one->effects);
	json_array_append_new(r->steps, object);
}

/* Logs the progress of a long run. The caller's log callback decides what to show. */
static void report_progress(rewriting *r, const gemp_rule *rule, uint64_t step, const gemp_step_report *one)
{
	enum { PROGRESS_SECONDS = 10 };
	double now = gemp_now();
	if (now - r->shown < PROGRESS_SECONDS)
		return;
	r->shown = now;
	gemp_log(GEMP_NORMAL, "step %" PRIu64 ", %s: %s, %s applied, %.1f s; %s vertices and %s edges after %.0f s",
	         step + 1, rule->name, gemp_counted(one->select.matches, "match").text,
	         gemp_grouped(one->select.applied).text, one->seconds, gemp_grouped(r->graph->shard->vertex_count).text,
	         gemp_grouped(gemp_shard_edges(r->graph->shard)).text, now - r->report->began);
}

/* Callback of gemp_transform. */
static void report_step(void *self, const gemp_rule *rule, uint64_t step, const gemp_step_report *one)
{
	rewriting *r = self;
	if (r->settings.explain)
		explain_step(r, rule, step, one);
	else
		report_progress(r, rule, step, one);
}

/* Reports the sums of one rule over all its steps as text, and appends its object to the list. */
static void report_rule(const rewriting *r, const char *name, const gemp_rule_report *one, json_t *list)
{
	const gemp_select_report *s = &one->select;
	const gemp_effects *e = &one->effects;
	json_t *object = json_pack("{s:s, s:f}", "rule", name, "seconds", one->seconds);
	json_object_set_new(object, "steps", gemp_json_count(one->steps));
	gemp_select_json(object, s);
	gemp_effects_json(object, e);
	json_array_append_new(list, object);
	gemp_report_detail(r->report, "%s: %s in %s, %s applied, %s in conflict, %s blocked, %.3f s\n", name,
	                   gemp_counted(s->matches, "match").text, gemp_counted(one->steps, "step").text,
	                   gemp_grouped(s->applied).text, gemp_grouped(s->conflicts).text,
	                   gemp_grouped(s->inapplicable).text, one->seconds);
	if (s->applied)
		gemp_report_detail(r->report, "  created %s and %s, deleted %s and %s, set %s\n",
		                   gemp_counted(e->created_vertices, "vertex").text,
		                   gemp_counted(e->created_edges, "edge").text, gemp_grouped(e->deleted_vertices).text,
		                   gemp_grouped(e->deleted_edges).text, gemp_grouped(e->set).text);
}

/* Collective. Sets the fields `steps` and `rules`, and `explain` if the caller wants it. */
static void report_rules(const rewriting *r)
{
	json_t *list = json_array();
	gemp_select_report sum = { 0 };
	for (size_t i = 0; i < r->parsed->count; i++) {
		report_rule(r, r->parsed->rules[i].name, &r->reports[i], list);
		gemp_select_add(&sum, &r->reports[i].select);
	}
	gemp_resolution_report(r->report, &sum);
	gemp_report_set(r->report, "steps", gemp_json_count(r->history.count));
	gemp_report_set(r->report, "rules", list);
	if (r->settings.explain)
		gemp_report_set(r->report, "explain", json_incref(r->steps));
}

/* STEPS */

/* Returns the sums over all rules. They are 0 before the rules have been parsed. */
static gemp_rules_result sum_results(const rewriting *r)
{
	gemp_rules_result sum = { .steps = r->history.count };
	for (size_t i = 0; r->reports && i < r->parsed->count; i++) {
		const gemp_select_report *select = &r->reports[i].select;
		const gemp_effects *effects = &r->reports[i].effects;
		sum.matches += select->matches;
		sum.applied += select->applied;
		sum.conflicts += select->conflicts;
		sum.inapplicable += select->inapplicable;
		sum.created_vertices += effects->created_vertices;
		sum.created_edges += effects->created_edges;
		sum.deleted_vertices += effects->deleted_vertices;
		sum.deleted_edges += effects->deleted_edges;
		sum.set += effects->set;
	}
	return sum;
}

/* Collective. Parses the rules with the values of their parameters. */
static gemp_code parse_rules(rewriting *r)
{
	const gemp_rules *rules = r->rules;
	gemp_code code = gemp_rule_set_parse(&r->parsed, rules->text, rules->name, rules->parameters.items,
	                                     rules->parameters.count);
	GEMP_THEN(GEMP_NEW(r->reports, r->parsed->count));
	r->steps = json_array();
	return gemp_comm_agree(r->comm, code);
}

/* Collective. */
static gemp_code make_canonical(rewriting *r, gemp_shard **graph)
{
	return sum_results(r).applied ? gemp_changed_graph_canonical(graph, r->comm, r->string_keys) : GEMP_OK;
}

/* Undirected edges without attributes have the direction in which rules created them. The order of matches, the change
 * log and edges that get attributes later depend on it. Merged rows already have the direction of the ids. */
static void fix_directions(gemp_shard *graph, bool fixed)
{
	for (size_t i = 0; i < graph->relation_count; i++)
		graph->relations[i].fixed = fixed && !graph->relations[i].merged;
}

/* Callback of gemp_transform. Stops with a checkpoint after a signal or at the time limit. */
static gemp_code between_steps(void *self, gemp_shard **graph, const gemp_transform_history *history)
{
	rewriting *r = self;
	(void)history;
	if (!gemp_step_checkpoint_stop(&r->checkpoint))
		return GEMP_OK;
	fix_directions(*graph, true);
	GEMP_TRY(make_canonical(r, graph));
	gemp_code code = gemp_step_checkpoint_save(&r->checkpoint, *graph);
	fix_directions(*graph, false);
	return code;
}

/* Collective. Rewrites the graph. Rules that a checkpoint has stopped are reported, too. */
static gemp_code run_steps(rewriting *r)
{
	const gemp_rules_settings *s = &r->rules->settings;
	const gemp_transform_options how = {
		.match = { .semantics = s->semantics,
		           .attributes = GEMP_CONDITIONS_AUTO,
		           .replicate = s->replicate,
		           .exchange = s->exchange },
		.combinations = s->combinations,
		.seed = s->seed,
		.choose = s->choose,
		.string_keys = r->string_keys,
		.recorder = r->log.output ? &r->log.recorder : NULL,
		.max_steps = s->max_steps,
		.parameters = r->rules->parameters.items,
		.parameter_count = r->rules->parameters.count,
		.lenient = s->lenient,
		.rematch_all = s->rematch_all,
		.on_step = report_step,
		.before_step = r->settings.checkpoint.folder ? between_steps : NULL,
		.self = r,
	};
	r->shown = gemp_now();
	gemp_code code = gemp_transform(&r->graph->shard, r->runtime, r->parsed, &how, r->reports, &r->history);
	GEMP_THEN(make_canonical(r, &r->graph->shard));
	if (code == GEMP_OK || code == GEMP_STOPPED)
		report_rules(r);
	return code;
}

/* CHANGE LOG AND CHECKPOINT */

/* Collective. If there is a checkpoint, the log is a file of its folder until the rules end. Only the first job writes
 * the head of the log. */
static gemp_code open_log(rewriting *r)
{
	GEMP_OWNED char *part = NULL;
	if (!r->settings.changes)
		return GEMP_OK;
	if (r->settings.checkpoint.folder)
		GEMP_TRY(gemp_comm_agree(r->comm, gemp_step_checkpoint_log(&r->checkpoint, &part)));
	GEMP_TRY(gemp_change_log_open(&r->log, r->comm, part ? part : r->settings.changes));
	return r->history.count ? GEMP_OK
	                        : gemp_change_log_head(&r->log, r->graph->shard, r->rules->name, r->rules->settings.seed);
}

/* Collective. Writes the foot of the log and joins the parts of all jobs. */
static gemp_code close_log(rewriting *r)
{
	const char *path = r->settings.changes;
	if (!path)
		return GEMP_OK;
	GEMP_TRY(gemp_change_log_foot(&r->log, r->graph->shard, r->history.count));
	GEMP_TRY(gemp_change_log_close(&r->log));
	if (r->settings.checkpoint.folder)
		GEMP_TRY(gemp_step_checkpoint_join(&r->checkpoint, path));
	const uint64_t lines = r->log.recorder.lines;
	gemp_report_set(r->report, "changes", json_pack("{s:s, s:o}", "file", path, "lines", gemp_json_count(lines)));
	gemp_report_detail(r->report, "%s: %s\n", path, gemp_counted(lines, "change").text);
	return GEMP_OK;
}

/* Returns the settings that must be the same in all jobs of a checkpoint, or NULL if there is no memory. */
static json_t *make_question(const rewriting *r)
{
	const gemp_rules *rules = r->rules;
	char hash[24], seed[24], combinations[24];
	GEMP_OWNED_BY(gemp_text_free) gemp_text parameters = { 0 };
	snprintf(hash, sizeof hash, "%016" PRIx64, gemp_hash(rules->text, strlen(rules->text), 0));
	snprintf(seed, sizeof seed, "%" PRIu64, rules->settings.seed);
	snprintf(combinations, sizeof combinations, "%" PRIu64, rules->settings.combinations);
	if (gemp_parameter_list_print(&rules->parameters, &parameters) != GEMP_OK)
		return NULL;
	json_t *own = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s}", "rules", hash, "changes",
	                        r->settings.changes ? "written" : "none", "semantics",
	                        gemp_semantics_name[rules->settings.semantics], "seed", seed, "param", parameters.data,
	                        "lenient", rules->settings.lenient ? "true" : "", "combinations", combinations);
	return gemp_checkpoint_store_question(r->graph->shard, own);
}

/* Collective. Opens the checkpoint, which may replace the graph. */
static gemp_code open_checkpoint(rewriting *r)
{
	if (!r->settings.checkpoint.folder)
		return GEMP_OK;
	r->checkpoint = (gemp_step_checkpoint){ .comm = r->comm,
		                                    .settings = r->settings.checkpoint,
		                                    .began = r->report->began,
		                                    .rules = r->parsed,
		                                    .reports = r->reports,
		                                    .history = &r->history,
		                                    .steps = r->steps,
		                                    .log = r->settings.changes ? &r->log : NULL };
	return gemp_step_checkpoint_open(&r->checkpoint, make_question(r), &r->graph->shard);
}

/* Collective. If the job fails, a checkpoint that it has begun is removed; a checkpoint of an earlier job is kept. */
static void close_checkpoint(rewriting *r, gemp_code code)
{
	if (!r->checkpoint.store.comm)
		return;
	if (code != GEMP_OK && code != GEMP_STOPPED && !r->checkpoint.store.saved)
		gemp_step_checkpoint_remove(&r->checkpoint);
	gemp_step_checkpoint_report(r->report, &r->checkpoint, code == GEMP_OK);
}

/* RUNS */

/* The order of the steps matters. An error in the rules must be found before a device is opened. The checkpoint may
 * replace the graph, so it is opened before the run. It is removed only after the graph, the log and the drawing are
 * written. */
gemp_code gemp_rules_run(gemp_rules *rules, gemp_graph *graph, const gemp_rewrite_settings *settings,
                         gemp_rules_result *result, gemp_report *report)
{
	gemp_code code = GEMP_OK;
	rewriting r;
	GEMP_TRY_DONE(begin(&r, graph, settings, report));
	r.rules = rules;
	GEMP_TRY_DONE(parse_rules(&r));
	GEMP_TRY_DONE(open_checkpoint(&r));
	GEMP_TRY_DONE(gemp_shard_load_keys(graph->shard));
	GEMP_TRY_DONE(gemp_has_string_keys(r.comm, graph->shard, &r.string_keys));
	GEMP_TRY_DONE(make_runtime(&r));
	GEMP_TRY_DONE(open_log(&r));
	GEMP_TRY_DONE(run_steps(&r));
	GEMP_TRY_DONE(write_graph(&r));
	GEMP_TRY_DONE(close_log(&r));
	GEMP_TRY_DONE(draw(&r));
	if (r.checkpoint.store.comm)
		GEMP_TRY_DONE(gemp_step_checkpoint_remove(&r.checkpoint));
	code = gemp_report_devices(r.report, r.runtime);
done:
	if (result)
		*result = sum_results(&r);
	close_checkpoint(&r, code);
	free_rewriting(&r);
	return code;
}

/* REPLAY */

gemp_code gemp_change_log_recognize(bool *out, gemp_context *context, const char *path)
{
	*out = gemp_change_log_is(&context->comm, path);
	return GEMP_OK;
}

/* A replay does not search, so it needs no checkpoint. */
gemp_code gemp_graph_replay(gemp_graph *graph, const char *changes, const gemp_rewrite_settings *settings,
                            gemp_replay_result *result, gemp_report *report)
{
	gemp_change_log_replayed done = { 0 };
	GEMP_OWNED_BY(free_rewriting) rewriting r = { 0 };
	GEMP_TRY(begin(&r, graph, settings, report));
	GEMP_TRY(make_runtime(&r));
	GEMP_TRY(gemp_change_log_replay(&graph->shard, r.runtime, changes, &done));
	gemp_report_set_counts(r.report, { "steps", done.steps }, { "replayed", done.lines });
	gemp_report_detail(r.report, "%s: %s of %s\n", changes, gemp_counted(done.lines, "change").text,
	                   gemp_counted(done.steps, "step").text);
	GEMP_TRY(write_graph(&r));
	GEMP_TRY(draw(&r));
	GEMP_TRY(gemp_report_devices(r.report, r.runtime));
	if (result)
		*result = (gemp_replay_result){ .steps = done.steps, .changes = done.lines };
	return GEMP_OK;
}
