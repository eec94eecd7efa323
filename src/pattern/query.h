/* query: what the grammar reads a text into, before names are resolved. Internal to src/pattern.
 *
 * All of it lies in one arena that is freed at once, so that the parser has nothing to undo when it fails.
 */
#ifndef GEMP_PATTERN_QUERY_H
#define GEMP_PATTERN_QUERY_H

#include "pattern/pattern.h"
#include "pattern/source.h"

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
	struct query_expr *first, *last, *next; /* children; next child of the parent */
} query_expr;

typedef struct query_node {
	query_place place;
	query_word variable;
	query_expr *conditions; /* GEMP_AND of labels and `{k: literal}` */
} query_node;

typedef struct query_edge {
	query_place place;
	query_word variable;
	query_expr *types;      /* GEMP_HAS_LABEL, NULL: any */
	query_expr *conditions; /* GEMP_AND of `{k: literal}` */
	bool left, right;       /* has an arrow head there */
	query_node *to;
	struct query_edge *next;
} query_edge;

typedef struct query_path {
	query_node *from;
	query_edge *first, *last;
	struct query_path *next;
} query_path;

typedef struct query_item {
	query_place place;
	query_expr *expr; /* NULL: `*` */
	query_word alias;
	struct query_item *next;
} query_item;

typedef enum query_clause { QUERY_MATCH, QUERY_WHERE, QUERY_RETURN, QUERY_LIMIT } query_clause;

typedef struct query {
	gemp_source source;
	gemp_code code;         /* the first failure, its message recorded */
	struct query_block *blocks;
	char *at;               /* free bytes of the newest block */
	size_t left;
	_Alignas(16) char scanner[1024]; /* flex's own memory */
	size_t scanner_used;
	query_clause clause;    /* being read */
	query_path *first, *last;
	query_expr *where;
	query_item *items, *last_item;
	bool has_limit;
	uint64_t limit;
	query_place limit_place;
} query;

/* Reads source into an empty query; query_free in any case. */
gemp_code query_parse(query *q, const gemp_source *source);
void query_free(query *q);

/* Zeroed memory of the arena; NULL when out of memory, and q->code is set. */
void *query_alloc(query *q, size_t size);
query_word query_copy(query *q, const char *bytes, size_t size, query_place place);

/* Record the first failure, at a place of the text. */
void query_fail(query *q, size_t at, const char *format, ...) __attribute__((format(printf, 3, 4)));
void query_refuse(query *q, size_t at, const char *what); /* "... is not supported yet" */

query_expr *query_leaf(query *q, gemp_expr_kind kind, query_place place);
void query_adopt(query_expr *parent, query_expr *child);
/* GEMP_AND, GEMP_OR: left itself with one child more if it is of that kind already. */
query_expr *query_join(query *q, gemp_expr_kind kind, query_expr *left, query_expr *right, query_place place);
query_expr *query_binary(query *q, gemp_expr_kind kind, query_expr *left, query_expr *right, query_place place);
query_expr *query_integer(query *q, uint64_t magnitude, bool negative, query_place place);
query_expr *query_real(query *q, double real, query_place place);
query_expr *query_string(query *q, query_word word);
/* `name(argument)`, argument NULL: `name(*)`; id and count are known, all others are refused by name. */
query_expr *query_call(query *q, query_word name, query_expr *argument, query_place place);
void query_check_callee(query *q, query_word name);

/* Decode the escapes of a string between quotes. */
query_word query_unquote(query *q, const char *bytes, size_t size, query_place place);

/* Explain an unexpected token: `token` is its text, `expected` a list of what would do, or NULL. */
void query_unexpected(query *q, query_place place, const char *expected);
/* A word that begins what is not supported yet: how to call that; else NULL. */
const char *query_refused_word(const char *word, size_t size);

#endif
