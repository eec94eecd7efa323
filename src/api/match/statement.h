/* statement: the text of a query, parsed, checked and bound to the graph, which the graph keeps for later runs of the
 * same text, as a database keeps a prepared statement.
 *
 * A statement is an object of the store of kept results (graph/kept.h), so it does not survive a change of the graph.
 * Its key is the text with the settings on which parsing and binding depend. A run takes the statement and gives it
 * back, so no two runs share one; a new one is kept after a successful run. Only single texts that are one search are
 * kept: a run clause by clause changes its tree. The ranks need not agree: a rank without the statement makes the same
 * one. */

#ifndef GEMP_API_MATCH_STATEMENT_H
#define GEMP_API_MATCH_STATEMENT_H

#include "api/match/query_text.h"

typedef struct gemp_statement {
	gemp_query_forms forms;
	gemp_parameter_list parameters; /* the values that are in the forms; of a statement that was kept */
	bool kept;                      /* it was taken from the store */
	size_t bytes;                   /* about its memory */
} gemp_statement;

/* Local. query->key becomes the key of its statement, which stays empty if the query can have none. */
gemp_code gemp_statement_key(gemp_query *query);
/* Local. Whether the graph keeps the statement of the query, whose text then has no mistakes. */
bool gemp_statement_is_kept(const gemp_query *query);
/* Local. Takes the statement of the query, or makes it. */
gemp_code gemp_statement_read(gemp_statement **out, gemp_query *query);
/* Local. Gives the statement back after a run of the query; a new one is kept if the run was successful and it can be
 * kept. */
void gemp_statement_end(gemp_statement *statement, gemp_query *query, gemp_code run);
void gemp_statement_free(gemp_statement *statement);
GEMP_RELEASE(gemp_statement_free, gemp_statement *)

#endif
