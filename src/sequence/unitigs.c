#include "sequence/unitigs.h"

#include "comm/request.h"
#include "core/memory.h"
#include "sequence/chains.h"

#include <stdlib.h>

void gemp_unitigs_free(gemp_unitigs *unitigs)
{
	gemp_free(unitigs->unitig);
	gemp_free(unitigs->head);
	gemp_free(unitigs->before);
	*unitigs = (gemp_unitigs){ 0 };
}

/* What the owner of a unitig's tail tells that of its head. */
typedef struct finished {
	gemp_item head;
	gemp_kmer tail, least_reverse;
	uint64_t kmers, times, closed;
} finished;

static int by_head(const void *a, const void *b)
{
	gemp_item x = ((const finished *)a)->head, y = ((const finished *)b)->head;
	return (x > y) - (x < y);
}

/* Of two directions of a unitig one is kept; words without one that differs are their own. */
static bool is_kept(const gemp_kmer_graph *graph, gemp_kmer head, const finished *f)
{
	return !graph->both || head <= (f->closed ? f->least_reverse : gemp_kmer_reverse(f->tail, graph->k));
}

static gemp_code take_finished(void *self, const void *questions, size_t count, uint64_t *answers)
{
	(void)answers;
	gemp_code code = GEMP_OK;
	gemp_unitigs *u = self;
	finished *sorted = NULL;
	GEMP_TRY(GEMP_NEW(sorted, count));
	GEMP_TRY(GEMP_NEW(u->unitig, count));
	for (size_t i = 0; i < count; i++)
		sorted[i] = ((const finished *)questions)[i];
	qsort(sorted, count, sizeof *sorted, by_head);
	for (size_t i = 0; i < count; i++) {
		const finished *f = &sorted[i];
		gemp_kmer head = u->graph->kmer[gemp_item_index(f->head)];
		u->unitig[i] = (gemp_unitig){ .head = head, .tail = f->tail, .kmers = f->kmers, .times = f->times,
		                              .closed = f->closed, .kept = is_kept(u->graph, head, f) };
	}
	u->count = count;
done:
	gemp_free(sorted);
	return code;
}

static finished finish(const gemp_kmer_graph *graph, size_t edge, const gemp_chain_place *place,
                       const gemp_closed_total *totals)
{
	finished f = { .head = place->first & ~GEMP_CHAIN_CLOSED, .tail = graph->kmer[edge] };
	f.kmers = place->before.items + 1;
	f.times = place->before.weight + graph->times[edge];
	if (place->first & GEMP_CHAIN_CLOSED) {
		f.closed = true;
		f.kmers = totals[edge].kmers;
		f.times = totals[edge].times;
		f.least_reverse = totals[edge].least_reverse;
	}
	return f;
}

static bool is_tail(const gemp_kmer_graph *graph, size_t edge, const gemp_chain_place *place,
                    const gemp_closed_total *totals)
{
	if (place->first & GEMP_CHAIN_CLOSED)
		return place->before.items + 1 == totals[edge].kmers;
	return graph->next[edge] == GEMP_NO_ITEM;
}

/* Collective. Tails tell heads. */
static gemp_code meet(gemp_unitigs *u, gemp_kmer_graph *graph, const gemp_chain_place *places,
                      const gemp_closed_total *totals)
{
	gemp_code code = GEMP_OK;
	size_t tails = 0, at = 0;
	finished *done_ones = NULL;
	int *owner = NULL;
	for (size_t i = 0; i < graph->count; i++)
		tails += is_tail(graph, i, &places[i], totals);
	code = GEMP_NEW(done_ones, tails);
	if (code == GEMP_OK)
		code = GEMP_NEW(owner, tails);
	GEMP_TRY(gemp_comm_agree(graph->comm, code));
	for (size_t i = 0; i < graph->count; i++)
		if (is_tail(graph, i, &places[i], totals)) {
			done_ones[at] = finish(graph, i, &places[i], totals);
			owner[at] = gemp_item_rank(done_ones[at].head);
			at++;
		}
	const gemp_request request = { done_ones, tails, sizeof *done_ones, owner, take_finished, u };
	GEMP_TRY(gemp_request_records(graph->comm, &request, 0, NULL, &graph->traffic));
done:
	gemp_free(done_ones);
	gemp_free(owner);
	return code;
}

static uint64_t letters_of(const gemp_unitigs *u, size_t i)
{
	return u->unitig[i].kept ? u->unitig[i].kmers + u->graph->k - 1 : 0;
}

/* Collective. Those that are kept are numbered, and their letters laid behind one another. */
static void number(gemp_unitigs *u)
{
	uint64_t kept = 0, letters = 0;
	for (size_t i = 0; i < u->count; i++) {
		kept += u->unitig[i].kept;
		letters += letters_of(u, i);
	}
	uint64_t next = gemp_comm_before(u->graph->comm, kept), begin = gemp_comm_before(u->graph->comm, letters);
	u->all = gemp_comm_sum1(u->graph->comm, kept);
	u->letters = gemp_comm_sum1(u->graph->comm, letters);
	for (size_t i = 0; i < u->count; i++) {
		u->unitig[i].number = next;
		u->unitig[i].begin = begin;
		next += u->unitig[i].kept;
		begin += letters_of(u, i);
	}
}

const gemp_unitig *gemp_unitigs_at(const gemp_unitigs *unitigs, size_t head)
{
	gemp_kmer kmer = unitigs->graph->kmer[head];
	size_t low = 0, count = unitigs->count;
	while (count > 1) {
		size_t half = count / 2;
		if (unitigs->unitig[low + half].head <= kmer)
			low += half;
		count -= half;
	}
	return count && unitigs->unitig[low].head == kmer ? &unitigs->unitig[low] : NULL;
}

void gemp_unitigs_lengths(const gemp_unitigs *u, uint64_t *longest, uint64_t *middle)
{
	uint64_t low = 0;
	*longest = 0;
	for (size_t i = 0; i < u->count; i++)
		*longest = letters_of(u, i) > *longest ? letters_of(u, i) : *longest;
	gemp_comm_max(u->graph->comm, longest, 1);
	for (uint64_t high = *longest; low < high;) {
		uint64_t half = low + (high - low + 1) / 2, letters = 0;
		for (size_t i = 0; i < u->count; i++)
			letters += letters_of(u, i) >= half ? letters_of(u, i) : 0;
		if (2 * gemp_comm_sum1(u->graph->comm, letters) >= u->letters)
			low = half;
		else
			high = half - 1;
	}
	*middle = low;
}

static bool any_closed(const gemp_chain_place *places, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (places[i].first & GEMP_CHAIN_CLOSED)
			return true;
	return false;
}

gemp_code gemp_unitigs_new(gemp_unitigs *out, gemp_kmer_graph *graph)
{
	gemp_code code = GEMP_OK;
	gemp_unitigs u = { .graph = graph };
	gemp_chain_place *places = NULL;
	gemp_closed_total *totals = NULL;
	code = GEMP_NEW(places, graph->count);
	if (code == GEMP_OK)
		code = GEMP_NEW(u.head, graph->count);
	if (code == GEMP_OK)
		code = GEMP_NEW(u.before, graph->count);
	GEMP_TRY(gemp_comm_agree(graph->comm, code));
	gemp_links links = { graph->count, graph->next, graph->previous, graph->times };
	GEMP_TRY(gemp_chains_rank(graph->comm, &links, places, &graph->traffic));
	GEMP_TRY(gemp_comm_agree(graph->comm, GEMP_NEW(totals, any_closed(places, graph->count) ? graph->count : 0)));
	GEMP_TRY(gemp_unitigs_turn(graph, places, totals));
	GEMP_TRY(meet(&u, graph, places, totals));
	for (size_t i = 0; i < graph->count; i++) {
		u.head[i] = places[i].first & ~GEMP_CHAIN_CLOSED;
		u.before[i] = places[i].before.items;
	}
	number(&u);
	*out = u;
	u = (gemp_unitigs){ 0 };
done:
	gemp_free(places);
	gemp_free(totals);
	gemp_unitigs_free(&u);
	return code;
}
