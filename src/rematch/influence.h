/* influence: what the rules that have been applied can have changed, told by their updates alone. */
#ifndef GEMP_REMATCH_INFLUENCE_H
#define GEMP_REMATCH_INFLUENCE_H

#include "pattern/rule.h"

typedef struct gemp_influence {
	const gemp_rules *rules;
	const bool *applied; /* [rules->count]; NULL: all of them */
} gemp_influence;

/* Edges of one of these types (count 0: of any) have come or gone, or have other attributes. */
bool gemp_influences_edges(const gemp_influence *influence, char *const *types, size_t count);
/* A label, or an attribute, of vertices that were there before. */
bool gemp_influences_label(const gemp_influence *influence, const char *name);
bool gemp_influences_attribute(const gemp_influence *influence, const char *name);
/* There are new vertices. */
bool gemp_influences_vertices(const gemp_influence *influence);

#endif
