#include "som/map/units.h"

#include "core/memory.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* kernels on devices without doubles compute in floats, which represent all whole numbers up to 2^24 */
enum { MAX_SIDE = 1 << 24 };

static const double row_height = 0.86602540378443864676; /* sqrt(3) / 2 */

/* Local. On a hexagonal toroid the first and the last row are adjacent and must be shifted against each other, so the
 * number of rows is even. */
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

/* Returns the distance of two coordinates. On a circle of circumference `round` it is the length of the shorter way. */
static double step_distance(double a, double b, double round, bool circle)
{
	double distance = fabs(a - b);
	return circle && round - distance < distance ? fabs(round - distance) : distance;
}

/* A hexagonal toroid has an even number of rows and closes without a shift, so the shorter ways along and across the
 * rows may be chosen separately. */
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
	/* at a corner the distance is sqrt(2); on a hexagonal grid the second smallest distance is sqrt(3) */
	return a != b && gemp_som_distance(grid, a, b) < (grid->lattice == GEMP_SOM_HEXAGONAL ? 1.25 : 1.6);
}

/* Row and column steps to the neighbours of a unit. On a hexagonal grid the steps to other rows hold for even rows; in
 * odd rows their column is larger by 1. */
static const int neighbour_offsets[][2] = { { 0, -1 }, { 0, 1 }, { -1, 0 }, { 1, 0 }, { -1, -1 }, { 1, -1 } };

/* Finds the unit one step away. Returns false if the step leads beyond the border or back to the unit. */
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

/* A unit has at most six neighbours, so insertion sorts them. On a narrow toroid two steps may lead to the same
 * unit. */
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
		if (at > 0 && out[at - 1] == to) /* on a narrow toroid both ways round lead to this unit */
			continue;
		for (int i = count++; i > at; i--)
			out[i] = out[i - 1];
		out[at] = to;
	}
	return count;
}

static size_t bytes_of(const gemp_som_codebook *book, uint32_t units)
{
	return (size_t)units * book->stride * sizeof(float);
}

/* Makes rows out[units][stride] from w[units][dims]. The stored sum of squares saves the search a pass over w: the
 * Euclidean score is |w|^2 - 2 x.w, and the cosine score divides by |w|. The sum is added up in double, as its error
 * would shift all scores of the unit. out[] must be zeroed, as the padding behind the sum stays 0. */
static void pad_rows(float *out, const gemp_som_codebook *book, const float *w)
{
	for (uint32_t u = 0; u < book->units; u++) {
		const float *from = w + (size_t)u * book->dims;
		float *to = out + (size_t)u * book->stride;
		double squares = 0;
		for (uint32_t d = 0; d < book->dims; d++) {
			squares += (double)from[d] * from[d];
			to[d] = from[d];
		}
		to[book->dims] = (float)squares;
	}
}

/* Local. If `capacity` is less than `units`, the host keeps the rows, and gemp_som_codebook_load copies some of
 * them. */
gemp_code gemp_som_codebook_new(gemp_som_codebook *out, gemp_device *device, const float *w, uint32_t units,
                                uint32_t dims, uint32_t capacity)
{
	gemp_code code = GEMP_OK;
	GEMP_OWNED float *rows = NULL;
	const bool all = capacity >= units;
	*out = (gemp_som_codebook){ .device = device,
		                        .units = units,
		                        .dims = dims,
		                        .stride = gemp_som_stride(dims),
		                        .capacity = all ? units : capacity,
		                        .resident = all ? units : 0 };
	GEMP_TRY_DONE(GEMP_NEW(rows, (size_t)units * out->stride));
	pad_rows(rows, out, w);
	GEMP_TRY_DONE(gemp_buffer_new(&out->w, device, bytes_of(out, out->capacity), all ? rows : NULL));
	if (!all) {
		out->rows = rows;
		rows = NULL;
	}
done:
	if (code != GEMP_OK)
		gemp_som_codebook_free(out);
	return code;
}

/* Kernels find the units first .. first + resident - 1 from w[0] on. If these units are on the device already, nothing
 * is copied, so a loop over a codebook that fits on the device copies nothing. */
gemp_code gemp_som_codebook_load(gemp_som_codebook *book, uint32_t first)
{
	if (!book->rows || (book->resident && book->first == first))
		return GEMP_OK;
	book->first = first;
	book->resident = book->units - first < book->capacity ? book->units - first : book->capacity;
	return gemp_buffer_write(book->device, &book->w, 0, bytes_of(book, book->resident),
	                         book->rows + (size_t)first * book->stride);
}

/* A loop that changes units must store them before it loads the next units into the same memory. */
gemp_code gemp_som_codebook_store(const gemp_som_codebook *book)
{
	if (!book->rows)
		return GEMP_OK;
	return gemp_buffer_read(book->device, &book->w, 0, bytes_of(book, book->resident),
	                        book->rows + (size_t)book->first * book->stride);
}

/* Local. Replaces all units by w[units][dims]. If the host keeps the rows, the units on the device become invalid, and
 * the next load copies the new units. */
gemp_code gemp_som_codebook_write(gemp_som_codebook *book, const float *w)
{
	GEMP_OWNED float *rows = NULL;
	if (book->rows) {
		pad_rows(book->rows, book, w);
		book->resident = 0;
		return GEMP_OK;
	}
	GEMP_TRY(GEMP_NEW(rows, (size_t)book->units * book->stride));
	pad_rows(rows, book, w);
	return gemp_buffer_write(book->device, &book->w, 0, bytes_of(book, book->units), rows);
}

/* Copies the values without the padding. */
static void unpad_rows(const gemp_som_codebook *book, const float *rows, float *w)
{
	for (uint32_t u = 0; u < book->units; u++)
		memcpy(w + (size_t)u * book->dims, rows + (size_t)u * book->stride, book->dims * sizeof *w);
}

/* Local. Copies the units to the host, without the padding. */
gemp_code gemp_som_codebook_read(const gemp_som_codebook *book, float *w)
{
	GEMP_OWNED float *rows = NULL;
	if (book->rows) {
		unpad_rows(book, book->rows, w);
		return GEMP_OK;
	}
	GEMP_TRY(GEMP_NEW(rows, (size_t)book->units * book->stride));
	GEMP_TRY(gemp_buffer_read(book->device, &book->w, 0, bytes_of(book, book->units), rows));
	unpad_rows(book, rows, w);
	return GEMP_OK;
}

void gemp_som_codebook_free(gemp_som_codebook *book)
{
	if (book->device)
		gemp_buffer_free(&book->w, book->device);
	gemp_free(book->rows);
	*book = (gemp_som_codebook){ 0 };
}
