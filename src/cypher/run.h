/* run: executes a checked query, clause by clause, and gives its rows.
 *
 *     gemp_cypher_parse -> gemp_cypher_check -> gemp_cypher_run -> rows -> gemp_cypher_result_free
 *
 * Rank 0 executes the clauses; the others serve its searches (search/search.h). Rows are in the order of ORDER BY;
 * without ORDER BY their order does not depend on the number of ranks: rows of a MATCH are sorted by the keys of their
 * elements before SKIP and LIMIT. */

#ifndef GEMP_CYPHER_RUN_H
#define GEMP_CYPHER_RUN_H

#include "cypher/change/change.h"
#include "cypher/check/check.h"
#include "cypher/search/search.h"

typedef struct gemp_cypher_result {
	size_t count;       /* columns */
	const char **names; /* [count] in the tree's arena */
	gemp_cypher_table rows;
	bool unmatched;             /* on rank 0: a MATCH found nothing for its rows */
	gemp_cypher_search *search; /* writes elements; owned */
	gemp_cypher_change *change; /* rank 0, of a query that changes the graph; owned */
} gemp_cypher_result;

/* Collective. parameters[tree->parameter_count] are the values of the tree's parameters. analyses: the graph algorithms
 * that the query may call. The rows of ranks other than 0 are empty. All ranks return the same code. */
gemp_code gemp_cypher_run(gemp_cypher_result *out, gemp_runtime *context, gemp_shard *graph, gemp_cypher_tree *tree,
                          const gemp_datum *parameters, const gemp_prepared_options *options,
                          const gemp_cypher_analyses *analyses);
void gemp_cypher_result_free(gemp_cypher_result *result);

/* True if some clause of the query changes the graph. */
bool gemp_cypher_writes(const gemp_cypher_tree *tree);
/* Local. GEMP_EUSAGE with the place of the first clause that changes the graph; gemp_cypher_run does not run such
 * queries. */
gemp_code gemp_cypher_refuse_updates(const gemp_cypher_tree *tree);
/* Collective. Like gemp_cypher_run for a query that may change the graph: *graph becomes the new graph, in memory and
 * on all ranks. All ranks get the same counts. After an error *graph can only be freed. */
gemp_code gemp_cypher_run_writing(gemp_cypher_result *out, gemp_runtime *context, gemp_shard **graph,
                                  gemp_cypher_tree *tree, const gemp_datum *parameters,
                                  const gemp_prepared_options *options, const gemp_cypher_analyses *analyses,
                                  gemp_cypher_counts *counts);

#endif
