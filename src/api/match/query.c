/* query: opens queries, checks their settings and binds their parameters. */

#include "api/match/query_state.h"

#include "core/memory.h"
#include "pattern/shapes/named_pattern.h"
#include "pattern/shapes/query_graph.h"

#include <string.h>

enum { MAX_LANES = 1024 }; /* the search refuses what its device does not have (match/search) */

void gemp_query_settings_init(gemp_query_settings *settings)
{
	*settings = (gemp_query_settings){ .size = sizeof *settings,
		                               .limit = UINT64_MAX,
		                               .replicate = GEMP_REPLICATE_AUTO };
}

gemp_code gemp_query_settings_read(gemp_query_settings *out, const gemp_query_settings *settings)
{
	gemp_query_settings_init(out);
	if (settings) /* the struct of an older program is shorter */
		gemp_options_copy(out, sizeof *out, settings);
	if ((unsigned)out->semantics > GEMP_INDUCED)
		return gemp_fail(GEMP_EUSAGE, "semantics %d is none of gemp_semantics", (int)out->semantics);
	if ((unsigned)out->distinct > GEMP_BY_NOTHING)
		return gemp_fail(GEMP_EUSAGE, "distinct %d is none of gemp_distinct", (int)out->distinct);
	if ((unsigned)out->conditions > GEMP_CONDITIONS_AFTER || (unsigned)out->exchange > GEMP_EXCHANGE_PULL)
		return gemp_fail(GEMP_EUSAGE, "conditions %d or exchange %d is none of its enumeration", (int)out->conditions,
		                 (int)out->exchange);
	if (out->lanes > MAX_LANES)
		return gemp_fail(GEMP_EUSAGE, "lanes: %" PRIu64 " is more than %d", out->lanes, MAX_LANES);
	return GEMP_OK;
}

gemp_prepared_options gemp_query_search_options(const gemp_query_settings *settings)
{
	return (gemp_prepared_options){
		.match = { .semantics = settings->semantics,
		           .distinct = settings->distinct,
		           .symmetry_by_hash = settings->symmetry_by_hash,
		           .count_by_formula = !settings->count_by_search,
		           .pivot_off = settings->first_vertex_pivot,
		           .attributes = settings->conditions,
		           .replicate = settings->replicate,
		           .exchange = settings->exchange,
		           .launch_factor = settings->launch_factor,
		           .profile = settings->profile,
		           .lanes = (int)settings->lanes,
		           .limit = UINT64_MAX },
		.combinations = settings->combinations,
	};
}

gemp_code gemp_query_parse(gemp_script *out, const gemp_query *query)
{
	const gemp_parameter_list *list = &query->parameters;
	*out = (gemp_script){ 0 };
	if (query->source == GEMP_QUERY_SCRIPT)
		return gemp_script_parse(out, query->text, query->name, list->items, list->count);
	GEMP_TRY(GEMP_NEW(out->queries, 1));
	out->count = 1;
	if (query->source == GEMP_QUERY_NAMED)
		return gemp_pattern_named(out->queries, query->text);
	if (query->source == GEMP_QUERY_GRAPH)
		return gemp_pattern_query_graph(out->queries, query->text, query->name);
	return gemp_pattern_parse_with(out->queries, query->text, NULL, list->items, list->count);
}

/* Local. Finds what is wrong with a query before its parameters have values. A script is only read by the first run, since a syntax
 * check without values is there for single texts alone. */
static gemp_code check(const gemp_query *query)
{
	gemp_script script = { 0 };
	if (query->source == GEMP_QUERY_TEXT)
		return gemp_pattern_check(query->text);
	if (query->source == GEMP_QUERY_SCRIPT)
		return GEMP_OK;
	gemp_code code = gemp_query_parse(&script, query);
	gemp_script_free(&script);
	return code;
}

/* Collective. text is taken over, name is copied. */
static gemp_code open_query(gemp_query **out, gemp_graph *graph, gemp_query_source source, char *text, const char *name,
                            const gemp_query_settings *settings)
{
	gemp_query *query = NULL;
	gemp_code code = text ? GEMP_NEW(query, 1) : GEMP_ENOMEM;
	*out = NULL;
	if (code == GEMP_OK) {
		*query = (gemp_query){
			.graph = graph, .source = source, .text = text, .name = name ? gemp_strdup(name) : NULL
		};
		code = name && !query->name ? GEMP_ENOMEM : gemp_query_settings_read(&query->settings, settings);
		GEMP_THEN(check(query));
	} else {
		gemp_free(text);
	}
	code = gemp_comm_agree(&graph->context->comm, code);
	if (code == GEMP_OK)
		*out = query;
	else
		gemp_query_close(query);
	return code;
}

gemp_code gemp_query_open(gemp_query **out, gemp_graph *graph, const char *text, const gemp_query_settings *settings)
{
	return open_query(out, graph, GEMP_QUERY_TEXT, gemp_strdup(text), NULL, settings);
}

gemp_code gemp_query_open_script(gemp_query **out, gemp_graph *graph, const char *text, const char *name,
                                 const gemp_query_settings *settings)
{
	return open_query(out, graph, GEMP_QUERY_SCRIPT, gemp_strdup(text), name, settings);
}

gemp_code gemp_query_open_pattern(gemp_query **out, gemp_graph *graph, const char *pattern,
                                  const gemp_query_settings *settings)
{
	return open_query(out, graph, GEMP_QUERY_NAMED, gemp_strdup(pattern), NULL, settings);
}

gemp_code gemp_query_open_query_graph(gemp_query **out, gemp_graph *graph, const char *path, const char *label_format,
                                      const gemp_query_settings *settings)
{
	return open_query(out, graph, GEMP_QUERY_GRAPH, gemp_strdup(path), label_format, settings);
}

void gemp_query_close(gemp_query *query)
{
	if (!query)
		return;
	gemp_parameter_list_free(&query->parameters);
	gemp_free(query->text);
	gemp_free(query->name);
	gemp_free(query);
}

/* PARAMETERS */

gemp_code gemp_query_bind_integer(gemp_query *query, const char *name, int64_t value)
{
	return gemp_parameter_list_set(&query->parameters, name, (gemp_value){ .type = GEMP_INTEGER, .integer = value });
}

gemp_code gemp_query_bind_real(gemp_query *query, const char *name, double value)
{
	return gemp_parameter_list_set(&query->parameters, name, (gemp_value){ .type = GEMP_FLOAT, .real = value });
}

gemp_code gemp_query_bind_boolean(gemp_query *query, const char *name, bool value)
{
	return gemp_parameter_list_set(&query->parameters, name, (gemp_value){ .type = GEMP_BOOLEAN, .truth = value });
}

gemp_code gemp_query_bind_text(gemp_query *query, const char *name, const char *value)
{
	const gemp_value text = { .type = GEMP_STRING, .string = { gemp_strdup(value), strlen(value) } };
	return gemp_parameter_list_set(&query->parameters, name, text);
}

gemp_code gemp_query_bind(gemp_query *query, const char *assignment)
{
	if (query->source == GEMP_QUERY_NAMED || query->source == GEMP_QUERY_GRAPH)
		return gemp_fail(GEMP_EUSAGE, "parameter %s: named patterns and query graphs have no parameters", assignment);
	return gemp_parameter_list_read(&query->parameters, assignment);
}
