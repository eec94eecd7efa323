/* ranks_lookup: what is known of splitters, at hand wherever an element has their label.
 *
 * Each rank asks the owners for the splitters that its labels name (ranks_inquire.h).
 */
#ifndef GEMP_EULER_RANKS_LOOKUP_H
#define GEMP_EULER_RANKS_LOOKUP_H

#include "euler/ranks_list.h"
#include "euler/ranks_subset.h"

typedef struct gemp_euler_lookup {
	const gemp_euler_list *list;
	void *own;               /* [splitters] numbers, borrowed */
	gemp_euler_subset named; /* splitters with stretches here; of a single team not used */
	void *values;            /* [named.count] numbers */
} gemp_euler_lookup;

/* Collective. values[k] of each splitter k of this team. */
gemp_code gemp_euler_lookup_new(gemp_euler_lookup *lookup, const gemp_euler_list *list, void *values);
void gemp_euler_lookup_free(gemp_euler_lookup *lookup);

/* The value of the splitter whose label element x has. */
GEMP_INLINE uint64_t gemp_lookup_at(const gemp_euler_lookup *lookup, size_t x, bool wide)
{
	uint64_t label = gemp_label_at(lookup->list, x, wide), flag = gemp_label_flag(wide);
	if (label & flag)
		return gemp_number_at(lookup->own, (label & ~flag) - 1, wide);
	if (lookup->list->team->teams == 1)
		return gemp_number_at(lookup->own, label - 1, wide);
	return gemp_number_at(lookup->values, gemp_euler_subset_index(&lookup->named, label - 1), wide);
}

#endif
