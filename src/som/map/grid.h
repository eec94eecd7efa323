/* grid: the units of a self-organising map, in rows and columns: unit u is in row u / columns and column u % columns.
 *
 * On a rectangular grid a unit's place is its column and row. On a hexagonal grid odd rows are shifted by half a
 * column to the right, and rows are sqrt(3)/2 apart, which gives each unit six neighbours at distance 1. A toroid has
 * no border: a distance is the shortest of all ways round.
 */

#ifndef GEMP_SOM_MAP_GRID_H
#define GEMP_SOM_MAP_GRID_H

#include "core/status.h"
#include "gemp/types.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct gemp_som_grid {
	uint32_t rows, columns;
	gemp_som_lattice lattice;
	bool toroid;
} gemp_som_grid;

/* Some rows of a grid, one after another. */
typedef struct gemp_som_rows {
	uint32_t first, end;
} gemp_som_rows;

#define GEMP_SOM_NO_UNIT UINT32_MAX /* the unit of a sample without any value */

static inline uint32_t gemp_som_units(const gemp_som_grid *grid)
{
	return grid->rows * grid->columns;
}

/* Returns GEMP_EUSAGE for no units, more than 2^31 - 1 of them, a side longer than 2^24, or a hexagonal toroid
 * with an odd number of rows. */
gemp_code gemp_som_grid_check(const gemp_som_grid *grid);
/* The coordinates of a unit, and the distance between the coordinates of two units. */
void gemp_som_place(const gemp_som_grid *grid, uint32_t unit, double *x, double *y);
double gemp_som_distance(const gemp_som_grid *grid, uint32_t a, uint32_t b);

/* Do two units touch? On a rectangular grid they may touch at a corner. No unit touches itself. */
bool gemp_som_adjacent(const gemp_som_grid *grid, uint32_t a, uint32_t b);
/* out[]: the units at distance 1, at most 4 on a rectangular grid and 6 on a hexagonal one, each once and without
 * the unit itself, in ascending order. Returns their number. */
int gemp_som_neighbours(const gemp_som_grid *grid, uint32_t unit, uint32_t out[8]);

#endif
