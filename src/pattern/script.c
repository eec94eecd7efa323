#include "pattern/script.h"

#include "core/memory.h"
#include "core/text.h"
#include "pattern/query.h"

#include <string.h>

/* Behind the string, name or comment that begins at text[at], or behind that one byte. One without an end goes to the end of
 * the text, where the grammar complains of it. */
static size_t skip(const char *text, size_t at)
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

/* Bytes [*begin, *end) of the next query from *at on, which goes behind its `;`. False: there is none. */
static bool next(const char *text, size_t *at, size_t *begin, size_t *end)
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
			*at = skip(text, *at);
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

/* The query with nothing but empty lines and spaces before it, so that places are those of the script. */
static gemp_code cut_out(gemp_text *out, const char *text, size_t begin, size_t end)
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

static gemp_code parse_all(gemp_script *script, const char *text, const char *file, const gemp_query_parameter *parameters,
                           size_t parameter_count, bool *used)
{
	gemp_code code = GEMP_OK;
	gemp_text one = { 0 };
	size_t at = 0, begin, end, capacity = 0;
	while (next(text, &at, &begin, &end)) {
		gemp_text_clear(&one);
		GEMP_TRY(cut_out(&one, text, begin, end));
		GEMP_TRY(GEMP_RESERVE(script->queries, capacity, script->count + 1));
		GEMP_TRY(gemp_pattern_parse_some(&script->queries[script->count], one.data, file, parameters, parameter_count, used));
		script->count++;
	}
	code = query_check_parameters(parameters, parameter_count, used);
done:
	gemp_text_free(&one);
	return code;
}

/* One query, with no more than a `;` behind it: what gemp_pattern_parse takes as it is. Nothing at all is for it, too. */
static bool is_single(const char *text)
{
	size_t at = 0, begin, end, ends = 0;
	for (size_t i = 0; text[i]; i = skip(text, i))
		ends += text[i] == ';';
	return !next(text, &at, &begin, &end) || ends == 0 || (ends == 1 && text[end] == ';' && !next(text, &at, &begin, &end));
}

gemp_code gemp_script_parse(gemp_script *out, const char *text, const char *file, const gemp_query_parameter *parameters,
                            size_t parameter_count)
{
	gemp_code code = GEMP_OK;
	gemp_script script = { 0 };
	bool *used = NULL;
	if (strncmp(text, "\xEF\xBB\xBF", 3) == 0)
		text += 3; /* the byte order mark of some editors */
	if (!is_single(text)) {
		GEMP_TRY(GEMP_NEW(used, parameter_count));
		GEMP_TRY(parse_all(&script, text, file, parameters, parameter_count, used));
	} else {
		GEMP_TRY(GEMP_NEW(script.queries, 1));
		GEMP_TRY(gemp_pattern_parse_with(&script.queries[0], text, file, parameters, parameter_count));
		script.count = 1;
	}
	*out = script;
	script = (gemp_script){ 0 };
done:
	gemp_script_free(&script);
	gemp_free(used);
	return code;
}

void gemp_script_free(gemp_script *script)
{
	for (size_t i = 0; i < script->count; i++)
		gemp_pattern_free(script->queries[i]);
	gemp_free(script->queries);
	*script = (gemp_script){ 0 };
}
