/* syntax_tree: the tree that the grammar (parser.y, parser_rules.y) builds from a text, before names are resolved.
 * Internal to src/pattern.
 *
 * All nodes lie in one arena (blocks of 4 KiB) that is freed at once, so that the parser has nothing to undo when it
 * fails. Lists are linked: a parent has first and last, a node has next. Depth and weight of expressions are bounded
 * here, so that later recursion needs no checks. syntax_tree.c builds expressions; parser_support.c builds paths,
 * clauses and rules, helps the lexer, and words error messages.
 */

#ifndef GEMP_PATTERN_SYNTAX_SYNTAX_TREE_H
#define GEMP_PATTERN_SYNTAX_SYNTAX_TREE_H

#include "core/list.h"
#include "pattern/model/rule.h"
#include "pattern/model/source.h"

enum {
	GEMP_AST_MAX_NESTED = 16,      /* maximum depth of patterns within patterns */
	GEMP_AST_MAX_DEPTH = 100,      /* maximum depth of an expression */
	GEMP_AST_MAX_WEIGHT = 1 << 20, /* maximum number of parts of an expression when it is written out */
	GEMP_AST_MAX_COPIED = 100,     /* maximum weight of an operand that a chain or a list repeats */
};

/* Bytes [begin, end) of the text. */
typedef struct gemp_ast_place {
	size_t begin, end;
} gemp_ast_place;

typedef struct gemp_ast_word {
	char *bytes; /* ends in a 0 that size does not count; NULL: no word */
	size_t size;
	gemp_ast_place place;
} gemp_ast_word;

/* GEMP_VERTEX stands for any variable. GEMP_HAS_LABEL has its names as literals among the children. A leaf without a
 * variable (in `(a:Person {born: 1970})`) refers to the vertex or edge within which it is written. */
typedef struct gemp_ast_expr {
	gemp_expr_kind kind;
	gemp_ast_place place;
	gemp_ast_word variable, name;
	gemp_value value;
	bool beyond;   /* the integer is 2^63, which is allowed only below a minus */
	bool distinct; /* aggregates: DISTINCT is given */
	bool bare;     /* GEMP_EXISTS: a path alone, which introduces no names; GEMP_HAS_LABEL: written as IN labels(v) */
	struct gemp_ast_match *match; /* GEMP_EXISTS, GEMP_COUNT_OF */
	unsigned depth;
	size_t weight;
	struct gemp_ast_expr *first, *last, *next; /* children; the next child of the parent */
} gemp_ast_expr;

typedef struct gemp_ast_node {
	gemp_ast_place place;
	gemp_ast_word variable;
	gemp_ast_expr *conditions; /* GEMP_AND of labels and `{k: value}` */
	int index;                 /* index of the vertex in the pattern; analysis sets it */
} gemp_ast_node;

typedef struct gemp_ast_edge {
	gemp_ast_place place;
	gemp_ast_word variable;
	gemp_ast_expr *types;      /* GEMP_HAS_LABEL, NULL: any */
	gemp_ast_expr *conditions; /* GEMP_AND of `{k: value}` */
	bool left, right;          /* the edge has an arrow head on this side */
	bool path;                 /* written with `*` */
	uint32_t min_hops, max_hops;
	int index;
	gemp_ast_node *to;
	struct gemp_ast_edge *next;
} gemp_ast_edge;

/* `*min..max` as written. */
typedef struct gemp_ast_hops {
	uint64_t min_hops, max_hops;
	bool bounded; /* there is a max */
} gemp_ast_hops;

typedef struct gemp_ast_path {
	gemp_ast_node *from;
	gemp_ast_edge *first, *last;
	struct gemp_ast_path *next;
} gemp_ast_path;

/* MATCH, OPTIONAL MATCH, or the pattern in the braces of EXISTS and COUNT. */
typedef struct gemp_ast_match {
	gemp_ast_place place;
	gemp_ast_path *first, *last;
	gemp_ast_expr *where; /* NULL: none */
} gemp_ast_match;

typedef struct gemp_ast_item {
	gemp_ast_place place;
	gemp_ast_expr *expr; /* NULL: `*` */
	gemp_ast_word alias;
	struct gemp_ast_item *next;
} gemp_ast_item;

typedef struct gemp_ast_order {
	gemp_ast_expr *expr;
	bool descending;
	struct gemp_ast_order *next;
} gemp_ast_order;

/* WITH or RETURN. */
typedef struct gemp_ast_projection {
	gemp_ast_place place;
	bool distinct;
	gemp_ast_item *items, *last_item; /* NULL: a query without RETURN that has LIMIT */
	gemp_ast_order *orders, *last_order;
	gemp_ast_expr *skip, *limit; /* literals; NULL: none */
	gemp_ast_expr *where;
} gemp_ast_projection;

/* A clause between the first MATCH and RETURN or the updates of a rule: MATCH, OPTIONAL MATCH or WITH. */
typedef struct gemp_ast_part {
	gemp_ast_match *match; /* NULL: WITH */
	bool optional;
	gemp_ast_projection *with;
	struct gemp_ast_part *next;
} gemp_ast_part;

/* One update of a rule, as written. GEMP_CREATE_VERTEX stands for a whole CREATE with its paths, GEMP_ADD_LABELS also
 * for SET of an edge's type, and GEMP_SET_ATTRIBUTE also for a value NULL. */
typedef struct gemp_ast_update {
	gemp_update_kind kind;
	gemp_ast_place place;
	gemp_ast_word variable, into, name;
	gemp_ast_match *paths;
	gemp_ast_expr *labels, *value;
	bool detach;
	struct gemp_ast_update *next;
} gemp_ast_update;

typedef struct gemp_ast_rule {
	gemp_ast_word name;
	gemp_ast_match *match;
	gemp_ast_part *parts;
	gemp_ast_update *updates;
	struct gemp_ast_rule *next;
} gemp_ast_rule;

/* The control that follows RUN. */
typedef struct gemp_ast_control {
	gemp_control_kind kind;
	gemp_ast_place place;
	gemp_ast_word rule;
	bool one;
	uint64_t times, limit;
	struct gemp_ast_control *first, *last, *next; /* children; next child of the parent */
} gemp_ast_control;

/* The clause that the parser is in; messages on unexpected words depend on it. */
typedef enum gemp_ast_clause {
	GEMP_AST_MATCH,
	GEMP_AST_OPTIONAL,
	GEMP_AST_WHERE,
	GEMP_AST_WITH,
	GEMP_AST_RETURN,
	GEMP_AST_LIMIT,
	GEMP_AST_UPDATE,
	GEMP_AST_RUN
} gemp_ast_clause;

typedef struct gemp_ast {
	gemp_source source;
	gemp_code code; /* code of the first failure, whose message is recorded */
	struct gemp_ast_block *blocks;
	char *at; /* free bytes of the newest block */
	size_t left;
	_Alignas(16) char scanner[1024]; /* flex's own memory */
	size_t scanner_used;
	const gemp_query_parameter *parameters;
	size_t parameter_count;
	bool *used;             /* [parameter_count] borrowed */
	bool parameters_later;  /* parameters need no values, since only the syntax is checked */
	bool chains;            /* several MATCH, with WITH between them, are allowed */
	bool has_parameters;    /* the text mentions parameters, which have no values yet */
	gemp_ast_clause clause; /* the clause that is being read */
	bool after_with;        /* WITH has been read */
	bool is_rules, started; /* the text has rules; its first token has been read */
	bool updating;          /* an update of the rule has been read */
	bool detaching;         /* the DELETE that is being read has DETACH */
	unsigned nested;        /* number of patterns around the text that is being read */
	gemp_ast_match *match;
	gemp_ast_part *parts, *last_part;
	gemp_ast_projection *result;            /* NULL: none */
	gemp_ast_update *updates, *last_update; /* updates of the rule that is being read */
	gemp_ast_rule *rules, *last_rule;
	gemp_ast_control *run; /* a sequence; NULL: no RUN */
} gemp_ast;

typedef enum gemp_ast_language {
	GEMP_AST_QUERY,
	GEMP_AST_CHAIN, /* a query that may have several MATCH, with WITH between them */
	GEMP_AST_RULES,
} gemp_ast_language;

/* Reads the source into an empty tree. Call gemp_ast_free also after a failure. used[parameter_count] becomes true for
 * the parameters that the text mentions. */
gemp_code gemp_ast_parse(gemp_ast *q, const gemp_source *source, gemp_ast_language language,
                         const gemp_query_parameter *parameters, size_t parameter_count, bool *used);
void gemp_ast_free(gemp_ast *q);

/* Returns GEMP_EUSAGE if some parameter is unused. */
gemp_code gemp_ast_check_parameters(const gemp_query_parameter *parameters, size_t parameter_count, const bool *used);

/* Returns zeroed memory of the arena. When out of memory, returns NULL and sets q->code. */
void *gemp_ast_alloc(gemp_ast *q, size_t size);
/* Returns a copy of a node in the arena: GEMP_AST_NODE(q, gemp_ast_item, .expr = expr). When out of memory, like
 * gemp_ast_alloc. */
void *gemp_ast_put(gemp_ast *q, const void *node, size_t size);
#define GEMP_AST_NODE(q, type, ...) ((type *)gemp_ast_put((q), &(type){ __VA_ARGS__ }, sizeof(type)))
gemp_ast_word gemp_ast_copy(gemp_ast *q, const char *bytes, size_t size, gemp_ast_place place);

/* Records a failure at a place of the text, if it is the first. */
void gemp_ast_fail(gemp_ast *q, size_t at, const char *format, ...) __attribute__((format(printf, 3, 4)));
void gemp_ast_refuse(gemp_ast *q, size_t at, const char *what); /* fails with "WHAT is not supported" */

/* The functions below return NULL after a failure; q->code holds its code. */
/* Paths and clauses, part by part. */
void gemp_ast_add_edge(gemp_ast_path *path, gemp_ast_edge *edge, gemp_ast_node *to);
gemp_ast_node *gemp_ast_new_node(gemp_ast *q, gemp_ast_word variable, gemp_ast_expr *labels, gemp_ast_expr *map,
                                 gemp_ast_place place);
gemp_ast_edge *gemp_ast_new_edge(gemp_ast *q, gemp_ast_word variable, gemp_ast_expr *types, gemp_ast_expr *map);
gemp_ast_edge *gemp_ast_new_hops(gemp_ast *q, gemp_ast_word variable, gemp_ast_expr *types, gemp_ast_hops trail,
                                 gemp_ast_place place);
gemp_ast_expr *gemp_ast_new_access(gemp_ast *q, gemp_expr_kind kind, gemp_ast_word variable, gemp_ast_word name,
                                   gemp_ast_place place);
gemp_ast_expr *gemp_ast_new_pattern(gemp_ast *q, gemp_expr_kind kind, gemp_ast_match *match, bool bare,
                                    gemp_ast_place place);

/* Begins a clause after the first MATCH. Refuses the clause at its first word if the language has none there. */
void gemp_ast_begin_part(gemp_ast *q, gemp_ast_clause clause, gemp_ast_place place);
/* Refuses a query that ends with WITH. */
void gemp_ast_check_end(gemp_ast *q, size_t at);

gemp_ast_expr *gemp_ast_leaf(gemp_ast *q, gemp_expr_kind kind, gemp_ast_place place);
bool gemp_ast_is_aggregate(const gemp_ast_expr *expr);
void gemp_ast_adopt(gemp_ast *q, gemp_ast_expr *parent, gemp_ast_expr *child);
/* kind is GEMP_AND or GEMP_OR. If `left` is of that kind already, returns `left` with `right` as one more child. */
gemp_ast_expr *gemp_ast_join(gemp_ast *q, gemp_expr_kind kind, gemp_ast_expr *left, gemp_ast_expr *right,
                             gemp_ast_place place);
gemp_ast_expr *gemp_ast_binary(gemp_ast *q, gemp_expr_kind kind, gemp_ast_expr *left, gemp_ast_expr *right,
                               gemp_ast_place place);
/* Sets the variable of every label test in a tree. */
void gemp_ast_set_variable(gemp_ast_expr *expr, gemp_ast_word variable);
gemp_ast_expr *gemp_ast_negative(gemp_ast *q, gemp_ast_expr *operand, gemp_ast_place place); /* -1 is a literal */
/* Adds a comparison to a chain: `chain op right`, where chain is `... op last`. Both comparisons must hold. */
gemp_ast_expr *gemp_ast_chain(gemp_ast *q, gemp_ast_expr *chain, const gemp_ast_expr *last, gemp_expr_kind kind,
                              gemp_ast_expr *right, gemp_ast_place place);
/* `left IN [list]`. A list with an element that is not a literal becomes a disjunction. list: any expression whose
 * children are the elements; NULL: no elements. */
gemp_ast_expr *gemp_ast_in(gemp_ast *q, gemp_ast_expr *left, gemp_ast_expr *list, gemp_ast_place place);
gemp_ast_expr *gemp_ast_in_labels(gemp_ast *q, const gemp_ast_expr *left, gemp_ast_expr *labels, gemp_ast_place place);
gemp_ast_expr *gemp_ast_integer(gemp_ast *q, uint64_t magnitude, gemp_ast_place place);
gemp_ast_expr *gemp_ast_literal(gemp_ast *q, gemp_value value, gemp_ast_place place);
gemp_ast_expr *gemp_ast_string(gemp_ast *q, gemp_ast_word word);
/* returns a literal with the parameter's value */
gemp_ast_expr *gemp_ast_parameter(gemp_ast *q, gemp_ast_word name, gemp_ast_place place);
/* Refuses a parameter of SKIP or LIMIT whose value is not an integer from 0 on. */
void gemp_ast_check_amount(gemp_ast *q, const gemp_ast_expr *parameter);
/* `name(argument)`; if argument is NULL, `name(*)`. gemp_ast_check_callee refuses unknown functions. */
gemp_ast_expr *gemp_ast_call(gemp_ast *q, gemp_ast_word name, bool distinct, gemp_ast_expr *argument,
                             gemp_ast_place place);
void gemp_ast_check_callee(gemp_ast *q, gemp_ast_word name);

/* Rules, part by part. */
void gemp_ast_begin_rule(gemp_ast *q);
void gemp_ast_end_rule(gemp_ast *q, gemp_ast_word name, gemp_ast_match *match);
gemp_ast_update *gemp_ast_new_update(gemp_ast *q, gemp_update_kind kind, gemp_ast_word variable, gemp_ast_place place);
gemp_ast_control *gemp_ast_new_control(gemp_ast *q, gemp_control_kind kind, gemp_ast_control *child,
                                       gemp_ast_place place);
/* kind is a sequence or a choice. If `left` is of that kind already, returns `left` with `right` as one more child. */
gemp_ast_control *gemp_ast_join_control(gemp_ast *q, gemp_control_kind kind, gemp_ast_control *left,
                                        gemp_ast_control *right, gemp_ast_place place);
gemp_ast_control *gemp_ast_repeat(gemp_ast *q, gemp_ast_control *child, uint64_t times, gemp_ast_place place);
void gemp_ast_run(gemp_ast *q, gemp_ast_control *sequence, uint64_t limit, gemp_ast_place place);

/* Decodes the escapes of a string between quotes. */
gemp_ast_word gemp_ast_unquote(gemp_ast *q, const char *bytes, size_t size, gemp_ast_place place);

/* Explains the unexpected token at `place`. `expected` lists the tokens allowed there, or is NULL. */
void gemp_ast_unexpected(gemp_ast *q, gemp_ast_place place, const char *expected);

#endif
