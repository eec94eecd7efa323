#include "gemp/rules.h"

#include "api/graph_state.h"
#include "api/parameters.h"
#include "core/memory.h"
#include "partition/derived/canonical.h"
#include "partition/views/resident.h"
#include "pattern/semantic/parse.h"
#include "transform/changelog/change_log.h"
#include "transform/transform.h"

#include <string.h>

/* As the options --combinations and --max-steps of gemp-mpi have them. */
enum { COMBINATIONS = 1000000000, MAX_STEPS = 1000000 };

/* Rules are bound to one graph, and values of parameters are part of them: each run parses the text anew. */
struct gemp_rules {
	gemp_context *context; /* borrowed */
	char *text, *name;     /* owned */
	gemp_rules_settings settings;
	gemp_parameter_list parameters;
};

void gemp_rules_settings_init(gemp_rules_settings *settings)
{
	*settings = (gemp_rules_settings){ .size = sizeof *settings, .max_steps = MAX_STEPS, .seed = 1 };
}

static gemp_code check_settings(const gemp_rules_settings *settings)
{
	if ((unsigned)settings->semantics > GEMP_INDUCED)
		return gemp_fail(GEMP_EUSAGE, "semantics %d is none of gemp_semantics", (int)settings->semantics);
	if (settings->max_steps == 0)
		return gemp_fail(GEMP_EUSAGE, "max_steps is 0; allow 1 step at least");
	return GEMP_OK;
}

gemp_code gemp_rules_open(gemp_rules **out, gemp_context *context, const char *text,
                          const gemp_rules_settings *settings)
{
	gemp_code code = GEMP_OK;
	gemp_rules *rules = NULL;
	*out = NULL;
	code = GEMP_NEW(rules, 1);
	if (code == GEMP_OK) {
		rules->context = context;
		gemp_rules_settings_init(&rules->settings);
		if (settings)
			gemp_options_copy(&rules->settings, sizeof rules->settings, settings);
		rules->text = gemp_strdup(text);
		rules->name = gemp_strdup(rules->settings.name ? rules->settings.name : "rules");
		code = rules->text && rules->name ? check_settings(&rules->settings) : GEMP_ENOMEM;
	}
	GEMP_TRY(gemp_comm_agree(&context->comm, code));
	*out = rules;
	rules = NULL;
done:
	gemp_rules_close(rules);
	return code;
}

void gemp_rules_close(gemp_rules *rules)
{
	if (!rules)
		return;
	gemp_parameter_list_free(&rules->parameters);
	gemp_free_all(rules->text, rules->name, rules);
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
	const gemp_value text = { .type = GEMP_STRING, .string = { gemp_strdup(value), strlen(value) } };
	return gemp_parameter_list_set(&rules->parameters, name, text);
}

/* RUNS */

typedef struct rules_run {
	gemp_rules *rules;
	gemp_graph *graph;
	gemp_runtime *runtime;
	gemp_rule_set *parsed;
	gemp_rule_report *reports; /* [parsed->count] */
	gemp_transform_history history;
	gemp_change_log log; /* {0}: not wanted */
	bool string_keys;    /* as gemp_builder_options has it */
} rules_run;

/* Collective. */
static gemp_code parse(rules_run *r)
{
	const gemp_rules *rules = r->rules;
	gemp_code code = gemp_rule_set_parse(&r->parsed, rules->text, rules->name, rules->parameters.items,
	                                     rules->parameters.count);
	GEMP_THEN(GEMP_NEW(r->reports, r->parsed->count));
	return gemp_comm_agree(&rules->context->comm, code);
}

/* Collective. */
static gemp_code open_log(rules_run *r, const char *path)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(gemp_change_log_open(&r->log, &r->rules->context->comm, path));
	code = gemp_change_log_head(&r->log, r->graph->shard, r->rules->name, r->rules->settings.seed);
done:
	return code;
}

/* Collective. */
static gemp_code transform(rules_run *r)
{
	const gemp_rules_settings *settings = &r->rules->settings;
	const gemp_transform_options how = {
		.step = { .match = { .semantics = settings->semantics,
		                     .attributes = GEMP_CONDITIONS_AUTO,
		                     .replicate = GEMP_REPLICATE_AUTO,
		                     .exchange = GEMP_EXCHANGE_AUTO },
		          .combinations = COMBINATIONS,
		          .seed = settings->seed,
		          .string_keys = r->string_keys,
		          .recorder = r->log.output ? &r->log.recorder : NULL },
		.max_steps = settings->max_steps,
		.parameters = r->rules->parameters.items,
		.parameter_count = r->rules->parameters.count,
		.lenient = settings->lenient,
	};
	return gemp_transform(&r->graph->shard, r->runtime, r->parsed, &how, r->reports, &r->history);
}

static gemp_rules_result result_of(const rules_run *r)
{
	gemp_rules_result sum = { .steps = r->history.count };
	for (size_t i = 0; i < r->parsed->count; i++) {
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

/* Collective. The ids of a graph that has changed are not those of a file until it is made canonical. */
static gemp_code make_canonical(rules_run *r)
{
	gemp_code code = gemp_shard_load_outgoing(r->graph->shard);
	return code == GEMP_OK ? gemp_shard_canonical(&r->graph->shard, &r->rules->context->comm, r->string_keys) : code;
}

gemp_code gemp_rules_run(gemp_rules *rules, gemp_graph *graph, const char *changes, gemp_rules_result *result)
{
	gemp_code code = GEMP_OK;
	rules_run r = { .rules = rules, .graph = graph };
	GEMP_TRY(parse(&r));
	GEMP_TRY(gemp_context_runtime(&r.runtime, rules->context, true, NULL));
	GEMP_TRY(gemp_shard_load_keys(graph->shard));
	GEMP_TRY(gemp_has_string_keys(&rules->context->comm, graph->shard, &r.string_keys));
	if (changes)
		GEMP_TRY(open_log(&r, changes));
	GEMP_TRY(transform(&r));
	const gemp_rules_result sum = result_of(&r);
	if (sum.applied)
		GEMP_TRY(make_canonical(&r));
	if (changes) {
		GEMP_TRY(gemp_change_log_foot(&r.log, graph->shard, r.history.count));
		GEMP_TRY(gemp_change_log_close(&r.log));
	}
	if (result)
		*result = sum;
done:
	gemp_change_log_abandon(&r.log);
	gemp_rule_set_free(r.parsed);
	gemp_free_all(r.reports, r.history.applied);
	return code;
}

gemp_code gemp_graph_replay(gemp_graph *graph, const char *changes, gemp_replay_result *result)
{
	gemp_code code = GEMP_OK;
	gemp_runtime *runtime = NULL;
	gemp_change_log_replayed done = { 0 };
	GEMP_TRY(gemp_context_runtime(&runtime, graph->context, true, NULL));
	GEMP_TRY(gemp_change_log_replay(&graph->shard, runtime, changes, &done));
	if (result)
		*result = (gemp_replay_result){ .steps = done.steps, .changes = done.lines };
done:
	return code;
}
