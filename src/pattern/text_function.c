#include "pattern/text_function.h"

#include <utf8proc.h>

/* A mapping may be longer than what it maps, but no character is longer than four bytes. */
gemp_code gemp_text_case(const gemp_value *text, bool upper, gemp_scratch *scratch, gemp_value *out)
{
	*out = *text;
	if (text->string.size == 0)
		return GEMP_OK;
	const utf8proc_uint8_t *from = (const utf8proc_uint8_t *)text->string.bytes;
	utf8proc_ssize_t left = (utf8proc_ssize_t)text->string.size;
	char *to = gemp_scratch_take(scratch, 4 * text->string.size);
	size_t size = 0;
	if (!to)
		return GEMP_ENOMEM;
	while (left > 0) {
		utf8proc_int32_t character;
		utf8proc_ssize_t read = utf8proc_iterate(from, left, &character);
		if (read <= 0) { /* no UTF-8: the byte stays */
			to[size++] = (char)*from;
			read = 1;
		} else {
			character = upper ? utf8proc_toupper(character) : utf8proc_tolower(character);
			size += (size_t)utf8proc_encode_char(character, (utf8proc_uint8_t *)to + size);
		}
		from += read;
		left -= read;
	}
	out->string.bytes = to;
	out->string.size = size;
	return GEMP_OK;
}

static int64_t characters(const gemp_value *text)
{
	int64_t count = 0;
	for (size_t i = 0; i < text->string.size; i++)
		count += (text->string.bytes[i] & 0xC0) != 0x80;
	return count;
}

/* Elements of a JSON array: commas at depth 1 outside of strings, and one more. */
static int64_t elements(const gemp_value *list)
{
	int64_t commas = 0;
	int depth = 0;
	bool quoted = false, any = false;
	for (size_t i = 0; i < list->string.size; i++) {
		char c = list->string.bytes[i];
		if (quoted && c == '\\')
			i++;
		else if (c == '"')
			quoted = !quoted;
		else if (!quoted && (c == '[' || c == '{'))
			depth++;
		else if (!quoted && (c == ']' || c == '}'))
			depth--;
		else if (!quoted && c == ',' && depth == 1)
			commas++;
		any = any || (i > 0 && i + 1 < list->string.size);
	}
	return any ? commas + 1 : 0;
}

int64_t gemp_text_size(const gemp_value *text)
{
	return text->type == GEMP_LIST ? elements(text) : characters(text);
}
