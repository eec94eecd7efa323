#include "io/file/sealed_file.h"

#include "core/memory.h"
#include "core/random.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

const char gemp_seal_magic[8] = { 'G', 'E', 'M', 'P', 'S', 'E', 'A', 'L' };

static const char remedy[] = "make or copy the file again, or check it with 'gemp-mpi verify --trust'";

static uint64_t divide_up(uint64_t count, uint64_t by)
{
	return count / by + (count % by != 0);
}

gemp_seal_extent gemp_seal_extent_of(uint64_t size)
{
	gemp_seal_extent e = { .blocks = divide_up(size, GEMP_BLOCK_BYTES) };
	e.groups = divide_up(e.blocks, GEMP_SEAL_GROUP);
	e.sums = e.blocks * GEMP_BLOCK_BYTES;
	e.group_sums = e.sums + e.groups * GEMP_BLOCK_BYTES;
	e.footer = e.group_sums + e.groups * sizeof(uint64_t);
	return e;
}

uint64_t gemp_seal_footer_sum(const gemp_seal_footer *footer)
{
	return gemp_hash(footer, offsetof(gemp_seal_footer, sum), 0);
}

/* pread may be interrupted or return fewer bytes than requested. */
static int read_bytes(const gemp_sealed_file *file, uint64_t offset, size_t size, void *data)
{
	char *to = data;
	while (size) {
		const ssize_t got = pread(file->file, to, size, (off_t)offset);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got ? errno : GEMP_SEALED_ENDS;
		to += got;
		offset += (uint64_t)got;
		size -= (size_t)got;
	}
	return 0;
}

/* OPENING */

/* The footer is the only part of a seal whose place is not in the seal. */
static gemp_code read_seal(gemp_sealed_file *file)
{
	const uint64_t whole = (uint64_t)file->opened.st_size;
	gemp_seal_footer footer;
	int error = whole < sizeof footer ? 0 : read_bytes(file, whole - sizeof footer, sizeof footer, &footer);
	if (error)
		return gemp_sealed_failed(file, "its seal", error);
	if (whole < sizeof footer || memcmp(footer.magic, gemp_seal_magic, sizeof footer.magic) != 0)
		return GEMP_OK;
	const gemp_seal_extent extent = gemp_seal_extent_of(gemp_min(footer.size, whole));
	if (footer.sum != gemp_seal_footer_sum(&footer) || extent.footer + sizeof footer != whole)
		return gemp_sealed_failed(file, "its seal", GEMP_SEALED_CHANGED);
	if (footer.version != 1)
		return gemp_fail(GEMP_EDATA, "%s: has a seal of version %" PRIu64 "; use a newer gemp-mpi, or --trust",
		                 file->path, footer.version);
	GEMP_TRY(GEMP_NEW(file->group_sums, extent.groups));
	error = read_bytes(file, extent.group_sums, extent.groups * sizeof *file->group_sums, file->group_sums);
	if (error == 0 &&
	    gemp_hash(file->group_sums, extent.groups * sizeof *file->group_sums, extent.groups) != footer.group_sum)
		error = GEMP_SEALED_CHANGED;
	if (error)
		return gemp_sealed_failed(file, "its seal", error);
	file->sealed = true;
	file->size = footer.size;
	file->group_sum = footer.group_sum;
	file->extent = extent;
	return GEMP_OK;
}

gemp_code gemp_sealed_open(gemp_sealed_file *out, const char *path, bool trust)
{
	*out = (gemp_sealed_file){ .file = open(path, O_RDONLY | O_CLOEXEC), .path = gemp_strdup(path) };
	gemp_code code = out->path ? GEMP_OK : GEMP_ENOMEM;
	if (code == GEMP_OK && (out->file < 0 || fstat(out->file, &out->opened) != 0))
		code = gemp_fail(GEMP_ENOINPUT, "%s: cannot be read: %s", path, strerror(errno));
	if (code == GEMP_OK && S_ISDIR(out->opened.st_mode))
		code = gemp_fail(GEMP_ENOINPUT, "%s: %s", path, strerror(EISDIR));
	out->size = (uint64_t)out->opened.st_size;
	out->trusted = trust;
	if (!trust)
		GEMP_THEN(read_seal(out));
	if (code != GEMP_OK)
		gemp_sealed_close(out);
	return code;
}

void gemp_sealed_close(gemp_sealed_file *file)
{
	if (file->file >= 0)
		close(file->file);
	gemp_free_all(file->path, file->group_sums);
	*file = (gemp_sealed_file){ .file = -1 };
}

/* READING */

/* Reads the sums of a group's blocks. */
static int read_group(const gemp_sealed_file *file, uint64_t group, uint64_t sums[GEMP_SEAL_GROUP])
{
	const int error = read_bytes(file, file->extent.sums + group * GEMP_BLOCK_BYTES, GEMP_BLOCK_BYTES, sums);
	return error                                                                 ? error
	       : gemp_hash(sums, GEMP_BLOCK_BYTES, group) != file->group_sums[group] ? GEMP_SEALED_CHANGED
	                                                                             : 0;
}

/* Reads bytes [from, to) of the group whose sums are given. Whole blocks are read to their place and compared there. A
 * block of which only a part is wanted takes a detour. */
static int read_in_group(const gemp_sealed_file *file, const uint64_t *sums, uint64_t from, uint64_t to, char *data)
{
	char block[GEMP_BLOCK_BYTES];
	while (from < to) {
		const uint64_t number = from / GEMP_BLOCK_BYTES, begin = from % GEMP_BLOCK_BYTES;
		const bool whole = begin == 0 && to - from >= GEMP_BLOCK_BYTES;
		const size_t some = whole ? (to - from) / GEMP_BLOCK_BYTES * GEMP_BLOCK_BYTES
		                          : gemp_min(to - from, GEMP_BLOCK_BYTES - begin);
		char *place = whole ? data : block;
		const int error = read_bytes(file, number * GEMP_BLOCK_BYTES, whole ? some : GEMP_BLOCK_BYTES, place);
		if (error)
			return error;
		for (uint64_t b = 0; b < (whole ? some / GEMP_BLOCK_BYTES : 1); b++)
			if (gemp_hash(place + b * GEMP_BLOCK_BYTES, GEMP_BLOCK_BYTES, number + b) !=
			    sums[(number + b) % GEMP_SEAL_GROUP])
				return GEMP_SEALED_CHANGED;
		if (!whole)
			memcpy(data, block + begin, some);
		data += some;
		from += some;
	}
	return 0;
}

int gemp_sealed_read(const gemp_sealed_file *file, uint64_t offset, size_t size, void *data)
{
	const uint64_t group_bytes = (uint64_t)GEMP_SEAL_GROUP * GEMP_BLOCK_BYTES;
	char *to = data;
	if (offset > file->size || size > file->size - offset)
		return GEMP_SEALED_ENDS;
	if (!file->sealed)
		return read_bytes(file, offset, size, data);
	while (size) {
		uint64_t sums[GEMP_SEAL_GROUP];
		const uint64_t group = offset / group_bytes;
		const size_t some = gemp_min(size, (group + 1) * group_bytes - offset);
		int error = read_group(file, group, sums);
		if (!error)
			error = read_in_group(file, sums, offset, offset + some, to);
		if (error)
			return error;
		to += some;
		offset += some;
		size -= some;
	}
	return 0;
}

gemp_code gemp_sealed_failed(const gemp_sealed_file *file, const char *part, int error)
{
	if (error == GEMP_SEALED_CHANGED)
		return gemp_fail(GEMP_EDATA, "%s: %s was changed after the file had been written; %s", file->path, part,
		                 remedy);
	if (error == GEMP_SEALED_ENDS)
		return gemp_fail(GEMP_EDATA, "%s: ends within %s; make or copy the file again", file->path, part);
	if (error == ENOMEM)
		return gemp_fail(GEMP_ENOMEM, "%s: no memory for reading %s", file->path, part);
	return gemp_fail(GEMP_EIO, "%s: reading %s failed: %s", file->path, part, strerror(error));
}
