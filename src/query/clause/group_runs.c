#include "query/clause/group_runs.h"

enum {
	WRITE_GROUPS = 1 << 15, /* max number of groups that are packed before they are written */
	READ_ENTRIES = 256,     /* entries of an index that are read together */
	SIZE_BITS = 64 -
	            GEMP_GROUP_SLICE_BITS, /* an entry has the slice in its upper bits and the bytes in the lower ones */
};

void gemp_group_runs_free(gemp_group_runs *runs)
{
	gemp_free_all(runs->runs, runs->slice_bytes);
	gemp_scratch_close(&runs->file);
	*runs = (gemp_group_runs){ 0 };
}

static uint64_t slice_of(uint64_t hash)
{
	return hash >> (64 - GEMP_GROUP_SLICE_BITS);
}

/* The index of the run that is being written. */
typedef struct run_index {
	size_t count, capacity;
	uint64_t *entries;
} run_index;

static gemp_code add_packet(run_index *index, uint64_t slice, uint64_t bytes)
{
	if (index->count && index->entries[index->count - 1] >> SIZE_BITS == slice) {
		index->entries[index->count - 1] += bytes;
		return GEMP_OK;
	}
	GEMP_TRY(GEMP_RESERVE(index->entries, index->capacity, index->count + 1));
	index->entries[index->count++] = slice << SIZE_BITS | bytes;
	return GEMP_OK;
}

/* Writes a block of packets. */
static gemp_code write_groups(gemp_group_runs *runs, const gemp_group_set *set, const gemp_group_list *list,
                              size_t first, size_t count, run_index *index)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text packets = { 0 };
	GEMP_OWNED uint64_t *end = NULL;
	GEMP_TRY(GEMP_NEW(end, count));
	GEMP_TRY(gemp_group_packets_pack(set, list, NULL, first, count, &packets, end));
	for (size_t i = 0; i < count; i++) {
		const uint64_t slice = slice_of(list->hash[first + i]), bytes = end[i] - (i ? end[i - 1] : 0);
		GEMP_TRY(add_packet(index, slice, bytes));
		runs->slice_bytes[slice] += bytes;
	}
	return gemp_scratch_append(&runs->file, packets.data, packets.size);
}

gemp_code gemp_group_runs_add(gemp_group_runs *runs, gemp_group_set *set)
{
	GEMP_OWNED_BY(gemp_group_list_free) gemp_group_list list = { 0 };
	run_index index = { 0 };
	GEMP_TRY(gemp_group_set_flush(set));
	GEMP_TRY(gemp_group_list_make(&list, set, 0, -1, 1));
	GEMP_TRY(GEMP_RESERVE(runs->runs, runs->capacity, runs->count + 1));
	if (!runs->slice_bytes)
		GEMP_TRY(GEMP_NEW(runs->slice_bytes, GEMP_GROUP_SLICES));
	gemp_group_run run = { .packets = runs->file.size };
	gemp_code code = GEMP_OK;
	for (size_t first = 0; first < list.count; first += WRITE_GROUPS)
		GEMP_THEN(write_groups(runs, set, &list, first, gemp_min(list.count - first, (size_t)WRITE_GROUPS), &index));
	run.index = runs->file.size;
	if (index.count)
		GEMP_THEN(gemp_scratch_append(&runs->file, index.entries, index.count * sizeof *index.entries));
	run.index_end = runs->file.size;
	gemp_free(index.entries);
	GEMP_TRY(code);
	runs->runs[runs->count++] = run;
	gemp_group_set_clear(set);
	return GEMP_OK;
}

/* *bytes becomes the bytes of the run's next packets up to slice `end`, and their entries count as read. */
static gemp_code take_entries(const gemp_scratch_file *file, gemp_group_run *run, size_t end, uint64_t *bytes)
{
	uint64_t entries[READ_ENTRIES];
	*bytes = 0;
	while (run->index < run->index_end) {
		const size_t left = (size_t)(run->index_end - run->index), size = gemp_min(left, sizeof entries);
		GEMP_TRY(gemp_scratch_read(file, run->index, entries, size));
		for (size_t i = 0; i < size / sizeof *entries; i++, run->index += sizeof *entries) {
			if (entries[i] >> SIZE_BITS >= end)
				return GEMP_OK;
			*bytes += entries[i] & (((uint64_t)1 << SIZE_BITS) - 1);
		}
	}
	return GEMP_OK;
}

/* Appends the run's next packets up to slice `end`. */
static gemp_code read_packets(const gemp_scratch_file *file, gemp_group_run *run, size_t end, gemp_text *out)
{
	uint64_t bytes;
	GEMP_TRY(take_entries(file, run, end, &bytes));
	if (bytes == 0)
		return GEMP_OK;
	GEMP_TRY(GEMP_RESERVE(out->data, out->capacity, out->size + bytes + 1));
	GEMP_TRY(gemp_scratch_read(file, run->packets, out->data + out->size, bytes));
	run->packets += bytes;
	out->size += bytes;
	out->data[out->size] = '\0';
	return GEMP_OK;
}

gemp_code gemp_group_runs_read(gemp_group_runs *runs, size_t first, size_t end, size_t ranks, gemp_text *out,
                               size_t *sizes)
{
	for (size_t owner = 0; owner < ranks; owner++) {
		const size_t before = out->size, to = first + (owner + 1) * (end - first) / ranks;
		for (size_t r = 0; r < runs->count; r++)
			GEMP_TRY(read_packets(&runs->file, &runs->runs[r], to, out));
		sizes[owner] = out->size - before;
	}
	return GEMP_OK;
}
