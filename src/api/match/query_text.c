/* If both front ends refuse a query, the message of the one that understood more of the text is shown: the one whose
 * place is further behind, or that of openCypher. */

#include "api/match/query_text.h"

#include "core/memory.h"
#include "pattern/bind/bind.h"
#include "pattern/syntax/syntax_tree.h"

#include <ctype.h>
#include <string.h>

/* A query while it is read. */
typedef struct reading {
	gemp_query *query;
	const gemp_query_parameter *plain; /* [plain_count] values that patterns accept: all but lists and maps */
	size_t plain_count;
	bool *plain_used; /* [plain_count] */
	bool *used;       /* [parameters.count] */
	const char *file;
	bool clauses; /* all queries run clause by clause */
} reading;

/* MESSAGES */

/* The sense of openCypher: the edges of a match are distinct, and each embedding is a match. */
static bool is_cypher(const gemp_query *query)
{
	return query->settings.semantics == GEMP_EDGE_ISO && query->settings.distinct == GEMP_BY_NOTHING;
}

/* Line and column of "FILE:LINE:COLUMN: ..." as one number; 0 if the message has no place. */
static uint64_t place_of(const char *message, const char *file)
{
	unsigned line, column;
	const char *name = file ? file : "query";
	const size_t size = strlen(name);
	if (strncmp(message, name, size) != 0 || sscanf(message + size, ":%u:%u:", &line, &column) != 2)
		return 0;
	return (uint64_t)line << 32 | column;
}

/* Both front ends have failed; the current message is that of the pattern's. */
static gemp_code refuse_both(const reading *r, const char *general)
{
	if (!general)
		return GEMP_ENOMEM;
	const bool unsupported = strstr(gemp_message(), "not supported") != NULL; /* as one search */
	if (!is_cypher(r->query) || (!unsupported && place_of(gemp_message(), r->file) > place_of(general, r->file)))
		return GEMP_EUSAGE;
	return gemp_fail(GEMP_EUSAGE, "%s", general);
}

/* Only the front end of openCypher reads the query, but the settings want another sense. */
static gemp_code refuse_sense(const reading *r)
{
	GEMP_OWNED char *reason = gemp_strdup(gemp_message());
	if (!reason)
		return GEMP_ENOMEM;
	return gemp_fail(
		GEMP_EUSAGE,
		"semantics %s and distinct %s are for a query that is one search; this query runs clause by clause, "
		"in the sense of openCypher: leave both settings out. As one search it is refused: %s",
		gemp_semantics_name[r->query->settings.semantics], gemp_distinct_name[r->query->settings.distinct], reason);
}

/* PARAMETERS */

/* Sets the value of one parameter of the tree. */
static gemp_code set_parameter(const reading *r, gemp_query_form *form, size_t at)
{
	const gemp_cypher_word *word = &form->tree.parameters[at];
	const gemp_parameter_list *list = &r->query->parameters;
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->items[i].name, word->bytes) == 0) {
			r->used[i] = true;
			return gemp_datum_of_value(&form->parameters[at], &form->arena, &list->items[i].value);
		}
	size_t sign = word->place.begin;
	while (sign > 0 && form->text[sign] != '$')
		sign--;
	return gemp_source_fail(&form->tree.source, sign, "the parameter $%s has no value; give it one, as '%s=VALUE'",
	                        word->bytes, word->bytes);
}

static gemp_code set_parameters(const reading *r, gemp_query_form *form)
{
	GEMP_TRY(GEMP_ARENA_NEW(&form->arena, form->parameters, form->tree.parameter_count + 1));
	for (size_t i = 0; i < form->tree.parameter_count; i++)
		GEMP_TRY(set_parameter(r, form, i));
	return GEMP_OK;
}

/* True if the query mentions a parameter whose value is a list or a map. */
static bool has_list_parameter(const reading *r, const gemp_cypher_tree *tree)
{
	const gemp_parameter_list *list = &r->query->parameters;
	for (size_t p = 0; p < tree->parameter_count; p++)
		for (size_t i = 0; i < list->count; i++)
			if (list->items[i].value.type == GEMP_LIST && strcmp(list->items[i].name, tree->parameters[p].bytes) == 0)
				return true;
	return false;
}

static bool in_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

static bool has_word(const char *text, const char *word)
{
	const size_t size = strlen(word);
	for (const char *at = text; size && (at = strstr(at, word)); at++)
		if ((at == text || !in_name(at[-1])) && !in_name(at[size]))
			return true;
	return false;
}

static bool has_json_name(const char *text, const gemp_table *table)
{
	for (size_t c = 0; c < table->count; c++)
		if (table->columns[c].type == GEMP_LIST && has_word(text, table->columns[c].name))
			return true;
	return false;
}

/* True if the text has the name of an attribute of JSON, which a search does not read. */
static bool mentions_json(const reading *r, const char *text)
{
	const gemp_shard *graph = r->query->graph->shard;
	bool found = has_json_name(text, &graph->attributes);
	for (size_t k = 0; k < graph->relation_count && !found; k++)
		found = has_json_name(text, &graph->relations[k].props);
	return found;
}

/* Copies the parameters that patterns accept, in the order of the list; their strings stay borrowed. */
static gemp_code choose_plain(reading *r, gemp_query_parameter **plain)
{
	const gemp_parameter_list *list = &r->query->parameters;
	GEMP_TRY(GEMP_NEW(*plain, list->count));
	for (size_t i = 0; i < list->count; i++)
		if (list->items[i].value.type != GEMP_LIST)
			(*plain)[r->plain_count++] = list->items[i];
	r->plain = *plain;
	return GEMP_OK;
}

/* Adds the parameters that a pattern has used. */
static void merge_used(const reading *r)
{
	const gemp_parameter_list *list = &r->query->parameters;
	for (size_t i = 0, at = 0; i < list->count; i++)
		if (list->items[i].value.type != GEMP_LIST)
			r->used[i] |= r->plain_used[at++];
}

/* QUERIES */

/* Reads and checks the query as openCypher. *parsed tells whether the grammar accepts it. The tree of a text that was
 * checked before is borrowed. */
static gemp_code read_tree(const reading *r, gemp_query_form *form, bool *parsed)
{
	*parsed = r->query->tree && strcmp(form->text, r->query->text) == 0;
	if (*parsed) {
		form->tree = *r->query->tree;
		form->lender = r->query;
		return GEMP_OK;
	}
	const gemp_source source = { r->file, form->text };
	const gemp_code code = gemp_cypher_parse(&form->tree, &source);
	*parsed = code == GEMP_OK;
	return code == GEMP_OK ? gemp_cypher_check(&form->tree) : code;
}

/* Reads a chain of clauses as one search. Leaves form->pattern NULL if the chain is none: then it runs clause by
 * clause, and the messages on names and types that the graph lacks are those of that way. */
static gemp_code read_chain(const reading *r, gemp_query_form *form)
{
	gemp_code code = gemp_pattern_parse_chain(&form->pattern, form->text, r->file, r->plain, r->plain_count,
	                                          r->plain_used);
	if (code == GEMP_OK)
		code = gemp_pattern_bind_with(form->pattern, r->query->graph->shard, r->query->settings.lenient);
	form->bound = code == GEMP_OK;
	if (code != GEMP_EUSAGE)
		return code;
	gemp_pattern_free(form->pattern);
	form->pattern = NULL;
	return GEMP_OK;
}

/* A query that is openCypher but has no meaning there is refused in that sense. */
static gemp_code read_one(const reading *r, gemp_query_form *form)
{
	GEMP_OWNED char *general = NULL;
	bool parsed;
	const gemp_code tree = read_tree(r, form, &parsed);
	if (r->clauses)
		return tree == GEMP_OK ? set_parameters(r, form) : tree;
	if (tree != GEMP_OK && (tree != GEMP_EUSAGE || (parsed && is_cypher(r->query))))
		return tree;
	if (tree != GEMP_OK)
		general = gemp_strdup(gemp_message());
	const bool json = tree == GEMP_OK && is_cypher(r->query) && mentions_json(r, form->text);
	if (!json && (!parsed || !has_list_parameter(r, &form->tree))) {
		const gemp_code code = gemp_pattern_parse_some(&form->pattern, form->text, r->file, r->plain, r->plain_count,
		                                               r->plain_used);
		if (code == GEMP_OK && tree == GEMP_OK && is_cypher(r->query))
			return set_parameters(r, form);
		if (code != GEMP_EUSAGE)
			return code;
		if (tree != GEMP_OK)
			return refuse_both(r, general);
		if (is_cypher(r->query)) {
			GEMP_TRY(read_chain(r, form));
			if (form->pattern)
				return GEMP_OK;
		}
	}
	return is_cypher(r->query) ? set_parameters(r, form) : refuse_sense(r);
}

static gemp_code read_all(gemp_query_forms *out, const reading *r, const gemp_script_texts *cut)
{
	GEMP_TRY(GEMP_NEW(out->items, cut->count));
	for (size_t i = 0; i < cut->count; i++) {
		gemp_query_form *form = &out->items[out->count++];
		form->text = gemp_strdup(cut->texts[i]);
		GEMP_TRY(form->text ? read_one(r, form) : GEMP_ENOMEM);
	}
	return GEMP_OK;
}

/* Named patterns and query graphs have no text. */
static gemp_code read_pattern(gemp_query_forms *out, const gemp_query *query)
{
	GEMP_OWNED_BY(gemp_script_free) gemp_script script = { 0 };
	GEMP_TRY(gemp_query_parse(&script, query));
	GEMP_TRY(GEMP_NEW(out->items, 1));
	out->count = 1;
	out->items->pattern = script.queries[0];
	script.count = 0;
	return GEMP_OK;
}

gemp_code gemp_query_forms_read(gemp_query_forms *out, gemp_query *query, bool clauses)
{
	GEMP_OWNED_BY(gemp_script_texts_free) gemp_script_texts cut = { 0 };
	GEMP_OWNED gemp_query_parameter *plain = NULL;
	GEMP_OWNED bool *plain_used = NULL, *used = NULL;
	const gemp_parameter_list *list = &query->parameters;
	reading r = { .query = query, .file = query->name, .clauses = clauses };
	*out = (gemp_query_forms){ 0 };
	if (query->source == GEMP_QUERY_NAMED || query->source == GEMP_QUERY_GRAPH)
		return read_pattern(out, query);
	GEMP_TRY(choose_plain(&r, &plain));
	GEMP_TRY(GEMP_NEW(plain_used, list->count));
	GEMP_TRY(GEMP_NEW(used, list->count));
	r.plain_used = plain_used;
	r.used = used;
	GEMP_TRY(gemp_script_cut(&cut, query->text));
	GEMP_TRY(read_all(out, &r, &cut));
	merge_used(&r);
	return gemp_ast_check_parameters(list->items, list->count, used);
}

void gemp_query_form_take_tree(gemp_query_form *form)
{
	if (!form->lender)
		return;
	gemp_free(form->lender->tree);
	form->lender->tree = NULL;
	form->lender = NULL;
}

void gemp_query_forms_free(gemp_query_forms *forms)
{
	for (size_t i = 0; i < forms->count; i++) {
		gemp_query_form *form = &forms->items[i];
		gemp_pattern_free(form->pattern);
		if (!form->lender)
			gemp_cypher_tree_free(&form->tree);
		gemp_arena_free(&form->arena);
		gemp_free(form->text);
	}
	gemp_free(forms->items);
	*forms = (gemp_query_forms){ 0 };
}

gemp_code gemp_query_text_check(gemp_query *query)
{
	GEMP_OWNED_BY(gemp_cypher_tree_free) gemp_cypher_tree tree = { 0 };
	GEMP_OWNED char *general = NULL;
	const reading r = { .query = query };
	const gemp_source source = { NULL, query->text };
	gemp_code code = gemp_cypher_parse(&tree, &source);
	const bool parsed = code == GEMP_OK;
	GEMP_THEN(gemp_cypher_check(&tree));
	if (code == GEMP_OK) {
		GEMP_TRY(GEMP_NEW(query->tree, 1));
		*query->tree = tree;
		tree = (gemp_cypher_tree){ 0 };
	}
	if (code != GEMP_EUSAGE && (code != GEMP_OK || is_cypher(query)))
		return code;
	if (parsed && code != GEMP_OK && is_cypher(query))
		return code;
	if (code != GEMP_OK)
		general = gemp_strdup(gemp_message());
	const gemp_code pattern = gemp_pattern_check(query->text);
	if (pattern != GEMP_EUSAGE)
		return pattern;
	return code == GEMP_OK ? refuse_sense(&r) : refuse_both(&r, general);
}
