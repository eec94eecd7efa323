/* pattern: what is asked for. Host only.
 *
 * Text, a named shape or a query-graph file becomes a gemp_pattern: vertices, edges, conditions in negation normal
 * form split into conjuncts, and what to return. Labels, `{k: literal}` and WHERE are all conditions, so that there is
 * one way to test them. Names are resolved against a graph by gemp_pattern_bind.
 */
#ifndef GEMP_PATTERN_PATTERN_H
#define GEMP_PATTERN_PATTERN_H

#include "core/scratch.h"
#include "graph/graph.h"

enum { GEMP_MAX_PATTERN_VERTICES = 32, GEMP_MAX_PATTERN_EDGES = 64 };

typedef enum gemp_semantics { GEMP_ISO, GEMP_EDGE_ISO, GEMP_HOM, GEMP_INDUCED } gemp_semantics;
typedef enum gemp_distinct { GEMP_BY_ORBIT, GEMP_BY_SUBGRAPH, GEMP_BY_VERTICES, GEMP_BY_NOTHING } gemp_distinct;

typedef enum gemp_expr_kind {
	GEMP_LITERAL,     /* value */
	GEMP_VERTEX,      /* variable: a vertex itself */
	GEMP_EDGE,        /* variable: an edge itself; of_edge */
	GEMP_COLUMN,      /* column: a value column of WITH, by item; in what follows WITH only */
	GEMP_ATTRIBUTE,   /* variable.name; edges' attributes have of_edge */
	GEMP_KEY,         /* id(variable) */
	GEMP_LABELS,      /* labels(variable): a list */
	GEMP_TYPE,        /* type(variable) of an edge */
	GEMP_DEGREE,      /* COUNT { (variable)-[:names]->() }: made by bind of a GEMP_COUNT_OF that is no more than that */
	GEMP_EXISTS,      /* sub: pattern->subs[sub] has a match; children: GEMP_VERTEX, the outer vertices that are its given
	                     vertices 0, 1, ...; never unknown */
	GEMP_COUNT_OF,    /* COUNT { ... }: how many embeddings it has; children as above */
	GEMP_HAS_LABEL,   /* variable has any of names[] */
	GEMP_EQ, GEMP_NE, GEMP_LT, GEMP_LE, GEMP_GT, GEMP_GE, /* children[0] op children[1]; on elements only EQ, NE */
	GEMP_CONTAINS, GEMP_STARTS_WITH, GEMP_ENDS_WITH,
	GEMP_MATCHES,     /* =~: PCRE2, the whole string; children[1] is a literal */
	GEMP_IN,          /* children[0] among children[1..] */
	GEMP_IS_NULL, GEMP_IS_NOT_NULL,
	GEMP_ADD, GEMP_SUBTRACT, GEMP_MULTIPLY, GEMP_DIVIDE, GEMP_REMAINDER, GEMP_NEGATE,
	GEMP_LOWER, GEMP_UPPER, GEMP_SIZE,
	GEMP_AND, GEMP_OR, /* any number of children */
	GEMP_XOR,         /* two children; normalisation leaves none */
	GEMP_NOT,         /* after normalisation only above a leaf; is true iff the leaf is known to be false */
	GEMP_COUNT_STAR,
	GEMP_COUNT, GEMP_SUM, GEMP_MIN, GEMP_MAX, GEMP_AVG, GEMP_COLLECT, /* aggregates of children[0]; distinct */
} gemp_expr_kind;

typedef struct gemp_expr {
	gemp_expr_kind kind;
	int line, column;          /* where it began in the text, from 1 */
	int variable;              /* index of vertex or edge (after WITH: of its item that is one); -1 if none */
	bool of_edge;              /* variable is an edge */
	char *name;                /* of an attribute; owned */
	int attribute;             /* bound: column of graph->attributes; -1: no vertex has it and --lenient allows that */
	gemp_type type;            /* bound: what the value is if it is not NULL */
	bool nothing;              /* bound: NULL in every row, which goes with every type */
	size_t item;               /* GEMP_COLUMN: of WITH */
	size_t sub;                /* GEMP_EXISTS, GEMP_COUNT_OF: index in the pattern's subs */
	bool distinct;             /* aggregates: DISTINCT */
	int direction;             /* GEMP_DEGREE: 0 out, 1 in, 2 either; relations as below */
	size_t relation_count;     /* bound, GEMP_DEGREE: of the graph */
	bool *relations;           /* bound, GEMP_DEGREE: [relation_count] counted; owned */
	struct gemp_regex *regex;  /* bound, GEMP_MATCHES: compiled; owned */
	size_t name_count;
	char **names;              /* of labels (GEMP_DEGREE: of types); owned */
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
	bool free;  /* need not differ from others under iso: within a path of variable length, or given and spoken of by
	               conditions alone */
} gemp_pattern_vertex;

typedef struct gemp_pattern_edge {
	char *name;               /* NULL: anonymous */
	int from, to;             /* pattern vertices */
	gemp_direction direction;
	uint32_t least, most;     /* length of a path `*least..most`; of an edge 1, 1 */
	bool path;                /* written with `*`, also where least = most = 1 */
	size_t type_count;        /* 0: any relation */
	char **types;             /* owned */
	bool *relations;          /* bound: [graph->relation_count] true where allowed */
	int line, column;
} gemp_pattern_edge;

typedef struct gemp_return_item {
	gemp_expr *expr;          /* owned */
	char *name;               /* column name shown: the text as written, or its alias; owned */
} gemp_return_item;

typedef struct gemp_sort {
	size_t item;              /* of the same clause, a shown or a hidden one */
	bool descending;
} gemp_sort;

/* WITH or RETURN. Expressions of WITH (of RETURN, if there is no WITH) speak of the pattern's variables; those of a RETURN
 * after WITH speak of the items of WITH: a vertex or edge item by `variable` = its index (so that its attributes can be
 * asked for), others by GEMP_COLUMN. Items [shown, item_count) are there for ORDER BY alone. A clause with an aggregate
 * in some item groups by the items without one; an aggregate may stand within an expression (count(m) + 1). */
typedef struct gemp_clause {
	bool distinct, grouped;
	size_t item_count, shown;
	gemp_return_item *items;
	gemp_expr *where;         /* WITH ... WHERE, in normal form, of the items of this WITH as a RETURN after it; NULL: none */
	size_t order_count;
	gemp_sort *orders;
	bool has_skip, has_limit;
	uint64_t skip, limit;
} gemp_clause;

/* A pattern; a whole query; or what stands within EXISTS, COUNT or OPTIONAL MATCH of another (then its vertices [0, given)
 * are vertices of the outer one, and it has neither clauses nor optionals).
 *
 * Distinctness (iso, edge-iso) holds within one pattern, its given vertices among it, not across patterns. */
typedef struct gemp_pattern {
	char *text;                    /* as given; owned */
	char *file;                    /* that text came from; NULL: the command line; owned */
	bool simple;                   /* --pattern: the simple undirected graph; edges have no types */
	size_t vertex_count, edge_count, condition_count;
	size_t given;                  /* vertices [0, given) come from outside */
	gemp_pattern_vertex *vertices; /* by first appearance, given ones first */
	gemp_pattern_edge *edges;      /* by first appearance */
	gemp_condition *conditions;
	size_t sub_count;
	struct gemp_pattern **subs;    /* of EXISTS and COUNT in the conditions and clauses; owned */
	size_t optional_count;
	struct gemp_optional *optionals; /* OPTIONAL MATCH, in order */
	gemp_clause *with;             /* NULL: none; owned */
	gemp_clause result;            /* RETURN; none given: every named vertex (all, if none is named) */
	bool returns_given;            /* there is a RETURN: what it tells apart is not exchangeable */
	size_t told;                   /* a rule's: items of the first clause that are told apart by their places, the first ones */
	size_t relation_count;         /* of the graph bound to; 0 before */
} gemp_pattern;

/* OPTIONAL MATCH. The row of a match is the pattern's vertices, then the new ones of each optional in order; edges
 * likewise. Variables of clauses and of `outer` are numbered so. */
typedef struct gemp_optional {
	gemp_pattern *pattern;    /* owned */
	int *outer;               /* [pattern->given] vertices of the row; owned */
	int first_vertex;         /* of the row: of the pattern's vertex `given` */
	int first_edge;
} gemp_optional;

/* Vertices and edges of a row: of the pattern and all its optionals. */
size_t gemp_pattern_row_vertices(const gemp_pattern *pattern);
size_t gemp_pattern_row_edges(const gemp_pattern *pattern);
/* The clause that speaks of the pattern's variables: WITH, or RETURN if there is none. */
const gemp_clause *gemp_pattern_first_clause(const gemp_pattern *pattern);

/* PARTS that no edge joins. */
struct gemp_text;
/* part[v] becomes the number of the connected part of vertex v; returns how many parts there are. */
int gemp_pattern_parts(const gemp_pattern *pattern, int part[GEMP_MAX_PATTERN_VERTICES]);
/* "the pattern falls into 2 parts, (a, b) and (c): ..." */
void gemp_pattern_print_parts(const gemp_pattern *pattern, const int *part, int parts, struct gemp_text *out);

/* --param NAME=VALUE: typed values for $NAME. */
typedef struct gemp_query_parameter {
	const char *name;
	gemp_value value; /* strings borrowed */
} gemp_query_parameter;

/* Reads `name=value` or `name:type=value`, type string, int, float or bool. Without a type the value is an integer, a
 * float, true, false or null if it is written as one, and else a string; 'quotes' make any value a string. Errors are
 * GEMP_EUSAGE and name --param. The name and strings belong to the parameter: gemp_query_parameter_free. */
gemp_code gemp_query_parameter_read(gemp_query_parameter *out, const char *text);
void gemp_query_parameter_free(gemp_query_parameter *parameter);

/* openCypher-shaped text. Errors are GEMP_EUSAGE with line:column, the line and a caret. `file` is NULL for a
 * query given on the command line. */
gemp_code gemp_pattern_parse(gemp_pattern **out, const char *text, const char *file);
/* The same with values for $parameters; one that the text does not use is an error too. */
gemp_code gemp_pattern_parse_with(gemp_pattern **out, const char *text, const char *file,
                                  const gemp_query_parameter *parameters, size_t parameter_count);
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
/* lenient: a label, type or attribute that the graph does not have matches nothing, or is NULL, with a warning. */
gemp_code gemp_pattern_bind_with(gemp_pattern *pattern, const gemp_graph *graph, bool lenient);

/* The documented normal form, for people and for comparison; owned by the caller. */
char *gemp_expr_text(const gemp_expr *expr, const gemp_pattern *pattern);

/* How an expression learns of a match: value(context, expr) gives what an attribute, key or literal is worth;
 * vertex(context, variable) the id of a vertex, edge(...) the number of an edge; label_set(...) the set of a
 * vertex. Three-valued inside.
 *
 * value: of GEMP_COLUMN, GEMP_ATTRIBUTE, GEMP_KEY, GEMP_LABELS, GEMP_TYPE, GEMP_DEGREE, GEMP_COUNT_OF, and of GEMP_EXISTS (a
 * boolean); NULL where an element is missing. element: UINT64_MAX, and label_set: UINT32_MAX, where OPTIONAL MATCH found none. */
typedef struct gemp_scope {
	void *context;
	gemp_value (*value)(void *context, const gemp_expr *expr);
	uint64_t (*element)(void *context, int variable, bool edge);
	uint32_t (*label_set)(void *context, int variable);
} gemp_scope;

/* What an expression is worth; strings that it makes live in scratch. What cannot be computed (an integer beyond 64 bits, an
 * integer divided by zero, a regular expression that does not end) is GEMP_EDATA. */
gemp_code gemp_expr_value(const gemp_expr *expr, const gemp_scope *scope, gemp_scratch *scratch, gemp_value *out);
gemp_code gemp_expr_test(const gemp_expr *expr, const gemp_scope *scope, gemp_scratch *scratch, bool *is_true);
bool gemp_expr_is_true(const gemp_expr *expr, const gemp_scope *scope); /* also false where it cannot be computed */

#endif
