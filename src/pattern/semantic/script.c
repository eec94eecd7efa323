#include "pattern/semantic/script.h"

#include "core/memory.h"
#include "pattern/semantic/parse.h"
#include "pattern/syntax/scan.h"
#include "pattern/syntax/syntax_tree.h"

#include <string.h>

/* CUTTING */

/* Returns the `;` that ends the query, or the end of the text. Comments, strings and names in backquotes may contain
 * `;`. A token without an end reaches to the end of the text, where the grammar reports it. */
static const char *query_end(const char *text)
{
	while (*text && *text != ';') {
		const char *next = gemp_scan_space(text);
		if (next > text)
			text = next;
		else if (strncmp(text, "/*", 2) == 0)
			text += strlen(text);
		else
			text = strchr("'\"`", *text) ? gemp_scan_quoted(text) : text + 1;
	}
	return text;
}

/* Finds bytes [*begin, *end) of the next query from *at on. *at becomes the place of the query's `;`. Returns false if
 * there is no query. */
static bool next_query(const char *text, size_t *at, size_t *begin, size_t *end)
{
	const char *from, *to = text + *at;
	do {
		from = gemp_scan_space(to + (*to == ';'));
		to = query_end(from);
	} while (to == from && *to);
	*begin = (size_t)(from - text);
	*end = (size_t)(to - text);
	*at = *end;
	return to > from && strncmp(from, "/*", 2) != 0;
}

/* Extracts a query. Empty lines and spaces replace the text before the query, so messages have places of the script. */
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

/* True for a text with at most one `;`, after which no query follows. True also for a text without a query, since
 * gemp_pattern_parse has a message for it. */
static bool is_single(const char *text)
{
	size_t at = 0, begin, end;
	if (!next_query(text, &at, &begin, &end))
		return true;
	if (query_end(text) != text + end)
		return false;
	const char *rest = gemp_scan_space(text + end + (text[end] == ';'));
	return !*rest || strncmp(rest, "/*", 2) == 0;
}

/* Adds a copy of a text to the list. */
static gemp_code add_text(gemp_script_texts *out, const char *text, size_t *capacity)
{
	GEMP_TRY(GEMP_RESERVE(out->texts, *capacity, out->count + 1));
	out->texts[out->count] = gemp_strdup(text);
	return out->texts[out->count] ? (out->count++, GEMP_OK) : GEMP_ENOMEM;
}

gemp_code gemp_script_cut(gemp_script_texts *out, const char *text)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text one = { 0 };
	size_t at = 0, begin, end, capacity = 0;
	text = gemp_scan_begin(text);
	if (!strchr(text, ';') || is_single(text))
		return add_text(out, text, &capacity);
	while (next_query(text, &at, &begin, &end)) {
		gemp_text_clear(&one);
		GEMP_TRY(extract_query(&one, text, begin, end));
		GEMP_TRY(add_text(out, one.data, &capacity));
	}
	return GEMP_OK;
}

void gemp_script_texts_free(gemp_script_texts *texts)
{
	for (size_t i = 0; i < texts->count; i++)
		gemp_free(texts->texts[i]);
	gemp_free(texts->texts);
	*texts = (gemp_script_texts){ 0 };
}

/* PATTERNS */

/* Every query is analysed with all parameters of the script. At the end a parameter that no query uses is an error. */
gemp_code gemp_script_parse(gemp_script *out, const char *text, const char *file,
                            const gemp_query_parameter *parameters, size_t parameter_count)
{
	GEMP_OWNED_BY(gemp_script_free) gemp_script script = { 0 };
	GEMP_OWNED_BY(gemp_script_texts_free) gemp_script_texts cut = { 0 };
	GEMP_OWNED bool *used = NULL;
	GEMP_TRY(gemp_script_cut(&cut, text));
	GEMP_TRY(GEMP_NEW(used, parameter_count));
	GEMP_TRY(GEMP_NEW(script.queries, cut.count));
	for (; script.count < cut.count; script.count++)
		GEMP_TRY(gemp_pattern_parse_some(&script.queries[script.count], cut.texts[script.count], file, parameters,
		                                 parameter_count, used));
	GEMP_TRY(gemp_ast_check_parameters(parameters, parameter_count, used));
	*out = script;
	script = (gemp_script){ 0 };
	return GEMP_OK;
}

/* A script that was parsed only partly may be freed, too. */
void gemp_script_free(gemp_script *script)
{
	for (size_t i = 0; i < script->count; i++)
		gemp_pattern_free(script->queries[i]);
	gemp_free(script->queries);
	*script = (gemp_script){ 0 };
}
