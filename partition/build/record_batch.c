#include "partition/build/record_batch.h"

#include "core/search.h"

void gemp_record_batch_open(gemp_record_batch *batch, const gemp_record_source *source, uint64_t begin, uint64_t end)
{
	batch->at = begin;
	batch->end = end;
	batch->source = source->from ? gemp_range_find(source->from->begin, source->from->rows, begin)
	                             : gemp_range_find(source->list_begin, source->list_count, begin);
}

static void read_pairs(const gemp_record_source *source, gemp_record_batch *batch)
{
	while (batch->at >= source->list_begin[batch->source + 1])
		batch->source++;
	const gemp_edge_pair *pairs = source->lists[batch->source].pairs + (batch->at - source->list_begin[batch->source]);
	const uint32_t first = (uint32_t)source->first;
	batch->count = gemp_min(batch->count, source->list_begin[batch->source + 1] - batch->at);
	for (size_t i = 0; i < batch->count; i++) {
		batch->row[i] = pairs[i].source - first;
		batch->slot[i] = pairs[i].target;
	}
}

/* Reads at most GEMP_BATCH_RECORDS / 2 pairs, and returns their number. A loop is one record. */
static size_t read_both(const gemp_record_source *source, gemp_record_batch *batch)
{
	while (batch->at >= source->list_begin[batch->source + 1])
		batch->source++;
	const gemp_edge_pair *pairs = source->lists[batch->source].pairs + (batch->at - source->list_begin[batch->source]);
	const uint32_t first = (uint32_t)source->first;
	const size_t taken = gemp_min(gemp_min(batch->end, source->list_begin[batch->source + 1]) - batch->at,
	                              GEMP_BATCH_RECORDS / 2);
	size_t count = 0;
	for (size_t i = 0; i < taken; i++) {
		const gemp_vertex from = pairs[i].source, to = pairs[i].target;
		batch->row[count] = from - first;
		batch->slot[count] = to;
		count += from - first < source->rows;
		batch->row[count] = to - first;
		batch->slot[count] = from;
		count += to - first < source->rows && from != to;
	}
	batch->count = count;
	return taken;
}

static void read_rows(const gemp_record_source *source, gemp_record_batch *batch)
{
	const uint64_t *begin = source->from->begin;
	const gemp_vertex *slots = source->from->slots + batch->at;
	const uint32_t first = (uint32_t)source->first;
	for (size_t i = 0; i < batch->count;) {
		while (batch->at + i >= begin[batch->source + 1])
			batch->source++;
		uint32_t slot = (uint32_t)(source->from->first + batch->source);
		for (size_t end = gemp_min(batch->count, begin[batch->source + 1] - batch->at); i < end; i++) {
			batch->row[i] = slots[i] - first;
			batch->slot[i] = slot;
		}
	}
}

bool gemp_record_batch_read(gemp_record_batch *batch, const gemp_record_source *source)
{
	batch->count = gemp_min(batch->end - batch->at, GEMP_BATCH_RECORDS);
	if (!batch->count)
		return false;
	if (source->both) {
		batch->at += read_both(source, batch);
		return true;
	}
	if (source->from)
		read_rows(source, batch);
	else
		read_pairs(source, batch);
	batch->at += batch->count;
	return true;
}
