/* The queries of the reference have a small neutral text form, which is equivalent to the program's query text:
 *
 *     query NAME
 *     simple                        the simple undirected graph, as --pattern NAME
 *     vertex a A|B                  a pattern vertex; labels after its name, one of which it must have
 *     edge e a b out T|U            a pattern edge from a to b: out or either; types after it
 *     where (and (gt a.x 3) (not (contains b.name "Jack")))
 *     return a b.x                  items of RETURN, which take part in automorphisms
 *     end
 *
 * Operators: and or not; eq ne lt le gt ge contains starts ends; in; isnull notnull; label (label a A B).
 * Operands: a variable, variable.attribute, 12, 0.5, "text", true, false, null.
 */
#ifndef REFERENCE_QUERY_H
#define REFERENCE_QUERY_H

#include "graph.h"

enum { REF_MAX_VERTICES = 16, REF_MAX_EDGES = 24, REF_MAX_CONDITIONS = 64, REF_MAX_RETURNS = 128 };

typedef enum {
	REF_LITERAL,
	REF_ELEMENT,
	REF_ATTRIBUTE,
	REF_LABEL,
	REF_AND,
	REF_OR,
	REF_NOT,
	REF_EQ,
	REF_NE,
	REF_LT,
	REF_LE,
	REF_GT,
	REF_GE,
	REF_CONTAINS,
	REF_STARTS,
	REF_ENDS,
	REF_IN,
	REF_ISNULL,
	REF_NOTNULL,
} ref_op;

typedef struct ref_expr {
	ref_op op;
	int variable; /* a point: a vertex, or V + an edge */
	char *name;   /* of an attribute */
	ref_value value;
	size_t count;
	struct ref_expr **children; /* of REF_LABEL: literals */
} ref_expr;

typedef struct {
	int from, to;
	bool either;
	size_t type_count; /* 0: any type */
	char **types;      /* sorted */
} ref_query_edge;

typedef struct {
	char name[128];
	bool simple;
	int vertex_count, edge_count;
	size_t condition_count, return_count;
	char *variables[REF_MAX_VERTICES + REF_MAX_EDGES]; /* by point: vertices, then edges */
	ref_query_edge edges[REF_MAX_EDGES];
	ref_expr *conditions[REF_MAX_CONDITIONS];
	ref_expr *returns[REF_MAX_RETURNS];
} ref_query;

/* The next query of `cursor`, NULL at the end; advances *cursor. */
ref_query *ref_query_next(char **cursor);
/* The condition in a normal form, with point p renamed to map[p]; equal texts mean equal conditions. */
char *ref_expr_text(const ref_query *query, const ref_expr *expr, const int *map);
/* Three-valued: 1 true, 0 false, -1 NULL. images[point] is a vertex or an edge of the graph. */
int ref_expr_truth(const ref_graph *graph, const ref_query *query, const ref_expr *expr, const uint32_t *images);
/* The points that the expression uses. */
uint64_t ref_expr_points(const ref_expr *expr);

#endif
