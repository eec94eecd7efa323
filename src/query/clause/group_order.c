#include "query/clause/group_order.h"

#include "core/loop_failure.h"
#include "core/threads.h"

#include <string.h>

void gemp_group_list_free(gemp_group_list *list)
{
	gemp_free_all(list->hash, list->group);
	*list = (gemp_group_list){ 0 };
}

typedef struct list_entry {
	uint64_t hash;
	uint32_t group;
} list_entry;

typedef struct list_task {
	gemp_group_list *list;
	const gemp_group_set *set;
	unsigned bits;
	int owner, ranks;
	size_t count[GEMP_GROUP_PARTS];
	gemp_loop_failure failure;
} list_task;

/* Compares the keys of two groups with equal hashes by their bytes. Different keys have equal hashes only by chance,
 * but the order must not depend on the ranks then either. */
static int compare_keys(const gemp_group_form *form, const gemp_group_states *table, uint32_t a, uint32_t b)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text left = { 0 };
	GEMP_OWNED_BY(gemp_text_free) gemp_text right = { 0 };
	gemp_group_states_pack_key(form, gemp_code_table_key(&table->keys, a), &left);
	gemp_group_states_pack_key(form, gemp_code_table_key(&table->keys, b), &right);
	return gemp_compare_bytes(left.data, left.size, right.data, right.size);
}

static bool is_before(const gemp_group_form *form, const gemp_group_states *table, const list_entry *a,
                      const list_entry *b)
{
	if (a->hash != b->hash)
		return a->hash < b->hash;
	return compare_keys(form, table, a->group, b->group) < 0;
}

/* Hashes are evenly distributed, so after a counting sort by about log2(count) of their bits an entry is on average
 * less than one place from its own, and an insertion sort takes linear time. */
static gemp_code sort_entries(const gemp_group_form *form, const gemp_group_states *table, const list_entry *entries,
                              size_t count, uint64_t *hash, uint32_t *group)
{
	enum { MAX_BITS = 20 };
	unsigned bits = 1;
	GEMP_OWNED uint32_t *at = NULL;
	while (bits < MAX_BITS && (size_t)1 << bits < count)
		bits++;
	GEMP_TRY(GEMP_NEW(at, ((size_t)1 << bits) + 1));
	for (size_t i = 0; i < count; i++)
		at[(entries[i].hash << GEMP_GROUP_PART_BITS >> (64 - bits)) + 1]++;
	for (size_t b = 0; b < (size_t)1 << bits; b++)
		at[b + 1] += at[b];
	for (size_t i = 0; i < count; i++) {
		const uint32_t place = at[entries[i].hash << GEMP_GROUP_PART_BITS >> (64 - bits)]++;
		hash[place] = entries[i].hash;
		group[place] = entries[i].group;
	}
	for (size_t i = 1; i < count; i++) {
		const list_entry moved = { hash[i], group[i] };
		size_t k = i;
		for (; k > 0 && is_before(form, table, &moved, &(list_entry){ hash[k - 1], group[k - 1] }); k--) {
			hash[k] = hash[k - 1];
			group[k] = group[k - 1];
		}
		hash[k] = moved.hash;
		group[k] = moved.group;
	}
	return GEMP_OK;
}

/* list->begin[p] is where the part's groups would begin if all groups were listed. */
static gemp_code list_groups(list_task *t, size_t p)
{
	const gemp_group_states *table = &t->set->parts[p];
	const gemp_group_form *form = t->set->form;
	GEMP_OWNED list_entry *entries = NULL;
	size_t count = 0;
	GEMP_TRY(GEMP_NEW(entries, table->keys.count));
	for (size_t g = 0; g < table->keys.count; g++) {
		const uint64_t hash = gemp_group_hash(form, gemp_code_table_key(&table->keys, g));
		if (t->owner < 0 || gemp_group_owner(hash, t->bits, t->ranks) == t->owner)
			entries[count++] = (list_entry){ hash, (uint32_t)g };
	}
	t->count[p] = count;
	return sort_entries(form, table, entries, count, t->list->hash + t->list->begin[p],
	                    t->list->group + t->list->begin[p]);
}

static void list_part(void *context, unsigned thread, size_t p)
{
	list_task *t = context;
	(void)thread;
	if (t->set->parts[p].keys.count && !gemp_loop_failed(&t->failure))
		gemp_loop_record(&t->failure, list_groups(t, p));
}

gemp_code gemp_group_list_make(gemp_group_list *list, const gemp_group_set *set, unsigned bits, int owner, int ranks)
{
	list_task t = { .list = list, .set = set, .bits = bits, .owner = owner, .ranks = ranks };
	for (size_t p = 0; p < GEMP_GROUP_PARTS; p++)
		list->begin[p + 1] = list->begin[p] + set->parts[p].keys.count;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(list->hash, list->begin[GEMP_GROUP_PARTS]),
	                      GEMP_ARRAY(list->group, list->begin[GEMP_GROUP_PARTS])));
	gemp_parallel_for(GEMP_GROUP_PARTS, list_part, &t);
	for (size_t p = 0; p < GEMP_GROUP_PARTS; p++) {
		const size_t from = list->begin[p];
		memmove(list->hash + list->count, list->hash + from, t.count[p] * sizeof *list->hash);
		memmove(list->group + list->count, list->group + from, t.count[p] * sizeof *list->group);
		list->begin[p] = list->count;
		list->count += t.count[p];
	}
	list->begin[GEMP_GROUP_PARTS] = list->count;
	return gemp_loop_status(&t.failure);
}
