#include "assembly/items.h"

#include "core/memory.h"

#include <string.h>

typedef struct table {
	const char *elements;
	size_t size;
} table;

/* Request handler: the elements of this rank's table. */
static gemp_code read_table(void *self, const void *records, size_t count, uint64_t *answers)
{
	const table *t = self;
	const gemp_item *items = records;
	for (size_t i = 0; i < count; i++)
		memcpy((char *)answers + i * t->size, t->elements + gemp_item_index(items[i]) * t->size, t->size);
	return GEMP_OK;
}

/* One rank needs no request. */
static void look_up_here(const gemp_item *items, size_t count, const table *t, char *answers)
{
	for (size_t i = 0; i < count; i++)
		if (items[i] != GEMP_NO_ITEM)
			memcpy(answers + i * t->size, t->elements + gemp_item_index(items[i]) * t->size, t->size);
}

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
	GEMP_PROPAGATE(gemp_comm_agree(
		comm, gemp_new_all(GEMP_ARRAY(asked, wanted), GEMP_ARRAY(owner, wanted), GEMP_ARRAY(found, wanted * size))));
	for (size_t i = 0, at = 0; i < count; i++)
		if (items[i] != GEMP_NO_ITEM) {
			asked[at] = items[i];
			owner[at++] = gemp_item_rank(items[i]);
		}
	const gemp_request request = { asked, wanted, sizeof *asked, owner, read_table, &t };
	GEMP_PROPAGATE(gemp_request_records(comm, GEMP_OK, &request, size, found, traffic));
	for (size_t i = 0, at = 0; i < count; i++)
		if (items[i] != GEMP_NO_ITEM)
			memcpy((char *)answers + i * size, found + at++ * size, size);
	return GEMP_OK;
}
