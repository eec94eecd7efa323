/* canvas: collects the shapes and words of a picture, as SVG elements or as the pixels of a PNG, until it is
 * written. */

#ifndef GEMP_IO_PICTURE_CANVAS_H
#define GEMP_IO_PICTURE_CANVAS_H

#include "core/text.h"

#include <stdint.h>

enum {
	GEMP_CANVAS_CORNERS = 6,
	GEMP_CANVAS_ELLIPSIS = 4, /* bytes, with the 0 at the end of a text */
	GEMP_CANVAS_DENSITY = 2,  /* dots of a PNG in each direction for each unit of the measures below */
};

typedef struct gemp_colour {
	uint8_t red, green, blue;
} gemp_colour;

typedef enum gemp_anchor { GEMP_ANCHOR_START, GEMP_ANCHOR_MIDDLE, GEMP_ANCHOR_END } gemp_anchor;

typedef struct gemp_canvas {
	uint32_t width, height;
	gemp_text svg;   /* elements without head and end; used if pixels is NULL */
	uint8_t *pixels; /* [height][width][3] dots, owned */
} gemp_canvas;

/* A white canvas: of dots for a PNG (pixels), or of elements for an SVG. */
gemp_code gemp_canvas_new(gemp_canvas *out, uint32_t width, uint32_t height, bool pixels);
void gemp_canvas_free(gemp_canvas *canvas);

/* A convex shape of `count` corners. An SVG shows the title, which may be NULL, where the pointer rests. */
void gemp_canvas_polygon(gemp_canvas *canvas, const double corners[][2], size_t count, gemp_colour fill,
                         const char *title);
void gemp_canvas_box(gemp_canvas *canvas, double x, double y, double width, double height, gemp_colour fill);

/* Black words with their baseline at y; `size` is the height of capitals. A PNG has the letters of Latin 1 only. */
void gemp_canvas_words(gemp_canvas *canvas, double x, double y, double size, gemp_anchor anchor, const char *words);
/* Words centred at (x, y), readable on a shape of colour `on`. They may be wider than the shape. */
void gemp_canvas_label(gemp_canvas *canvas, double x, double y, double size, gemp_colour on, const char *words);
/* The approximate width of words. */
double gemp_canvas_width(const gemp_canvas *canvas, double size, const char *words);
/* Cuts words that are wider than `width` in place, behind a whole letter, and appends an ellipsis: the array of
 * words must have GEMP_CANVAS_ELLIPSIS bytes more than their text. */
void gemp_canvas_fit(const gemp_canvas *canvas, double size, double width, char *words);

/* Local. Writes an SVG or a PNG, whichever the canvas was made for. The file gets its name when it is complete. */
gemp_code gemp_canvas_write(const gemp_canvas *canvas, const char *path);

/* The letters of a PNG, in dots; for canvas.c and its test. */
enum {
	GEMP_LETTER_WIDTH = 6,    /* with the space between letters */
	GEMP_LETTER_HEIGHT = 10,  /* with the space between lines */
	GEMP_LETTER_CAPITAL = 7,  /* height of capitals */
	GEMP_LETTER_BASELINE = 8, /* rows above the baseline */
};

/* Is this dot of a letter (gemp_canvas_letter) set? */
static inline bool gemp_letter_dot(uint64_t letter, int row, int column)
{
	return letter >> (GEMP_LETTER_WIDTH * (GEMP_LETTER_HEIGHT - 1 - row) + GEMP_LETTER_WIDTH - 1 - column) & 1;
}

/* The dots of the first letter of *text, which is not empty; moves *text behind it. Texts are UTF-8; a byte that
 * is not valid UTF-8 is taken as Latin 1. A letter that is neither in Latin 1 nor an ellipsis is shown as a
 * question mark. */
uint64_t gemp_canvas_letter(const char **text);

#endif
