/* named_pattern: shapes by name, as --pattern gives them.
 *
 * The result is a pattern of the simple undirected graph: edges have no types, and vertices have neither names nor
 * conditions.
 */

#ifndef GEMP_PATTERN_SHAPES_NAMED_PATTERN_H
#define GEMP_PATTERN_SHAPES_NAMED_PATTERN_H

#include "pattern/model/pattern.h"

/* triangle | cycle:N | clique:N | path:N (N vertices) | star:N (N leaves) | diamond | house | edges:0-1,1-2,... */
gemp_code gemp_pattern_named(gemp_pattern **out, const char *name);

#endif
