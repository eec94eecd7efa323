/* Functions of strings. Positions and lengths count characters (function/characters.h), from 0. */

#include "cypher/function/characters.h"
#include "cypher/function/function.h"
#include "pattern/model/string_function.h"

static gemp_arena *arena_of(const gemp_cypher_call *call)
{
	return call->environment->arena;
}

/* Bytes [begin, end) of a string. */
static gemp_code part_of(const gemp_cypher_call *call, gemp_datum string, size_t begin, size_t end, gemp_datum *out)
{
	return gemp_datum_string(out, arena_of(call), string.text + begin, end - begin);
}

/* CASE */

static gemp_code map_case(const gemp_cypher_call *call, bool upper, gemp_datum *out)
{
	const gemp_datum string = call->arguments[0];
	GEMP_OWNED_BY(gemp_arena_free) gemp_arena scratch = { 0 };
	gemp_value mapped;
	GEMP_TRY(gemp_string_case(&(gemp_value){ .type = GEMP_STRING, .string = { string.text, string.size } }, upper,
	                          &scratch, &mapped));
	return gemp_datum_string(out, arena_of(call), mapped.string.bytes, mapped.string.size);
}

static gemp_code to_lower(const gemp_cypher_call *call, gemp_datum *out)
{
	return map_case(call, false, out);
}

static gemp_code to_upper(const gemp_cypher_call *call, gemp_datum *out)
{
	return map_case(call, true, out);
}

/* TRIMMING */

/* All characters with the property White_Space of Unicode. */
static const char white_space[] =
	"\t\n\v\f\r \xc2\x85\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008"
	"\u2009\u200a\u2028\u2029\u202f\u205f\u3000";

/* True if bytes [begin, end) of a string are one of the characters of `set`. */
static bool in_set(gemp_datum set, gemp_datum string, size_t begin, size_t end)
{
	for (size_t at = 0, next; at < set.size; at = next) {
		next = gemp_characters_next(set, at);
		if (next - at == end - begin && memcmp(set.text + at, string.text + begin, end - begin) == 0)
			return true;
	}
	return false;
}

static gemp_code trim_ends(const gemp_cypher_call *call, bool left, bool right, gemp_datum *out)
{
	const gemp_datum string = call->arguments[0];
	gemp_datum set = { .kind = GEMP_DATUM_STRING, .size = sizeof white_space - 1, .text = white_space };
	size_t begin = 0, end = string.size;
	if (call->count > 1)
		set = call->arguments[1];
	while (left && begin < end && in_set(set, string, begin, gemp_characters_next(string, begin)))
		begin = gemp_characters_next(string, begin);
	while (right && begin < end && in_set(set, string, gemp_characters_previous(string, end), end))
		end = gemp_characters_previous(string, end);
	return part_of(call, string, begin, end, out);
}

static gemp_code trim(const gemp_cypher_call *call, gemp_datum *out)
{
	return trim_ends(call, true, true, out);
}

static gemp_code left_trim(const gemp_cypher_call *call, gemp_datum *out)
{
	return trim_ends(call, true, false, out);
}

static gemp_code right_trim(const gemp_cypher_call *call, gemp_datum *out)
{
	return trim_ends(call, false, true, out);
}

/* PARTS */

/* Argument `index`, a number of characters. */
static gemp_code length_of(const gemp_cypher_call *call, const char *name, size_t index, uint64_t *out)
{
	int64_t length = call->arguments[index].integer;
	if (length < 0)
		return gemp_cypher_fail(call->environment, call->expr, "argument %zu of %s() must not be negative; it is %lld",
		                        index + 1, name, (long long)length);
	*out = (uint64_t)length;
	return GEMP_OK;
}

static gemp_code left(const gemp_cypher_call *call, gemp_datum *out)
{
	uint64_t length = 0;
	GEMP_TRY(length_of(call, "left", 1, &length));
	return part_of(call, call->arguments[0], 0, gemp_characters_skip(call->arguments[0], length), out);
}

static gemp_code right(const gemp_cypher_call *call, gemp_datum *out)
{
	const gemp_datum string = call->arguments[0];
	uint64_t length = 0;
	size_t begin = string.size;
	GEMP_TRY(length_of(call, "right", 1, &length));
	for (; length > 0 && begin > 0; length--)
		begin = gemp_characters_previous(string, begin);
	return part_of(call, string, begin, string.size, out);
}

static gemp_code substring(const gemp_cypher_call *call, gemp_datum *out)
{
	gemp_datum rest = call->arguments[0];
	uint64_t start = 0, length = UINT64_MAX;
	GEMP_TRY(length_of(call, "substring", 1, &start));
	if (call->count > 2)
		GEMP_TRY(length_of(call, "substring", 2, &length));
	size_t begin = gemp_characters_skip(rest, start);
	rest.text += begin;
	rest.size -= (uint32_t)begin;
	return part_of(call, rest, 0, gemp_characters_skip(rest, length), out);
}

/* SEARCHING */

/* Returns the byte of the first occurrence of `part` from byte `from` on, or SIZE_MAX. An empty part does not occur. */
static size_t find(gemp_datum string, gemp_datum part, size_t from)
{
	const char *found = part.size ? memmem(string.text + from, string.size - from, part.text, part.size) : NULL;
	return found ? (size_t)(found - string.text) : SIZE_MAX;
}

static gemp_code replace(const gemp_cypher_call *call, gemp_datum *out)
{
	const gemp_datum string = call->arguments[0], search = call->arguments[1], by = call->arguments[2];
	GEMP_OWNED_BY(gemp_text_free) gemp_text text = { 0 };
	size_t from = 0, found;
	while ((found = find(string, search, from)) != SIZE_MAX) {
		gemp_text_add(&text, string.text + from, found - from);
		gemp_text_add(&text, by.text, by.size);
		from = found + search.size;
	}
	gemp_text_add(&text, string.text + from, string.size - from);
	GEMP_TRY(gemp_text_status(&text));
	return gemp_datum_string(out, arena_of(call), text.data, text.size);
}

/* Sets the first place at which a separator occurs, from byte `from` on; of several at one place, the longest. An empty
 * separator separates every two characters. Returns false if there is no place. */
static bool next_separator(gemp_datum string, const gemp_datum *separators, size_t count, size_t from, size_t *begin,
                           size_t *end)
{
	*begin = SIZE_MAX;
	for (size_t i = 0; i < count; i++) {
		size_t at = find(string, separators[i], from);
		if (separators[i].size == 0 && from < string.size && gemp_characters_next(string, from) < string.size)
			at = gemp_characters_next(string, from);
		if (at == SIZE_MAX || at > *begin || (at == *begin && at + separators[i].size <= *end))
			continue;
		*begin = at;
		*end = at + separators[i].size;
	}
	return *begin != SIZE_MAX;
}

static gemp_code split_by(const gemp_cypher_call *call, const gemp_datum *separators, size_t count, gemp_datum *out)
{
	const gemp_datum string = call->arguments[0];
	size_t from = 0, begin, end, parts = 1, i = 0;
	gemp_datum *items;
	while (next_separator(string, separators, count, from, &begin, &end)) {
		parts++;
		from = end;
	}
	GEMP_TRY(GEMP_ARENA_NEW(arena_of(call), items, parts));
	for (from = 0; next_separator(string, separators, count, from, &begin, &end); from = end)
		GEMP_TRY(part_of(call, string, from, begin, &items[i++]));
	GEMP_TRY(part_of(call, string, from, string.size, &items[i]));
	return gemp_datum_list_of(out, items, parts);
}

static gemp_code split(const gemp_cypher_call *call, gemp_datum *out)
{
	const gemp_datum separator = call->arguments[1];
	if (separator.kind == GEMP_DATUM_STRING)
		return split_by(call, &separator, 1, out);
	for (size_t i = 0; i < separator.size; i++)
		if (separator.items[i].kind != GEMP_DATUM_STRING)
			return gemp_cypher_fail(call->environment, call->expr,
			                        "the list of separators of split() must have only elements of type String; one is "
			                        "of type %s",
			                        gemp_datum_kind_name[separator.items[i].kind]);
	return split_by(call, separator.items, separator.size, out);
}

static gemp_code character_length(const gemp_cypher_call *call, gemp_datum *out)
{
	const gemp_datum string = call->arguments[0];
	*out = gemp_datum_integer(
		gemp_string_size(&(gemp_value){ .type = GEMP_STRING, .string = { string.text, string.size } }));
	return GEMP_OK;
}

enum { STRING = GEMP_CY_BIT(STRING), INTEGER = GEMP_CY_BIT(INTEGER), SEPARATOR = STRING | GEMP_CY_BIT(LIST) };

const gemp_cypher_function gemp_cypher_string_functions[] = {
	{ "toLower", 1, 1, false, to_lower, { STRING } },
	{ "lower", 1, 1, false, to_lower, { STRING } },
	{ "toUpper", 1, 1, false, to_upper, { STRING } },
	{ "upper", 1, 1, false, to_upper, { STRING } },
	{ "trim", 1, 1, false, trim, { STRING } },
	{ "btrim", 1, 2, false, trim, { STRING, STRING } },
	{ "lTrim", 1, 2, false, left_trim, { STRING, STRING } },
	{ "rTrim", 1, 2, false, right_trim, { STRING, STRING } },
	{ "left", 2, 2, false, left, { STRING, INTEGER } },
	{ "right", 2, 2, false, right, { STRING, INTEGER } },
	{ "substring", 2, 3, false, substring, { STRING, INTEGER, INTEGER } },
	{ "replace", 3, 3, false, replace, { STRING, STRING, STRING } },
	{ "split", 2, 2, false, split, { STRING, SEPARATOR } },
	{ "char_length", 1, 1, false, character_length, { STRING } },
	{ "character_length", 1, 1, false, character_length, { STRING } },
	{ 0 },
};
