#include "core/text.h"

#include "core/memory.h"
#include "core/types.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* One byte more than requested, for the final 0. */
static bool reserve_bytes(gemp_text *text, size_t added)
{
	if (!text->failed && GEMP_RESERVE(text->data, text->capacity, text->size + added + 1) != GEMP_OK)
		text->failed = true;
	return !text->failed;
}

/* The data always end in a 0, so they can be printed as a C string. */
void gemp_text_add(gemp_text *text, const void *bytes, size_t size)
{
	if (!reserve_bytes(text, size))
		return;
	if (size)
		memcpy(text->data + text->size, bytes, size);
	text->size += size;
	text->data[text->size] = '\0';
}

/* Prints into the free space first, and again after growing only if the text was cut off. Most lines are thus formatted
 * once. */
void gemp_text_print(gemp_text *text, const char *format, ...)
{
	va_list arguments, arguments_copy;
	va_start(arguments, format);
	va_copy(arguments_copy, arguments);
	const size_t available = text->data && !text->failed ? text->capacity - text->size : 0;
	const int size = vsnprintf(available ? text->data + text->size : NULL, available, format, arguments);
	va_end(arguments);
	if (size >= 0 && reserve_bytes(text, (size_t)size)) {
		if ((size_t)size >= available) /* the text was cut off */
			vsnprintf(text->data + text->size, (size_t)size + 1, format, arguments_copy);
		text->size += (size_t)size;
	} else {
		text->failed = true; /* vsnprintf cannot print 2 GiB or more */
		if (available)
			text->data[text->size] = '\0';
	}
	va_end(arguments_copy);
}

/* Reads in chunks, since a pipe has no size. Adding 0 bytes at the end gives an empty file a text that can be
 * printed. */
gemp_code gemp_text_read(gemp_text *text, FILE *file, const char *path)
{
	char chunk[4096];
	size_t size;
	do {
		size = fread(chunk, 1, sizeof chunk, file);
		gemp_text_add(text, chunk, size);
	} while (size > 0);
	return ferror(file) ? gemp_fail(GEMP_EIO, "%s: %s", path, strerror(errno)) : gemp_text_status(text);
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

/* Compares the common length with memcmp; a prefix comes before the longer text. */
int gemp_compare_bytes(const char *a, size_t a_size, const char *b, size_t b_size)
{
	size_t common = gemp_min(a_size, b_size);
	int order = common ? memcmp(a, b, common) : 0;
	return order ? order : (a_size > b_size) - (a_size < b_size);
}

/* Optimal string alignment (Damerau 1964): Levenshtein's distance in which two exchanged neighbours are one edit. Three
 * rows of the table suffice; words count up to 63 characters. */
size_t gemp_text_edits(const char *a, const char *b)
{
	enum { MAX_WORD = 63 };
	size_t rows[3][MAX_WORD + 1], b_length = strnlen(b, MAX_WORD), *row = rows[0];
	for (size_t j = 0; j <= b_length; j++)
		row[j] = j;
	for (size_t i = 1; i <= MAX_WORD && a[i - 1]; i++) {
		const size_t *last = rows[(i - 1) % 3], *before = rows[(i + 1) % 3];
		row = rows[i % 3];
		row[0] = i;
		for (size_t j = 1; j <= b_length; j++) {
			const int x = tolower((unsigned char)a[i - 1]), y = tolower((unsigned char)b[j - 1]);
			row[j] = gemp_min(gemp_min(last[j], row[j - 1]) + 1, last[j - 1] + (x != y));
			if (i > 1 && j > 1 && x == tolower((unsigned char)b[j - 2]) && y == tolower((unsigned char)a[i - 2]))
				row[j] = gemp_min(row[j], before[j - 2] + 1);
		}
	}
	return row[b_length];
}

/* Allows 1 + length / 3 edits for a word of that length, so that unrelated names are not suggested. */
const char *gemp_text_nearest(const char *word, const char *const *names, size_t count)
{
	const char *best = NULL;
	size_t min_edits = 1 + strlen(word) / 3;
	for (size_t i = 0; i < count; i++) {
		size_t edits = gemp_text_edits(word, names[i]);
		if (edits <= min_edits && (!best || edits < min_edits)) {
			best = names[i];
			min_edits = edits;
		}
	}
	return best;
}

/* Removes blanks at both ends, in place. */
static char *trim(char *text)
{
	while (isspace((unsigned char)*text))
		text++;
	size_t size = strlen(text);
	while (size && isspace((unsigned char)text[size - 1]))
		text[--size] = '\0';
	return text;
}

/* A # inside a word belongs to the value, since paths and names may contain a #. */
static void cut_comment(char *line)
{
	for (char *at = line; *at; at++)
		if (*at == '#' && (at == line || isspace((unsigned char)at[-1]))) {
			*at = '\0';
			return;
		}
}

/* Cuts the line in place. `place` ("path:line") begins every message. */
static gemp_code parse_line(const char *place, char *line, const char *kind, gemp_settings_handler take, void *self)
{
	cut_comment(line);
	char *name = trim(line), *equals = strchr(name, '=');
	if (!*name)
		return GEMP_OK;
	if (!equals)
		return gemp_fail(GEMP_EUSAGE, "%s: expected `%s = value`, found '%s'", place, kind, name);
	*equals = '\0';
	name = trim(name);
	char *value = trim(equals + 1);
	if (!*name || !*value)
		return gemp_fail(GEMP_EUSAGE, "%s: expected `%s = value`, found no %s", place, kind, *name ? "value" : "name");
	return take(self, place, name, value);
}

/* Copies each line, because parse_line changes it and the caller's text is constant. */
gemp_code gemp_settings_parse(const char *path, const char *text, const char *kind, gemp_settings_handler take,
                              void *self)
{
	gemp_code code = GEMP_OK;
	for (size_t number = 1; *text && code == GEMP_OK; number++) {
		size_t size = strcspn(text, "\n");
		GEMP_OWNED_BY(gemp_text_free) gemp_text place = { 0 };
		GEMP_OWNED char *line = gemp_strndup(text, size);
		gemp_text_print(&place, "%s:%zu", path, number);
		code = line ? gemp_text_status(&place) : GEMP_ENOMEM;
		GEMP_THEN(parse_line(place.data, line, kind, take, self));
		text += size + (text[size] == '\n');
	}
	return code;
}
