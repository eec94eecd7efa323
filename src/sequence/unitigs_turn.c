/* Closed chains begin at their least k-mer, however they were gone through. */
#include "sequence/unitigs.h"

#include "comm/request.h"
#include "core/memory.h"
#include "sequence/chains.h"

#include <stdlib.h>
#include <string.h>

/* What is known of a closed chain: by one rank, then by the owner of its first item. */
typedef struct ring {
	gemp_item first, least_item;
	gemp_kmer least, least_reverse;
	uint64_t before;         /* the least k-mer, in edges from the first item on */
	uint64_t kmers, times;
} ring;

typedef struct rings {
	size_t count;
	ring *ring;              /* by first item */
} rings;

static int by_first(const void *a, const void *b)
{
	gemp_item x = ((const ring *)a)->first, y = ((const ring *)b)->first;
	return (x > y) - (x < y);
}

static void merge(ring *into, const ring *other)
{
	into->kmers += other->kmers;
	into->times += other->times;
	if (other->least_reverse < into->least_reverse)
		into->least_reverse = other->least_reverse;
	if (other->least < into->least) {
		into->least = other->least;
		into->least_item = other->least_item;
		into->before = other->before;
	}
}

/* Sorted, one for each chain. */
static void unite(rings *r)
{
	size_t kept = 0;
	qsort(r->ring, r->count, sizeof *r->ring, by_first);
	for (size_t i = 0; i < r->count; i++)
		if (kept > 0 && r->ring[kept - 1].first == r->ring[i].first)
			merge(&r->ring[kept - 1], &r->ring[i]);
		else
			r->ring[kept++] = r->ring[i];
	r->count = kept;
}

static const ring *find(const rings *r, gemp_item first)
{
	ring key = { .first = first };
	return r->count ? bsearch(&key, r->ring, r->count, sizeof key, by_first) : NULL;
}

static gemp_code collect(rings *out, const gemp_kmer_graph *graph, const gemp_chain_place *places)
{
	size_t closed = 0;
	for (size_t i = 0; i < graph->count; i++)
		closed += (places[i].first & GEMP_CHAIN_CLOSED) != 0;
	gemp_code code = GEMP_NEW(out->ring, closed);
	for (size_t i = 0; i < graph->count && code == GEMP_OK; i++)
		if (places[i].first & GEMP_CHAIN_CLOSED)
			out->ring[out->count++] = (ring){ places[i].first & ~GEMP_CHAIN_CLOSED,
			                                 gemp_item_of(graph->comm->rank, i),
			                                  graph->kmer[i], gemp_kmer_reverse(graph->kmer[i], graph->k),
			                                  places[i].before.items, 1, graph->times[i] };
	if (code == GEMP_OK)
		unite(out);
	return code;
}

static gemp_code unite_all(void *self, const void *questions, size_t count, uint64_t *answers)
{
	(void)self;
	rings r = { .count = count };
	gemp_code code = GEMP_NEW(r.ring, count);
	if (code == GEMP_OK && count) {
		memcpy(r.ring, questions, count * sizeof(ring));
		unite(&r);
		for (size_t i = 0; i < count; i++)
			((ring *)(void *)answers)[i] = *find(&r, ((const ring *)questions)[i].first);
	}
	gemp_free(r.ring);
	return code;
}

static void turn(gemp_chain_place *place, gemp_closed_total *total, const ring *r)
{
	uint64_t at = place->before.items;
	place->before.items = at >= r->before ? at - r->before : at + r->kmers - r->before;
	place->first = r->least_item | GEMP_CHAIN_CLOSED;
	*total = (gemp_closed_total){ r->kmers, r->times, r->least_reverse };
}

gemp_code gemp_unitigs_turn(gemp_kmer_graph *graph, struct gemp_chain_place *places, gemp_closed_total *totals)
{
	gemp_code code = GEMP_OK;
	const gemp_comm *comm = graph->comm;
	rings mine = { 0 }, whole = { 0 };
	int *owner = NULL;
	code = collect(&mine, graph, places);
	if (code == GEMP_OK)
		code = GEMP_NEW(whole.ring, mine.count);
	if (code == GEMP_OK)
		code = GEMP_NEW(owner, mine.count);
	GEMP_TRY(gemp_comm_agree(comm, code));
	for (size_t i = 0; i < mine.count; i++)
		owner[i] = gemp_item_rank(mine.ring[i].first);
	const gemp_request request = { mine.ring, mine.count, sizeof(ring), owner, unite_all, NULL };
	GEMP_TRY(gemp_request_records(comm, &request, sizeof(ring), whole.ring, &graph->traffic));
	whole.count = mine.count;
	for (size_t i = 0; i < graph->count; i++)
		if (places[i].first & GEMP_CHAIN_CLOSED)
			turn(&places[i], &totals[i], find(&whole, places[i].first & ~GEMP_CHAIN_CLOSED));
done:
	gemp_free(mine.ring);
	gemp_free(whole.ring);
	gemp_free(owner);
	return code;
}
