/* packed_places: finds the place of many packed records at a time (match/distinct/class_set.h), with the widest
 * registers of the processor. Local. */

#ifndef GEMP_MATCH_DISTINCT_PACKED_PLACES_H
#define GEMP_MATCH_DISTINCT_PACKED_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Which records a pass takes: the upper half of their hash is in [low, high), and the lower half, scaled to the number
 * of ranks, is the rank that owns them. */
typedef struct gemp_place_rule {
	uint64_t hash_mask, low, high;
	uint64_t rank, ranks;
	size_t place_count; /* 1: all records have place 0 */
} gemp_place_rule;

/* True if the pass takes records with this hash. All other records are found again in a later pass. */
static inline bool gemp_place_in_range(const gemp_place_rule *rule, uint64_t hash)
{
	return hash >> 32 >= rule->low && hash >> 32 < rule->high;
}

static inline uint64_t gemp_place_owner(const gemp_place_rule *rule, uint64_t hash)
{
	return (hash & UINT32_MAX) * rule->ranks >> 32;
}

/* place[i] becomes the place of record i, GEMP_CLASS_REMOTE or GEMP_CLASS_DROPPED. `words` is the number of words of 32
 * bits of a record: 2 or 4. */
void gemp_packed_places(const gemp_place_rule *rule, const uint32_t *records, size_t words, size_t count,
                        uint16_t *place);

#endif
