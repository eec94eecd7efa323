/* import_dict: parses an entry of a FreeDict dictionary into a headword and its translations.
 *
 * The headword is the first line up to ` /`, ` <` or ` [`, and the text within its first < > is the grammar. If the
 * second line begins with `1. `, the lines that begin with 1., 2., 3. and so on hold the translations of the senses 1,
 * 2, 3 and so on. Otherwise the second line holds all translations. If parentheses enclose the second line, or the text
 * after a number, the translations are on the following line.
 *
 * Translations are separated by commas outside brackets. Notes in [ ] and { } before a translation are removed, and so
 * is everything from ` <`, ` [`, ` /` or ` {` on. A number at the end of a line counts explanations and is removed,
 * too. All other lines are explanations, notes, synonyms and references. */

#ifndef GEMP_IO_IMPORT_IMPORT_DICT_H
#define GEMP_IO_IMPORT_IMPORT_DICT_H

#include "core/status.h"
#include "io/text/cells.h"

#include <stddef.h>
#include <stdint.h>

typedef struct gemp_translation {
	gemp_slice word;
	int64_t sense; /* number of the sense, from 1; 0: the entry has no numbered senses */
} gemp_translation;

typedef struct gemp_dict_entry {
	gemp_slice headword, grammar; /* grammar has size 0 if the entry has none */
	size_t count, capacity;
	gemp_translation *translations; /* [count] distinct words, each with its first sense */
} gemp_dict_entry;

/* Replaces the content of the entry, which is {0} at first. The entry borrows the text. GEMP_EDATA: the text has no
 * headword. */
gemp_code gemp_dict_entry_read(gemp_dict_entry *entry, const char *text, size_t size);
void gemp_dict_entry_free(gemp_dict_entry *entry);

#endif
