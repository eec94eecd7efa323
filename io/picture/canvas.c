/* The canvas has two backends. For an SVG it collects elements as text. For a PNG it draws into an array of pixels at a
 * fixed density. Letters of a PNG come from a bitmap font, which needs no font library and looks the same on every
 * machine. */

#include "io/picture/canvas.h"

#include "core/memory.h"
#include "core/status.h"
#include "io/file/output.h"

#include <inttypes.h>
#include <math.h>
#include <png.h>
#include <setjmp.h>
#include <string.h>

/* Pixels start white, as the background of an SVG. The empty addition makes the SVG's text not NULL, even if nothing is
 * drawn. */
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

/* A dot outside the picture is not drawn. */
static void set_dot(gemp_canvas *canvas, long x, long y, gemp_colour colour)
{
	const long width = (long)canvas->width * GEMP_CANVAS_DENSITY, height = (long)canvas->height * GEMP_CANVAS_DENSITY;
	if (x < 0 || y < 0 || x >= width || y >= height)
		return;
	uint8_t *to = canvas->pixels + 3 * (y * width + x);
	to[0] = colour.red;
	to[1] = colour.green;
	to[2] = colour.blue;
}

/* A point is within a convex shape if it lies on the same side of all edges. The corners may go in either direction. */
static bool is_within(const double corners[][2], size_t count, double x, double y)
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

/* Tests the centre of each pixel in the bounding box of the corners. */
static void fill_pixels(gemp_canvas *canvas, const double corners[][2], size_t count, gemp_colour fill)
{
	const double density = GEMP_CANVAS_DENSITY;
	double min[2] = { corners[0][0], corners[0][1] }, max[2] = { corners[0][0], corners[0][1] };
	for (size_t i = 1; i < count; i++)
		for (int k = 0; k < 2; k++) {
			min[k] = fmin(min[k], corners[i][k]);
			max[k] = fmax(max[k], corners[i][k]);
		}
	for (long y = (long)floor(min[1] * density); y < (long)ceil(max[1] * density); y++)
		for (long x = (long)floor(min[0] * density); x < (long)ceil(max[0] * density); x++)
			if (is_within(corners, count, ((double)x + 0.5) / density, ((double)y + 0.5) / density))
				set_dot(canvas, x, y, fill);
}

/* The number of pixels on each side of a font dot. It is a whole number, which keeps letters sharp. */
static long dots_for(double size)
{
	return (long)fmax(1, round(size * GEMP_CANVAS_DENSITY / GEMP_LETTER_CAPITAL));
}

/* Draws a letter with its upper left pixel at (left, top). halo: each font dot is extended by one pixel on every
 * side. */
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
					set_dot(canvas, left + x, top + y, colour);
		}
}

/* All letters have the same width, so text needs no layout. */
static void draw_words(gemp_canvas *canvas, double x, double y, double size, const char *words, gemp_colour colour,
                       bool halo)
{
	const long scale = dots_for(size), top = lround(y * GEMP_CANVAS_DENSITY) - GEMP_LETTER_BASELINE * scale;
	for (long left = lround(x * GEMP_CANVAS_DENSITY); *words; left += GEMP_LETTER_WIDTH * scale)
		draw_letter(canvas, gemp_canvas_letter(&words), left, top, scale, colour, halo);
}

/* TEXT */

/* Escapes the characters that SVG reads as markup, and drops control characters. */
static void escape(gemp_text *out, const char *words)
{
	for (; *words; words++)
		if (*words == '&' || *words == '<' || *words == '>')
			gemp_text_print(out, "&#%d;", *words);
		else if ((unsigned char)*words >= ' ')
			gemp_text_add(out, words, 1);
}

/* BOTH BACKENDS */

/* A PNG has no titles. A viewer of an SVG shows the title when the pointer is on the shape. */
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
/* as fractions of a font's size: height of capitals, mean width of letters */
static const double CAPITALS = 0.7, LETTERS = 0.58;

/* The fixed font 6 x 10 from misc-fixed of the X Window System (public domain), with a simpler full stop and colon. The
 * table holds Latin 1 without control characters. A letter is ten rows of six dots, from the top; its last dot is the
 * lowest bit. */
/* clang-format off */
static const uint64_t letters[] = {
	0, 0x8208208008000, 0x14514000000000, 0x1453e53e514000, 0x872870a708000, 0x12a94214aa4000, 0x10a2842a91a000,
	0x8208000000000, 0x4210410204000, 0x10204104210000, 0x894f94880000, 0x208f88200000, 0x308400, 0xf80000000,
	0x30c000, 0x2084210820000, 0x85228a2508000, 0x862820823e000, 0x1c88231083e000, 0x3e08430289c000,
	0x431493e104000, 0x3e82cc8289c000, 0xc420b3289c000, 0x3e084108410000, 0x1c8a272289c000, 0x1c8a6682118000,
	0xc30030c000, 0x21c200308400, 0x2108408102000, 0x3e03e000000, 0x10204084210000, 0x1c884208008000,
	0x1c8a6aac81c000, 0x85228be8a2000, 0x3c4927124bc000, 0x1c8a082089c000, 0x3c4924924bc000, 0x3e820f2083e000,
	0x3e820f20820000, 0x1c8a082689c000, 0x228a2fa28a2000, 0x1c20820821c000, 0xe104104918000, 0x22928c28922000,
	0x2082082083e000, 0x228b6aa28a2000, 0x228b2aa68a2000, 0x1c8a28a289c000, 0x3c8a2f20820000, 0x1c8a28a2a9c080,
	0x3c8a2f28922000, 0x1c8a070289c000, 0x3e208208208000, 0x228a28a289c000, 0x228a2514508000, 0x228a2aaada2000,
	0x228942148a2000, 0x22894208208000, 0x3e08421083e000, 0x1c41041041c000, 0x20810204082000, 0x1c10410411c000,
	0x8522000000000, 0xf80, 0x204000000000000, 0x1c09e89e000, 0x2082cca2cac000, 0x1c8a089c000, 0x209a9a299a000,
	0x1c8be81c000, 0xc490f10410000, 0x1e8a278289c, 0x2082cca28a2000, 0x801820821c000, 0x200608209248c,
	0x20822938922000, 0x1820820821c000, 0x34aaaaa2000, 0x2cca28a2000, 0x1c8a289c000, 0x2cca2cac820, 0x1a9a299a082,
	0x2cca0820000, 0x1c81c0bc000, 0x1043c41048c000, 0x228a299a000, 0x22894508000, 0x228aaa94000, 0x22508522000,
	0x228a668289c, 0x3e10843e000, 0x6204604206000, 0x8208208208000, 0x18108188118000, 0x12aa4000000000, 0,
	0x8008208208000, 0x21ea28a1e200, 0xc490e104ac000, 0x22714722000, 0x2289423e208200, 0x8208008208000,
	0x1c838912382700, 0x500000000000000, 0x1c8aacaa89c000, 0xe496280780000, 0x94a4489000, 0x782000000, 0x780000000,
	0x1c8bacb289c000, 0xf80000000000000, 0x8508000000000, 0x208f8823e000, 0x312108780000000, 0x702302700000000,
	0x108000000000000, 0x228a2cac800, 0x1eeba68a28a000, 0x200000000, 0x108, 0x218208700000000, 0xc492300780000,
	0x244894a4000, 0x430410e4314f040, 0x430410e850421c0, 0xc08408c8629e080, 0x800821089c000, 0x4087228be8a2000,
	0x1087228be8a2000, 0x2147228be8a2000, 0x4ac7228be8a2000, 0x5007228be8a2000, 0x2147228be8a2000, 0xf5249fc927000,
	0x1c8a082089c210, 0x43e820f2083e000, 0x13e820f2083e000, 0x23e820f2083e000, 0x53e820f2083e000, 0x40870820821c000,
	0x10870820821c000, 0x21470820821c000, 0x50070820821c000, 0x3c492e924bc000, 0x2948b2aa68a2000, 0x4087228a289c000,
	0x1087228a289c000, 0x2147228a289c000, 0x2947228a289c000, 0x5007228a289c000, 0x22508522000, 0x1c9a6ab2c9c000,
	0x4088a28a289c000, 0x1088a28a289c000, 0x2140228a289c000, 0x5008a28a289c000, 0x1088a2508208000, 0x20f22f20820000,
	0x1c8a4a248ac000, 0x40801c09e89e000, 0x10801c09e89e000, 0x21401c09e89e000, 0x29401c09e89e000, 0x1401c09e89e000,
	0x21421c09e89e000, 0x1e15f91f000, 0x1c8a089c210, 0x40801c8be81c000, 0x10801c8be81c000, 0x21401c8be81c000,
	0x1401c8be81c000, 0x40801820821c000, 0x21001820821c000, 0x21401820821c000, 0x1401820821c000, 0x3031c8a289c000,
	0x29402cca28a2000, 0x40801c8a289c000, 0x10801c8a289c000, 0x21401c8a289c000, 0x29401c8a289c000, 0x1401c8a289c000,
	0x200f80200000, 0x1e9aacbc000, 0x4080228a299a000, 0x1080228a299a000, 0x2140228a299a000, 0x140228a299a000,
	0x42228a668289c, 0x83c8a28bc820, 0x140228a668289c
};
/* clang-format on */

double gemp_canvas_width(const gemp_canvas *canvas, double size, const char *words)
{
	size_t letters = 0;
	for (const char *at = words; *at; letters++)
		gemp_canvas_letter(&at);
	const double one = canvas->pixels ? (double)(GEMP_LETTER_WIDTH * dots_for(size)) / GEMP_CANVAS_DENSITY
	                                  : size / CAPITALS * LETTERS;
	return (double)letters * one;
}

/* Words that fit stay unchanged. Otherwise the width of one letter is reserved for the ellipsis. */
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

/* The values of gemp_anchor are 0, 1 and 2. Each step shifts the text left by half its width. */
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

/* A dark shape gets light letters and a light shape gets dark letters; the luma of ITU-R BT.601 decides. A halo of the
 * opposite colour keeps letters readable where they extend beyond the shape. */
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

/* libpng calls this function with each block of bytes of the file. */
static void collect_bytes(png_structp png, png_bytep bytes, size_t size)
{
	gemp_text_add(png_get_io_ptr(png), bytes, size);
}

/* libpng requires a function that flushes, but bytes in memory need no flush. */
static void flush_nothing(png_structp png)
{
	(void)png;
}

/* Appends the PNG's bytes to out. After an error libpng jumps back to setjmp. No local variable changes after setjmp,
 * so every variable has a defined value after the jump. */
static gemp_code gemp_canvas_png(const gemp_canvas *canvas, gemp_text *out)
{
	png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
	const size_t width = (size_t)canvas->width * GEMP_CANVAS_DENSITY;
	const size_t height = (size_t)canvas->height * GEMP_CANVAS_DENSITY;
	png_infop info = png ? png_create_info_struct(png) : NULL;
	if (!info || setjmp(png_jmpbuf(png))) {
		png_destroy_write_struct(&png, &info);
		return gemp_fail(GEMP_ENOMEM, "libpng could not write a picture of %u x %u", canvas->width, canvas->height);
	}
	png_set_write_fn(png, out, collect_bytes, flush_nothing);
	png_set_IHDR(png, info, (png_uint_32)width, (png_uint_32)height, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
	             PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
	/* filters do not help, since areas have uniform colours */
	png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_NONE);
	png_set_compression_level(png, 6); /* level 9 makes a smaller file but takes longer */
	png_write_info(png, info);
	for (size_t y = 0; y < height; y++)
		png_write_row(png, canvas->pixels + 3 * y * width);
	png_write_end(png, info);
	png_destroy_write_struct(&png, &info);
	return gemp_text_status(out);
}

/* Local. Puts the head of an SVG in front of the collected elements. */
gemp_code gemp_canvas_write(const gemp_canvas *canvas, const char *path)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text out = { 0 };
	if (canvas->pixels) {
		GEMP_TRY(gemp_canvas_png(canvas, &out));
	} else {
		GEMP_TRY(gemp_text_status(&canvas->svg));
		const uint32_t width = canvas->width, height = canvas->height;
		gemp_text_print(&out,
		                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%" PRIu32 "\" height=\"%" PRIu32 "\" "
		                "viewBox=\"0 0 %" PRIu32 " %" PRIu32 "\" font-family=\"sans-serif\" "
		                "shape-rendering=\"crispEdges\">\n"
		                "<style>.d, .l { text-anchor: middle; paint-order: stroke; stroke-width: 1.5px; "
		                "stroke-linejoin: round }\n"
		                ".d { fill: #000000; stroke: #ffffff } .l { fill: #ffffff; stroke: #000000 }</style>\n"
		                "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n",
		                width, height, width, height);
		gemp_text_add(&out, canvas->svg.data, canvas->svg.size);
		gemp_text_print(&out, "</svg>\n");
	}
	GEMP_TRY(gemp_text_status(&out));
	return gemp_file_replace(path, out.data, out.size);
}

enum { PLAIN = 0x7f - 0x20, ELLIPSIS = 0x2026 };

/* The dots of a character. A character outside Latin 1 becomes a question mark, except the ellipsis of
 * gemp_canvas_fit. */
static uint64_t letter_of(uint32_t code_point)
{
	if (code_point >= 0x20 && code_point < 0x7f)
		return letters[code_point - 0x20];
	if (code_point >= 0xa0 && code_point <= 0xff)
		return letters[PLAIN + code_point - 0xa0];
	return code_point == ELLIPSIS ? 0x15 << 12 : letters['?' - 0x20]; /* the ellipsis: three dots on the baseline */
}

/* A byte that is not valid UTF-8 is read as Latin 1, so every text can be drawn. An overlong sequence becomes a
 * question mark. */
uint64_t gemp_canvas_letter(const char **text)
{
	static const uint32_t min[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const uint8_t *at = (const uint8_t *)*text;
	uint32_t size = at[0] < 0xc0 ? 1 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : 4;
	uint32_t code_point = size == 1 ? at[0] : at[0] & (0x7fu >> size);
	for (uint32_t i = 1; i < size; i++) {
		if ((at[i] & 0xc0) != 0x80) {
			size = 1;
			code_point = at[0];
			break;
		}
		code_point = code_point << 6 | (at[i] & 0x3f);
	}
	*text += size;
	return letter_of(size > 1 && code_point < min[size] ? '?' : code_point);
}
