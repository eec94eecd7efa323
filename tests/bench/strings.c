/* Does the measurements of strings.sh: evaluates CONTAINS over many distinct strings on the device, compared with a
 * copy of the same bytes.
 *
 *     strings ROWS SIZE PART FILE [REPEAT]
 *
 * Makes ROWS distinct strings of SIZE letters (13 or more), writes them to FILE as lines, counts those that contain
 * PART, and prints one JSON object. */
#include "comm/comm.h"
#include "core/status.h"
#include "core/timer.h"
#include "device/device.h"
#include "device/launch.h"
#include "graph/column.h"
#include "harness/runtime.h"
#include "match/filter/filter_device.h"
#include "pattern/model/expr.h"

#include "core/memory.h"
#include "core/random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LETTERS = 32, LETTER_BITS = 5, LEAST_SIZE = 13 }; /* 13 letters of 5 bits encode any 64-bit number */

typedef struct timed {
	double kernel, copy; /* the least seconds of all repetitions, by the device's clock */
	/* the least seconds of evaluating the whole condition, by wall clock, while the bytes are on the device */
	double whole;
	uint64_t found;
} timed;

static void make_string(uint64_t row, char *to, size_t size)
{
	static const char letters[LETTERS + 1] = "abcdefghijklmnopqrstuvwxyz ABCDE";
	uint64_t state = row, bits = gemp_mix(row); /* a bijection, so rows differ in their first 13 letters */
	for (size_t i = 0; i < size; i++, bits >>= LETTER_BITS) {
		if (i >= LEAST_SIZE && i % 12 == 1)
			bits = gemp_random(&state);
		to[i] = letters[bits & (LETTERS - 1)];
	}
}

static gemp_code make_column(gemp_column *column, size_t rows, size_t size)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY_DONE(gemp_column_init(column, "text", GEMP_STRING));
	GEMP_TRY_DONE(gemp_column_reserve(column, rows, rows * size));
	for (size_t row = 0; row < rows; row++) {
		make_string(row, column->bytes + row * size, size);
		column->offsets[row + 1] = (row + 1) * size;
	}
	column->rows = rows;
done:
	return code;
}

static gemp_code write_lines(const gemp_column *column, size_t size, const char *path)
{
	FILE *file = fopen(path, "wb");
	bool written = file != NULL;
	for (size_t row = 0; row < column->rows && written; row++)
		written = fwrite(column->bytes + row * size, 1, size, file) == size && putc('\n', file) != EOF;
	if (file && fclose(file) != 0)
		written = false;
	return written ? GEMP_OK : gemp_fail(GEMP_EIO, "%s: cannot write", path);
}

static gemp_code count_bits(gemp_device *device, const gemp_buffer *bitmap, size_t words, uint64_t *found)
{
	gemp_code code = GEMP_OK;
	uint32_t *bits = NULL;
	*found = 0;
	GEMP_TRY_DONE(GEMP_NEW(bits, words));
	GEMP_TRY_DONE(gemp_buffer_read(device, bitmap, 0, words * sizeof *bits, bits));
	for (size_t w = 0; w < words; w++)
		*found += (uint64_t)__builtin_popcount(bits[w]);
done:
	gemp_free(bits);
	return code;
}

static void keep_least(double *least, double seconds)
{
	if (*least == 0 || seconds < *least)
		*least = seconds;
}

static gemp_code copy_bytes(gemp_device *device, const gemp_buffer *from, const gemp_buffer *to, size_t size,
                            double *least)
{
	gemp_code code = GEMP_OK;
	gemp_launch_release(device);
	GEMP_TRY_DONE(
		GEMP_CL(clEnqueueCopyBuffer(device->queue, from->mem, to->mem, 0, 0, size, 0, NULL, &device->last_launch)));
	double seconds;
	GEMP_TRY_DONE(gemp_launch_seconds(device, &seconds));
	keep_least(least, seconds);
done:
	return code;
}

static gemp_code measure(const gemp_filter_launcher *site, const gemp_operand *column, const gemp_operand *part,
                         const gemp_buffer *other, const gemp_buffer *bitmap, int repeat, timed *out)
{
	gemp_code code = GEMP_OK;
	double seconds;
	for (int i = 0; i < repeat; i++) {
		double began = gemp_now();
		GEMP_TRY_DONE(gemp_filter_substring(site, GEMP_CONTAINS, false, column, part, bitmap));
		GEMP_TRY_DONE(GEMP_CL(clFinish(site->device->queue)));
		keep_least(&out->whole, gemp_now() - began);
		GEMP_TRY_DONE(gemp_launch_seconds(site->device, &seconds));
		keep_least(&out->kernel, seconds);
		GEMP_TRY_DONE(copy_bytes(site->device, &column->values, other, column->bytes, &out->copy));
	}
	GEMP_TRY_DONE(count_bits(site->device, bitmap, site->words, &out->found));
done:
	return code;
}

static gemp_code bench(gemp_runtime *context, size_t rows, size_t size, const char *text, const char *path, int repeat)
{
	gemp_code code = GEMP_OK;
	gemp_device *device = context->device;
	gemp_filter_launcher site = { 0 };
	gemp_column strings = { 0 };
	gemp_operand column = { 0 }, part = { 0 };
	gemp_buffer other = { 0 }, bitmap = { 0 };
	gemp_value literal = { .type = GEMP_STRING, .string = { text, strlen(text) } };
	timed best = { 0 };
	GEMP_TRY_DONE(make_column(&strings, rows, size));
	GEMP_TRY_DONE(write_lines(&strings, size, path));
	GEMP_TRY_DONE(gemp_filter_launcher_new(&site, context));
	site.rows = (cl_uint)rows;
	site.words = (rows + 31) / 32;
	double began = gemp_now();
	GEMP_TRY_DONE(gemp_operand_column(&column, device, &strings, true));
	GEMP_TRY_DONE(GEMP_CL(clFinish(device->queue)));
	double upload = gemp_now() - began;
	GEMP_TRY_DONE(gemp_operand_literals(&part, device, GEMP_STRING, &literal, 1));
	GEMP_TRY_DONE(gemp_buffer_new(&other, device, column.values.size, NULL));
	GEMP_TRY_DONE(gemp_buffer_new(&bitmap, device, site.words * sizeof(uint32_t), NULL));
	GEMP_TRY_DONE(measure(&site, &column, &part, &other, &bitmap, repeat, &best));
	printf("{\"device\": \"%s\", \"rows\": %zu, \"bytes\": %zu, \"part\": \"%s\", \"found\": %llu, \"kernel\": %.9f, "
	       "\"whole\": %.9f, \"copy\": %.9f, \"upload\": %.6f}\n",
	       device->name, rows, rows * size, text, (unsigned long long)best.found, best.kernel, best.whole, best.copy,
	       upload);
done:
	gemp_buffer_free(&bitmap, device);
	gemp_buffer_free(&other, device);
	gemp_operand_release(&part);
	gemp_operand_release(&column);
	gemp_filter_launcher_free(&site);
	gemp_column_free(&strings);
	return code;
}

int main(int argc, char **argv)
{
	gemp_code code = GEMP_OK;
	gemp_comm comm;
	gemp_runtime *context = NULL;
	static const gemp_budgets budgets;
	MPI_Init(&argc, &argv);
	gemp_comm_new(&comm, MPI_COMM_WORLD);
	if (argc < 5 || strtoull(argv[2], NULL, 10) < LEAST_SIZE) {
		code = gemp_fail(GEMP_EUSAGE, "usage: strings ROWS SIZE PART FILE [REPEAT], SIZE at least %d", LEAST_SIZE);
		goto done;
	}
	GEMP_TRY_DONE(runtime_with_devices(&context, &comm, getenv("GEMP_DEVICES"), &budgets));
	code = bench(context, strtoull(argv[1], NULL, 10), strtoull(argv[2], NULL, 10), argv[3], argv[4],
	             argc > 5 ? atoi(argv[5]) : 10);
done:
	if (code != GEMP_OK)
		fprintf(stderr, "%s\n", gemp_message());
	gemp_runtime_free(context);
	gemp_comm_free(&comm);
	MPI_Finalize();
	return code;
}
