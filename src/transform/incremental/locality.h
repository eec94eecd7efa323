/* locality: how far from a change of the graph the matches of a rule are that it can make or break.
 *
 * A match has a role for each vertex that its rule speaks of: the pattern's vertices, those of OPTIONAL MATCH and of
 * conditions, and the other ends of edges that are counted. One role of the pattern is its anchor, and from the anchor
 * ways along role edges lead to all others. Whatever a step changes is marked at vertices: those that are new, those
 * whose labels or attributes were changed, and the ends of edges that came, went or were changed. Where such a thing
 * has a role in a match, in either graph, a marked vertex has a role that `starts`, or lies within a path that
 * `changes`, and the way from there to the anchor, in the newer graph, leads to the match: the first edge on it that is
 * lost has a marked end, too.
 */

#ifndef GEMP_TRANSFORM_INCREMENTAL_LOCALITY_H
#define GEMP_TRANSFORM_INCREMENTAL_LOCALITY_H

#include "pattern/model/rule.h"

/* influence: what the rules that have been applied can have changed, told by their updates alone. */

typedef struct gemp_influence {
	const gemp_rule_set *rules;
	const bool *applied; /* [rules->count]; NULL: all of them */
} gemp_influence;

typedef struct gemp_role_edge {
	int from, to; /* roles */
	bool either;  /* in both directions */
	bool path;
	unsigned max_edges;    /* edges of a path; else 1 */
	bool changes;          /* edges that it stands for can have changed */
	int pattern;           /* the pattern that it is an edge of: only roles that are new in this have it as their way */
	const bool *relations; /* [graph->relation_count]; borrowed from the rule */
} gemp_role_edge;

typedef struct gemp_role {
	int pattern;       /* the pattern that it is new in */
	unsigned distance; /* from the anchor */
	int parent_edge;   /* the role edge that leads there; -1: none, it is the anchor */
	bool reads;        /* what it reads of its vertex can have changed */
	bool starts;       /* a mark at its vertex matters */
} gemp_role;

typedef struct gemp_locality {
	const char *global;    /* why a change anywhere can make or break a match; NULL: it cannot, and then: */
	int anchor;            /* role and vertex of the pattern; no automorphism moves it */
	size_t column;         /* of the pattern's RETURN, which has it */
	unsigned radius;       /* edges from the anchor to the farthest mark that matters */
	unsigned max_distance; /* to the farthest role */
	size_t role_count, role_capacity;
	gemp_role *roles; /* the first ones are the vertices of rows */
	size_t edge_count, edge_capacity;
	gemp_role_edge *edges;
} gemp_locality;

/* rules->rules[index], of the influence, is bound to the graph. */
gemp_code gemp_locality_find(gemp_locality *out, const gemp_influence *influence, size_t index,
                             gemp_semantics semantics);
void gemp_locality_free(gemp_locality *locality);

/* The end of an edge that is nearer to the anchor. */
int gemp_locality_nearer_end(const gemp_locality *locality, const gemp_role_edge *edge);

#endif
