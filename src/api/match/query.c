/* query: checks the settings of queries and binds their parameters. Rules use the same list of parameters. */

#include "api/match/query.h"

#include "core/memory.h"
#include "core/text.h"
#include "cypher/syntax/tree.h"
#include "pattern/shapes/named_pattern.h"
#include "pattern/shapes/query_graph.h"

#include <jansson.h>
#include <string.h>

/* the search refuses fewer lanes than this, too, if they are more than its device supports (match/search) */
enum { MAX_LANES = 1024 };

GEMP_SETTINGS(gemp_query_settings, .semantics = GEMP_SEMANTICS_DEFAULT, .distinct = GEMP_DISTINCT_DEFAULT,
              .limit = UINT64_MAX, .replicate = GEMP_REPLICATE_AUTO)

/* A text has the sense of openCypher by default; patterns without a text count subgraphs. */
static void choose_sense(gemp_query_settings *settings, gemp_query_source source)
{
	const bool text = source == GEMP_QUERY_TEXT || source == GEMP_QUERY_SCRIPT;
	if (settings->semantics == GEMP_SEMANTICS_DEFAULT)
		settings->semantics = text ? GEMP_EDGE_ISO : GEMP_ISO;
	if (settings->distinct == GEMP_DISTINCT_DEFAULT)
		settings->distinct = text ? GEMP_BY_NOTHING : GEMP_BY_ORBIT;
}

/* Enumerations are compared as unsigned numbers, so negative values are refused. */
gemp_code gemp_query_settings_read(gemp_query_settings *out, gemp_query_source source,
                                   const gemp_query_settings *settings)
{
	*out = gemp_query_settings_from(settings);
	choose_sense(out, source);
	if ((unsigned)out->semantics > GEMP_INDUCED)
		return gemp_fail(GEMP_EUSAGE, "semantics %d is none of gemp_semantics", (int)out->semantics);
	if ((unsigned)out->distinct > GEMP_BY_NOTHING)
		return gemp_fail(GEMP_EUSAGE, "distinct %d is none of gemp_distinct", (int)out->distinct);
	if ((unsigned)out->conditions > GEMP_CONDITIONS_AFTER || (unsigned)out->exchange > GEMP_EXCHANGE_PULL)
		return gemp_fail(GEMP_EUSAGE, "conditions %d or exchange %d is none of its enumeration", (int)out->conditions,
		                 (int)out->exchange);
	if ((unsigned)out->place > GEMP_PLACE_DEVICE)
		return gemp_fail(GEMP_EUSAGE, "place %d is none of gemp_placement", (int)out->place);
	if (out->lanes > MAX_LANES)
		return gemp_fail(GEMP_EUSAGE, "lanes: %" PRIu64 " is more than %d", out->lanes, MAX_LANES);
	return GEMP_OK;
}

/* The limit is switched off, since a count has none. A caller that makes rows sets the limit itself. */
gemp_prepared_options gemp_query_search_options(const gemp_query_settings *settings)
{
	return (gemp_prepared_options){
		.match = { .semantics = settings->semantics,
		           .distinct = settings->distinct,
		           .symmetry_by_hash = settings->symmetry_by_hash,
		           .count_by_formula = !settings->count_by_search,
		           .pivot_off = settings->first_vertex_pivot,
		           .attributes = settings->conditions,
		           .copy_each = settings->copy_each,
		           .place = settings->place,
		           .replicate = settings->replicate,
		           .exchange = settings->exchange,
		           .launch_factor = settings->launch_factor,
		           .profile = settings->profile || settings->by_rank,
		           .lanes = (int)settings->lanes,
		           .limit = UINT64_MAX },
		.combinations = settings->combinations,
	};
}

/* Named patterns and query graphs become patterns without a text of the query language. */
gemp_code gemp_query_parse(gemp_script *out, const gemp_query *query)
{
	const gemp_parameter_list *list = &query->parameters;
	*out = (gemp_script){ 0 };
	for (size_t i = 0; i < list->count; i++)
		if (list->items[i].value.type == GEMP_LIST)
			return gemp_fail(GEMP_EUSAGE, "parameter %s: a list or a map is for a query that runs clause by clause",
			                 list->items[i].name);
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

void gemp_query_close(gemp_query *query)
{
	if (!query)
		return;
	gemp_parameter_list_free(&query->parameters);
	if (query->tree)
		gemp_cypher_tree_free(query->tree);
	gemp_text_free(&query->key);
	gemp_free_all(query->text, query->name, query->tree, query);
}

/* PARAMETERS */

static void free_parameter(gemp_query_parameter *parameter)
{
	gemp_free((char *)parameter->name);
	if (gemp_is_text(parameter->value.type))
		gemp_free((char *)parameter->value.string.bytes);
}

/* Returns the index of the name, or list->count if the name has no value. */
static size_t find_name(const gemp_parameter_list *list, const char *name)
{
	size_t at = 0;
	while (at < list->count && strcmp(list->items[at].name, name) != 0)
		at++;
	return at;
}

/* The old value is freed after the new value has its memory, so a failure leaves the list unchanged. */
gemp_code gemp_parameter_list_set(gemp_parameter_list *list, const char *name, gemp_value value)
{
	GEMP_OWNED_BY(free_parameter) gemp_query_parameter fresh = { .name = gemp_strdup(name), .value = value };
	if (!fresh.name || (gemp_is_text(value.type) && !value.string.bytes))
		GEMP_TRY(gemp_fail(GEMP_ENOMEM, "out of memory for parameter $%s", name));
	const size_t at = find_name(list, name);
	if (at == list->count) {
		GEMP_TRY(GEMP_RESERVE(list->items, list->capacity, at + 1));
		list->items[at] = (gemp_query_parameter){ 0 };
		list->items[at].value.type = GEMP_INTEGER;
		list->count++;
	}
	free_parameter(&list->items[at]);
	list->items[at] = fresh;
	fresh = (gemp_query_parameter){ .value.type = GEMP_INTEGER };
	return GEMP_OK;
}

gemp_code gemp_parameter_list_set_text(gemp_parameter_list *list, const char *name, const char *text)
{
	const gemp_value value = { .type = GEMP_STRING, .string = { gemp_strdup(text), strlen(text) } };
	return gemp_parameter_list_set(list, name, value);
}

/* Turns a string that is a list or a map in JSON into a value of the type GEMP_LIST, which is JSON text. Every other
 * string stays, and so do all values whose type is given. */
static void recognize_json(gemp_value *value, const char *assignment)
{
	const bool typed = strcspn(assignment, ":") < strcspn(assignment, "=");
	if (typed || value->type != GEMP_STRING || !value->string.size || !strchr("[{", *value->string.bytes))
		return;
	json_t *json = json_loadb(value->string.bytes, value->string.size, JSON_REJECT_DUPLICATES, NULL);
	if (json)
		value->type = GEMP_LIST;
	json_decref(json);
}

/* This function refuses a second value of a name, but gemp_parameter_list_set accepts it. On a command line the second
 * value is a mistake; in a program it is the value for the next run. */
gemp_code gemp_parameter_list_read(gemp_parameter_list *list, const char *assignment, bool lists)
{
	GEMP_OWNED_BY(gemp_query_parameter_free) gemp_query_parameter read = { 0 };
	GEMP_TRY(gemp_query_parameter_read(&read, assignment));
	gemp_value value = read.value;
	if (find_name(list, read.name) < list->count)
		return gemp_fail(GEMP_EUSAGE, "parameter %s: there are two values for $%s; leave one out", assignment,
		                 read.name);
	if (lists)
		recognize_json(&value, assignment);
	if (gemp_is_text(value.type)) /* the list owns its strings, but this string lies in the block of the name */
		value.string.bytes = gemp_strndup(value.string.bytes, value.string.size);
	return gemp_parameter_list_set(list, read.name, value);
}

gemp_code gemp_parameter_list_print(const gemp_parameter_list *list, gemp_text *out)
{
	gemp_text_add(out, "", 0); /* the text of an empty list is "", not NULL */
	for (size_t i = 0; i < list->count; i++) {
		gemp_text_print(out, "%s%s=", i ? "; " : "", list->items[i].name);
		gemp_value_print(&list->items[i].value, out);
	}
	return gemp_text_status(out);
}

void gemp_parameter_list_free(gemp_parameter_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free_parameter(&list->items[i]);
	gemp_free(list->items);
}

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
	return gemp_parameter_list_set_text(&query->parameters, name, value);
}

/* Only texts of the query language have parameters. */
gemp_code gemp_query_bind(gemp_query *query, const char *assignment)
{
	if (query->source == GEMP_QUERY_NAMED || query->source == GEMP_QUERY_GRAPH)
		return gemp_fail(GEMP_EUSAGE, "parameter %s: named patterns and query graphs have no parameters", assignment);
	return gemp_parameter_list_read(&query->parameters, assignment, true);
}
