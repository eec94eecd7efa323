/* grid_parts: making a grid. Inside match/grid*. */
#ifndef GEMP_MATCH_GRID_PARTS_H
#define GEMP_MATCH_GRID_PARTS_H

#include "match/grid.h"

/* Collective. Blocks in which rows and columns have about as many entries, the same on all ranks. */
gemp_code gemp_grid_blocks(gemp_grid *grid);
/* Collective. Images of the tasks of each rank, and entries of their rows by tiles, counted where the rows are. */
gemp_code gemp_grid_count(gemp_grid *grid, uint32_t *const *candidates, const gemp_reach_tasks *tasks);

#endif
