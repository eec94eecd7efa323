/* ranges: loops over rows, shared among the cores of this rank in ranges of rows. */
#ifndef GEMP_CORE_RANGES_H
#define GEMP_CORE_RANGES_H

#include <stddef.h>

/* A range has as many rows as are worth a thread; there are not more than so many, so that what is kept of each is
 * little. */
enum { GEMP_RANGE_ROWS = 1 << 14, GEMP_MOST_RANGES = 256 };

/* body(context, range, begin, end): rows [begin, end) are range number `range`. */
typedef void gemp_range_body(void *context, size_t range, size_t begin, size_t end);

size_t gemp_ranges(size_t count); /* how many there are */
void gemp_for_ranges(size_t count, gemp_range_body *body, void *context);

#endif
