/* locality: how far from a change of the graph the matches of a rule are that the change can make or break.
 *
 * A match has a role for each vertex that its rule refers to: the pattern's vertices, those of OPTIONAL MATCH and of
 * conditions, and the other ends of edges that are counted. One vertex of the pattern is its anchor, and paths of role
 * edges lead from the anchor to all other roles. Every change of a step is marked at vertices: new vertices, vertices
 * with changed labels or attributes, and the ends of edges that are new, deleted or changed. If a changed element has a
 * role in a match, of the graph before or after, then a marked vertex has a role that `starts`, or lies within a path
 * that `changes`. The role edges from there to the anchor, in the newer graph, lead to the match: the first edge on the
 * way that was deleted has a marked end, too.
 */

#ifndef GEMP_TRANSFORM_INCREMENTAL_LOCALITY_H
#define GEMP_TRANSFORM_INCREMENTAL_LOCALITY_H

#include "pattern/model/rule.h"

/* The rules whose updates can have changed the graph. */
typedef struct gemp_influence {
	const gemp_rule_set *rules;
	const bool *applied; /* [rules->count] rules that have been applied; NULL: all */
} gemp_influence;

typedef struct gemp_role_edge {
	int from, to; /* roles */
	bool either;  /* in both directions */
	bool path;
	unsigned max_edges;    /* of a path; else 1 */
	bool changes;          /* updates can have changed edges that it stands for */
	int pattern;           /* that has the edge; only roles that are new in this pattern are reached by it */
	const bool *relations; /* [graph->relation_count] borrowed from the rule */
} gemp_role_edge;

typedef struct gemp_role {
	int pattern;       /* in which the role is new */
	unsigned distance; /* from the anchor */
	int parent_edge;   /* the role edge that leads here; -1: this is the anchor */
	bool reads;        /* updates can have changed a label or attribute of its vertex that the rule reads */
	bool starts;       /* a mark at its vertex can affect the match */
} gemp_role;

typedef struct gemp_locality {
	const char
		*global;   /* why a change anywhere can make or break a match; NULL: changes are local, and all below is set */
	int anchor;    /* role, and vertex of the pattern; no automorphism moves it */
	size_t column; /* of the pattern's RETURN, which has the anchor */
	unsigned radius;       /* edges from the anchor to the farthest mark that can affect the match */
	unsigned max_distance; /* to the farthest role */
	size_t role_count, role_capacity;
	gemp_role *roles; /* [role_count] first the vertices of rows, in their order */
	size_t edge_count, edge_capacity;
	gemp_role_edge *edges; /* [edge_count] */
} gemp_locality;

/* Local. influence->rules->rules[index] is bound to the graph. Nothing to free after an error. */
gemp_code gemp_locality_find(gemp_locality *out, const gemp_influence *influence, size_t index,
                             gemp_semantics semantics);
void gemp_locality_free(gemp_locality *locality);

/* The end of an edge that is nearer to the anchor. */
int gemp_locality_nearer_end(const gemp_locality *locality, const gemp_role_edge *edge);

#endif
