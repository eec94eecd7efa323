#include "euler/ranks_subset.h"

#include "core/memory.h"

gemp_code gemp_euler_subset_new(gemp_euler_subset *subset, uint64_t bound)
{
	gemp_code code = GEMP_OK;
	*subset = (gemp_euler_subset){ .words = bound / 64 + 1 };
	GEMP_TRY(GEMP_NEW(subset->bits, subset->words));
	GEMP_TRY(GEMP_NEW(subset->before, subset->words));
done:
	return code;
}

void gemp_euler_subset_seal(gemp_euler_subset *subset)
{
	size_t count = 0;
	for (size_t word = 0; word < subset->words; word++) {
		subset->before[word] = count;
		count += (size_t)__builtin_popcountll(subset->bits[word]);
	}
	subset->count = count;
}

void gemp_euler_subset_free(gemp_euler_subset *subset)
{
	gemp_free(subset->bits);
	gemp_free(subset->before);
	*subset = (gemp_euler_subset){ 0 };
}
