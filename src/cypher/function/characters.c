#include "cypher/function/characters.h"

static bool continues(gemp_datum string, size_t at)
{
	return at < string.size && ((unsigned char)string.text[at] & 0xC0) == 0x80;
}

size_t gemp_characters_next(gemp_datum string, size_t at)
{
	do
		at++;
	while (continues(string, at));
	return at;
}

size_t gemp_characters_previous(gemp_datum string, size_t at)
{
	do
		at--;
	while (at > 0 && continues(string, at));
	return at;
}

size_t gemp_characters_skip(gemp_datum string, uint64_t count)
{
	size_t at = 0;
	for (; count > 0 && at < string.size; count--)
		at = gemp_characters_next(string, at);
	return at;
}

gemp_code gemp_characters_reverse(gemp_datum *out, gemp_arena *arena, gemp_datum string)
{
	char *text = gemp_arena_alloc(arena, (size_t)string.size + 1);
	if (!text)
		return GEMP_ENOMEM;
	char *to = text;
	for (size_t end = string.size, begin; end > 0; end = begin) {
		begin = gemp_characters_previous(string, end);
		memcpy(to, string.text + begin, end - begin);
		to += end - begin;
	}
	*out = (gemp_datum){ .kind = GEMP_DATUM_STRING, .size = string.size, .text = text };
	return GEMP_OK;
}
