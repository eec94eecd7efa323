/* import_dict: an entry of a FreeDict dictionary as a headword and its translations.
 *
 * The first line is the headword, up to ` /`, ` <` or ` [`; what stands in the first < > is its grammar. Translations
 * are the second line, or where that begins with `1. ` all lines that begin with the next number; a line that is wholly
 * in parentheses there is passed over. They are separated by commas outside brackets; notes in [ ] and { } before and
 * whatever follows ` <`, ` [`, ` /` or ` {` are left out, as is a number at the end of a line (it counts explanations).
 * All other lines are explanations, notes, synonyms and references.
 */

#ifndef GEMP_IO_IMPORT_IMPORT_DICT_H
#define GEMP_IO_IMPORT_IMPORT_DICT_H

#include "core/status.h"
#include "io/text/cells.h"

#include <stddef.h>
#include <stdint.h>

typedef struct gemp_translation {
	gemp_slice word;
	int64_t sense; /* from 1; 0: the entry is not divided */
} gemp_translation;

typedef struct gemp_dict_entry {
	gemp_slice headword, grammar; /* grammar: size 0 if there is none */
	size_t count, capacity;
	gemp_translation *translations; /* [count] distinct words, each of its first sense */
} gemp_dict_entry;

/* Replaces what the entry held ({0}: nothing) and borrows the text. No headword is GEMP_EDATA. */
gemp_code gemp_dict_entry_read(gemp_dict_entry *entry, const char *text, size_t size);
void gemp_dict_entry_free(gemp_dict_entry *entry);

#endif
