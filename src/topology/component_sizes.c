#include "topology/component_sizes.h"

#include "comm/exchange.h"
#include "core/memory.h"
#include "core/search.h"
#include "core/threads.h"
#include "partition/exchange/value_exchange.h"
#include "primitive/distinct.h"

enum { CACHE_BITS = 6, CACHE = 1 << CACHE_BITS };

/* The input and the state of loops over own vertices. */
typedef struct size_loop {
	gemp_components *out;
	const gemp_vertex *set_of;
	const gemp_csr *csr;
	size_t count;
	gemp_vertex first;
	gemp_components *partial; /* [ranges] the counts of each range of rows */
} size_loop;

/* Threads add with relaxed atomics, which the end of the loop orders. */
static void add_size(gemp_vertex *size, gemp_vertex vertices)
{
	if (vertices)
		__atomic_fetch_add(size, vertices, __ATOMIC_RELAXED);
}

/* Counts the rows of each set. Threads would wait for one another at the counter of a set with most vertices, so each
 * thread counts in a direct-mapped cache of sets, and adds a count when another set needs its place. Roots are counted
 * without the cache, since the isolated vertices would evict the largest set from it again and again: half of the
 * vertices of R-MAT 24 are isolated, and 32 threads waited 16 ms for one another (2026-11-30). */
static void count_sets(void *context, size_t begin, size_t end)
{
	const size_loop *l = context;
	gemp_vertex *size = l->out->size, sets[CACHE] = { 0 }, counts[CACHE] = { 0 };
	for (size_t row = begin; row < end; row++) {
		const gemp_vertex set = l->set_of[row];
		if (set == row) {
			add_size(&size[row], 1);
			continue;
		}
		const size_t place = set * UINT32_C(0x9e3779b1) >> (32 - CACHE_BITS);
		if (sets[place] != set) {
			add_size(&size[sets[place]], counts[place]);
			sets[place] = set;
			counts[place] = 0;
		}
		counts[place]++;
	}
	for (size_t place = 0; place < CACHE; place++)
		add_size(&size[sets[place]], counts[place]);
}

/* A set that has another name than its root. */
static bool is_renamed(const void *self, size_t row)
{
	const size_loop *l = self;
	return l->out->size[row] && l->out->component[row] != l->first + row;
}

/* Local. Lists the sizes of sets that have another name than their root, and takes them from their roots. */
static gemp_code part_sizes(const size_loop *l, gemp_component_part **parts, size_t *count)
{
	const gemp_components *out = l->out;
	GEMP_OWNED uint64_t *renamed = NULL;
	size_t renamed_count = 0;
	GEMP_TRY(gemp_pick(&renamed, &renamed_count, out->rows, is_renamed, l));
	GEMP_TRY(GEMP_NEW(*parts, renamed_count));
	for (size_t i = 0; i < renamed_count; i++) {
		const size_t row = (size_t)renamed[i];
		(*parts)[(*count)++] = (gemp_component_part){ out->component[row], out->size[row] };
		out->size[row] = 0;
	}
	return GEMP_OK;
}

gemp_code gemp_component_parts_send(const gemp_comm *comm, gemp_code code, const uint64_t *bounds,
                                    const gemp_component_part *parts, size_t count, gemp_component_part **received,
                                    size_t *received_count, gemp_traffic *traffic)
{
	GEMP_OWNED int *owner = NULL;
	GEMP_OWNED size_t *from = NULL;
	GEMP_THEN(GEMP_NEW(owner, count));
	for (size_t i = 0; code == GEMP_OK && i < count; i++)
		owner[i] = (int)gemp_range_find(bounds, (size_t)comm->size, parts[i].component);
	GEMP_TRY(gemp_exchange_records(comm, code, parts, count, sizeof *parts, owner, (void **)received, &from, traffic));
	*received_count = from[comm->size];
	return GEMP_OK;
}

/* Has the vertex an edge? A component of one vertex has an edge if it has a loop. */
static bool has_edges(const gemp_csr *csr, size_t count, size_t row)
{
	for (size_t c = 0; c < count; c++)
		if (csr[c].begin[row + 1] > csr[c].begin[row])
			return true;
	return false;
}

/* Counts the components that own vertices of one range name. */
static void count_range(void *context, size_t range, size_t begin, size_t end)
{
	const size_loop *l = context;
	const gemp_vertex *size = l->out->size;
	gemp_components counts = { 0 }, *c = &counts; /* not in memory that the compiler must expect to be size[] */
	for (size_t row = begin; row < end; row++) {
		if (!size[row])
			continue;
		c->count++;
		c->isolated += size[row] == 1;
		c->with_edges += size[row] > 1 || has_edges(l->csr, l->count, row);
		c->classes[32 - __builtin_clz(size[row])]++;
		if (size[row] > c->largest) {
			c->largest = size[row];
			c->largest_name = l->first + (gemp_vertex)row;
		}
	}
	l->partial[range] = counts;
}

/* Local. Counts the components that own vertices name. Ranges are summed up in their order, so the largest component
 * with the smallest name stays the largest. */
static void count_own(const size_loop *l)
{
	gemp_components *out = l->out;
	gemp_for_ranges(out->rows, count_range, (void *)(uintptr_t)l);
	for (size_t range = 0; range < gemp_range_count(out->rows); range++) {
		const gemp_components *c = &l->partial[range];
		out->count += c->count;
		out->isolated += c->isolated;
		out->with_edges += c->with_edges;
		for (size_t k = 0; k < GEMP_COMPONENT_CLASSES; k++)
			out->classes[k] += c->classes[k];
		if (c->largest > out->largest) {
			out->largest = c->largest;
			out->largest_name = c->largest_name;
		}
	}
}

/* One maximum finds the largest component and its smallest name, which is complemented. Sizes and names have 32
 * bits. */
void gemp_component_counts_join(gemp_components *out, const gemp_comm *comm)
{
	uint64_t sums[3 + GEMP_COMPONENT_CLASSES] = { out->count, out->isolated, out->with_edges };
	uint64_t most = out->largest << 32 | (UINT32_MAX - out->largest_name);
	memcpy(sums + 3, out->classes, sizeof out->classes);
	gemp_comm_sum(comm, sums, 3 + GEMP_COMPONENT_CLASSES);
	gemp_comm_max(comm, &most, 1);
	out->count = sums[0];
	out->isolated = sums[1];
	out->with_edges = sums[2];
	memcpy(out->classes, sums + 3, sizeof out->classes);
	out->largest = most >> 32;
	out->largest_name = UINT32_MAX - (gemp_vertex)most;
}

gemp_code gemp_component_sizes(gemp_components *out, const gemp_comm *comm, const uint64_t *bounds, const gemp_csr *csr,
                               size_t count, const gemp_vertex *set_of)
{
	GEMP_OWNED gemp_component_part *parts = NULL, *received = NULL;
	GEMP_OWNED gemp_components *partial = NULL;
	size_t part_count = 0, received_count;
	size_loop l = {
		.out = out, .set_of = set_of, .csr = csr, .count = count, .first = (gemp_vertex)bounds[comm->rank]
	};
	gemp_code code = GEMP_NEW(partial, gemp_range_count(out->rows));
	if (code == GEMP_OK)
		gemp_for_elements(out->rows, count_sets, &l);
	if (comm->size > 1)
		GEMP_THEN(part_sizes(&l, &parts, &part_count));
	GEMP_TRY(
		gemp_component_parts_send(comm, code, bounds, parts, part_count, &received, &received_count, &out->traffic));
	for (size_t i = 0; i < received_count; i++)
		out->size[received[i].component - l.first] += received[i].vertices;
	l.partial = partial;
	count_own(&l);
	gemp_component_counts_join(out, comm);
	return GEMP_OK;
}

/* The owners of the names know the sizes since the search. Many vertices may share a name, so each name is requested
 * once. */
gemp_code gemp_component_sizes_by_vertex(uint64_t *size, const gemp_components *found, const gemp_comm *comm,
                                         const uint64_t *bounds)
{
	GEMP_OWNED void *names = NULL;
	GEMP_OWNED gemp_vertex *sizes = NULL;
	size_t count = 0;
	gemp_code code = gemp_distinct_host(GEMP_KEY_U32, found->component, found->rows, &names, &count);
	GEMP_THEN(GEMP_NEW(sizes, count));
	GEMP_TRY(gemp_vertex_numbers(comm, code, bounds, found->size, names, count, sizes, NULL));
	for (size_t row = 0; row < found->rows; row++)
		size[row] = sizes[gemp_range_find_u32(names, count, found->component[row])];
	return GEMP_OK;
}
