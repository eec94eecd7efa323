/* kept_results: keys of results that queries keep with the graph (graph/kept.h), and the agreement of the ranks on
 * them.
 *
 * A key is bytes: a letter for the kind of result, and then the numbers, names and literals on which the result
 * depends. Each list begins with its length, so different inputs never have the same bytes. Names of variables are no
 * part of keys, as results do not depend on them. */

#ifndef GEMP_MATCH_FILTER_KEPT_RESULTS_H
#define GEMP_MATCH_FILTER_KEPT_RESULTS_H

#include "comm/comm.h"
#include "core/text.h"
#include "graph/graph.h"
#include "pattern/model/pattern.h"

/* The letters. */
enum {
	GEMP_KEPT_CANDIDATES = 'C',
	GEMP_KEPT_LIMITED = 'L',
	GEMP_KEPT_JOINED = 'J',
	GEMP_KEPT_STATISTICS = 'S',
	GEMP_KEPT_ORDER = 'O',
	GEMP_KEPT_TABLE = 'T',
	GEMP_KEPT_STATEMENT = 'Q' /* api/match/statement.h */
};

/* Local. Appends the bytes of an array that all keys of a kind have, or that is behind its length. */
#define GEMP_KEPT_KEY_ARRAY(key, array, count) gemp_text_add((key), (array), (count) * sizeof *(array))
/* Local. Appends an integer. */
void gemp_kept_key_number(gemp_text *key, uint64_t number);
/* Local. Appends bytes behind their number. */
void gemp_kept_key_bytes(gemp_text *key, const void *bytes, size_t size);
/* Local. Appends a bound condition on one vertex, without the number of that vertex. The key fails if the condition has
 * an inner pattern. */
void gemp_kept_key_condition(gemp_text *key, const gemp_expr *expr);
/* Local. Appends the vertices and edges of a bound pattern, without conditions and clauses. */
void gemp_kept_key_pattern(gemp_text *key, const gemp_pattern *pattern);

/* Collective. Copies the kept result to value[size], if all ranks have it. All ranks get the same answer. */
bool gemp_kept_results_get(const gemp_comm *comm, const gemp_shard *graph, const gemp_text *key, void *value,
                           size_t size);
/* Local. All ranks keep the same results, or none if memory is short. */
void gemp_kept_results_put(const gemp_shard *graph, const gemp_text *key, const void *value, size_t size);

#endif
