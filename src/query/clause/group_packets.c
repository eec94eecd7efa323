#include "query/clause/group_packets.h"

#include "core/loop_failure.h"
#include "core/threads.h"

#include <string.h>

enum { CHUNK = 1 << 12 }; /* packets that a thread packs or reads at a time */

/* PACKING */

typedef struct pack_task {
	const gemp_group_set *set;
	const gemp_group_list *list;
	const uint32_t *picked;
	size_t first;
	gemp_text *texts; /* [chunks] */
	uint64_t *end;    /* ends within the chunk's text */
	gemp_loop_failure failure;
} pack_task;

static gemp_code pack_range(pack_task *t, gemp_text *out, size_t begin, size_t end)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text group = { 0 };
	for (size_t i = begin; i < end; i++) {
		const size_t at = t->picked ? t->picked[i] : t->first + i;
		gemp_text_clear(&group);
		GEMP_TRY(gemp_group_states_pack(gemp_group_list_table(t->list, t->set, at), t->set->form, t->list->group[at],
		                                &group));
		gemp_varint_pack(out, group.size);
		gemp_text_add(out, group.data, group.size);
		if (t->end)
			t->end[i] = out->size;
	}
	return gemp_text_status(out);
}

static void pack_chunk(void *context, size_t chunk, size_t begin, size_t end)
{
	pack_task *t = context;
	gemp_loop_record(&t->failure, pack_range(t, &t->texts[chunk], begin, end));
}

/* The chunks are packed concurrently and then joined. */
gemp_code gemp_group_packets_pack(const gemp_group_set *set, const gemp_group_list *list, const uint32_t *picked,
                                  size_t first, size_t count, gemp_text *out, uint64_t *end)
{
	const size_t chunks = (count + CHUNK - 1) / CHUNK;
	pack_task t = { .set = set, .list = list, .picked = picked, .first = first, .end = end };
	GEMP_TRY(GEMP_NEW(t.texts, chunks));
	gemp_for_chunks(count, CHUNK, pack_chunk, &t);
	gemp_code code = gemp_loop_status(&t.failure);
	for (size_t chunk = 0; chunk < chunks; chunk++) {
		for (size_t i = chunk * CHUNK; end && i < gemp_chunk_end(count, CHUNK, chunk); i++)
			end[i] += out->size;
		if (code == GEMP_OK)
			gemp_text_add(out, t.texts[chunk].data, t.texts[chunk].size);
		gemp_text_free(&t.texts[chunk]);
	}
	gemp_free(t.texts);
	return code == GEMP_OK ? gemp_text_status(out) : code;
}

/* MERGING */

/* Packets that are merged. Threads read the keys of chunks of packets; then each part's groups are one thread's. */
typedef struct merge_task {
	gemp_group_set *set;
	size_t count, capacity;
	const char **begin; /* [count] of the group in the packet; after the keys are read: of its states */
	uint64_t *keys;     /* [count * words] */
	uint8_t *part;      /* [count] */
	uint32_t *sorted;   /* [count] by part */
	size_t first[GEMP_GROUP_PARTS + 1];
	gemp_loop_failure failure;
} merge_task;

static void free_task(merge_task *t)
{
	gemp_free_all(t->begin, t->keys, t->part, t->sorted);
}

static gemp_code find_packets(merge_task *t, const char *bytes, size_t size)
{
	for (const char *at = bytes; at < bytes + size;) {
		const size_t group = (size_t)gemp_varint_unpack(&at);
		GEMP_TRY(GEMP_RESERVE(t->begin, t->capacity, t->count + 1));
		t->begin[t->count++] = at;
		at += group;
	}
	return GEMP_OK;
}

static gemp_code read_keys(merge_task *t, size_t begin, size_t end)
{
	const gemp_group_form *form = t->set->form;
	for (size_t i = begin; i < end; i++)
		GEMP_TRY(gemp_group_states_unpack_key(form, &t->begin[i], t->keys + i * form->words));
	return GEMP_OK;
}

static void read_chunk(void *context, size_t chunk, size_t begin, size_t end)
{
	merge_task *t = context;
	(void)chunk;
	gemp_loop_record(&t->failure, read_keys(t, begin, end));
}

/* Hashes are read from the tables of codes, which move while keys are read, so no thread may read keys any more. */
static void find_parts(void *context, size_t chunk, size_t begin, size_t end)
{
	merge_task *t = context;
	const gemp_group_form *form = t->set->form;
	(void)chunk;
	for (size_t i = begin; i < end; i++)
		t->part[i] = (uint8_t)gemp_group_part(gemp_group_hash(form, t->keys + i * form->words));
}

static gemp_code merge_part_groups(merge_task *t, size_t p)
{
	const gemp_group_form *form = t->set->form;
	for (size_t k = t->first[p]; k < t->first[p + 1]; k++) {
		const size_t i = t->sorted[k];
		GEMP_TRY(gemp_group_states_unpack(&t->set->parts[p], form, t->keys + i * form->words, &t->begin[i]));
	}
	return GEMP_OK;
}

static void merge_part(void *context, unsigned thread, size_t p)
{
	merge_task *t = context;
	(void)thread;
	if (!gemp_loop_failed(&t->failure))
		gemp_loop_record(&t->failure, merge_part_groups(t, p));
}

/* A counting sort. */
static void sort_by_part(merge_task *t)
{
	size_t at[GEMP_GROUP_PARTS];
	for (size_t i = 0; i < t->count; i++)
		t->first[t->part[i] + 1]++;
	for (size_t p = 0; p < GEMP_GROUP_PARTS; p++)
		t->first[p + 1] += t->first[p];
	memcpy(at, t->first, sizeof at);
	for (size_t i = 0; i < t->count; i++)
		t->sorted[at[t->part[i]]++] = (uint32_t)i;
}

gemp_code gemp_group_packets_merge(gemp_group_set *set, const char *bytes, size_t size)
{
	GEMP_OWNED_BY(free_task) merge_task t = { .set = set };
	GEMP_TRY(find_packets(&t, bytes, size));
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(t.keys, t.count * set->form->words), GEMP_ARRAY(t.part, t.count),
	                      GEMP_ARRAY(t.sorted, t.count)));
	gemp_for_chunks(t.count, CHUNK, read_chunk, &t);
	GEMP_TRY(gemp_loop_status(&t.failure));
	gemp_for_chunks(t.count, CHUNK, find_parts, &t);
	sort_by_part(&t);
	gemp_parallel_for(GEMP_GROUP_PARTS, merge_part, &t);
	return gemp_loop_status(&t.failure);
}
