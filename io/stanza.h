/* stanza: files of Debian's control syntax, paragraphs of `Field: value` with continued lines, read by all ranks
 * together.
 *
 * Stanzas are separated by blank lines. One belongs to the rank in whose byte range the blank line before it begins
 * (the first one to rank 0), which reads beyond its range to the stanza's end.
 */
#ifndef GEMP_IO_STANZA_H
#define GEMP_IO_STANZA_H

#include "core/text.h"
#include "io/lines.h"

enum { GEMP_STANZA_FIELDS = 32 };

typedef struct gemp_stanza {
	size_t count;
	const char *const *names;            /* [count] fields that are kept, in any case */
	gemp_text values[GEMP_STANZA_FIELDS]; /* [count] continued lines joined by a blank; "" and absent are alike */
	uint64_t line;                        /* of its first line */
} gemp_stanza;

void gemp_stanza_free(gemp_stanza *stanza);

/* Errors with neither file nor line. */
typedef gemp_code gemp_visit_stanza(void *self, const gemp_stanza *stanza);

/* Collective. Visits this rank's stanzas of a file opened by gemp_lines_open; `stanza` says which fields are kept, and
 * is room. Errors name file and line (of the stanza, if `visit` fails); all ranks return alike. */
gemp_code gemp_stanza_visit(gemp_stanza *stanza, const gemp_lines *lines, const gemp_comm *comm,
                            gemp_visit_stanza *visit, void *self);

#endif
