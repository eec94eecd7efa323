#include "euler/ranks_lookup.h"

#include "core/memory.h"
#include "euler/ranks_inquire.h"

enum { ELEMENTS_A_PIECE = 1 << 16 };

typedef struct naming {
	gemp_euler_lookup *lookup;
	bool wide;
} naming;

GEMP_INLINE void name_piece(naming *n, size_t piece, bool wide)
{
	const gemp_euler_list *list = n->lookup->list;
	size_t end = (piece + 1) * ELEMENTS_A_PIECE < list->count ? (piece + 1) * ELEMENTS_A_PIECE : list->count;
	for (size_t x = piece * ELEMENTS_A_PIECE; x < end; x++) {
		uint64_t label = gemp_label_at(list, x, wide);
		if (label != 0 && !(label & gemp_label_flag(wide)))
			gemp_euler_subset_add(&n->lookup->named, label - 1);
	}
}
GEMP_WIDTHS(name_body, name_piece, naming)

static uint64_t own_value(const void *context, uint64_t k)
{
	const gemp_euler_lookup *lookup = context;
	return gemp_number_at(lookup->own, k, lookup->list->wide);
}

gemp_code gemp_euler_lookup_new(gemp_euler_lookup *lookup, const gemp_euler_list *list, void *values)
{
	gemp_code code = GEMP_OK;
	gemp_euler_team *team = list->team;
	*lookup = (gemp_euler_lookup){ .list = list, .own = values };
	if (team->teams == 1)
		return GEMP_OK;
	uint64_t most = list->splitters;
	gemp_comm_max(team->comm, &most, 1);
	GEMP_TRY(gemp_comm_agree(team->comm, gemp_euler_subset_new(&lookup->named, most * team->teams)));
	naming n = { lookup, list->wide };
	gemp_parallel_for((list->count + ELEMENTS_A_PIECE - 1) / ELEMENTS_A_PIECE, name_body, &n);
	gemp_euler_subset_seal(&lookup->named);
	const gemp_euler_question question = { .team = team, .named = &lookup->named, .own = list->splitters,
		.answer = own_value, .context = lookup };
	GEMP_TRY(gemp_euler_inquire(&question, &lookup->values));
done:
	return code;
}

void gemp_euler_lookup_free(gemp_euler_lookup *lookup)
{
	gemp_euler_subset_free(&lookup->named);
	gemp_free(lookup->values);
	*lookup = (gemp_euler_lookup){ 0 };
}
