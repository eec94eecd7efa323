/* What canvas*.c have in common. */
#ifndef GEMP_COMMAND_CANVAS_PARTS_H
#define GEMP_COMMAND_CANVAS_PARTS_H

#include "command/canvas.h"

enum {
	GEMP_LETTER_WIDTH = 6, GEMP_LETTER_HEIGHT = 10, /* dots, with the space between letters and lines */
	GEMP_LETTER_CAPITAL = 7,                        /* height of capitals */
	GEMP_LETTER_BASELINE = 8,                       /* rows above it */
};

/* Whether this dot of a letter (gemp_canvas_letter) is set. */
static inline bool gemp_letter_dot(uint64_t letter, int row, int column)
{
	return letter >> (GEMP_LETTER_WIDTH * (GEMP_LETTER_HEIGHT - 1 - row) + GEMP_LETTER_WIDTH - 1 - column) & 1;
}

/* The dots of the first letter of *text, which is not empty; moves *text behind it. Texts are UTF-8, and a byte that is
 * none stands for itself; what is neither in Latin 1 nor an ellipsis is a question mark. */
uint64_t gemp_canvas_letter(const char **text);

/* The bytes of a PNG. */
gemp_code gemp_canvas_png(const gemp_canvas *canvas, gemp_text *out);

#endif
