#include "transform/transform.h"

#include "command/answer.h"
#include "command/change_log.h"
#include "command/files.h"
#include "command/produce.h"
#include "command/quantity.h"
#include "command/replay_log.h"
#include "core/memory.h"
#include "io/graph_file.h"
#include "io/key_kind.h"
#include "partition/canonical.h"

#include <inttypes.h>

typedef struct transforming {
	gemp_report *report;
	gemp_comm *comm;
	const gemp_options *options;
	gemp_graph *graph;
	gemp_rules *rules;
	gemp_context *context;
	gemp_query_parameter *parameters; /* [options->parameters.count] */
	gemp_rule_report *reports;        /* [rules->count] */
	json_t *steps;                    /* of --explain */
	gemp_change_log log;              /* of --changes */
	uint64_t step_count;
	bool replays;                     /* a change log stands in place of rules */
} transforming;

/* Local. */
static gemp_code parse(transforming *t, const char *text)
{
	gemp_code code = GEMP_OK;
	const gemp_list *list = &t->options->parameters;
	GEMP_TRY(GEMP_NEW(t->parameters, list->count));
	for (size_t i = 0; i < list->count; i++)
		GEMP_TRY(gemp_query_parameter_read(&t->parameters[i], list->items[i]));
	GEMP_TRY(gemp_rules_parse(&t->rules, text, t->options->arguments[1], t->parameters, list->count));
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

/* --explain: each step as it is done. */
static void tell_step(void *self, const gemp_rule *rule, uint64_t step, const gemp_step_report *one)
{
	transforming *t = self;
	gemp_report_print(t->report, "step %" PRIu64 ", %s: %s matches, %s applied, %s in conflict, %s blocked, %" PRIu64
	                  " rounds\n", step + 1, rule->name, gemp_grouped(one->matches).text, gemp_grouped(one->applied).text,
	                  gemp_grouped(one->conflicts).text, gemp_grouped(one->blocked).text, one->rounds);
	json_t *object = json_pack("{s:s, s:f}", "rule", rule->name, "seconds", one->seconds);
	json_object_set_new(object, "matches", gemp_json_count(one->matches));
	json_object_set_new(object, "applied", gemp_json_count(one->applied));
	json_object_set_new(object, "conflicts", gemp_json_count(one->conflicts));
	json_object_set_new(object, "blocked", gemp_json_count(one->blocked));
	json_object_set_new(object, "rounds", gemp_json_count(one->rounds));
	json_array_append_new(t->steps, object);
}

static void report_rules(const transforming *t, uint64_t steps)
{
	json_t *list = json_array();
	for (size_t i = 0; i < t->rules->count; i++) {
		const gemp_rule_report *r = &t->reports[i];
		json_t *object = json_pack("{s:s, s:f}", "rule", t->rules->rules[i].name, "seconds", r->seconds);
		json_object_set_new(object, "steps", gemp_json_count(r->steps));
		json_object_set_new(object, "matches", gemp_json_count(r->matches));
		json_object_set_new(object, "applied", gemp_json_count(r->applied));
		json_object_set_new(object, "conflicts", gemp_json_count(r->conflicts));
		json_object_set_new(object, "blocked", gemp_json_count(r->blocked));
		json_array_append_new(list, object);
		gemp_report_detail(t->report, "%s: %s matches in %s steps, %s applied, %s in conflict, %s blocked, %.3f s\n",
		                   t->rules->rules[i].name, gemp_grouped(r->matches).text, gemp_grouped(r->steps).text,
		                   gemp_grouped(r->applied).text, gemp_grouped(r->conflicts).text, gemp_grouped(r->blocked).text,
		                   r->seconds);
	}
	gemp_report_set(t->report, "steps", gemp_json_count(steps));
	gemp_report_set(t->report, "rules", list);
	if (t->options->explain)
		gemp_report_set(t->report, "explain", json_incref(t->steps));
}

/* Has the graph changed? */
static bool applied(const transforming *t)
{
	uint64_t all = 0;
	for (size_t i = 0; i < t->rules->count; i++)
		all += t->reports[i].applied;
	return all > 0;
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
				.attributes = GEMP_AUTO,
				.replicate = o->replicate,
				.crossing = (gemp_crossing_way)o->exchange,
			},
			.combinations = o->combinations,
			.seed = o->seed,
			.recorder = o->changes ? &t->log.recorder : NULL,
		},
		.most_steps = o->max_steps,
		.parameters = t->parameters,
		.parameter_count = o->parameters.count,
		.lenient = o->lenient,
		.told = o->explain ? tell_step : NULL,
		.self = t,
	};
	GEMP_TRY(gemp_graph_need_keys(t->graph));
	GEMP_TRY(gemp_has_string_keys(t->comm, t->graph, &how.step.string_keys));
	GEMP_TRY(gemp_transform(&t->graph, t->context, t->rules, &how, t->reports, &t->step_count));
	if (applied(t))
		code = gemp_graph_canonical(&t->graph, t->comm, how.step.string_keys);
	report_rules(t, t->step_count);
done:
	return code;
}

/* Collective. */
static gemp_code open_log(transforming *t)
{
	gemp_code code = GEMP_OK;
	if (!t->options->changes)
		return GEMP_OK;
	GEMP_TRY(gemp_change_log_open(&t->log, t->comm, t->options->changes));
	code = gemp_change_log_head(&t->log, t->graph, t->rules->file, t->options->seed);
done:
	return code;
}

/* Collective. */
static gemp_code close_log(transforming *t)
{
	gemp_code code = GEMP_OK;
	if (!t->options->changes)
		return GEMP_OK;
	GEMP_TRY(gemp_change_log_foot(&t->log, t->graph, t->step_count));
	code = gemp_change_log_close(&t->log);
	gemp_report_set(t->report, "changes", json_pack("{s:s, s:o}", "file", t->options->changes, "lines",
	                                                gemp_json_count(t->log.recorder.lines)));
	gemp_report_detail(t->report, "%s: %s changes\n", t->options->changes, gemp_grouped(t->log.recorder.lines).text);
done:
	return code;
}

/* A change log in place of rules. Collective. */
static gemp_code replay(transforming *t)
{
	gemp_code code = GEMP_OK;
	gemp_replayed done = { 0 };
	GEMP_TRY(gemp_replay_log(&t->graph, t->context, t->options->arguments[1], &done));
	gemp_report_set(t->report, "steps", gemp_json_count(done.steps));
	gemp_report_set(t->report, "replayed", gemp_json_count(done.lines));
	gemp_report_detail(t->report, "%s: %s changes of %s steps\n", t->options->arguments[1], gemp_grouped(done.lines).text,
	                   gemp_grouped(done.steps).text);
done:
	return code;
}

/* Collective. Rules are read before the graph, so that errors in them are told at once. */
static gemp_code read_second(transforming *t)
{
	static const char *const of_rules[] = { "changes", "param", "seed", "max-steps", "explain" };
	gemp_code code = gemp_is_change_log(&t->replays, t->comm, t->options->arguments[1]);
	if (code == GEMP_OK && !t->replays)
		return read_rules(t);
	for (size_t i = 0; i < sizeof of_rules / sizeof *of_rules && code == GEMP_OK; i++)
		if (gemp_options_given(t->options, of_rules[i]))
			code = gemp_fail(GEMP_EUSAGE, "--%s is for rules, and %s is a change log, which is applied as it is; leave the "
			                 "option out", of_rules[i], t->options->arguments[1]);
	return code;
}

static void release(transforming *t)
{
	gemp_change_log_abandon(&t->log);
	for (size_t i = 0; t->parameters && i < t->options->parameters.count; i++)
		gemp_query_parameter_free(&t->parameters[i]);
	gemp_free(t->parameters);
	gemp_free(t->reports);
	gemp_rules_free(t->rules);
	gemp_context_free(t->context);
	gemp_graph_free(t->graph);
	json_decref(t->steps);
}

static gemp_code transform(gemp_comm *comm, const gemp_options *options)
{
	gemp_report report;
	gemp_timers timers = { 0 };
	transforming t = { .report = &report, .comm = comm, .options = options };
	gemp_code code = gemp_produce_check(comm, options);
	if (code == GEMP_OK)
		code = gemp_report_new(&report, comm, options, false);
	if (code != GEMP_OK)
		return code;
	t.steps = json_array();
	GEMP_TRY(read_second(&t));
	double since = gemp_now();
	GEMP_TRY(gemp_graph_file_open(&t.graph, comm, options->arguments[0]));
	gemp_timers_add(&timers, GEMP_READ, since);
	GEMP_TRY(gemp_answer_context(&t.context, comm, options, &timers));
	if (t.replays) {
		GEMP_TRY(replay(&t));
	} else {
		GEMP_TRY(open_log(&t));
		GEMP_TRY(run(&t));
	}
	timers = t.context->timers;
	const char *const path[] = { options->arguments[1] };
	GEMP_TRY(gemp_produce(&report, t.graph, &(gemp_list){ .count = 1, .items = (const char **)path }, 1, &timers, NULL));
	GEMP_TRY(close_log(&t));
	code = gemp_report_devices(&report, t.context);
done:
	release(&t);
	return gemp_report_finish(&report, code);
}

const gemp_command gemp_command_transform = {
	.name = "transform",
	.bit = GEMP_ON_TRANSFORM,
	.arguments = "G.h5 RULES -o H.h5\nG.h5 CHANGES.jsonl -o H.h5",
	.summary = "Rewrites a graph by rules",
	.text = "RULES is a file of rules and of what to run: RULE name MATCH ... WHERE ... CREATE, SET, REMOVE, DELETE, and "
		"RUN with *, {n}, |, ONE and TRY (docs/rules.md). A step applies all matches of a rule that do not conflict with one "
		"another, at once: a match that writes what another reads or writes waits for a later step. Which of them go first "
		"is drawn by --seed.\n"
		"The graph that comes out depends on graph, rules and seed, not on the number of ranks.\n"
		"CHANGES.jsonl is what --changes has written for the same graph: its changes are made again, without matching.\n",
	.examples = "gemp-mpi transform railway.h5 repair.rules -o repaired.h5\n"
		"mpirun -n 8 gemp-mpi transform movies.h5 couples.rules --param least=3 -o couples.h5 --explain\n"
		"gemp-mpi transform railway.h5 repair.rules -o repaired.h5 --changes repair.jsonl\n"
		"gemp-mpi transform railway.h5 repair.jsonl -o again.h5\n",
	.least = 2,
	.most = 2,
	.run = transform,
};
