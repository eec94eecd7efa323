#include "euler/ranks/pairing.h"

#include "core/memory.h"
#include "core/search.h"
#include "core/threads.h"

#include <math.h>

enum { EDGES_PER_CHUNK = 1 << 15, ROWS_PER_CHUNK = 1 << 15, AHEAD = 24 };

typedef struct pairing {
	gemp_euler_list *list;
	const gemp_euler_edges *edges;
	bool wide;
	uint64_t low_vertex;     /* the first of the team */
	gemp_euler_block cursor; /* of each vertex of the team: its next slot, of the team's */
	size_t first;            /* edge of this rank with which a round begins */
	char *answers;
	gemp_euler_exchange mail;
	uint64_t unbalanced;
} pairing;

GEMP_INLINE void begin_piece(pairing *p, size_t begin, size_t end, bool wide)
{
	const gemp_euler_edges *edges = p->edges;
	uint64_t vertex = edges->bounds[edges->rank] - p->low_vertex;
	for (size_t row = begin; row < end; row++)
		gemp_number_set(p->cursor.at, vertex + row, p->list->part + edges->begin[row + 1], wide);
}
GEMP_CHUNK_WIDTHS(begin_body, begin_piece, pairing)

GEMP_INLINE void end_piece(pairing *p, size_t begin, size_t end, bool wide)
{
	const gemp_euler_edges *edges = p->edges;
	uint64_t vertex = edges->bounds[edges->rank] - p->low_vertex, wrong = 0;
	for (size_t row = begin; row < end; row++)
		wrong += gemp_number_at(p->cursor.at, vertex + row, wide) != p->list->part + edges->begin[row];
	if (wrong)
		__atomic_fetch_add(&p->unbalanced, wrong, __ATOMIC_RELAXED);
}
GEMP_CHUNK_WIDTHS(end_body, end_piece, pairing)

GEMP_INLINE void link_to(pairing *p, size_t edge, uint64_t slot, bool wide)
{
	gemp_number_set(p->list->link.at, 2 * (p->list->part + edge), slot, wide);
}

/* All vertices are the team's. */
GEMP_INLINE void pair_piece(pairing *p, size_t begin, size_t end, bool wide)
{
	const gemp_vertex *target = p->edges->target;
	for (size_t e = begin; e < end; e++) {
		if (e + AHEAD < end)
			__builtin_prefetch((char *)p->cursor.at + target[e + AHEAD] * gemp_number_size(wide), 1);
		link_to(p, e, gemp_number_decrement(p->cursor.at, target[e], wide), wide);
	}
}
GEMP_CHUNK_WIDTHS(pair_body, pair_piece, pairing)

/* Vertices of other teams are asked for. */
GEMP_INLINE void ask_piece(pairing *p, size_t piece, bool wide)
{
	const gemp_euler_edges *edges = p->edges;
	const gemp_euler_team *team = p->list->team;
	for (size_t i = p->mail.begin[piece]; i < p->mail.begin[piece + 1]; i++) {
		gemp_vertex target = edges->target[p->first + i];
		size_t owner = gemp_range_find(edges->bounds, team->teams, target);
		gemp_vertex vertex = (gemp_vertex)(target - edges->bounds[owner]);
		if (owner != team->team)
			memcpy(gemp_euler_exchange_put(&p->mail, piece, owner, (uint32_t)i), &vertex, sizeof vertex);
		else
			link_to(p, p->first + i, p->list->low + gemp_number_decrement(p->cursor.at, vertex, wide), wide);
	}
}
GEMP_WIDTHS(ask_body, ask_piece, pairing)

GEMP_INLINE void answer_piece(pairing *p, size_t begin, size_t end, bool wide)
{
	const gemp_vertex *asked = p->mail.receive;
	for (size_t i = begin; i < end; i++) {
		if (i + AHEAD < end)
			__builtin_prefetch((char *)p->cursor.at + asked[i + AHEAD] * gemp_number_size(wide), 1);
		gemp_number_set(p->answers, i, gemp_number_decrement(p->cursor.at, asked[i], wide), wide);
	}
}
GEMP_CHUNK_WIDTHS(answer_body, answer_piece, pairing)

typedef struct taking {
	pairing *p;
	const void *slots;
	bool wide;
} taking;

GEMP_INLINE void take_piece(taking *t, size_t piece, bool wide)
{
	pairing *p = t->p;
	gemp_euler_exchange *mail = &p->mail;
	for (size_t i = mail->begin[piece]; i < mail->begin[piece] + mail->put[piece]; i++)
		link_to(p, p->first + mail->tag[i],
		        p->list->bounds[mail->owner[i]] + gemp_number_at(t->slots, mail->position[i], wide), wide);
}
GEMP_WIDTHS(take_body, take_piece, taking)

/* Edges first .. first + count - 1. */
static gemp_code pair_round(pairing *p, size_t count, void **slots, size_t *capacity, size_t *sizes)
{
	gemp_code code = GEMP_OK;
	gemp_euler_team *team = p->list->team;
	gemp_euler_exchange *mail = &p->mail;
	size_t size = gemp_number_size(p->wide);
	code = gemp_euler_exchange_open(mail, count);
	if (code == GEMP_OK)
		gemp_parallel_for(mail->pieces, ask_body, p);
	GEMP_TRY(gemp_euler_exchange_send(mail, code, NULL));
	p->answers = gemp_calloc(mail->received, size);
	GEMP_TRY(gemp_comm_agree(team->comm, p->answers ? GEMP_OK : GEMP_ENOMEM));
	gemp_for_chunks(mail->received, EDGES_PER_CHUNK, answer_body, p);
	for (size_t t = 0; t < team->teams; t++)
		sizes[t] = mail->receive_size[t] / sizeof(gemp_vertex) * size;
	GEMP_TRY(gemp_exchange(team->comm, p->answers, sizes, slots, capacity, sizes + team->teams, &team->traffic));
	taking t = { p, *slots, p->wide };
	gemp_parallel_for(mail->pieces, take_body, &t);
done:
	gemp_free(p->answers);
	p->answers = NULL;
	return code;
}

static gemp_code pair_in_rounds(pairing *p)
{
	gemp_code code = GEMP_OK;
	gemp_euler_team *team = p->list->team;
	void *slots = NULL;
	size_t capacity = 0, *sizes = NULL, count = p->list->count, most = team->in_flight;
	uint64_t rounds = (count + most - 1) / most;
	code = gemp_euler_exchange_new(&p->mail, team, sizeof(gemp_vertex), true);
	GEMP_THEN(GEMP_NEW(sizes, 2 * team->teams));
	GEMP_TRY(gemp_comm_agree(team->comm, code));
	gemp_comm_max(team->comm, &rounds, 1);
	for (uint64_t round = 0; round < rounds; round++) {
		size_t left = count - p->first, now = left < most ? left : most;
		GEMP_TRY(pair_round(p, now, &slots, &capacity, sizes));
		p->first += now;
	}
done:
	gemp_euler_exchange_free(&p->mail);
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
	gemp_for_chunks(edges->rows, ROWS_PER_CHUNK, begin_body, &p);
	gemp_euler_team_fence(team);
	if (together)
		gemp_for_chunks(list->part_end - list->part, EDGES_PER_CHUNK, pair_body, &p);
	else
		GEMP_TRY(pair_in_rounds(&p));
	gemp_euler_team_fence(team);
	gemp_for_chunks(edges->rows, ROWS_PER_CHUNK, end_body, &p);
	*unbalanced = gemp_comm_sum1(team->comm, p.unbalanced);
done:
	gemp_euler_block_free(&p.cursor);
	return code;
}
