/* Groups of blocks are the units of work: each rank has a contiguous range of groups, whose sums it writes to their
 * place, and its threads take one group at a time. Rank 0 then writes the group sums of all ranks, and the footer. */

#include "io/file/seal.h"

#include "core/memory.h"
#include "core/random.h"
#include "core/threads.h"
#include "io/file/sealed_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

typedef struct seal_task {
	gemp_sealed_file content; /* read without a seal */
	int file;                 /* descriptor for writing */
	gemp_seal_extent extent;
	uint64_t first_group;
	uint64_t *group_sums; /* [groups of this rank] */
	char *buffer;         /* [threads * GROUP_BYTES] */
	atomic_int error;     /* of gemp_sealed_failed */
	atomic_int failed;    /* errno of a write */
} seal_task;

enum { GROUP_BYTES = GEMP_SEAL_GROUP * GEMP_BLOCK_BYTES };

static void free_task(seal_task *t)
{
	gemp_sealed_close(&t->content);
	if (t->file >= 0)
		close(t->file);
	gemp_free_all(t->group_sums, t->buffer);
}

/* pwrite may be interrupted or write fewer bytes than requested. Returns 0 or errno. */
static int write_bytes(int file, uint64_t offset, size_t size, const void *data)
{
	const char *from = data;
	while (size) {
		const ssize_t done = pwrite(file, from, size, (off_t)offset);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return done ? errno : ENOSPC;
		from += done;
		offset += (uint64_t)done;
		size -= (size_t)done;
	}
	return 0;
}

/* The bytes between the content and the end of its last block are zeros when readers get them, since the sums behind
 * them are written. */
static void sum_group(void *context, unsigned thread, size_t g)
{
	seal_task *t = context;
	const uint64_t group = t->first_group + g, begin = group * GROUP_BYTES;
	const size_t size = gemp_min(t->content.size - begin, GROUP_BYTES);
	char *bytes = t->buffer + (size_t)thread * GROUP_BYTES;
	uint64_t sums[GEMP_SEAL_GROUP] = { 0 };
	const int error = gemp_sealed_read(&t->content, begin, size, bytes);
	if (error) {
		atomic_store(&t->error, error);
		return;
	}
	memset(bytes + size, 0, GROUP_BYTES - size);
	for (size_t b = 0; b * GEMP_BLOCK_BYTES < size; b++)
		sums[b] = gemp_hash(bytes + b * GEMP_BLOCK_BYTES, GEMP_BLOCK_BYTES, group * GEMP_SEAL_GROUP + b);
	t->group_sums[g] = gemp_hash(sums, sizeof sums, group);
	const int failed = write_bytes(t->file, t->extent.sums + group * GEMP_BLOCK_BYTES, sizeof sums, sums);
	if (failed)
		atomic_store(&t->failed, failed);
}

static gemp_code write_failed(const char *path, int error)
{
	return gemp_fail(GEMP_EIO, "%s: writing failed: %s; make room, or choose another place", path, strerror(error));
}

static gemp_code open_task(seal_task *t, const char *path)
{
	GEMP_TRY(gemp_sealed_open(&t->content, path, true));
	t->file = open(path, O_WRONLY | O_CLOEXEC);
	if (t->file < 0)
		return write_failed(path, errno);
	t->extent = gemp_seal_extent_of(t->content.size);
	return GEMP_OK;
}

/* Local. Writes the sums of this rank's groups. */
static gemp_code sum_groups(seal_task *t, const char *path, gemp_block_range groups)
{
	const size_t count = (size_t)(groups.end - groups.begin), threads = gemp_min(count, gemp_threads());
	t->first_group = groups.begin;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(t->group_sums, count), GEMP_ARRAY(t->buffer, threads * GROUP_BYTES)));
	gemp_parallel_for(count, sum_group, t);
	if (t->error)
		return gemp_sealed_failed(&t->content, "the file", t->error);
	return t->failed ? write_failed(path, t->failed) : GEMP_OK;
}

/* Rank 0 alone. Writes what follows the sums. */
static gemp_code write_end(const seal_task *t, const char *path, const uint64_t *group_sums)
{
	const size_t size = t->extent.groups * sizeof *group_sums;
	gemp_seal_footer footer = { .version = 1, .size = t->content.size };
	memcpy(footer.magic, gemp_seal_magic, sizeof footer.magic);
	footer.group_sum = gemp_hash(group_sums, size, t->extent.groups);
	footer.sum = gemp_seal_footer_sum(&footer);
	int error = write_bytes(t->file, t->extent.group_sums, size, group_sums);
	if (!error)
		error = write_bytes(t->file, t->extent.footer, sizeof footer, &footer);
	return error ? write_failed(path, error) : GEMP_OK;
}

/* The footer comes last, so that a file without all of its sums has no seal. */
gemp_code gemp_seal_file(const gemp_comm *comm, const char *path)
{
	GEMP_OWNED_BY(free_task) seal_task t = { .content = { .file = -1 }, .file = -1 };
	GEMP_OWNED void *group_sums = NULL;
	GEMP_OWNED size_t *begin = NULL;
	GEMP_TRY(gemp_comm_agree(comm, open_task(&t, path)));
	const gemp_block_range groups = gemp_comm_block(comm, t.extent.groups);
	const gemp_code code = sum_groups(&t, path, groups);
	GEMP_TRY(gemp_comm_allgather(comm, code, t.group_sums, (size_t)(groups.end - groups.begin) * sizeof *t.group_sums,
	                             &group_sums, &begin));
	return gemp_comm_agree(comm, comm->rank == 0 ? write_end(&t, path, group_sums) : GEMP_OK);
}
