/* tree: the syntax tree of a query in openCypher, with all clauses.
 *
 * All nodes lie in the arena of the tree. Lists are linked by `next`. Words are UTF-8 and end in a 0. The grammar
 * (parser.y) makes the tree; check/ resolves its variables to slots of a row and refuses what has no meaning;
 * evaluate/ and clause/ execute it.
 *
 * A row of a clause is an array of values. Each variable has a slot in the row; variables of list comprehensions,
 * quantifiers and reduce have slots behind those of the clause. */

#ifndef GEMP_CYPHER_SYNTAX_TREE_H
#define GEMP_CYPHER_SYNTAX_TREE_H

#include "core/arena.h"
#include "cypher/value/datum.h"
#include "pattern/model/source.h"

/* Bytes [begin, end) of the text. */
typedef struct gemp_cypher_place {
	size_t begin, end;
} gemp_cypher_place;

typedef struct gemp_cypher_word {
	const char *bytes; /* NULL: no word */
	size_t size;
	gemp_cypher_place place;
} gemp_cypher_word;

/* The comment names the fields that a kind uses; `children` are first, first->next, ... */
typedef enum gemp_cypher_kind {
	GEMP_CY_LITERAL,   /* value: NULL, a boolean, a number or a string */
	GEMP_CY_VARIABLE,  /* name, slot */
	GEMP_CY_PARAMETER, /* name, slot: its index among the parameters */
	GEMP_CY_LIST,      /* children: elements; value: check/ sets it if all are constant, else it is NULL */
	GEMP_CY_MAP,       /* children: GEMP_CY_ENTRY; value as for a list */
	GEMP_CY_ENTRY,     /* name; children: value */
	GEMP_CY_PROPERTY,  /* children: subject; name */
	GEMP_CY_INDEX,     /* children: subject, index */
	GEMP_CY_SLICE,     /* children: subject, from, to; a missing bound is a GEMP_CY_NONE */
	GEMP_CY_NONE,
	GEMP_CY_HAS_LABELS, /* children: subject; labels: n:A:B|C; of a relationship: its type */
	GEMP_CY_OR,         /* two children each */
	GEMP_CY_XOR,
	GEMP_CY_AND,
	GEMP_CY_NOT,     /* one child */
	GEMP_CY_COMPARE, /* children: operands, two or more; operators[]: a < b <= c */
	GEMP_CY_STARTS_WITH,
	GEMP_CY_ENDS_WITH,
	GEMP_CY_CONTAINS,
	GEMP_CY_REGEX,
	GEMP_CY_IN,
	GEMP_CY_IS_NULL, /* one child */
	GEMP_CY_IS_NOT_NULL,
	GEMP_CY_ADD,
	GEMP_CY_SUBTRACT,
	GEMP_CY_MULTIPLY,
	GEMP_CY_DIVIDE,
	GEMP_CY_REMAINDER,
	GEMP_CY_POWER,
	GEMP_CY_NEGATE,
	GEMP_CY_PLUS,       /* +x */
	GEMP_CY_CALL,       /* name: "f" or "date.truncate"; children: arguments; distinct */
	GEMP_CY_COUNT_STAR, /* count(*) */
	/* children: operand or GEMP_CY_NONE, then condition, result, condition, result, ..., and the result of ELSE or
	 * GEMP_CY_NONE */
	GEMP_CY_CASE,
	/* children: list, condition or GEMP_CY_NONE, result or GEMP_CY_NONE; name, slot: the variable */
	GEMP_CY_LIST_COMPREHENSION,
	GEMP_CY_ALL, /* children: list, condition; name, slot: the variable */
	GEMP_CY_ANY,
	GEMP_CY_SINGLE,
	GEMP_CY_NO_ONE,  /* none(x IN list WHERE ...) */
	GEMP_CY_REDUCE,  /* children: start, list, expression; name, slot: accumulator; name2, slot2: element */
	GEMP_CY_PATTERN, /* pattern: a predicate, true if there is such a path */
	GEMP_CY_PATTERN_COMPREHENSION, /* pattern; children: condition or GEMP_CY_NONE, result */
	GEMP_CY_EXISTS,                /* query: EXISTS { ... }; a pattern with WHERE is a query with one MATCH */
	GEMP_CY_COUNT,                 /* query: COUNT { ... } */
	GEMP_CY_COLLECT,               /* query: COLLECT { ... } */
	GEMP_CY_MAP_PROJECTION,        /* children: subject, then GEMP_CY_ENTRY, GEMP_CY_PROPERTY without subject (.name),
	                         * GEMP_CY_NONE (.*), GEMP_CY_VARIABLE */
} gemp_cypher_kind;

typedef enum gemp_cypher_operator {
	GEMP_CY_EQ,
	GEMP_CY_NE,
	GEMP_CY_LT,
	GEMP_CY_LE,
	GEMP_CY_GT,
	GEMP_CY_GE
} gemp_cypher_operator;

/* A list of labels means all of them. An element without a name is a group: (a:A|B&C:D) is the list of a group of A and
 * B&C, any of which suffices, and D; B&C is a group, too, which needs both. */
typedef struct gemp_cypher_label {
	gemp_cypher_word name;           /* NULL bytes: a group */
	bool any;                        /* a group: one of its parts suffices; else it needs all parts */
	struct gemp_cypher_label *parts; /* a group: two or more, linked by `next` */
	struct gemp_cypher_label *next;
} gemp_cypher_label;

enum { GEMP_CY_NO_SLOT = -1 };

typedef struct gemp_cypher_expr {
	gemp_cypher_kind kind;
	gemp_cypher_place place;
	gemp_cypher_word name, name2;
	int slot, slot2; /* check/ sets them; GEMP_CY_NO_SLOT before */
	gemp_datum value;
	bool distinct;
	bool beyond; /* the integer is 2^63, which is allowed only below a minus */
	gemp_cypher_label *labels;
	uint8_t *operators;                          /* GEMP_CY_COMPARE: [children - 1] gemp_cypher_operator */
	const struct gemp_cypher_function *function; /* GEMP_CY_CALL: check/ sets it; NULL for aggregates */
	int aggregate; /* check/ sets it: index among the aggregates of the projection; -1: none */
	struct gemp_cypher_pattern *pattern;
	struct gemp_cypher_query *query;
	void *prepared; /* state of search/ for patterns and queries within expressions */
	struct gemp_cypher_expr *first, *last, *next;
	size_t count;   /* children */
	unsigned depth; /* of the tree below; bounded by the parser */
} gemp_cypher_expr;

/* PATTERNS */

typedef struct gemp_cypher_node {
	gemp_cypher_place place;
	gemp_cypher_word name; /* may be missing */
	int slot;              /* GEMP_CY_NO_SLOT: anonymous, and not on a named path */
	bool bound;            /* check/: an earlier clause or an earlier part of this MATCH has bound the variable */
	gemp_cypher_label *labels;
	gemp_cypher_expr *properties; /* a map or a parameter; NULL: none */
	gemp_cypher_expr *made;       /* check/: properties that CREATE or MERGE gives to the node */
} gemp_cypher_node;

typedef struct gemp_cypher_edge {
	gemp_cypher_place place;
	gemp_cypher_word name;
	int slot;
	bool bound;
	gemp_cypher_label *types; /* any of them */
	gemp_cypher_expr *properties;
	gemp_cypher_expr *made; /* as for a node */
	bool left, right;       /* arrow heads; none or both: either direction */
	bool variable;          /* written with `*` */
	bool has_max;
	uint64_t min_hops, max_hops;
	struct gemp_cypher_node *to;
	struct gemp_cypher_edge *next;
} gemp_cypher_edge;

typedef enum gemp_cypher_path_kind { GEMP_CY_PATH, GEMP_CY_SHORTEST, GEMP_CY_ALL_SHORTEST } gemp_cypher_path_kind;

typedef struct gemp_cypher_path {
	gemp_cypher_place place;
	gemp_cypher_path_kind kind;
	gemp_cypher_word name; /* p = ...; may be missing */
	int slot;
	gemp_cypher_node *from;
	gemp_cypher_edge *first, *last;
	size_t edges;
	struct gemp_cypher_path *next;
} gemp_cypher_path;

typedef struct gemp_cypher_pattern {
	gemp_cypher_place place;
	gemp_cypher_path *first, *last;
	bool creates, merges; /* check/: its elements are made, if not found (MERGE) or always (CREATE) */
	/* check/ sets: slots of the row before the pattern; of the row with its variables; and how many slots its
	 * conditions, and the result of a pattern comprehension, need behind these. */
	int width_in, width_out, scratch;
} gemp_cypher_pattern;

/* CLAUSES */

typedef enum gemp_cypher_clause_kind {
	GEMP_CY_MATCH,          /* pattern, where; optional */
	GEMP_CY_UNWIND,         /* expr, name, slot */
	GEMP_CY_WITH,           /* items, distinct, orders, skip, limit, where */
	GEMP_CY_RETURN,         /* like WITH, without where */
	GEMP_CY_CREATE,         /* pattern */
	GEMP_CY_MERGE,          /* pattern of one path; updates with on_create or on_match */
	GEMP_CY_SET,            /* updates */
	GEMP_CY_REMOVE,         /* updates */
	GEMP_CY_DELETE,         /* items: expressions; detach */
	GEMP_CY_CALL_PROCEDURE, /* name, items: arguments; has_arguments; yields; where */
	GEMP_CY_FOREACH,        /* expr, name, slot; body */
	GEMP_CY_CALL_SUBQUERY   /* query */
} gemp_cypher_clause_kind;

typedef struct gemp_cypher_item {
	gemp_cypher_place place;
	gemp_cypher_expr *expr;
	gemp_cypher_word alias; /* name of the column: AS, or the text of the expression in RETURN; YIELD: the new name */
	bool named;             /* AS is given */
	int slot;               /* check/: slot of the column in the next row */
	struct gemp_cypher_item *next;
} gemp_cypher_item;

typedef struct gemp_cypher_order {
	gemp_cypher_expr *expr;
	bool descending;
	struct gemp_cypher_order *next;
} gemp_cypher_order;

typedef enum gemp_cypher_update_kind {
	GEMP_CY_SET_PROPERTY, /* target: a GEMP_CY_PROPERTY; value */
	GEMP_CY_SET_ALL,      /* target = map */
	GEMP_CY_ADD_ALL,      /* target += map */
	GEMP_CY_SET_LABELS,   /* target:A:B */
	GEMP_CY_REMOVE_PROPERTY,
	GEMP_CY_REMOVE_LABELS
} gemp_cypher_update_kind;

typedef struct gemp_cypher_update {
	gemp_cypher_update_kind kind;
	gemp_cypher_place place;
	gemp_cypher_expr *target, *value;
	gemp_cypher_label *labels;
	bool on_create, on_match;
	struct gemp_cypher_update *next;
} gemp_cypher_update;

typedef struct gemp_cypher_clause {
	gemp_cypher_clause_kind kind;
	gemp_cypher_place place;
	bool optional, distinct, detach, all; /* all: `*` stands before the items, or YIELD * */
	bool has_arguments;
	gemp_cypher_pattern *pattern;
	gemp_cypher_expr *expr, *where, *skip, *limit;
	gemp_cypher_word name;
	int slot;
	gemp_cypher_item *items, *last_item;
	gemp_cypher_item *yields;
	gemp_cypher_order *orders, *last_order;
	gemp_cypher_update *updates, *last_update;
	struct gemp_cypher_clause *body; /* FOREACH */
	struct gemp_cypher_query *query;
	/* check/ sets: slots of the row before the clause, and of the row after it */
	int width_in, width_out;
	int scratch; /* slots that variables of comprehensions need behind the row; see gemp_cypher_clause_slots */
	size_t aggregates;
	void *prepared; /* state of search/ */
	struct gemp_cypher_clause *next;
} gemp_cypher_clause;

/* One query without UNION, or one part of it. */
typedef struct gemp_cypher_part {
	gemp_cypher_clause *first, *last;
	bool all; /* UNION ALL in front of this part; UNION without ALL removes duplicates of everything so far */
	struct gemp_cypher_part *next;
} gemp_cypher_part;

typedef struct gemp_cypher_query {
	gemp_cypher_place place;
	gemp_cypher_part *first, *last;
	int width_in; /* of a query within an expression: slots of the outer row that it sees */
} gemp_cypher_query;

typedef struct gemp_cypher_tree {
	gemp_source source;
	gemp_arena arena;
	gemp_cypher_query *query;
	size_t parameter_count;
	gemp_cypher_word *parameters; /* [parameter_count] distinct names in the order of the text */
	bool writes;                  /* some clause changes the graph */
} gemp_cypher_tree;

/* Reads one query, with or without a final `;`. Errors are GEMP_EUSAGE with line:column, the line and a caret. Call
 * gemp_cypher_tree_free also after a failure. */
gemp_code gemp_cypher_parse(gemp_cypher_tree *out, const gemp_source *source);
void gemp_cypher_tree_free(gemp_cypher_tree *tree);

#endif
