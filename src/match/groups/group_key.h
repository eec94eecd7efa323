/* group_key: the vertices of a match by which rows are grouped, or the classes of their values, as one number of 64
 * bits. Local.
 *
 * The ids or classes are the digits of the number, each to a base of its own. The word of a record is the number +
 * 1, so that it is not 0. */

#ifndef GEMP_MATCH_GROUPS_GROUP_KEY_H
#define GEMP_MATCH_GROUPS_GROUP_KEY_H

#include "core/text.h"
#include "core/types.h"
#include "match/groups/value_classes.h"
#include "pattern/model/pattern.h"

typedef struct gemp_group_digit {
	int vertex;                        /* of a row */
	uint64_t base;                     /* number of vertices or of classes */
	const gemp_value_classes *classes; /* borrowed; NULL: the digit is the vertex itself */
} gemp_group_digit;

typedef struct gemp_group_key {
	size_t vertices; /* of a row */
	size_t count;
	gemp_group_digit digits[GEMP_MAX_PATTERN_VERTICES]; /* [count] the highest first */
} gemp_group_key;

/* keys: pattern vertices, as bits. base: vertices of the graph. */
gemp_group_key gemp_group_key_new(size_t vertices, uint64_t keys, uint64_t base);
/* False if a number of 64 bits cannot hold the key. */
bool gemp_group_key_fits(const gemp_group_key *key);
uint64_t gemp_group_key_pack(const gemp_group_key *key, const gemp_vertex *row);
/* From now on the digit of this vertex is the class of its value. */
void gemp_group_key_classify(gemp_group_key *key, int vertex, const gemp_value_classes *classes);
/* Writes the vertices of the key to a row, or the first vertices of its classes, and vertex 0, which exists, as all
 * others. */
void gemp_group_key_unpack(const gemp_group_key *key, uint64_t word, gemp_vertex *row);
/* Writes the macros KEY and KEY_PARAMETERS of kernels/match/row_records.clh. */
void gemp_group_key_print(const gemp_group_key *key, gemp_text *out);

#endif
