/* Queries of the reference have a small text form of their own, which is equivalent to the program's query text:
 *
 *     query NAME
 *     simple                        the simple undirected graph, as --pattern NAME
 *     vertex a A|B                  a pattern vertex and labels, one of which it must have
 *     edge e a b out T|U            a pattern edge from a to b, out or either, and its types
 *     where (and (gt a.x 3) (not (contains b.name "Jack")))
 *     return a b.x                  items of RETURN, which take part in automorphisms
 *     end
 *
 * Operators: and or not; eq ne lt le gt ge contains starts ends; in; isnull notnull; label (label a A B). Operands: a
 * variable, variable.attribute, 12, 0.5, "text", true, false, null. */
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
	int variable; /* a point: the number of a vertex, or REF_MAX_VERTICES + the number of an edge */
	char *name;   /* name of an attribute */
	ref_value value;
	size_t count;
	struct ref_expr **children; /* operands; of REF_LABEL: the element, then literals */
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
	char *variables[REF_MAX_VERTICES + REF_MAX_EDGES]; /* names by point: vertices, then edges */
	ref_query_edge edges[REF_MAX_EDGES];
	ref_expr *conditions[REF_MAX_CONDITIONS];
	ref_expr *returns[REF_MAX_RETURNS];
} ref_query;

/* Reads the next query at *cursor and advances *cursor. Returns NULL at the end. */
ref_query *ref_query_next(char **cursor);
/* Returns the condition in a normal form, with each point p renamed to map[p]. Equal texts mean equal conditions. */
char *ref_expr_text(const ref_query *query, const ref_expr *expr, const int *map);
/* Evaluates in three-valued logic: 1 is true, 0 false, -1 NULL. images[point] is a vertex or an edge of the graph. */
int ref_expr_truth(const ref_graph *graph, const ref_query *query, const ref_expr *expr, const uint32_t *images);
/* The set of the points that the expression uses. */
uint64_t ref_expr_points(const ref_expr *expr);

#endif
