#include "io/numbers_parts.h"

#include "core/memory.h"
#include "io/hdf5.h"
#include "io/share.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

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

static gemp_code read_dataset(gemp_numbers *out, const gemp_h5 *h5, const char *dataset)
{
	gemp_code code = GEMP_OK;
	gemp_h5_type type;
	uint64_t total;
	char sort;
	void *raw = NULL;
	GEMP_TRY(gemp_h5_info(h5, dataset, &type, &total));
	if (!sort_of(type.kind, &sort))
		return gemp_fail(GEMP_EDATA, "%s: dataset '%s' holds texts; only numbers are sorted", h5->path, dataset);
	gemp_span span = gemp_share(h5->comm, total);
	size_t count = span.end - span.begin;
	out->bytes = total * type.size;
	raw = gemp_calloc(count, type.size);
	GEMP_TRY(gemp_comm_agree(h5->comm, raw ? GEMP_OK : GEMP_ENOMEM));
	if (total)
		GEMP_TRY(gemp_h5_read(h5, dataset, type, span.begin, count, has_checksum(h5, dataset) ? count : 0, raw));
	code = gemp_comm_agree(h5->comm, gemp_numbers_take(out, sort, (unsigned)type.size, raw, count));
done:
	gemp_free(raw);
	return code;
}

gemp_code gemp_numbers_read_h5(gemp_numbers *out, const gemp_comm *comm, const char *path, const char *dataset)
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
		GEMP_TRY(gemp_fail(GEMP_EDATA, "%s: there is no dataset '%s'; `h5ls -r %s` lists what is there", path, dataset, path));
	code = read_dataset(out, &h5, dataset);
done:
	if (h5.path) {
		gemp_code closed = gemp_h5_close(&h5);
		code = code == GEMP_OK ? closed : code;
	}
	return code;
}
