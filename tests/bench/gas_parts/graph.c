/* Makes the rows of a graph from its edge list on several threads: entries are distributed to buckets, sorted, and
 * parallel edges are removed. */
#include "gas_parts/graph.h"

#include "core/memory.h"
#include "core/random.h"
#include "core/status.h"
#include "core/threads.h"
#include "gas_parts/edge_list.h"

#include <stdatomic.h>
#include <string.h>

/* Entries of rows are distributed to buckets of neighbouring sources, so that a core sorts a bucket within its own
 * cache. The edge list is cut into RANGES ranges. */
enum { RANGES = 256, BUCKET_BITS = 10, MAX_BUCKETS = 1 << BUCKET_BITS, DIGIT = 11, TARGET_BIT = 0, SOURCE_BIT = 32 };

typedef struct making {
	graph *g;
	const edge_list *edges;
	const uint32_t *renamed; /* [vertices]; NULL: ids are unchanged */
	unsigned bits, shift;    /* bits: width of an id; source >> shift is the bucket of a source */
	size_t buckets;
	/* [buckets * RANGES + 1] entries that a range of the edge list has for a bucket, then their first position */
	uint64_t *positions;
	uint64_t *entry; /* source << 32 | target */
	uint64_t *kept;  /* [buckets + 1] distinct entries of a bucket, then the first position of the bucket */
	atomic_bool failed;
} making;

/* Goes over one range of the edge list. Counts its entries by bucket in next[]; with `put`, also writes each entry at
 * its bucket's position in next[]. */
static void scan_range(making *m, size_t range, uint64_t *next, bool put)
{
	size_t end = m->edges->count * (range + 1) / RANGES;
	for (size_t e = m->edges->count * range / RANGES; e < end; e++) {
		uint32_t a = m->edges->ends[e][0], b = m->edges->ends[e][1];
		if (a == b)
			continue;
		if (m->renamed) {
			a = m->renamed[a];
			b = m->renamed[b];
		}
		uint64_t *at_a = &next[a >> m->shift], *at_b = &next[b >> m->shift];
		if (put)
			m->entry[*at_a] = (uint64_t)a << SOURCE_BIT | b;
		++*at_a;
		if (put)
			m->entry[*at_b] = (uint64_t)b << SOURCE_BIT | a;
		++*at_b;
	}
}

static void count_range(void *context, unsigned thread, size_t range)
{
	(void)thread;
	making *m = context;
	uint64_t count[MAX_BUCKETS] = { 0 };
	scan_range(m, range, count, false);
	for (size_t b = 0; b < m->buckets; b++)
		m->positions[b * RANGES + range] = count[b];
}

static void distribute_range(void *context, unsigned thread, size_t range)
{
	(void)thread;
	making *m = context;
	uint64_t next[MAX_BUCKETS];
	for (size_t b = 0; b < m->buckets; b++)
		next[b] = m->positions[b * RANGES + range];
	scan_range(m, range, next, true);
}

static void sort_digit(const uint64_t *from, uint64_t *to, size_t count, unsigned bit, unsigned bits)
{
	uint32_t place[1 << DIGIT] = { 0 }, sum = 0;
	uint64_t mask = ((uint64_t)1 << bits) - 1;
	for (size_t i = 0; i < count; i++)
		place[from[i] >> bit & mask]++;
	for (size_t d = 0; d <= mask; d++) {
		uint32_t here = place[d];
		place[d] = sum;
		sum += here;
	}
	for (size_t i = 0; i < count; i++)
		to[place[from[i] >> bit & mask]++] = from[i];
}

/* Sorts in passes between a and b, and returns the array with the sorted entries. */
static uint64_t *sort_entries(uint64_t *a, uint64_t *b, size_t count, unsigned first, unsigned bits)
{
	for (unsigned done = 0; done < bits; done += DIGIT) {
		uint64_t *sorted = b;
		sort_digit(a, sorted, count, first + done, bits - done < DIGIT ? bits - done : DIGIT);
		b = a;
		a = sorted;
	}
	return a;
}

static void sort_bucket(void *context, unsigned thread, size_t bucket)
{
	(void)thread;
	making *m = context;
	uint64_t from = m->positions[bucket * RANGES], count = m->positions[(bucket + 1) * RANGES] - from;
	uint64_t before = UINT64_MAX, kept = 0;
	uint64_t *here = m->entry + from, *beside = gemp_calloc(count, sizeof *beside), *sorted;
	if (!beside) {
		m->failed = true;
		return;
	}
	sorted = sort_entries(here, beside, count, TARGET_BIT, m->bits);
	sorted = sort_entries(sorted, sorted == here ? beside : here, count, SOURCE_BIT, m->shift);
	for (size_t i = 0; i < count; i++) {
		uint64_t entry = sorted[i];
		if (entry != before)
			here[kept++] = entry;
		before = entry;
	}
	m->kept[bucket + 1] = kept;
	gemp_free(beside);
}

static void fill_rows(void *context, unsigned thread, size_t bucket)
{
	(void)thread;
	making *m = context;
	graph *g = m->g;
	const uint64_t *entry = m->entry + m->positions[bucket * RANGES];
	uint64_t at = m->kept[bucket], count = m->kept[bucket + 1] - at;
	uint64_t v = (uint64_t)bucket << m->shift, last = (bucket + 1) << m->shift;
	for (uint64_t i = 0; i < count; i++) {
		for (; v <= entry[i] >> SOURCE_BIT; v++)
			g->begin[v] = at + i;
		g->end[at + i] = (uint32_t)entry[i];
	}
	for (; v < last && v < g->vertices; v++)
		g->begin[v] = at + count;
}

static gemp_code make_rows(graph *g, const edge_list *edges, const uint32_t *renamed)
{
	gemp_code code = GEMP_OK;
	making m = { .g = g, .edges = edges, .renamed = renamed };
	g->vertices = edges->vertices;
	while (((uint64_t)1 << m.bits) < g->vertices)
		m.bits++;
	m.shift = m.bits > BUCKET_BITS ? m.bits - BUCKET_BITS : 0;
	m.buckets = (g->vertices >> m.shift) + 1;
	m.buckets = m.buckets > MAX_BUCKETS ? MAX_BUCKETS : m.buckets;
	GEMP_TRY_DONE(GEMP_NEW(m.positions, m.buckets * RANGES + 1));
	GEMP_TRY_DONE(GEMP_NEW(m.kept, m.buckets + 1));
	gemp_parallel_for(RANGES, count_range, &m);
	uint64_t sum = 0;
	for (size_t i = 0; i <= m.buckets * RANGES; i++) {
		uint64_t here = m.positions[i];
		m.positions[i] = sum;
		sum += here;
	}
	GEMP_TRY_DONE(GEMP_NEW(m.entry, sum));
	gemp_parallel_for(RANGES, distribute_range, &m);
	gemp_parallel_for(m.buckets, sort_bucket, &m);
	if (m.failed)
		GEMP_TRY_DONE(gemp_fail(GEMP_ENOMEM, "no memory to sort edges in"));
	gemp_prefix_inclusive(m.kept, m.buckets + 1);
	GEMP_TRY_DONE(GEMP_NEW(g->begin, (size_t)g->vertices + 1));
	GEMP_TRY_DONE(GEMP_NEW(g->end, m.kept[m.buckets]));
	gemp_parallel_for(m.buckets, fill_rows, &m);
	g->begin[g->vertices] = m.kept[m.buckets];
done:
	gemp_free(m.positions);
	gemp_free(m.kept);
	gemp_free(m.entry);
	return code;
}

/* renamed[old] is the vertex's position by descending degree; vertices of equal degree keep their order. */
static gemp_code order_by_degree(uint32_t **renamed, const graph *g)
{
	gemp_code code = GEMP_OK;
	uint32_t *first = NULL, most = 0;
	*renamed = NULL;
	for (uint32_t v = 0; v < g->vertices; v++)
		most = g->begin[v + 1] - g->begin[v] > most ? (uint32_t)(g->begin[v + 1] - g->begin[v]) : most;
	GEMP_TRY_DONE(GEMP_NEW(first, (size_t)most + 2));
	GEMP_TRY_DONE(GEMP_NEW(*renamed, g->vertices));
	for (uint32_t v = 0; v < g->vertices; v++)
		first[most - (g->begin[v + 1] - g->begin[v]) + 1]++;
	for (uint32_t d = 0; d <= most; d++)
		first[d + 1] += first[d];
	for (uint32_t v = 0; v < g->vertices; v++)
		(*renamed)[v] = first[most - (g->begin[v + 1] - g->begin[v])]++;
done:
	gemp_free(first);
	return code;
}

gemp_code graph_new(graph *out, const char *spec, bool by_degree)
{
	gemp_code code = GEMP_OK;
	edge_list edges = { 0 };
	uint32_t *renamed = NULL;
	*out = (graph){ 0 };
	GEMP_TRY_DONE(edge_list_new(&edges, spec));
	GEMP_TRY_DONE(make_rows(out, &edges, NULL));
	if (by_degree) {
		GEMP_TRY_DONE(order_by_degree(&renamed, out));
		graph_free(out);
		GEMP_TRY_DONE(make_rows(out, &edges, renamed));
		GEMP_TRY_DONE(GEMP_NEW(out->id, out->vertices));
		for (uint32_t v = 0; v < out->vertices; v++)
			out->id[renamed[v]] = v;
	}
done:
	gemp_free(renamed);
	edge_list_free(&edges);
	if (code != GEMP_OK)
		graph_free(out);
	return code;
}

void graph_free(graph *g)
{
	gemp_free(g->begin);
	gemp_free(g->end);
	gemp_free(g->id);
	*g = (graph){ 0 };
}

uint8_t graph_weight(const graph *g, uint32_t a, uint32_t b)
{
	if (g->id) {
		a = g->id[a];
		b = g->id[b];
	}
	return (uint8_t)(1 + gemp_mix((uint64_t)(a < b ? a : b) << 32 | (a < b ? b : a)) % 255);
}

uint32_t graph_source(const graph *g, unsigned index)
{
	uint64_t state = 27491095;
	for (unsigned found = 0;;) {
		uint32_t v = (uint32_t)gemp_random_below(&state, g->vertices), at = v;
		if (g->id)
			for (at = 0; g->id[at] != v; at++)
				continue;
		if (g->begin[at + 1] > g->begin[at] && found++ == index)
			return at;
	}
}
