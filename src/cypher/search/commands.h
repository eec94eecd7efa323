/* commands: the collective steps that rank 0 begins and the other ranks take part in (gemp_cypher_session_serve).
 *
 * Rank 0 broadcasts a command, then all ranks execute it. A command that fails on one rank fails on all ranks with the
 * same code, and the other ranks wait for the next command. */

#ifndef GEMP_CYPHER_SEARCH_COMMANDS_H
#define GEMP_CYPHER_SEARCH_COMMANDS_H

#include "cypher/search/analysis.h"
#include "cypher/search/match_plan.h"
#include "match/filter/element_values.h"
#include "query/search/finder.h"

/* What a command needs, equal on all ranks. */
typedef struct gemp_cypher_session {
	gemp_runtime *context;
	gemp_shard *graph;
	gemp_cypher_tree *tree;
	const gemp_datum *parameters;
	gemp_finder_options options;
	const gemp_cypher_analyses *analyses;
	size_t plan_count;
	gemp_cypher_match_plan *plans; /* [plan_count] of all patterns of the tree, in the order of the text */
} gemp_cypher_session;

/* The rows of a search, of all ranks. */
typedef struct gemp_cypher_found {
	size_t rows, vertex_count, edge_count;
	gemp_vertex *vertices; /* [rows * vertex_count] */
	gemp_edge *edges;      /* [rows * edge_count] */
} gemp_cypher_found;
void gemp_cypher_found_free(gemp_cypher_found *found);

/* Rank 0. Extends the seeds, different tuples [count * arguments], by the pattern of a step. Call
 * gemp_cypher_found_free also after a failure. */
gemp_code gemp_cypher_command_search(gemp_cypher_session *session, size_t plan, size_t step, const gemp_vertex *seeds,
                                     size_t count, gemp_cypher_found *out);
/* Rank 0. gemp_fetch_values for one column. */
gemp_code gemp_cypher_command_vertices(gemp_cypher_session *session, int column, const gemp_vertex *ids, size_t count,
                                       gemp_vertex **found, size_t *found_count, gemp_column *out);
/* Rank 0. gemp_fetch_edges for attribute `attribute` of relation `relation`; SIZE_MAX: only the ends. */
gemp_code gemp_cypher_command_edges(gemp_cypher_session *session, size_t relation, size_t attribute,
                                    const gemp_edge *edges, size_t count, gemp_edge_values *out);
/* Rank 0. Begins an analysis; runs it and gets the rows of all ranks, in the order of keys, which the caller frees;
 * frees it. */
gemp_code gemp_cypher_command_begin(gemp_cypher_session *session, const gemp_cypher_analysis *what);
gemp_code gemp_cypher_command_run(gemp_cypher_session *session, gemp_vertex source, gemp_cypher_analysis_rows *out);
void gemp_cypher_command_end(gemp_cypher_session *session);

/* Ranks other than 0: executes commands until rank 0 ends them, and returns the code with which rank 0 ended. */
gemp_code gemp_cypher_session_serve(gemp_cypher_session *session);
/* Rank 0. */
void gemp_cypher_session_end(gemp_cypher_session *session, gemp_code code);

#endif
