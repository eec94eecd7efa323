/* read_write_set: what a match of a rule reads, adds to and writes, derived from the rule alone.
 *
 * The set is a list of accesses, the same for every row of matches. An access names a column, whose element in the row
 * gives the slot, or all elements of an aspect. A match reads its vertices and edges, and everything that its
 * conditions and values read of them. Where a row does not determine the elements (the edges of a negative condition
 * that touch no matched vertex, the matches that a row stands for), the aspect is read as a whole: all edges of a
 * relation, an attribute of all vertices. Accesses that cannot conflict with any other access of the rule are dropped.
 */

#ifndef GEMP_TRANSFORM_CONFLICTS_READ_WRITE_SET_H
#define GEMP_TRANSFORM_CONFLICTS_READ_WRITE_SET_H

#include "graph/graph.h"
#include "pattern/model/rule.h"

typedef enum gemp_access { GEMP_READS, GEMP_ADDS, GEMP_WRITES, GEMP_ACCESSES } gemp_access;

#define GEMP_ANY_RELATION SIZE_MAX

/* Where the slot of an access lies, relative to the element in its column. */
typedef enum gemp_access_at {
	GEMP_AT_ELEMENT, /* the element itself */
	GEMP_AT_SOURCES, /* of a vertex: the sources of edges into it */
	GEMP_AT_TARGETS, /* of a vertex: the targets of edges out of it */
	GEMP_AT_SOURCE,  /* of an edge: its source */
	GEMP_AT_TARGET,
} gemp_access_at;

typedef struct gemp_rule_access {
	size_t column;   /* of the rows, which has the element; GEMP_NO_COLUMN: all elements */
	uint32_t aspect; /* of the element: aspects have disjoint ranges of slots */
	gemp_access access;
	gemp_access_at at;
	size_t relation; /* of the graph, if `at` is not the element: only edges of it; GEMP_ANY_RELATION */
	uint64_t slot;   /* of the aspect's first element */
} gemp_rule_access;

typedef struct gemp_rw_set {
	size_t count, capacity;
	gemp_rule_access *accesses; /* [count] */
	uint64_t slots;             /* of all aspects together */
} gemp_rw_set;

/* The rule must not be bound to a graph: names that this graph lacks would vanish from conditions, although
 * another match may create them. */
gemp_code gemp_rw_set_new(gemp_rw_set *out, const gemp_rule *rule, const gemp_shard *graph, bool induced);
void gemp_rw_set_free(gemp_rw_set *rw_set);

#endif
