/* environment: what the evaluation of an expression depends on beside its tree: the row, parameters, the graph, and the
 * arena of the results. */

#ifndef GEMP_CYPHER_EVALUATE_ENVIRONMENT_H
#define GEMP_CYPHER_EVALUATE_ENVIRONMENT_H

#include "cypher/syntax/tree.h"

/* What expressions read of a graph. Values lie in the given arena or live longer. */
typedef struct gemp_cypher_graph {
	void *self;
	gemp_code (*labels)(void *self, uint64_t node, gemp_arena *arena, gemp_datum *list);
	gemp_code (*property)(void *self, gemp_datum element, const char *name, gemp_arena *arena, gemp_datum *out);
	gemp_code (*properties)(void *self, gemp_datum element, gemp_arena *arena, gemp_datum *map);
	gemp_code (*type)(void *self, uint64_t relationship, gemp_arena *arena, gemp_datum *string);
	gemp_code (*ends)(void *self, uint64_t relationship, uint64_t *from, uint64_t *to);
	gemp_code (*key)(void *self, uint64_t node, gemp_arena *arena, gemp_datum *out); /* id(n): the user's key */
	/* The place of a node's key in the order of keys, in which integers precede strings. NULL if some nodes have no
	 * place yet: nodes are then in the order of the values of their keys. */
	gemp_code (*rank)(void *self, uint64_t node, uint32_t *out);
} gemp_cypher_graph;

/* Regular expressions by the =~ that uses them. {0} is empty; free it with gemp_cypher_regexes_free. */
typedef struct gemp_cypher_regexes {
	struct gemp_cypher_regex *first;
} gemp_cypher_regexes;
void gemp_cypher_regexes_free(gemp_cypher_regexes *regexes);

typedef struct gemp_cypher_environment {
	gemp_arena *arena;
	const gemp_source *source; /* for messages */
	const gemp_cypher_graph *graph;
	const gemp_datum *parameters;   /* by the slot of a GEMP_CY_PARAMETER */
	gemp_datum *row;                /* [slots] slots of the clause, and scratch slots behind them */
	size_t slots;                   /* of the clause, with its scratch slots; `inner` copies as many */
	const gemp_datum *aggregates;   /* results by the index of an aggregate; NULL: there are none */
	int64_t now_seconds, now_nanos; /* the time of the statement, for date() and its kin */
	uint64_t *random;               /* state of rand() */
	size_t budget;                  /* bytes of host memory that the process may hold; 0: no limit */
	gemp_cypher_regexes *regexes;   /* compiled expressions of =~; NULL: each match compiles its own */
	/* The truth of a pattern, the list of a pattern comprehension, or the rows of an inner query for this row. */
	void *inner_self;
	gemp_code (*inner)(void *self, const struct gemp_cypher_environment *environment, const gemp_cypher_expr *expr,
	                   gemp_datum *out);
} gemp_cypher_environment;

/* GEMP_EUSAGE with the place of an expression: an error that only the values show. */
gemp_code gemp_cypher_fail(const gemp_cypher_environment *environment, const gemp_cypher_expr *expr, const char *format,
                           ...) __attribute__((format(printf, 3, 4)));
/* Puts the place in front of the message of a failure that has none (GEMP_EUSAGE, GEMP_EDATA). Other codes are passed
 * on. */
gemp_code gemp_cypher_fail_at(const gemp_cypher_environment *environment, const gemp_cypher_expr *expr, gemp_code code);
/* GEMP_ENOMEM if `count` more values of `size` bytes exceed the budget. Called before large values are made, and in
 * loops over lists, since the values of an expression stay in the arena until the row is done. */
gemp_code gemp_cypher_expect_memory(const gemp_cypher_environment *environment, const gemp_cypher_expr *expr,
                                    uint64_t count, size_t size);
/* GEMP_ENOMEM by the limit of memory gets the place of the expression that made the value. Other codes are passed
 * on. */
gemp_code gemp_cypher_place_memory(const gemp_cypher_environment *environment, const gemp_cypher_expr *expr,
                                   gemp_code code);

#endif
