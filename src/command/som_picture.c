#include "command/som_picture.h"

#include "command/canvas.h"
#include "command/files.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

enum {
	SIDE = 320,             /* pixels of a panel's longer side, about */
	LARGEST_CELL = 40, SMALLEST_CELL = 2,
	MARGIN = 14, TITLE = 24, LEGEND = 34, BAR = 8, STEPS = 64,
	LETTERS = 10,           /* height in pixels */
	MOST_SHAPES = 400000,   /* in an SVG */
	MOST_TITLES = 20000,
	LARGEST_SIDE = 30000    /* pixels of a picture */
};

/* Measures of a picture, in pixels. */
typedef struct frame {
	const gemp_som_grid *grid;
	double cell;            /* between units of a row */
	double rise;            /* between rows */
	double width, height;   /* of a panel's units */
	uint32_t across, down;  /* panels */
	bool titles;            /* of units */
} frame;

/* Nine colours of viridis (van der Walt, Smith 2015), and between them their means. */
static gemp_colour viridis(double share)
{
	static const uint8_t at[9][3] = { { 68, 1, 84 }, { 71, 45, 123 }, { 59, 82, 139 }, { 44, 114, 142 }, { 33, 145, 140 },
		{ 40, 174, 128 }, { 94, 201, 98 }, { 173, 220, 48 }, { 253, 231, 37 } };
	double place = fmin(fmax(share, 0), 1) * 8;
	int below = place < 8 ? (int)place : 7;
	double more = place - below;
	uint8_t mixed[3];
	for (int k = 0; k < 3; k++)
		mixed[k] = (uint8_t)lround(at[below][k] * (1 - more) + at[below + 1][k] * more);
	return (gemp_colour){ mixed[0], mixed[1], mixed[2] };
}

static frame frame_of(const gemp_som_grid *grid, size_t panels)
{
	frame f = { .grid = grid };
	const bool hexagonal = grid->lattice == GEMP_SOM_HEXAGONAL;
	double longer = grid->rows > grid->columns ? grid->rows : grid->columns;
	f.cell = fmin(fmax(floor(SIDE / longer), SMALLEST_CELL), LARGEST_CELL);
	f.rise = hexagonal ? f.cell * sqrt(0.75) : f.cell;
	f.width = f.cell * (grid->columns + (hexagonal && grid->rows > 1 ? 0.5 : 0));
	f.height = hexagonal ? f.rise * (grid->rows - 1) + f.cell * 2 / sqrt(3) : f.cell * grid->rows;
	f.width = fmax(f.width, 120); /* legends need room */
	f.across = (uint32_t)ceil(sqrt((double)panels));
	f.down = (uint32_t)((panels + f.across - 1) / f.across);
	f.titles = panels * gemp_som_units(grid) <= MOST_TITLES;
	return f;
}

static uint32_t frame_width(const frame *f)
{
	return (uint32_t)ceil(f->across * (f->width + MARGIN) + MARGIN);
}

static uint32_t frame_height(const frame *f)
{
	return (uint32_t)ceil(f->down * (TITLE + f->height + LEGEND) + MARGIN);
}

/* Where the middle of a unit is, from the panel's corner. */
static void middle(const frame *f, uint32_t unit, double *x, double *y)
{
	uint32_t row = unit / f->grid->columns, column = unit % f->grid->columns;
	const bool hexagonal = f->grid->lattice == GEMP_SOM_HEXAGONAL;
	*x = (column + 0.5 + (hexagonal && row % 2 ? 0.5 : 0)) * f->cell;
	*y = hexagonal ? row * f->rise + f->cell / sqrt(3) : (row + 0.5) * f->cell;
}

static void draw_unit(gemp_canvas *canvas, const frame *f, double x, double y, gemp_colour fill, const char *title)
{
	double corners[GEMP_CANVAS_CORNERS][2];
	const double half = f->cell / 2, tall = f->cell / sqrt(3);
	if (f->grid->lattice == GEMP_SOM_HEXAGONAL) {
		const double around[6][2] = { { 0, -tall }, { half, -tall / 2 }, { half, tall / 2 }, { 0, tall }, { -half, tall / 2 },
			{ -half, -tall / 2 } };
		for (int i = 0; i < 6; i++) {
			corners[i][0] = x + around[i][0];
			corners[i][1] = y + around[i][1];
		}
		gemp_canvas_polygon(canvas, corners, 6, fill, title);
		return;
	}
	for (int i = 0; i < 4; i++) {
		corners[i][0] = x + (i == 1 || i == 2 ? half : -half);
		corners[i][1] = y + (i >= 2 ? half : -half);
	}
	gemp_canvas_polygon(canvas, corners, 4, fill, title);
}

static void draw_legend(gemp_canvas *canvas, const frame *f, double left, double top, double least, double most)
{
	char text[32];
	for (int i = 0; i < STEPS; i++)
		gemp_canvas_box(canvas, left + f->width * i / STEPS, top, f->width / STEPS + 0.5, BAR, viridis((i + 0.5) / STEPS));
	snprintf(text, sizeof text, "%.4g", least);
	gemp_canvas_words(canvas, left, top + BAR + LETTERS + 4, LETTERS, GEMP_ANCHOR_START, text);
	snprintf(text, sizeof text, "%.4g", most);
	gemp_canvas_words(canvas, left + f->width, top + BAR + LETTERS + 4, LETTERS, GEMP_ANCHOR_END, text);
}

static void draw_panel(gemp_canvas *canvas, const frame *f, const gemp_som_panel *panel, double left, double top)
{
	const uint32_t units = gemp_som_units(f->grid), columns = f->grid->columns;
	double least = INFINITY, most = -INFINITY, x, y;
	char title[96];
	for (uint32_t u = 0; u < units; u++) {
		least = fmin(least, panel->values[u]);
		most = fmax(most, panel->values[u]);
	}
	gemp_canvas_words(canvas, left, top + TITLE - 8, LETTERS, GEMP_ANCHOR_START, panel->title);
	for (uint32_t u = 0; u < units; u++) {
		middle(f, u, &x, &y);
		snprintf(title, sizeof title, "unit %u (x %u, y %u): %.6g", u, u % columns, u / columns, panel->values[u]);
		double share = most > least ? (panel->values[u] - least) / (most - least) : 0;
		draw_unit(canvas, f, left + x, top + TITLE + y, viridis(share), f->titles ? title : NULL);
	}
	for (uint32_t u = 0; panel->labels && u < units; u++)
		if (panel->labels[u]) {
			const double size = fmax(5, fmin(LETTERS, f->cell / 4));
			middle(f, u, &x, &y);
			gemp_canvas_words(canvas, left + x, top + TITLE + y + size / 2, size, GEMP_ANCHOR_MIDDLE, panel->labels[u]);
		}
	draw_legend(canvas, f, left, top + TITLE + f->height + 6, least, most);
}

gemp_code gemp_som_picture_check(const char *path, const gemp_som_grid *grid, size_t panels)
{
	const frame f = frame_of(grid, panels);
	const bool svg = gemp_file_ends_in(path, ".svg");
	if (!svg && !gemp_file_ends_in(path, ".png"))
		return gemp_fail(GEMP_EUSAGE, "--output %s: the ending says what picture it is: .svg or .png", path);
	if (svg && panels * gemp_som_units(grid) > MOST_SHAPES)
		return gemp_fail(GEMP_EUSAGE, "--output %s: an SVG of %zu shapes is more than others can show; write a .png, or "
		                 "--show less", path, panels * gemp_som_units(grid));
	if (frame_width(&f) > LARGEST_SIDE || frame_height(&f) > LARGEST_SIDE)
		return gemp_fail(GEMP_EUSAGE, "--output %s: the picture would be more than %d pixels wide or high; --show less", path,
		                 LARGEST_SIDE);
	return GEMP_OK;
}

gemp_code gemp_som_picture_write(const char *path, const gemp_som_grid *grid, const gemp_som_panel *panels, size_t count)
{
	gemp_code code = GEMP_OK;
	const frame f = frame_of(grid, count);
	gemp_canvas canvas = { 0 };
	GEMP_TRY(gemp_canvas_new(&canvas, frame_width(&f), frame_height(&f), gemp_file_ends_in(path, ".png")));
	for (size_t p = 0; p < count; p++) {
		double left = MARGIN + (double)(p % f.across) * (f.width + MARGIN);
		double top = (double)(p / f.across) * (TITLE + f.height + LEGEND);
		draw_panel(&canvas, &f, &panels[p], left, top);
	}
	code = gemp_canvas_write(&canvas, path);
done:
	gemp_canvas_free(&canvas);
	return code;
}
