/* Reading without HDF5's help: our datasets are one piece of the file, so that all threads of a rank that reads for itself can
 * fetch parts of it, and take the checksum of each while it is in the cache. */
#include "core/random.h"
#include "core/threads.h"
#include "io/hdf5.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

enum { PART = 1 << 20 }; /* bytes that a thread fetches at a time */

typedef struct fetching {
	int file;
	uint64_t offset;      /* of the first element in the file */
	size_t size, each;    /* bytes of an element, elements in a part */
	uint64_t first, count, own;
	char *data;
	_Atomic uint64_t sum; /* of the first `own` elements */
	atomic_int error;     /* errno, or -1 where the file ends too soon */
} fetching;

static int fetch(const fetching *f, uint64_t at, uint64_t bytes)
{
	while (bytes) {
		ssize_t got = pread(f->file, f->data + at, bytes, (off_t)(f->offset + at));
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got ? errno : -1;
		at += (uint64_t)got;
		bytes -= (uint64_t)got;
	}
	return 0;
}

static void fetch_part(void *context, unsigned thread, size_t part)
{
	(void)thread;
	fetching *f = context;
	uint64_t begin = part * f->each, count = f->count - begin < f->each ? f->count - begin : f->each;
	int error = fetch(f, begin * f->size, count * f->size);
	if (error) {
		atomic_store(&f->error, error);
		return;
	}
	uint64_t own = begin >= f->own ? 0 : f->own - begin < count ? f->own - begin : count;
	atomic_fetch_add(&f->sum, gemp_hash_sum(f->data + begin * f->size, f->size, own, f->first + begin));
}

static gemp_code failed(const gemp_h5 *h5, const char *path, int error)
{
	if (error < 0)
		return gemp_fail(GEMP_EDATA, "%s: ends within dataset '%s'; make or copy the file again", h5->path, path);
	return gemp_fail(GEMP_EIO, "%s: reading dataset '%s' failed: %s", h5->path, path, strerror(error));
}

bool gemp_h5_is_direct(const gemp_h5 *h5, hid_t dataset)
{
	return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && !h5->parallel && !h5->writing &&
	       H5Dget_offset(dataset) != HADDR_UNDEF;
}

gemp_code gemp_h5_read_direct(const gemp_h5 *h5, const char *path, hid_t dataset, size_t size, uint64_t first, uint64_t count,
                              uint64_t own, void *data, uint64_t *sum)
{
	fetching f = { .offset = H5Dget_offset(dataset) + first * size, .size = size, .each = size < PART ? PART / size : 1,
	               .first = first, .count = count, .own = own, .data = data };
	f.file = open(h5->path, O_RDONLY);
	if (f.file < 0)
		return failed(h5, path, errno);
	gemp_parallel_for((size_t)((count + f.each - 1) / f.each), fetch_part, &f);
	close(f.file);
	*sum = f.sum;
	return f.error ? failed(h5, path, f.error) : GEMP_OK;
}
