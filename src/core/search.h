/* search: binary search.
 *
 * gemp_lower_bound_u32 finds a value among ascending values, gemp_range_find finds the range that contains a value.
 * GEMP_PARTITION_POINT serves searches whose values are computed or compared by a function. The loops of the functions
 * have no branch that depends on the values, so a search for random values causes no mispredicted branches. */

#ifndef GEMP_CORE_SEARCH_H
#define GEMP_CORE_SEARCH_H

#include <stddef.h>
#include <stdint.h>

/* Returns the range r of `count` ranges with bounds[r] <= value < bounds[r + 1]. Returns 0 for a value < bounds[0], and
 * the last range for a value >= bounds[count]. Empty ranges are never returned. bounds[0] and bounds[count] are not
 * read. */
static inline size_t gemp_range_find(const uint64_t *bounds, size_t count, uint64_t value)
{
	size_t first = 0;
	while (count > 1) {
		size_t half = count / 2;
		first += bounds[first + half] <= value ? half : 0;
		count -= half;
	}
	return first;
}

static inline size_t gemp_range_find_u32(const uint32_t *bounds, size_t count, uint64_t value)
{
	size_t first = 0;
	while (count > 1) {
		size_t half = count / 2;
		first += bounds[first + half] <= value ? half : 0;
		count -= half;
	}
	return first;
}

/* Returns the first index of values[count] with a value >= `wanted`, or count if there is none. */
static inline size_t gemp_lower_bound_u32(const uint32_t *values, size_t count, uint64_t wanted)
{
	size_t first = count && wanted ? gemp_range_find_u32(values, count, wanted - 1) : 0;
	return first + (count && values[first] < wanted);
}

/* Sets the size_t variable `index` to the first number in [begin, end) for which the expression `before` is false, or
 * to end if there is none. `before` depends on `index`, and is true up to some index and false from there on. If end <=
 * begin, index becomes begin. */
#define GEMP_PARTITION_POINT(index, begin, end, before) \
	do {                                                \
		size_t first_ = (begin), end_ = (end);          \
		while (first_ < end_) {                         \
			(index) = first_ + (end_ - first_) / 2;     \
			if (before)                                 \
				first_ = (index) + 1;                   \
			else                                        \
				end_ = (index);                         \
		}                                               \
		(index) = first_;                               \
	} while (0)

#endif
