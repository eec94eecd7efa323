/* group_key: the vertices of a match by which rows are grouped, as one number of 64 bits. Local.
 *
 * The ids of the vertices are the digits of the number, to the base of the number of vertices of the graph. The word of
 * a record is the number + 1, so that it is not 0. */

#ifndef GEMP_MATCH_GROUPS_GROUP_KEY_H
#define GEMP_MATCH_GROUPS_GROUP_KEY_H

#include "core/text.h"
#include "core/types.h"
#include "pattern/model/pattern.h"

typedef struct gemp_group_key {
	size_t vertices; /* of a row */
	size_t count;
	int vertex[GEMP_MAX_PATTERN_VERTICES]; /* [count] the vertices of a row that are digits, the highest first */
	uint64_t base;
} gemp_group_key;

/* False if a number of 64 bits cannot hold the key. keys: pattern vertices, as bits. base: vertices of the graph. */
bool gemp_group_key_new(gemp_group_key *out, size_t vertices, uint64_t keys, uint64_t base);
uint64_t gemp_group_key_pack(const gemp_group_key *key, const gemp_vertex *row);
/* Writes the vertices of the key to a row, and vertex 0, which exists, as all others. */
void gemp_group_key_unpack(const gemp_group_key *key, uint64_t word, gemp_vertex *row);
/* Writes the macro KEY of kernels/match/row_records.clh. */
void gemp_group_key_print(const gemp_group_key *key, gemp_text *out);

#endif
