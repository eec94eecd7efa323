#include "core/scratch_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *folder(void)
{
	const char *path = getenv("TMPDIR");
	return path && *path ? path : "/tmp";
}

static gemp_code fail(const char *action)
{
	return gemp_fail(GEMP_EIO, "%s: cannot %s a temporary file: %s; set TMPDIR to another folder, or raise host-memory",
	                 folder(), action, strerror(errno));
}

/* The file loses its name at once, so no file remains if the process is killed. */
static gemp_code open_file(gemp_scratch_file *file)
{
	char path[4096];
	const int length = snprintf(path, sizeof path, "%s/gemp-XXXXXX", folder());
	if (length < 0 || (size_t)length >= sizeof path) {
		errno = ENAMETOOLONG;
		return fail("create");
	}
	file->descriptor = mkstemp(path);
	if (file->descriptor < 0)
		return fail("create");
	file->open = true;
	unlink(path);
	return GEMP_OK;
}

gemp_code gemp_scratch_append(gemp_scratch_file *file, const void *bytes, size_t size)
{
	if (!file->open)
		GEMP_TRY(open_file(file));
	for (size_t done = 0; done < size;) {
		const ssize_t written = pwrite(file->descriptor, (const char *)bytes + done, size - done,
		                               (off_t)(file->size + done));
		if (written < 0 && errno != EINTR)
			return fail("write");
		done += written > 0 ? (size_t)written : 0;
	}
	file->size += size;
	return GEMP_OK;
}

gemp_code gemp_scratch_read(const gemp_scratch_file *file, uint64_t offset, void *bytes, size_t size)
{
	for (size_t done = 0; done < size;) {
		const ssize_t got = pread(file->descriptor, (char *)bytes + done, size - done, (off_t)(offset + done));
		if (got == 0)
			errno = EIO;
		if (got == 0 || (got < 0 && errno != EINTR))
			return fail("read");
		done += got > 0 ? (size_t)got : 0;
	}
	return GEMP_OK;
}

void gemp_scratch_discard(const gemp_scratch_file *file, uint64_t begin, uint64_t end)
{
	if (file->open && begin < end)
		(void)fallocate(file->descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)begin,
		                (off_t)(end - begin));
}

void gemp_scratch_close(gemp_scratch_file *file)
{
	if (file->open)
		close(file->descriptor);
	*file = (gemp_scratch_file){ 0 };
}
