/* build: how a pattern is put together. Internal to src/pattern. */
#ifndef GEMP_PATTERN_BUILD_H
#define GEMP_PATTERN_BUILD_H

#include "pattern/pattern.h"

/* Without vertices; text is copied, file too unless NULL. */
gemp_code gemp_pattern_new(gemp_pattern **out, const char *text, const char *file);

/* name NULL: anonymous. GEMP_EUSAGE, "the pattern has more than ...", without a place, beyond the limits. */
gemp_code gemp_pattern_add_vertex(gemp_pattern *pattern, const char *name, int *index);
gemp_code gemp_pattern_add_edge(gemp_pattern *pattern, const char *name, int from, int to, gemp_direction direction);

/* Takes *expr; text (of `size` bytes) is copied. */
gemp_code gemp_pattern_add_return(gemp_pattern *pattern, gemp_expr **expr, const char *text, size_t size);
/* What is returned where nothing is said: every named vertex, or all as v0, v1, ... if none is named. */
gemp_code gemp_pattern_return_vertices(gemp_pattern *pattern);

/* An empty WITH. */
gemp_code gemp_pattern_add_with(gemp_pattern *pattern);

#endif
