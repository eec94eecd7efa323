#include "cypher/clause/analysis_call.h"

#include "core/memory.h"
#include "cypher/check/check.h"
#include "cypher/search/analysis.h"
#include "cypher/search/search.h"

#include <string.h>

/* A call whose rows are in the making. The arguments of the last row, and the last source, are those of `found`. */
typedef struct call {
	gemp_cypher_engine *engine;
	const gemp_cypher_clause *clause;
	const gemp_cypher_procedure *procedure;
	const gemp_cypher_environment *environment; /* of the current row */
	const gemp_cypher_table *in;
	gemp_cypher_table *out;
	bool begun, ran;
	gemp_datum last[GEMP_CY_MAX_ARGUMENTS]; /* the arguments with which the analysis has begun, without the source */
	gemp_vertex source;                     /* if the analysis ran */
	gemp_cypher_analysis_rows found;
	const char **types; /* of the current row */
	gemp_vertex *jumps;
} call;

static void call_free(call *c)
{
	if (c->begun)
		gemp_cypher_search_end_analysis(c->engine->search);
	gemp_free_all(c->found.rows, c->types, c->jumps);
}

/* ARGUMENTS */

static const gemp_cypher_expr *argument_of(const call *c, size_t number)
{
	const gemp_cypher_item *item = c->clause->items;
	while (number-- && item)
		item = item->next;
	return item ? item->expr : NULL;
}

/* True if a value has one of the kinds. NULL has any. */
static bool fits(gemp_datum value, uint32_t kinds)
{
	return gemp_datum_is_null(value) || (kinds >> value.kind & 1) != 0;
}

static gemp_code need(const call *c, const gemp_cypher_expr *expr, const char *what, gemp_datum value, uint32_t kinds)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text needed = { 0 };
	if (value.kind == GEMP_DATUM_NODE && value.id >= c->engine->graph->vertex_count)
		return gemp_cypher_fail(c->environment, expr, "%s of %s() was deleted by this query", what, c->procedure->name);
	if (fits(value, kinds))
		return GEMP_OK;
	gemp_cypher_kinds_text(kinds, &needed);
	GEMP_TRY(gemp_text_status(&needed));
	return gemp_cypher_fail(c->environment, expr, "%s of %s() must be of type %s; it is of type %s", what,
	                        c->procedure->name, needed.data, gemp_datum_kind_name[value.kind]);
}

/* A single value is a list of one element. */
static size_t elements_of(const gemp_datum *value, const gemp_datum **items)
{
	*items = value->kind == GEMP_DATUM_LIST ? value->items : value;
	return value->kind == GEMP_DATUM_LIST ? value->size : !gemp_datum_is_null(*value);
}

/* The elements of an option that is a value or a list of values of one kind. NULL among them is refused. */
static gemp_code list_option(const call *c, const gemp_cypher_expr *expr, const gemp_datum_entry *option,
                             gemp_datum_kind kind, const gemp_datum **items, size_t *count)
{
	*count = elements_of(&option->value, items);
	if (*count == 0)
		return gemp_cypher_fail(c->environment, expr, "the list '%s' of %s() is empty; leave the option out instead",
		                        option->key, c->procedure->name);
	for (size_t i = 0; i < *count; i++)
		if ((*items)[i].kind != kind)
			return gemp_cypher_fail(c->environment, expr, "'%s' of %s() has a value of type %s; it needs type %s",
			                        option->key, c->procedure->name, gemp_datum_kind_name[(*items)[i].kind],
			                        gemp_datum_kind_name[kind]);
	return GEMP_OK;
}

static gemp_code set_types(call *c, gemp_cypher_analysis *what, const gemp_cypher_expr *expr,
                           const gemp_datum_entry *option)
{
	const gemp_datum *items;
	size_t count;
	GEMP_TRY(list_option(c, expr, option, GEMP_DATUM_STRING, &items, &count));
	gemp_free(c->types);
	GEMP_TRY(GEMP_NEW(c->types, count));
	for (size_t i = 0; i < count; i++)
		c->types[i] = items[i].text;
	what->types = c->types;
	what->type_count = count;
	return GEMP_OK;
}

static gemp_code set_jumps(call *c, gemp_cypher_analysis *what, const gemp_cypher_expr *expr,
                           const gemp_datum_entry *option)
{
	const gemp_datum *items;
	size_t count;
	GEMP_TRY(list_option(c, expr, option, GEMP_DATUM_NODE, &items, &count));
	gemp_free(c->jumps);
	GEMP_TRY(GEMP_NEW(c->jumps, count));
	for (size_t i = 0; i < count; i++)
		c->jumps[i] = (gemp_vertex)items[i].id;
	what->jumps = c->jumps;
	what->jump_count = count;
	return GEMP_OK;
}

/* *out becomes the index of a word in words[count]. */
static gemp_code choose(const call *c, const gemp_cypher_expr *expr, const char *option, gemp_datum value,
                        const char *const *words, size_t count, unsigned *out)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text list = { 0 };
	for (size_t i = 0; i < count; i++) {
		*out = (unsigned)i;
		if (strcmp(words[i], value.text) == 0)
			return GEMP_OK;
		gemp_text_print(&list, "%s'%s'", i ? ", " : "", words[i]);
	}
	GEMP_TRY(gemp_text_status(&list));
	return gemp_cypher_fail(c->environment, expr, "%s of %s() must be one of %s; it is '%s'", option,
	                        c->procedure->name, list.data, value.text);
}

static gemp_code set_number(const call *c, const gemp_cypher_expr *expr, const char *option, gemp_datum value,
                            double *out)
{
	*out = value.kind == GEMP_DATUM_INTEGER ? (double)value.integer : value.real;
	if (*out >= 0)
		return GEMP_OK;
	return gemp_cypher_fail(c->environment, expr, "%s of %s() must be 0 or more; it is %g", option, c->procedure->name,
	                        *out);
}

static gemp_code set_option(call *c, gemp_cypher_analysis *what, const gemp_cypher_expr *expr,
                            const gemp_datum_entry *entry)
{
	static const char *const directions[] = { "along", "against", "either" };
	static const char *const precisions[] = { "auto", "single", "double" };
	const gemp_cypher_parameter *options = c->procedure->options;
	const size_t at = gemp_cypher_parameter_find(options, GEMP_CY_MAX_OPTIONS, entry->key);
	const char *name = entry->key;
	unsigned word = 0;
	if (at == GEMP_CY_MAX_OPTIONS)
		return gemp_cypher_fail(c->environment, expr, "%s() has no option '%s'", c->procedure->name, name);
	GEMP_TRY(need(c, expr, name, entry->value, options[at].kinds));
	if (gemp_datum_is_null(entry->value))
		return GEMP_OK;
	if (strcmp(name, "types") == 0)
		return set_types(c, what, expr, entry);
	if (strcmp(name, "sources") == 0)
		return set_jumps(c, what, expr, entry);
	if (strcmp(name, "damping") == 0)
		return set_number(c, expr, name, entry->value, &what->damping);
	if (strcmp(name, "tolerance") == 0)
		return set_number(c, expr, name, entry->value, &what->tolerance);
	if (strcmp(name, "weight") == 0) {
		what->weight = entry->value.text;
	} else if (strcmp(name, "iterations") == 0) {
		what->iterations = entry->value.integer;
		if (what->iterations < 1)
			return gemp_cypher_fail(c->environment, expr, "iterations of %s() must be 1 or more", c->procedure->name);
	} else if (strcmp(name, "direction") == 0) {
		GEMP_TRY(choose(c, expr, name, entry->value, directions, 3, &word));
		what->direction = (gemp_edge_direction)word;
	} else {
		GEMP_TRY(choose(c, expr, name, entry->value, precisions, 3, &word));
		what->precision = (gemp_precision)word;
	}
	return GEMP_OK;
}

/* The settings of the current row. Its strings are those of the arguments. */
static gemp_code read_settings(call *c, const gemp_datum *arguments, gemp_cypher_analysis *what)
{
	static const gemp_cypher_algorithm algorithms[GEMP_CY_PROCEDURES] = {
		[GEMP_CY_GEMP_PAGERANK] = GEMP_CY_PAGERANK,
		[GEMP_CY_GEMP_BFS] = GEMP_CY_BFS,
		[GEMP_CY_GEMP_SSSP] = GEMP_CY_SSSP,
		[GEMP_CY_GEMP_COMPONENTS] = GEMP_CY_COMPONENTS,
	};
	*what = (gemp_cypher_analysis){
		.algorithm = algorithms[c->procedure->number], .damping = -1, .tolerance = -1, .iterations = -1
	};
	for (const gemp_cypher_item *item = c->clause->yields; item; item = item->next)
		what->others |= strcmp(item->expr->name.bytes, "parent") == 0 ||
		                strcmp(item->expr->name.bytes, "predecessor") == 0;
	what->others |= c->clause->all;
	for (size_t i = 0; i < GEMP_CY_MAX_ARGUMENTS; i++) {
		const gemp_cypher_parameter *argument = &c->procedure->arguments[i];
		const gemp_cypher_expr *expr = argument_of(c, i);
		if (!expr || gemp_datum_is_null(arguments[i]))
			continue;
		if (strcmp(argument->name, "weight") == 0)
			what->weight = arguments[i].text;
		for (size_t e = 0; argument->kinds == GEMP_CY_BIT(MAP) && e < arguments[i].size; e++)
			GEMP_TRY(set_option(c, what, expr, &arguments[i].entries[e]));
	}
	return GEMP_OK;
}

/* Puts the place of the call in front of a message about its settings. */
static gemp_code place(const call *c, gemp_code code)
{
	if (code != GEMP_EUSAGE)
		return code;
	char message[GEMP_MESSAGE_SIZE];
	snprintf(message, sizeof message, "%s", gemp_message());
	return gemp_source_fail(c->environment->source, c->clause->place.begin, "%s", message);
}

static bool has_source(const gemp_cypher_procedure *procedure)
{
	return procedure->number == GEMP_CY_GEMP_BFS || procedure->number == GEMP_CY_GEMP_SSSP;
}

/* Begins the analysis unless the row before had the same arguments. The source is none of its settings. */
static gemp_code begin_analysis(call *c, const gemp_datum *arguments)
{
	gemp_cypher_analysis what;
	bool same = c->begun;
	for (size_t i = has_source(c->procedure); same && i < GEMP_CY_MAX_ARGUMENTS; i++)
		same = gemp_datum_equivalent(arguments[i], c->last[i]);
	if (same)
		return GEMP_OK;
	GEMP_TRY(read_settings(c, arguments, &what));
	c->ran = false;
	c->begun = true;
	GEMP_TRY(place(c, gemp_cypher_search_begin_analysis(c->engine->search, &what)));
	memcpy(c->last, arguments, sizeof c->last);
	return GEMP_OK;
}

/* ROWS */

static gemp_datum node_of(gemp_vertex vertex)
{
	return vertex == GEMP_NO_VERTEX ? gemp_datum_null() : (gemp_datum){ .kind = GEMP_DATUM_NODE, .id = vertex };
}

static gemp_code key_of(const call *c, gemp_vertex vertex, gemp_datum *out)
{
	const gemp_cypher_graph *graph = c->environment->graph;
	return graph->key(graph->self, vertex, &c->out->arena, out);
}

/* The keys that name components are fetched together. */
static gemp_code load_components(const call *c)
{
	gemp_cypher_table nodes = { .width = 1 };
	gemp_datum *cell;
	gemp_code code = GEMP_OK;
	for (size_t i = 0; i < c->found.count && code == GEMP_OK; i++) {
		code = gemp_cypher_table_add(&nodes, &cell);
		if (code == GEMP_OK)
			*cell = node_of(c->found.rows[i].other);
	}
	GEMP_THEN(gemp_cypher_search_load(c->engine->search, &nodes));
	gemp_cypher_table_free(&nodes);
	return code;
}

static gemp_code set_column(const call *c, const char *column, const gemp_cypher_analysis_row *row, gemp_datum *cell)
{
	if (strcmp(column, "node") == 0)
		*cell = node_of(row->vertex);
	else if (strcmp(column, "source") == 0)
		*cell = node_of(c->source);
	else if (strcmp(column, "component") == 0)
		return key_of(c, row->other, cell);
	else if (strcmp(column, "score") == 0 || strcmp(column, "distance") == 0)
		*cell = c->found.real ? gemp_datum_float(row->real) : gemp_datum_integer(row->integer);
	else
		*cell = node_of(row->other);
	return GEMP_OK;
}

static gemp_code set_columns(const call *c, const gemp_cypher_analysis_row *row, gemp_datum *cells)
{
	const gemp_cypher_parameter *columns = c->procedure->columns;
	const size_t count = gemp_cypher_parameter_count(columns, GEMP_CY_MAX_COLUMNS);
	for (const gemp_cypher_item *item = c->clause->yields; item; item = item->next)
		GEMP_TRY(set_column(c, item->expr->name.bytes, row, &cells[item->slot]));
	for (size_t i = 0; c->clause->all && i < count; i++)
		GEMP_TRY(set_column(c, columns[i].name, row, &cells[c->in->width + i]));
	return GEMP_OK;
}

/* Runs the algorithm unless it has just run from the same source. */
static gemp_code run_from(call *c, gemp_vertex source)
{
	if (c->ran && source == c->source)
		return GEMP_OK;
	gemp_free(c->found.rows);
	c->found = (gemp_cypher_analysis_rows){ 0 };
	c->ran = false;
	GEMP_TRY(place(c, gemp_cypher_search_run_analysis(c->engine->search, source, &c->found)));
	c->ran = true;
	c->source = source;
	return c->procedure->number == GEMP_CY_GEMP_COMPONENTS ? load_components(c) : GEMP_OK;
}

/* Extends a row by all rows of the algorithm. */
static gemp_code add_rows(call *c, size_t row, gemp_vertex source)
{
	GEMP_TRY(run_from(c, source));
	for (size_t i = 0; i < c->found.count; i++) {
		gemp_datum *cells;
		if (c->out->rows % GEMP_CYPHER_CHECK_ROWS == 0)
			GEMP_TRY(gemp_cypher_engine_check(c->engine, "calling a procedure", c->out->rows));
		GEMP_TRY(gemp_cypher_table_add(c->out, &cells));
		if (c->out->with_origin)
			c->out->origin[c->out->rows - 1] = c->in->origin[row];
		if (c->in->width)
			memcpy(cells, gemp_cypher_table_row(c->in, row), c->in->width * sizeof *cells);
		GEMP_TRY(set_columns(c, &c->found.rows[i], cells));
	}
	return GEMP_OK;
}

/* A source that is NULL gives no rows. */
static gemp_code run_sources(call *c, size_t row, const gemp_datum *sources)
{
	const gemp_datum *items;
	const size_t count = elements_of(sources, &items);
	for (size_t i = 0; i < count; i++) {
		GEMP_TRY(need(c, argument_of(c, 0), "the source", items[i], GEMP_CY_BIT(NODE)));
		if (!gemp_datum_is_null(items[i]))
			GEMP_TRY(add_rows(c, row, (gemp_vertex)items[i].id));
	}
	return GEMP_OK;
}

static gemp_code call_row(call *c, size_t row)
{
	gemp_datum arguments[GEMP_CY_MAX_ARGUMENTS] = { 0 };
	size_t count = 0;
	for (const gemp_cypher_item *item = c->clause->items; item; item = item->next, count++) {
		const gemp_cypher_parameter *argument = &c->procedure->arguments[count];
		GEMP_TRY(gemp_cypher_evaluate(c->environment, item->expr, &arguments[count]));
		GEMP_TRY(need(c, item->expr, argument->name, arguments[count], argument->kinds));
	}
	if (has_source(c->procedure) && gemp_datum_is_null(arguments[0]))
		return GEMP_OK;
	GEMP_TRY(begin_analysis(c, arguments));
	return has_source(c->procedure) ? run_sources(c, row, &arguments[0]) : add_rows(c, row, 0);
}

gemp_code gemp_cypher_call_analysis(gemp_cypher_engine *engine, const gemp_cypher_clause *clause,
                                    const gemp_cypher_procedure *procedure, const gemp_cypher_table *in,
                                    gemp_cypher_table *out)
{
	GEMP_OWNED_BY(gemp_cypher_cursor_close) gemp_cypher_cursor cursor = { 0 };
	GEMP_OWNED_BY(call_free)
	call c = { .engine = engine, .clause = clause, .procedure = procedure, .in = in, .out = out };
	const size_t slots = (size_t)gemp_cypher_clause_slots(clause);
	GEMP_TRY(gemp_cypher_cursor_open(&cursor, engine, in, NULL, slots, &out->arena));
	for (const gemp_cypher_item *item = clause->items; item; item = item->next)
		GEMP_TRY(gemp_cypher_cursor_expect(&cursor, item->expr));
	c.environment = &cursor.environment;
	for (size_t begin = 0, end; begin < in->rows; begin = end) {
		end = gemp_cypher_block_end(begin, in->rows);
		GEMP_TRY(gemp_cypher_cursor_block(&cursor, begin, end));
		for (size_t row = begin; row < end; row++) {
			gemp_cypher_cursor_row(&cursor, row);
			GEMP_TRY(call_row(&c, row));
		}
	}
	return GEMP_OK;
}
