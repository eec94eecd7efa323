#include "command/canvas_parts.h"

#include <png.h>
#include <setjmp.h>
#include <stddef.h>

/* libpng calls these. */
static void take(png_structp png, png_bytep bytes, size_t size)
{
	gemp_text_add(png_get_io_ptr(png), bytes, size);
}

static void flush_nothing(png_structp png)
{
	(void)png;
}

gemp_code gemp_canvas_png(const gemp_canvas *canvas, gemp_text *out)
{
	png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
	const size_t width = (size_t)canvas->width * GEMP_CANVAS_DENSITY;
	const size_t height = (size_t)canvas->height * GEMP_CANVAS_DENSITY;
	png_infop info = png ? png_create_info_struct(png) : NULL;
	if (!info || setjmp(png_jmpbuf(png))) {
		png_destroy_write_struct(&png, &info);
		return gemp_fail(GEMP_ENOMEM, "libpng could not write a picture of %u x %u", canvas->width, canvas->height);
	}
	png_set_write_fn(png, out, take, flush_nothing);
	png_set_IHDR(png, info, (png_uint_32)width, (png_uint_32)height, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
	             PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
	png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_NONE); /* colours are flat: filters only make bytes differ */
	png_set_compression_level(png, 6); /* 9 takes twice as long for a sixth less */
	png_write_info(png, info);
	for (size_t y = 0; y < height; y++)
		png_write_row(png, canvas->pixels + 3 * y * width);
	png_write_end(png, info);
	png_destroy_write_struct(&png, &info);
	return gemp_text_status(out);
}
