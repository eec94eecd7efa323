/* read_write_set: lists what a match of a rule reads, adds to and writes. The list follows from the rule alone.
 *
 * The set is a list of accesses, which is the same for every row of matches. An access names a column, whose element in
 * the row determines the slot, or it names all elements of an aspect. A match reads its vertices and edges, and all
 * values of them that its conditions and expressions use. Sometimes a row does not determine the elements, for example
 * the edges of a negative condition that touch no matched vertex, or the matches that a row stands for. The match then
 * reads the whole aspect, such as all edges of a relation or an attribute of all vertices. Accesses that cannot
 * conflict with any access of the rule are dropped. */

#ifndef GEMP_TRANSFORM_CONFLICTS_READ_WRITE_SET_H
#define GEMP_TRANSFORM_CONFLICTS_READ_WRITE_SET_H

#include "graph/graph.h"
#include "pattern/model/rule.h"

typedef enum gemp_access { GEMP_READS, GEMP_ADDS, GEMP_WRITES, GEMP_ACCESSES } gemp_access;

#define GEMP_ANY_RELATION SIZE_MAX

/* The slot of an access, relative to the element in its column. */
typedef enum gemp_access_at {
	GEMP_AT_ELEMENT, /* the element itself */
	GEMP_AT_SOURCES, /* for a vertex: the sources of its incoming edges */
	GEMP_AT_TARGETS, /* for a vertex: the targets of its outgoing edges */
	GEMP_AT_SOURCE,  /* for an edge: its source */
	GEMP_AT_TARGET,
} gemp_access_at;

typedef struct gemp_rule_access {
	size_t column;   /* column of the rows with the element; GEMP_NO_COLUMN: all elements */
	uint32_t aspect; /* aspect of the element; aspects have disjoint ranges of slots */
	gemp_access access;
	gemp_access_at at;
	size_t relation; /* if `at` is not the element: only edges of this relation of the graph count; GEMP_ANY_RELATION */
	uint64_t slot;   /* slot of the aspect's first element */
} gemp_rule_access;

typedef struct gemp_rw_set {
	size_t count, capacity;
	gemp_rule_access *accesses; /* [count] */
	uint64_t slots;             /* number of slots of all aspects */
} gemp_rw_set;

/* The rule must not be bound to a graph. Binding removes names that this graph lacks from conditions, although another
 * match may create them. */
gemp_code gemp_rw_set_new(gemp_rw_set *out, const gemp_rule *rule, const gemp_shard *graph, bool induced);
void gemp_rw_set_free(gemp_rw_set *rw_set);

#endif
