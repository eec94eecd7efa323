#include "core/text.h"

#include "core/memory.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool make_room(gemp_text *text, size_t more)
{
	if (!text->failed && GEMP_RESERVE(text->data, text->capacity, text->size + more + 1) != GEMP_OK)
		text->failed = true;
	return !text->failed;
}

void gemp_text_add(gemp_text *text, const void *bytes, size_t size)
{
	if (!make_room(text, size))
		return;
	if (size)
		memcpy(text->data + text->size, bytes, size);
	text->size += size;
	text->data[text->size] = '\0';
}

void gemp_text_print(gemp_text *text, const char *format, ...)
{
	va_list arguments, again;
	va_start(arguments, format);
	va_copy(again, arguments);
	const size_t room = text->data && !text->failed ? text->capacity - text->size : 0;
	const int size = vsnprintf(room ? text->data + text->size : NULL, room, format, arguments);
	va_end(arguments);
	if (size >= 0 && make_room(text, (size_t)size)) {
		if ((size_t)size >= room) /* only a part of it had room */
			vsnprintf(text->data + text->size, (size_t)size + 1, format, again);
		text->size += (size_t)size;
	} else {
		text->failed = true; /* also where it would be 2 GiB or more */
		if (room)
			text->data[text->size] = '\0';
	}
	va_end(again);
}

void gemp_text_clear(gemp_text *text)
{
	text->size = 0;
	if (text->data)
		text->data[0] = '\0';
}

void gemp_text_free(gemp_text *text)
{
	gemp_free(text->data);
	*text = (gemp_text){ 0 };
}

gemp_code gemp_text_status(const gemp_text *text)
{
	return text->failed ? GEMP_ENOMEM : GEMP_OK;
}

/* Levenshtein distance without regard to case, at most 63 characters of each word. */
static size_t distance(const char *a, const char *b)
{
	enum { LONGEST = 63 };
	size_t row[LONGEST + 1], lb = strnlen(b, LONGEST);
	for (size_t j = 0; j <= lb; j++)
		row[j] = j;
	for (size_t i = 0; a[i] && i < LONGEST; i++) {
		size_t diagonal = row[0];
		row[0] = i + 1;
		for (size_t j = 0; j < lb; j++) {
			size_t changed = diagonal + (tolower((unsigned char)a[i]) != tolower((unsigned char)b[j]));
			diagonal = row[j + 1];
			size_t least = row[j] < row[j + 1] ? row[j] + 1 : row[j + 1] + 1;
			row[j + 1] = changed < least ? changed : least;
		}
	}
	return row[lb];
}

const char *gemp_text_nearest(const char *word, const char *const *names, size_t count)
{
	const char *best = NULL;
	size_t least = 1 + strlen(word) / 3;
	for (size_t i = 0; i < count; i++) {
		size_t d = distance(word, names[i]);
		if (d <= least && (!best || d < least)) {
			best = names[i];
			least = d;
		}
	}
	return best;
}
