#include "match/exchange/cell_grid.h"

#include "core/search.h"
#include "core/threads.h"

#include <string.h>

#define BIT(i) (UINT64_C(1) << (i))

/* Returns the class of the rows of v in a view, and adds it unless it exists. The first classes are whole views. */
static size_t add_class(gemp_grid *g, int v, size_t view)
{
	gemp_grid_class class = { view, g->closure->nodes_of[v], NULL };
	size_t c = g->tiles.view_count;
	while (c < g->class_count && (g->classes[c].view != view || g->classes[c].places != class.places))
		c++;
	if (c == g->class_count)
		g->classes[g->class_count++] = class;
	return c;
}

/* Adds a read for each pattern vertex whose images are searched for in rows of v. */
static void add_reads(gemp_grid *g, int v, size_t view)
{
	const gemp_closure *closure = g->closure;
	uint64_t to = closure->toward[v][view];
	if (!to || !closure->nodes_of[v])
		return;
	size_t class = add_class(g, v, view);
	for (; to; to &= to - 1) {
		int u = __builtin_ctzll(to);
		g->reads[g->read_count++] = (gemp_grid_read){ v, u, class, closure->certain[v][view] >> u & 1 };
	}
}

/* Local. Lists the reads of the closure, and makes the arrays. The first classes are whole views. Their counts bound
 * the entries that several classes together can read. */
static gemp_code list_reads(gemp_grid *g)
{
	size_t views = g->tiles.view_count, capacity = 1; /* capacity is at least the number of reads */
	gemp_tile_sums *sums = NULL;
	for (int v = 0; v < GEMP_MAX_PATTERN_VERTICES; v++)
		for (size_t view = 0; view < views; view++)
			capacity += (size_t)__builtin_popcountll(g->closure->toward[v][view]);
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(g->classes, views + capacity), GEMP_ARRAY(g->reads, capacity)));
	for (; g->class_count < views; g->class_count++)
		g->classes[g->class_count].view = g->class_count;
	for (int v = 0; v < g->plan->vertex_count; v++)
		for (size_t view = 0; view < views; view++)
			add_reads(g, v, view);
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(g->rows, g->class_count + 1), GEMP_ARRAY(sums, g->class_count + 1)));
	for (size_t c = 0; c <= g->class_count; c++)
		g->classes[c].sums = sums + c;
	for (size_t i = 0; i < g->closure->count; i++)
		GEMP_TRY(GEMP_NEW(g->images[i], g->words + 1));
	return GEMP_OK;
}

/* True if every rank has all rows. If so, each rank counts along all rows. If not, each rank counts along its own
 * rows. */
static bool all_rows_resident(const gemp_grid *g)
{
	return g->fetch->residency->hot >= g->fetch->graph->vertex_count;
}

/* The number of rows along which this rank counts. */
static size_t row_count(const gemp_grid *g)
{
	return all_rows_resident(g) ? g->fetch->graph->vertex_count : g->fetch->residency->own_count;
}

/* The slot of the i-th row along which this rank counts. Slots ascend with i, and first_row relies on this order. */
static gemp_vertex row_slot(const gemp_grid *g, size_t i)
{
	return all_rows_resident(g) ? (gemp_vertex)i : g->fetch->residency->own_slots[i];
}

/* The weight of a vertex is the length of its rows plus the number of rows that contain it, because blocks divide both
 * rows and columns. */
static void count_entries(const gemp_grid *g, uint64_t *weights)
{
	for (size_t i = 0; i < row_count(g); i++)
		for (size_t v = 0; v < g->tiles.view_count; v++) {
			gemp_vertex slot = row_slot(g, i);
			gemp_row row = gemp_fetch_get(g->fetch, v, slot);
			weights[slot] += row.size;
			for (size_t k = 0; k < row.size; k++)
				weights[row.neighbours[k]]++;
		}
}

enum { ROWS = 1 << 10 }; /* number of rows that a thread takes at a time */

/* Divides the slots into blocks of about equal weight. Each block takes an equal part of the remaining weight, and at
 * least one slot. */
static void cut_blocks(gemp_tiles *t, const uint64_t *weights, size_t vertices)
{
	uint64_t left = 0;
	for (size_t slot = 0; slot < vertices; slot++)
		left += weights[slot];
	t->blocks = 0;
	for (size_t slot = 0; slot < vertices; t->blocks++) {
		uint64_t taken = weights[slot], share = left / (GEMP_BLOCKS - t->blocks);
		t->bounds[t->blocks] = (gemp_vertex)slot++;
		while (slot < vertices && (taken + weights[slot] / 2 <= share || t->blocks == GEMP_BLOCKS - 1))
			taken += weights[slot++];
		left -= taken;
	}
	t->bounds[t->blocks] = (gemp_vertex)vertices;
}

/* Collective. Makes blocks with about the same number of entries in rows and columns. All ranks get the same blocks. */
static gemp_code grid_blocks(gemp_grid *g)
{
	GEMP_OWNED uint64_t *weights = NULL;
	size_t vertices = g->fetch->graph->vertex_count;
	GEMP_TRY(gemp_comm_agree(g->fetch->context->comm, GEMP_NEW(weights, vertices)));
	count_entries(g, weights);
	if (!all_rows_resident(g))
		gemp_comm_sum_long(g->fetch->context->comm, weights, vertices);
	cut_blocks(&g->tiles, weights, vertices);
	return GEMP_OK;
}

/* The state of the count for the tasks of one rank. */
typedef struct request_context {
	gemp_grid *grid;
	uint32_t *const *candidates;
	uint32_t *images[GEMP_MAX_CLOSURE_NODES]; /* by place: [words] bitmap by slot of its images */
	/* slots of the first and the last pivot of the tasks; 0 if there are no pivots */
	uint64_t pivots[2];
	size_t place;      /* the place whose images are being marked */
	uint8_t *block_of; /* [vertices] the block of each slot */
} request_context;

/* Marks the entries of one row that can be images of the place. */
static void mark_row(const request_context *a, const gemp_closure_node *place, gemp_vertex slot)
{
	gemp_row row = gemp_fetch_get(a->grid->fetch, (size_t)place->view, slot);
	const uint32_t *candidates = a->candidates[place->vertex];
	for (size_t k = 0; k < row.size; k++)
		if (gemp_closure_node_accepts(place, slot, row.neighbours[k], (gemp_vertex)a->pivots[0],
		                              (gemp_vertex)a->pivots[1], candidates))
			gemp_bits32_set_atomic(a->images[a->place], row.neighbours[k]);
}

/* Marks the images of the place: neighbours of the parent's images. Several threads write to one bitmap. */
static void mark_rows(void *context, size_t range, size_t begin, size_t end)
{
	(void)range;
	const request_context *a = context;
	const gemp_closure_node *place = &a->grid->closure->nodes[a->place];
	for (size_t i = begin; i < end; i++) {
		gemp_vertex slot = row_slot(a->grid, i);
		if (gemp_bits32_test(a->images[place->parent], slot))
			mark_row(a, place, slot);
	}
}

/* Marks the images of the roots, which the tasks list. */
static void mark_roots(request_context *a, const gemp_root_tasks *tasks)
{
	size_t roots = a->grid->closure->root_count;
	for (size_t i = 0; i < tasks->count * roots; i++)
		gemp_bits32_set(a->images[i % roots], tasks->slots[i]);
	a->pivots[0] = tasks->count ? tasks->slots[0] : 0;
	a->pivots[1] = tasks->count ? tasks->slots[(tasks->count - 1) * roots] : 0;
	if (a->grid->plan->arguments)
		a->pivots[0] = a->pivots[1] = 0;
}

/* Collective. Marks the images of each place for the tasks of one rank, level by level. If rows are spread over ranks,
 * each rank marks along its own rows, and a reduction unites the bitmaps. */
static void find_images(request_context *a, int rank, const gemp_root_tasks *tasks)
{
	gemp_grid *g = a->grid;
	const gemp_comm *comm = g->fetch->context->comm;
	for (size_t i = 0; i < g->closure->count; i++)
		memset(a->images[i], 0, g->words * sizeof *a->images[i]);
	if (comm->rank == rank || all_rows_resident(g))
		mark_roots(a, tasks);
	if (!all_rows_resident(g))
		GEMP_MPI(MPI_Bcast(a->pivots, 2, MPI_UINT64_T, rank, comm->world));
	for (size_t i = 0; i < g->closure->count; i++) {
		a->place = i;
		if (i >= g->closure->root_count)
			gemp_for_chunks(row_count(g), ROWS, mark_rows, a);
		if (!all_rows_resident(g))
			GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, a->images[i], (int)g->words, MPI_UINT32_T, MPI_BOR, comm->world));
	}
}

/* True if the set `places` is empty, or if the slot is an image of at least one place of the set. */
static bool in_places(const request_context *a, uint64_t places, gemp_vertex slot)
{
	bool in = !places;
	for (; places && !in; places &= places - 1)
		in = gemp_bits32_test(a->images[__builtin_ctzll(places)], slot);
	return in;
}

/* The index of the first row whose slot is at least `slot`; row_count if no row is. */
static size_t first_row(const gemp_grid *g, gemp_vertex slot)
{
	size_t low;
	GEMP_PARTITION_POINT(low, 0, row_count(g), row_slot(g, low) < slot);
	return low;
}

/* Counts the entries of one block of rows. One thread counts a block, so the sums need no locks. */
static void count_block(void *context, unsigned thread, size_t block)
{
	(void)thread;
	const request_context *a = context;
	const gemp_grid *g = a->grid;
	size_t end = first_row(g, g->tiles.bounds[block + 1]);
	for (size_t i = first_row(g, g->tiles.bounds[block]); i < end; i++)
		for (size_t c = 0; c < g->class_count; c++) {
			gemp_vertex slot = row_slot(g, i);
			if (!in_places(a, g->classes[c].places, slot))
				continue;
			gemp_row row = gemp_fetch_get(g->fetch, g->classes[c].view, slot);
			uint64_t *sums = (*g->classes[c].sums)[block + 1];
			for (size_t k = 0; k < row.size; k++)
				sums[a->block_of[row.neighbours[k]] + 1]++;
		}
}

/* Collective. Each rank counts the entries of each class by tiles, along the rows that it has. If rows are spread over
 * ranks, a reduction sends the total counts to the rank that has the tasks. */
static void count_tiles(request_context *a, int rank, gemp_tile_sums *mine)
{
	gemp_grid *g = a->grid;
	const gemp_comm *comm = g->fetch->context->comm;
	int numbers = (int)(g->class_count * sizeof *mine / sizeof(uint64_t));
	memset(g->classes[0].sums, 0, g->class_count * sizeof *mine);
	gemp_parallel_for(g->tiles.blocks, count_block, a);
	if (all_rows_resident(g))
		memcpy(mine, g->classes[0].sums, g->class_count * sizeof *mine);
	else
		GEMP_MPI(MPI_Reduce(g->classes[0].sums, mine, numbers, MPI_UINT64_T, MPI_SUM, rank, comm->world));
}

/* Local. Makes the arrays of a context, and fills block_of. */
static gemp_code make_buffers(request_context *a, gemp_tile_sums **mine)
{
	gemp_grid *g = a->grid;
	for (size_t i = 0; i < g->closure->count; i++)
		GEMP_TRY(GEMP_NEW(a->images[i], g->words + 1));
	GEMP_TRY(
		gemp_new_all(GEMP_ARRAY(*mine, g->class_count), GEMP_ARRAY(a->block_of, g->fetch->graph->vertex_count + 1)));
	for (size_t b = 0; b < g->tiles.blocks; b++)
		memset(a->block_of + g->tiles.bounds[b], (int)b, g->tiles.bounds[b + 1] - g->tiles.bounds[b]);
	return GEMP_OK;
}

/* Collective. Finds the images and counts the entries of their rows by tiles: for the tasks of one rank after another
 * or, if every rank has all rows, for the own tasks only. Then turns the counts into prefix sums. */
static gemp_code grid_count(gemp_grid *g, uint32_t *const *candidates, const gemp_root_tasks *tasks)
{
	gemp_code code = GEMP_OK;
	const gemp_comm *comm = g->fetch->context->comm;
	request_context a = { .grid = g, .candidates = candidates };
	gemp_tile_sums *mine = NULL;
	GEMP_TRY_DONE(gemp_comm_agree(comm, make_buffers(&a, &mine)));
	for (int rank = 0; rank < (all_rows_resident(g) ? 1 : comm->size); rank++) {
		find_images(&a, rank, tasks);
		count_tiles(&a, rank, mine);
		for (size_t i = 0; i < g->closure->count && (rank == comm->rank || all_rows_resident(g)); i++)
			memcpy(g->images[i], a.images[i], g->words * sizeof *a.images[i]);
	}
	memcpy(g->classes[0].sums, mine, g->class_count * sizeof *mine);
	for (size_t c = 0; c < g->class_count; c++) {
		gemp_tile_sums *sums = g->classes[c].sums;
		for (size_t i = 1; i <= GEMP_BLOCKS; i++)
			for (size_t j = 1; j <= GEMP_BLOCKS; j++)
				(*sums)[i][j] += (*sums)[i - 1][j] + (*sums)[i][j - 1] - (*sums)[i - 1][j - 1];
	}
done:
	for (size_t i = 0; i < g->closure->count; i++)
		gemp_free(a.images[i]);
	gemp_free_all(mine, a.block_of);
	return code;
}

/* Collective, since each rank counts the entries of the rows that it has. */
gemp_code gemp_grid_new(gemp_grid **out, const gemp_plan *plan, const gemp_closure *closure, const gemp_fetch *fetch,
                        uint32_t *const *candidates, const gemp_root_tasks *tasks)
{
	GEMP_OWNED_BY(gemp_grid_free_at) gemp_grid *g = NULL;
	uint64_t vertices = fetch->graph->vertex_count;
	gemp_code code = GEMP_NEW(g, 1);
	if (code == GEMP_OK) {
		*g = (gemp_grid){ .closure = closure, .fetch = fetch, .plan = plan, .words = gemp_bits32_words(vertices) };
		code = gemp_tiles_new(&g->tiles, fetch->view_count, vertices);
	}
	GEMP_THEN(list_reads(g));
	GEMP_TRY(gemp_comm_agree(fetch->context->comm, code));
	GEMP_TRY(grid_blocks(g));
	GEMP_TRY(grid_count(g, candidates, tasks));
	*out = g;
	g = NULL;
	return GEMP_OK;
}

/* The sums of all classes are one block of memory; the first class points to its beginning. */
void gemp_grid_free(gemp_grid *grid)
{
	if (!grid)
		return;
	if (grid->classes)
		gemp_free(grid->classes[0].sums);
	for (size_t i = 0; i < GEMP_MAX_CLOSURE_NODES; i++)
		gemp_free(grid->images[i]);
	gemp_tiles_free(&grid->tiles);
	gemp_free_all(grid->classes, grid->reads, grid->rows, grid);
}

void gemp_grid_whole(const gemp_grid *g, gemp_grid_cell *cell)
{
	*cell = (gemp_grid_cell){ .low = { 0 } };
	memset(cell->high, (int)g->tiles.blocks, sizeof cell->high);
}

/* The entries in rows of blocks [row, row_end) and columns of blocks [column, column_end). */
static uint64_t rectangle(const gemp_tile_sums *sums, size_t row, size_t row_end, size_t column, size_t column_end)
{
	return (*sums)[row_end][column_end] - (*sums)[row][column_end] - (*sums)[row_end][column] + (*sums)[row][column];
}

/* An upper bound of the entries that one read of a cell visits. */
static uint64_t read_entries(const gemp_grid *g, const gemp_grid_read *read, const gemp_grid_cell *cell)
{
	return rectangle(g->classes[read->class].sums, cell->low[read->from], cell->high[read->from], cell->low[read->to],
	                 cell->high[read->to]);
}

/* True if no match can lie in the cell because its ranges contradict the restrictions on the order of slots. */
static bool out_of_order(const gemp_grid *g, const gemp_grid_cell *cell)
{
	for (int v = 0; v < g->plan->vertex_count; v++)
		for (uint64_t left = g->closure->before[v]; left; left &= left - 1)
			if (g->tiles.bounds[cell->low[v]] + UINT64_C(1) >= g->tiles.bounds[cell->high[__builtin_ctzll(left)]])
				return true;
	return false;
}

/* A cell is empty if it has no entry for a read that every match needs, or if its ranges contradict the order of
 * slots. */
bool gemp_grid_empty(const gemp_grid *g, const gemp_grid_cell *cell)
{
	for (size_t i = 0; i < g->read_count; i++)
		if (g->reads[i].certain && !read_entries(g, &g->reads[i], cell))
			return true;
	return out_of_order(g, cell);
}

/* The number of entries of one block of rows in a set of columns. Each run of adjacent columns is one rectangle. */
static uint64_t row_entries(const gemp_tile_sums *sums, size_t block, uint64_t columns)
{
	uint64_t entries = 0;
	while (columns) {
		unsigned first = (unsigned)__builtin_ctzll(columns);
		uint64_t beyond = ~(columns >> first);
		unsigned end = beyond ? first + (unsigned)__builtin_ctzll(beyond) : GEMP_BLOCKS;
		entries += rectangle(sums, block, block + 1, first, end);
		columns = end < GEMP_BLOCKS ? columns >> end << end : 0;
	}
	return entries;
}

/* Finds the blocks of columns that the cell reads in each block of rows, for each view and for each class. */
static void find_columns(gemp_grid *g, const gemp_grid_cell *cell)
{
	memset(g->rows, 0, g->class_count * sizeof *g->rows);
	memset(g->tiles.columns, 0, g->tiles.view_count * sizeof *g->tiles.columns);
	for (size_t i = 0; i < g->read_count; i++) {
		const gemp_grid_read *read = &g->reads[i];
		size_t view = g->classes[read->class].view;
		unsigned low = cell->low[read->to], high = cell->high[read->to];
		uint64_t columns = (high < GEMP_BLOCKS ? BIT(high) - 1 : ~UINT64_C(0)) & ~(BIT(low) - 1);
		for (size_t b = cell->low[read->from]; b < cell->high[read->from]; b++) {
			g->rows[read->class][b] |= columns;
			g->tiles.columns[view][b] |= columns;
		}
	}
}

/* A round stores the needed rows of a block with the union of the columns that any class reads in this block. Two sums
 * over these columns bound the entries: the sum over the rows of each class that reads the block, and the sum over all
 * rows of the block. The smaller sum counts. */
uint64_t gemp_grid_entries(gemp_grid *g, const gemp_grid_cell *cell)
{
	uint64_t entries = 0;
	find_columns(g, cell);
	for (size_t v = 0; v < g->tiles.view_count; v++)
		for (size_t b = 0; b < g->tiles.blocks; b++) {
			uint64_t columns = g->tiles.columns[v][b], sum = 0, all = row_entries(g->classes[v].sums, b, columns);
			for (size_t c = g->tiles.view_count; c < g->class_count && sum < all; c++)
				if (g->classes[c].view == v && g->rows[c][b])
					sum += row_entries(g->classes[c].sums, b, columns);
			entries += gemp_min(sum, all);
		}
	return entries;
}

/* Copies the set bits in [low, high) of one bitmap to another bitmap. Other bits of the target stay. */
static void copy_range(uint32_t *to, const uint32_t *from, gemp_vertex low, gemp_vertex high)
{
	for (size_t w = low / 32; w * 32 < high; w++) {
		uint32_t mask = ~UINT32_C(0);
		if (w == low / 32)
			mask &= ~UINT32_C(0) << low % 32;
		if (w == high / 32)
			mask &= (UINT32_C(1) << high % 32) - 1;
		to[w] |= from[w] & mask;
	}
}

/* In each block that the cell reads of a class, the rows of all places of the class are needed. Rows of several classes
 * are united. */
void gemp_grid_rows(const gemp_grid *g, uint32_t *const *need)
{
	for (size_t v = 0; v < g->tiles.view_count; v++)
		memset(need[v], 0, g->words * sizeof *need[v]);
	for (size_t c = g->tiles.view_count; c < g->class_count; c++)
		for (size_t b = 0; b < g->tiles.blocks; b++)
			for (uint64_t left = g->rows[c][b] ? g->classes[c].places : 0; left; left &= left - 1)
				copy_range(need[g->classes[c].view], g->images[__builtin_ctzll(left)], g->tiles.bounds[b],
				           g->tiles.bounds[b + 1]);
}

/* The number of entries of the cell's reads from or to v. */
static uint64_t entries_of(const gemp_grid *g, const gemp_grid_cell *cell, int v)
{
	uint64_t entries = 0;
	for (size_t i = 0; i < g->read_count; i++)
		if (g->reads[i].from == v || g->reads[i].to == v)
			entries += read_entries(g, &g->reads[i], cell);
	return entries;
}

/* The block of v's range before which about half of v's entries lie. */
static uint8_t middle_block(const gemp_grid *g, const gemp_grid_cell *cell, int v)
{
	gemp_grid_cell part = *cell;
	uint64_t half = entries_of(g, cell, v) / 2;
	part.high[v] = (uint8_t)(cell->low[v] + 1);
	while (part.high[v] + 1 < cell->high[v] && entries_of(g, &part, v) < half)
		part.high[v]++;
	return part.high[v];
}

/* Divides the range of the vertex whose reads have the most entries. If several vertices have equally many, the vertex
 * that is bound first is divided, because both halves repeat the search of the vertices that are bound before the
 * divided vertex. */
bool gemp_grid_bisect(const gemp_grid *g, gemp_grid_cell *cell, gemp_grid_cell *other)
{
	uint64_t most = 0;
	int best = -1;
	for (size_t s = 0; s < g->plan->step_count; s++) {
		int v = g->plan->steps[s].vertex;
		uint64_t entries = g->plan->steps[s].kind == GEMP_BIND_EDGE ? 0 : entries_of(g, cell, v);
		if (cell->high[v] - cell->low[v] > 1 && entries > most) {
			most = entries;
			best = v;
		}
	}
	if (best < 0)
		return false;
	*other = *cell;
	other->low[best] = cell->high[best] = middle_block(g, cell, best);
	return true;
}

/* Bisects cells as gemp_task_split_next does, but fetches no row. */
uint64_t gemp_grid_cells(gemp_grid *g, gemp_grid_cell cell, uint64_t entries, uint64_t limit)
{
	gemp_grid_cell other;
	if (gemp_grid_empty(g, &cell))
		return 0;
	if (gemp_grid_entries(g, &cell) <= entries || !gemp_grid_bisect(g, &cell, &other))
		return 1;
	uint64_t count = gemp_grid_cells(g, cell, entries, limit);
	return count < limit ? count + gemp_grid_cells(g, other, entries, limit - count) : count;
}
