/* pipeline: the clauses of a query as a chain of stages, from the rows of matches to the output.
 *
 * Each clause adds up to six stages: keys and arguments, groups, items, DISTINCT, order or limit, WHERE. A stage pushes
 * frames into the next stage; the last stage is the caller's output. A stage needs the columns of the previous stage,
 * so the chain is built from the front. In a clause with aggregates, the items become expressions over the columns of
 * the groups: keys first, then aggregates. All calls that push or make stages are collective. */

#ifndef GEMP_QUERY_CLAUSE_PIPELINE_H
#define GEMP_QUERY_CLAUSE_PIPELINE_H

#include "core/memory.h"
#include "graph/batch.h"
#include "graph/graph.h"
#include "partition/runtime.h"
#include "pattern/model/pattern.h"
#include "query/clause/folded_groups.h"
#include "query/rows/frame.h"

typedef struct gemp_pipeline gemp_pipeline;

/* Collective. All arguments are borrowed. `output` receives the items of RETURN, the shown items first, and is not
 * freed here. If `count_loops` is true, COUNT { (v)-[:T]->() } counts loops (gemp_degree_loops). */
gemp_code gemp_pipeline_new(gemp_pipeline **out, gemp_runtime *context, gemp_shard *graph, const gemp_pattern *pattern,
                            bool count_loops, gemp_row_stage *output);
/* The same for rows that are folded groups, which are borrowed: gemp_pipeline_push_folded pushes them. NULL: rows are
 * matches. */
gemp_code gemp_pipeline_new_folded(gemp_pipeline **out, gemp_runtime *context, gemp_shard *graph,
                                   const gemp_pattern *pattern, const gemp_folded_groups *folded, bool count_loops,
                                   gemp_row_stage *output);
void gemp_pipeline_free(gemp_pipeline *pipeline);
GEMP_RELEASE(gemp_pipeline_free, gemp_pipeline *)

/* Collective. Pushes rows of matches. Row i counts multiplicity[i] times, or once if multiplicity is NULL. *enough has
 * the meaning of gemp_row_stage. */
gemp_code gemp_pipeline_push(gemp_pipeline *pipeline, const gemp_row_store *rows, const uint64_t *multiplicity,
                             bool last, bool *enough);
/* Collective. Pushes all folded groups. */
gemp_code gemp_pipeline_push_folded(gemp_pipeline *pipeline, bool *enough);
/* True, on all ranks, if a SKIP or LIMIT without ORDER BY left out rows. Another run might show other rows then. */
bool gemp_pipeline_truncated(const gemp_pipeline *pipeline);

/* PROPERTIES of WITH and RETURN that decide how matches are searched for. */

/* True if some clause distinguishes or counts embeddings: WITH, DISTINCT, or an aggregate. Otherwise there is a row for
 * each match. */
bool gemp_clause_wants_embeddings(const gemp_pattern *pattern);
/* True if the first clause only counts rows and reads no element of them. One row with a multiplicity can then stand
 * for all rows. */
bool gemp_clause_only_counts(const gemp_pattern *pattern);
/* True if an expression of the first clause is the number of rows of a group: count(*), or the count of an element that
 * is never NULL. */
bool gemp_clause_counts_rows(const gemp_pattern *pattern, const gemp_expr *expr);
/* True if a row is written for each match as it is found, and any n rows satisfy LIMIT n. The search may then stop
 * early. */
bool gemp_clause_streams(const gemp_pattern *pattern);
/* Bit e is set if the clause reads edge e of a row. The search must then identify the edge. */
uint64_t gemp_clause_edges(const gemp_pattern *pattern);

#endif
