/* List ranking finds unitigs as lists of k-mers (list_rank.h). A closed unitig is rotated to begin at its smallest
 * k-mer, since the result must not depend on where the ranking began. */

#include "assembly/unitigs.h"

#include "core/memory.h"
#include "core/search.h"
#include "core/status.h"

#include <stdlib.h>
#include <string.h>

/* CYCLES */

/* The part of a closed list on one rank. Merging all parts gives the whole list. */
typedef struct cycle {
	gemp_item first, min_item; /* where the ranking began; the item of the smallest k-mer */
	gemp_kmer min_kmer;
	gemp_kmer min_reverse; /* the smallest reverse complement, which decides between the two directions */
	uint64_t before;       /* number of edges from the first item to the smallest k-mer */
	uint64_t kmers, times; /* number of edges, and how often they occur in the reads */
} cycle;

static int by_first(const void *a, const void *b)
{
	gemp_item x = ((const cycle *)a)->first, y = ((const cycle *)b)->first;
	return (x > y) - (x < y);
}

static void merge_cycle(cycle *into, const cycle *other)
{
	into->kmers += other->kmers;
	into->times += other->times;
	into->min_reverse = gemp_min(into->min_reverse, other->min_reverse);
	if (other->min_kmer < into->min_kmer) {
		into->min_kmer = other->min_kmer;
		into->min_item = other->min_item;
		into->before = other->before;
	}
}

/* Sorts by first item and merges the parts of each cycle. Returns the number of cycles. */
static size_t merge_cycles(cycle *cycles, size_t count)
{
	size_t kept = 0;
	qsort(cycles, count, sizeof *cycles, by_first);
	for (size_t i = 0; i < count; i++)
		if (kept > 0 && cycles[kept - 1].first == cycles[i].first)
			merge_cycle(&cycles[kept - 1], &cycles[i]);
		else
			cycles[kept++] = cycles[i];
	return kept;
}

/* The cycle with this first item, which the array must contain. */
static const cycle *find_cycle(const cycle *cycles, size_t count, gemp_item first)
{
	size_t at;
	GEMP_PARTITION_POINT(at, 0, count, cycles[at].first < first);
	return &cycles[at];
}

/* Local. Collects this rank's parts of the closed lists. Each edge is a part of one k-mer, and parts of a list are
 * merged. */
static gemp_code collect_cycles(cycle **out, size_t *count, const gemp_kmer_graph *graph, const gemp_list_place *places)
{
	size_t closed = 0;
	for (size_t i = 0; i < graph->count; i++)
		closed += (places[i].first & GEMP_LIST_CLOSED) != 0;
	GEMP_TRY(GEMP_NEW(*out, closed));
	for (size_t i = 0; i < graph->count; i++)
		if (places[i].first & GEMP_LIST_CLOSED)
			(*out)[(*count)++] = (cycle){ .first = places[i].first & ~GEMP_LIST_CLOSED,
				                          .min_item = gemp_item_of(graph->comm->rank, i),
				                          .min_kmer = graph->kmer[i],
				                          .min_reverse = gemp_kmer_reverse(graph->kmer[i], graph->k),
				                          .before = places[i].before.items,
				                          .kmers = 1,
				                          .times = graph->times[i] };
	*count = merge_cycles(*out, *count);
	return GEMP_OK;
}

/* Request handler: merges the parts of each cycle, and answers every part with the whole cycle. */
static gemp_code answer_cycles(void *self, const void *records, size_t count, uint64_t *answers)
{
	(void)self;
	const cycle *parts = records;
	cycle *wholes = (void *)answers;
	GEMP_OWNED cycle *cycles = NULL;
	GEMP_TRY(GEMP_COPY(cycles, parts, count));
	size_t kept = merge_cycles(cycles, count);
	for (size_t i = 0; i < count; i++)
		wholes[i] = *find_cycle(cycles, kept, parts[i].first);
	return GEMP_OK;
}

/* Collective. Rotates closed lists to begin at their smallest k-mers, from which positions are then counted.
 * totals[graph->count] become the whole cycle of each edge of a closed list. */
static gemp_code rotate_cycles(gemp_kmer_graph *graph, gemp_list_place *places, cycle *totals)
{
	GEMP_OWNED cycle *own = NULL, *whole = NULL; /* [count] */
	GEMP_OWNED int *owner = NULL;
	size_t count = 0;
	gemp_code code = collect_cycles(&own, &count, graph, places);
	GEMP_THEN(gemp_new_all(GEMP_ARRAY(whole, count), GEMP_ARRAY(owner, count)));
	for (size_t i = 0; i < count && code == GEMP_OK; i++)
		owner[i] = gemp_item_rank(own[i].first);
	const gemp_request request = { own, count, sizeof *own, owner, answer_cycles, NULL };
	GEMP_TRY(gemp_request_records(graph->comm, code, &request, sizeof *whole, whole, &graph->traffic));
	for (size_t i = 0; i < graph->count; i++)
		if (places[i].first & GEMP_LIST_CLOSED) {
			const cycle *r = find_cycle(whole, count, places[i].first & ~GEMP_LIST_CLOSED);
			uint64_t at = places[i].before.items;
			places[i].before.items = at >= r->before ? at - r->before : at + r->kmers - r->before;
			places[i].first = r->min_item | GEMP_LIST_CLOSED;
			totals[i] = *r;
		}
	return GEMP_OK;
}

/* UNITIGS */

void gemp_unitigs_free(gemp_unitigs *unitigs)
{
	gemp_free_all(unitigs->unitig, unitigs->head, unitigs->before);
	*unitigs = (gemp_unitigs){ 0 };
}

/* The message from the owner of a unitig's tail to the owner of its head. */
typedef struct finished_unitig {
	gemp_item head;
	gemp_kmer tail, min_reverse;
	uint64_t kmers, times, closed;
} finished_unitig;

/* The items of a rank ascend with its k-mers, so the order of items is the order of heads. */
static int by_head(const void *a, const void *b)
{
	gemp_item x = ((const finished_unitig *)a)->head, y = ((const finished_unitig *)b)->head;
	return (x > y) - (x < y);
}

/* A unitig has two directions. Is this the direction with the smaller head, which is kept? */
static bool is_kept(const gemp_kmer_graph *graph, gemp_kmer head, const finished_unitig *f)
{
	return !graph->both_strands || head <= (f->closed ? f->min_reverse : gemp_kmer_reverse(f->tail, graph->k));
}

/* Request handler: makes this rank's unitigs, in the order of their heads. */
static gemp_code receive_unitigs(void *self, const void *records, size_t count, uint64_t *answers)
{
	(void)answers;
	gemp_unitigs *u = self;
	GEMP_OWNED finished_unitig *sorted = NULL;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(sorted, count), GEMP_ARRAY(u->unitig, count)));
	for (size_t i = 0; i < count; i++)
		sorted[i] = ((const finished_unitig *)records)[i];
	qsort(sorted, count, sizeof *sorted, by_head);
	for (size_t i = 0; i < count; i++) {
		const finished_unitig *f = &sorted[i];
		gemp_kmer head = u->graph->kmer[gemp_item_index(f->head)];
		u->unitig[i] = (gemp_unitig){ .head = head,
			                          .tail = f->tail,
			                          .kmers = f->kmers,
			                          .times = f->times,
			                          .closed = f->closed,
			                          .kept = is_kept(u->graph, head, f) };
	}
	u->count = count;
	return GEMP_OK;
}

/* The message about a unitig, which the rank with its last edge makes. List ranking has counted a cycle from another
 * edge, so the sums of a cycle come from rotate_cycles. */
static finished_unitig finish_unitig(const gemp_kmer_graph *graph, size_t edge, const gemp_list_place *place,
                                     const cycle *totals)
{
	if (place->first & GEMP_LIST_CLOSED)
		return (finished_unitig){ .head = place->first & ~GEMP_LIST_CLOSED,
			                      .tail = graph->kmer[edge],
			                      .min_reverse = totals[edge].min_reverse,
			                      .kmers = totals[edge].kmers,
			                      .times = totals[edge].times,
			                      .closed = true };
	return (finished_unitig){ .head = place->first,
		                      .tail = graph->kmer[edge],
		                      .kmers = place->before.items + 1,
		                      .times = place->before.weight + graph->times[edge] };
}

/* Is this the last edge of a unitig? On a cycle it is the edge before the smallest k-mer. */
static bool is_tail(const gemp_kmer_graph *graph, size_t edge, const gemp_list_place *place, const cycle *totals)
{
	if (place->first & GEMP_LIST_CLOSED)
		return place->before.items + 1 == totals[edge].kmers;
	return graph->next[edge] == GEMP_NO_ITEM;
}

/* Collective. The rank with the last k-mer of a unitig sends its data to the rank with the first k-mer, which makes the
 * unitig. */
static gemp_code join_tails(gemp_unitigs *u, gemp_kmer_graph *graph, const gemp_list_place *places, const cycle *totals)
{
	size_t tails = 0, at = 0;
	GEMP_OWNED finished_unitig *messages = NULL;
	GEMP_OWNED int *owner = NULL;
	for (size_t i = 0; i < graph->count; i++)
		tails += is_tail(graph, i, &places[i], totals);
	GEMP_TRY(gemp_comm_agree(graph->comm, gemp_new_all(GEMP_ARRAY(messages, tails), GEMP_ARRAY(owner, tails))));
	for (size_t i = 0; i < graph->count; i++)
		if (is_tail(graph, i, &places[i], totals)) {
			messages[at] = finish_unitig(graph, i, &places[i], totals);
			owner[at] = gemp_item_rank(messages[at].head);
			at++;
		}
	const gemp_request request = { messages, tails, sizeof *messages, owner, receive_unitigs, u };
	return gemp_request_records(graph->comm, GEMP_OK, &request, 0, NULL, &graph->traffic);
}

/* A reverse complement that is not kept has no letters of its own. */
static uint64_t letters_of(const gemp_unitigs *u, size_t i)
{
	return u->unitig[i].kept ? u->unitig[i].kmers + u->graph->k - 1 : 0;
}

/* Collective. Numbers the kept unitigs, and places their letters one behind the other. */
static void number_unitigs(gemp_unitigs *u)
{
	uint64_t kept = 0, letters = 0;
	for (size_t i = 0; i < u->count; i++) {
		kept += u->unitig[i].kept;
		letters += letters_of(u, i);
	}
	uint64_t next = gemp_comm_exscan(u->graph->comm, kept), begin = gemp_comm_exscan(u->graph->comm, letters);
	u->total = gemp_comm_sum1(u->graph->comm, kept);
	u->letters = gemp_comm_sum1(u->graph->comm, letters);
	for (size_t i = 0; i < u->count; i++) {
		u->unitig[i].number = next;
		u->unitig[i].begin = begin;
		next += u->unitig[i].kept;
		begin += letters_of(u, i);
	}
}

/* Finds N50 by bisection over lengths, with one reduction for each step instead of a distributed sort. */
void gemp_unitigs_lengths(const gemp_unitigs *u, uint64_t *longest, uint64_t *middle)
{
	uint64_t low = 0;
	*longest = 0;
	for (size_t i = 0; i < u->count; i++)
		*longest = gemp_max(*longest, letters_of(u, i));
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

/* Cycles are rare. A rank without cycles needs no array of totals. */
static bool any_closed(const gemp_list_place *places, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (places[i].first & GEMP_LIST_CLOSED)
			return true;
	return false;
}

/* Collective. List ranking gives each k-mer the first k-mer of its list and the distance from it. Cycles are rotated to
 * begin at their smallest k-mer. Then heads get the data of their tails, and unitigs are numbered in the order of heads
 * over all ranks. */
gemp_code gemp_unitigs_new(gemp_unitigs *out, gemp_kmer_graph *graph)
{
	GEMP_OWNED_BY(gemp_unitigs_free) gemp_unitigs u = { .graph = graph };
	GEMP_OWNED gemp_list_place *places = NULL;
	GEMP_OWNED cycle *totals = NULL;
	GEMP_TRY(
		gemp_comm_agree(graph->comm, gemp_new_all(GEMP_ARRAY(places, graph->count), GEMP_ARRAY(u.head, graph->count),
	                                              GEMP_ARRAY(u.before, graph->count))));
	gemp_list_links links = { graph->count, graph->next, graph->previous, graph->times };
	GEMP_TRY(gemp_list_rank(graph->comm, &links, places, &graph->traffic));
	GEMP_TRY(gemp_comm_agree(graph->comm, GEMP_NEW(totals, any_closed(places, graph->count) ? graph->count : 0)));
	GEMP_TRY(rotate_cycles(graph, places, totals));
	GEMP_TRY(join_tails(&u, graph, places, totals));
	for (size_t i = 0; i < graph->count; i++) {
		u.head[i] = places[i].first & ~GEMP_LIST_CLOSED;
		u.before[i] = places[i].before.items;
	}
	number_unitigs(&u);
	*out = u;
	u = (gemp_unitigs){ 0 };
	return GEMP_OK;
}

/* SPELLING */

/* Collective. Makes sequences of the kept unitigs. Their letters arrive later. */
static gemp_code list_sequences(gemp_sequences *out, const gemp_unitigs *u, gemp_traffic *traffic)
{
	GEMP_OWNED gemp_sequence *own = NULL;
	size_t count = 0;
	GEMP_TRY(gemp_comm_agree(u->graph->comm, GEMP_NEW(own, u->count)));
	for (size_t i = 0; i < u->count; i++) {
		const gemp_unitig *g = &u->unitig[i];
		if (g->kept)
			own[count++] = (gemp_sequence){ g->number, g->begin, g->kmers + u->graph->k - 1,
				                            g->kmers,  g->times, g->closed };
	}
	return gemp_sequences_new(out, u->graph->comm, u->letters, own, count, traffic);
}

/* Collective. begin[] becomes where the letters of each edge's unitig begin; GEMP_NO_ITEM if the other strand is
 * kept. */
static gemp_code find_begins(uint64_t *begin, const gemp_unitigs *u, gemp_traffic *traffic)
{
	const gemp_kmer_graph *graph = u->graph;
	GEMP_OWNED uint64_t *table = NULL;
	GEMP_TRY(gemp_comm_agree(graph->comm, GEMP_NEW(table, graph->count)));
	for (size_t edge = 0, i = 0; i < u->count; i++) {
		while (graph->kmer[edge] < u->unitig[i].head)
			edge++;
		table[edge] = u->unitig[i].kept ? u->unitig[i].begin : GEMP_NO_ITEM;
	}
	return gemp_items_look_up(graph->comm, u->head, graph->count, table, sizeof *table, begin, traffic);
}

/* The first edge of a unitig spells k letters, and every other edge spells its last letter. */
static size_t letters_at_edge(const gemp_unitigs *u, const uint64_t *begin, size_t edge)
{
	return begin[edge] == GEMP_NO_ITEM ? 0 : u->before[edge] == 0 ? u->graph->k : 1;
}

/* Lists letters with their positions among the letters of all unitigs. The k letters of a first k-mer are listed from
 * the first to the last. */
static void place_letters(const gemp_unitigs *u, const uint64_t *begin, uint64_t *placed)
{
	unsigned k = u->graph->k;
	for (size_t i = 0; i < u->graph->count; i++) {
		size_t letters = letters_at_edge(u, begin, i);
		for (size_t back = letters; back-- > 0;) {
			unsigned base = (unsigned)(u->graph->kmer[i] >> 2 * back & 3);
			*placed++ = gemp_sequences_letter(begin[i] + u->before[i] + k - 1 - back, base);
		}
	}
}

/* Collective. Each k-mer gets the begin of its unitig from the owner of the head. Its letters go to the ranks that hold
 * them. */
gemp_code gemp_unitigs_spell(gemp_sequences *out, const gemp_unitigs *u, gemp_traffic *traffic)
{
	GEMP_OWNED_BY(gemp_sequences_free) gemp_sequences s = { 0 };
	GEMP_OWNED uint64_t *begin = NULL, *placed = NULL;
	size_t letters = 0;
	GEMP_TRY(list_sequences(&s, u, traffic));
	GEMP_TRY(gemp_comm_agree(u->graph->comm, GEMP_NEW(begin, u->graph->count)));
	GEMP_TRY(find_begins(begin, u, traffic));
	for (size_t i = 0; i < u->graph->count; i++)
		letters += letters_at_edge(u, begin, i);
	GEMP_TRY(gemp_comm_agree(u->graph->comm, GEMP_NEW(placed, letters)));
	place_letters(u, begin, placed);
	GEMP_TRY(gemp_sequences_put(&s, u->graph->comm, placed, letters, traffic));
	*out = s;
	s = (gemp_sequences){ 0 };
	return GEMP_OK;
}

/* LINKS: unitigs that are not kept first request the numbers of their reverse complements. Then the owner of the vertex
 * where a unitig ends answers with the unitigs that begin there. */

/* A unitig in one direction: 2 * its number, plus 1 for its reverse complement. */
typedef uint64_t oriented_unitig;
static const oriented_unitig NO_UNITIG = UINT64_MAX;

enum { BASES = 4 };

/* The unitigs that begin where a unitig ends. NO_UNITIG fills the array. */
typedef struct successors {
	oriented_unitig next[BASES];
} successors;

typedef struct link_search {
	const gemp_unitigs *unitigs;
	oriented_unitig *name; /* [unitigs->count] NO_UNITIG for a closed unitig that is not kept */
} link_search;

/* The unitig that begins at edge `head` of this rank, or NULL. */
static const gemp_unitig *unitig_at(const gemp_unitigs *unitigs, size_t head)
{
	gemp_kmer kmer = unitigs->graph->kmer[head];
	size_t at;
	GEMP_PARTITION_POINT(at, 0, unitigs->count, unitigs->unitig[at].head < kmer);
	return at < unitigs->count && unitigs->unitig[at].head == kmer ? &unitigs->unitig[at] : NULL;
}

/* Request handler: returns the number of the unitig that begins with each k-mer. */
static gemp_code answer_numbers(void *self, const void *records, size_t count, uint64_t *answers)
{
	const gemp_unitigs *u = self;
	const gemp_kmer *head = records;
	for (size_t i = 0; i < count; i++) {
		size_t end, at = gemp_kmer_graph_row(u->graph, gemp_kmer_source(head[i]), &end);
		while (at < end && u->graph->kmer[at] != head[i])
			at++;
		const gemp_unitig *unitig = at < end ? unitig_at(u, at) : NULL;
		answers[i] = unitig ? unitig->number : NO_UNITIG;
	}
	return GEMP_OK;
}

/* Collective. A unitig that is not kept gets the name of its reverse complement. A closed unitig has no neighbours. */
static gemp_code name_unitigs(oriented_unitig *name, const gemp_unitigs *u, gemp_traffic *traffic)
{
	const gemp_kmer_graph *graph = u->graph;
	GEMP_OWNED gemp_kmer *reverse = NULL;
	GEMP_OWNED uint64_t *number = NULL;
	GEMP_OWNED int *owner = NULL;
	size_t count = 0;
	GEMP_TRY(gemp_comm_agree(graph->comm, gemp_new_all(GEMP_ARRAY(reverse, u->count), GEMP_ARRAY(number, u->count),
	                                                   GEMP_ARRAY(owner, u->count))));
	for (size_t i = 0; i < u->count; i++) {
		name[i] = u->unitig[i].kept ? 2 * u->unitig[i].number : NO_UNITIG;
		if (u->unitig[i].kept || u->unitig[i].closed)
			continue;
		reverse[count] = gemp_kmer_reverse(u->unitig[i].tail, graph->k);
		owner[count] = gemp_kmer_graph_owner(graph, gemp_kmer_source(reverse[count]));
		count++;
	}
	const gemp_request request = { reverse, count, sizeof *reverse, owner, answer_numbers, (void *)u };
	GEMP_TRY(gemp_request_records(graph->comm, GEMP_OK, &request, sizeof *number, number, traffic));
	for (size_t i = 0, at = 0; i < u->count; i++)
		if (!u->unitig[i].kept && !u->unitig[i].closed)
			name[i] = 2 * number[at++] + 1;
	return GEMP_OK;
}

/* Request handler: returns the unitigs that begin at each vertex. */
static gemp_code answer_next(void *self, const void *records, size_t count, uint64_t *answers)
{
	const link_search *s = self;
	const gemp_kmer *vertex = records;
	successors *next = (void *)answers;
	for (size_t i = 0; i < count; i++) {
		size_t end, at = gemp_kmer_graph_row(s->unitigs->graph, vertex[i], &end);
		for (int b = 0; b < BASES; b++) {
			const gemp_unitig *unitig = at < end ? unitig_at(s->unitigs, at++) : NULL;
			next[i].next[b] = unitig ? s->name[unitig - s->unitigs->unitig] : NO_UNITIG;
		}
	}
	return GEMP_OK;
}

/* If reads come from both strands, every link appears twice, and the smaller form is kept. */
static bool is_canonical(oriented_unitig from, oriented_unitig to)
{
	oriented_unitig back = to ^ 1, back_to = from ^ 1;
	return from < back || (from == back && to <= back_to);
}

/* Each unitig has at most four successors, one for each base. */
static void list_links(gemp_unitig_link *links, size_t *count, const link_search *s, const successors *next)
{
	*count = 0;
	for (size_t i = 0; i < s->unitigs->count; i++)
		for (int b = 0; b < BASES && s->name[i] != NO_UNITIG; b++) {
			oriented_unitig from = s->name[i], to = next[i].next[b];
			if (to != NO_UNITIG && (!s->unitigs->graph->both_strands || is_canonical(from, to)))
				links[(*count)++] = (gemp_unitig_link){ from / 2, to / 2, from & 1, to & 1 };
		}
}

gemp_code gemp_unitig_links_find(gemp_unitig_link **out, size_t *count, const gemp_unitigs *u, gemp_traffic *traffic)
{
	GEMP_OWNED oriented_unitig *name = NULL;
	GEMP_OWNED gemp_kmer *vertex = NULL;
	GEMP_OWNED int *owner = NULL;
	GEMP_OWNED successors *next = NULL;
	GEMP_OWNED gemp_unitig_link *links = NULL;
	GEMP_TRY(gemp_comm_agree(u->graph->comm, gemp_new_all(GEMP_ARRAY(name, u->count), GEMP_ARRAY(vertex, u->count),
	                                                      GEMP_ARRAY(owner, u->count), GEMP_ARRAY(next, u->count),
	                                                      GEMP_ARRAY(links, BASES * u->count))));
	link_search s = { .unitigs = u, .name = name };
	GEMP_TRY(name_unitigs(name, u, traffic));
	for (size_t i = 0; i < u->count; i++) {
		vertex[i] = gemp_kmer_target(u->unitig[i].tail, u->graph->k);
		owner[i] = gemp_kmer_graph_owner(u->graph, vertex[i]);
	}
	const gemp_request request = { vertex, u->count, sizeof *vertex, owner, answer_next, &s };
	GEMP_TRY(gemp_request_records(u->graph->comm, GEMP_OK, &request, sizeof *next, next, traffic));
	list_links(links, count, &s, next);
	*out = links;
	links = NULL;
	return GEMP_OK;
}
