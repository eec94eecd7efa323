/* Lists that are short enough for every rank to have all of them. */
#include "sequence/chains_parts.h"

#include "core/memory.h"

typedef struct link {
	gemp_item item, next, name;
	gemp_stretch extent;
	uint64_t previous;
} link;

static void collect(const gemp_comm *comm, const gemp_chain_list *list, link *mine)
{
	size_t at = 0;
	for (size_t i = 0; i < list->count; i++)
		if (!gemp_chain_alone(comm, list, i))
			mine[at++] = (link){ gemp_item_of(comm->rank, i), list->next[i], list->name[i], list->extent[i],
			                     list->previous[i] };
}

/* By name: links are in ascending order of it. */
static size_t find(const link *links, size_t count, gemp_item item)
{
	size_t low = 0;
	while (count > 1) {
		size_t half = count / 2;
		if (links[low + half].item <= item)
			low += half;
		count -= half;
	}
	return low;
}

/* From the item at `start` to the chain's end, or to `start` again. */
static void rank_chain(const link *links, size_t count, size_t start, gemp_chain_place *place, bool *done)
{
	gemp_stretch before = { 0 };
	gemp_item first = links[start].name | (links[start].previous ? GEMP_CHAIN_CLOSED : 0);
	for (size_t at = start; !done[at]; at = find(links, count, links[at].next)) {
		done[at] = true;
		place[at] = (gemp_chain_place){ first, before };
		before.items += links[at].extent.items;
		before.weight += links[at].extent.weight;
		if (links[at].next == GEMP_NO_ITEM)
			break;
	}
}

static void rank_all(const link *links, size_t count, gemp_chain_place *place, bool *done)
{
	for (size_t i = 0; i < count; i++)
		if (!links[i].previous)
			rank_chain(links, count, i, place, done);
	for (size_t i = 0; i < count; i++)
		if (!done[i])
			rank_chain(links, count, i, place, done);
}

gemp_code gemp_chain_list_gather(const gemp_comm *comm, const gemp_chain_list *list, size_t left,
                                 gemp_chain_place *places)
{
	gemp_code code = GEMP_OK;
	link *mine = NULL, *all = NULL;
	size_t *begin = NULL;
	gemp_chain_place *place = NULL;
	bool *done = NULL;
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(mine, left)));
	collect(comm, list, mine);
	GEMP_TRY(gemp_comm_gather_all(comm, mine, left * sizeof *mine, (void **)&all, &begin));
	size_t count = begin[comm->size] / sizeof *all, at = begin[comm->rank] / sizeof *all;
	code = GEMP_NEW(place, count);
	if (code == GEMP_OK)
		code = GEMP_NEW(done, count);
	GEMP_TRY(gemp_comm_agree(comm, code));
	rank_all(all, count, place, done);
	for (size_t i = 0; i < list->count; i++)
		places[i] = gemp_chain_alone(comm, list, i) ? gemp_chain_place_alone(list, i) : place[at++];
done:
	gemp_free(mine);
	gemp_free(all);
	gemp_free(begin);
	gemp_free(place);
	gemp_free(done);
	return code;
}
