#include "cypher/check/checker.h"

#include "core/random.h"

#include <ctype.h>
#include <strings.h>

gemp_code gemp_checker_fail(const gemp_checker *checker, gemp_cypher_place place, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	gemp_code code = gemp_source_vfail(&checker->tree->source, place.begin, format, arguments);
	va_end(arguments);
	return code;
}

bool gemp_cypher_same_word(gemp_cypher_word a, gemp_cypher_word b)
{
	return a.size == b.size && memcmp(a.bytes, b.bytes, a.size) == 0;
}

/* Returns the last variable of this name in [from, to), or NULL. */
static gemp_cypher_variable *search(const gemp_checker *checker, gemp_cypher_word name, size_t from, size_t to)
{
	const uint64_t hash = gemp_hash(name.bytes, name.size, 0);
	for (size_t i = to; i-- > from;) {
		if (checker->variables[i].hash != hash || (i >= checker->hidden_from && i < checker->hidden_to))
			continue;
		if (gemp_cypher_same_word(checker->variables[i].name, name))
			return &checker->variables[i];
	}
	return NULL;
}

gemp_cypher_variable *gemp_checker_look_up(const gemp_checker *checker, gemp_cypher_word name)
{
	return search(checker, name, checker->floor, checker->count);
}

gemp_code gemp_checker_not_dropped(const gemp_checker *checker, gemp_cypher_word name)
{
	for (size_t i = checker->hidden_from; i < checker->hidden_to; i++)
		if (gemp_cypher_same_word(checker->variables[i].name, name))
			return gemp_checker_fail(
				checker, name.place,
				"properties in CREATE and MERGE cannot read '%s', a variable of the same pattern; bind it in a "
				"clause before",
				name.bytes);
	if (!search(checker, name, 0, checker->floor))
		return GEMP_OK;
	if (checker->columns_only)
		return gemp_checker_fail(
			checker, name.place,
			"the variable '%s' is not a column; after aggregates or DISTINCT, ORDER BY and WHERE read "
			"only columns, so add it as one",
			name.bytes);
	return gemp_checker_fail(checker, name.place,
	                         "the variable '%s' of the outer query ends at WITH; list it in WITH to use it here",
	                         name.bytes);
}

/* True if the word stands where a string may be meant: it is compared, or is a value in a map, a list or a call, and
 * nothing is read of it. */
static bool may_be_string(const gemp_checker *checker, gemp_cypher_word name)
{
	const char *text = checker->tree->source.text, *next = text + name.place.end;
	size_t before = name.place.begin, word;
	while (before > 0 && isspace((unsigned char)text[before - 1]))
		before--;
	for (word = before; word > 0 && isalpha((unsigned char)text[word - 1]);)
		word--;
	const bool text_operator = (before - word == 4 && strncasecmp(text + word, "WITH", 4) == 0) ||
	                           (before - word == 8 && strncasecmp(text + word, "CONTAINS", 8) == 0);
	while (isspace((unsigned char)*next))
		next++;
	return before > 0 && !strchr(".[(", *next) && (text_operator || strchr("=<>~:,[(", text[before - 1]));
}

/* Names the nearest visible variable, if one is near. */
static gemp_code fail_undefined(const gemp_checker *checker, gemp_cypher_word name)
{
	GEMP_OWNED const char **names = NULL;
	size_t visible = checker->count - checker->floor;
	GEMP_TRY(GEMP_NEW(names, visible));
	for (size_t i = 0; i < visible; i++)
		names[i] = checker->variables[checker->floor + i].name.bytes;
	const char *nearest = gemp_text_nearest(name.bytes, names, visible);
	if (nearest)
		return gemp_checker_fail(checker, name.place, "the variable '%s' is not defined here; '%s' is", name.bytes,
		                         nearest);
	if (may_be_string(checker, name))
		return gemp_checker_fail(checker, name.place,
		                         "the variable '%s' is not defined here; a string needs quotes: '%s'", name.bytes,
		                         name.bytes);
	if (visible == 0)
		return gemp_checker_fail(checker, name.place, "the variable '%s' is not defined: there are no variables here",
		                         name.bytes);
	return gemp_checker_fail(checker, name.place,
	                         "the variable '%s' is not defined here; bind it in MATCH, UNWIND or WITH first",
	                         name.bytes);
}

gemp_code gemp_checker_find(gemp_checker *checker, gemp_cypher_word name, gemp_cypher_variable **out)
{
	*out = gemp_checker_look_up(checker, name);
	if (*out)
		return GEMP_OK;
	GEMP_TRY(gemp_checker_not_dropped(checker, name));
	return fail_undefined(checker, name);
}

gemp_code gemp_checker_declare_in(gemp_checker *checker, gemp_cypher_word name, gemp_cypher_type type, int slot)
{
	GEMP_TRY(GEMP_RESERVE(checker->variables, checker->capacity, checker->count + 1));
	checker->variables[checker->count++] = (gemp_cypher_variable){
		.name = name, .hash = gemp_hash(name.bytes, name.size, 0), .slot = slot, .type = type
	};
	return GEMP_OK;
}

int gemp_checker_take_slot(gemp_checker *checker)
{
	int slot = checker->top++;
	if (checker->peak < checker->top)
		checker->peak = checker->top;
	return slot;
}

gemp_code gemp_checker_declare(gemp_checker *checker, gemp_cypher_word name, gemp_cypher_type type, int *slot)
{
	*slot = gemp_checker_take_slot(checker);
	return gemp_checker_declare_in(checker, name, type, *slot);
}

gemp_code gemp_checker_must_be_new(gemp_checker *checker, gemp_cypher_word name, const char *what)
{
	GEMP_TRY(gemp_checker_not_dropped(checker, name));
	if (!gemp_checker_look_up(checker, name))
		return GEMP_OK;
	return gemp_checker_fail(checker, name.place, "the variable '%s' is already bound; %s needs a new name", name.bytes,
	                         what);
}
