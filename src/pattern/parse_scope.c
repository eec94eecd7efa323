/* Names of a query and what they stand for. */
#include "core/text.h"
#include "pattern/parse.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

gemp_code parse_fail(parse *p, size_t at, const char *format, ...)
{
	char message[1024];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(message, sizeof message, format, arguments);
	va_end(arguments);
	return gemp_source_fail(&p->q->source, at, "%s", message);
}

gemp_code parse_set_marks(parse *p)
{
	size_t count = strlen(p->q->source.text) / PARSE_MARK + 1;
	gemp_cursor cursor = { 0, 1, 1 };
	p->marks = query_alloc(p->q, count * sizeof *p->marks);
	for (size_t i = 0; p->marks && i < count; i++) {
		gemp_source_move(&p->q->source, &cursor, i * PARSE_MARK);
		p->marks[i] = cursor;
	}
	p->cursor = (gemp_cursor){ 0, 1, 1 };
	return p->marks ? GEMP_OK : GEMP_ENOMEM;
}

void parse_move(parse *p, size_t at)
{
	if (at < p->cursor.at || at - p->cursor.at > PARSE_MARK)
		p->cursor = p->marks[at / PARSE_MARK];
	gemp_source_move(&p->q->source, &p->cursor, at);
}

gemp_code parse_fail_here(parse *p, size_t at, gemp_code code)
{
	return code == GEMP_EUSAGE ? parse_fail(p, at, "%s", gemp_message()) : code;
}

gemp_code parse_new_scope(parse *p, gemp_pattern *pattern, size_t capacity, parse_scope *out)
{
	*out = (parse_scope){ .pattern = pattern, .names = query_alloc(p->q, capacity * sizeof *out->names) };
	return out->names ? GEMP_OK : GEMP_ENOMEM;
}

const parse_name *parse_find(const parse_scope *scope, const char *name)
{
	for (size_t i = 0; i < scope->count; i++)
		if (strcmp(scope->names[i].name, name) == 0)
			return &scope->names[i];
	return NULL;
}

void parse_add_name(parse_scope *scope, const char *name, parse_sort sort, int index)
{
	scope->names[scope->count++] = (parse_name){ name, sort, index };
}

static gemp_code unknown(parse *p, const parse_scope *scope, query_word word)
{
	const char **names = query_alloc(p->q, (scope->count + 1) * sizeof *names);
	if (!names)
		return GEMP_ENOMEM;
	for (size_t i = 0; i < scope->count; i++)
		names[i] = scope->names[i].name;
	const char *near = word.size > 2 ? gemp_nearest(word.bytes, names, scope->count) : NULL;
	return parse_fail(p, word.place.begin, "the variable '%s' is not in %s%s%s%s", word.bytes,
	                  scope->pattern ? "MATCH" : "WITH", near ? "; did you mean '" : "", near ? near : "",
	                  near ? "'?" : "");
}

gemp_code parse_resolve(parse *p, const parse_scope *scope, query_word word, const parse_name **out)
{
	*out = parse_find(scope, word.bytes);
	return *out ? GEMP_OK : unknown(p, scope, word);
}
