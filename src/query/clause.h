/* clause: what WITH and RETURN mean for the search, which goes on while rows are made. */
#ifndef GEMP_QUERY_CLAUSE_H
#define GEMP_QUERY_CLAUSE_H

#include "pattern/pattern.h"

/* Some clause tells embeddings apart or counts them: WITH, DISTINCT, an aggregate. Else there is a row for each match. */
bool gemp_clause_wants_embeddings(const gemp_pattern *pattern);
/* The first clause only counts rows, and asks nothing else of them: one row and how often it is there do for all. */
bool gemp_clause_only_counts(const gemp_pattern *pattern);
/* A row is written for each match as it is found, and any n of them are what LIMIT n asks for: so the search may stop. */
bool gemp_clause_streams(const gemp_pattern *pattern);
/* Bit e: edge e of a row is spoken of, so that it has to be known which one it is. */
uint64_t gemp_clause_edges(const gemp_pattern *pattern);
/* used[gemp_pattern_row_vertices + gemp_pattern_row_edges + sub_count]: what of a row is spoken of. */
void gemp_clause_uses(const gemp_pattern *pattern, bool *used);

#endif
