#include "partition/base/host_sort.h"

#include "core/memory.h"

#include <string.h>

enum { BITS = 11, DIGITS = 6, VALUES = 1 << BITS };

static void count_digits(const uint64_t *keys, size_t count, size_t (*histogram)[VALUES])
{
	for (size_t i = 0; i < count; i++)
		for (int digit = 0; digit < DIGITS; digit++)
			histogram[digit][keys[i] >> (digit * BITS) & (VALUES - 1)]++;
}

static void scatter(const uint64_t *keys, const uint64_t *companions, size_t count, int shift, size_t *begin,
                    uint64_t *keys_out, uint64_t *companions_out)
{
	size_t sum = 0;
	for (int value = 0; value < VALUES; value++) {
		size_t here = begin[value];
		begin[value] = sum;
		sum += here;
	}
	for (size_t i = 0; i < count; i++) {
		size_t to = begin[keys[i] >> shift & (VALUES - 1)]++;
		keys_out[to] = keys[i];
		companions_out[to] = companions[i];
	}
}

static void insertion_sort(uint64_t *keys, uint64_t *companions, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		uint64_t key = keys[i], companion = companions[i];
		size_t to = i;
		for (; to > 0 && keys[to - 1] > key; to--) {
			keys[to] = keys[to - 1];
			companions[to] = companions[to - 1];
		}
		keys[to] = key;
		companions[to] = companion;
	}
}

gemp_code gemp_radix_sort(uint64_t *keys, uint64_t *companions, size_t count)
{
	gemp_code code = GEMP_OK;
	size_t(*histogram)[VALUES] = NULL;
	uint64_t *spare = NULL;
	if (count <= 64) {
		insertion_sort(keys, companions, count);
		return GEMP_OK;
	}
	GEMP_TRY(GEMP_NEW(histogram, DIGITS));
	GEMP_TRY(GEMP_NEW(spare, 2 * count));
	count_digits(keys, count, histogram);
	uint64_t *from = keys, *from_companions = companions, *to = spare, *to_companions = spare + count;
	for (int digit = 0; digit < DIGITS; digit++) {
		if (histogram[digit][keys[0] >> (digit * BITS) & (VALUES - 1)] == count)
			continue;
		scatter(from, from_companions, count, digit * BITS, histogram[digit], to, to_companions);
		uint64_t *swap = from;
		from = to;
		to = swap;
		swap = from_companions;
		from_companions = to_companions;
		to_companions = swap;
	}
	if (from != keys) {
		memcpy(keys, from, count * sizeof *keys);
		memcpy(companions, from_companions, count * sizeof *companions);
	}
done:
	gemp_free(spare);
	gemp_free(histogram);
	return code;
}

enum {
	SHORT = 40,  /* up to here insertion is faster than counting digits */
	LONG = 2048, /* from here on wide digits are worth their counters */
	NARROW_DIGIT = 8,
	WIDE_DIGIT = 11,
};

static void insert(gemp_vertex *slots, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		gemp_vertex slot = slots[i];
		size_t at = i;
		for (; at > 0 && slots[at - 1] > slot; at--)
			slots[at] = slots[at - 1];
		slots[at] = slot;
	}
}

static void insert_with_edges(gemp_vertex *slots, gemp_edge *edges, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		gemp_vertex slot = slots[i];
		gemp_edge edge = edges[i];
		size_t at = i;
		for (; at > 0 && slots[at - 1] > slot; at--) {
			slots[at] = slots[at - 1];
			edges[at] = edges[at - 1];
		}
		slots[at] = slot;
		edges[at] = edge;
	}
}

static void move(const gemp_vertex *slots, const gemp_edge *edges, size_t count, unsigned shift, unsigned width,
                 size_t *next, gemp_vertex *to_slots, gemp_edge *to_edges)
{
	gemp_vertex mask = ((gemp_vertex)1 << width) - 1;
	for (size_t i = 0; i < count; i++) {
		size_t at = next[slots[i] >> shift & mask]++;
		to_slots[at] = slots[i];
		if (edges)
			to_edges[at] = edges[i];
	}
}

/* From the least digit to the greatest; digits that are all alike are passed over. */
static void sort_by_digits(gemp_vertex *slots, gemp_edge *edges, size_t count, unsigned bits, unsigned width,
                           gemp_vertex *spare_slots, gemp_edge *spare_edges)
{
	size_t next[1 << WIDE_DIGIT];
	gemp_vertex *from = slots, *to = spare_slots, mask = ((gemp_vertex)1 << width) - 1;
	gemp_edge *from_edges = edges, *to_edges = spare_edges;
	for (unsigned shift = 0; shift < bits; shift += width) {
		memset(next, 0, sizeof *next << width);
		for (size_t i = 0; i < count; i++)
			next[from[i] >> shift & mask]++;
		if (next[from[0] >> shift & mask] == count)
			continue;
		for (size_t d = 0, before = 0; d <= mask; d++) {
			size_t here = next[d];
			next[d] = before;
			before += here;
		}
		move(from, from_edges, count, shift, width, next, to, to_edges);
		gemp_vertex *slots_now = to;
		gemp_edge *edges_now = to_edges;
		to = from;
		to_edges = from_edges;
		from = slots_now;
		from_edges = edges_now;
	}
	if (from == slots)
		return;
	memcpy(slots, from, count * sizeof *slots);
	if (edges)
		memcpy(edges, from_edges, count * sizeof *edges);
}

void gemp_row_sort(gemp_vertex *slots, gemp_edge *edges, size_t count, unsigned bits, gemp_vertex *spare_slots,
                   gemp_edge *spare_edges)
{
	if (count > SHORT)
		sort_by_digits(slots, edges, count, bits, count < LONG ? NARROW_DIGIT : WIDE_DIGIT, spare_slots, spare_edges);
	else if (edges)
		insert_with_edges(slots, edges, count);
	else
		insert(slots, count);
}
