#include "match/grid_parts.h"

#include "core/memory.h"
#include "core/threads.h"

#include <string.h>

enum { ROWS = 1 << 10 /* that a thread takes at a time */, SUMMED = 1 << 20 /* numbers at a time */ };

/* ROWS that this rank answers for: own ones, or, where every rank has all rows, all of them. */
static bool everything(const gemp_grid *g)
{
	return g->fetch->residency->hot >= g->fetch->graph->vertices;
}

static size_t row_count(const gemp_grid *g)
{
	return everything(g) ? g->fetch->graph->vertices : g->fetch->residency->own_count;
}

static gemp_vertex row_slot(const gemp_grid *g, size_t i)
{
	return everything(g) ? (gemp_vertex)i : g->fetch->residency->own_slots[i];
}

static bool get(const uint32_t *bits, gemp_vertex slot)
{
	return bits[slot / 32] >> slot % 32 & 1;
}

/* BLOCKS. What a vertex weighs: its rows, and the rows that it is in. */
static void weigh(const gemp_grid *g, uint64_t *weights)
{
	for (size_t i = 0; i < row_count(g); i++)
		for (size_t v = 0; v < g->tiles.view_count; v++) {
			gemp_vertex slot = row_slot(g, i);
			gemp_row row = gemp_fetch_get(g->fetch, v, slot);
			weights[slot] += row.size;
			for (size_t k = 0; k < row.size; k++)
				weights[row.near[k]]++;
		}
}

/* Collective. */
static void sum_weights(const gemp_grid *g, uint64_t *weights)
{
	size_t vertices = g->fetch->graph->vertices;
	for (size_t at = 0; at < vertices && !everything(g); at += SUMMED)
		gemp_comm_sum(g->fetch->context->comm, weights + at, (int)(vertices - at < SUMMED ? vertices - at : SUMMED));
}

/* Each block takes its share of what is left, and one slot at least. */
static void cut_blocks(gemp_tiles *t, const uint64_t *weights, size_t vertices)
{
	uint64_t left = 0;
	for (size_t slot = 0; slot < vertices; slot++)
		left += weights[slot];
	t->blocks = 0;
	for (size_t slot = 0; slot < vertices; t->blocks++) {
		uint64_t taken = weights[slot], share = left / (GEMP_BLOCKS - t->blocks);
		t->border[t->blocks] = (gemp_vertex)slot++;
		while (slot < vertices && (taken + weights[slot] / 2 <= share || t->blocks == GEMP_BLOCKS - 1))
			taken += weights[slot++];
		left -= taken;
	}
	t->border[t->blocks] = (gemp_vertex)vertices;
}

gemp_code gemp_grid_blocks(gemp_grid *g)
{
	gemp_code code = GEMP_OK;
	uint64_t *weights = NULL;
	size_t vertices = g->fetch->graph->vertices;
	GEMP_TRY(gemp_comm_agree(g->fetch->context->comm, GEMP_NEW(weights, vertices)));
	weigh(g, weights);
	sum_weights(g, weights);
	cut_blocks(&g->tiles, weights, vertices);
done:
	gemp_free(weights);
	return code;
}

/* IMAGES of one rank's tasks. */
typedef struct asking {
	gemp_grid *grid;
	uint32_t *const *candidates;
	uint32_t *images[GEMP_MOST_PLACES];
	uint64_t pivots[2];     /* the first and the last */
	size_t place;           /* being marked */
	uint8_t *block_of;      /* by slot */
} asking;

static void set(uint32_t *bits, gemp_vertex slot)
{
	uint32_t bit = UINT32_C(1) << slot % 32;
	if (!(__atomic_load_n(&bits[slot / 32], __ATOMIC_RELAXED) & bit))
		__atomic_fetch_or(&bits[slot / 32], bit, __ATOMIC_RELAXED);
}

static void mark_row(const asking *a, const gemp_closure_place *place, gemp_vertex slot)
{
	gemp_row row = gemp_fetch_get(a->grid->fetch, (size_t)place->view, slot);
	const uint32_t *candidates = a->candidates[place->vertex];
	for (size_t k = 0; k < row.size; k++)
		if (gemp_place_takes(place, slot, row.near[k], (gemp_vertex)a->pivots[0], (gemp_vertex)a->pivots[1], candidates))
			set(a->images[a->place], row.near[k]);
}

static void mark_rows(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	const asking *a = context;
	const gemp_closure_place *place = &a->grid->closure->places[a->place];
	for (size_t i = piece * ROWS; i < (piece + 1) * ROWS && i < row_count(a->grid); i++) {
		gemp_vertex slot = row_slot(a->grid, i);
		if (get(a->images[place->parent], slot))
			mark_row(a, place, slot);
	}
}

static void mark_roots(asking *a, const gemp_reach_tasks *tasks)
{
	size_t roots = a->grid->closure->root_count;
	for (size_t i = 0; i < tasks->count * roots; i++)
		a->images[i % roots][tasks->slots[i] / 32] |= UINT32_C(1) << tasks->slots[i] % 32;
	a->pivots[0] = tasks->count ? tasks->slots[0] : 0;
	a->pivots[1] = tasks->count ? tasks->slots[(tasks->count - 1) * roots] : 0;
	if (a->grid->plan->given)
		a->pivots[0] = a->pivots[1] = 0;
}

/* Collective. rank: of the asker. */
static void find_images(asking *a, int rank, const gemp_reach_tasks *tasks)
{
	gemp_grid *g = a->grid;
	const gemp_comm *comm = g->fetch->context->comm;
	for (size_t i = 0; i < g->closure->count; i++)
		memset(a->images[i], 0, g->words * sizeof *a->images[i]);
	if (comm->rank == rank || everything(g))
		mark_roots(a, tasks);
	if (!everything(g))
		GEMP_MPI(MPI_Bcast(a->pivots, 2, MPI_UINT64_T, rank, comm->world));
	for (size_t i = 0; i < g->closure->count; i++) {
		a->place = i;
		if (i >= g->closure->root_count)
			gemp_parallel_for((row_count(g) + ROWS - 1) / ROWS, mark_rows, a);
		if (!everything(g))
			GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, a->images[i], (int)g->words, MPI_UINT32_T, MPI_BOR, comm->world));
	}
}

/* TILES. */
static bool in_places(const asking *a, uint64_t places, gemp_vertex slot)
{
	bool in = !places;
	for (; places && !in; places &= places - 1)
		in = get(a->images[__builtin_ctzll(places)], slot);
	return in;
}

static size_t first_row(const gemp_grid *g, gemp_vertex slot)
{
	size_t low = 0, high = row_count(g);
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (row_slot(g, middle) < slot)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void count_block(void *context, unsigned thread, size_t block)
{
	(void)thread;
	const asking *a = context;
	const gemp_grid *g = a->grid;
	size_t end = first_row(g, g->tiles.border[block + 1]);
	for (size_t i = first_row(g, g->tiles.border[block]); i < end; i++)
		for (size_t c = 0; c < g->class_count; c++) {
			gemp_vertex slot = row_slot(g, i);
			if (!in_places(a, g->classes[c].places, slot))
				continue;
			gemp_row row = gemp_fetch_get(g->fetch, g->classes[c].view, slot);
			uint64_t *sums = (*g->classes[c].sums)[block + 1];
			for (size_t k = 0; k < row.size; k++)
				sums[a->block_of[row.near[k]] + 1]++;
		}
}

static void add_up(gemp_tile_sums *sums)
{
	for (size_t i = 1; i <= GEMP_BLOCKS; i++)
		for (size_t j = 1; j <= GEMP_BLOCKS; j++)
			(*sums)[i][j] += (*sums)[i - 1][j] + (*sums)[i][j - 1] - (*sums)[i - 1][j - 1];
}

/* Collective. */
static void count_tiles(asking *a, int rank, gemp_tile_sums *mine)
{
	gemp_grid *g = a->grid;
	const gemp_comm *comm = g->fetch->context->comm;
	int numbers = (int)(g->class_count * sizeof *mine / sizeof(uint64_t));
	memset(g->classes[0].sums, 0, g->class_count * sizeof *mine);
	gemp_parallel_for(g->tiles.blocks, count_block, a);
	if (everything(g))
		memcpy(mine, g->classes[0].sums, g->class_count * sizeof *mine);
	else
		GEMP_MPI(MPI_Reduce(g->classes[0].sums, mine, numbers, MPI_UINT64_T, MPI_SUM, rank, comm->world));
}

static gemp_code make_room(asking *a, gemp_tile_sums **mine)
{
	gemp_code code = GEMP_OK;
	gemp_grid *g = a->grid;
	for (size_t i = 0; i < g->closure->count; i++)
		GEMP_TRY(GEMP_NEW(a->images[i], g->words + 1));
	GEMP_TRY(GEMP_NEW(*mine, g->class_count));
	GEMP_TRY(GEMP_NEW(a->block_of, g->fetch->graph->vertices + 1));
	for (size_t b = 0; b < g->tiles.blocks; b++)
		memset(a->block_of + g->tiles.border[b], (int)b, g->tiles.border[b + 1] - g->tiles.border[b]);
done:
	return code;
}

gemp_code gemp_grid_count(gemp_grid *g, uint32_t *const *candidates, const gemp_reach_tasks *tasks)
{
	gemp_code code = GEMP_OK;
	const gemp_comm *comm = g->fetch->context->comm;
	asking a = { .grid = g, .candidates = candidates };
	gemp_tile_sums *mine = NULL;
	GEMP_TRY(gemp_comm_agree(comm, make_room(&a, &mine)));
	for (int rank = 0; rank < (everything(g) ? 1 : comm->size); rank++) {
		find_images(&a, rank, tasks);
		count_tiles(&a, rank, mine);
		for (size_t i = 0; i < g->closure->count && (rank == comm->rank || everything(g)); i++)
			memcpy(g->images[i], a.images[i], g->words * sizeof *a.images[i]);
	}
	memcpy(g->classes[0].sums, mine, g->class_count * sizeof *mine);
	for (size_t c = 0; c < g->class_count; c++)
		add_up(g->classes[c].sums);
done:
	for (size_t i = 0; i < g->closure->count; i++)
		gemp_free(a.images[i]);
	gemp_free(mine);
	gemp_free(a.block_of);
	return code;
}
