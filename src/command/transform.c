#include "transform/transform.h"

#include "command/answer.h"
#include "command/files.h"
#include "command/produce.h"
#include "command/quantity.h"
#include "core/memory.h"
#include "io/graph_file.h"
#include "io/key_kind.h"

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

/* Collective. */
static gemp_code run(transforming *t)
{
	gemp_code code = GEMP_OK;
	uint64_t steps = 0;
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
	GEMP_TRY(gemp_transform(&t->graph, t->context, t->rules, &how, t->reports, &steps));
	report_rules(t, steps);
done:
	return code;
}

static void release(transforming *t)
{
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
	GEMP_TRY(read_rules(&t));
	double since = gemp_now();
	GEMP_TRY(gemp_graph_file_open(&t.graph, comm, options->arguments[0]));
	gemp_timers_add(&timers, GEMP_READ, since);
	GEMP_TRY(gemp_answer_context(&t.context, comm, options, &timers));
	GEMP_TRY(run(&t));
	timers = t.context->timers;
	const char *const path[] = { options->arguments[1] };
	GEMP_TRY(gemp_produce(&report, t.graph, &(gemp_list){ .count = 1, .items = (const char **)path }, 1, &timers, NULL));
	code = gemp_report_devices(&report, t.context);
done:
	release(&t);
	return gemp_report_finish(&report, code);
}

const gemp_command gemp_command_transform = {
	.name = "transform",
	.bit = GEMP_ON_TRANSFORM,
	.arguments = "G.h5 RULES -o H.h5",
	.summary = "Rewrites a graph by rules",
	.text = "RULES is a file of rules and of what to run: RULE name MATCH ... WHERE ... CREATE, SET, REMOVE, DELETE, and "
		"RUN with *, {n}, |, ONE and TRY (docs/rules.md). A step applies all matches of a rule that do not conflict with one "
		"another, at once: a match that writes what another reads or writes waits for a later step. Which of them go first "
		"is drawn by --seed.\n"
		"The graph that comes out depends on graph, rules and seed, not on the number of ranks.\n",
	.examples = "gemp-mpi transform railway.h5 repair.rules -o repaired.h5\n"
		"mpirun -n 8 gemp-mpi transform movies.h5 couples.rules --param least=3 -o couples.h5 --explain\n",
	.least = 2,
	.most = 2,
	.run = transform,
};
