#include "api/match/statement.h"

#include "core/memory.h"
#include "graph/kept.h"
#include "match/filter/kept_results.h"

#include <string.h>

/* Longer texts are rarely asked again, and their statements may be large. */
enum { MAX_TEXT = 1 << 14 };

void gemp_statement_free(gemp_statement *statement)
{
	if (!statement)
		return;
	gemp_query_forms_free(&statement->forms);
	gemp_parameter_list_free(&statement->parameters);
	gemp_free(statement);
}

static void release(void *statement)
{
	gemp_statement_free(statement);
}

gemp_code gemp_statement_key(gemp_query *query)
{
	const gemp_query_settings *settings = &query->settings;
	const size_t size = strlen(query->text);
	const uint64_t numbers[] = { GEMP_KEPT_STATEMENT, settings->semantics, settings->distinct, settings->lenient };
	if (query->source != GEMP_QUERY_TEXT || size > MAX_TEXT)
		return GEMP_OK;
	GEMP_KEPT_KEY_ARRAY(&query->key, numbers, sizeof numbers / sizeof *numbers);
	gemp_text_add(&query->key, query->text, size);
	return gemp_text_status(&query->key);
}

bool gemp_statement_is_kept(const gemp_query *query)
{
	return gemp_kept_has(query->graph->shard->kept, &query->key);
}

static bool is_same_value(const gemp_value *a, const gemp_value *b)
{
	if (a->type != b->type || a->null != b->null)
		return false;
	if (a->null)
		return true;
	switch (a->type) {
	case GEMP_INTEGER: return a->integer == b->integer;
	case GEMP_FLOAT: return memcmp(&a->real, &b->real, sizeof a->real) == 0; /* 0.0 is not -0.0 */
	case GEMP_BOOLEAN: return a->truth == b->truth;
	default: return gemp_compare_bytes(a->string.bytes, a->string.size, b->string.bytes, b->string.size) == 0;
	}
}

static bool has_parameters(const gemp_statement *statement, const gemp_parameter_list *list)
{
	bool same = statement->parameters.count == list->count;
	for (size_t i = 0; same && i < list->count; i++)
		same = strcmp(statement->parameters.items[i].name, list->items[i].name) == 0 &&
		       is_same_value(&statement->parameters.items[i].value, &list->items[i].value);
	return same;
}

/* Gives the tree of a statement whose parameters have other values to the query, so that only the pattern is made
 * anew. */
static gemp_code move_tree(gemp_statement *statement, gemp_query *query)
{
	gemp_query_form *form = statement->forms.items;
	if (query->tree || !form->tree.query)
		return GEMP_OK;
	GEMP_TRY(GEMP_NEW(query->tree, 1));
	*query->tree = form->tree;
	query->tree->source.text = query->text;
	form->tree = (gemp_cypher_tree){ 0 };
	return GEMP_OK;
}

gemp_code gemp_statement_read(gemp_statement **out, gemp_query *query)
{
	GEMP_OWNED_BY(gemp_statement_free_at)
	gemp_statement *statement = gemp_kept_take(query->graph->shard->kept, &query->key);
	*out = NULL;
	if (!statement || !has_parameters(statement, &query->parameters)) {
		if (statement)
			GEMP_TRY(move_tree(statement, query));
		gemp_statement_free(statement);
		GEMP_TRY(GEMP_NEW(statement, 1));
		const size_t before = gemp_memory_live();
		GEMP_TRY(gemp_query_forms_read(&statement->forms, query, false));
		const size_t after = gemp_memory_live();
		statement->bytes = sizeof *statement + gemp_max(after, before) - before;
	} else {
		statement->kept = true;
	}
	*out = statement;
	statement = NULL;
	return GEMP_OK;
}

static gemp_code copy_parameters(gemp_statement *statement, const gemp_parameter_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		gemp_value value = list->items[i].value;
		if (gemp_is_text(value.type) && !value.null)
			value.string.bytes = gemp_strndup(value.string.bytes, value.string.size);
		GEMP_TRY(gemp_parameter_list_set(&statement->parameters, list->items[i].name, value));
	}
	return GEMP_OK;
}

/* The tree of a form is the query's until here, and its source is the text of the query. */
static void keep(gemp_statement *statement, gemp_query *query)
{
	gemp_query_form *form = statement->forms.items;
	const bool suits = query->key.size && statement->forms.count == 1 && form->bound && !form->pattern->mixed_types;
	if (!suits || copy_parameters(statement, &query->parameters) != GEMP_OK) {
		gemp_statement_free(statement);
		return;
	}
	gemp_query_form_take_tree(form);
	form->tree.source.text = form->text;
	gemp_kept_give(query->graph->shard->kept, &query->key, statement, statement->bytes, release);
}

void gemp_statement_end(gemp_statement *statement, gemp_query *query, gemp_code run)
{
	if (statement && statement->kept)
		gemp_kept_return(query->graph->shard->kept, &query->key, statement, release);
	else if (statement && run == GEMP_OK)
		keep(statement, query);
	else
		gemp_statement_free(statement);
}
