/* canvas: shapes and words of a picture, kept until it is written: as SVG, or as the pixels of a PNG. */
#ifndef GEMP_COMMAND_CANVAS_H
#define GEMP_COMMAND_CANVAS_H

#include "core/text.h"

#include <stdint.h>

enum { GEMP_CANVAS_CORNERS = 6 };

typedef struct gemp_colour {
	uint8_t red, green, blue;
} gemp_colour;

typedef enum gemp_anchor { GEMP_ANCHOR_START, GEMP_ANCHOR_MIDDLE, GEMP_ANCHOR_END } gemp_anchor;

typedef struct gemp_canvas {
	uint32_t width, height;
	gemp_text svg;      /* all but head and end; used where pixels are NULL */
	uint8_t *pixels;    /* [height][width][3] owned */
} gemp_canvas;

/* White. */
gemp_code gemp_canvas_new(gemp_canvas *out, uint32_t width, uint32_t height, bool pixels);
void gemp_canvas_free(gemp_canvas *canvas);

/* A convex shape of `count` corners; title: what SVG shows where the pointer rests, or NULL. */
void gemp_canvas_polygon(gemp_canvas *canvas, const double corners[][2], size_t count, gemp_colour fill, const char *title);
void gemp_canvas_box(gemp_canvas *canvas, double x, double y, double width, double height, gemp_colour fill);
/* Its baseline at y; `size` is the height of letters, in pixels. In a PNG of capitals, and what it has no letter for is left
 * out. */
void gemp_canvas_words(gemp_canvas *canvas, double x, double y, double size, gemp_anchor anchor, const char *words);

/* Local. The file appears when it is whole: .svg or .png, as the canvas is. */
gemp_code gemp_canvas_write(const gemp_canvas *canvas, const char *path);
/* For canvas.c: the bytes of a PNG. */
gemp_code gemp_canvas_png(const gemp_canvas *canvas, gemp_text *out);

#endif
