/* pattern: what a query searches for and returns. Host only.
 *
 * Query text, a named shape or a query-graph file becomes a gemp_pattern: vertices [vertex_count], edges [edge_count],
 * conditions [condition_count] in normal form split into conjuncts, and the clauses WITH and RETURN. Labels, `{k:
 * literal}` and WHERE are all conditions, so that there is one way to test them. Vertices and edges are numbered by
 * first appearance, and sets of them are 64-bit words. gemp_pattern_bind resolves names against a graph.
 */

#ifndef GEMP_PATTERN_MODEL_PATTERN_H
#define GEMP_PATTERN_MODEL_PATTERN_H

#include "core/memory.h"
#include "pattern/model/expr.h"

/* As --semantics and --distinct call them. */
extern const char *const gemp_semantics_name[], *const gemp_distinct_name[];

enum { GEMP_MAX_PATTERN_VERTICES = 32, GEMP_MAX_PATTERN_EDGES = 64 };

/* Sets of pattern vertices or edges are words of 64 bits. */
#define GEMP_BIT(i) (UINT64_C(1) << (i))

/* One conjunct: a match is dropped unless it is true. Conjuncts are in normal form (condition/normal_form.h): literals
 * stand right of comparisons, IN lists are sorted and have no NULL. A pattern that nothing can match has the condition
 * `false` (a GEMP_LITERAL, boolean) on vertex 0; no other literal is a condition. */
typedef struct gemp_condition {
	gemp_expr *expr;   /* owned */
	uint64_t vertices; /* bit v: uses pattern vertex v */
	uint64_t edges;    /* bit e: uses pattern edge e */
} gemp_condition;

typedef enum gemp_direction { GEMP_OUT, GEMP_EITHER } gemp_direction; /* `<-[]-` is stored with its ends exchanged */

typedef struct gemp_pattern_vertex {
	char *name; /* NULL: anonymous */
	/* The vertex may have the image of another vertex even under iso: it lies within a path of variable length, or it
	 * is an argument that only conditions use. */
	bool repeatable;
} gemp_pattern_vertex;

typedef struct gemp_pattern_edge {
	char *name;   /* NULL: anonymous */
	int from, to; /* pattern vertices */
	gemp_direction direction;
	uint32_t min_hops, max_hops; /* length of a path `*min..max`; of an edge 1, 1 */
	bool path;                   /* written with `*`, also where min = max = 1 */
	size_t type_count;           /* 0: any relation */
	char **types;                /* owned */
	bool *relations;             /* bound: [graph->relation_count] true where allowed */
	int line, column;
} gemp_pattern_edge;

typedef struct gemp_return_item {
	gemp_expr *expr; /* owned */
	char *name;      /* column name shown: the text as written, or its alias; owned */
} gemp_return_item;

typedef struct gemp_sort_item {
	size_t item; /* of the same clause, a shown or a hidden one */
	bool descending;
} gemp_sort_item;

/* WITH or RETURN. Expressions of WITH (of RETURN, if there is no WITH) use the pattern's variables. Expressions of a
 * RETURN after WITH use the items of WITH: a vertex or edge item by `variable` = its index (so that its attributes can
 * be read), other items by GEMP_COLUMN. Only ORDER BY uses items [shown, item_count). A clause with an aggregate in
 * some item groups by the items without an aggregate; an aggregate may stand within an expression (count(m) + 1). */
typedef struct gemp_clause {
	bool distinct, grouped;
	size_t item_count, shown;
	gemp_return_item *items;
	gemp_expr
		*where; /* WITH ... WHERE, in normal form; uses the items of this WITH, like a RETURN after it; NULL: none */
	size_t order_count;
	gemp_sort_item *orders;
	bool has_skip, has_limit;
	uint64_t skip, limit;
} gemp_clause;

/* A whole query, or a pattern within EXISTS, COUNT or OPTIONAL MATCH of another (then its vertices [0, arguments) are
 * vertices of the outer one, and it has neither clauses nor optionals).
 *
 * Distinctness (iso, edge-iso) holds within one pattern, its arguments included, not across patterns. */
typedef struct gemp_pattern {
	char *text;  /* as given; owned */
	char *file;  /* that text came from; NULL: the command line; owned */
	bool simple; /* --pattern: the simple undirected graph; edges have no types */
	size_t vertex_count, edge_count, condition_count;
	size_t arguments;              /* vertices [0, arguments) come from outside */
	gemp_pattern_vertex *vertices; /* by first appearance, arguments first */
	gemp_pattern_edge *edges;      /* by first appearance */
	gemp_condition *conditions;
	size_t sub_count;
	struct gemp_pattern **subs; /* of EXISTS and COUNT in the conditions and clauses; owned */
	size_t optional_count;
	struct gemp_optional *optionals; /* OPTIONAL MATCH, in order */
	gemp_clause *with;               /* NULL: none; owned */
	gemp_clause result;              /* RETURN; none given: every named vertex (all, if none is named) */
	bool has_return;                 /* there is a RETURN: elements that it distinguishes are not exchangeable */
	size_t fixed_items; /* of a rule: the first items of the first clause, which are distinguished by their position */
	size_t relation_count; /* of the graph bound to; 0 before */
} gemp_pattern;

/* OPTIONAL MATCH. The row of a match is the pattern's vertices, then the new ones of each optional in order; edges
 * likewise. Variables of clauses and of `outer` are numbered so. */
typedef struct gemp_optional {
	gemp_pattern *pattern; /* owned */
	int *outer;            /* [pattern->arguments] vertices of the row; owned */
	int first_vertex;      /* number in the row of the pattern's vertex `arguments` */
	int first_edge;
} gemp_optional;

/* Vertices and edges of a row: of the pattern and all its optionals. */
size_t gemp_pattern_row_vertices(const gemp_pattern *pattern);
size_t gemp_pattern_row_edges(const gemp_pattern *pattern);
/* The OPTIONAL MATCH that adds vertex or edge `variable` to the row; the variable is not one of the pattern itself. */
const struct gemp_optional *gemp_pattern_optional_of(const gemp_pattern *pattern, int variable, bool edge);
/* Edge e of a row. */
const gemp_pattern_edge *gemp_pattern_row_edge(const gemp_pattern *pattern, size_t e);
/* The name of a vertex or edge of a row; NULL: anonymous. */
const char *gemp_pattern_row_name(const gemp_pattern *pattern, int variable, bool edge);
bool gemp_pattern_has_paths(const gemp_pattern *pattern); /* paths of variable length */
/* Does an edge of the pattern join two of its vertices, in either direction? */
bool gemp_pattern_joins(const gemp_pattern *pattern, int a, int b);
/* The clause whose expressions use the pattern's variables: WITH, or RETURN if there is none. */
const gemp_clause *gemp_pattern_first_clause(const gemp_pattern *pattern);

/* PARTS that no edge joins. */
/* part[v] becomes the number of the connected part of vertex v; returns how many parts there are. */
int gemp_pattern_components(const gemp_pattern *pattern, int part[GEMP_MAX_PATTERN_VERTICES]);
/* "the pattern falls into 2 parts, (a, b) and (c): ..." */
void gemp_pattern_print_components(const gemp_pattern *pattern, const int *part, int parts, gemp_text *out);

/* GEMP_EUSAGE, "PREFIX: the pattern falls into ...", unless edges join all vertices. */
gemp_code gemp_pattern_check_connected(const gemp_pattern *pattern, const char *prefix);

void gemp_pattern_free(gemp_pattern *pattern);
GEMP_RELEASE(gemp_pattern_free, gemp_pattern *)
/* For asserts: counts are within the limits, and ends and conditions refer to elements of the pattern. */
bool gemp_pattern_is_valid(const gemp_pattern *pattern);

/* BUILDING. Internal to src/pattern. */

/* Without vertices; text is copied, file too unless NULL. */
gemp_code gemp_pattern_new(gemp_pattern **out, const char *text, const char *file);

/* name NULL: anonymous. GEMP_EUSAGE, "the pattern has more than ...", without a place, beyond the limits. */
gemp_code gemp_pattern_add_vertex(gemp_pattern *pattern, const char *name, int *index);
gemp_code gemp_pattern_add_edge(gemp_pattern *pattern, const char *name, int from, int to, gemp_direction direction);

/* Takes *expr; name (of `size` bytes) is copied. The first adds an item that is not shown yet. */
gemp_code gemp_clause_add_item(gemp_clause *clause, gemp_expr **expr, const char *name, size_t size);
gemp_code gemp_pattern_add_return(gemp_pattern *pattern, gemp_expr **expr, const char *text, size_t size);
/* The default RETURN: every named vertex, or all as v0, v1, ... if none is named. */
gemp_code gemp_pattern_return_vertices(gemp_pattern *pattern);

#endif
