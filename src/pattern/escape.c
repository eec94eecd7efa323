/* Escapes in strings. */
#include "pattern/query.h"

#include <stdlib.h>
#include <string.h>

static void add_utf8(query_word *word, unsigned long c)
{
	char *out = word->bytes + word->size;
	if (c < 0x80) {
		*out++ = (char)c;
	} else if (c < 0x800) {
		*out++ = (char)(0xC0 | c >> 6);
		*out++ = (char)(0x80 | (c & 0x3F));
	} else if (c < 0x10000) {
		*out++ = (char)(0xE0 | c >> 12);
		*out++ = (char)(0x80 | (c >> 6 & 0x3F));
		*out++ = (char)(0x80 | (c & 0x3F));
	} else {
		*out++ = (char)(0xF0 | c >> 18);
		*out++ = (char)(0x80 | (c >> 12 & 0x3F));
		*out++ = (char)(0x80 | (c >> 6 & 0x3F));
		*out++ = (char)(0x80 | (c & 0x3F));
	}
	word->size = (size_t)(out - word->bytes);
}

/* The number in `digits` hexadecimal digits; false if some are missing. */
static bool hexadecimal(const char *bytes, size_t left, size_t digits, unsigned long *out)
{
	char text[9] = "";
	if (left < digits)
		return false;
	memcpy(text, bytes, digits);
	*out = strtoul(text, NULL, 16);
	return strspn(text, "0123456789abcdefABCDEF") == digits;
}

/* A character after \u or \U at bytes; *at moves behind it. */
static bool unicode(const char *bytes, size_t size, size_t *at, unsigned long *out)
{
	size_t digits = bytes[*at] == 'u' ? 4 : 8;
	unsigned long low;
	if (!hexadecimal(bytes + *at + 1, size - *at - 1, digits, out))
		return false;
	*at += 1 + digits;
	bool pair = *out >= 0xD800 && *out < 0xDC00 && size - *at >= 6 && bytes[*at] == '\\' && bytes[*at + 1] == 'u'
	         && hexadecimal(bytes + *at + 2, 4, 4, &low) && low >= 0xDC00 && low < 0xE000;
	if (pair) {
		*out = 0x10000 + ((*out - 0xD800) << 10) + (low - 0xDC00);
		*at += 6;
	}
	return *out > 0 && *out <= 0x10FFFF && (*out < 0xD800 || *out >= 0xE000);
}

query_word query_unquote(query *q, const char *bytes, size_t size, query_place place)
{
	static const char from[] = "\\'\"ntrbf/", to[] = "\\'\"\n\t\r\b\f/";
	query_word word = { .bytes = query_alloc(q, size + 1), .place = place };
	for (size_t i = 0; word.bytes && i < size;) {
		size_t escape = i;
		unsigned long c;
		if (bytes[i] != '\\') {
			word.bytes[word.size++] = bytes[i++];
			continue;
		}
		i++;
		const char *known = strchr(from, bytes[i]);
		if (known) {
			word.bytes[word.size++] = to[known - from];
			i++;
		} else if ((bytes[i] == 'u' || bytes[i] == 'U') && unicode(bytes, size, &i, &c)) {
			add_utf8(&word, c);
		} else {
			query_fail(q, place.begin + 1 + escape, "this escape is not known; there are \\\\ \\' \\\" \\n \\t \\r \\b \\f \\/ "
			           "\\uXXXX and \\UXXXXXXXX");
			return (query_word){ 0 };
		}
	}
	return word;
}
