/* pattern: what is asked for. Host only.
 *
 * Text, a named shape or a query-graph file becomes a gemp_pattern: vertices, edges, conditions in negation normal
 * form split into conjuncts, and what to return. Labels, `{k: literal}` and WHERE are all conditions, so that there is
 * one way to test them. Names are resolved against a graph by gemp_pattern_bind.
 */
#ifndef GEMP_PATTERN_PATTERN_H
#define GEMP_PATTERN_PATTERN_H

#include "graph/graph.h"

enum { GEMP_MAX_PATTERN_VERTICES = 32, GEMP_MAX_PATTERN_EDGES = 64 };

typedef enum gemp_semantics { GEMP_ISO, GEMP_EDGE_ISO, GEMP_HOM, GEMP_INDUCED } gemp_semantics;
typedef enum gemp_distinct { GEMP_BY_ORBIT, GEMP_BY_SUBGRAPH, GEMP_BY_VERTICES, GEMP_BY_NOTHING } gemp_distinct;

typedef enum gemp_expr_kind {
	GEMP_LITERAL,     /* value */
	GEMP_VERTEX,      /* variable: a vertex itself */
	GEMP_EDGE,        /* variable: an edge itself */
	GEMP_ATTRIBUTE,   /* variable.name; edges' attributes have of_edge */
	GEMP_KEY,         /* id(variable) */
	GEMP_HAS_LABEL,   /* variable has any of names[] */
	GEMP_EQ, GEMP_NE, GEMP_LT, GEMP_LE, GEMP_GT, GEMP_GE, /* children[0] op children[1]; on vertices only EQ, NE */
	GEMP_CONTAINS, GEMP_STARTS_WITH, GEMP_ENDS_WITH,
	GEMP_IN,          /* children[0] in the literals children[1..] */
	GEMP_IS_NULL, GEMP_IS_NOT_NULL,
	GEMP_AND, GEMP_OR, /* any number of children */
	GEMP_NOT,         /* after normalisation only above a leaf; is true iff the leaf is known to be false */
	GEMP_COUNT_STAR,
} gemp_expr_kind;

typedef struct gemp_expr {
	gemp_expr_kind kind;
	int line, column;          /* where it began in the text, from 1 */
	int variable;              /* index of vertex or edge; -1 if none */
	bool of_edge;              /* variable is an edge */
	char *name;                /* of an attribute; owned */
	int attribute;             /* bound: column of graph->attributes; -1: no vertex has it and --lenient allows that */
	size_t name_count;
	char **names;              /* of labels; owned */
	size_t label_set_count;    /* bound, GEMP_HAS_LABEL: of the graph */
	bool *label_sets;          /* bound, GEMP_HAS_LABEL: [label_set_count] true where the set has one of names */
	gemp_value value;          /* literal; a string's bytes are owned by the expression */
	size_t count;
	struct gemp_expr **children; /* [count], owned */
} gemp_expr;

/* One conjunct: true for a match, or the match is dropped. In normal form (normal.c): literals stand right of
 * comparisons, IN lists are sorted and have no NULL. A pattern that nothing can match has the condition `false` (a
 * GEMP_LITERAL, boolean) on vertex 0; beside that a literal is never a condition. */
typedef struct gemp_condition {
	gemp_expr *expr;   /* owned */
	uint64_t vertices; /* bit v: uses pattern vertex v */
	uint64_t edges;    /* bit e: uses pattern edge e */
} gemp_condition;

typedef enum gemp_direction { GEMP_OUT, GEMP_EITHER } gemp_direction; /* `<-[]-` is turned round */

typedef struct gemp_pattern_vertex {
	char *name; /* NULL: anonymous */
} gemp_pattern_vertex;

typedef struct gemp_pattern_edge {
	char *name;               /* NULL: anonymous */
	int from, to;             /* pattern vertices */
	gemp_direction direction;
	size_t type_count;        /* 0: any relation */
	char **types;             /* owned */
	bool *relations;          /* bound: [graph->relation_count] true where allowed */
	int line, column;
} gemp_pattern_edge;

typedef struct gemp_return_item {
	gemp_expr *expr; /* GEMP_VERTEX, GEMP_EDGE, GEMP_ATTRIBUTE, GEMP_KEY, GEMP_COUNT_STAR; owned */
	char *name;      /* column name shown: the text as written, or its alias; owned */
} gemp_return_item;

typedef struct gemp_pattern {
	char *text;                    /* as given; owned */
	char *file;                    /* that text came from; NULL: the command line; owned */
	bool simple;                   /* --pattern: the simple undirected graph; edges have no types */
	size_t vertex_count, edge_count, condition_count, return_count;
	gemp_pattern_vertex *vertices; /* by first appearance */
	gemp_pattern_edge *edges;      /* by first appearance */
	gemp_condition *conditions;
	gemp_return_item *returns;     /* no RETURN: every named vertex (all, if none is named) */
	bool returns_given;            /* there is a RETURN: what it tells apart is not exchangeable */
	bool has_limit;
	uint64_t limit;
	size_t relation_count;         /* of the graph bound to; 0 before */
} gemp_pattern;

/* openCypher-shaped text. Errors are GEMP_EUSAGE with line:column, the line and a caret. `file` is NULL for a
 * query given on the command line. */
gemp_code gemp_pattern_parse(gemp_pattern **out, const char *text, const char *file);
/* triangle | cycle:N | clique:N | path:N (N vertices) | star:N (N leaves) | diamond | house | edges:0-1,1-2,... */
gemp_code gemp_pattern_named(gemp_pattern **out, const char *name);
/* Lines `t n m`, `v id label degree`, `e u v`; label_format ("L%d") makes a label's name of its number. */
gemp_code gemp_pattern_query_graph(gemp_pattern **out, const char *path, const char *label_format);
void gemp_pattern_free(gemp_pattern *pattern);

/* Resolve names; an unknown label, type or attribute is GEMP_EUSAGE with the place and near names. Conditions that
 * compare what cannot be equal (a string attribute and a number) give a warning and are folded, so that all that
 * stay compare like with like; the conditions are in normal form again. Once for a pattern: its folded conditions
 * belong to this graph. */
gemp_code gemp_pattern_bind(gemp_pattern *pattern, const gemp_graph *graph);

/* The documented normal form, for people and for comparison; owned by the caller. */
char *gemp_expr_text(const gemp_expr *expr, const gemp_pattern *pattern);

/* Is the condition true for a match? value(context, expr) gives what an attribute, key or literal is worth;
 * vertex(context, variable) the id of a vertex, edge(...) the number of an edge; label_set(...) the set of a
 * vertex. Three-valued inside. */
typedef struct gemp_scope {
	void *context;
	gemp_value (*value)(void *context, const gemp_expr *expr);
	uint64_t (*element)(void *context, int variable, bool edge);
	uint32_t (*label_set)(void *context, int variable);
} gemp_scope;
bool gemp_expr_is_true(const gemp_expr *expr, const gemp_scope *scope);

#endif
