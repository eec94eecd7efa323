/* engine: what all clauses of a query share while rank 0 executes it, and the evaluation of expressions over the rows
 * of a table.
 *
 * A cursor evaluates the expressions of one clause. Its row is [slots of `old` | slots of `columns` | scratch slots].
 * Rows are evaluated in blocks: gemp_cypher_cursor_block fetches the elements of a block's rows together and answers
 * the patterns and queries within its expressions by one search for all rows of the block (clause/inner.h). A cursor
 * whose expressions have none of these costs one copy of each row. Cursors form a stack: the cursor that was opened
 * last is the one whose answers an evaluation finds. */

#ifndef GEMP_CYPHER_CLAUSE_ENGINE_H
#define GEMP_CYPHER_CLAUSE_ENGINE_H

#include "cypher/clause/table.h"
#include "cypher/evaluate/evaluate.h"
#include "graph/graph.h"

struct gemp_cypher_change;
struct gemp_cypher_cursor;
struct gemp_cypher_live_table;
struct gemp_cypher_search;

typedef struct gemp_cypher_engine {
	struct gemp_cypher_search *search;
	/* search/search.h; tests put other functions here */
	gemp_code (*match)(struct gemp_cypher_search *search, const gemp_cypher_pattern *pattern,
	                   const gemp_cypher_expr *where, bool optional, gemp_cypher_environment *environment,
	                   const gemp_cypher_table *in, gemp_cypher_table *out);
	gemp_code (*load)(struct gemp_cypher_search *search, const gemp_cypher_table *table); /* NULL: not needed */
	/* clause/execute.h; queries within expressions call it */
	gemp_code (*execute)(struct gemp_cypher_engine *engine, const gemp_cypher_query *query, gemp_cypher_table *in,
	                     gemp_cypher_table *out);
	/* clause/inner.h: the value of a pattern or query within an expression for each row of `in` */
	gemp_code (*answer)(struct gemp_cypher_engine *engine, const gemp_cypher_environment *environment,
	                    const gemp_cypher_expr *expr, gemp_cypher_table *in, gemp_datum *values);
	/* change/change.h; NULL: the query only reads */
	struct gemp_cypher_change *change;
	/* Makes the changes part of the graph, so that searches find them. Rows of `tables` then have the new ids. It does
	 * nothing while the query within an expression is answered. */
	gemp_code (*apply)(struct gemp_cypher_engine *engine);
	struct gemp_cypher_live_table *tables; /* change/apply.h */
	bool answers;                          /* a query within an expression is executed */
	const gemp_shard *graph;               /* names of labels, types and properties; NULL: none */
	gemp_cypher_environment environment;   /* of all expressions; a cursor sets the row and the arena in its own copy */
	size_t outer_rows;                     /* rows of the query in execution have origins below this number */
	size_t budget;                         /* bytes of host memory; 0: no limit */
	struct gemp_cypher_cursor *cursor;     /* opened last */
	bool unmatched;                        /* a MATCH found nothing for its rows */
	bool placed;                           /* the message of a lack of memory has its place */
	size_t clause_count, clause_number;    /* clauses of the whole query, and the one in execution, from 1 */
	size_t depth;                          /* queries in execution that are within another */
	char task[64];                         /* for progress: the clause in execution */
} gemp_cypher_engine;

/* GEMP_ENOMEM if the values of the query have reached the budget. `rows` is the number of rows so far. Reports
 * progress, too. Call it every some thousand rows. `task` names the work if the query has no clauses to count. */
gemp_code gemp_cypher_engine_check(const gemp_cypher_engine *engine, const char *task, size_t rows);
/* Counts a clause of the whole query, for progress; clauses within another clause do not count. */
void gemp_cypher_engine_next_clause(gemp_cypher_engine *engine);
/* After a clause: a failure by a lack of memory gets the place of the innermost clause, unless it has a place. */
gemp_code gemp_cypher_engine_place(gemp_cypher_engine *engine, const gemp_cypher_clause *clause, gemp_code code);
enum { GEMP_CYPHER_CHECK_ROWS = 1 << 16 };

typedef struct gemp_cypher_cursor {
	gemp_cypher_engine *engine;
	struct gemp_cypher_cursor *outer;
	const gemp_cypher_table *old;
	const size_t *source;             /* row i extends old's row source[i]; NULL: row i */
	const gemp_cypher_table *columns; /* [row i] NULL: none */
	size_t begin, end, row;           /* the block, and the current row */
	bool reads_elements;
	const gemp_cypher_expr **inner; /* [inner_count] patterns and queries that depend only on the row */
	gemp_datum **answers;           /* [inner_count][rows of the block]; NULL for blocks of one row */
	size_t inner_count;
	/* Results that live until the next row, and answers that live until the next block; unused if the caller gave an
	 * arena. */
	bool temporary;
	gemp_arena scratch, answers_arena;
	gemp_cypher_environment environment;
} gemp_cypher_cursor;

/* The rows of `old` and `columns` are borrowed. slots: at least the widths of both. Results lie in `arena`; NULL: they
 * live until the next row. Close the cursor also after a failure. */
gemp_code gemp_cypher_cursor_open(gemp_cypher_cursor *cursor, gemp_cypher_engine *engine, const gemp_cypher_table *old,
                                  const gemp_cypher_table *columns, size_t slots, gemp_arena *arena);
void gemp_cypher_cursor_close(gemp_cypher_cursor *cursor);
/* Names an expression that will be evaluated, before the first block. NULL is allowed. */
gemp_code gemp_cypher_cursor_expect(gemp_cypher_cursor *cursor, const gemp_cypher_expr *expr);
/* The end of the block that begins at row `begin` of `rows` rows. */
size_t gemp_cypher_block_end(size_t begin, size_t rows);
gemp_code gemp_cypher_cursor_block(gemp_cypher_cursor *cursor, size_t begin, size_t end);
/* Makes a row of the block the row of the environment. */
void gemp_cypher_cursor_row(gemp_cypher_cursor *cursor, size_t row);
/* The answer for the row of `environment`, or NULL if there is none. */
const gemp_datum *gemp_cypher_cursor_answer(const gemp_cypher_engine *engine,
                                            const gemp_cypher_environment *environment, const gemp_cypher_expr *expr);

#endif
