#include "som/picture/map_picture.h"
#include "core/memory.h"

#include "io/file/output.h"
#include "io/picture/canvas.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The values at both ends of the colour scale. */
typedef struct colour_range {
	double min[3], max[3]; /* red, green and blue; other shades use only element 0 */
} colour_range;

static const gemp_colour empty_colour = { 224, 224, 224 };

typedef struct point {
	double x, y;
} point;

/* The colour map viridis (van der Walt and Smith 2015), interpolated linearly between nine of its colours. share: from
 * 0 to 1; other values are clamped. */
static gemp_colour viridis(double share)
{
	static const uint8_t at[9][3] = { { 68, 1, 84 },    { 71, 45, 123 },  { 59, 82, 139 },
		                              { 44, 114, 142 }, { 33, 145, 140 }, { 40, 174, 128 },
		                              { 94, 201, 98 },  { 173, 220, 48 }, { 253, 231, 37 } };
	double point = fmin(fmax(share, 0), 1) * 8;
	int below = point < 8 ? (int)point : 7;
	double more = point - below;
	uint8_t mixed[3];
	for (int k = 0; k < 3; k++)
		mixed[k] = (uint8_t)lround(at[below][k] * (1 - more) + at[below + 1][k] * more);
	return (gemp_colour){ mixed[0], mixed[1], mixed[2] };
}

/* Returns the position of a unit's value in the range, from 0 to 1. In a range of one value all units have position
 * 0. */
static double share_of(const gemp_som_panel *panel, const colour_range *range, int which, uint32_t unit)
{
	const double min = range->min[which], max = range->max[which];
	return max > min ? (panel->values[which][unit] - min) / (max - min) : 0;
}

/* Returns whether all three ranges lie in [0, max]. Values of units are means of floats, so rounding may move a value
 * slightly beyond the limits. */
static bool within(const colour_range *range, double max)
{
	const double beyond = 1e-5 * max;
	bool all = true;
	for (int k = 0; k < 3; k++)
		all &= range->min[k] >= -beyond && range->max[k] <= max + beyond;
	return all;
}

/* The range of counts starts at 1, since units with count 0 are grey. Colours have the range 0 to 1 if all three values
 * lie in it, and otherwise 0 to 255 if all three lie in it. In all other cases each value has the range from its
 * minimum to its maximum. */
static colour_range range_of(const gemp_som_panel *panel, uint32_t units)
{
	colour_range range;
	const bool colours = panel->shade == GEMP_SOM_SHADE_COLOURS;
	for (int k = 0; k < (colours ? 3 : 1); k++) {
		range.min[k] = INFINITY;
		range.max[k] = -INFINITY;
		for (uint32_t u = 0; u < units; u++) {
			range.min[k] = fmin(range.min[k], panel->values[k][u]);
			range.max[k] = fmax(range.max[k], panel->values[k][u]);
		}
	}
	if (panel->shade == GEMP_SOM_SHADE_COUNTS) {
		range.min[0] = fmax(range.min[0], 1);
		range.max[0] = fmax(range.max[0], 1);
	}
	if (colours && within(&range, 255)) {
		const double max = within(&range, 1) ? 1 : 255;
		range = (colour_range){ .max = { max, max, max } };
	}
	return range;
}

/* Returns a fraction from 0 to 1 as a byte of a colour. */
static uint8_t level(double share)
{
	return (uint8_t)lround(255 * fmin(fmax(share, 0), 1));
}

/* A unit with count 0 is grey, so it differs from a unit with a small count. */
static gemp_colour unit_colour(const gemp_som_panel *panel, const colour_range *range, uint32_t unit)
{
	if (panel->shade == GEMP_SOM_SHADE_COUNTS && !(panel->values[0][unit] > 0))
		return empty_colour;
	if (panel->shade != GEMP_SOM_SHADE_COLOURS)
		return viridis(share_of(panel, range, 0, unit));
	return (gemp_colour){ level(share_of(panel, range, 0, unit)), level(share_of(panel, range, 1, unit)),
		                  level(share_of(panel, range, 2, unit)) };
}

/* Returns the colour of a legend's bar at this fraction of its width. bar: 0 red, 1 green, 2 blue; other shades have
 * one bar. */
static gemp_colour bar_colour(const gemp_som_panel *panel, int bar, double share)
{
	if (panel->shade != GEMP_SOM_SHADE_COLOURS)
		return viridis(share);
	return (gemp_colour){ bar == 0 ? level(share) : 0, bar == 1 ? level(share) : 0, bar == 2 ? level(share) : 0 };
}

enum {
	SIDE = 320,
	/* pixels of a panel's longer side, approximately, if the panel has labels; SIDE: if it has none */
	LABELLED_SIDE = 960,
	MAX_CELL = 40,
	MAX_LABELLED_CELL = 96,
	MIN_CELL = 1,
	MIN_WIDTH = 120, /* pixels; enough for titles and legends */
	MARGIN = 14,
	TITLE = 22,
	LEGEND = 32,
	BAR = 8,
	STEPS = 64,
	LETTERS = 8,         /* height of capital letters */
	MAX_SHAPES = 400000, /* maximum number of units of all panels in an SVG */
	MAX_TITLES = 20000,
	MAX_SIDE = 15000 /* maximum side of a picture */
};
static const double MIN_LETTERS = 4.5, MAX_LETTERS = 9; /* height of capital letters in labels */

/* Measures of a picture, in pixels. */
typedef struct frame {
	const gemp_som_grid *grid;
	double cell;           /* distance of units in a row */
	double rise;           /* distance of rows */
	double width, height;  /* size of the area that a panel's units cover */
	uint32_t across, down; /* panels in a row; rows of panels */
	bool titles;           /* whether units have titles */
} frame;

/* FRAME */

static uint32_t frame_width(const frame *f)
{
	return (uint32_t)ceil(f->across * (f->width + MARGIN) + MARGIN);
}

static uint32_t frame_height(const frame *f)
{
	return (uint32_t)ceil(f->down * (TITLE + f->height + LEGEND) + MARGIN / 2.0);
}

/* Chooses the number of panels in a row with the least badness. The badness is the deviation of the picture's shape
 * from 3 : 2, as a logarithm, plus the number of empty places divided by the number of panels. */
static void choose_across(frame *f, size_t panels)
{
	double min = INFINITY;
	frame trial = *f;
	for (trial.across = 1; trial.across <= panels; trial.across++) {
		trial.down = (uint32_t)((panels + trial.across - 1) / trial.across);
		const double left_over = (double)((size_t)trial.across * trial.down - panels) / (double)panels;
		const double badness = fabs(log(frame_width(&trial) / (1.5 * frame_height(&trial)))) + left_over;
		if (badness < min) {
			min = badness;
			f->across = trial.across;
			f->down = trial.down;
		}
	}
}

/* Chooses all measures. A cell is as large as the longer side of the map allows within the side of a panel. Labels need
 * larger cells. On a hexagonal grid rows are sqrt(3)/2 of a cell apart, and odd rows make the panel half a cell
 * wider. */
static frame frame_of(const gemp_som_grid *grid, const gemp_som_panel *panels, size_t count)
{
	frame f = { .grid = grid };
	const bool hexagonal = grid->lattice == GEMP_SOM_HEXAGONAL;
	const double longer = grid->rows > grid->columns ? grid->rows : grid->columns;
	bool labelled = false;
	for (size_t p = 0; p < count; p++)
		labelled |= panels[p].labels != NULL;
	f.cell = floor((labelled ? LABELLED_SIDE : SIDE) / longer);
	f.cell = fmin(fmax(f.cell, MIN_CELL), labelled ? MAX_LABELLED_CELL : MAX_CELL);
	f.rise = hexagonal ? f.cell * sqrt(0.75) : f.cell;
	f.width = f.cell * (grid->columns + (hexagonal && grid->rows > 1 ? 0.5 : 0));
	f.height = hexagonal ? f.rise * (grid->rows - 1) + f.cell * 2 / sqrt(3) : f.cell * grid->rows;
	f.width = fmax(f.width, MIN_WIDTH);
	f.titles = count * gemp_som_units(grid) <= MAX_TITLES;
	choose_across(&f, count);
	return f;
}

/* UNITS */

/* Returns the centre of a unit, relative to the upper left corner of its panel. */
static point unit_centre(const frame *f, uint32_t unit)
{
	const uint32_t row = unit / f->grid->columns, column = unit % f->grid->columns;
	const bool hexagonal = f->grid->lattice == GEMP_SOM_HEXAGONAL;
	return (point){ (column + 0.5 + (hexagonal && row % 2 ? 0.5 : 0)) * f->cell,
		            hexagonal ? row * f->rise + f->cell / sqrt(3) : (row + 0.5) * f->cell };
}

/* Draws a unit as a hexagon or a square with its centre at this point. */
static void draw_unit(gemp_canvas *canvas, const frame *f, point at, gemp_colour fill, const char *title)
{
	double corners[GEMP_CANVAS_CORNERS][2];
	const double half = f->cell / 2, tall = f->cell / sqrt(3);
	const double hexagon[6][2] = { { 0, -tall }, { half, -tall / 2 }, { half, tall / 2 },
		                           { 0, tall },  { -half, tall / 2 }, { -half, -tall / 2 } };
	const double square[4][2] = { { -half, -half }, { half, -half }, { half, half }, { -half, half } };
	const bool hexagonal = f->grid->lattice == GEMP_SOM_HEXAGONAL;
	const size_t count = hexagonal ? 6 : 4;
	for (size_t i = 0; i < count; i++) {
		corners[i][0] = at.x + (hexagonal ? hexagon[i][0] : square[i][0]);
		corners[i][1] = at.y + (hexagonal ? hexagon[i][1] : square[i][1]);
	}
	gemp_canvas_polygon(canvas, corners, count, fill, title);
}

/* Writes the text that a viewer of the SVG shows when the pointer is on a unit. The buffer must have room for the whole
 * text, as the offset of each part is the sum of the lengths that snprintf has returned for the parts before. */
static void unit_title(char *out, size_t size, const frame *f, const gemp_som_panel *panel, uint32_t unit)
{
	const uint32_t columns = f->grid->columns;
	size_t used = (size_t)snprintf(out, size, "unit %u (x %u, y %u): %.6g", unit, unit % columns, unit / columns,
	                               panel->values[0][unit]);
	if (panel->shade == GEMP_SOM_SHADE_COLOURS)
		used += (size_t)snprintf(out + used, size - used, ", %.6g, %.6g", panel->values[1][unit],
		                         panel->values[2][unit]);
	if (panel->labels && panel->labels[unit].text[0])
		used += (size_t)snprintf(out + used, size - used, "; %s", panel->labels[unit].text);
	if (panel->labels && panel->labels[unit].others > 0)
		snprintf(out + used, size - used, " and %zu more", panel->labels[unit].others);
}

/* Units get titles only if there are at most MAX_TITLES units in all panels, which limits the size of an SVG. */
static void draw_units(gemp_canvas *canvas, const frame *f, const gemp_som_panel *panel, const colour_range *range,
                       point corner)
{
	char title[192];
	for (uint32_t u = 0; u < gemp_som_units(f->grid); u++) {
		const point at = unit_centre(f, u);
		if (f->titles)
			unit_title(title, sizeof title, f, panel, u);
		draw_unit(canvas, f, (point){ corner.x + at.x, corner.y + at.y }, unit_colour(panel, range, u),
		          f->titles ? title : NULL);
	}
}

/* LABELS */

/* Returns the coordinate up to which a label may extend: halfway to the next label in its row, or the panel's edge.
 * direction: -1 or 1. */
static double label_limit(const frame *f, const gemp_som_label *labels, uint32_t unit, int direction)
{
	const int64_t columns = f->grid->columns;
	const uint32_t row = unit / f->grid->columns;
	for (int64_t column = unit % columns + direction; column >= 0 && column < columns; column += direction)
		if (labels[row * columns + column].text[0])
			return (unit_centre(f, unit).x + unit_centre(f, (uint32_t)(row * columns + column)).x) / 2;
	return direction < 0 ? 0 : f->width;
}

/* A label may use the space up to halfway to its neighbours. It is shortened to fit and kept inside the panel. */
static void draw_label(gemp_canvas *canvas, const frame *f, const gemp_som_label *labels, uint32_t unit, gemp_colour on,
                       point corner)
{
	char text[64];
	const gemp_som_label *label = &labels[unit];
	const double size = fmin(fmax(f->cell / 5, MIN_LETTERS), MAX_LETTERS), space = size / 2;
	const double left = label_limit(f, labels, unit, -1), right = label_limit(f, labels, unit, 1),
				 room = right - left - space;
	snprintf(text, sizeof text, "%s +%zu", label->text, label->others);
	if (label->others == 0 || gemp_canvas_width(canvas, size, text) > room)
		snprintf(text, sizeof text, "%s", label->text);
	gemp_canvas_fit(canvas, size, room, text);
	const double half = (gemp_canvas_width(canvas, size, text) + space) / 2;
	const point at = unit_centre(f, unit);
	gemp_canvas_label(canvas, corner.x + fmax(fmin(at.x, right - half), left + half), corner.y + at.y, size, on, text);
}

/* PANEL */

/* Draws a number. A value that is negligible relative to the range is taken as a rounding error and shown as 0. Whole
 * numbers get no decimals. */
static void draw_value(gemp_canvas *canvas, point at, gemp_anchor anchor, double value, double range)
{
	char text[32];
	const double shown = fabs(value) < 1e-5 * range ? 0 : value;
	const bool whole = shown == floor(shown) && fabs(shown) < 1e9;
	snprintf(text, sizeof text, whole ? "%.0f" : "%.4g", shown);
	gemp_canvas_words(canvas, at.x, at.y, LETTERS, anchor, text);
}

/* Draws a bar of a legend. Below the bar are the values at both ends, and words between these values. */
static void draw_bar(gemp_canvas *canvas, const gemp_som_panel *panel, int bar, point at, double width, double min,
                     double max, const char *between)
{
	const double below = at.y + BAR + LETTERS + 6;
	for (int i = 0; i < STEPS; i++) {
		const double from = at.x + width * i / STEPS, to = at.x + width * (i + 1) / STEPS;
		gemp_canvas_box(canvas, from, at.y, to - from, BAR, bar_colour(panel, bar, (i + 0.5) / STEPS));
	}
	draw_value(canvas, (point){ at.x, below }, GEMP_ANCHOR_START, min, max - min);
	if (*between)
		gemp_canvas_words(canvas, at.x + width / 2, below, LETTERS, GEMP_ANCHOR_MIDDLE, between);
	draw_value(canvas, (point){ at.x + width, below }, GEMP_ANCHOR_END, max, max - min);
}

/* Draws the legend. It has one bar, or for colours a bar each for red, green and blue. */
static void draw_legend(gemp_canvas *canvas, const frame *f, const gemp_som_panel *panel, const colour_range *range,
                        point at)
{
	const int bars = panel->shade == GEMP_SOM_SHADE_COLOURS ? 3 : 1;
	const double width = (f->width - (bars - 1) * MARGIN) / bars;
	for (int bar = 0; bar < bars; bar++)
		draw_bar(canvas, panel, bar, (point){ at.x + bar * (width + MARGIN), at.y }, width, range->min[bar],
		         range->max[bar], panel->shade == GEMP_SOM_SHADE_COUNTS ? "grey: 0" : "");
}

/* Draws the title, the units, the labels and the legend, in this order. Labels are drawn after all units, as a label
 * may lie over several units. */
static void draw_panel(gemp_canvas *canvas, const frame *f, const gemp_som_panel *panel, point corner)
{
	char title[256];
	const colour_range range = range_of(panel, gemp_som_units(f->grid));
	const point units = { corner.x, corner.y + TITLE };
	snprintf(title, sizeof title - GEMP_CANVAS_ELLIPSIS, "%s", panel->title);
	gemp_canvas_fit(canvas, LETTERS, f->width, title);
	gemp_canvas_words(canvas, corner.x, corner.y + TITLE - 7, LETTERS, GEMP_ANCHOR_START, title);
	draw_units(canvas, f, panel, &range, units);
	for (uint32_t u = 0; panel->labels && u < gemp_som_units(f->grid); u++)
		if (panel->labels[u].text[0])
			draw_label(canvas, f, panel->labels, u, unit_colour(panel, &range, u), units);
	draw_legend(canvas, f, panel, &range, (point){ units.x, units.y + f->height + 6 });
}

/* PICTURE */

/* Local. A picture that no program can show is refused before it is drawn. A PNG needs memory for all of its pixels,
 * which MAX_SIDE limits. */
gemp_code gemp_som_picture_check(const char *path, const gemp_som_grid *grid, const gemp_som_panel *panels,
                                 size_t count)
{
	const frame f = frame_of(grid, panels, count);
	const bool svg = gemp_file_ends_in(path, ".svg");
	if (!svg && !gemp_file_ends_in(path, ".png"))
		return gemp_fail(GEMP_EUSAGE, "output %s: the ending says what picture it is: .svg or .png", path);
	if (svg && count * gemp_som_units(grid) > MAX_SHAPES)
		return gemp_fail(GEMP_EUSAGE,
		                 "output %s: an SVG of %zu shapes is more than others can show; write a .png, "
		                 "or show less",
		                 path, count * gemp_som_units(grid));
	if (frame_width(&f) > MAX_SIDE || frame_height(&f) > MAX_SIDE)
		return gemp_fail(GEMP_EUSAGE,
		                 "output %s: the picture would be more than %d pixels wide or high; "
		                 "show less, or a map of shorter sides",
		                 path, MAX_SIDE);
	return GEMP_OK;
}

/* Local. Panels lie in rows of f.across, from left to right. */
gemp_code gemp_som_picture_write(const char *path, const gemp_som_grid *grid, const gemp_som_panel *panels,
                                 size_t count)
{
	const frame f = frame_of(grid, panels, count);
	GEMP_OWNED_BY(gemp_canvas_free) gemp_canvas canvas = { 0 };
	GEMP_TRY(gemp_canvas_new(&canvas, frame_width(&f), frame_height(&f), gemp_file_ends_in(path, ".png")));
	for (size_t p = 0; p < count; p++)
		draw_panel(&canvas, &f, &panels[p],
		           (point){ MARGIN + (double)(p % f.across) * (f.width + MARGIN),
		                    (double)(p / f.across) * (TITLE + f.height + LEGEND) });
	return gemp_canvas_write(&canvas, path);
}
