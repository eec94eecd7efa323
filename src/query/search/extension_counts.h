/* extension_counts: the number of extensions of each row, by one search from the distinct tuples of the rows' outer
 * vertices (search/correlate.h). The counts return to the rows. */

#ifndef GEMP_QUERY_SEARCH_EXTENSION_COUNTS_H
#define GEMP_QUERY_SEARCH_EXTENSION_COUNTS_H

#include "graph/batch.h"
#include "query/search/finder.h"

/* Collective. counts[rows->rows] become the numbers of matches of the finder's pattern that extend the rows. The
 * vertices outer[width] of a row are the pattern's arguments; a row that lacks one of them has none. vertices: of the
 * graph. */
gemp_code gemp_extension_counts(uint64_t *counts, gemp_finder *finder, gemp_runtime *context, uint64_t vertices,
                                const gemp_row_store *rows, const int *outer, size_t width);

#endif
