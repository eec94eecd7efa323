/* parse: from what the grammar read to a pattern: names are resolved, and what has no meaning is refused at its place.
 * Internal to src/pattern. */
#ifndef GEMP_PATTERN_PARSE_H
#define GEMP_PATTERN_PARSE_H

#include "pattern/query.h"

enum {
	PARSE_MAX_NAMES = GEMP_MAX_PATTERN_VERTICES + GEMP_MAX_PATTERN_EDGES, /* of a row */
	PARSE_MAX_PATTERNS = 64, /* of EXISTS, COUNT and OPTIONAL MATCH in a query */
	PARSE_MAX_ITEMS = 1000,  /* of a clause */
	PARSE_MARK = 1024,
};

typedef struct parse {
	query *q;
	gemp_cursor cursor, *marks; /* marks: of every PARSE_MARK-th byte, so that places need no order */
	size_t patterns; /* within the query's own one */
} parse;

/* What a name stands for; a list is a value that only few things can be done with. */
typedef enum parse_sort { PARSE_VERTEX, PARSE_EDGE, PARSE_VALUE, PARSE_LIST } parse_sort;

typedef struct parse_name {
	const char *name; /* borrowed from the arena of the query */
	parse_sort sort;
	int index;        /* vertex or edge of the row, or item of WITH */
} parse_name;

typedef struct parse_scope {
	gemp_pattern *pattern; /* to which patterns of EXISTS and COUNT are added; NULL behind WITH */
	size_t count;
	parse_name *names;     /* by first appearance */
} parse_scope;

/* Where an expression stands. */
typedef struct parse_context {
	parse_scope *scope;
	const parse_name *self;          /* the vertex or edge that it is written in; NULL: none */
	const char *no_aggregates;       /* why none may stand here; NULL: they may */
	const gemp_clause *columns;      /* ORDER BY: their names come first; NULL: none */
} parse_context;

typedef enum parse_wanted {
	PARSE_CONDITION, /* true, false or NULL */
	PARSE_PLAIN,     /* a value */
	PARSE_SIZED,     /* a value or a list */
	PARSE_ELEMENT,   /* a value, a vertex or an edge */
	PARSE_ANY,       /* these, or a list */
} parse_wanted;

/* scope.c */
gemp_code parse_new_scope(parse *p, gemp_pattern *pattern, size_t capacity, parse_scope *out);
const parse_name *parse_find(const parse_scope *scope, const char *name); /* NULL: not there */
void parse_add_name(parse_scope *scope, const char *name, parse_sort sort, int index);
gemp_code parse_resolve(parse *p, const parse_scope *scope, query_word word, const parse_name **out);
gemp_code parse_set_marks(parse *p);
/* Line and column of a byte: p->cursor. */
void parse_move(parse *p, size_t at);
gemp_code parse_fail(parse *p, size_t at, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The failure recorded, at a place if it is one of use. */
gemp_code parse_fail_here(parse *p, size_t at, gemp_code code);

/* parse_expr.c: in any case the caller frees *out. */
gemp_code parse_expr(parse *p, const parse_context *context, const query_expr *from, parse_wanted wanted,
                     gemp_expr **out);
gemp_code parse_new_expr(parse *p, gemp_expr_kind kind, size_t at, gemp_expr **out);
/* Sorted names of labels or types, each once, owned by the caller; in any case *count of them are there to be freed. */
gemp_code parse_names(const query_expr *from, char ***out, size_t *count);
bool parse_is_aggregate(gemp_expr_kind kind);
bool parse_has_aggregate(const gemp_expr *expr);

/* parse_match.c: paths and conditions become those of scope->pattern, and their names are added to the scope. */
gemp_code parse_match(parse *p, parse_scope *scope, const query_match *match);
/* A pattern within another one; outer: what its given vertices are there. bare: no name in it is new. names: those of
 * its scope, in the arena. */
gemp_code parse_inner(parse *p, const parse_scope *scope, const query_match *match, bool bare, gemp_pattern **out,
                      int outer[GEMP_MAX_PATTERN_VERTICES], parse_scope *names);
gemp_code parse_optional(parse *p, parse_scope *row, const query_match *match);

/* parse.c: all of a query but RETURN; row: the scope behind it. */
gemp_code parse_row(parse *p, gemp_pattern *pattern, const query_match *match, const query_match *optionals,
                    const query_projection *with, parse_scope *row);

/* parse_clause.c: next becomes the scope behind the clause. */
gemp_code parse_clause(parse *p, parse_scope *scope, const query_projection *from, bool with, gemp_clause *clause,
                       parse_scope *next);

#endif
