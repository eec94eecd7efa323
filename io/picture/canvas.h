/* canvas: shapes and words of a picture, kept until it is written: as SVG, or as the pixels of a PNG. */

#ifndef GEMP_IO_PICTURE_CANVAS_H
#define GEMP_IO_PICTURE_CANVAS_H

#include "core/text.h"

#include <stdint.h>

enum {
	GEMP_CANVAS_CORNERS = 6,
	GEMP_CANVAS_ELLIPSIS = 4, /* bytes, with the end of a text */
	GEMP_CANVAS_DENSITY = 2,  /* of a PNG: dots in each direction for one of the measures below */
};

typedef struct gemp_colour {
	uint8_t red, green, blue;
} gemp_colour;

typedef enum gemp_anchor { GEMP_ANCHOR_START, GEMP_ANCHOR_MIDDLE, GEMP_ANCHOR_END } gemp_anchor;

typedef struct gemp_canvas {
	uint32_t width, height;
	gemp_text svg;   /* all but head and end; used where pixels are NULL */
	uint8_t *pixels; /* [height][width][3] owned, of dots */
} gemp_canvas;

/* White. */
gemp_code gemp_canvas_new(gemp_canvas *out, uint32_t width, uint32_t height, bool pixels);
void gemp_canvas_free(gemp_canvas *canvas);

/* A convex shape of `count` corners; title: what SVG shows where the pointer rests, or NULL. */
void gemp_canvas_polygon(gemp_canvas *canvas, const double corners[][2], size_t count, gemp_colour fill,
                         const char *title);
void gemp_canvas_box(gemp_canvas *canvas, double x, double y, double width, double height, gemp_colour fill);

/* Black, the baseline at y; `size` is the height of capitals. A PNG has letters of Latin 1. */
void gemp_canvas_words(gemp_canvas *canvas, double x, double y, double size, gemp_anchor anchor, const char *words);
/* In the middle of (x, y), on a shape of this colour; it may be wider. */
void gemp_canvas_label(gemp_canvas *canvas, double x, double y, double size, gemp_colour on, const char *words);
/* How wide words will be, about. */
double gemp_canvas_width(const gemp_canvas *canvas, double size, const char *words);
/* Cuts words that are wider, in place, behind a whole letter, and adds an ellipsis, which may take GEMP_CANVAS_ELLIPSIS
 * bytes more than they have. */
void gemp_canvas_fit(const gemp_canvas *canvas, double size, double width, char *words);

/* Local. The file appears when it is whole: .svg or .png, as the canvas is. */
gemp_code gemp_canvas_write(const gemp_canvas *canvas, const char *path);

/* What canvas*.c have in common. */

enum {
	GEMP_LETTER_WIDTH = 6,
	GEMP_LETTER_HEIGHT = 10,  /* dots, with the space between letters and lines */
	GEMP_LETTER_CAPITAL = 7,  /* height of capitals */
	GEMP_LETTER_BASELINE = 8, /* rows above it */
};

/* Whether this dot of a letter (gemp_canvas_letter) is set. */
static inline bool gemp_letter_dot(uint64_t letter, int row, int column)
{
	return letter >> (GEMP_LETTER_WIDTH * (GEMP_LETTER_HEIGHT - 1 - row) + GEMP_LETTER_WIDTH - 1 - column) & 1;
}

/* The dots of the first letter of *text, which is not empty; moves *text behind it. Texts are UTF-8, and a byte that is
 * none stands for itself; what is neither in Latin 1 nor an ellipsis is a question mark. */
uint64_t gemp_canvas_letter(const char **text);

#endif
