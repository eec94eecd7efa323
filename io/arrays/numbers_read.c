#include "io/arrays/numbers_read.h"

#include "core/memory.h"
#include "core/threads.h"
#include "io/arrays/npy.h"
#include "io/arrays/numbers_text.h"
#include "io/hdf5/hdf5_attributes.h"
#include "io/hdf5/hdf5_dataset.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void unify_nan_chunk(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	gemp_number_array *n = context;
	size_t end = (piece + 1) * GEMP_NUMBERS_CHUNK < n->count ? (piece + 1) * GEMP_NUMBERS_CHUNK : n->count;
	for (size_t i = piece * GEMP_NUMBERS_CHUNK; i < end; i++)
		if (n->kind == GEMP_KEY_F32 && isnan(((float *)n->values)[i]))
			((float *)n->values)[i] = NAN;
		else if (n->kind == GEMP_KEY_F64 && isnan(((double *)n->values)[i]))
			((double *)n->values)[i] = (double)NAN;
}

/* Collective. As the caller wants them; place: for messages. */
static gemp_code convert_and_check(gemp_number_array *n, const gemp_comm *comm, const char *place, gemp_key_kind kind)
{
	gemp_code code = GEMP_OK;
	size_t at = n->count;
	uint64_t before = gemp_comm_exscan(comm, n->count);
	if (kind != GEMP_NUMBERS_AUTO)
		code = gemp_number_array_convert(n, kind, &at);
	if (code == GEMP_OK && at < n->count)
		code = gemp_fail(GEMP_EDATA,
		                 "%s: number %" PRIu64 " (from 0) is not one that type %s holds exactly; choose another --type",
		                 place, before + at, gemp_key_name[kind]);
	GEMP_TRY(gemp_comm_agree(comm, code));
	if (n->kind >= GEMP_KEY_F32)
		gemp_parallel_for((n->count + GEMP_NUMBERS_CHUNK - 1) / GEMP_NUMBERS_CHUNK, unify_nan_chunk, n);
	n->total = gemp_comm_sum1(comm, n->count);
done:
	return code;
}

static gemp_code read_part(gemp_number_array *out, const gemp_comm *comm, FILE *file, const char *path)
{
	gemp_code code = GEMP_OK;
	gemp_npy_header header;
	size_t data = 0;
	void *raw = NULL;
	GEMP_TRY(gemp_npy_read_header(file, path, &header, &data));
	GEMP_TRY(gemp_npy_check_size(file, path, &header, data, &out->bytes));
	gemp_block_range span = gemp_comm_block(comm, header.length);
	size_t count = span.end - span.begin;
	raw = gemp_calloc(count, header.width);
	if (!raw)
		return GEMP_ENOMEM;
	if (fseeko(file, (off_t)(data + span.begin * header.width), SEEK_SET) != 0 ||
	    fread(raw, header.width, count, file) != count)
		GEMP_TRY(gemp_fail(GEMP_EIO, "%s: reading failed: %s", path, strerror(errno)));
	gemp_npy_to_native(&header, raw, count);
	code = gemp_number_array_widen(out, header.kind, header.width, raw, count);
done:
	gemp_free(raw);
	return code;
}

static gemp_code gemp_number_array_read_npy(gemp_number_array *out, const gemp_comm *comm, const char *path)
{
	FILE *file = fopen(path, "rb");
	gemp_code code = file ? read_part(out, comm, file, path)
	                      : gemp_fail(GEMP_ENOINPUT, "%s: %s", path, strerror(errno));
	if (file)
		fclose(file);
	return gemp_comm_agree(comm, code);
}

/* As numpy would call it; false: it is no number. */
static bool sort_of(gemp_h5_kind kind, char *sort)
{
	static const char sorts[] = { 'i', 'i', 'i', 'i', 'u', 'u', 'u', 'f', 'b' };
	if (kind == GEMP_H5_TEXT)
		return false;
	*sort = sorts[kind];
	return true;
}

/* Collective. Datasets of other programs have no checksum. */
static bool has_checksum(const gemp_h5 *h5, const char *dataset)
{
	uint64_t sum;
	return gemp_h5_get_number(h5, dataset, "checksum", &sum) == GEMP_OK;
}

static gemp_code read_dataset(gemp_number_array *out, const gemp_h5 *h5, const char *dataset)
{
	gemp_code code = GEMP_OK;
	gemp_h5_type type;
	uint64_t total;
	char sort;
	void *raw = NULL;
	GEMP_TRY(gemp_h5_info(h5, dataset, &type, &total));
	if (!sort_of(type.kind, &sort))
		return gemp_fail(GEMP_EDATA, "%s: dataset '%s' holds texts; only numbers are sorted", h5->path, dataset);
	gemp_block_range span = gemp_comm_block(h5->comm, total);
	size_t count = span.end - span.begin;
	out->bytes = total * type.size;
	raw = gemp_calloc(count, type.size);
	GEMP_TRY(gemp_comm_agree(h5->comm, raw ? GEMP_OK : GEMP_ENOMEM));
	if (total)
		GEMP_TRY(gemp_h5_read(h5, dataset, type, span.begin, count, has_checksum(h5, dataset) ? count : 0, raw));
	code = gemp_comm_agree(h5->comm, gemp_number_array_widen(out, sort, (unsigned)type.size, raw, count));
done:
	gemp_free(raw);
	return code;
}

static gemp_code gemp_number_array_read_h5(gemp_number_array *out, const gemp_comm *comm, const char *path,
                                           const char *dataset)
{
	gemp_code code = GEMP_OK;
	gemp_h5 h5 = { 0 };
	bool there = false;
	if (access(path, R_OK) != 0)
		code = gemp_fail(GEMP_ENOINPUT, "%s: %s", path, strerror(errno));
	else if (!dataset)
		code = gemp_fail(GEMP_EUSAGE, "%s is an HDF5 file: name the dataset in it, as in %s:/values", path, path);
	GEMP_TRY(gemp_comm_agree(comm, code));
	GEMP_TRY(gemp_h5_open(&h5, comm, path));
	GEMP_TRY(gemp_h5_exists(&h5, dataset, &there));
	if (!there)
		GEMP_TRY(gemp_fail(GEMP_EDATA, "%s: there is no dataset '%s'; `h5ls -r %s` lists what is there", path, dataset,
		                   path));
	code = read_dataset(out, &h5, dataset);
done:
	if (h5.path) {
		gemp_code closed = gemp_h5_close(&h5);
		code = code == GEMP_OK ? closed : code;
	}
	return code;
}

gemp_code gemp_number_array_read(gemp_number_array *out, const gemp_comm *comm, const char *place, gemp_key_kind kind)
{
	gemp_code code = GEMP_OK;
	size_t length = strlen(place);
	char *path = NULL;
	const char *dataset;
	*out = (gemp_number_array){ 0 };
	if (gemp_h5_split_place(place, &path, &dataset)) {
		GEMP_TRY(gemp_comm_agree(comm, path ? GEMP_OK : GEMP_ENOMEM));
		GEMP_TRY(gemp_number_array_read_h5(out, comm, path, dataset));
	} else if (length > 4 && strcmp(place + length - 4, ".npy") == 0) {
		GEMP_TRY(gemp_number_array_read_npy(out, comm, place));
	} else {
		GEMP_TRY(gemp_number_array_read_text(out, comm, place, kind));
	}
	code = convert_and_check(out, comm, place, kind);
done:
	gemp_free(path);
	if (code != GEMP_OK)
		gemp_number_array_free(out);
	return code;
}
