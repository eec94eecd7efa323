/* update: the clauses that change the graph. Rank 0 collects their changes (change/change.h). */

#ifndef GEMP_CYPHER_CLAUSE_UPDATE_H
#define GEMP_CYPHER_CLAUSE_UPDATE_H

#include "cypher/clause/engine.h"

/* The clauses take the rows of `in`, and `out` becomes the rows after the clause. */
gemp_code gemp_cypher_create(gemp_cypher_engine *engine, const gemp_cypher_clause *clause, gemp_cypher_table *in,
                             gemp_cypher_table *out);
gemp_code gemp_cypher_merge(gemp_cypher_engine *engine, const gemp_cypher_clause *clause, gemp_cypher_table *in,
                            gemp_cypher_table *out);
/* SET and REMOVE */
gemp_code gemp_cypher_set(gemp_cypher_engine *engine, const gemp_cypher_clause *clause, gemp_cypher_table *in,
                          gemp_cypher_table *out);
gemp_code gemp_cypher_delete(gemp_cypher_engine *engine, const gemp_cypher_clause *clause, gemp_cypher_table *in,
                             gemp_cypher_table *out);

/* The names of a pattern's labels and types as numbers of the change, in the order of its nodes and relationships. */
typedef struct gemp_cypher_creator {
	gemp_cypher_engine *engine;
	const gemp_cypher_pattern *pattern;
	size_t count;
	uint32_t *numbers; /* [count] */
} gemp_cypher_creator;
gemp_code gemp_cypher_creator_new(gemp_cypher_creator *creator, gemp_cypher_engine *engine,
                                  const gemp_cypher_pattern *pattern);
void gemp_cypher_creator_free(gemp_cypher_creator *creator);
/* Creates the elements of the pattern that are not bound. Expressions read the row of `environment`. The elements and
 * paths go into their slots of `cells`, which has the bound elements. */
gemp_code gemp_cypher_creator_run(const gemp_cypher_creator *creator, const gemp_cypher_environment *environment,
                                  gemp_arena *arena, gemp_datum *cells);

/* The updates of SET, REMOVE, ON CREATE SET (on_create) or ON MATCH SET (on_match) for the row of `environment`. */
gemp_code gemp_cypher_update_row(gemp_cypher_engine *engine, const gemp_cypher_environment *environment,
                                 const gemp_cypher_update *updates, bool on_create, bool on_match);
/* Names the expressions of the updates to a cursor. */
gemp_code gemp_cypher_updates_expect(gemp_cypher_cursor *cursor, const gemp_cypher_update *updates);

#endif
