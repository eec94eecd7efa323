#include "query/clause/group_runs.h"

enum { WRITE_GROUPS = 1 << 15 }; /* groups that are packed before they are written */

void gemp_group_runs_free(gemp_group_runs *runs)
{
	for (size_t r = 0; r < runs->count; r++)
		gemp_free(runs->at[r]);
	gemp_free(runs->at);
	gemp_scratch_close(&runs->file);
	*runs = (gemp_group_runs){ 0 };
}

/* Writes a block of packets. size[s + 1] grows by the bytes of slice s; later these numbers become offsets. */
static gemp_code write_groups(gemp_group_runs *runs, const gemp_group_set *set, const gemp_group_list *list,
                              size_t first, size_t count, uint64_t *size)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text packets = { 0 };
	GEMP_OWNED uint64_t *end = NULL;
	GEMP_TRY(GEMP_NEW(end, count));
	GEMP_TRY(gemp_group_packets_pack(set, list, NULL, first, count, &packets, end));
	for (size_t i = 0; i < count; i++)
		size[(list->hash[first + i] >> (64 - GEMP_GROUP_SLICE_BITS)) + 1] += end[i] - (i ? end[i - 1] : 0);
	return gemp_scratch_append(&runs->file, packets.data, packets.size);
}

gemp_code gemp_group_runs_add(gemp_group_runs *runs, gemp_group_set *set)
{
	GEMP_OWNED_BY(gemp_group_list_free) gemp_group_list list = { 0 };
	GEMP_OWNED uint64_t *at = NULL;
	GEMP_TRY(gemp_group_set_flush(set));
	GEMP_TRY(gemp_group_list_make(&list, set, 0, -1, 1));
	GEMP_TRY(GEMP_NEW(at, GEMP_GROUP_SLICES + 1));
	at[0] = runs->file.size;
	for (size_t first = 0; first < list.count; first += WRITE_GROUPS)
		GEMP_TRY(write_groups(runs, set, &list, first, gemp_min(list.count - first, (size_t)WRITE_GROUPS), at));
	for (size_t s = 0; s < GEMP_GROUP_SLICES; s++)
		at[s + 1] += at[s];
	GEMP_TRY(GEMP_RESERVE(runs->at, runs->capacity, runs->count + 1));
	runs->at[runs->count++] = at;
	at = NULL;
	gemp_group_set_clear(set);
	return GEMP_OK;
}

void gemp_group_runs_sizes(const gemp_group_runs *runs, uint64_t *bytes)
{
	for (size_t r = 0; r < runs->count; r++)
		for (size_t s = 0; s < GEMP_GROUP_SLICES; s++)
			bytes[s] += runs->at[r][s + 1] - runs->at[r][s];
}

/* Appends the bytes [begin, end) of the file. */
static gemp_code read_bytes(const gemp_group_runs *runs, uint64_t begin, uint64_t end, gemp_text *out)
{
	if (begin == end)
		return GEMP_OK;
	GEMP_TRY(GEMP_RESERVE(out->data, out->capacity, out->size + (end - begin) + 1));
	GEMP_TRY(gemp_scratch_read(&runs->file, begin, out->data + out->size, end - begin));
	out->size += end - begin;
	out->data[out->size] = '\0';
	return GEMP_OK;
}

gemp_code gemp_group_runs_read(const gemp_group_runs *runs, size_t first, size_t end, size_t ranks, gemp_text *out,
                               size_t *sizes)
{
	for (size_t owner = 0; owner < ranks; owner++) {
		const size_t before = out->size;
		const size_t from = first + owner * (end - first) / ranks, to = first + (owner + 1) * (end - first) / ranks;
		for (size_t r = 0; r < runs->count; r++)
			GEMP_TRY(read_bytes(runs, runs->at[r][from], runs->at[r][to], out));
		sizes[owner] = out->size - before;
	}
	return GEMP_OK;
}
