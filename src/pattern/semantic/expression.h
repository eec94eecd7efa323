/* expression: semantic analysis makes a pattern from the syntax tree. It resolves names, and refuses text without a
 * meaning at its place. This header serves all files of the folder.
 *
 * Expressions contain patterns (EXISTS, COUNT) and patterns contain expressions (WHERE, maps), so expression.c and
 * clauses.c call each other. projection.c has WITH and RETURN. All temporary memory lies in the arena of the syntax
 * tree. "Place" means a byte of the text, or its line and column. A scope holds the names that an expression may use.
 * Internal to src/pattern. */

#ifndef GEMP_PATTERN_SEMANTIC_EXPRESSION_H
#define GEMP_PATTERN_SEMANTIC_EXPRESSION_H

#include "pattern/syntax/syntax_tree.h"

enum {
	GEMP_SEMA_MAX_NAMES = GEMP_MAX_PATTERN_VERTICES + GEMP_MAX_PATTERN_EDGES, /* names of vertices and edges in a row */
	GEMP_SEMA_MAX_PATTERNS = 64, /* patterns of EXISTS, COUNT and OPTIONAL MATCH in a query or rule */
	GEMP_SEMA_MAX_ITEMS = 1000,  /* items of a clause */
	GEMP_SEMA_MARK = 1024,
};

typedef struct gemp_sema {
	gemp_ast *q;
	/* marks: the cursor at every GEMP_SEMA_MARK-th byte, so that places can be looked up in any order */
	gemp_cursor cursor, *marks;
	size_t patterns; /* number of sub-patterns and optionals of the query or rule so far */
} gemp_sema;

/* The kind of a name. A list can only be passed on, returned and measured by size(). */
typedef enum gemp_sema_kind { GEMP_SEMA_VERTEX, GEMP_SEMA_EDGE, GEMP_SEMA_VALUE, GEMP_SEMA_LIST } gemp_sema_kind;

typedef struct gemp_sema_name {
	const char *name; /* borrowed from the arena of the query */
	gemp_sema_kind sort;
	int index; /* vertex or edge of the row, or item of WITH, by `sort` */
	/* The name stands for this expression of an earlier scope. NULL: it stands for itself. */
	const gemp_ast_expr *value;
	struct gemp_sema_scope *value_scope;
} gemp_sema_name;

typedef struct gemp_sema_scope {
	gemp_pattern *pattern; /* EXISTS and COUNT add their patterns to it; NULL after WITH */
	int match;             /* number of the MATCH to which new edges belong */
	size_t count;
	gemp_sema_name *names; /* in the order in which the names first appear */
} gemp_sema_scope;

/* What the position of an expression in the query allows. */
typedef struct gemp_sema_context {
	gemp_sema_scope *scope;
	const gemp_sema_name *self; /* the vertex or edge within which it is written; NULL: none */
	const char *no_aggregates;  /* the reason why aggregates are refused here; NULL: they are allowed */
	const gemp_clause *columns; /* ORDER BY: the clause whose column names take precedence; NULL elsewhere */
} gemp_sema_context;

typedef enum gemp_sema_wanted {
	GEMP_SEMA_CONDITION, /* true, false or NULL */
	GEMP_SEMA_PLAIN,     /* a value */
	GEMP_SEMA_SIZED,     /* a value or a list */
	GEMP_SEMA_ELEMENT,   /* a value, a vertex or an edge */
	GEMP_SEMA_ANY,       /* any of these, or a list */
} gemp_sema_wanted;

/* SCOPES */
gemp_code gemp_sema_new_scope(gemp_sema *p, gemp_pattern *pattern, size_t capacity, gemp_sema_scope *out);
/* returns NULL if there is no such name */
const gemp_sema_name *gemp_sema_find(const gemp_sema_scope *scope, const char *name);
void gemp_sema_add_name(gemp_sema_scope *scope, const char *name, gemp_sema_kind sort, int index);
gemp_code gemp_sema_resolve(gemp_sema *p, const gemp_sema_scope *scope, gemp_ast_word word, const gemp_sema_name **out);
gemp_code gemp_sema_set_marks(gemp_sema *p);
/* Moves p->cursor to byte `at`, which gives the byte's line and column. */
void gemp_sema_move(gemp_sema *p, size_t at);
/* Returns GEMP_EUSAGE; the message has the line of byte `at` and a caret. */
#define gemp_sema_fail(p, at, ...) gemp_source_fail(&(p)->q->source, (at), __VA_ARGS__)
/* Returns `code`. GEMP_EUSAGE gets the place of byte `at` in its message. */
gemp_code gemp_sema_fail_here(gemp_sema *p, size_t at, gemp_code code);

/* EXPRESSIONS. The caller frees *out, also after a failure. */
gemp_code gemp_sema_expr(gemp_sema *p, const gemp_sema_context *context, const gemp_ast_expr *from,
                         gemp_sema_wanted wanted, gemp_expr **out);
gemp_code gemp_sema_new_expr(gemp_sema *p, gemp_expr_kind kind, size_t at, gemp_expr **out);
/* Makes a sorted list of the names of labels or types, each once. The caller frees *count names, also after a
 * failure. */
gemp_code gemp_sema_names(const gemp_ast_expr *from, char ***out, size_t *count);
void gemp_sema_sort_names(char **names, size_t *count);

/* PATTERNS. Adds the paths and conditions to scope->pattern, and their names to the scope. */
gemp_code gemp_sema_match(gemp_sema *p, gemp_sema_scope *scope, const gemp_ast_match *match);
/* Adds a condition, unless `from` is NULL. If a leaf of the condition names no variable, it belongs to `self`. */
gemp_code gemp_sema_require(gemp_sema *p, gemp_sema_scope *scope, const gemp_sema_name *self,
                            const gemp_ast_expr *from);
/* Makes the pattern within another pattern. outer[i] becomes the outer vertex that is its argument i. bare: the inner
 * pattern may not introduce names. *names becomes its scope, in the arena. */
gemp_code gemp_sema_inner(gemp_sema *p, const gemp_sema_scope *scope, const gemp_ast_match *match, bool bare,
                          gemp_pattern **out, int outer[GEMP_MAX_PATTERN_VERTICES], gemp_sema_scope *names);
gemp_code gemp_sema_optional(gemp_sema *p, gemp_sema_scope *row, const gemp_ast_match *match);

/* Analyses all clauses of a query except RETURN. *row becomes the scope after them. */
gemp_code gemp_sema_row(gemp_sema *p, gemp_pattern *pattern, const gemp_ast_match *match, const gemp_ast_part *parts,
                        gemp_sema_scope *row);

/* *next becomes the scope after the clause. */
gemp_code gemp_sema_clause(gemp_sema *p, gemp_sema_scope *scope, const gemp_ast_projection *from, bool with,
                           gemp_clause *clause, gemp_sema_scope *next);

#endif
