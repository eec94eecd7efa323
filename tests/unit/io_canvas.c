/* Tests the canvas of pictures: letters, UTF-8 texts, and the dots of shapes. */
#include "harness/harness.h"

#include "core/status.h"
#include "io/picture/canvas.h"

#include <string.h>

/* The dots of a letter as text, without empty rows and columns around them. */
static void shown(char out[128], const char *text)
{
	uint64_t letter = gemp_canvas_letter(&text);
	size_t used = 0;
	for (int row = 1; row < GEMP_LETTER_BASELINE; row++) {
		for (int column = 0; column < GEMP_LETTER_WIDTH; column++)
			out[used++] = gemp_letter_dot(letter, row, column) ? '#' : '.';
		out[used++] = ' ';
	}
	out[used] = 0;
}

static void letters(void **state)
{
	(void)state;
	char one[128], other[128];
	shown(one, "L");
	assert_string_equal(one, "#..... #..... #..... #..... #..... #..... #####. ");
	shown(one, ".");
	assert_string_equal(one, "...... ...... ...... ...... ...... ..##.. ..##.. ");
	shown(one, "\u2026");
	assert_string_equal(one, "...... ...... ...... ...... ...... ...... .#.#.# ");
	shown(one, " ");
	assert_string_equal(one, "...... ...... ...... ...... ...... ...... ...... ");
	shown(one, "\u00e9");
	shown(other, "e");
	assert_string_equal(one + 14, other + 14); /* the letters differ only by the accent */
	assert_string_not_equal(one, other);
	shown(one, "\u4e2d"); /* the font lacks this letter */
	shown(other, "?");
	assert_string_equal(one, other);
}

/* Decoding a damaged UTF-8 text never reads past its end. */
static void steps(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		size_t letters;
	} cases[] = {
		{ "abc", 3 },          { "\u00e9\u2026\U0001f600x", 4 },
		{ "\xff", 1 },         { "\xe2\x80", 2 },
		{ "\xf0\x9f\x98", 3 }, { "a\x80z", 3 },
		{ "\xc3", 1 },         { "\xc3z", 2 },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		size_t count = 0;
		const char *at = cases[i].text;
		for (; *at; count++)
			gemp_canvas_letter(&at);
		assert_ptr_equal(at, cases[i].text + strlen(cases[i].text));
		assert_int_equal(count, cases[i].letters);
	}
}

static void fit(void **state)
{
	(void)state;
	for (int pixels = 0; pixels < 2; pixels++) {
		gemp_canvas canvas;
		assert_int_equal(gemp_canvas_new(&canvas, 10, 10, pixels), GEMP_OK);
		const double one = gemp_canvas_width(&canvas, 7, "x");
		static const struct {
			double letters;
			const char *fits;
		} cases[] = {
			{ 7.01, "\u00e9gemein" }, { 6.99, "\u00e9geme\u2026" }, { 2.01, "\u00e9\u2026" }, { 1.01, "\u2026" },
			{ 0, "\u2026" },
		};
		for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
			char words[16] = "\u00e9gemein";
			gemp_canvas_fit(&canvas, 7, cases[i].letters * one, words);
			assert_string_equal(words, cases[i].fits);
		}
		assert_true(gemp_canvas_width(&canvas, 14, "ab") > 3.9 * one);
		gemp_canvas_free(&canvas);
	}
}

/* Dots outside the canvas are dropped. A shape consists of the dots whose centres it contains. */
static void shapes(void **state)
{
	(void)state;
	gemp_canvas canvas;
	enum { SIDE = 4 * GEMP_CANVAS_DENSITY };
	assert_int_equal(gemp_canvas_new(&canvas, 4, 4, true), GEMP_OK);
	gemp_canvas_box(&canvas, 1, 2, 2, 100, (gemp_colour){ 9, 8, 7 });
	for (int y = 0; y < SIDE; y++)
		for (int x = 0; x < SIDE; x++) {
			const bool in = x >= GEMP_CANVAS_DENSITY && x < 3 * GEMP_CANVAS_DENSITY && y >= 2 * GEMP_CANVAS_DENSITY;
			assert_int_equal(canvas.pixels[3 * (y * SIDE + x)], in ? 9 : 255);
		}
	gemp_canvas_words(&canvas, -50, 2, 3, GEMP_ANCHOR_START, "outside");
	gemp_canvas_label(&canvas, 400, 400, 3, (gemp_colour){ 0 }, "outside");
	gemp_canvas_free(&canvas);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(letters),
		cmocka_unit_test(steps),
		cmocka_unit_test(fit),
		cmocka_unit_test(shapes),
	};
	return test_main(tests);
}
