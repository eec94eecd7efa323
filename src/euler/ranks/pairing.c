#include "euler/ranks/pairing.h"

#include "core/memory.h"
#include "core/search.h"
#include "core/threads.h"

#include <math.h>

enum { EDGES_PER_CHUNK = 1 << 15, ROWS_PER_CHUNK = 1 << 15, PREFETCH_DISTANCE = 24 };

/* Cursors count down from the end of each row: handing out the last slot first makes far fewer circuits
 * (pairing.h). */
typedef struct pairing {
	gemp_euler_list *list;
	const gemp_euler_edges *edges;
	bool wide;
	uint64_t low_vertex;     /* the first of the team */
	gemp_euler_block cursor; /* of each vertex of the team: its next slot, of the team's */
	size_t round_begin;      /* edge of this rank with which a round begins */
	char *answers;
	gemp_euler_exchange exchange;
	uint64_t unbalanced;
} pairing;

/* Cursors start behind the last slot of each row and count down. */
GEMP_INLINE void set_cursors(pairing *p, size_t begin, size_t end, bool wide)
{
	const gemp_euler_edges *edges = p->edges;
	uint64_t vertex = edges->bounds[edges->rank] - p->low_vertex;
	for (size_t row = begin; row < end; row++)
		gemp_number_set(p->cursor.at, vertex + row, p->list->own_begin + edges->begin[row + 1], wide);
}
GEMP_CHUNK_WIDTHS(cursor_body, set_cursors, pairing)

/* A vertex is balanced if its cursor has reached the first slot. */
GEMP_INLINE void check_cursors(pairing *p, size_t begin, size_t end, bool wide)
{
	const gemp_euler_edges *edges = p->edges;
	uint64_t vertex = edges->bounds[edges->rank] - p->low_vertex, wrong = 0;
	for (size_t row = begin; row < end; row++)
		wrong += gemp_number_at(p->cursor.at, vertex + row, wide) != p->list->own_begin + edges->begin[row];
	if (wrong)
		__atomic_fetch_add(&p->unbalanced, wrong, __ATOMIC_RELAXED);
}
GEMP_CHUNK_WIDTHS(check_body, check_cursors, pairing)

/* Links an own edge to its successor. */
GEMP_INLINE void link_to(pairing *p, size_t edge, uint64_t slot, bool wide)
{
	gemp_number_set(p->list->link.at, 2 * (p->list->own_begin + edge), slot, wide);
}

/* All vertices belong to this team, so successors are taken directly. */
GEMP_INLINE void pair_chunk(pairing *p, size_t begin, size_t end, bool wide)
{
	const gemp_vertex *target = p->edges->target;
	for (size_t e = begin; e < end; e++) {
		if (e + PREFETCH_DISTANCE < end)
			__builtin_prefetch((char *)p->cursor.at + target[e + PREFETCH_DISTANCE] * gemp_number_size(wide), 1);
		link_to(p, e, gemp_number_decrement(p->cursor.at, target[e], wide), wide);
	}
}
GEMP_CHUNK_WIDTHS(pair_body, pair_chunk, pairing)

/* Vertices of other teams are asked for their next slot; own ones are taken at once. */
GEMP_INLINE void request_chunk(pairing *p, size_t piece, bool wide)
{
	const gemp_euler_edges *edges = p->edges;
	const gemp_euler_team *team = p->list->team;
	for (size_t i = p->exchange.begin[piece]; i < p->exchange.begin[piece + 1]; i++) {
		gemp_vertex target = edges->target[p->round_begin + i];
		size_t owner = gemp_range_find(edges->bounds, team->teams, target);
		gemp_vertex vertex = (gemp_vertex)(target - edges->bounds[owner]);
		if (owner != team->team)
			memcpy(gemp_euler_exchange_put(&p->exchange, piece, owner, (uint32_t)i), &vertex, sizeof vertex);
		else
			link_to(p, p->round_begin + i, p->list->first_number + gemp_number_decrement(p->cursor.at, vertex, wide),
			        wide);
	}
}
GEMP_WIDTHS(request_body, request_chunk, pairing)

/* Own slots are handed out to other teams; the prefetch hides the random access to the cursor. */
GEMP_INLINE void answer_chunk(pairing *p, size_t begin, size_t end, bool wide)
{
	const gemp_vertex *asked = p->exchange.receive;
	for (size_t i = begin; i < end; i++) {
		if (i + PREFETCH_DISTANCE < end)
			__builtin_prefetch((char *)p->cursor.at + asked[i + PREFETCH_DISTANCE] * gemp_number_size(wide), 1);
		gemp_number_set(p->answers, i, gemp_number_decrement(p->cursor.at, asked[i], wide), wide);
	}
}
GEMP_CHUNK_WIDTHS(answer_body, answer_chunk, pairing)

typedef struct answer_scatter {
	pairing *p;
	const void *slots;
	bool wide;
} answer_scatter;

/* Answers are in the order in which requests were sent; tags say for which edge. */
GEMP_INLINE void scatter_chunk(answer_scatter *t, size_t piece, bool wide)
{
	pairing *p = t->p;
	gemp_euler_exchange *exchange = &p->exchange;
	for (size_t i = exchange->begin[piece]; i < exchange->begin[piece] + exchange->put[piece]; i++)
		link_to(p, p->round_begin + exchange->tag[i],
		        p->list->bounds[exchange->owner[i]] + gemp_number_at(t->slots, exchange->position[i], wide), wide);
}
GEMP_WIDTHS(scatter_body, scatter_chunk, answer_scatter)

/* Collective. Edges round_begin .. round_begin + count - 1. */
static gemp_code pair_round(pairing *p, size_t count, void **slots, size_t *capacity, size_t *sizes)
{
	gemp_code code = GEMP_OK;
	gemp_euler_team *team = p->list->team;
	gemp_euler_exchange *exchange = &p->exchange;
	size_t size = gemp_number_size(p->wide);
	code = gemp_euler_exchange_open(exchange, count);
	if (code == GEMP_OK)
		gemp_parallel_for(exchange->pieces, request_body, p);
	GEMP_TRY(gemp_euler_exchange_send(exchange, code, NULL));
	p->answers = gemp_calloc(exchange->received, size);
	GEMP_TRY(gemp_comm_agree(team->comm, p->answers ? GEMP_OK : GEMP_ENOMEM));
	gemp_for_chunks(exchange->received, EDGES_PER_CHUNK, answer_body, p);
	for (size_t t = 0; t < team->teams; t++)
		sizes[t] = exchange->receive_size[t] / sizeof(gemp_vertex) * size;
	GEMP_TRY(
		gemp_exchange(team->comm, GEMP_OK, p->answers, sizes, slots, capacity, sizes + team->teams, &team->traffic));
	answer_scatter t = { p, *slots, p->wide };
	gemp_parallel_for(exchange->pieces, scatter_body, &t);
done:
	gemp_free(p->answers);
	p->answers = NULL;
	return code;
}

/* Collective. Rounds bound the records in flight; all teams take part in the longest team's number of rounds. */
static gemp_code pair_in_rounds(pairing *p)
{
	gemp_code code = GEMP_OK;
	gemp_euler_team *team = p->list->team;
	void *slots = NULL;
	size_t capacity = 0, *sizes = NULL, count = p->list->count, max_count = team->in_flight;
	uint64_t rounds = (count + max_count - 1) / max_count;
	code = gemp_euler_exchange_new(&p->exchange, team, sizeof(gemp_vertex), true);
	GEMP_THEN(GEMP_NEW(sizes, 2 * team->teams));
	GEMP_TRY(gemp_comm_agree(team->comm, code));
	gemp_comm_max(team->comm, &rounds, 1);
	for (uint64_t round = 0; round < rounds; round++) {
		size_t left = count - p->round_begin, now = left < max_count ? left : max_count;
		GEMP_TRY(pair_round(p, now, &slots, &capacity, sizes));
		p->round_begin += now;
	}
done:
	gemp_euler_exchange_free(&p->exchange);
	gemp_free_all(slots, sizes);
	return code;
}

gemp_code gemp_euler_pair(gemp_euler_list *list, const gemp_euler_edges *edges, uint64_t *unbalanced)
{
	gemp_code code = GEMP_OK;
	gemp_euler_team *team = list->team;
	bool together = team->teams == 1;
	pairing p = { .list = list, .edges = edges, .wide = list->wide };
	p.low_vertex = together ? 0 : edges->bounds[edges->rank];
	size_t vertices = together ? edges->vertices : edges->rows;
	code = gemp_euler_block_new(team, &p.cursor, vertices, gemp_number_size(list->wide));
	GEMP_TRY(gemp_comm_agree(team->comm, code));
	gemp_for_chunks(edges->rows, ROWS_PER_CHUNK, cursor_body, &p);
	gemp_euler_team_fence(team);
	if (together)
		gemp_for_chunks(list->own_end - list->own_begin, EDGES_PER_CHUNK, pair_body, &p);
	else
		GEMP_TRY(pair_in_rounds(&p));
	gemp_euler_team_fence(team);
	gemp_for_chunks(edges->rows, ROWS_PER_CHUNK, check_body, &p);
	*unbalanced = gemp_comm_sum1(team->comm, p.unbalanced);
done:
	gemp_euler_block_free(&p.cursor);
	return code;
}
