/* locality: a change of the graph can make or break only matches near the change. This module determines for a rule how
 * far away such a match can be.
 *
 * A match has a role for each vertex that its rule refers to. These are the vertices of the pattern, of OPTIONAL MATCH
 * and of conditions, and the other ends of counted edges. One vertex of the pattern is its anchor. Paths of role edges
 * lead from the anchor to all other roles.
 *
 * Every change of a step marks vertices: new vertices, vertices with changed labels or attributes, and the source and
 * target of new, deleted or changed edges. If a changed element has a role in a match of the old or the new graph, then
 * a marked vertex has a role with `starts`, or lies within a path with `changes`. The role edges from this vertex to
 * the anchor lead to the match in the new graph. If an edge on the way was deleted, the end of the first such edge is
 * also marked. */

#ifndef GEMP_TRANSFORM_INCREMENTAL_LOCALITY_H
#define GEMP_TRANSFORM_INCREMENTAL_LOCALITY_H

#include "pattern/model/rule.h"

/* The rules whose updates can have changed the graph. */
typedef struct gemp_influence {
	const gemp_rule_set *rules;
	const bool *applied; /* [rules->count] true for applied rules; NULL: all rules */
} gemp_influence;

typedef struct gemp_role_edge {
	int from, to; /* the roles of the two ends */
	bool either;  /* the edge is followed in both directions */
	bool path;
	unsigned max_edges;    /* maximal length of a path; 1 for an edge */
	bool changes;          /* updates can have changed the edges that match this role edge */
	int pattern;           /* the pattern with this edge; the edge leads only to roles that are new in this pattern */
	const bool *relations; /* [graph->relation_count] borrowed from the rule */
} gemp_role_edge;

typedef struct gemp_role {
	int pattern;       /* the pattern in which the role is new */
	unsigned distance; /* distance from the anchor */
	int parent_edge;   /* the role edge on the path from the anchor to this role; -1: this is the anchor */
	bool reads;        /* updates can have changed a label or attribute that the rule reads at this vertex */
	bool starts;       /* a mark at the vertex of this role can affect the match */
} gemp_role;

typedef struct gemp_locality {
	/* the reason why a change anywhere can make or break a match; NULL: changes are local, and all following
	 * members are set */
	const char *global;
	int anchor;            /* the role and the pattern vertex of the anchor; no automorphism moves it */
	size_t column;         /* the column of the pattern's RETURN with the anchor */
	unsigned radius;       /* distance from the anchor to the farthest mark that can affect the match */
	unsigned max_distance; /* distance from the anchor to the farthest role */
	size_t role_count, role_capacity;
	gemp_role *roles; /* [role_count]; the first roles are the vertices of rows, in their order */
	size_t edge_count, edge_capacity;
	gemp_role_edge *edges; /* [edge_count] */
} gemp_locality;

/* Local. influence->rules->rules[index] must be bound to the graph. After an error there is nothing to free. */
gemp_code gemp_locality_find(gemp_locality *out, const gemp_influence *influence, size_t index,
                             gemp_semantics semantics);
void gemp_locality_free(gemp_locality *locality);

/* Returns the end of an edge that is nearer to the anchor. */
int gemp_locality_nearer_end(const gemp_locality *locality, const gemp_role_edge *edge);

#endif
