/* Makes patterns and rules from a text. The first part builds rules and their control from a syntax tree. The second
 * part has lexer and grammar, and single queries. */

#define YYSTYPE QUERY_YYSTYPE
#define YYLTYPE QUERY_YYLTYPE

#include "pattern/semantic/parse.h"

#include "core/log.h"
#include "pattern/parser.h"
#include "pattern/semantic/rule_update.h"
#include "pattern/syntax/scan.h"

/* The lexer's header uses types of parser.h by the names YYSTYPE and YYLTYPE, so it is included after parser.h. */
#include "pattern/lexer.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* RULES */

/* The tree of RUN while it is built, and the rules that RUN has named so far. */
typedef struct control_build {
	gemp_sema *p;
	const gemp_rule_set *rules;
	bool *named; /* [rules->count] */
} control_build;

/* The message suggests the rule with the most similar name, if there is one. */
static gemp_code unknown_rule(const control_build *b, gemp_ast_word word)
{
	const char **names = gemp_ast_alloc(b->p->q, b->rules->count * sizeof *names);
	if (!names)
		return GEMP_ENOMEM;
	for (size_t i = 0; i < b->rules->count; i++)
		names[i] = b->rules->rules[i].name;
	const char *suggestion = gemp_text_nearest(word.bytes, names, b->rules->count);
	return gemp_sema_fail(b->p, word.place.begin, "RUN names the rule '%s', and there is none of that name%s%s%s",
	                      word.bytes, suggestion ? "; did you mean '" : "", suggestion ? suggestion : "",
	                      suggestion ? "'?" : "");
}

/* Marks the rule as named, so that rules that are never applied can be reported. */
static gemp_code find_rule(const control_build *b, gemp_ast_word word, size_t *out)
{
	for (size_t i = 0; i < b->rules->count; i++)
		if (strcmp(b->rules->rules[i].name, word.bytes) == 0) {
			*out = i;
			b->named[i] = true;
			return GEMP_OK;
		}
	return unknown_rule(b, word);
}

/* Makes a node of the control tree and the array of its children. If there is no memory for the array, the node's count
 * is 0, so that the node can be freed. */
static gemp_code new_control(gemp_control **out, gemp_control_kind kind, int line, int column, size_t children)
{
	GEMP_TRY(GEMP_NEW(*out, 1));
	**out = (gemp_control){ .kind = kind, .line = line, .column = column, .count = children };
	gemp_code code = children ? GEMP_NEW((*out)->children, children) : GEMP_OK;
	if (code != GEMP_OK)
		(*out)->count = 0;
	return code;
}

/* The tree has one node for each node of the syntax tree. The caller frees *out also after a failure. */
static gemp_code build_control(const control_build *b, const gemp_ast_control *from, gemp_control **out)
{
	size_t count = 0;
	for (const gemp_ast_control *child = from->first; child; child = child->next)
		count++;
	gemp_sema_move(b->p, from->place.begin);
	GEMP_TRY(new_control(out, from->kind, b->p->cursor.line, b->p->cursor.column, count));
	(*out)->one = from->one;
	(*out)->times = from->times;
	(*out)->limit = from->limit;
	if (from->kind == GEMP_RUN_RULE)
		GEMP_TRY(find_rule(b, from->rule, &(*out)->rule));
	count = 0;
	for (const gemp_ast_control *child = from->first; child; child = child->next)
		GEMP_TRY(build_control(b, child, &(*out)->children[count++]));
	return GEMP_OK;
}

/* Without RUN, every rule is tried once in the order of the text. TRY makes the sequence continue after an inapplicable
 * rule. */
static gemp_code build_all(gemp_rule_set *rules)
{
	GEMP_TRY(new_control(&rules->control, GEMP_RUN_SEQUENCE, 1, 1, rules->count));
	for (size_t i = 0; i < rules->count; i++) {
		const gemp_rule *rule = &rules->rules[i];
		gemp_control **attempt = &rules->control->children[i];
		GEMP_TRY(new_control(attempt, GEMP_RUN_TRY, rule->line, rule->column, 1));
		GEMP_TRY(new_control(&(*attempt)->children[0], GEMP_RUN_RULE, rule->line, rule->column, 0));
		(*attempt)->children[0]->rule = i;
	}
	return GEMP_OK;
}

/* Builds the tree that RUN describes, and warns of rules that it does not name. */
static gemp_code rule_control(gemp_sema *p, gemp_rule_set *rules)
{
	control_build b = { .p = p, .rules = rules };
	if (!p->q->run)
		return build_all(rules);
	b.named = gemp_ast_alloc(p->q, rules->count * sizeof *b.named);
	if (!b.named)
		return GEMP_ENOMEM;
	GEMP_TRY(build_control(&b, p->q->run, &rules->control));
	for (size_t i = 0; i < rules->count; i++)
		if (!b.named[i])
			gemp_warn("%s:%d:%d: no RUN names the rule '%s': it is never applied", p->q->source.file,
			          rules->rules[i].line, rules->rules[i].column, rules->rules[i].name);
	return GEMP_OK;
}

/* Makes a vertex or edge of the row a column unless it is a column already. The new item is moved in front of the
 * hidden items of ORDER BY, and *at counts it. */
static gemp_code add_element_column(gemp_clause *clause, int variable, bool edge, size_t *at)
{
	GEMP_OWNED_BY(gemp_expr_free_at) gemp_expr *expr = NULL;
	char name[32];
	for (size_t i = 0; i < *at; i++) {
		const gemp_expr *item = clause->items[i].expr;
		if (item->kind == (edge ? GEMP_EDGE : GEMP_VERTEX) && item->variable == variable)
			return GEMP_OK;
	}
	GEMP_TRY(gemp_expr_new_element(&expr, variable, edge, 0, 0));
	snprintf(name, sizeof name, "%s %d", edge ? "edge" : "vertex", variable);
	GEMP_TRY(gemp_clause_add_item(clause, &expr, name, strlen(name)));
	gemp_return_item added = clause->items[clause->item_count - 1];
	memmove(clause->items + *at + 1, clause->items + *at, (clause->item_count - 1 - *at) * sizeof added);
	clause->items[*at] = added;
	for (size_t i = 0; i < clause->order_count; i++)
		clause->orders[i].item += clause->orders[i].item >= *at;
	clause->shown = ++*at;
	return GEMP_OK;
}

/* Adds all vertices and edges of the match after the shown items of the first clause. Paths of variable length are left
 * out, because they have no single edge. */
static gemp_code add_all_columns(gemp_pattern *pattern, gemp_clause *clause)
{
	size_t at = clause->shown, vertices = gemp_pattern_row_vertices(pattern), edges = gemp_pattern_row_edges(pattern);
	for (size_t v = 0; v < vertices; v++)
		GEMP_TRY(add_element_column(clause, (int)v, false, &at));
	for (size_t e = 0; e < edges; e++)
		if (!gemp_pattern_row_edge(pattern, e)->path)
			GEMP_TRY(add_element_column(clause, (int)e, true, &at));
	return GEMP_OK;
}

/* Adds the elements that WITH passes on. After an aggregate or DISTINCT no other elements are known. */
static gemp_code add_with_columns(gemp_pattern *pattern)
{
	size_t at = pattern->result.shown;
	for (size_t i = 0; i < pattern->with->shown; i++) {
		const gemp_expr *item = pattern->with->items[i].expr;
		if (gemp_expr_is_element(item))
			GEMP_TRY(add_element_column(&pattern->result, (int)i, item->of_edge, &at));
	}
	return GEMP_OK;
}

/* A clause needs at least one column, even if the updates need none. */
static gemp_code need_column(gemp_sema *p, gemp_pattern *pattern)
{
	GEMP_OWNED_BY(gemp_expr_free_at) gemp_expr *expr = NULL;
	if (pattern->result.item_count > 0)
		return GEMP_OK;
	GEMP_TRY(gemp_sema_new_expr(p, GEMP_COLUMN, 0, &expr));
	return gemp_pattern_add_return(pattern, &expr, "column", strlen("column"));
}

/* The first columns of the pattern's RETURN are the elements and values that the updates name. The other elements of
 * the match follow, which the rule only reads. */
static gemp_code build_rule(gemp_sema *p, const gemp_ast_rule *from, gemp_rule *rule)
{
	gemp_sema_scope row;
	gemp_rule_build b = { .p = p, .row = &row, .rule = rule };
	gemp_sema_move(p, from->name.place.begin);
	*rule = (gemp_rule){ .line = p->cursor.line, .column = p->cursor.column };
	p->patterns = 0;
	rule->name = gemp_strdup(from->name.bytes);
	if (!rule->name)
		return GEMP_ENOMEM;
	GEMP_TRY(gemp_pattern_new(&rule->pattern, p->q->source.text, p->q->source.file));
	gemp_pattern *pattern = rule->pattern;
	GEMP_TRY(gemp_sema_row(p, pattern, from->match, from->parts, &row));
	pattern->has_return = true;
	pattern->fixed_items = pattern->with ? pattern->with->shown : 0;
	rule->has_all_columns = !pattern->with || (!pattern->with->grouped && !pattern->with->distinct);
	if (pattern->with && rule->has_all_columns)
		GEMP_TRY(add_all_columns(pattern, pattern->with));
	GEMP_TRY(gemp_rule_updates(&b, from->updates));
	rule->update_columns = pattern->result.shown;
	if (pattern->with) {
		GEMP_TRY(add_with_columns(pattern));
	} else {
		pattern->fixed_items = rule->update_columns;
		GEMP_TRY(add_all_columns(pattern, &pattern->result));
	}
	return need_column(p, pattern);
}

/* RUN names rules, so their names must differ. */
static gemp_code check_name(gemp_sema *p, const gemp_rule_set *rules, const gemp_ast_rule *from)
{
	for (size_t i = 0; i < rules->count; i++)
		if (strcmp(rules->rules[i].name, from->name.bytes) == 0)
			return gemp_sema_fail(p, from->name.place.begin,
			                      "there is a rule '%s' already, in line %d; give this one another name",
			                      from->name.bytes, rules->rules[i].line);
	return GEMP_OK;
}

/* Rules are built before the control, because RUN may name a rule that follows it. */
static gemp_code build_rules(gemp_sema *p, gemp_rule_set *rules)
{
	size_t capacity = 0;
	if (!p->q->rules)
		return gemp_sema_fail(p, 0, "there is no rule; write one, as in RULE name MATCH (a) SET a.x = 1");
	for (const gemp_ast_rule *from = p->q->rules; from; from = from->next) {
		GEMP_TRY(check_name(p, rules, from));
		GEMP_TRY(GEMP_RESERVE(rules->rules, capacity, rules->count + 1));
		GEMP_TRY(build_rule(p, from, &rules->rules[rules->count++]));
	}
	return rule_control(p, rules);
}

/* The set keeps its text, since errors found later show lines of it. */
gemp_code gemp_rule_set_parse(gemp_rule_set **out, const char *text, const char *file,
                              const gemp_query_parameter *parameters, size_t parameter_count)
{
	GEMP_OWNED_BY(gemp_ast_free) gemp_ast q = { 0 };
	GEMP_OWNED_BY(gemp_rule_set_free_at) gemp_rule_set *rules = NULL;
	GEMP_OWNED bool *used = NULL;
	gemp_sema p = { .q = &q };
	const gemp_source source = { file ? file : "rules", gemp_scan_begin(text) };
	GEMP_TRY(GEMP_NEW(used, parameter_count));
	GEMP_TRY(GEMP_NEW(rules, 1));
	rules->text = gemp_strdup(source.text);
	rules->file = gemp_strdup(source.file);
	if (!rules->text || !rules->file)
		return GEMP_ENOMEM;
	GEMP_TRY(gemp_ast_parse(&q, &source, GEMP_AST_RULES, parameters, parameter_count, used));
	GEMP_TRY(gemp_sema_set_marks(&p));
	GEMP_TRY(build_rules(&p, rules));
	GEMP_TRY(gemp_ast_check_parameters(parameters, parameter_count, used));
	*out = rules;
	rules = NULL;
	return GEMP_OK;
}

/* TEXTS */

/* Reads the text by lexer and grammar. The lexer writes zeros behind tokens, so it works on a copy. */
static gemp_code read_text(gemp_ast *q)
{
	q->code = gemp_source_check(&q->source);
	if (q->code != GEMP_OK)
		return q->code;
	size_t size = strlen(q->source.text);
	char *copy = gemp_ast_alloc(q, size + 2); /* flex wants two zeros at the end */
	if (!copy)
		return q->code;
	memcpy(copy, q->source.text, size);
	void *scanner;
	GEMP_CHECK(query_yylex_init_extra(q, &scanner) == 0);
	GEMP_CHECK(query_yy_scan_buffer(copy, size + 2, scanner));
	int failed = query_yyparse(scanner, q);
	GEMP_CHECK(!failed || q->code != GEMP_OK);
	query_yylex_destroy(scanner);
	return q->code;
}

/* q owns the tree and its arena, also after a failure. For a text of rules the lexer's first token makes the grammar
 * read rules. */
gemp_code gemp_ast_parse(gemp_ast *q, const gemp_source *source, gemp_ast_language language,
                         const gemp_query_parameter *parameters, size_t parameter_count, bool *used)
{
	*q = (gemp_ast){ .source = *source, .parameters = parameters, .parameter_count = parameter_count, .used = used };
	q->is_rules = language == GEMP_AST_RULES;
	q->chains = language == GEMP_AST_CHAIN;
	return read_text(q);
}

/* An unused parameter is most likely a misspelt name, and the query would silently compute something else. */
gemp_code gemp_ast_check_parameters(const gemp_query_parameter *parameters, size_t parameter_count, const bool *used)
{
	for (size_t i = 0; i < parameter_count; i++)
		if (!used[i])
			return gemp_fail(GEMP_EUSAGE,
			                 "parameter %s: there is no $%s in the query; leave it out or write it where the "
			                 "value belongs",
			                 parameters[i].name, parameters[i].name);
	return GEMP_OK;
}

/* Without RETURN the pattern returns its named vertices. A LIMIT may then stand alone. */
static gemp_code build_pattern(gemp_sema *p, gemp_pattern *pattern)
{
	const gemp_ast *q = p->q;
	gemp_sema_scope row, passed;
	GEMP_TRY(gemp_sema_row(p, pattern, q->match, q->parts, &row));
	pattern->has_return = q->result && q->result->items;
	if (pattern->has_return)
		return gemp_sema_clause(p, &row, q->result, false, &pattern->result, &passed);
	GEMP_TRY(gemp_pattern_return_vertices(pattern));
	pattern->result.has_limit = q->result != NULL;
	pattern->result.limit = q->result ? (uint64_t)q->result->limit->value.integer : 0;
	return GEMP_OK;
}

static gemp_code parse_query(gemp_pattern **out, const char *text, const char *file, gemp_ast_language language,
                             const gemp_query_parameter *parameters, size_t parameter_count, bool *used)
{
	GEMP_OWNED_BY(gemp_ast_free) gemp_ast q = { 0 };
	GEMP_OWNED_BY(gemp_pattern_free_at) gemp_pattern *pattern = NULL;
	const gemp_source source = { file, gemp_scan_begin(text) };
	gemp_sema p = { .q = &q };
	GEMP_TRY(gemp_ast_parse(&q, &source, language, parameters, parameter_count, used));
	GEMP_TRY(gemp_sema_set_marks(&p));
	GEMP_TRY(gemp_pattern_new(&pattern, source.text, file));
	GEMP_TRY(build_pattern(&p, pattern));
	*out = pattern;
	pattern = NULL;
	return GEMP_OK;
}

/* Parses one of several queries. used[] is shared by all queries, so the caller reports unused parameters. */
gemp_code gemp_pattern_parse_some(gemp_pattern **out, const char *text, const char *file,
                                  const gemp_query_parameter *parameters, size_t parameter_count, bool *used)
{
	return parse_query(out, text, file, GEMP_AST_QUERY, parameters, parameter_count, used);
}

gemp_code gemp_pattern_parse_chain(gemp_pattern **out, const char *text, const char *file,
                                   const gemp_query_parameter *parameters, size_t parameter_count, bool *used)
{
	return parse_query(out, text, file, GEMP_AST_CHAIN, parameters, parameter_count, used);
}

/* A single query must use each parameter. */
gemp_code gemp_pattern_parse_with(gemp_pattern **out, const char *text, const char *file,
                                  const gemp_query_parameter *parameters, size_t parameter_count)
{
	GEMP_OWNED_BY(gemp_pattern_free_at) gemp_pattern *pattern = NULL;
	GEMP_OWNED bool *used = NULL;
	GEMP_TRY(GEMP_NEW(used, parameter_count));
	GEMP_TRY(gemp_pattern_parse_some(&pattern, text, file, parameters, parameter_count, used));
	GEMP_TRY(gemp_ast_check_parameters(parameters, parameter_count, used));
	*out = pattern;
	pattern = NULL;
	return GEMP_OK;
}

/* No parameter has a value, so a parameter in the text is an error at its place. */
gemp_code gemp_pattern_parse(gemp_pattern **out, const char *text, const char *file)
{
	return gemp_pattern_parse_with(out, text, file, NULL, 0);
}

/* If the text mentions parameters, only its syntax can be checked, since the remaining checks depend on their
 * values. */
gemp_code gemp_pattern_check(const char *text)
{
	GEMP_OWNED_BY(gemp_ast_free)
	gemp_ast q = { .source = { NULL, gemp_scan_begin(text) }, .parameters_later = true };
	GEMP_OWNED_BY(gemp_pattern_free_at) gemp_pattern *pattern = NULL;
	GEMP_TRY(read_text(&q));
	return q.has_parameters ? GEMP_OK : gemp_pattern_parse(&pattern, text, NULL);
}
