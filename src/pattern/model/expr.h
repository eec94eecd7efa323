/* expr: the expression tree of conditions, columns and ORDER BY, and the table of functions. Internal to src/pattern.
 *
 * A node has a kind, the variable or name to which it refers, and children [count]. The comments beside gemp_expr_kind
 * and beside the fields say which fields a kind uses. Binding fills in the fields marked `bound`. A node owns its
 * children, names, tables and the bytes of a literal string. Regular expressions are shared by reference count. */

#ifndef GEMP_PATTERN_MODEL_EXPR_H
#define GEMP_PATTERN_MODEL_EXPR_H

#include "core/memory.h"
#include "graph/column.h"
#include "pattern/model/string_function.h"

/* The kinds of one group are contiguous, so that a switch can name them as a range, as in case GEMP_EQ ... GEMP_GE. The
 * comment beside a kind names the fields that the kind uses. */
typedef enum gemp_expr_kind {
	GEMP_LITERAL,   /* value */
	GEMP_VERTEX,    /* variable: a vertex itself */
	GEMP_EDGE,      /* variable: an edge itself; of_edge */
	GEMP_COLUMN,    /* item: a value column of WITH; only in clauses after WITH */
	GEMP_ATTRIBUTE, /* variable.name; of_edge is true for an attribute of an edge */
	GEMP_KEY,       /* id(variable) */
	GEMP_LABELS,    /* labels(variable): a list */
	GEMP_TYPE,      /* type(variable) of an edge */
	GEMP_DEGREE,    /* COUNT { (variable)-[:names]->() }; binding makes a GEMP_DEGREE of such a GEMP_COUNT_OF */
	GEMP_EXISTS, /* sub: pattern->subs[sub] has a match; children: GEMP_VERTEX, the outer vertices that are its arguments
	                     vertices 0, 1, ...; never unknown */
	GEMP_COUNT_OF,  /* COUNT { ... }: the number of embeddings of pattern->subs[sub]; children as for GEMP_EXISTS */
	GEMP_HAS_LABEL, /* variable has at least one of names[] */
	GEMP_EQ,
	GEMP_NE,
	GEMP_LT,
	GEMP_LE,
	GEMP_GT,
	GEMP_GE, /* children[0] op children[1]; vertices and edges have only EQ and NE */
	GEMP_CONTAINS,
	GEMP_STARTS_WITH,
	GEMP_ENDS_WITH,
	GEMP_MATCHES, /* =~ of PCRE2, which must match the whole string; children[1] is a literal */
	GEMP_IN,      /* children[0] is equal to one of children[1..] */
	GEMP_IS_NULL,
	GEMP_IS_NOT_NULL,
	GEMP_ADD,
	GEMP_SUBTRACT,
	GEMP_MULTIPLY,
	GEMP_DIVIDE,
	GEMP_REMAINDER,
	GEMP_NEGATE,
	GEMP_LOWER,
	GEMP_UPPER,
	GEMP_SIZE,
	GEMP_AND,
	GEMP_OR,  /* any number of children */
	GEMP_XOR, /* two children; the normal form has no XOR */
	GEMP_NOT, /* in the normal form only above a leaf; true exactly if the leaf is false, and not unknown */
	GEMP_COUNT_STAR,
	GEMP_COUNT,
	GEMP_SUM,
	GEMP_MIN,
	GEMP_MAX,
	GEMP_AVG,
	GEMP_COLLECT, /* aggregates of children[0]; they use distinct */
} gemp_expr_kind;

typedef struct gemp_expr {
	gemp_expr_kind kind;
	int line, column; /* where the expression begins in the text, from 1 */
	/* index of a vertex or edge (after WITH: index of an item that is a vertex or edge); -1: none */
	int variable;
	bool of_edge;             /* true if variable is an edge */
	char *name;               /* name of an attribute; owned */
	int attribute;            /* bound: column of graph->attributes; -1: no vertex has the attribute (--lenient) */
	gemp_type type;           /* bound: type of the value if the value is not NULL */
	bool always_null;         /* bound: the value is NULL in every row, so it is compatible with every type */
	size_t item;              /* GEMP_COLUMN: index of an item of WITH */
	size_t sub;               /* GEMP_EXISTS, GEMP_COUNT_OF: index in the pattern's subs */
	bool distinct;            /* aggregates: DISTINCT is given */
	int direction;            /* GEMP_DEGREE: 0 out, 1 in, 2 either */
	size_t relation_count;    /* bound, GEMP_DEGREE: number of the graph's relations */
	bool *relations;          /* bound, GEMP_DEGREE: [relation_count] true for relations whose edges count; owned */
	struct gemp_regex *regex; /* bound, GEMP_MATCHES: the compiled expression; owned */
	size_t name_count;
	char **names;           /* labels, or for GEMP_DEGREE edge types; owned */
	size_t label_set_count; /* bound, GEMP_HAS_LABEL: number of the graph's label sets */
	bool *label_sets;       /* bound, GEMP_HAS_LABEL: [label_set_count] true if the set has one of names */
	gemp_value value;       /* GEMP_LITERAL: the value; a string's bytes are owned */
	size_t count;
	struct gemp_expr **children; /* [count], owned */
} gemp_expr;

gemp_code gemp_expr_new(gemp_expr **out, gemp_expr_kind kind, int line, int column);
/* These functions make an operator with `count` children, all NULL; a vertex or an edge; and a literal, which takes the
 * bytes of a string. After a failure the caller frees *out, which may be incomplete. */
gemp_code gemp_expr_new_operator(gemp_expr **out, gemp_expr_kind kind, size_t count, int line, int column);
gemp_code gemp_expr_new_element(gemp_expr **out, int variable, bool edge, int line, int column);
gemp_code gemp_expr_new_literal(gemp_expr **out, gemp_value value, int line, int column);
void gemp_expr_free(gemp_expr *expr); /* expr may be NULL */
GEMP_RELEASE(gemp_expr_free, gemp_expr *)
/* Turns the expression into a literal at the same place of the text and frees its operands. Takes the bytes of a
 * string. */
void gemp_expr_set_literal(gemp_expr *expr, gemp_value value);
/* Makes a deep copy, with the bound fields. */
gemp_code gemp_expr_copy(gemp_expr **out, const gemp_expr *expr);

/* Allocates `count` children, all NULL. */
gemp_code gemp_expr_children(gemp_expr *expr, size_t count);

bool gemp_expr_is_literal(const gemp_expr *expr);
bool gemp_expr_has_literals_only(const gemp_expr *expr);      /* true if all children are literals */
bool gemp_expr_is_element(const gemp_expr *expr);             /* true for a vertex or an edge itself */
bool gemp_expr_is_boolean(const gemp_expr *expr, bool truth); /* true for the literal `truth` */

/* A total order, which returns 0 for equal expressions. Places in the text are not compared. */
int gemp_expr_compare(const gemp_expr *a, const gemp_expr *b);

/* Adds the pattern vertices and edges that the expression uses to the two sets. */
void gemp_expr_uses(const gemp_expr *expr, uint64_t *vertices, uint64_t *edges);

/* For AND and OR: the children of a child of the same kind become children of expr. */
gemp_code gemp_expr_flatten(gemp_expr *expr);

bool gemp_expr_is_aggregate(const gemp_expr *expr);
bool gemp_expr_has_aggregate(const gemp_expr *expr); /* true if expr, or an expression within it, is an aggregate */
bool gemp_expr_is_subpattern(const gemp_expr *expr); /* true for EXISTS { } and COUNT { } */
bool gemp_expr_has_subpattern(const gemp_expr *expr);

/* A function of the language. gemp_function_find ignores the case of the name and returns NULL if there is no such
 * function. */
typedef struct gemp_function {
	const char *name;
	gemp_expr_kind kind;
	bool of_variable; /* true if the argument is a vertex or an edge */
	bool aggregate;
} gemp_function;
const gemp_function *gemp_function_find(const char *name);
const char *gemp_function_name(gemp_expr_kind kind); /* returns NULL if the kind is not a function */

/* Lists of names (labels, types), which the caller owns. After a failure the caller frees *count names. */
gemp_code gemp_names_copy(char ***out, size_t *count, char *const *names, size_t name_count);
void gemp_names_free(char **names, size_t count);

#endif
