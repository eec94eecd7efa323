/* expr: the expression tree of conditions, columns and ORDER BY, and the table of functions. Internal to src/pattern.
 *
 * A node has its kind, the variable or name it refers to, and children [count]; which fields a kind uses stands beside
 * gemp_expr_kind and the fields. Binding fills in the fields marked `bound`. A node owns its children, names, tables
 * and the bytes of a literal string; regular expressions are shared by reference count.
 */

#ifndef GEMP_PATTERN_MODEL_EXPR_H
#define GEMP_PATTERN_MODEL_EXPR_H

#include "core/memory.h"
#include "graph/column.h"
#include "pattern/model/string_function.h"

/* Kinds of one group stand together: a switch names them as a range, as in case GEMP_EQ ... GEMP_GE. */
typedef enum gemp_expr_kind {
	GEMP_LITERAL,   /* value */
	GEMP_VERTEX,    /* variable: a vertex itself */
	GEMP_EDGE,      /* variable: an edge itself; of_edge */
	GEMP_COLUMN,    /* item: a value column of WITH; in clauses behind WITH only */
	GEMP_ATTRIBUTE, /* variable.name; edges' attributes have of_edge */
	GEMP_KEY,       /* id(variable) */
	GEMP_LABELS,    /* labels(variable): a list */
	GEMP_TYPE,      /* type(variable) of an edge */
	GEMP_DEGREE,    /* COUNT { (variable)-[:names]->() }: bind makes it of such a GEMP_COUNT_OF */
	GEMP_EXISTS, /* sub: pattern->subs[sub] has a match; children: GEMP_VERTEX, the outer vertices that are its arguments
	                     vertices 0, 1, ...; never unknown */
	GEMP_COUNT_OF,  /* COUNT { ... }: the number of its embeddings; children as above */
	GEMP_HAS_LABEL, /* variable has any of names[] */
	GEMP_EQ,
	GEMP_NE,
	GEMP_LT,
	GEMP_LE,
	GEMP_GT,
	GEMP_GE, /* children[0] op children[1]; on elements only EQ, NE */
	GEMP_CONTAINS,
	GEMP_STARTS_WITH,
	GEMP_ENDS_WITH,
	GEMP_MATCHES, /* =~: PCRE2, the whole string; children[1] is a literal */
	GEMP_IN,      /* children[0] among children[1..] */
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
	GEMP_XOR, /* two children; normalisation leaves none */
	GEMP_NOT, /* after normalisation only above a leaf; is true iff the leaf is known to be false */
	GEMP_COUNT_STAR,
	GEMP_COUNT,
	GEMP_SUM,
	GEMP_MIN,
	GEMP_MAX,
	GEMP_AVG,
	GEMP_COLLECT, /* aggregates of children[0]; distinct */
} gemp_expr_kind;

typedef struct gemp_expr {
	gemp_expr_kind kind;
	int line, column;         /* where it began in the text, from 1 */
	int variable;             /* index of vertex or edge (after WITH: of its item that is one); -1 if none */
	bool of_edge;             /* variable is an edge */
	char *name;               /* of an attribute; owned */
	int attribute;            /* bound: column of graph->attributes; -1: no vertex has it and --lenient allows that */
	gemp_type type;           /* bound: what the value is if it is not NULL */
	bool always_null;         /* bound: NULL in every row, which goes with every type */
	size_t item;              /* GEMP_COLUMN: of WITH */
	size_t sub;               /* GEMP_EXISTS, GEMP_COUNT_OF: index in the pattern's subs */
	bool distinct;            /* aggregates: DISTINCT */
	int direction;            /* GEMP_DEGREE: 0 out, 1 in, 2 either; relations as below */
	size_t relation_count;    /* bound, GEMP_DEGREE: of the graph */
	bool *relations;          /* bound, GEMP_DEGREE: [relation_count] counted; owned */
	struct gemp_regex *regex; /* bound, GEMP_MATCHES: compiled; owned */
	size_t name_count;
	char **names;           /* of labels (GEMP_DEGREE: of types); owned */
	size_t label_set_count; /* bound, GEMP_HAS_LABEL: of the graph */
	bool *label_sets;       /* bound, GEMP_HAS_LABEL: [label_set_count] true where the set has one of names */
	gemp_value value;       /* literal; a string's bytes are owned by the expression */
	size_t count;
	struct gemp_expr **children; /* [count], owned */
} gemp_expr;

gemp_code gemp_expr_new(gemp_expr **out, gemp_expr_kind kind, int line, int column);
/* An operator with `count` children, all NULL; a vertex or edge; a literal, which takes the bytes of a string. After a
 * failure the caller frees *out, which may be incomplete. */
gemp_code gemp_expr_new_operator(gemp_expr **out, gemp_expr_kind kind, size_t count, int line, int column);
gemp_code gemp_expr_new_element(gemp_expr **out, int variable, bool edge, int line, int column);
gemp_code gemp_expr_new_literal(gemp_expr **out, gemp_value value, int line, int column);
void gemp_expr_free(gemp_expr *expr); /* takes NULL */
GEMP_RELEASE(gemp_expr_free, gemp_expr *)
/* The expression becomes a literal at the same place of the text; its operands are freed. Takes the bytes of a
 * string. */
void gemp_expr_set_literal(gemp_expr *expr, gemp_value value);
/* A deep copy, bound as the original is. */
gemp_code gemp_expr_copy(gemp_expr **out, const gemp_expr *expr);

/* Makes room for `count` children, all NULL. */
gemp_code gemp_expr_children(gemp_expr *expr, size_t count);

bool gemp_expr_is_literal(const gemp_expr *expr);
bool gemp_expr_has_literals_only(const gemp_expr *expr);      /* all children are literals */
bool gemp_expr_is_element(const gemp_expr *expr);             /* a vertex or an edge itself */
bool gemp_expr_is_boolean(const gemp_expr *expr, bool truth); /* the literal true, or false */

/* Total order; 0 for equal expressions. Places in the text do not matter. */
int gemp_expr_compare(const gemp_expr *a, const gemp_expr *b);

/* Pattern vertices and edges that the expression uses, as bits. */
void gemp_expr_uses(const gemp_expr *expr, uint64_t *vertices, uint64_t *edges);

/* Of AND and OR: children of children of the same kind become children. */
gemp_code gemp_expr_flatten(gemp_expr *expr);

bool gemp_expr_is_aggregate(const gemp_expr *expr);
bool gemp_expr_has_aggregate(const gemp_expr *expr); /* itself, or within it */
bool gemp_expr_is_subpattern(const gemp_expr *expr); /* EXISTS or COUNT { } */
bool gemp_expr_has_subpattern(const gemp_expr *expr);

/* Functions of the language by name, whatever the case; NULL: there is no such function. */
typedef struct gemp_function {
	const char *name;
	gemp_expr_kind kind;
	bool of_variable; /* its argument is a vertex or an edge */
	bool aggregate;
} gemp_function;
const gemp_function *gemp_function_find(const char *name);
const char *gemp_function_name(gemp_expr_kind kind); /* NULL: this kind is no function */

/* Lists of names (labels, types), owned by the caller; after a failure the caller frees *count names. */
gemp_code gemp_names_copy(char ***out, size_t *count, char *const *names, size_t name_count);
void gemp_names_free(char **names, size_t count);

#endif
