#include "som/map/grid.h"

#include <math.h>
#include <stddef.h>

enum { MAX_SIDE = 1 << 24 }; /* kernels count steps along a side in 32 bits */

static const double row_height = 0.86602540378443864676; /* sqrt(3) / 2 */

/* Local. Sides stay below 2^24, up to which floats have all whole numbers. */
gemp_code gemp_som_grid_check(const gemp_som_grid *grid)
{
	uint64_t units = (uint64_t)grid->rows * grid->columns;
	if (units == 0)
		return gemp_fail(GEMP_EUSAGE, "a map of %u x %u units has none; give rows and columns", grid->rows,
		                 grid->columns);
	if (units > INT32_MAX)
		return gemp_fail(GEMP_EUSAGE, "a map of %u x %u units has more than 2^31 - 1 units; give fewer", grid->rows,
		                 grid->columns);
	if (grid->rows > MAX_SIDE || grid->columns > MAX_SIDE)
		return gemp_fail(GEMP_EUSAGE, "a map of %u x %u units has a side longer than %d; make it squarer", grid->rows,
		                 grid->columns, (int)MAX_SIDE);
	if (grid->lattice == GEMP_SOM_HEXAGONAL && grid->toroid && grid->rows % 2)
		return gemp_fail(GEMP_EUSAGE, "a hexagonal toroid of %u row%s does not close; give an even number of them",
		                 grid->rows, grid->rows == 1 ? "" : "s");
	return GEMP_OK;
}

/* The unit of length is the distance of adjacent columns. */
void gemp_som_place(const gemp_som_grid *grid, uint32_t unit, double *x, double *y)
{
	uint32_t row = unit / grid->columns, column = unit % grid->columns;
	bool hexagonal = grid->lattice == GEMP_SOM_HEXAGONAL;
	*x = column + (hexagonal && row % 2 ? 0.5 : 0);
	*y = row * (hexagonal ? row_height : 1);
}

/* The distance of two coordinates; on a circle of circumference `round` by the shorter way. */
static double step_distance(double a, double b, double round, bool circle)
{
	double distance = fabs(a - b);
	return circle && round - distance < distance ? fabs(round - distance) : distance;
}

/* On a hexagonal toroid the shorter ways along and across may be chosen separately, since an even number of rows
 * closes without a shift. */
double gemp_som_distance(const gemp_som_grid *grid, uint32_t a, uint32_t b)
{
	double ax, ay, bx, by, height = grid->lattice == GEMP_SOM_HEXAGONAL ? row_height : 1;
	gemp_som_place(grid, a, &ax, &ay);
	gemp_som_place(grid, b, &bx, &by);
	return hypot(step_distance(ax, bx, grid->columns, grid->toroid),
	             step_distance(ay, by, grid->rows * height, grid->toroid));
}

bool gemp_som_adjacent(const gemp_som_grid *grid, uint32_t a, uint32_t b)
{
	/* sqrt(2) at a corner; on a hexagonal grid the next distance after 1 is sqrt(3). */
	return a != b && gemp_som_distance(grid, a, b) < (grid->lattice == GEMP_SOM_HEXAGONAL ? 1.25 : 1.6);
}

/* Row and column steps to neighbours. On a hexagonal grid those to other rows are for even rows; odd rows are one
 * column on. */
static const int neighbour_offsets[][2] = { { 0, -1 }, { 0, 1 }, { -1, 0 }, { 1, 0 }, { -1, -1 }, { 1, -1 } };

/* The unit one step away; false beyond the border, or where the step leads back to the unit. */
static bool move_to(const gemp_som_grid *grid, uint32_t unit, const int by[2], uint32_t *to)
{
	int64_t row = unit / grid->columns, column = unit % grid->columns;
	column += by[1] + (grid->lattice == GEMP_SOM_HEXAGONAL && row % 2 && by[0] != 0);
	row += by[0];
	if (grid->toroid) {
		row = (row + grid->rows) % grid->rows;
		column = (column + grid->columns) % grid->columns;
	}
	*to = (uint32_t)(row * grid->columns + column);
	return row >= 0 && row < grid->rows && column >= 0 && column < grid->columns && *to != unit;
}

/* Units are sorted by insertion, as there are at most six; on a narrow toroid two steps may lead to the same unit. */
int gemp_som_neighbours(const gemp_som_grid *grid, uint32_t unit, uint32_t out[8])
{
	size_t count_offsets = grid->lattice == GEMP_SOM_HEXAGONAL ? 6 : 4;
	int count = 0;
	for (size_t k = 0; k < count_offsets; k++) {
		uint32_t to;
		int at = count;
		if (!move_to(grid, unit, neighbour_offsets[k], &to))
			continue;
		while (at > 0 && out[at - 1] > to)
			at--;
		if (at > 0 && out[at - 1] == to) /* on a narrow toroid, by both ways round */
			continue;
		for (int i = count++; i > at; i--)
			out[i] = out[i - 1];
		out[at] = to;
	}
	return count;
}
