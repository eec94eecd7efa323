/* marks: a set of numbers below a bound, sparse or dense: pages of bits that are there once something in them is
 * marked. */
#ifndef GEMP_IO_MARKS_H
#define GEMP_IO_MARKS_H

#include "core/status.h"

#include <stddef.h>
#include <stdint.h>

typedef struct gemp_marks {
	uint64_t bound;
	size_t page_count;
	uint64_t **pages; /* [page_count]; NULL: nothing is marked there */
	uint64_t count;   /* of marked numbers */
} gemp_marks;

#define GEMP_NO_MARK UINT64_MAX

gemp_code gemp_marks_new(gemp_marks *out, uint64_t bound);
void gemp_marks_free(gemp_marks *marks); /* takes {0} */
gemp_code gemp_marks_add(gemp_marks *marks, uint64_t number);
/* The first marked number from `from` on; GEMP_NO_MARK if there is none. */
uint64_t gemp_marks_next(const gemp_marks *marks, uint64_t from);

#endif
