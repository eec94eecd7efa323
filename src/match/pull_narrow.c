#include "match/pull_narrow.h"

#include "core/memory.h"

/* Bits of all vertices that are read in rows of a view; *bits is NULL where any vertex may be. */
static gemp_code named_bits(const gemp_closure *closure, const gemp_resident *rows, uint32_t *const *candidates, size_t view,
                            uint32_t **bits)
{
	gemp_code code = GEMP_OK;
	size_t words = (rows->residency.vertices + 31) / 32;
	*bits = NULL;
	for (uint64_t left = closure->named[view]; left; left &= left - 1)
		if (!candidates[__builtin_ctzll(left)])
			return GEMP_OK;
	if (!closure->named[view])
		return GEMP_OK;
	GEMP_TRY(GEMP_NEW(*bits, words + 1));
	for (uint64_t left = closure->named[view]; left; left &= left - 1)
		for (size_t w = 0; w < words; w++)
			(*bits)[w] |= candidates[__builtin_ctzll(left)][w];
done:
	return code;
}

gemp_code gemp_pull_narrow(gemp_view **views, bool narrowed[GEMP_MAX_VIEWS], const gemp_plan *plan,
                           const gemp_closure *closure, const gemp_resident *rows, uint32_t *const *candidates)
{
	gemp_code code = GEMP_OK;
	uint32_t *bits = NULL;
	GEMP_TRY(GEMP_NEW(*views, plan->view_count));
	for (size_t v = 0; v < plan->view_count; v++) {
		GEMP_TRY(named_bits(closure, rows, candidates, v, &bits));
		if (bits || closure->entries[v] != GEMP_ENTRIES_ALL) {
			GEMP_TRY(gemp_view_narrow(&(*views)[v], &rows->views[v], &rows->residency, closure->entries[v], bits));
			narrowed[v] = true;
		} else {
			(*views)[v] = rows->views[v];
		}
		gemp_free(bits);
		bits = NULL;
	}
done:
	gemp_free(bits);
	return code;
}
