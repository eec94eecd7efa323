#include "partition/base/row_sort.h"

#include <string.h>

enum {
	SHORT = 40,  /* up to here insertion is faster than counting digits */
	LONG = 2048, /* from here on wide digits are worth their counters */
	NARROW_DIGIT = 8,
	WIDE_DIGIT = 11,
};

/* Inlined with and without edges, so that the loop does not test for them. */
static inline __attribute__((always_inline)) void insertion_sort(gemp_vertex *slots, gemp_edge *edges, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		gemp_vertex slot = slots[i];
		gemp_edge edge = edges ? edges[i] : 0;
		size_t at = i;
		for (; at > 0 && slots[at - 1] > slot; at--) {
			slots[at] = slots[at - 1];
			if (edges)
				edges[at] = edges[at - 1];
		}
		slots[at] = slot;
		if (edges)
			edges[at] = edge;
	}
}

/* One pass of the radix sort: every slot goes to the next free place of its digit. */
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
		insertion_sort(slots, edges, count);
	else
		insertion_sort(slots, NULL, count);
}
