#include "command/canvas.h"

#include "command/files.h"
#include "core/memory.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { LETTER_WIDTH = 3, LETTER_HEIGHT = 5 };

/* Rows of three dots from the top, an octal digit each. */
static const struct {
	char letter;
	uint16_t rows;
} letters[] = {
	{ '0', 075557 }, { '1', 026227 }, { '2', 071747 }, { '3', 071717 }, { '4', 055711 }, { '5', 074717 }, { '6', 074757 },
	{ '7', 071122 }, { '8', 075757 }, { '9', 075717 }, { 'A', 025755 }, { 'B', 065656 }, { 'C', 034443 }, { 'D', 065556 },
	{ 'E', 074647 }, { 'F', 074644 }, { 'G', 034553 }, { 'H', 055755 }, { 'I', 072227 }, { 'J', 011152 }, { 'K', 055655 },
	{ 'L', 044447 }, { 'M', 057755 }, { 'N', 065555 }, { 'O', 025552 }, { 'P', 065644 }, { 'Q', 025563 }, { 'R', 065655 },
	{ 'S', 034216 }, { 'T', 072222 }, { 'U', 055557 }, { 'V', 055552 }, { 'W', 055775 }, { 'X', 055255 }, { 'Y', 055222 },
	{ 'Z', 071247 }, { '.', 000002 }, { '-', 000700 }, { '+', 002720 }, { '_', 000007 }, { ':', 002020 }, { '/', 011244 },
	{ '(', 012221 }, { ')', 042224 }, { ',', 000024 }, { '=', 007070 }, { '%', 051245 }, { ' ', 000000 },
};

gemp_code gemp_canvas_new(gemp_canvas *out, uint32_t width, uint32_t height, bool pixels)
{
	*out = (gemp_canvas){ .width = width, .height = height };
	gemp_text_add(&out->svg, "", 0);
	if (!pixels)
		return gemp_text_status(&out->svg);
	out->pixels = gemp_calloc((size_t)width * height, 3);
	if (!out->pixels)
		return GEMP_ENOMEM;
	memset(out->pixels, 255, (size_t)width * height * 3);
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
	if (x < 0 || y < 0 || x >= (long)canvas->width || y >= (long)canvas->height)
		return;
	uint8_t *to = canvas->pixels + 3 * ((size_t)y * canvas->width + (size_t)x);
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
	double least[2] = { corners[0][0], corners[0][1] }, most[2] = { corners[0][0], corners[0][1] };
	for (size_t i = 1; i < count; i++)
		for (int k = 0; k < 2; k++) {
			least[k] = fmin(least[k], corners[i][k]);
			most[k] = fmax(most[k], corners[i][k]);
		}
	for (long y = (long)floor(least[1]); y < (long)ceil(most[1]); y++)
		for (long x = (long)floor(least[0]); x < (long)ceil(most[0]); x++)
			if (within(corners, count, (double)x + 0.5, (double)y + 0.5))
				dot(canvas, x, y, fill);
}

static void draw_letter(gemp_canvas *canvas, char letter, long x, long y, long scale)
{
	for (size_t i = 0; i < sizeof letters / sizeof *letters; i++) {
		if (letters[i].letter != letter)
			continue;
		for (long row = 0; row < LETTER_HEIGHT * scale; row++)
			for (long column = 0; column < LETTER_WIDTH * scale; column++) {
				long bit = 3 * (LETTER_HEIGHT - 1 - row / scale) + LETTER_WIDTH - 1 - column / scale;
				if (letters[i].rows >> bit & 1)
					dot(canvas, x + column, y + row, (gemp_colour){ 0 });
			}
	}
}

static void draw_words(gemp_canvas *canvas, double x, double y, double size, gemp_anchor anchor, const char *words)
{
	long scale = (long)(size / LETTER_HEIGHT) > 0 ? (long)(size / LETTER_HEIGHT) : 1, step = (LETTER_WIDTH + 1) * scale;
	long at = (long)x - (long)anchor * step * (long)strlen(words) / 2;
	for (; *words; words++, at += step)
		draw_letter(canvas, (char)toupper((unsigned char)*words), at, (long)y - LETTER_HEIGHT * scale, scale);
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

void gemp_canvas_polygon(gemp_canvas *canvas, const double corners[][2], size_t count, gemp_colour fill, const char *title)
{
	gemp_text *svg = &canvas->svg;
	if (canvas->pixels) {
		fill_pixels(canvas, corners, count, fill);
		return;
	}
	gemp_text_print(svg, "<path fill=\"#%02x%02x%02x\" d=\"", fill.red, fill.green, fill.blue);
	for (size_t i = 0; i < count; i++)
		gemp_text_print(svg, "%s%.2f %.2f", i ? "L" : "M", corners[i][0], corners[i][1]);
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

void gemp_canvas_words(gemp_canvas *canvas, double x, double y, double size, gemp_anchor anchor, const char *words)
{
	static const char *const anchors[] = { "start", "middle", "end" };
	if (canvas->pixels) {
		draw_words(canvas, x, y, size, anchor, words);
		return;
	}
	/* capitals are about seven tenths of a font's size */
	gemp_text_print(&canvas->svg, "<text x=\"%.2f\" y=\"%.2f\" font-size=\"%.2f\" text-anchor=\"%s\">", x, y, size / 0.7,
	                anchors[anchor]);
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
		                "viewBox=\"0 0 %" PRIu32 " %" PRIu32 "\" font-family=\"sans-serif\" shape-rendering=\"crispEdges\">\n"
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
