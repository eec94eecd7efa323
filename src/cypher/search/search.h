/* search: answers the patterns of a query on the graph of all ranks, and gives the evaluator the graph's elements.
 *
 * Rank 0 executes the query; the other ranks serve. gemp_cypher_search_serve, on ranks other than 0, takes part in
 * every search and fetch that rank 0 begins, until rank 0 calls gemp_cypher_search_end. All ranks have the same tree,
 * so a command names a pattern by its number. A pattern of fixed length becomes a gemp_pattern whose arguments are the
 * bound nodes, and one search (query/search/finder.h) extends the different tuples of bound nodes of all rows.
 * Relationships of variable length without a bound, with a name, or with conditions are expanded step by step, one
 * search of a single edge for the ends of a whole round. Conditions that the search can test are part of its pattern;
 * the others are evaluated on the rows.
 *
 * Relationships are distinct within one MATCH; nodes need not be. */

#ifndef GEMP_CYPHER_SEARCH_SEARCH_H
#define GEMP_CYPHER_SEARCH_SEARCH_H

#include "cypher/clause/table.h"
#include "cypher/evaluate/environment.h"
#include "cypher/search/analysis.h"
#include "graph/graph.h"
#include "partition/runtime.h"
#include "query/query.h"

typedef struct gemp_cypher_search gemp_cypher_search;

/* Collective. All arguments are borrowed; the tree is checked. `options` decide where searches run. analyses: NULL if
 * the query calls none. */
gemp_code gemp_cypher_search_new(gemp_cypher_search **out, gemp_runtime *context, gemp_shard *graph,
                                 gemp_cypher_tree *tree, const gemp_datum *parameters,
                                 const gemp_prepared_options *options, const gemp_cypher_analyses *analyses);
void gemp_cypher_search_free(gemp_cypher_search *search);
GEMP_RELEASE(gemp_cypher_search_free, gemp_cypher_search *)

/* Ranks other than 0, while rank 0 executes the query. Returns the code that rank 0 ended with. */
gemp_code gemp_cypher_search_serve(gemp_cypher_search *search);
/* Rank 0: ends the others' serving. */
void gemp_cypher_search_end(gemp_cypher_search *search, gemp_code code);

/* Rank 0. Extends each row of `in` by every match of the pattern that agrees with the bound slots and for which
 * `where` (NULL: none) is true. Rows of `out` have out->width slots: those of `in`, then NULL, and the pattern's new
 * variables in their slots, which for a pattern within an expression need not be the first ones behind those of `in`.
 * If `optional`, a row without a match stays once, with NULL in the new slots. Rows are in the order of `in`; the rows
 * that extend the same row are sorted by the keys of their new elements, so that their order depends neither on the
 * number of ranks nor on ids. Rows of `out` share the values of `in`. If out->with_origin is set, out->origin tells
 * for each row which row of `in` it extends. If out->width is 0, rows have no values, and only their number counts.
 * `environment` evaluates conditions; its row is set here, to a row of environment->slots slots. Its arena holds only
 * values of conditions and may be reset; values of `out` lie in the arena of `out`. */
gemp_code gemp_cypher_search_match(gemp_cypher_search *search, const gemp_cypher_pattern *pattern,
                                   const gemp_cypher_expr *where, bool optional, gemp_cypher_environment *environment,
                                   const gemp_cypher_table *in, gemp_cypher_table *out);

/* The elements of the graph, for environment->graph. Missing elements are fetched when they are first read; _load
 * fetches those of a whole table at once, with the properties that the tree names. */
const gemp_cypher_graph *gemp_cypher_search_graph(gemp_cypher_search *search);
/* Rank 0, of a query that changes the graph: gemp_cypher_search_graph and the writer give the elements of `graph`,
 * which in turn reads those of the graph as it was last patched by gemp_cypher_search_stored. */
void gemp_cypher_search_read_through(gemp_cypher_search *search, const gemp_cypher_graph *graph);
const gemp_cypher_graph *gemp_cypher_search_stored(gemp_cypher_search *search);
/* Moves the values of all elements that have been read into the arena, so that they outlive the search. */
void gemp_cypher_search_keep_values(gemp_cypher_search *search, gemp_arena *arena);
gemp_code gemp_cypher_search_load(gemp_cypher_search *search, const gemp_cypher_table *table);

/* Rank 0. Begins an analysis; runs it on all ranks, which gives the rows of all vertices that have a value, in the
 * order of keys; and frees it. The caller frees out->rows. */
gemp_code gemp_cypher_search_begin_analysis(gemp_cypher_search *search, const gemp_cypher_analysis *what);
gemp_code gemp_cypher_search_run_analysis(gemp_cypher_search *search, gemp_vertex source,
                                          gemp_cypher_analysis_rows *out);
void gemp_cypher_search_end_analysis(gemp_cypher_search *search);

/* Writers of JSON for nodes (their keys) and relationships ({"type": ..., "source": ..., "target": ...}). */
const gemp_datum_writer *gemp_cypher_search_writer(gemp_cypher_search *search);

#endif
