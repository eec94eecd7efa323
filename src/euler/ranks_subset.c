#include "euler/ranks_subset.h"

#include "core/memory.h"

gemp_code gemp_euler_subset_new(gemp_euler_subset *subset, uint64_t bound)
{
	gemp_code code = GEMP_OK;
	*subset = (gemp_euler_subset){ .words = bound / 64 + 1 };
	GEMP_TRY(GEMP_NEW(subset->word, subset->words));
done:
	return code;
}

void gemp_euler_subset_seal(gemp_euler_subset *subset)
{
	size_t count = 0;
	for (size_t word = 0; word < subset->words; word++) {
		subset->word[word].before = count;
		count += (size_t)__builtin_popcountll(subset->word[word].bits);
	}
	subset->count = count;
}

void gemp_euler_subset_free(gemp_euler_subset *subset)
{
	gemp_free(subset->word);
	*subset = (gemp_euler_subset){ 0 };
}
