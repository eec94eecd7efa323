/* checker: the state of a check, and the functions that its files call of one another. Internal to src/cypher/check.
 *
 *   check.c        queries, UNION, the order of clauses; clauses that read or write
 *   projection.c   WITH and RETURN: columns, groups, ORDER BY, SKIP, LIMIT
 *   pattern.c      variables and properties of patterns
 *   expression.c   types and variables of expressions
 *   call.c         functions and aggregates
 *   scope.c        variables and their slots
 *
 * The variables of all open scopes are one array; the visible ones are [floor, count), and of two with one name the
 * last counts. A variable below the floor was dropped by WITH within an inner query. */

#ifndef GEMP_CYPHER_CHECK_CHECKER_H
#define GEMP_CYPHER_CHECK_CHECKER_H

#include "cypher/check/type.h"

typedef struct gemp_cypher_variable {
	gemp_cypher_word name;
	uint64_t hash; /* of the name; a query may have many thousand variables */
	int slot;
	gemp_cypher_type type;
} gemp_cypher_variable;

typedef struct gemp_checker {
	gemp_cypher_tree *tree;
	gemp_cypher_variable *variables; /* [count] */
	size_t count, capacity, floor;
	size_t hidden_from, hidden_to; /* variables of the CREATE whose properties are checked; none: 0, 0 */
	int top;                       /* first slot behind the row and the visible variables */
	int peak;                      /* largest top since the clause began */
	const char *no_aggregates;     /* where the expression stands, if it may have no aggregate; NULL: it may */
	bool in_aggregate;
	size_t aggregates; /* so far in this projection */
	bool
		columns_only; /* ORDER BY or WHERE after groups or DISTINCT: variables below the floor are those before the clause */
} gemp_checker;

/* GEMP_EUSAGE with the place of a word or an expression. */
gemp_code gemp_checker_fail(const gemp_checker *checker, gemp_cypher_place place, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
bool gemp_cypher_same_word(gemp_cypher_word a, gemp_cypher_word b);

/* SCOPES */
gemp_cypher_variable *gemp_checker_look_up(const gemp_checker *checker, gemp_cypher_word name); /* NULL: not visible */
/* Fails if the variable is not visible. *out is valid until the next declaration. */
gemp_code gemp_checker_find(gemp_checker *checker, gemp_cypher_word name, gemp_cypher_variable **out);
/* Declares a variable in the given slot, or in slot `top`, which then moves on (gemp_checker_declare). */
gemp_code gemp_checker_declare_in(gemp_checker *checker, gemp_cypher_word name, gemp_cypher_type type, int slot);
gemp_code gemp_checker_declare(gemp_checker *checker, gemp_cypher_word name, gemp_cypher_type type, int *slot);
/* Takes a slot without a name. */
int gemp_checker_take_slot(gemp_checker *checker);
/* Fails if the name is visible: an element, a path, a column of UNWIND and so on needs a new one. */
gemp_code gemp_checker_must_be_new(gemp_checker *checker, gemp_cypher_word name, const char *what);
/* Fails if the name belongs to a variable that WITH has dropped within an inner query, or to a hidden one. */
gemp_code gemp_checker_not_dropped(const gemp_checker *checker, gemp_cypher_word name);

/* EXPRESSIONS. `type` may be NULL. A predicate is a place where a pattern may stand as a condition. */
gemp_code gemp_checker_expr(gemp_checker *checker, gemp_cypher_expr *expr, gemp_cypher_type *type);
gemp_code gemp_checker_predicate(gemp_checker *checker, gemp_cypher_expr *expr, gemp_cypher_type *type);
/* A predicate that must be a boolean. word: "WHERE", for messages. */
gemp_code gemp_checker_condition(gemp_checker *checker, gemp_cypher_expr *expr, const char *word);
/* The arguments are not checked yet. */
gemp_code gemp_checker_call(gemp_checker *checker, gemp_cypher_expr *expr, gemp_cypher_type *type);
gemp_code gemp_checker_need(const gemp_checker *checker, const gemp_cypher_expr *expr, gemp_cypher_type type,
                            uint32_t kinds, const char *word);

/* PATTERNS. Declares the variables of a MATCH (`declares`), or refuses new ones (a pattern predicate), and sets
 * pattern->width_in and width_out. */
gemp_code gemp_checker_pattern(gemp_checker *checker, gemp_cypher_pattern *pattern, bool declares);
/* A pattern of CREATE, or of MERGE. */
gemp_code gemp_checker_new_elements(gemp_checker *checker, gemp_cypher_clause *clause);

/* WITH and RETURN. The visible variables become the columns; those of this query begin at query_floor. */
gemp_code gemp_checker_projection(gemp_checker *checker, gemp_cypher_clause *clause, size_t query_floor);

/* CALL of a procedure. If it is the whole query, a RETURN * is added to the part. */
gemp_code gemp_checker_procedure(gemp_checker *checker, gemp_cypher_part *part, gemp_cypher_clause *clause);

/* A query within an expression (EXISTS and so on), whose outer variables are visible. */
gemp_code gemp_checker_inner_query(gemp_checker *checker, gemp_cypher_query *query, gemp_cypher_kind kind);

/* TREES */
/* True if the two are written alike, up to white space. Patterns and queries differ always. */
bool gemp_cypher_same(const gemp_cypher_expr *a, const gemp_cypher_expr *b);

#endif
