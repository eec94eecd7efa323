#include "euler/ranks/placement.h"

#include "core/search.h"
#include "core/status.h"
#include "core/threads.h"

/* The places of this rank are first .. end - 1; values and lengths are indexed by splitter. */
typedef struct placement {
	gemp_euler_list *list;
	const gemp_euler_edges *edges;
	gemp_euler_order *order;
	bool wide, sources;
	uint64_t total, shift; /* edges, and what is added to how far they are from the one splitter */
	uint64_t first, end;   /* places of this rank */
	uint64_t *places;      /* [ranks + 1] the first place of each rank */
	gemp_euler_lookup lookup;
	size_t round_begin; /* edge of this rank with which a round begins */
	void *values;
	gemp_euler_block lengths; /* of the stretch of each splitter of a single team */
	gemp_euler_exchange exchange;
} placement;

/* Values are distances against the direction of the circuit; shift moves the wanted edge to its place. */
GEMP_INLINE uint64_t place_of(const placement *p, uint64_t value, uint64_t distance)
{
	uint64_t place = (value ? p->total - value : 0) + distance + p->shift;
	return place >= p->total ? place - p->total : place;
}

/* Places are distributed evenly over the ranks. */
static gemp_code new_order(placement *p)
{
	const gemp_comm *comm = p->list->team->comm;
	gemp_euler_order *order = p->order;
	size_t rank = (size_t)comm->rank, ranks = (size_t)comm->size;
	order->edges = p->edges->path_start == GEMP_NO_VERTEX ? p->total : p->total - 1;
	GEMP_TRY(GEMP_NEW(p->places, ranks + 1));
	for (size_t r = 0; r < ranks; r++)
		p->places[r + 1] = p->places[r] + order->edges / ranks + (r < order->edges % ranks);
	order->first = p->places[rank];
	order->count = p->places[rank + 1] - p->places[rank];
	GEMP_TRY(GEMP_NEW(order->edge, order->count));
	if (p->sources)
		GEMP_TRY(GEMP_NEW(order->source, order->count));
	return GEMP_OK;
}

/* Several teams: each edge knows its splitter and how far from it it is. */

enum { MAX_VARINT_BYTES = 10 }; /* bytes of one of 64 bits; half as many are enough for 32 */

static size_t record_size(const placement *p)
{
	return 2 * gemp_number_size(p->wide) + (p->sources ? sizeof(gemp_vertex) : 0);
}

/* Each edge knows its splitter and its distance from it, hence its place; it is sent to the rank of the place. */
GEMP_INLINE void send_chunk(placement *p, size_t piece, bool wide)
{
	const gemp_euler_list *list = p->list;
	const gemp_euler_edges *edges = p->edges;
	size_t begin = p->round_begin + p->exchange.begin[piece], end = p->round_begin + p->exchange.begin[piece + 1];
	size_t row = begin < end ? gemp_range_find(edges->begin, edges->rows, begin) : 0;
	uint64_t vertex = edges->bounds[edges->rank];
	for (size_t x = begin; x < end; x++) {
		while (edges->begin[row + 1] <= x)
			row++;
		uint64_t place = place_of(p, gemp_euler_lookup_at(&p->lookup, x, wide),
		                          gemp_number_at(list->distance.at, x, wide));
		if (place >= p->order->edges)
			continue;
		size_t rank = gemp_range_find(p->places, list->team->teams, place);
		gemp_vertex source = (gemp_vertex)(vertex + row);
		char *record = gemp_euler_exchange_put(&p->exchange, piece, rank, 0);
		gemp_number_write(record, 0, place - p->places[rank], wide);
		gemp_number_write(record, 1, x, wide);
		if (p->sources)
			memcpy(record + 2 * gemp_number_size(wide), &source, sizeof source);
	}
}
GEMP_WIDTHS(send_body, send_chunk, placement)

/* Records for one team ascend by edge, so differences are sent, 7 bits a byte (LEB128). */
static char *write_varint(char *to, uint64_t difference)
{
	for (; difference >> 7; difference >>= 7)
		*to++ = (char)(difference | 0x80);
	*to++ = (char)difference;
	return to;
}

static const char *read_varint(const char *from, uint64_t *sum)
{
	uint64_t difference = 0;
	unsigned shift = 0;
	for (; *from & 0x80; shift += 7)
		difference |= (uint64_t)(*from++ & 0x7f) << shift;
	*sum += difference | (uint64_t)*from++ << shift;
	return from;
}

/* Places stay fixed-width, as they are in random order. */
static size_t encode(const void *context, const char *records, size_t count, char *to)
{
	const placement *p = context;
	const char *begin = to;
	size_t number = gemp_number_size(p->wide);
	uint64_t edge = 0;
	gemp_vertex source = 0, next;
	for (const char *record = records; count > 0; count--, record += p->exchange.size) {
		gemp_number_write(to, 0, gemp_number_read(record, 0, p->wide), p->wide);
		to = write_varint(to + number, gemp_number_read(record, 1, p->wide) - edge);
		edge = gemp_number_read(record, 1, p->wide);
		if (p->sources) {
			memcpy(&next, record + 2 * number, sizeof next);
			to = write_varint(to, next - source);
			source = next;
		}
	}
	return (size_t)(to - begin);
}

/* The inverse of encode; `edge` begins at the sender's first slot, since records have local numbers. */
GEMP_INLINE void decode(const placement *p, const char *from, const char *end, gemp_edge edge, bool wide)
{
	gemp_edge *edges = p->order->edge;
	gemp_vertex *sources = p->sources ? p->order->source : NULL;
	uint64_t source = 0;
	while (from < end) {
		uint64_t place = gemp_number_read(from, 0, wide);
		from = read_varint(from + gemp_number_size(wide), &edge);
		edges[place] = edge;
		if (sources) {
			from = read_varint(from, &source);
			sources[place] = (gemp_vertex)source;
		}
	}
}

/* Records of one team in their order. */
GEMP_INLINE void receive_team(const placement *p, size_t team, bool wide)
{
	const char *from = p->exchange.receive;
	for (size_t t = 0; t < team; t++)
		from += p->exchange.receive_size[t];
	decode(p, from, from + p->exchange.receive_size[team], p->list->bounds[team], wide);
}
GEMP_WIDTHS(receive_body, receive_team, placement)

/* Collective. Several teams: every edge is sent to the rank of its place. */
static gemp_code place_in_rounds(placement *p)
{
	gemp_code code = GEMP_OK;
	gemp_euler_team *team = p->list->team;
	size_t count = p->list->count, max_count = team->in_flight;
	uint64_t rounds = (count + max_count - 1) / max_count;
	GEMP_TRY_DONE(gemp_euler_lookup_new(&p->lookup, p->list, p->values));
	GEMP_TRY_DONE(gemp_comm_agree(team->comm, gemp_euler_exchange_new(&p->exchange, team, record_size(p), false)));
	p->exchange.encode = encode;
	p->exchange.context = p;
	p->exchange.encoded_max = gemp_number_size(p->wide) + (p->wide ? MAX_VARINT_BYTES : MAX_VARINT_BYTES / 2) +
	                          MAX_VARINT_BYTES / 2;
	gemp_comm_max(team->comm, &rounds, 1);
	for (; rounds > 0; rounds--) {
		size_t now = count - p->round_begin < max_count ? count - p->round_begin : max_count;
		code = gemp_euler_exchange_open(&p->exchange, now);
		if (code == GEMP_OK)
			gemp_parallel_for(p->exchange.pieces, send_body, p);
		GEMP_TRY_DONE(gemp_euler_exchange_send(&p->exchange, code, NULL));
		gemp_parallel_for(team->teams, receive_body, p);
		p->round_begin += now;
	}
done:
	gemp_euler_exchange_free(&p->exchange);
	gemp_euler_lookup_free(&p->lookup);
	return code;
}

/* A single team: stretches are walked once more, by the ranks that have places there. Labels are no longer wanted;
 * in their stead each edge gets its target, which is where the next one begins. */

enum { WALKERS = 24, STARTS_PER_CHUNK = 1 << 11, EDGES_PER_CHUNK = 1 << 16 };

/* Labels are no longer needed; their place takes the target of each edge, which is the source of the next. */
GEMP_INLINE void store_targets(placement *p, size_t begin, size_t end, bool wide)
{
	const gemp_euler_list *list = p->list;
	for (size_t e = begin; e < end; e++)
		gemp_number_set(list->link.at, 2 * (list->own_begin + e) + 1, p->edges->target[e], wide);
}
GEMP_CHUNK_WIDTHS(target_body, store_targets, placement)

/* The splitter at the end of a stretch knows its length; the one at its begin needs it. */
GEMP_INLINE void store_lengths(placement *p, size_t begin, size_t end, bool wide)
{
	const gemp_euler_list *list = p->list;
	size_t first, last;
	gemp_euler_team_part(list->team, list->splitters, &first, &last);
	for (size_t k = first + begin; k < first + end; k++)
		gemp_number_set(p->lengths.at, gemp_number_at(list->from.at, k, wide), gemp_number_at(list->length.at, k, wide),
		                wide);
}
GEMP_CHUNK_WIDTHS(length_body, store_lengths, placement)

typedef struct walker {
	size_t at;
	uint64_t place, left;
} walker;

/* False: the stretch has none of this rank's places. A stretch that ends behind the last place continues at place
 * 0. */
GEMP_INLINE bool start_walker(const placement *p, size_t k, walker *l, bool wide)
{
	l->place = place_of(p, gemp_number_at(p->values, k, wide), 0);
	l->left = gemp_number_at(p->lengths.at, k, wide);
	l->at = gemp_number_at(p->list->splitter.at, k, wide);
	__builtin_prefetch((const char *)p->list->link.at + 2 * l->at * gemp_number_size(wide));
	uint64_t end = l->place + l->left; /* the edge behind it begins where this one ends: its source is written, too */
	return (l->place < p->end && end >= p->first) || (end >= p->total && end - p->total >= p->first);
}

/* Writes the edge and the source of the next one where they are this rank's. False: the stretch ends here. */
GEMP_INLINE bool walk_step(const placement *p, walker *l, bool wide)
{
	const gemp_euler_list *list = p->list;
	gemp_euler_order *order = p->order;
	uint64_t next = l->place + 1 < p->total ? l->place + 1 : 0, many = p->end - p->first;
	if (l->place - p->first < many)
		order->edge[l->place - p->first] = l->at;
	if (p->sources && next - p->first < many)
		order->source[next - p->first] = (gemp_vertex)gemp_number_at(list->link.at, 2 * l->at + 1, wide);
	if (--l->left == 0)
		return false;
	l->place = next;
	l->at = gemp_euler_rotated(list->joined, gemp_euler_next_at(list, l->at, wide));
	__builtin_prefetch((const char *)list->link.at + 2 * l->at * gemp_number_size(wide));
	return true;
}

/* Stretches are walked once more, by every rank that has places on them. */
GEMP_INLINE void emit_chunk(placement *p, size_t begin, size_t end, bool wide)
{
	walker lanes[WALKERS];
	size_t live = 0, k = begin;
	while (live < WALKERS && k < end)
		live += start_walker(p, k++, &lanes[live], wide);
	while (live)
		for (size_t n = 0; n < live; n++) {
			if (walk_step(p, &lanes[n], wide))
				continue;
			bool entered = false;
			while (!entered && k < end)
				entered = start_walker(p, k++, &lanes[n], wide);
			if (!entered)
				lanes[n] = lanes[--live];
		}
}
GEMP_CHUNK_WIDTHS(emit_body, emit_chunk, placement)

/* Collective over the team. */
static gemp_code place_in_shared_memory(placement *p)
{
	gemp_code code = GEMP_OK;
	gemp_euler_list *list = p->list;
	gemp_euler_team *team = list->team;
	size_t first, end;
	code = gemp_euler_block_new(team, &p->lengths, list->splitters, gemp_number_size(p->wide));
	GEMP_TRY_DONE(gemp_comm_agree(team->comm, code));
	gemp_euler_team_part(team, list->splitters, &first, &end);
	gemp_for_chunks(end - first, STARTS_PER_CHUNK, length_body, p);
	gemp_for_chunks(list->own_end - list->own_begin, EDGES_PER_CHUNK, target_body, p);
	gemp_euler_team_fence(team);
	gemp_for_chunks(list->splitters, STARTS_PER_CHUNK, emit_body, p);
	gemp_euler_team_fence(team);
done:
	gemp_euler_block_free(&p->lengths);
	return code;
}

/* Collective. The distance of the fixed edge from the splitter that all values are measured from. */
static uint64_t fixed_splitter_distance(const placement *p)
{
	const gemp_euler_list *list = p->list;
	uint64_t at = 0;
	if (list->fixed_splitter >= list->own_begin && list->fixed_splitter < list->own_end) {
		uint64_t label = gemp_euler_label_at(list, list->fixed_splitter, p->wide) & ~gemp_euler_label_flag(p->wide);
		at = gemp_number_at(p->values, label - 1, p->wide);
		at = at ? p->total - at : 0;
	}
	return gemp_comm_sum1(list->team->comm, at);
}

gemp_code gemp_euler_place_edges(gemp_euler_order *order, gemp_euler_list *list, const gemp_euler_edges *edges,
                                 void *values, bool sources)
{
	gemp_code code = GEMP_OK;
	placement p = { .list = list,
		            .edges = edges,
		            .order = order,
		            .wide = list->wide,
		            .sources = sources,
		            .total = edges->edges,
		            .values = values };
	GEMP_TRY_DONE(gemp_comm_agree(list->team->comm, new_order(&p)));
	p.first = order->first;
	p.end = order->first + order->count;
	uint64_t chosen = fixed_splitter_distance(&p), wanted = edges->path_start == GEMP_NO_VERTEX ? 0 : p.total - 1;
	p.shift = (wanted + p.total - chosen) % p.total;
	GEMP_TRY_DONE(list->team->teams > 1 ? place_in_rounds(&p) : place_in_shared_memory(&p));
done:
	gemp_free(p.places);
	return code;
}
