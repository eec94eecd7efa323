#include "euler/ranks/placement.h"

#include "core/search.h"
#include "core/threads.h"

/* Distances are measured from an arbitrary splitter, so all places are rotated (shift) to bring list->fixed_splitter to
 * its place. One team and several teams alike write order->edge and order->source at random places, so memory latency
 * bounds this stage. */

typedef struct placement {
	gemp_euler_list *list;
	const gemp_euler_edges *edges;
	gemp_euler_order *order;
	bool wide, sources;
	uint64_t total;      /* number of edges on all ranks */
	uint64_t shift;      /* is added to every distance, modulo total */
	uint64_t first, end; /* this rank has the places first .. end - 1 */
	uint64_t *places;    /* [ranks + 1] the first place of each rank */
	void *values;        /* [splitters] distances of splitters */

	/* with several teams: */
	gemp_euler_lookup lookup;
	size_t round_begin; /* the first edge of this round, among this rank's edges */
	gemp_euler_exchange exchange;

	/* with a single team: */
	gemp_euler_block lengths; /* [splitters] length of each splitter's stretch */
} placement;

/* value: the distance of the splitter, against the direction of the circuit. distance: of the edge from the
 * splitter. */
GEMP_INLINE uint64_t place_of(const placement *p, uint64_t value, uint64_t distance)
{
	uint64_t place = (value ? p->total - value : 0) + distance + p->shift;
	return place >= p->total ? place - p->total : place;
}

/* Allocates the order. Places are distributed evenly over the ranks. */
static gemp_code new_order(placement *p)
{
	const gemp_comm *comm = p->list->team->comm;
	gemp_euler_order *order = p->order;
	size_t rank = (size_t)comm->rank, ranks = (size_t)comm->size;
	order->edges = p->edges->path_start == GEMP_NO_VERTEX ? p->total : p->total - 1;
	GEMP_TRY(GEMP_NEW(p->places, ranks + 1));
	for (size_t r = 0; r <= ranks; r++)
		p->places[r] = gemp_chunk_begin(order->edges, ranks, r);
	order->first = p->first = p->places[rank];
	p->end = p->places[rank + 1];
	order->count = p->end - p->first;
	GEMP_TRY(GEMP_NEW(order->edge, order->count));
	return p->sources ? GEMP_NEW(order->source, order->count) : GEMP_OK;
}

/* SEVERAL TEAMS */

enum { MAX_VARINT_BYTES = 10 }; /* bytes of a number of 64 bits; half as many suffice for 32 bits */

static size_t record_size(const placement *p)
{
	return 2 * gemp_number_size(p->wide) + (p->sources ? sizeof(gemp_vertex) : 0);
}

/* Sends each edge to the rank of its place. Edges and their rows ascend, so a search is needed only for the first
 * row. */
GEMP_INLINE void send_chunk(placement *p, size_t chunk, bool wide)
{
	const gemp_euler_list *list = p->list;
	const gemp_euler_edges *edges = p->edges;
	size_t begin = p->round_begin + p->exchange.begin[chunk], end = p->round_begin + p->exchange.begin[chunk + 1];
	size_t row = begin < end ? gemp_range_find(edges->begin, edges->rows, begin) : 0;
	for (size_t x = begin; x < end; x++) {
		while (edges->begin[row + 1] <= x)
			row++;
		uint64_t place = place_of(p, gemp_euler_lookup_at(&p->lookup, x, wide),
		                          gemp_number_at(list->distance.at, x, wide));
		if (place >= p->order->edges)
			continue;
		size_t rank = gemp_range_find(p->places, list->team->teams, place);
		gemp_vertex source = (gemp_vertex)(edges->bounds[edges->rank] + row);
		char *record = gemp_euler_exchange_put(&p->exchange, chunk, rank, 0);
		gemp_number_write(record, 0, place - p->places[rank], wide);
		gemp_number_write(record, 1, x, wide);
		if (p->sources)
			memcpy(record + 2 * gemp_number_size(wide), &source, sizeof source);
	}
}
GEMP_WIDTHS(send_body, send_chunk, placement)

/* Records for one team ascend by edge, so differences are sent, with 7 bits in a byte (LEB128). */
static char *write_varint(char *to, uint64_t difference)
{
	for (; difference >> 7; difference >>= 7)
		*to++ = (char)(difference | 0x80);
	*to++ = (char)difference;
	return to;
}

/* The inverse of write_varint. Adds the difference to *sum, and returns where the next number begins. */
static const char *read_varint(const char *from, uint64_t *sum)
{
	uint64_t difference = 0;
	unsigned shift = 0;
	for (; *from & 0x80; shift += 7)
		difference |= (uint64_t)(*from++ & 0x7f) << shift;
	*sum += difference | (uint64_t)*from++ << shift;
	return from;
}

/* Places are in random order, so they are sent in full. Edges and sources ascend and are sent as differences. */
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

/* The inverse of encode. Records have local numbers of edges, so `edge` begins with the sender's first slot. */
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

/* Decodes the records of one team in their order. All places are different, so teams are decoded concurrently. */
GEMP_INLINE void receive_team(const placement *p, size_t team, bool wide)
{
	const char *from = p->exchange.receive;
	for (size_t t = 0; t < team; t++)
		from += p->exchange.receive_size[t];
	decode(p, from, from + p->exchange.receive_size[team], p->list->bounds[team], wide);
}
GEMP_WIDTHS(receive_body, receive_team, placement)

/* Collective, with several teams. Sends every edge to the rank of its place. */
static gemp_code place_in_rounds(placement *p)
{
	gemp_code code = GEMP_OK;
	gemp_euler_team *team = p->list->team;
	GEMP_TRY_DONE(gemp_euler_lookup_new(&p->lookup, p->list, p->values));
	GEMP_TRY_DONE(gemp_comm_agree(team->comm, gemp_euler_exchange_new(&p->exchange, team, record_size(p), false)));
	p->exchange.encode = encode;
	p->exchange.context = p;
	p->exchange.encoded_max = gemp_number_size(p->wide) + (p->wide ? MAX_VARINT_BYTES : MAX_VARINT_BYTES / 2) +
	                          MAX_VARINT_BYTES / 2;
	uint64_t rounds = gemp_exchange_rounds(team->comm, p->list->count, team->in_flight);
	for (uint64_t round = 0; round < rounds; round++) {
		gemp_block_range part = gemp_exchange_round(round, p->list->count, team->in_flight);
		p->round_begin = part.begin;
		code = gemp_euler_exchange_open(&p->exchange, part.end - part.begin);
		if (code == GEMP_OK)
			gemp_parallel_for(p->exchange.chunks, send_body, p);
		GEMP_TRY_DONE(gemp_euler_exchange_send(&p->exchange, code, NULL));
		gemp_parallel_for(team->teams, receive_body, p);
	}
done:
	gemp_euler_exchange_free(&p->exchange);
	gemp_euler_lookup_free(&p->lookup);
	return code;
}

/* A SINGLE TEAM */

enum { WALKERS = 24, STARTS_PER_CHUNK = 1 << 11, EDGES_PER_CHUNK = 1 << 16 };

/* Labels are not needed any more. Each label is replaced by the target of its edge, which is the source of the next
 * edge on the circuit. So a walk finds the target beside the link, without another cache miss. */
GEMP_INLINE void store_targets(placement *p, size_t begin, size_t end, bool wide)
{
	const gemp_euler_list *list = p->list;
	for (size_t e = begin; e < end; e++)
		gemp_number_put(list->link.at, 2 * (list->own_begin + e) + 1, p->edges->target[e], wide);
}
GEMP_CHUNK_WIDTHS(target_body, store_targets, placement)

/* The splitter at the end of a stretch has its length. Stores the length with the splitter at the begin, where walks
 * need it. */
GEMP_INLINE void store_lengths(placement *p, size_t begin, size_t end, bool wide)
{
	const gemp_euler_list *list = p->list;
	size_t first, last;
	gemp_euler_team_part(list->team, list->splitters, &first, &last);
	for (size_t k = first + begin; k < first + end; k++)
		gemp_number_put(p->lengths.at, gemp_number_at(list->from.at, k, wide), gemp_number_at(list->length.at, k, wide),
		                wide);
}
GEMP_CHUNK_WIDTHS(length_body, store_lengths, placement)

typedef struct walker {
	size_t at;
	uint64_t place, left;
} walker;

/* Returns false if the walk sets none of this rank's places. A stretch that extends behind the last place continues at
 * place 0. A stretch that ends just before this rank's first place is walked, too, since its last edge gives the source
 * of that place. */
GEMP_INLINE bool start_walker(const placement *p, size_t k, walker *l, bool wide)
{
	l->place = place_of(p, gemp_number_at(p->values, k, wide), 0);
	l->left = gemp_number_at(p->lengths.at, k, wide);
	l->at = gemp_number_at(p->list->splitter.at, k, wide);
	__builtin_prefetch((const char *)p->list->link.at + 2 * l->at * gemp_number_size(wide));
	uint64_t end = l->place + l->left;
	return (l->place < p->end && end >= p->first) || (end >= p->total && end - p->total >= p->first);
}

/* Writes the edge at its place, and its target as the source of the next place, if these places belong to this rank.
 * Returns false if the stretch ends here. */
GEMP_INLINE bool walk_step(const placement *p, walker *l, bool wide)
{
	const gemp_euler_list *list = p->list;
	gemp_euler_order *order = p->order;
	uint64_t next = l->place + 1 < p->total ? l->place + 1 : 0;
	if (l->place - p->first < order->count)
		order->edge[l->place - p->first] = l->at;
	if (p->sources && next - p->first < order->count)
		order->source[next - p->first] = (gemp_vertex)gemp_number_at(list->link.at, 2 * l->at + 1, wide);
	if (--l->left == 0)
		return false;
	l->place = next;
	l->at = gemp_euler_rotated(list->joined, gemp_euler_next_at(list, l->at, wide));
	__builtin_prefetch((const char *)list->link.at + 2 * l->at * gemp_number_size(wide));
	return true;
}

/* Every rank follows the stretches that have its places, WALKERS stretches at a time as in list.c. */
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

/* Collective. The first fence makes lengths and targets visible to all members. After the second fence a member may
 * free or reuse the arrays, since all members have ended their walks. */
static gemp_code place_in_shared_memory(placement *p)
{
	gemp_euler_list *list = p->list;
	gemp_euler_team *team = list->team;
	size_t first, end;
	GEMP_TRY(gemp_euler_block_new(team, &p->lengths, list->splitters, gemp_number_size(p->wide)));
	gemp_euler_team_part(team, list->splitters, &first, &end);
	gemp_for_chunks(end - first, STARTS_PER_CHUNK, length_body, p);
	gemp_for_chunks(list->own_end - list->own_begin, EDGES_PER_CHUNK, target_body, p);
	gemp_euler_team_fence(team);
	gemp_for_chunks(list->splitters, STARTS_PER_CHUNK, emit_body, p);
	gemp_euler_team_fence(team);
	gemp_euler_block_free(&p->lengths);
	return GEMP_OK;
}

/* Collective. The distance of the fixed splitter from the splitter from which all values are measured. Only the owner
 * of the fixed splitter knows the distance, and a sum sends it to all ranks. */
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

/* `shift` brings the fixed splitter to its place. For a circuit it is the first edge, which gets place 0. For a path it
 * is the closing edge, which gets place total - 1; no rank has this place, since a path has total - 1 places. */
gemp_code gemp_euler_place_edges(gemp_euler_order *order, gemp_euler_list *list, const gemp_euler_edges *edges,
                                 void *values, bool sources)
{
	placement p = { .list = list,
		            .edges = edges,
		            .order = order,
		            .wide = list->wide,
		            .sources = sources,
		            .total = edges->edges,
		            .values = values };
	gemp_code code = gemp_comm_agree(list->team->comm, new_order(&p));
	if (code == GEMP_OK) {
		uint64_t fixed = fixed_splitter_distance(&p), wanted = edges->path_start == GEMP_NO_VERTEX ? 0 : p.total - 1;
		p.shift = (wanted + p.total - fixed) % p.total;
		code = list->team->teams > 1 ? place_in_rounds(&p) : place_in_shared_memory(&p);
	}
	gemp_free(p.places);
	return code;
}
