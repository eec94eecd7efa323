#include "match/grid_parts.h"

#include "core/memory.h"

#include <string.h>

#define BIT(i) (UINT64_C(1) << (i))

/* MAKING. The class of rows of v in a view; whole views are the first classes. */
static size_t add_class(gemp_grid *g, int v, size_t view)
{
	gemp_grid_class class = { view, g->closure->places_of[v], NULL };
	size_t c = g->tiles.view_count;
	while (c < g->class_count && (g->classes[c].view != view || g->classes[c].places != class.places))
		c++;
	if (c == g->class_count)
		g->classes[g->class_count++] = class;
	return c;
}

static void add_reads(gemp_grid *g, int v, size_t view)
{
	const gemp_closure *closure = g->closure;
	uint64_t to = closure->toward[v][view];
	if (!to || !closure->places_of[v])
		return;
	size_t class = add_class(g, v, view);
	for (; to; to &= to - 1) {
		int u = __builtin_ctzll(to);
		g->reads[g->read_count++] = (gemp_grid_read){ v, u, class, closure->certain[v][view] >> u & 1 };
	}
}

static size_t most_reads(const gemp_grid *g)
{
	size_t most = 0;
	for (int v = 0; v < GEMP_MAX_PATTERN_VERTICES; v++)
		for (size_t view = 0; view < g->tiles.view_count; view++)
			most += (size_t)__builtin_popcountll(g->closure->toward[v][view]);
	return most;
}

static gemp_code list_reads(gemp_grid *g)
{
	gemp_code code = GEMP_OK;
	size_t views = g->tiles.view_count, most = most_reads(g);
	gemp_tile_sums *sums = NULL;
	GEMP_TRY(GEMP_NEW(g->classes, views + most + 1));
	GEMP_TRY(GEMP_NEW(g->reads, most + 1));
	for (; g->class_count < views; g->class_count++)
		g->classes[g->class_count].view = g->class_count;
	for (int v = 0; v < g->plan->vertex_count; v++)
		for (size_t view = 0; view < views; view++)
			add_reads(g, v, view);
	GEMP_TRY(GEMP_NEW(g->rows, g->class_count + 1));
	GEMP_TRY(GEMP_NEW(sums, g->class_count + 1));
	for (size_t c = 0; c <= g->class_count; c++)
		g->classes[c].sums = sums + c;
	for (size_t i = 0; i < g->closure->count; i++)
		GEMP_TRY(GEMP_NEW(g->images[i], g->words + 1));
done:
	return code;
}

gemp_code gemp_grid_new(gemp_grid **out, const gemp_plan *plan, const gemp_closure *closure, const gemp_fetch *fetch,
                        uint32_t *const *candidates, const gemp_reach_tasks *tasks)
{
	gemp_code code = GEMP_OK;
	gemp_grid *g = NULL;
	uint64_t vertices = fetch->graph->vertices;
	code = GEMP_NEW(g, 1);
	if (code == GEMP_OK) {
		*g = (gemp_grid){ .closure = closure, .fetch = fetch, .plan = plan, .words = (vertices + 31) / 32 };
		code = gemp_tiles_new(&g->tiles, fetch->view_count, vertices);
	}
	if (code == GEMP_OK)
		code = list_reads(g);
	GEMP_TRY(gemp_comm_agree(fetch->context->comm, code));
	GEMP_TRY(gemp_grid_blocks(g));
	GEMP_TRY(gemp_grid_count(g, candidates, tasks));
	*out = g;
	g = NULL;
done:
	gemp_grid_free(g);
	return code;
}

void gemp_grid_free(gemp_grid *grid)
{
	if (!grid)
		return;
	if (grid->classes)
		gemp_free(grid->classes[0].sums);
	for (size_t i = 0; i < GEMP_MOST_PLACES; i++)
		gemp_free(grid->images[i]);
	gemp_tiles_free(&grid->tiles);
	gemp_free(grid->classes);
	gemp_free(grid->reads);
	gemp_free(grid->rows);
	gemp_free(grid);
}

/* CELLS. */
void gemp_grid_whole(const gemp_grid *g, gemp_cell *cell)
{
	*cell = (gemp_cell){ .low = { 0 } };
	memset(cell->high, (int)g->tiles.blocks, sizeof cell->high);
}

static uint64_t rectangle(const gemp_tile_sums *sums, size_t row, size_t row_end, size_t column, size_t column_end)
{
	return (*sums)[row_end][column_end] - (*sums)[row][column_end] - (*sums)[row_end][column] + (*sums)[row][column];
}

static uint64_t read_entries(const gemp_grid *g, const gemp_grid_read *read, const gemp_cell *cell)
{
	return rectangle(g->classes[read->class].sums, cell->low[read->from], cell->high[read->from], cell->low[read->to],
	                 cell->high[read->to]);
}

/* Ranges must follow one another as vertices do. */
static bool out_of_order(const gemp_grid *g, const gemp_cell *cell)
{
	for (int v = 0; v < g->plan->vertex_count; v++)
		for (uint64_t left = g->closure->before[v]; left; left &= left - 1)
			if (g->tiles.border[cell->low[v]] + UINT64_C(1) >= g->tiles.border[cell->high[__builtin_ctzll(left)]])
				return true;
	return false;
}

bool gemp_grid_vain(const gemp_grid *g, const gemp_cell *cell)
{
	for (size_t i = 0; i < g->read_count; i++)
		if (g->reads[i].certain && !read_entries(g, &g->reads[i], cell))
			return true;
	return out_of_order(g, cell);
}

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

static void find_columns(gemp_grid *g, const gemp_cell *cell)
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

/* A block's rows have the columns of all classes, so that they are no more than these classes' rows with them, and no more
 * than all rows. */
uint64_t gemp_grid_entries(gemp_grid *g, const gemp_cell *cell)
{
	uint64_t entries = 0;
	find_columns(g, cell);
	for (size_t v = 0; v < g->tiles.view_count; v++)
		for (size_t b = 0; b < g->tiles.blocks; b++) {
			uint64_t columns = g->tiles.columns[v][b], sum = 0, all = row_entries(g->classes[v].sums, b, columns);
			for (size_t c = g->tiles.view_count; c < g->class_count && sum < all; c++)
				if (g->classes[c].view == v && g->rows[c][b])
					sum += row_entries(g->classes[c].sums, b, columns);
			entries += sum < all ? sum : all;
		}
	return entries;
}

/* Of bits low .. high - 1. */
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

void gemp_grid_rows(const gemp_grid *g, uint32_t *const *need)
{
	for (size_t v = 0; v < g->tiles.view_count; v++)
		memset(need[v], 0, g->words * sizeof *need[v]);
	for (size_t c = g->tiles.view_count; c < g->class_count; c++)
		for (size_t b = 0; b < g->tiles.blocks; b++)
			for (uint64_t left = g->rows[c][b] ? g->classes[c].places : 0; left; left &= left - 1)
				copy_range(need[g->classes[c].view], g->images[__builtin_ctzll(left)], g->tiles.border[b],
				           g->tiles.border[b + 1]);
}

/* HALVING. What would be spared if v had no images. */
static uint64_t entries_of(const gemp_grid *g, const gemp_cell *cell, int v)
{
	uint64_t entries = 0;
	for (size_t i = 0; i < g->read_count; i++)
		if (g->reads[i].from == v || g->reads[i].to == v)
			entries += read_entries(g, &g->reads[i], cell);
	return entries;
}

/* The block before which half of that lies. */
static uint8_t middle_block(const gemp_grid *g, const gemp_cell *cell, int v)
{
	gemp_cell part = *cell;
	uint64_t half = entries_of(g, cell, v) / 2;
	part.high[v] = (uint8_t)(cell->low[v] + 1);
	while (part.high[v] + 1 < cell->high[v] && entries_of(g, &part, v) < half)
		part.high[v]++;
	return part.high[v];
}

/* Vertices that are bound early first: the deeper the cut, the more is searched again in both halves. */
bool gemp_grid_halve(const gemp_grid *g, gemp_cell *cell, gemp_cell *other)
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

uint64_t gemp_grid_cells(gemp_grid *g, gemp_cell cell, uint64_t entries, uint64_t most)
{
	gemp_cell other;
	if (gemp_grid_vain(g, &cell))
		return 0;
	if (gemp_grid_entries(g, &cell) <= entries || !gemp_grid_halve(g, &cell, &other))
		return 1;
	uint64_t count = gemp_grid_cells(g, cell, entries, most);
	return count < most ? count + gemp_grid_cells(g, other, entries, most - count) : count;
}
