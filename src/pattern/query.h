/* query: what the grammar reads a text into, before names are resolved. Internal to src/pattern.
 *
 * All of it lies in one arena that is freed at once, so that the parser has nothing to undo when it fails.
 */
#ifndef GEMP_PATTERN_QUERY_H
#define GEMP_PATTERN_QUERY_H

#include "pattern/pattern.h"
#include "pattern/rule.h"
#include "pattern/source.h"

enum {
	QUERY_MAX_NESTED = 16,   /* patterns within patterns */
	QUERY_MAX_DEPTH = 100,   /* of an expression */
	QUERY_MAX_WEIGHT = 1 << 20, /* of an expression: its parts, written out */
	QUERY_MAX_COPIED = 100,  /* weight of what a chain or a list repeats */
};

/* Bytes [begin, end) of the text. */
typedef struct query_place {
	size_t begin, end;
} query_place;

typedef struct query_word {
	char *bytes; /* ends in a 0 that size does not count; NULL: no word */
	size_t size;
	query_place place;
} query_word;

/* GEMP_VERTEX stands for any variable. GEMP_HAS_LABEL has its names as literals among the children. A leaf without a
 * variable (in `(a:Person {born: 1970})`) is about the vertex or edge that it is written in. */
typedef struct query_expr {
	gemp_expr_kind kind;
	query_place place;
	query_word variable, name;
	gemp_value value;
	bool beyond;               /* 2^63: an integer below a minus only */
	bool distinct;             /* of an aggregate */
	bool bare;                 /* GEMP_EXISTS: a path alone, which names nothing new; GEMP_HAS_LABEL: of labels() */
	struct query_match *match; /* GEMP_EXISTS, GEMP_COUNT_OF */
	unsigned depth;
	size_t weight;
	struct query_expr *first, *last, *next; /* children; next child of the parent */
} query_expr;

typedef struct query_node {
	query_place place;
	query_word variable;
	query_expr *conditions; /* GEMP_AND of labels and `{k: value}` */
	int index;              /* vertex of the pattern being made */
} query_node;

typedef struct query_edge {
	query_place place;
	query_word variable;
	query_expr *types;      /* GEMP_HAS_LABEL, NULL: any */
	query_expr *conditions; /* GEMP_AND of `{k: value}` */
	bool left, right;       /* has an arrow head there */
	bool path;              /* written with `*` */
	uint32_t least, most;
	int index;
	query_node *to;
	struct query_edge *next;
} query_edge;

/* `*least..most` as written. */
typedef struct query_trail {
	uint64_t least, most;
	bool bounded; /* there is a most */
} query_trail;

typedef struct query_path {
	query_node *from;
	query_edge *first, *last;
	struct query_path *next;
} query_path;

/* MATCH, OPTIONAL MATCH, or what stands in the braces of EXISTS and COUNT. */
typedef struct query_match {
	query_place place;
	query_path *first, *last;
	query_expr *where; /* NULL: none */
	struct query_match *next;
} query_match;

typedef struct query_item {
	query_place place;
	query_expr *expr; /* NULL: `*` */
	query_word alias;
	struct query_item *next;
} query_item;

typedef struct query_order {
	query_expr *expr;
	bool descending;
	struct query_order *next;
} query_order;

/* WITH or RETURN. */
typedef struct query_projection {
	query_place place;
	bool distinct;
	query_item *items, *last_item; /* NULL: there is only LIMIT */
	query_order *orders, *last_order;
	query_expr *skip, *limit; /* literals; NULL: none */
	query_expr *where;
} query_projection;

/* One update of a rule, as written. GEMP_CREATE_VERTEX: all that CREATE makes, in paths; GEMP_ADD_LABELS: also the
 * type of an edge; GEMP_SET_ATTRIBUTE: also NULL. */
typedef struct query_update {
	gemp_update_kind kind;
	query_place place;
	query_word variable, into, name;
	query_match *paths;
	query_expr *labels, *value;
	bool detach;
	struct query_update *next;
} query_update;

typedef struct query_rule {
	query_word name;
	query_match *match, *optionals;
	query_projection *with; /* NULL: none */
	query_update *updates;
	struct query_rule *next;
} query_rule;

/* What RUN says. */
typedef struct query_control {
	gemp_control_kind kind;
	query_place place;
	query_word rule;
	bool one;
	uint64_t times, limit;
	struct query_control *first, *last, *next; /* children; next child of the parent */
} query_control;

/* Where the parser is: what can be said of an unexpected word depends on it. */
typedef enum query_clause {
	QUERY_MATCH, QUERY_WHERE, QUERY_WITH, QUERY_RETURN, QUERY_LIMIT, QUERY_UPDATE, QUERY_RUN
} query_clause;

typedef struct query {
	gemp_source source;
	gemp_code code;         /* the first failure, its message recorded */
	struct query_block *blocks;
	char *at;               /* free bytes of the newest block */
	size_t left;
	_Alignas(16) char scanner[1024]; /* flex's own memory */
	size_t scanner_used;
	const gemp_query_parameter *parameters;
	size_t parameter_count;
	bool *used;             /* [parameter_count] borrowed */
	query_clause clause;    /* being read */
	bool behind;            /* WITH has been read */
	bool ruled, begun;      /* it is a text of rules; its first token has been read */
	bool updating;          /* an update of the rule has been read */
	bool detaching;         /* behind DETACH */
	unsigned nested;        /* patterns within patterns, being read */
	query_match *match, *optionals, *last_optional;
	query_projection *with, *result; /* NULL: none */
	query_update *updates, *last_update; /* of the rule being read */
	query_rule *rules, *last_rule;
	query_control *run;     /* a sequence; NULL: no RUN */
} query;

/* Reads source into an empty query; query_free in any case. used[parameter_count]: set for those that it mentions. */
gemp_code query_parse(query *q, const gemp_source *source, const gemp_query_parameter *parameters,
                      size_t parameter_count, bool *used);
/* The same for a text of rules. */
gemp_code query_parse_rules(query *q, const gemp_source *source, const gemp_query_parameter *parameters,
                            size_t parameter_count, bool *used);
void query_free(query *q);

/* gemp_pattern_parse_with for one query of several: parameters that it does not mention are no mistake yet. */
gemp_code gemp_pattern_parse_some(gemp_pattern **out, const char *text, const char *file,
                                  const gemp_query_parameter *parameters, size_t parameter_count, bool *used);
/* Nobody has used some parameter: GEMP_EUSAGE. */
gemp_code query_check_parameters(const gemp_query_parameter *parameters, size_t parameter_count, const bool *used);

/* Zeroed memory of the arena; NULL when out of memory, and q->code is set. */
void *query_alloc(query *q, size_t size);
query_word query_copy(query *q, const char *bytes, size_t size, query_place place);

/* Record the first failure, at a place of the text. */
void query_fail(query *q, size_t at, const char *format, ...) __attribute__((format(printf, 3, 4)));
void query_refuse(query *q, size_t at, const char *what); /* "... is not supported" */

/* Below, NULL is returned after a failure, which q->code tells. */
/* Paths and clauses, part by part. */
void query_add_path(query_match *match, query_path *path);
query_match *query_new_match(query *q, query_path *path, query_place place);
void query_add_optional(query *q, query_match *match);
query_path *query_new_path(query *q, query_node *from);
void query_add_edge(query_path *path, query_edge *edge, query_node *to);
query_node *query_new_node(query *q, query_word variable, query_expr *labels, query_expr *map, query_place place);
query_edge *query_new_edge(query *q, query_word variable, query_expr *types, query_expr *map);
query_edge *query_new_trail(query *q, query_word variable, query_expr *types, query_trail trail, query_place place);
query_item *query_new_item(query *q, query_expr *expr, query_word alias, query_place place);
query_projection *query_new_projection(query *q, query_item *item);
query_order *query_new_order(query *q, query_expr *expr, bool descending);
query_expr *query_new_access(query *q, gemp_expr_kind kind, query_word variable, query_word name, query_place place);
query_expr *query_new_pattern(query *q, gemp_expr_kind kind, query_match *match, bool bare, query_place place);

query_expr *query_leaf(query *q, gemp_expr_kind kind, query_place place);
void query_adopt(query *q, query_expr *parent, query_expr *child);
/* GEMP_AND, GEMP_OR: left itself with one child more if it is of that kind already. */
query_expr *query_join(query *q, gemp_expr_kind kind, query_expr *left, query_expr *right, query_place place);
query_expr *query_binary(query *q, gemp_expr_kind kind, query_expr *left, query_expr *right, query_place place);
/* Says of every label test in a tree which variable it is about. */
void query_about(query_expr *expr, query_word variable);
query_expr *query_negative(query *q, query_expr *operand, query_place place); /* -1 is a literal */
/* `chain op right`, where chain is `... op last`: both comparisons have to hold. */
query_expr *query_chain(query *q, query_expr *chain, const query_expr *last, gemp_expr_kind kind, query_expr *right,
                        query_place place);
/* `left IN [list]`; a list with other than literals becomes a disjunction. list: any expression with the elements as
 * children, NULL: none. */
query_expr *query_in(query *q, query_expr *left, query_expr *list, query_place place);
query_expr *query_in_labels(query *q, const query_expr *left, query_expr *labels, query_place place);
query_expr *query_integer(query *q, uint64_t magnitude, query_place place);
query_expr *query_real(query *q, double real, query_place place);
query_expr *query_string(query *q, query_word word);
query_expr *query_constant(query *q, gemp_value value, query_place place);
query_expr *query_boolean(query *q, bool truth, query_place place);
query_expr *query_null(query *q, query_place place);
query_expr *query_parameter(query *q, query_word name, query_place place); /* a literal: its value */
/* What stands behind SKIP and LIMIT. */
query_expr *query_amount(query *q, uint64_t amount, query_place place);
void query_check_amount(query *q, const query_expr *parameter);
/* `name(argument)`, argument NULL: `name(*)`. query_check_callee refuses functions that there are not. */
query_expr *query_call(query *q, query_word name, bool distinct, query_expr *argument, query_place place);
void query_check_callee(query *q, query_word name);

/* rule_tree.c: rules, part by part. */
void query_begin_rule(query *q);
void query_end_rule(query *q, query_word name, query_match *match);
query_update *query_new_update(query *q, gemp_update_kind kind, query_word variable, query_place place);
query_control *query_new_control(query *q, gemp_control_kind kind, query_control *child, query_place place);
/* A sequence or choice: left itself with one child more if it is of that kind already. */
query_control *query_join_control(query *q, gemp_control_kind kind, query_control *left, query_control *right,
                                  query_place place);
query_control *query_repeat(query *q, query_control *child, uint64_t times, query_place place);
void query_run(query *q, query_control *sequence, uint64_t limit, query_place place);

/* Decode the escapes of a string between quotes. */
query_word query_unquote(query *q, const char *bytes, size_t size, query_place place);

/* Does a path, `(...)-...`, begin at the parenthesis `text` points to, and not an expression in parentheses? */
bool query_path_begins(const char *text);
const char *query_skip_space(const char *text); /* and comments */

/* Explain an unexpected token: `token` is its text, `expected` a list of what would do, or NULL. */
void query_unexpected(query *q, query_place place, const char *expected);

#endif
