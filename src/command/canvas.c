#include "command/canvas_parts.h"

#include "command/files.h"
#include "core/memory.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

gemp_code gemp_canvas_new(gemp_canvas *out, uint32_t width, uint32_t height, bool pixels)
{
	*out = (gemp_canvas){ .width = width, .height = height };
	gemp_text_add(&out->svg, "", 0);
	if (!pixels)
		return gemp_text_status(&out->svg);
	const size_t dots = (size_t)width * height * GEMP_CANVAS_DENSITY * GEMP_CANVAS_DENSITY;
	out->pixels = gemp_calloc(dots, 3);
	if (!out->pixels)
		return GEMP_ENOMEM;
	memset(out->pixels, 255, dots * 3);
	return GEMP_OK;
}

void gemp_canvas_free(gemp_canvas *canvas)
{
	gemp_text_free(&canvas->svg);
	gemp_free(canvas->pixels);
	*canvas = (gemp_canvas){ 0 };
}

/* PIXELS */

static void dot(gemp_canvas *canvas, long x, long y, gemp_colour colour)
{
	const long width = (long)canvas->width * GEMP_CANVAS_DENSITY, height = (long)canvas->height * GEMP_CANVAS_DENSITY;
	if (x < 0 || y < 0 || x >= width || y >= height)
		return;
	uint8_t *to = canvas->pixels + 3 * (y * width + x);
	to[0] = colour.red;
	to[1] = colour.green;
	to[2] = colour.blue;
}

/* Is the point on the same side of all edges? */
static bool within(const double corners[][2], size_t count, double x, double y)
{
	bool left = false, right = false;
	for (size_t i = 0; i < count; i++) {
		const double *a = corners[i], *b = corners[(i + 1) % count];
		double side = (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]);
		left |= side < 0;
		right |= side > 0;
	}
	return !(left && right);
}

static void fill_pixels(gemp_canvas *canvas, const double corners[][2], size_t count, gemp_colour fill)
{
	const double density = GEMP_CANVAS_DENSITY;
	double least[2] = { corners[0][0], corners[0][1] }, most[2] = { corners[0][0], corners[0][1] };
	for (size_t i = 1; i < count; i++)
		for (int k = 0; k < 2; k++) {
			least[k] = fmin(least[k], corners[i][k]);
			most[k] = fmax(most[k], corners[i][k]);
		}
	for (long y = (long)floor(least[1] * density); y < (long)ceil(most[1] * density); y++)
		for (long x = (long)floor(least[0] * density); x < (long)ceil(most[0] * density); x++)
			if (within(corners, count, ((double)x + 0.5) / density, ((double)y + 0.5) / density))
				dot(canvas, x, y, fill);
}

/* Dots of the picture for one of a letter. */
static long dots_for(double size)
{
	return (long)fmax(1, round(size * GEMP_CANVAS_DENSITY / GEMP_LETTER_CAPITAL));
}

/* The upper left dot; halo: what is around it, too. */
static void draw_letter(gemp_canvas *canvas, uint64_t letter, long left, long top, long scale, gemp_colour colour,
                        bool halo)
{
	const long around = halo ? 1 : 0;
	for (int row = 0; row < GEMP_LETTER_HEIGHT; row++)
		for (int column = 0; column < GEMP_LETTER_WIDTH; column++) {
			if (!gemp_letter_dot(letter, row, column))
				continue;
			for (long y = row * scale - around; y < (row + 1) * scale + around; y++)
				for (long x = column * scale - around; x < (column + 1) * scale + around; x++)
					dot(canvas, left + x, top + y, colour);
		}
}

static void draw_words(gemp_canvas *canvas, double x, double y, double size, const char *words, gemp_colour colour,
                       bool halo)
{
	const long scale = dots_for(size), top = lround(y * GEMP_CANVAS_DENSITY) - GEMP_LETTER_BASELINE * scale;
	for (long left = lround(x * GEMP_CANVAS_DENSITY); *words; left += GEMP_LETTER_WIDTH * scale)
		draw_letter(canvas, gemp_canvas_letter(&words), left, top, scale, colour, halo);
}

/* TEXT */

static void escape(gemp_text *out, const char *words)
{
	for (; *words; words++)
		if (*words == '&' || *words == '<' || *words == '>')
			gemp_text_print(out, "&#%d;", *words);
		else if ((unsigned char)*words >= ' ')
			gemp_text_add(out, words, 1);
}

/* BOTH */

void gemp_canvas_polygon(gemp_canvas *canvas, const double corners[][2], size_t count, gemp_colour fill,
                         const char *title)
{
	gemp_text *svg = &canvas->svg;
	if (canvas->pixels) {
		fill_pixels(canvas, corners, count, fill);
		return;
	}
	gemp_text_print(svg, "<path fill=\"#%02x%02x%02x\" d=\"", fill.red, fill.green, fill.blue);
	for (size_t i = 0; i < count; i++)
		gemp_text_print(svg, "%s%.1f %.1f", i ? "L" : "M", corners[i][0], corners[i][1]);
	if (!title) {
		gemp_text_print(svg, "Z\"/>\n");
		return;
	}
	gemp_text_print(svg, "Z\"><title>");
	escape(svg, title);
	gemp_text_print(svg, "</title></path>\n");
}

void gemp_canvas_box(gemp_canvas *canvas, double x, double y, double width, double height, gemp_colour fill)
{
	const double corners[4][2] = { { x, y }, { x + width, y }, { x + width, y + height }, { x, y + height } };
	gemp_canvas_polygon(canvas, corners, 4, fill, NULL);
}

static const gemp_colour black = { 0, 0, 0 }, white = { 255, 255, 255 };
static const char *const anchors[] = { "start", "middle", "end" };
static const double CAPITALS = 0.7, LETTERS = 0.58; /* of a font's size: the height of capitals, the width of letters */

double gemp_canvas_width(const gemp_canvas *canvas, double size, const char *words)
{
	size_t letters = 0;
	for (const char *at = words; *at; letters++)
		gemp_canvas_letter(&at);
	const double one = canvas->pixels ? (double)(GEMP_LETTER_WIDTH * dots_for(size)) / GEMP_CANVAS_DENSITY
	                                  : size / CAPITALS * LETTERS;
	return (double)letters * one;
}

void gemp_canvas_fit(const gemp_canvas *canvas, double size, double width, char *words)
{
	static const char ellipsis[GEMP_CANVAS_ELLIPSIS] = "\u2026";
	const double one = gemp_canvas_width(canvas, size, "x");
	const char *at = words;
	if (gemp_canvas_width(canvas, size, words) <= width)
		return;
	for (double used = 2 * one; used <= width; used += one)
		gemp_canvas_letter(&at);
	memcpy(words + (at - words), ellipsis, sizeof ellipsis);
}

void gemp_canvas_words(gemp_canvas *canvas, double x, double y, double size, gemp_anchor anchor, const char *words)
{
	if (canvas->pixels) {
		draw_words(canvas, x - (double)anchor * gemp_canvas_width(canvas, size, words) / 2, y, size, words, black,
		           false);
		return;
	}
	gemp_text_print(&canvas->svg, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%.1f\" text-anchor=\"%s\">", x, y,
	                size / CAPITALS, anchors[anchor]);
	escape(&canvas->svg, words);
	gemp_text_print(&canvas->svg, "</text>\n");
}

void gemp_canvas_label(gemp_canvas *canvas, double x, double y, double size, gemp_colour on, const char *words)
{
	const bool dark = 0.299 * on.red + 0.587 * on.green + 0.114 * on.blue < 140;
	const gemp_colour letters = dark ? white : black, halo = dark ? black : white;
	if (canvas->pixels) {
		const double left = x - gemp_canvas_width(canvas, size, words) / 2;
		draw_words(canvas, left, y + size / 2, size, words, halo, true);
		draw_words(canvas, left, y + size / 2, size, words, letters, false);
		return;
	}
	gemp_text_print(&canvas->svg, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\" font-size=\"%.1f\">", dark ? "l" : "d", x,
	                y + size / 2, size / CAPITALS);
	escape(&canvas->svg, words);
	gemp_text_print(&canvas->svg, "</text>\n");
}

gemp_code gemp_canvas_write(const gemp_canvas *canvas, const char *path)
{
	gemp_code code = GEMP_OK;
	gemp_text out = { 0 };
	if (canvas->pixels) {
		GEMP_TRY(gemp_canvas_png(canvas, &out));
	} else {
		GEMP_TRY(gemp_text_status(&canvas->svg));
		const uint32_t width = canvas->width, height = canvas->height;
		gemp_text_print(&out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%" PRIu32 "\" height=\"%" PRIu32 "\" "
		                "viewBox=\"0 0 %" PRIu32 " %" PRIu32 "\" font-family=\"sans-serif\" "
		                "shape-rendering=\"crispEdges\">\n"
		                "<style>.d, .l { text-anchor: middle; paint-order: stroke; stroke-width: 1.5px; "
		                "stroke-linejoin: round }\n"
		                ".d { fill: #000000; stroke: #ffffff } .l { fill: #ffffff; stroke: #000000 }</style>\n"
		                "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n", width, height, width, height);
		gemp_text_add(&out, canvas->svg.data, canvas->svg.size);
		gemp_text_print(&out, "</svg>\n");
	}
	GEMP_TRY(gemp_text_status(&out));
	code = gemp_file_replace(path, out.data, out.size);
done:
	gemp_text_free(&out);
	return code;
}
