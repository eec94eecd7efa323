/* build: makes the nodes of the syntax tree while the grammar (parser.y, parser_expressions.y) reads a text.
 * Internal to src/cypher/syntax.
 *
 * A function that makes a node returns NULL after a failure, whose message is recorded; the parser then stops. The
 * depth of expressions is bounded here, together with the expressions of inner queries, so that later recursion needs
 * no checks. build_expression.c makes expressions and patterns, build_clause.c clauses and queries; messages.c words
 * the errors on unexpected tokens. */

#ifndef GEMP_CYPHER_SYNTAX_BUILD_H
#define GEMP_CYPHER_SYNTAX_BUILD_H

#include "cypher/syntax/tree.h"

#include "core/list.h"

enum {
	GEMP_CY_MAX_DEPTH = 1000,      /* maximum depth of an expression, with inner queries */
	GEMP_CY_MAX_NESTED = 100,      /* maximum number of braces and FOREACH around a clause */
	GEMP_CY_MAX_PARAMETERS = 1000, /* maximum number of different parameters */
	GEMP_CY_MAX_BRACKETS = 4096,   /* in deeper brackets, each `|` separates labels */
};

typedef struct gemp_cypher_builder {
	gemp_cypher_tree *tree;
	gemp_code code;   /* code of the first failure, whose message is recorded */
	unsigned nested;  /* number of braces and FOREACH around the text that is being read */
	unsigned deepest; /* maximum depth of the expressions in these braces so far */
	bool creating;    /* the pattern that is being read belongs to CREATE */
	/* The lexer tells the `|` of a comprehension, as in [x IN list WHERE x:A | x.y], from the `|` between labels. A
	 * filter by labels with `|` needs brackets: [x IN list WHERE (x:A|B) | x.y]. */
	size_t open; /* brackets that are open */
	int before;  /* the last word or opening bracket */
	size_t scanner_used;
	/* parse.c sets the members above to 0, and not these 21 KiB, which are written before they are read */
	bool has_bar[GEMP_CY_MAX_BRACKETS];    /* the open bracket waits for its `|` */
	uint32_t opened[GEMP_CY_MAX_BRACKETS]; /* places of the open brackets */
	_Alignas(16) char scanner[1024];       /* flex's own memory */
} gemp_cypher_builder;

/* Where a query stands, which decides the clauses that it may have. */
typedef enum gemp_cypher_context {
	GEMP_CY_WHOLE,      /* the whole text */
	GEMP_CY_CLAUSE,     /* CALL { } */
	GEMP_CY_PREDICATE,  /* EXISTS { } and COUNT { }: RETURN may be missing */
	GEMP_CY_COLLECTION, /* COLLECT { } */
} gemp_cypher_context;

/* `*min..max` as written; has_max is false for `*min..` */
typedef struct gemp_cypher_hops {
	uint64_t min_hops, max_hops;
	bool has_max;
} gemp_cypher_hops;

/* Records a failure at a place of the text, if it is the first. gemp_cy_refuse fails with "WHAT is not supported"; a
 * hint in WHAT stands behind a semicolon. */
void gemp_cy_fail(gemp_cypher_builder *b, size_t at, const char *format, ...) __attribute__((format(printf, 3, 4)));
void gemp_cy_refuse(gemp_cypher_builder *b, size_t at, const char *what);

/* Returns zeroed memory, or NULL after a failure. */
void *gemp_cy_alloc(gemp_cypher_builder *b, size_t size);
/* Returns a copy of a node: GEMP_CY_NODE(b, gemp_cypher_order, .expr = expr). */
void *gemp_cy_put(gemp_cypher_builder *b, const void *node, size_t size);
#define GEMP_CY_NODE(b, type, ...) ((type *)gemp_cy_put((b), &(type){ __VA_ARGS__ }, sizeof(type)))
gemp_cypher_word gemp_cy_word(gemp_cypher_builder *b, const char *bytes, size_t size, gemp_cypher_place place);
/* The text at the place as a word; the word `space.name`. */
gemp_cypher_word gemp_cy_text(gemp_cypher_builder *b, gemp_cypher_place place);
gemp_cypher_word gemp_cy_join(gemp_cypher_builder *b, gemp_cypher_word space, gemp_cypher_word name,
                              gemp_cypher_place place);

/* EXPRESSIONS */

gemp_cypher_expr *gemp_cy_expr(gemp_cypher_builder *b, gemp_cypher_kind kind, gemp_cypher_place place);
/* Appends a child to a parent and returns the parent. */
gemp_cypher_expr *gemp_cy_adopt(gemp_cypher_builder *b, gemp_cypher_expr *parent, gemp_cypher_expr *child);
/* `right` may be NULL. */
gemp_cypher_expr *gemp_cy_binary(gemp_cypher_builder *b, gemp_cypher_kind kind, gemp_cypher_expr *left,
                                 gemp_cypher_expr *right, gemp_cypher_place place);
/* Like gemp_cy_binary, with a name: GEMP_CY_PROPERTY, GEMP_CY_ENTRY. `child` may be NULL: GEMP_CY_VARIABLE. */
gemp_cypher_expr *gemp_cy_named(gemp_cypher_builder *b, gemp_cypher_kind kind, gemp_cypher_word name,
                                gemp_cypher_expr *child, gemp_cypher_place place);
/* Three children, each of which may be NULL and becomes a GEMP_CY_NONE then. */
gemp_cypher_expr *gemp_cy_ternary(gemp_cypher_builder *b, gemp_cypher_kind kind, gemp_cypher_expr *const children[3],
                                  gemp_cypher_place place);
/* Adds `operator right` to a GEMP_CY_COMPARE, or makes one if `left` is not the chain that is being read. */
gemp_cypher_expr *gemp_cy_compare(gemp_cypher_builder *b, gemp_cypher_expr *left, bool is_chain,
                                  gemp_cypher_operator operator, gemp_cypher_expr * right, gemp_cypher_place place);
gemp_cypher_expr *gemp_cy_negative(gemp_cypher_builder *b, gemp_cypher_expr *operand, gemp_cypher_place place);
/* Returns the expression unless it is 2^63 without a minus. */
gemp_cypher_expr *gemp_cy_in_range(gemp_cypher_builder *b, gemp_cypher_expr *expr);
gemp_cypher_expr *gemp_cy_literal(gemp_cypher_builder *b, gemp_datum value, gemp_cypher_place place);
gemp_cypher_expr *gemp_cy_integer(gemp_cypher_builder *b, uint64_t magnitude, gemp_cypher_place place);
gemp_cypher_expr *gemp_cy_parameter(gemp_cypher_builder *b, gemp_cypher_word name, gemp_cypher_place place);
/* `callee` is a variable, or properties of a variable: date.truncate. `arguments`: children of a GEMP_CY_LIST; NULL:
 * none. */
gemp_cypher_expr *gemp_cy_call(gemp_cypher_builder *b, const gemp_cypher_expr *callee, bool distinct,
                               gemp_cypher_expr *arguments, gemp_cypher_place place);
gemp_cypher_expr *gemp_cy_count_star(gemp_cypher_builder *b, const gemp_cypher_expr *callee, gemp_cypher_place place);
/* all, any, none, single; `word` is one of them. */
gemp_cypher_expr *gemp_cy_quantifier(gemp_cypher_builder *b, gemp_cypher_word word, gemp_cypher_word variable,
                                     gemp_cypher_expr *list, gemp_cypher_expr *condition, gemp_cypher_place place);
gemp_cypher_label *gemp_cy_label(gemp_cypher_builder *b, gemp_cypher_word name);
/* The group of `left` and `right`. If `left` is such a group, `right` becomes its last part. */
gemp_cypher_label *gemp_cy_label_group(gemp_cypher_builder *b, bool any, gemp_cypher_label *left,
                                       gemp_cypher_label *right);
/* EXISTS { }, COUNT { }, COLLECT { }; outer_deepest is the value of b->deepest before the braces. */
gemp_cypher_expr *gemp_cy_inner(gemp_cypher_builder *b, gemp_cypher_kind kind, gemp_cypher_query *query,
                                unsigned outer_deepest, gemp_cypher_place place);

/* PATTERNS */

gemp_cypher_node *gemp_cy_node(gemp_cypher_builder *b, gemp_cypher_word name, gemp_cypher_label *labels,
                               gemp_cypher_expr *properties, gemp_cypher_place place);
/* The grammar sets the arrow heads and the place. hops: NULL for an edge without `*`. */
gemp_cypher_edge *gemp_cy_edge(gemp_cypher_builder *b, gemp_cypher_word name, gemp_cypher_label *types,
                               const gemp_cypher_hops *hops, gemp_cypher_expr *properties);
gemp_cypher_path *gemp_cy_path(gemp_cypher_builder *b, gemp_cypher_node *from);
gemp_cypher_path *gemp_cy_extend(gemp_cypher_path *path, gemp_cypher_edge *edge, gemp_cypher_node *to);
gemp_cypher_pattern *gemp_cy_pattern(gemp_cypher_builder *b, gemp_cypher_pattern *pattern, gemp_cypher_path *path,
                                     gemp_cypher_place place);
/* A pattern as an expression: GEMP_CY_PATTERN, and GEMP_CY_PATTERN_COMPREHENSION, whose condition may be NULL. */
gemp_cypher_expr *gemp_cy_pattern_expr(gemp_cypher_builder *b, gemp_cypher_kind kind, gemp_cypher_path *path,
                                       gemp_cypher_place place);
gemp_cypher_expr *gemp_cy_path_list(gemp_cypher_builder *b, gemp_cypher_path *path, gemp_cypher_expr *condition,
                                    gemp_cypher_expr *result, gemp_cypher_place place);

/* CLAUSES AND QUERIES */

gemp_cypher_clause *gemp_cy_clause(gemp_cypher_builder *b, gemp_cypher_clause_kind kind, gemp_cypher_place place);
/* Makes items of the children of a list, or of NULL none. */
gemp_cypher_item *gemp_cy_items(gemp_cypher_builder *b, gemp_cypher_expr *list);
/* One item of WITH or RETURN; the grammar appends it. alias: NULL bytes without AS. */
gemp_cypher_item *gemp_cy_item(gemp_cypher_builder *b, gemp_cypher_expr *expr, gemp_cypher_word alias,
                               gemp_cypher_place place);
/* Finishes WITH or RETURN: items without AS get their names, or are refused. */
gemp_cypher_clause *gemp_cy_project(gemp_cypher_builder *b, gemp_cypher_clause *clause, gemp_cypher_clause_kind kind,
                                    gemp_cypher_place place);
/* value: NULL for labels and for REMOVE. */
gemp_cypher_update *gemp_cy_update(gemp_cypher_builder *b, gemp_cypher_update_kind kind, gemp_cypher_expr *target,
                                   gemp_cypher_expr *value, gemp_cypher_place place);
/* Appends a clause; refuses one that may not stand behind the clauses before it. part: NULL makes a new part. */
gemp_cypher_part *gemp_cy_append(gemp_cypher_builder *b, gemp_cypher_part *part, gemp_cypher_clause *clause);
/* Appends a part behind UNION; query: NULL makes a new query. */
gemp_cypher_query *gemp_cy_union(gemp_cypher_builder *b, gemp_cypher_query *query, bool all, gemp_cypher_part *part,
                                 gemp_cypher_place place);
/* Refuses a query that ends too early, or has clauses that may not stand in this context. */
gemp_cypher_query *gemp_cy_finish(gemp_cypher_builder *b, gemp_cypher_query *query, gemp_cypher_context context);
/* The query of one MATCH for EXISTS { (a)-->(b) WHERE ... }. */
gemp_cypher_query *gemp_cy_match_query(gemp_cypher_builder *b, gemp_cypher_pattern *pattern, gemp_cypher_expr *where,
                                       gemp_cypher_place place);
/* Counts one more level of braces; false after a failure. gemp_cy_leave gets the value of b->deepest before. */
bool gemp_cy_enter(gemp_cypher_builder *b, gemp_cypher_place place);
void gemp_cy_leave(gemp_cypher_builder *b, unsigned outer_deepest);
/* Moves the updates of SET behind ON CREATE or ON MATCH to MERGE. */
void gemp_cy_on(gemp_cypher_clause *merge, const gemp_cypher_clause *set, bool on_create);

/* What may stand at a place. */
typedef struct gemp_cypher_expected {
	const char *list; /* words for the tokens; NULL: too many */
	bool name, value, clause, comma;
	bool end;                 /* the query may end there */
	bool closing;             /* a bracket or CASE is open */
	bool element;             /* the place is within a vertex or an edge of a pattern */
	bool node;                /* a vertex of a path must stand there */
	bool labels, edge_types;  /* behind a label of a vertex, or a type of an edge */
	bool edge;                /* within the signs of an edge, as behind (a)- */
	bool path_name;           /* behind a name that only = may follow */
	bool colon;               /* behind a name that only a colon may follow */
	bool alias;               /* AS may stand there */
	bool operator;            /* behind a value */
	bool null_only;           /* behind IS */
	bool reserved;            /* the token is a word of openCypher */
	const char *const *words; /* [word_count] words of openCypher that may stand there */
	size_t word_count;
	size_t open_at; /* place of the bracket whose end is missing; SIZE_MAX: none */
} gemp_cypher_expected;

/* Explains the unexpected token at `place`. */
void gemp_cy_unexpected(gemp_cypher_builder *b, gemp_cypher_place place, const gemp_cypher_expected *expected);

/* LOOK-AHEAD of the lexer; `text` points to a bracket or behind a word. */
typedef enum gemp_cypher_bracket {
	GEMP_CY_PLAIN,    /* a list, an index, or a relationship */
	GEMP_CY_OF_LIST,  /* [x IN list ...] */
	GEMP_CY_OF_PATHS, /* [(a)-->(b) | ...], [p = (a)-->(b) | ...] */
} gemp_cypher_bracket;
gemp_cypher_bracket gemp_cy_bracket(const char *text);
/* True for `(x IN`; for `(x =`. */
bool gemp_cy_binds_in(const char *text);
bool gemp_cy_binds_equal(const char *text);

#endif
