/* pattern: the pattern that a query searches for, and the columns that the query returns. Host only.
 *
 * Query text, a named shape or a query-graph file becomes a gemp_pattern. It has vertices [vertex_count], edges
 * [edge_count], conditions [condition_count] in normal form split into conjuncts, and the clauses WITH and RETURN.
 * Labels, `{k: literal}` and WHERE all become conditions, so that one evaluator tests them. Vertices and edges are
 * numbered by first appearance, and sets of them are 64-bit words. gemp_pattern_bind resolves names against a graph. */

#ifndef GEMP_PATTERN_MODEL_PATTERN_H
#define GEMP_PATTERN_MODEL_PATTERN_H

#include "core/memory.h"
#include "pattern/model/expr.h"

/* The names that --semantics and --distinct take. */
extern const char *const gemp_semantics_name[], *const gemp_distinct_name[];

enum { GEMP_MAX_PATTERN_VERTICES = 32, GEMP_MAX_PATTERN_EDGES = 64 };

/* Sets of pattern vertices or edges are words of 64 bits. */
#define GEMP_BIT(i) (UINT64_C(1) << (i))

/* One conjunct. A match is dropped if a conjunct is false or unknown. Conjuncts are in normal form
 * (condition/normal_form.h): literals are the right operands of comparisons, and IN lists are sorted and have no NULL.
 * A pattern that has no match in any graph has the condition `false` (a GEMP_LITERAL, boolean) on vertex 0; no other
 * literal is a condition. */
typedef struct gemp_condition {
	gemp_expr *expr;   /* owned */
	uint64_t vertices; /* bit v is set if the condition uses pattern vertex v */
	uint64_t edges;    /* bit e is set if the condition uses pattern edge e */
} gemp_condition;

typedef enum gemp_direction { GEMP_OUT, GEMP_EITHER } gemp_direction; /* `<-[]-` is stored with its ends exchanged */

typedef struct gemp_pattern_vertex {
	char *name; /* NULL: anonymous */
	/* Even under iso, the vertex may have the image of another vertex: it lies within a path of variable length, or it
	 * is an argument that only conditions use. */
	bool repeatable;
} gemp_pattern_vertex;

typedef struct gemp_pattern_edge {
	char *name;   /* NULL: anonymous */
	int from, to; /* pattern vertices */
	gemp_direction direction;
	uint32_t min_hops, max_hops; /* bounds of the length of a path `*min..max`; both are 1 for an edge */
	bool path;                   /* true if written with `*`, even if min = max = 1 */
	int match;                   /* number of its MATCH: under edge-iso only edges of one MATCH must differ */
	size_t type_count;           /* 0: any relation is allowed */
	char **types;                /* owned */
	bool *relations;             /* bound: [graph->relation_count] true for allowed relations */
	int line, column;
} gemp_pattern_edge;

typedef struct gemp_return_item {
	gemp_expr *expr; /* owned */
	char *name;      /* name of the column: the alias, or else the text as written; owned */
} gemp_return_item;

typedef struct gemp_sort_item {
	size_t item; /* index of a shown or hidden item of the same clause */
	bool descending;
} gemp_sort_item;

/* WITH or RETURN. Expressions of the first clause (WITH, or RETURN if there is no WITH) use the pattern's variables.
 * Expressions of a RETURN after WITH use the items of WITH. An item that is a vertex or edge is used by `variable` =
 * its index, so that its attributes can be read; other items are used by GEMP_COLUMN. Items [shown, item_count) are
 * hidden: only ORDER BY uses them. A clause with an aggregate in some item groups by the items without an aggregate. An
 * aggregate may be part of an expression (count(m) + 1). */
typedef struct gemp_clause {
	bool distinct, grouped;
	size_t item_count, shown;
	gemp_return_item *items;
	gemp_expr *where; /* WITH ... WHERE, in normal form; its variables are the items of this WITH; NULL: none */
	size_t order_count;
	gemp_sort_item *orders;
	bool has_skip, has_limit;
	uint64_t skip, limit;
} gemp_clause;

/* A whole query, or an inner pattern: the pattern within EXISTS, COUNT or OPTIONAL MATCH of another pattern. Vertices
 * [0, arguments) of an inner pattern are vertices of the outer pattern, and an inner pattern has neither clauses nor
 * optionals.
 *
 * Distinctness (iso, edge-iso) holds within one pattern, its arguments included. It does not hold between a pattern and
 * its inner patterns. */
typedef struct gemp_pattern {
	char *text;  /* the text of the query; owned */
	char *file;  /* name of the file with the text; NULL: the command line; owned */
	bool simple; /* from --pattern: the pattern refers to the simple undirected graph, and edges have no types */
	size_t vertex_count, edge_count, condition_count;
	size_t arguments;              /* vertices [0, arguments) are vertices of the outer pattern */
	gemp_pattern_vertex *vertices; /* [vertex_count] by first appearance, arguments first */
	gemp_pattern_edge *edges;      /* [edge_count] by first appearance */
	gemp_condition *conditions;
	size_t sub_count;
	struct gemp_pattern **subs; /* inner patterns of EXISTS and COUNT in the conditions and clauses; owned */
	size_t optional_count;
	struct gemp_optional *optionals; /* the OPTIONAL MATCHes in order */
	gemp_clause *with;               /* NULL: none; owned */
	/* RETURN; if the text has none, every named vertex (all vertices if none is named) */
	gemp_clause result;
	/* the text has several MATCH, or WITH between clauses, which mean one pattern */
	bool chained;
	/* the text has a RETURN, whose items can distinguish otherwise symmetric elements */
	bool has_return;
	/* of a rule: number of first items of the first clause, each of which is distinguished by its position */
	size_t fixed_items;
	size_t relation_count; /* number of relations of the bound graph; 0 before binding */
	/* binding refused operands of types that openCypher computes with, but a search does not */
	bool mixed_types;
} gemp_pattern;

/* One OPTIONAL MATCH. The row of a match has the pattern's vertices, then the new vertices of each optional in order.
 * Edges have the same order. The variables of clauses and of `outer` are numbers in this order. */
typedef struct gemp_optional {
	gemp_pattern *pattern; /* owned */
	int *outer;            /* [pattern->arguments] vertices of the row that are the arguments; owned */
	int first_vertex;      /* number in the row of the first new vertex, pattern->vertices[arguments] */
	int first_edge;
} gemp_optional;

/* Numbers of vertices and of edges in a row: those of the pattern and of all its optionals. */
size_t gemp_pattern_row_vertices(const gemp_pattern *pattern);
size_t gemp_pattern_row_edges(const gemp_pattern *pattern);
/* Returns the OPTIONAL MATCH that adds vertex or edge `variable` to the row. The variable must not belong to the
 * pattern itself. */
const struct gemp_optional *gemp_pattern_optional_of(const gemp_pattern *pattern, int variable, bool edge);
/* Returns edge e of a row. */
const gemp_pattern_edge *gemp_pattern_row_edge(const gemp_pattern *pattern, size_t e);
/* Returns the name of a vertex or edge of a row, or NULL if it is anonymous. */
const char *gemp_pattern_row_name(const gemp_pattern *pattern, int variable, bool edge);
bool gemp_pattern_has_paths(const gemp_pattern *pattern); /* true if the pattern has paths of variable length */
/* True if an edge of the pattern joins a and b, in either direction. */
bool gemp_pattern_joins(const gemp_pattern *pattern, int a, int b);
/* Returns the clause whose expressions use the pattern's variables: WITH, or RETURN if there is no WITH. */
const gemp_clause *gemp_pattern_first_clause(const gemp_pattern *pattern);

/* COMPONENTS, called parts in messages. */
/* Sets part[v] to the number of the connected component of vertex v, and returns the number of components. */
int gemp_pattern_components(const gemp_pattern *pattern, int part[GEMP_MAX_PATTERN_VERTICES]);
/* Appends "the pattern falls into 2 parts, (a, b) and (c)". */
void gemp_pattern_print_components(const gemp_pattern *pattern, const int *part, int parts, gemp_text *out);

/* Returns GEMP_EUSAGE, with the message "PREFIX: the pattern falls into ...", if the pattern is not connected. */
gemp_code gemp_pattern_check_connected(const gemp_pattern *pattern, const char *prefix);

void gemp_pattern_free(gemp_pattern *pattern);
GEMP_RELEASE(gemp_pattern_free, gemp_pattern *)
/* For asserts. True if counts are within the limits, and ends and conditions refer to elements of the pattern. */
bool gemp_pattern_is_valid(const gemp_pattern *pattern);

/* BUILDING. Internal to src/pattern. */

/* Makes a pattern without vertices. text and file are copied; file may be NULL. */
gemp_code gemp_pattern_new(gemp_pattern **out, const char *text, const char *file);

/* name is NULL for an anonymous element. Too many elements are GEMP_EUSAGE, with the message "the pattern has more than
 * ..." without a place. */
gemp_code gemp_pattern_add_vertex(gemp_pattern *pattern, const char *name, int *index);
gemp_code gemp_pattern_add_edge(gemp_pattern *pattern, const char *name, int from, int to, gemp_direction direction);

/* Takes *expr and copies name[size]. gemp_clause_add_item adds an item that is not shown yet. */
gemp_code gemp_clause_add_item(gemp_clause *clause, gemp_expr **expr, const char *name, size_t size);
gemp_code gemp_pattern_add_return(gemp_pattern *pattern, gemp_expr **expr, const char *text, size_t size);
/* Makes the default RETURN: every named vertex, or all vertices as v0, v1, ... if none is named. */
gemp_code gemp_pattern_return_vertices(gemp_pattern *pattern);

#endif
