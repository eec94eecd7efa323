/* footprint: what a match of a rule reads, adds to and writes, told by the rule: for each row of matches the same list
 * of touches, with the row's elements, and with the neighbours of those whose edges go.
 *
 * A match reads its vertices and edges, and what conditions and values ask about them. What cannot be told by the row
 * (an edge of a negative condition that hangs on no matched vertex, matches that a row stands for) is read as a
 * whole: all edges of a relation, an attribute of all vertices. Of the touches only those are kept that can conflict
 * with one another.
 */
#ifndef GEMP_CHOICE_FOOTPRINT_H
#define GEMP_CHOICE_FOOTPRINT_H

#include "choice/tokens.h"
#include "comm/comm.h"
#include "pattern/rule_columns.h"
#include "query/frame.h"

#define GEMP_ANY_RELATION SIZE_MAX

/* What a trace is about, of the element in its column. */
typedef enum gemp_trace_at {
	GEMP_AT_ELEMENT,   /* that itself */
	GEMP_AT_SOURCES,   /* of a vertex: the sources of edges into it */
	GEMP_AT_TARGETS,   /* of a vertex: the targets of edges out of it */
	GEMP_AT_SOURCE,    /* of an edge: its source */
	GEMP_AT_TARGET,
} gemp_trace_at;

typedef struct gemp_trace_of_rule {
	size_t column;   /* of the rows, whose element it is; GEMP_NO_COLUMN: of all */
	uint32_t aspect; /* what of it */
	gemp_touch touch;
	gemp_trace_at at;
	size_t relation; /* of the graph: of these edges; GEMP_ANY_RELATION */
	uint64_t seat;   /* of the aspect's first element */
} gemp_trace_of_rule;

typedef struct gemp_footprint {
	size_t count, capacity;
	gemp_trace_of_rule *traces; /* [count] */
	uint64_t seats;             /* of all aspects */
} gemp_footprint;

/* The rule is bound to no graph: what this one lacks would not be seen to be read. */
gemp_code gemp_footprint_new(gemp_footprint *out, const gemp_rule *rule, const gemp_graph *graph, bool induced);
void gemp_footprint_free(gemp_footprint *footprint);
/* Collective. Of the rows whose choice[row] is 0. The caller frees. */
gemp_code gemp_footprint_tokens(gemp_tokens *out, const gemp_comm *comm, gemp_graph *graph,
                                const gemp_footprint *footprint, const gemp_frame *frame, const uint8_t *choice);

#endif
