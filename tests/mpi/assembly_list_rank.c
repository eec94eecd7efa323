/* Tests positions in random open and closed lists that are distributed over ranks. The reference follows each list item
 * by item. */
#include "core/memory.h"
#include "harness/collective.h"

#include "assembly/list_rank.h"
#include "comm/comm.h"
#include "core/random.h"
#include "core/status.h"
#include "harness/limits.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_ITEMS = 2000, CASES = 40 };

/* The whole lists, the same on all ranks. Item i is on rank owner[i], where its index is index_of[i]. next[i] is
 * SIZE_MAX at the end of an open list, and previous[i] says whether an item precedes item i. */
static size_t items, next[MAX_ITEMS], index_of[MAX_ITEMS], owned[9];
static int owner[MAX_ITEMS];
static bool previous[MAX_ITEMS];
static uint64_t weight[MAX_ITEMS];

static gemp_item item_of(size_t i)
{
	return i == SIZE_MAX ? GEMP_NO_ITEM : gemp_item_of(owner[i], index_of[i]);
}

/* Draws the cycles of a random permutation and cuts some of them open. In one case of four, all lists have the same
 * size. */
static void draw_lists(uint64_t *random)
{
	size_t order[MAX_ITEMS], size = 1 + gemp_random_below(random, 5);
	bool alike = gemp_random_below(random, 4) == 0;
	items = gemp_random_below(random, MAX_ITEMS);
	uint64_t open = gemp_random_below(random, 3), max_more = 1 + gemp_random_below(random, 200);
	memset(owned, 0, sizeof owned);
	memset(previous, 0, sizeof previous);
	for (size_t i = 0; i < items; i++) {
		order[i] = i;
		owner[i] = (int)gemp_random_below(random, (uint64_t)test_comm.size);
		index_of[i] = owned[owner[i]]++;
		weight[i] = gemp_random_below(random, 100);
	}
	for (size_t i = items; i-- > 1;) {
		size_t j = gemp_random_below(random, i + 1), other = order[i];
		order[i] = order[j];
		order[j] = other;
	}
	for (size_t begin = 0; begin < items; begin += size) {
		if (!alike)
			size = 1 + gemp_random_below(random, max_more);
		size = size < items - begin ? size : items - begin;
		for (size_t i = 0; i < size; i++)
			next[order[begin + i]] = order[begin + (i + 1) % size];
		if (gemp_random_below(random, 2) < open)
			next[order[begin + size - 1]] = SIZE_MAX;
	}
	for (size_t i = 0; i < items; i++)
		if (next[i] != SIZE_MAX)
			previous[next[i]] = true;
}

/* This rank's items: the input of list ranking, and the places that it returns. */
typedef struct own_lists {
	gemp_item *next;
	bool *previous;
	uint64_t *weight;
	gemp_list_place *place;
} own_lists;

static gemp_code rank_lists(own_lists *m)
{
	gemp_code code = GEMP_OK;
	size_t count = owned[test_comm.rank];
	code = gemp_new_all(GEMP_ARRAY(m->next, count), GEMP_ARRAY(m->previous, count), GEMP_ARRAY(m->weight, count),
	                    GEMP_ARRAY(m->place, count));
	GEMP_TRY_DONE(gemp_comm_agree(&test_comm, code));
	for (size_t i = 0; i < items; i++)
		if (owner[i] == test_comm.rank) {
			m->next[index_of[i]] = item_of(next[i]);
			m->previous[index_of[i]] = previous[i];
			m->weight[index_of[i]] = weight[i];
		}
	const gemp_list_links links = { count, m->next, m->previous, m->weight };
	GEMP_TRY_DONE(gemp_list_rank(&test_comm, &links, m->place, NULL));
done:
	return code;
}

static void free_own_lists(own_lists *m)
{
	gemp_free(m->next);
	gemp_free(m->previous);
	gemp_free(m->weight);
	gemp_free(m->place);
}

/* Does every own item of the list that begins at item `first` have the right first item and the right distance from
 * it? */
static bool is_right(const gemp_list_place *place, size_t first, bool closed)
{
	gemp_list_extent before = { 0 };
	size_t at = first;
	do {
		if (owner[at] == test_comm.rank) {
			const gemp_list_place *p = &place[index_of[at]];
			if (p->first != (item_of(first) | (closed ? GEMP_LIST_CLOSED : 0)) || p->before.items != before.items ||
			    p->before.weight != before.weight)
				return false;
		}
		before.items++;
		before.weight += weight[at];
		at = next[at];
	} while (at != SIZE_MAX && at != first);
	return true;
}

static bool open_are_right(const gemp_list_place *place)
{
	for (size_t i = 0; i < items; i++)
		if (!previous[i] && !is_right(place, i, false))
			return false;
	return true;
}

/* An item of a closed list must name some item of its list as the first item and give its distance from that item. */
static bool closed_are_right(const gemp_list_place *place)
{
	for (size_t i = 0; i < items; i++) {
		if (owner[i] != test_comm.rank || !(place[index_of[i]].first & GEMP_LIST_CLOSED))
			continue;
		gemp_item first = place[index_of[i]].first & ~GEMP_LIST_CLOSED;
		size_t at = i, steps = 0;
		while (item_of(at) != first && next[at] != SIZE_MAX && steps++ < items)
			at = next[at];
		if (item_of(at) != first || !is_right(place, at, true))
			return false;
	}
	return true;
}

static void random_lists(void **state)
{
	(void)state;
	uint64_t random = test_seed_all();
	for (int c = 0; c < CASES / (test_comm.size > 4 ? 4 : 1); c++) {
		own_lists m = { 0 };
		draw_lists(&random);
		TEST_LIMIT(list_rank_gather, (size_t)1 << gemp_random_below(&random, 12));
		TEST_LIMIT(list_rank_spacing, 2 + (unsigned)gemp_random_below(&random, 8));
		assert_all_ok(rank_lists(&m));
		assert_all(open_are_right(m.place) && closed_are_right(m.place));
		free_own_lists(&m);
	}
	TEST_LIMIT_DEFAULT(list_rank_gather);
	TEST_LIMIT_DEFAULT(list_rank_spacing);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_lists),
	};
	return test_main_all(argc, argv, tests);
}
