/* text: growing byte strings, for messages, rows of output and kernel source.
 *
 * {0} is an empty text. After the first addition, data[size] is a final 0, which `size` does not count. A failed
 * addition sets `failed`, and later additions do nothing, so a long series of additions is checked once, at its end. */

#ifndef GEMP_CORE_TEXT_H
#define GEMP_CORE_TEXT_H

#include "core/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct gemp_text {
	char *data; /* [capacity]; NULL before the first addition */
	size_t size, capacity;
	bool failed;
} gemp_text;

void gemp_text_add(gemp_text *text, const void *bytes, size_t size);
void gemp_text_print(gemp_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void gemp_text_clear(gemp_text *text); /* keeps the memory */
void gemp_text_free(gemp_text *text);
/* Adds the remainder of the file. path is the name in messages. GEMP_EIO, GEMP_ENOMEM. */
gemp_code gemp_text_read(gemp_text *text, FILE *file, const char *path);
/* GEMP_ENOMEM if any addition failed. */
gemp_code gemp_text_status(const gemp_text *text);

/* Compares bytes: negative, 0 or positive. A prefix comes before the longer text. */
int gemp_compare_bytes(const char *a, size_t a_size, const char *b, size_t b_size);

/* The edit distance of two words, without regard to case; two exchanged letters are one edit. */
size_t gemp_text_edits(const char *a, const char *b);
/* Returns the name with the smallest edit distance from `word`, or NULL if no name is near. */
const char *gemp_text_nearest(const char *word, const char *const *names, size_t count);

/* Texts of `name = value` lines. # begins a comment at the start of a line or after a blank. The caller reads the file
 * and knows the names. */

/* Handles one setting, whose name and value are not empty. place is "path:line", for messages. Both texts may be
 * changed. */
typedef gemp_code (*gemp_settings_handler)(void *self, const char *place, char *name, char *value);

/* Stops at the first failure. GEMP_EUSAGE if a line has another form. kind is the word for a name in messages. */
gemp_code gemp_settings_parse(const char *path, const char *text, const char *kind, gemp_settings_handler take,
                              void *self);

#endif
