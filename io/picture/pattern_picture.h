/* pattern_picture: draws the pattern of a query, with its conditions and the order in which a search binds its
 * vertices, as SVG, PNG or text for Graphviz. */

#ifndef GEMP_IO_PICTURE_PATTERN_PICTURE_H
#define GEMP_IO_PICTURE_PATTERN_PICTURE_H

#include "pattern/model/pattern.h"

/* GEMP_EUSAGE unless the path ends in .svg, .png or .dot. */
gemp_code gemp_pattern_picture_check(const char *path);

/* Local. order[order_count]: vertices of the pattern in the order in which a search binds them; the first is the pivot.
 * If the query has no single search, order_count is 0. The file gets its name when it is complete. */
gemp_code gemp_pattern_picture_write(const gemp_pattern *pattern, const int *order, size_t order_count,
                                     const char *path);

#endif
