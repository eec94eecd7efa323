#include "assembly/list_rank.h"

#include "core/limits.h"
#include "core/memory.h"
#include "core/random.h"
#include "core/search.h"
#include "core/status.h"

#include <string.h>

/* LOOK-UPS */

typedef struct table {
	const char *elements;
	size_t size;
} table;

/* Request handler: returns the elements of this rank's table. */
static gemp_code read_table(void *self, const void *records, size_t count, uint64_t *answers)
{
	const table *t = self;
	const gemp_item *items = records;
	for (size_t i = 0; i < count; i++)
		memcpy((char *)answers + i * t->size, t->elements + gemp_item_index(items[i]) * t->size, t->size);
	return GEMP_OK;
}

/* A single rank needs no request. */
static void look_up_here(const gemp_item *items, size_t count, const table *t, char *answers)
{
	for (size_t i = 0; i < count; i++)
		if (items[i] != GEMP_NO_ITEM)
			memcpy(answers + i * t->size, t->elements + gemp_item_index(items[i]) * t->size, t->size);
}

/* Collective. Items of other ranks are requested from their owners in one exchange. The answer to GEMP_NO_ITEM stays
 * unchanged. */
gemp_code gemp_items_look_up(const gemp_comm *comm, const gemp_item *items, size_t count, const void *elements,
                             size_t size, void *answers, gemp_traffic *traffic)
{
	table t = { elements, size };
	GEMP_OWNED gemp_item *asked = NULL;
	GEMP_OWNED int *owner = NULL;
	GEMP_OWNED char *found = NULL;
	size_t wanted = 0;
	if (comm->size == 1) {
		look_up_here(items, count, &t, answers);
		return GEMP_OK;
	}
	for (size_t i = 0; i < count; i++)
		wanted += items[i] != GEMP_NO_ITEM;
	GEMP_TRY(gemp_comm_agree(
		comm, gemp_new_all(GEMP_ARRAY(asked, wanted), GEMP_ARRAY(owner, wanted), GEMP_ARRAY(found, wanted * size))));
	for (size_t i = 0, at = 0; i < count; i++)
		if (items[i] != GEMP_NO_ITEM) {
			asked[at] = items[i];
			owner[at++] = gemp_item_rank(items[i]);
		}
	const gemp_request request = { asked, wanted, sizeof *asked, owner, read_table, &t };
	GEMP_TRY(gemp_request_records(comm, GEMP_OK, &request, size, found, traffic));
	for (size_t i = 0, at = 0; i < count; i++)
		if (items[i] != GEMP_NO_ITEM)
			memcpy((char *)answers + i * size, found + at++ * size, size);
	return GEMP_OK;
}

/* LISTS */

/* The list of one level of contraction. On the first level next[] and previous[] belong to the caller. */
typedef struct linked_list {
	size_t count;
	gemp_item *next;          /* [count] next item; GEMP_NO_ITEM at the end of the list */
	bool *previous;           /* [count] another item precedes the item */
	gemp_list_extent *extent; /* [count] at least one item for each */
	gemp_item *original;      /* [count] the item on the first level */
} linked_list;

/* Is the item alone in its list, open or closed? Then its position is known. */
static inline bool is_single(const gemp_comm *comm, const linked_list *list, size_t i)
{
	return list->next[i] == GEMP_NO_ITEM ? !list->previous[i] : list->next[i] == gemp_item_of(comm->rank, i);
}

static inline gemp_list_place single_place(const linked_list *list, size_t i)
{
	return (gemp_list_place){ list->original[i] | (list->previous[i] ? GEMP_LIST_CLOSED : 0), { 0 } };
}

/* SHORT LISTS: every rank gathers a short list and ranks it on its own. */

typedef struct gathered_link {
	gemp_item item, next, name;
	gemp_list_extent extent;
	uint64_t previous;
} gathered_link;

/* Local. Collects this rank's items that are not alone in their lists, with all the data that ranking needs. */
static void collect(const gemp_comm *comm, const linked_list *list, gathered_link *own)
{
	size_t at = 0;
	for (size_t i = 0; i < list->count; i++)
		if (!is_single(comm, list, i))
			own[at++] = (gathered_link){ gemp_item_of(comm->rank, i), list->next[i], list->original[i], list->extent[i],
				                         list->previous[i] };
}

/* The index of the item among all gathered links, which ascend by item. */
static size_t find(const gathered_link *links, size_t count, gemp_item item)
{
	size_t after;
	GEMP_PARTITION_POINT(after, 1, count, links[after].item <= item);
	return after - 1;
}

/* Local. Sets the positions of the items from `start` on, until the list ends or returns to `start`. */
static void rank_chain(const gathered_link *links, size_t count, size_t start, gemp_list_place *place, bool *done)
{
	gemp_list_extent before = { 0 };
	gemp_item first = links[start].name | (links[start].previous ? GEMP_LIST_CLOSED : 0);
	for (size_t at = start; !done[at]; at = find(links, count, links[at].next)) {
		done[at] = true;
		place[at] = (gemp_list_place){ first, before };
		before.items += links[at].extent.items;
		before.weight += links[at].extent.weight;
		if (links[at].next == GEMP_NO_ITEM)
			break;
	}
}

/* Local. Ranks open lists first, from their first items on. The remaining items are on closed lists, which may begin
 * anywhere. */
static void rank_all(const gathered_link *links, size_t count, gemp_list_place *place, bool *done)
{
	for (size_t i = 0; i < count; i++)
		if (!links[i].previous)
			rank_chain(links, count, i, place, done);
	for (size_t i = 0; i < count; i++)
		if (!done[i])
			rank_chain(links, count, i, place, done);
}

/* Collective. Every rank ranks the whole list, which is cheaper than more rounds of messages. */
static gemp_code rank_gathered(const gemp_comm *comm, const linked_list *list, size_t left, gemp_list_place *places)
{
	GEMP_OWNED gathered_link *own = NULL, *all = NULL;
	GEMP_OWNED size_t *begin = NULL;
	GEMP_OWNED gemp_list_place *place = NULL;
	GEMP_OWNED bool *done = NULL;
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(own, left)));
	collect(comm, list, own);
	GEMP_TRY(gemp_comm_allgather(comm, GEMP_OK, own, left * sizeof *own, (void **)&all, &begin));
	size_t count = begin[comm->size] / sizeof *all, at = begin[comm->rank] / sizeof *all;
	GEMP_TRY(gemp_comm_agree(comm, gemp_new_all(GEMP_ARRAY(place, count), GEMP_ARRAY(done, count))));
	rank_all(all, count, place, done);
	for (size_t i = 0; i < list->count; i++)
		places[i] = is_single(comm, list, i) ? single_place(list, i) : place[at++];
	return GEMP_OK;
}

/* CONTRACTION */

/* A walker that started at the splitter `from` and is now at `at`. `passed` is the extent of the items between them,
 * including the splitter. */
typedef struct walker {
	gemp_item from, at;
	gemp_list_extent passed;
} walker;

typedef struct walkers {
	size_t count, capacity;
	walker *walker;
} walkers;

/* One level of contraction. A splitter is an item of the next level: its rank, and its index among the splitters of
 * that rank. */
typedef struct contraction {
	const gemp_comm *comm;
	const linked_list *list;
	gemp_traffic *traffic;
	uint64_t seed;
	gemp_item *label;         /* [list->count] the last splitter before the item; GEMP_NO_ITEM: not known yet */
	gemp_list_extent *offset; /* [list->count] distance from this splitter; 0 items: the item is a splitter */
	size_t capacity;
	size_t *splitter_item; /* [splitters.count] index of the splitter's item on this level */
	linked_list splitters;
	gemp_list_place *place; /* [splitters.count] */
	walkers local;          /* walkers at items of this rank */
	walkers leaving;        /* walkers at items of other ranks */
	walkers arrived;        /* walkers at another splitter, or at the end of the list (GEMP_NO_ITEM) */
} contraction;

static void contraction_free(contraction *l)
{
	gemp_free_all(l->label, l->offset, l->splitter_item, l->splitters.next, l->splitters.extent, l->splitters.previous,
	              l->splitters.original, l->place, l->local.walker, l->leaving.walker, l->arrived.walker);
}

static gemp_list_extent sum(gemp_list_extent a, gemp_list_extent b)
{
	return (gemp_list_extent){ a.items + b.items, a.weight + b.weight };
}

static gemp_code add_walker(walkers *to, const walker *w)
{
	GEMP_TRY(GEMP_RESERVE(to->walker, to->capacity, to->count + 1));
	to->walker[to->count++] = *w;
	return GEMP_OK;
}

/* Adds the walker to the list of walkers that its place requires. */
static gemp_code send_walker(contraction *l, const walker *w)
{
	if (w->at == GEMP_NO_ITEM)
		return add_walker(&l->arrived, w);
	return add_walker(gemp_item_rank(w->at) == l->comm->rank ? &l->local : &l->leaving, w);
}

/* Local. Makes item i a splitter, and sends its walker to the next item. */
static gemp_code select_splitter(contraction *l, size_t i)
{
	size_t index = l->splitters.count;
	GEMP_TRY(GEMP_RESERVE(l->splitter_item, l->capacity, index + 1));
	l->splitter_item[index] = i;
	l->splitters.count++;
	l->label[i] = gemp_item_of(l->comm->rank, index);
	l->offset[i] = (gemp_list_extent){ 0 };
	return send_walker(l, &(walker){ l->label[i], l->list->next[i], l->list->extent[i] });
}

/* Local. Selects about one of list_rank_spacing items by a hash of the item, which every rank can compute on its own.
 * First items of open lists are also splitters, since no walk could reach them. */
static gemp_code select_splitters(contraction *l)
{
	const unsigned spacing = gemp_limits_now()->list_rank_spacing;
	for (size_t i = 0; i < l->list->count; i++) {
		l->label[i] = GEMP_NO_ITEM;
		bool selected = gemp_mix(gemp_item_of(l->comm->rank, i) ^ l->seed) % spacing == 0;
		if ((!l->list->previous[i] || selected) && !is_single(l->comm, l->list, i))
			GEMP_TRY(select_splitter(l, i));
	}
	return GEMP_OK;
}

/* Local. The items that no walker has reached are on closed lists without a splitter. All of them become splitters. */
static gemp_code select_remaining(contraction *l)
{
	for (size_t i = 0; i < l->list->count; i++)
		if (l->label[i] == GEMP_NO_ITEM && !is_single(l->comm, l->list, i))
			GEMP_TRY(select_splitter(l, i));
	return GEMP_OK;
}

/* Local. Each walker labels the items that it passes with its splitter and its distance, until it reaches another
 * splitter, the end of the list, or an item of another rank. The walkers advance in turn, by one item each. So many
 * independent memory accesses are under way at the same time, whereas a single walker would wait for each access. */
static gemp_code walk_local(contraction *l)
{
	while (l->local.count > 0) {
		size_t walking = l->local.count, kept = 0;
		for (size_t i = 0; i < walking; i++) {
			walker w = l->local.walker[i];
			size_t at = gemp_item_index(w.at);
			if (l->label[at] != GEMP_NO_ITEM && l->offset[at].items == 0) {
				w.at = l->label[at];
				GEMP_TRY(add_walker(&l->arrived, &w));
				continue;
			}
			l->label[at] = w.from;
			l->offset[at] = w.passed;
			w.passed = sum(w.passed, l->list->extent[at]);
			w.at = l->list->next[at];
			if (w.at != GEMP_NO_ITEM && gemp_item_rank(w.at) == l->comm->rank)
				l->local.walker[kept++] = w;
			else
				GEMP_TRY(add_walker(w.at == GEMP_NO_ITEM ? &l->arrived : &l->leaving, &w));
		}
		l->local.count = kept;
	}
	return GEMP_OK;
}

/* Collective. Moves the walkers of `from` to the rank of their splitter (by_origin), or to the rank of the item where
 * they are. Afterwards they are in `to`. */
static gemp_code exchange(contraction *l, walkers *from, walkers *to, bool by_origin)
{
	GEMP_OWNED int *owner = NULL;
	GEMP_OWNED void *received = NULL;
	GEMP_OWNED size_t *begin = NULL;
	gemp_code code = GEMP_NEW(owner, from->count);
	for (size_t i = 0; code == GEMP_OK && i < from->count; i++)
		owner[i] = gemp_item_rank(by_origin ? from->walker[i].from : from->walker[i].at);
	GEMP_TRY(gemp_exchange_records(l->comm, code, from->walker, from->count, sizeof(walker), owner, &received, &begin,
	                               l->traffic));
	gemp_free(to->walker);
	to->walker = received;
	received = NULL;
	to->count = to->capacity = begin[l->comm->size];
	from->count = from == to ? to->count : 0;
	return GEMP_OK;
}

/* Collective. Alternates between walks within ranks and exchanges of the walkers that leave for another rank, until no
 * walker is under way. */
static gemp_code walk(contraction *l)
{
	for (;;) {
		GEMP_TRY(gemp_comm_agree(l->comm, walk_local(l)));
		if (gemp_comm_sum1(l->comm, l->leaving.count) == 0)
			break;
		GEMP_TRY(exchange(l, &l->leaving, &l->local, false));
	}
	return GEMP_OK;
}

/* Collective. Walkers report to their splitters, which become the next list. */
static gemp_code link_splitters(contraction *l)
{
	linked_list *list = &l->splitters;
	GEMP_TRY(gemp_comm_agree(l->comm,
	                         gemp_new_all(GEMP_ARRAY(list->next, list->count), GEMP_ARRAY(list->extent, list->count),
	                                      GEMP_ARRAY(list->previous, list->count),
	                                      GEMP_ARRAY(list->original, list->count), GEMP_ARRAY(l->place, list->count))));
	GEMP_TRY(exchange(l, &l->arrived, &l->arrived, true));
	for (size_t i = 0; i < l->arrived.count; i++) {
		const walker *w = &l->arrived.walker[i];
		list->next[gemp_item_index(w->from)] = w->at;
		list->extent[gemp_item_index(w->from)] = w->passed;
	}
	for (size_t i = 0; i < list->count; i++) {
		list->previous[i] = l->list->previous[l->splitter_item[i]];
		list->original[i] = l->list->original[l->splitter_item[i]];
	}
	return GEMP_OK;
}

/* Collective. There are two walks. The second walk starts from splitters on closed lists that the first walk could not
 * reach. */
static gemp_code contract(contraction *l)
{
	gemp_code code = gemp_new_all(GEMP_ARRAY(l->label, l->list->count), GEMP_ARRAY(l->offset, l->list->count));
	GEMP_THEN(select_splitters(l));
	GEMP_TRY(gemp_comm_agree(l->comm, code));
	GEMP_TRY(walk(l));
	GEMP_TRY(gemp_comm_agree(l->comm, select_remaining(l)));
	GEMP_TRY(walk(l));
	return link_splitters(l);
}

/* Collective. The position of an item is the position of its splitter plus its distance. */
static gemp_code expand(const contraction *l, gemp_list_place *places)
{
	gemp_code code = gemp_items_look_up(l->comm, l->label, l->list->count, l->place, sizeof *places, places,
	                                    l->traffic);
	for (size_t i = 0; i < l->list->count && code == GEMP_OK; i++) {
		if (l->label[i] == GEMP_NO_ITEM)
			places[i] = single_place(l->list, i);
		else
			places[i].before = sum(places[i].before, l->offset[i]);
	}
	return code;
}

/* Collective. Ranks a list by contraction, or on every rank if few items are left. */
static gemp_code rank_level(const gemp_comm *comm, const linked_list *list, uint64_t seed, gemp_list_place *places,
                            gemp_traffic *traffic)
{
	GEMP_OWNED_BY(contraction_free)
	contraction l = { .comm = comm, .list = list, .traffic = traffic, .seed = gemp_mix(seed) };
	uint64_t left = 0;
	for (size_t i = 0; i < list->count; i++)
		left += !is_single(comm, list, i);
	if (gemp_comm_sum1(comm, left) <= gemp_limits_now()->list_rank_gather)
		return rank_gathered(comm, list, (size_t)left, places);
	GEMP_TRY(contract(&l));
	GEMP_TRY(rank_level(comm, &l.splitters, seed + 1, l.place, traffic));
	return expand(&l, places);
}

/* On the first level each item has the caller's weight and counts as one item. A splitter of a later level has the sums
 * of the items of its stretch. */
gemp_code gemp_list_rank(const gemp_comm *comm, const gemp_list_links *links, gemp_list_place *places,
                         gemp_traffic *traffic)
{
	GEMP_OWNED gemp_item *original = NULL;
	GEMP_OWNED gemp_list_extent *extent = NULL;
	GEMP_TRY(gemp_comm_agree(comm, gemp_new_all(GEMP_ARRAY(original, links->count), GEMP_ARRAY(extent, links->count))));
	for (size_t i = 0; i < links->count; i++) {
		original[i] = gemp_item_of(comm->rank, i);
		extent[i] = (gemp_list_extent){ 1, links->weight ? links->weight[i] : 0 };
	}
	const linked_list list = { links->count, (gemp_item *)links->next, (bool *)links->previous, extent, original };
	return rank_level(comm, &list, 0, places, traffic);
}
