
#define YYSTYPE QUERY_YYSTYPE
#define YYLTYPE QUERY_YYLTYPE

#include "pattern/semantic/parse.h"

#include "core/memory.h"
#include "core/text.h"
#include "pattern/parser.h"
#include "pattern/semantic/expression.h"

/* The lexer's header uses the types of parser.h under these names. */
#include "pattern/lexer.h"

#include <string.h>

/* A text read by lexer and grammar. */

/* Reads the text by lexer and grammar. The lexer works in place on a copy. */
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

gemp_code gemp_ast_parse(gemp_ast *q, const gemp_source *source, const gemp_query_parameter *parameters,
                         size_t parameter_count, bool *used)
{
	*q = (gemp_ast){ .source = *source, .parameters = parameters, .parameter_count = parameter_count, .used = used };
	return read_text(q);
}

gemp_code gemp_ast_parse_rules(gemp_ast *q, const gemp_source *source, const gemp_query_parameter *parameters,
                               size_t parameter_count, bool *used)
{
	*q = (gemp_ast){
		.source = *source, .parameters = parameters, .parameter_count = parameter_count, .used = used, .is_rules = true
	};
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

/* MATCH, then OPTIONAL MATCHes in order, then WITH: each sees the names of what stands before it. */
gemp_code gemp_sema_row(gemp_sema *p, gemp_pattern *pattern, const gemp_ast_match *match,
                        const gemp_ast_match *optionals, const gemp_ast_projection *with, gemp_sema_scope *row)
{
	gemp_sema_scope passed;
	GEMP_PROPAGATE(gemp_sema_new_scope(p, pattern, GEMP_SEMA_MAX_NAMES, row));
	GEMP_PROPAGATE(gemp_sema_match(p, row, match));
	for (; optionals; optionals = optionals->next)
		GEMP_PROPAGATE(gemp_sema_optional(p, row, optionals));
	if (with) {
		GEMP_PROPAGATE(GEMP_NEW(pattern->with, 1));
		GEMP_PROPAGATE(gemp_sema_clause(p, row, with, true, pattern->with, &passed));
		*row = passed;
	}
	return GEMP_OK;
}

/* Without RETURN the pattern returns its named vertices; LIMIT may stand alone then. */
static gemp_code build_pattern(gemp_sema *p, gemp_pattern *pattern)
{
	const gemp_ast *q = p->q;
	gemp_sema_scope row, passed;
	GEMP_PROPAGATE(gemp_sema_row(p, pattern, q->match, q->optionals, q->with, &row));
	pattern->has_return = q->result && q->result->items;
	if (pattern->has_return)
		return gemp_sema_clause(p, &row, q->result, false, &pattern->result, &passed);
	GEMP_PROPAGATE(gemp_pattern_return_vertices(pattern));
	pattern->result.has_limit = q->result != NULL;
	pattern->result.limit = q->result ? (uint64_t)q->result->limit->value.integer : 0;
	return GEMP_OK;
}

/* Some editors begin a file with a byte order mark. */
static const char *behind_mark(const char *text)
{
	return strncmp(text, "\xEF\xBB\xBF", 3) == 0 ? text + 3 : text;
}

/* Parses one query of several: used[] collects the parameters of all, so unused ones are reported by the caller. */
static gemp_code gemp_pattern_parse_some(gemp_pattern **out, const char *text, const char *file,
                                         const gemp_query_parameter *parameters, size_t parameter_count, bool *used)
{
	gemp_ast q;
	text = behind_mark(text);
	gemp_source source = { file, text };
	gemp_sema p = { .q = &q };
	gemp_pattern *pattern = NULL;
	gemp_code code = GEMP_OK;
	GEMP_TRY(gemp_ast_parse(&q, &source, parameters, parameter_count, used));
	GEMP_TRY(gemp_sema_set_marks(&p));
	GEMP_TRY(gemp_pattern_new(&pattern, text, file));
	GEMP_TRY(build_pattern(&p, pattern));
	*out = pattern;
	pattern = NULL;
done:
	gemp_pattern_free(pattern);
	gemp_ast_free(&q);
	return code;
}

/* A single query: each parameter must be used in it. */
gemp_code gemp_pattern_parse_with(gemp_pattern **out, const char *text, const char *file,
                                  const gemp_query_parameter *parameters, size_t parameter_count)
{
	GEMP_OWNED_BY(gemp_pattern_free_at) gemp_pattern *pattern = NULL;
	GEMP_OWNED bool *used = NULL;
	GEMP_PROPAGATE(GEMP_NEW(used, parameter_count));
	GEMP_PROPAGATE(gemp_pattern_parse_some(&pattern, text, file, parameters, parameter_count, used));
	GEMP_PROPAGATE(gemp_ast_check_parameters(parameters, parameter_count, used));
	*out = pattern;
	pattern = NULL;
	return GEMP_OK;
}

gemp_code gemp_pattern_parse(gemp_pattern **out, const char *text, const char *file)
{
	return gemp_pattern_parse_with(out, text, file, NULL, 0);
}

gemp_code gemp_pattern_check(const char *text)
{
	gemp_ast q = { .source = { NULL, behind_mark(text) }, .parameters_later = true };
	gemp_pattern *pattern = NULL;
	gemp_code code = read_text(&q);
	bool whole = !q.has_parameters;
	gemp_ast_free(&q);
	if (code == GEMP_OK && whole)
		code = gemp_pattern_parse(&pattern, text, NULL);
	gemp_pattern_free(pattern);
	return code;
}

/* End of the string, name or comment that begins at text[at], or of that one byte. A token without an end reaches
 * to the end of the text, where the grammar reports it. */
static size_t skip_token(const char *text, size_t at)
{
	char quote = text[at];
	bool comment = quote == '/' && (text[at + 1] == '*' || text[at + 1] == '/');
	if (comment) {
		const char *mark = text[at + 1] == '*' ? "*/" : "\n", *end = strstr(text + at + 2, mark);
		return end ? (size_t)(end - text) + strlen(mark) : strlen(text);
	}
	if (quote != '\'' && quote != '"' && quote != '`')
		return at + 1;
	for (at++; text[at] && text[at] != quote; at++)
		if (text[at] == '\\' && quote != '`' && text[at + 1])
			at++;
	return at + (text[at] != '\0');
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Bytes [*begin, *end) of the next query from *at on, which moves behind its `;`. Returns false if there is none. */
static bool next_query(const char *text, size_t *at, size_t *begin, size_t *end)
{
	for (;;) {
		bool found = false;
		*begin = *at;
		while (text[*at] && text[*at] != ';') {
			bool comment = text[*at] == '/' && (text[*at + 1] == '*' || text[*at + 1] == '/');
			if (!found && !comment && !is_space(text[*at])) {
				found = true;
				*begin = *at;
			}
			*at = skip_token(text, *at);
		}
		*end = *at;
		if (text[*at])
			++*at;
		if (found)
			return true;
		if (!text[*end])
			return false;
	}
}

/* The query, with the text before it replaced by empty lines and spaces, so that its places are those of the
 * script. */
static gemp_code extract_query(gemp_text *out, const char *text, size_t begin, size_t end)
{
	size_t line = 0;
	for (size_t i = 0; i < begin; i++)
		if (text[i] == '\n') {
			gemp_text_add(out, "\n", 1);
			line = i + 1;
		}
	for (size_t i = line; i < begin; i++)
		if (((unsigned char)text[i] & 0xC0) != 0x80)
			gemp_text_add(out, " ", 1);
	gemp_text_add(out, text + begin, end - begin);
	return gemp_text_status(out);
}

/* Every query is analysed with the whole script's parameters; unused ones are reported once, at the end. */
static gemp_code parse_all(gemp_script *script, const char *text, const char *file,
                           const gemp_query_parameter *parameters, size_t parameter_count, bool *used)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text one = { 0 };
	size_t at = 0, begin, end, capacity = 0;
	while (next_query(text, &at, &begin, &end)) {
		gemp_text_clear(&one);
		GEMP_PROPAGATE(extract_query(&one, text, begin, end));
		GEMP_PROPAGATE(GEMP_RESERVE(script->queries, capacity, script->count + 1));
		GEMP_PROPAGATE(gemp_pattern_parse_some(&script->queries[script->count], one.data, file, parameters,
		                                       parameter_count, used));
		script->count++;
	}
	return gemp_ast_check_parameters(parameters, parameter_count, used);
}

/* One query with at most one `;` behind it is parsed as it is; an empty text, too, for gemp_pattern_parse has a
 * message for it. */
static bool is_single(const char *text)
{
	size_t at = 0, begin, end, ends = 0;
	for (size_t i = 0; text[i]; i = skip_token(text, i))
		ends += text[i] == ';';
	return !next_query(text, &at, &begin, &end) || ends == 0 ||
	       (ends == 1 && text[end] == ';' && !next_query(text, &at, &begin, &end));
}

/* A text with a single query is parsed as it is, so that its places and its stored text stay those of the user. */
gemp_code gemp_script_parse(gemp_script *out, const char *text, const char *file,
                            const gemp_query_parameter *parameters, size_t parameter_count)
{
	GEMP_OWNED_BY(gemp_script_free) gemp_script script = { 0 };
	GEMP_OWNED bool *used = NULL;
	if (strncmp(text, "\xEF\xBB\xBF", 3) == 0)
		text += 3; /* the byte order mark of some editors */
	if (!is_single(text)) {
		GEMP_PROPAGATE(GEMP_NEW(used, parameter_count));
		GEMP_PROPAGATE(parse_all(&script, text, file, parameters, parameter_count, used));
	} else {
		GEMP_PROPAGATE(GEMP_NEW(script.queries, 1));
		GEMP_PROPAGATE(gemp_pattern_parse_with(&script.queries[0], text, file, parameters, parameter_count));
		script.count = 1;
	}
	*out = script;
	script = (gemp_script){ 0 };
	return GEMP_OK;
}

void gemp_script_free(gemp_script *script)
{
	for (size_t i = 0; i < script->count; i++)
		gemp_pattern_free(script->queries[i]);
	gemp_free(script->queries);
	*script = (gemp_script){ 0 };
}
