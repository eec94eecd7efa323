/* canvas: collects the shapes and texts of a picture, as SVG elements or as pixels of a PNG, and writes the file. */

#ifndef GEMP_IO_PICTURE_CANVAS_H
#define GEMP_IO_PICTURE_CANVAS_H

#include "core/text.h"

#include <stdint.h>

enum {
	GEMP_CANVAS_CORNERS = 6,
	GEMP_CANVAS_ELLIPSIS = 4, /* bytes of an ellipsis in UTF-8, with the terminating 0 */
	GEMP_CANVAS_DENSITY = 2,  /* pixels of a PNG per unit of width and height */
};

typedef struct gemp_colour {
	uint8_t red, green, blue;
} gemp_colour;

typedef enum gemp_anchor { GEMP_ANCHOR_START, GEMP_ANCHOR_MIDDLE, GEMP_ANCHOR_END } gemp_anchor;

typedef struct gemp_canvas {
	uint32_t width, height;
	gemp_text svg;   /* SVG: elements without the head and the end */
	uint8_t *pixels; /* PNG: [height * DENSITY][width * DENSITY][3], owned; NULL for an SVG */
} gemp_canvas;

/* Makes a white canvas: for a PNG if `pixels`, otherwise for an SVG. */
gemp_code gemp_canvas_new(gemp_canvas *out, uint32_t width, uint32_t height, bool pixels);
void gemp_canvas_free(gemp_canvas *canvas);

/* Draws a convex shape of `count` corners. A viewer of an SVG shows the title, which may be NULL, when the pointer is
 * on the shape. */
void gemp_canvas_polygon(gemp_canvas *canvas, const double corners[][2], size_t count, gemp_colour fill,
                         const char *title);
void gemp_canvas_box(gemp_canvas *canvas, double x, double y, double width, double height, gemp_colour fill);

/* Draws black text with its baseline at y. size: the height of capitals. A PNG can show only the letters of Latin 1. */
void gemp_canvas_words(gemp_canvas *canvas, double x, double y, double size, gemp_anchor anchor, const char *words);
/* Draws text centred at (x, y) that is readable on a shape of colour `on`. The text may be wider than the shape. */
void gemp_canvas_label(gemp_canvas *canvas, double x, double y, double size, gemp_colour on, const char *words);
/* The width of a text. It is exact for a PNG and an estimate for an SVG, whose viewer chooses the font. */
double gemp_canvas_width(const gemp_canvas *canvas, double size, const char *words);
/* If the text is wider than `width`, cuts it in place after a whole letter and appends an ellipsis. The array must have
 * space for GEMP_CANVAS_ELLIPSIS more bytes. */
void gemp_canvas_fit(const gemp_canvas *canvas, double size, double width, char *words);

/* Local. Writes the SVG or the PNG. The file gets its name when it is complete. */
gemp_code gemp_canvas_write(const gemp_canvas *canvas, const char *path);

/* The bitmap font, in dots; only canvas.c and its test use these. */
enum {
	GEMP_LETTER_WIDTH = 6,    /* including the space between letters */
	GEMP_LETTER_HEIGHT = 10,  /* including the space between lines */
	GEMP_LETTER_CAPITAL = 7,  /* height of a capital letter */
	GEMP_LETTER_BASELINE = 8, /* number of rows above the baseline */
};

/* Tests whether a dot of a letter (see gemp_canvas_letter) is set. */
static inline bool gemp_letter_dot(uint64_t letter, int row, int column)
{
	return letter >> (GEMP_LETTER_WIDTH * (GEMP_LETTER_HEIGHT - 1 - row) + GEMP_LETTER_WIDTH - 1 - column) & 1;
}

/* Returns the dots of the first letter of *text, which must not be empty, and advances *text past this letter. A text
 * is UTF-8; a byte that is not valid UTF-8 is read as Latin 1. A letter outside Latin 1 becomes a question mark, except
 * the ellipsis. */
uint64_t gemp_canvas_letter(const char **text);

#endif
