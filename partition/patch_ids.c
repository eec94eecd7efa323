/* Which vertices stay, and the ids of all. */
#include "core/memory.h"
#include "core/threads.h"
#include "partition/patch_parts.h"

#include <string.h>

static void gone_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	gemp_patching *p = context;
	const gemp_graph *g = p->from;
	uint64_t first = (g->first / 64 + piece * GEMP_PATCH_PIECE) * 64, last = first + (uint64_t)GEMP_PATCH_PIECE * 64;
	uint64_t begin = first > g->first ? first : g->first, end = last < g->first + g->rows ? last : g->first + g->rows;
	for (uint64_t id = begin; id < end; id++)
		if (p->patch->gone[id - g->first])
			p->moved.gone.words[id / 64] |= UINT64_C(1) << id % 64;
}

/* Collective. */
static gemp_code join_gone(gemp_patching *p)
{
	gemp_code code = GEMP_OK;
	const gemp_graph *g = p->from;
	uint64_t some = 0;
	for (size_t row = 0; p->patch->gone && !some && row < g->rows; row++)
		some = p->patch->gone[row] != 0;
	gemp_comm_max(p->comm, &some, 1);
	p->moved.some_gone = some;
	if (!some)
		return GEMP_OK;
	GEMP_TRY(gemp_comm_agree(p->comm, gemp_bit_ranks_new(&p->moved.gone, g->vertices)));
	if (p->patch->gone && g->rows)
		gemp_parallel_for(gemp_patch_pieces((g->first + g->rows - 1) / 64 - g->first / 64 + 1), gone_piece, p);
	gemp_bit_ranks_join(&p->moved.gone, p->comm);
done:
	return code;
}

/* Collective. Bounds, and how far each rank's ids shift. */
static gemp_code find_bounds(gemp_patching *p)
{
	gemp_code code = GEMP_OK;
	gemp_moved *m = &p->moved;
	const uint64_t *old = p->from->bounds;
	size_t ranks = m->ranks = (size_t)p->comm->size;
	code = GEMP_NEW(m->old_bounds, ranks + 1);
	if (code == GEMP_OK)
		code = GEMP_NEW(m->new_bounds, ranks + 1);
	if (code == GEMP_OK)
		code = GEMP_NEW(m->shift, ranks);
	GEMP_TRY(gemp_comm_agree(p->comm, code));
	memcpy(m->old_bounds, old, (ranks + 1) * sizeof *old);
	m->new_bounds[p->comm->rank + 1] = p->patch->added;
	gemp_comm_sum(p->comm, m->new_bounds, (int)ranks + 1);
	m->still = !m->some_gone;
	for (size_t r = 0; r < ranks; r++) {
		uint64_t before = m->some_gone ? gemp_bits_before(&m->gone, old[r]) : 0;
		uint64_t after = m->some_gone ? gemp_bits_before(&m->gone, old[r + 1]) : 0;
		p->added += m->new_bounds[r + 1];
		m->shift[r] = m->new_bounds[r] - (old[r] - before);
		m->still &= m->shift[r] == 0 || old[r] == old[r + 1];
		m->new_bounds[r + 1] += m->new_bounds[r] + (old[r + 1] - old[r]) - (after - before);
	}
	if (m->new_bounds[ranks] > GEMP_MAX_VERTICES)
		return gemp_fail(GEMP_EDATA, "the graph would have %" PRIu64 " vertices, but it may have at most %" PRIu64,
		                 m->new_bounds[ranks], GEMP_MAX_VERTICES);
done:
	return code;
}

static void keep_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	const gemp_patching *p = context;
	const gemp_graph *g = p->from;
	bool some = p->moved.some_gone;
	size_t begin = piece * GEMP_PATCH_PIECE, to = begin;
	if (some)
		to -= (size_t)(gemp_bits_before(&p->moved.gone, g->first + begin) - gemp_bits_before(&p->moved.gone, g->first));
	for (size_t row = begin; row < gemp_patch_end(piece, g->rows); row++)
		if (!some || !gemp_bit_is_set(p->moved.gone.words, g->first + row))
			p->kept[to++] = row;
}

static gemp_code find_kept(gemp_patching *p)
{
	gemp_code code = GEMP_OK;
	if (!p->moved.some_gone)
		return GEMP_OK;
	GEMP_TRY(GEMP_NEW(p->kept, p->kept_count));
	gemp_parallel_for(gemp_patch_pieces(p->from->rows), keep_piece, p);
	for (size_t i = 0; i < p->patch->added; i++)
		p->kept[p->survivors + i] = p->from->rows + i;
done:
	return code;
}

gemp_code gemp_patch_ids(gemp_patching *p)
{
	gemp_code code = GEMP_OK;
	const gemp_graph *from = p->from;
	gemp_graph *to = p->to;
	GEMP_TRY(join_gone(p));
	GEMP_TRY(find_bounds(p));
	code = GEMP_NEW(to->bounds, p->moved.ranks + 1);
	GEMP_TRY(gemp_comm_agree(p->comm, code));
	memcpy(to->bounds, p->moved.new_bounds, (p->moved.ranks + 1) * sizeof *to->bounds);
	to->rank = from->rank;
	to->ranks = from->ranks;
	to->seed = from->seed;
	to->vertices = to->bounds[to->ranks];
	to->first = to->bounds[to->rank];
	to->rows = p->kept_count = (size_t)(to->bounds[to->rank + 1] - to->first);
	p->survivors = to->rows - p->patch->added;
	code = gemp_comm_agree(p->comm, find_kept(p));
done:
	return code;
}
