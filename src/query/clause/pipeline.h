/* pipeline: the clauses of a query as a chain of stages, from the rows of matches to the output.
 *
 * Each clause contributes up to six stages: keys and arguments, groups, items, DISTINCT, order or limit, WHERE. A
 * stage pushes frames into the next stage; the last stage belongs to the output. A stage needs the columns of the stage
 * before it, so the chain is built from the front. Items of a clause with aggregates become expressions over the
 * columns that grouping makes: keys first, then aggregates. All calls that push or make stages are collective.
 */

#ifndef GEMP_QUERY_CLAUSE_PIPELINE_H
#define GEMP_QUERY_CLAUSE_PIPELINE_H

#include "core/memory.h"
#include "graph/batch.h"
#include "graph/graph.h"
#include "partition/runtime.h"
#include "pattern/model/pattern.h"
#include "query/rows/frame.h"

typedef struct gemp_pipeline gemp_pipeline;

/* Collective. All arguments are borrowed; output receives the items of RETURN, the shown ones first, and is not freed
 * here. count_loops: in COUNT { (v)-[:T]->() }, see gemp_degree_loops. */
gemp_code gemp_pipeline_new(gemp_pipeline **out, gemp_runtime *context, gemp_shard *graph, const gemp_pattern *pattern,
                            bool count_loops, gemp_row_stage *output);
void gemp_pipeline_free(gemp_pipeline *pipeline);
GEMP_RELEASE(gemp_pipeline_free, gemp_pipeline *)

/* Collective. Pushes rows of matches, each multiplicity[row] times (NULL: once). *enough has the meaning of
 * gemp_row_stage. */
gemp_code gemp_pipeline_push(gemp_pipeline *pipeline, const gemp_row_store *rows, const uint64_t *multiplicity,
                             bool last, bool *enough);
/* True, on all ranks, if a SKIP or LIMIT without ORDER BY left out rows that another run might have shown. */
bool gemp_pipeline_truncated(const gemp_pipeline *pipeline);

/* PROPERTIES of WITH and RETURN that decide how matches are searched for. */

/* Some clause distinguishes or counts embeddings: WITH, DISTINCT, an aggregate. Otherwise there is a row for each
 * match. */
bool gemp_clause_wants_embeddings(const gemp_pattern *pattern);
/* The first clause only counts rows and reads nothing of them, so that one row with a multiplicity can stand for
 * all. */
bool gemp_clause_only_counts(const gemp_pattern *pattern);
/* A row is written for each match as it is found, and any n rows satisfy LIMIT n, so that the search may stop. */
bool gemp_clause_streams(const gemp_pattern *pattern);
/* Bit e: the clause reads edge e of a row, so that the search must identify it. */
uint64_t gemp_clause_edges(const gemp_pattern *pattern);

#endif
