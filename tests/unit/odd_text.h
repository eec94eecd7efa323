/* odd_text: random texts of a language that are mostly wrong, made from a seed, and a check of the errors that they
 * cause. */
#ifndef GEMP_TESTS_ODD_TEXT_H
#define GEMP_TESTS_ODD_TEXT_H

#include "harness/harness.h"

#include "core/random.h"
#include "core/status.h"
#include "core/text.h"

#include <stdio.h>
#include <string.h>

static inline const char *odd_piece(uint64_t *seed, const char *const *pieces, size_t count)
{
	return pieces[gemp_random_below(seed, count)];
}

static inline void odd_insert(gemp_text *text, size_t at, const char *piece)
{
	gemp_text tail = { 0 };
	gemp_text_print(&tail, "%s%s", piece, text->data + at);
	text->data[text->size = at] = '\0';
	gemp_text_print(text, "%s", tail.data);
	gemp_text_free(&tail);
}

static inline void odd_drop(gemp_text *text, size_t at)
{
	memmove(text->data + at, text->data + at + 1, text->size-- - at);
}

/* Composes up to 20 pieces, in three cases of four after a valid beginning. */
static inline void odd_compose(uint64_t *seed, gemp_text *text, const char *start, const char *const *pieces,
                               size_t pieces_count)
{
	size_t count = 1 + gemp_random_below(seed, 20);
	gemp_text_print(text, "%s", gemp_random_below(seed, 4) ? start : "");
	for (size_t i = 0; i < count; i++)
		gemp_text_print(text, "%s", odd_piece(seed, pieces, pieces_count));
}

/* An error names a position in the text ("query:1:7: "), shows that line and has a caret below it. */
static inline void odd_check_error(gemp_code code, const char *what, const char *text)
{
	int line, column, read = 0;
	size_t name = strlen(what);
	const char *whole = text;
	if (code != GEMP_EUSAGE || strncmp(gemp_message(), what, name) != 0 ||
	    sscanf(gemp_message() + name, ":%d:%d: %n", &line, &column, &read) != 2 || read == 0)
		fail_msg("%s: code %d: %s", whole, (int)code, gemp_message());
	for (; line > 1; line--) {
		text = strchr(text, '\n');
		assert_non_null(text);
		text++;
	}
	size_t length = 0;
	for (; *text && *text != '\n'; text++)
		length += (*text & 0xC0) != 0x80;
	assert_in_range(column, 1, length + 1);
	assert_non_null(strrchr(gemp_message(), '\n'));
	assert_int_equal(gemp_message()[strlen(gemp_message()) - 1], '^');
	assert_null(strstr(gemp_message(), "syntax error"));
}

#endif
