/* search: binary search.
 *
 * Every search of the tree is one of these: the first of ascending values that is not below a wanted one, the
 * range of ascending bounds that a value falls in, or, where values are computed or compared by a function,
 * GEMP_PARTITION_POINT. The loops of the functions have no branch that depends on the values, so a search for
 * random values does not wait for branch predictions.
 */

#ifndef GEMP_CORE_SEARCH_H
#define GEMP_CORE_SEARCH_H

#include <stddef.h>
#include <stdint.h>

/* The range r with bounds[r] <= value < bounds[r + 1], of `count` ranges; 0 for values below bounds[0], the last range
 * for values beyond. Empty ranges are never found. bounds[0] and bounds[count] are not read. */
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

/* The first of values[count] that is not below `wanted`; count: none. */
static inline size_t gemp_lower_bound_u32(const uint32_t *values, size_t count, uint64_t wanted)
{
	size_t first = count && wanted ? gemp_range_find_u32(values, count, wanted - 1) : 0;
	return first + (count && values[first] < wanted);
}

/* Sets the size_t variable `index` to the first of [begin, end) for which `before`, an expression in `index` that is
 * true up to some index and false from there on, is false; to end where it is true for all, to begin where end <=
 * begin. */
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
