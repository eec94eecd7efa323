/* Every file of this program appears under its name only when it is complete. It is first written as "PATH.tmp-PROCESS"
 * in the same folder, since a rename works only within one file system. Readers see either the old file or the new
 * file, and never a part of the new one. gemp_signals knows the temporary name, and a signal that ends the process
 * removes the temporary file.
 *
 * gemp_output is written by all ranks. The offset of a rank's bytes in the file follows from the sizes on all lower
 * ranks (a prefix sum), and each rank writes its own bytes by pwrite. Standard output has no offsets, so rank 0
 * receives the blocks of the other ranks in rank order, in messages of at most MAX_MESSAGE bytes. gemp_file_writer is
 * written by one process through the C library. HDF5 files use the same temporary names (gemp_h5_commit). */

#include "io/file/output.h"

#include "core/memory.h"
#include "core/signals.h"
#include "core/status.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* PATHS */

bool gemp_file_ends_in(const char *path, const char *ending)
{
	size_t size = strlen(path), end = strlen(ending);
	return size >= end && strcmp(path + size - end, ending) == 0;
}

/* The number is put before the ending, since the ending chooses the format. */
gemp_code gemp_file_numbered(char **out, const char *path, size_t number)
{
	gemp_text text = { 0 };
	*out = NULL;
	if (!path)
		return GEMP_OK;
	const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
	int stem = dot ? (int)(dot - path) : (int)strlen(path);
	gemp_text_print(&text, "%.*s", stem, path);
	if (number)
		gemp_text_print(&text, ".%zu", number);
	gemp_text_print(&text, "%s", path + stem);
	gemp_code code = gemp_text_status(&text);
	*out = text.data;
	return code;
}

/* Refuses a path that is a folder, a device or a pipe: the final rename would replace a device or a pipe by a regular
 * file. `what` names the option or is "". */
static gemp_code check_replaceable(const char *what, const char *path)
{
	struct stat status;
	const char *blank = *what ? " " : "";
	if (stat(path, &status) != 0 || S_ISREG(status.st_mode))
		return GEMP_OK;
	if (S_ISDIR(status.st_mode))
		return gemp_fail(GEMP_EIO, "%s%s%s: is a folder; name a file in it", what, blank, path);
	return gemp_fail(GEMP_EIO, "%s%s%s: is a device or a pipe, not a regular file; choose another place", what, blank,
	                 path);
}

/* The folder must be writable, since the final rename changes the folder. The permissions of an existing file do not
 * matter, since the rename replaces it. */
gemp_code gemp_file_may_write(const char *what, const char *path)
{
	const char *slash = strrchr(path, '/');
	size_t size = slash ? (size_t)(slash - path) + 1 : 0;
	GEMP_OWNED char *folder = size ? gemp_strndup(path, size) : gemp_strdup(".");
	if (!folder)
		return GEMP_ENOMEM;
	if (strcmp(path, "-") == 0)
		return gemp_fail(GEMP_EUSAGE, "%s -: this cannot be written to stdout; name a file", what);
	if (access(folder, W_OK | X_OK) != 0)
		return gemp_fail(GEMP_EIO, "%s %s: cannot write to folder %s: %s", what, path, folder, strerror(errno));
	return check_replaceable(what, path);
}

/* TEMPORARY NAMES */

/* MPI-IO keeps its shared file pointer in files whose names begin with the temporary name. A name that continues with a
 * digit belongs to another process, so that file stays. */
void gemp_file_discard(const char *temporary)
{
	const char *slash = strrchr(temporary, '/');
	const char *name = slash ? slash + 1 : temporary;
	GEMP_OWNED_BY(gemp_text_free) gemp_text folder = { 0 };
	gemp_text_print(&folder, "%.*s", slash ? (int)(name - temporary) : 1, slash ? temporary : ".");
	unlink(temporary);
	DIR *listing = gemp_text_status(&folder) == GEMP_OK ? opendir(folder.data) : NULL;
	for (const struct dirent *entry; listing && (entry = readdir(listing));)
		if (strncmp(entry->d_name, name, strlen(name)) == 0 && !isdigit((unsigned char)entry->d_name[strlen(name)]))
			unlinkat(dirfd(listing), entry->d_name, 0);
	if (listing)
		closedir(listing);
	gemp_signals_drop_temp(temporary);
}
static gemp_code name_temporary(gemp_text *name, const char *path, uint64_t process)
{
	gemp_text_print(name, "%s.tmp-%" PRIu64, path, process);
	return gemp_text_status(name);
}

/* All ranks use the process number of rank 0. This number differs between jobs on a node, so the temporary names
 * differ. */
gemp_code gemp_output_temporary(const gemp_comm *comm, const char *path, gemp_text *temporary)
{
	uint64_t process = comm->rank == 0 ? (uint64_t)getpid() : 0;
	gemp_comm_max(comm, &process, 1);
	GEMP_TRY(gemp_comm_agree(comm, name_temporary(temporary, path, process)));
	if (comm->rank == 0)
		gemp_signals_add_temp(temporary->data);
	return GEMP_OK;
}

/* Renames the temporary file, or removes it if `code` is an error. A file that is replaced keeps its permissions.
 * Afterwards gemp_signals has forgotten the temporary name. */
static gemp_code commit_file(const char *temporary, const char *path, gemp_code code)
{
	struct stat old;
	if (code == GEMP_OK && stat(path, &old) == 0 && chmod(temporary, old.st_mode & 0777) != 0)
		code = gemp_fail(GEMP_EIO, "%s: its permissions cannot be kept: %s", path, strerror(errno));
	if (code == GEMP_OK && rename(temporary, path) != 0)
		code = gemp_fail(GEMP_EIO, "%s: cannot be written: %s; choose another place or make room", path,
		                 strerror(errno));
	if (code == GEMP_OK)
		gemp_signals_drop_temp(temporary);
	else
		gemp_file_discard(temporary);
	return code;
}

gemp_code gemp_output_commit(const gemp_comm *comm, const char *temporary, const char *path, gemp_code code)
{
	return gemp_comm_agree(comm, comm->rank == 0 ? commit_file(temporary, path, code) : code);
}

enum { MAX_MESSAGE = 1 << 20 }; /* bytes of a message to rank 0, which holds one message at a time */

struct gemp_output {
	const gemp_comm *comm;
	char *path;          /* NULL: stdout */
	gemp_text temporary; /* the temporary name; "" if there is no temporary file */
	int file;            /* descriptor; -1: not open */
	uint64_t size;       /* bytes that all ranks have written or reserved so far */
	uint64_t next;       /* offset in the file of the next bytes of this rank */
};

/* errno is saved first, since gemp_fail may change it. */
static gemp_code writing_failed(const char *path, const char *what)
{
	int error = errno;
	return gemp_fail(GEMP_EIO, "%s: %s: %s; choose another place or make room", path, what, strerror(error));
}

/* check_replaceable is repeated here, since the path may have changed after the early check. */
static gemp_code create_temporary(gemp_output *output)
{
	GEMP_TRY(check_replaceable("", output->path));
	output->file = open(output->temporary.data, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	return output->file < 0 ? writing_failed(output->path, "cannot be written") : GEMP_OK;
}

/* On some network file systems, a file that rank 0 has created appears late on other nodes. The message shows that
 * another rank could not open the file. */
static gemp_code open_of_rank_0(gemp_output *output)
{
	output->file = open(output->temporary.data, O_WRONLY | O_CLOEXEC);
	return output->file < 0 ? writing_failed(output->temporary.data, "cannot be opened by another rank") : GEMP_OK;
}

/* Collective. Rank 0 creates the file. Then the other ranks open it, since each rank writes its own bytes. */
static gemp_code open_file(gemp_output *output)
{
	const gemp_comm *comm = output->comm;
	GEMP_TRY(gemp_output_temporary(comm, output->path, &output->temporary));
	GEMP_TRY(gemp_comm_agree(comm, comm->rank == 0 ? create_temporary(output) : GEMP_OK));
	return gemp_comm_agree(comm, comm->rank != 0 ? open_of_rank_0(output) : GEMP_OK);
}

/* Standard output needs no file, since rank 0 has it open already. */
gemp_code gemp_output_open(gemp_output **out, const gemp_comm *comm, const char *path)
{
	gemp_output *output;
	bool to_file = strcmp(path, "-") != 0;
	gemp_code code = GEMP_NEW(output, 1);
	if (code == GEMP_OK) {
		*output = (gemp_output){ .comm = comm, .file = -1, .path = to_file ? gemp_strdup(path) : NULL };
		code = to_file && !output->path ? GEMP_ENOMEM : GEMP_OK;
	}
	code = gemp_comm_agree(comm, code);
	if (to_file)
		GEMP_THEN(open_file(output));
	if (code == GEMP_OK)
		*out = output;
	else
		gemp_output_abandon(output);
	return code;
}

/* STANDARD OUTPUT */
static gemp_code print_bytes(const char *bytes, size_t size)
{
	return size == 0 || fwrite(bytes, 1, size, stdout) == size ? GEMP_OK
	                                                           : writing_failed("stdout", "cannot be written");
}

/* Rank 0 receives every message, even if it can no longer print, since the sender would wait for ever. */
static gemp_code print_from_rank(const gemp_output *output, int rank, size_t size, char *buffer)
{
	gemp_code code = GEMP_OK;
	for (size_t at = 0; at < size; at += MAX_MESSAGE) {
		int part = (int)gemp_min(size - at, MAX_MESSAGE);
		GEMP_MPI(MPI_Recv(buffer, part, MPI_BYTE, rank, GEMP_TAG_OUTPUT, output->comm->world, MPI_STATUS_IGNORE));
		GEMP_THEN(print_bytes(buffer, (size_t)part));
	}
	return code;
}

/* A synchronous send completes only after rank 0 has begun to receive, so at most one message of each rank waits. */
static void send_to_printer(const gemp_output *output, const char *bytes, size_t size)
{
	for (size_t at = 0; at < size; at += MAX_MESSAGE)
		GEMP_MPI(MPI_Ssend(bytes + at, (int)gemp_min(size - at, MAX_MESSAGE), MPI_BYTE, 0, GEMP_TAG_OUTPUT,
		                   output->comm->world));
}

/* Collective. Rank 0 prints the blocks in rank order, so the output does not depend on timing. */
static gemp_code write_stdout(gemp_output *output, const char *bytes, size_t size)
{
	const gemp_comm *comm = output->comm;
	GEMP_OWNED char *buffer = NULL;
	GEMP_OWNED uint64_t *sizes = NULL;
	uint64_t own = size;
	gemp_code code = gemp_new_all(GEMP_ARRAY(sizes, (size_t)comm->size),
	                              GEMP_ARRAY(buffer, comm->rank ? 0 : MAX_MESSAGE));
	GEMP_TRY(gemp_comm_agree(comm, code));
	GEMP_MPI(MPI_Gather(&own, 1, MPI_UINT64_T, sizes, 1, MPI_UINT64_T, 0, comm->world));
	if (comm->rank != 0) {
		send_to_printer(output, bytes, size);
	} else {
		code = print_bytes(bytes, size);
		for (int r = 1; r < comm->size; r++)
			GEMP_ALSO(print_from_rank(output, r, sizes[r], buffer));
		GEMP_THEN(fflush(stdout) == 0 ? GEMP_OK : writing_failed("stdout", "cannot be written"));
	}
	return gemp_comm_agree(comm, code);
}

/* FILES */

/* pwrite may write fewer bytes or be interrupted. The loop continues at the first byte that was not written. */
bool gemp_file_write_at(int descriptor, const void *bytes, size_t size, uint64_t place)
{
	for (const char *from = bytes; size;) {
		ssize_t written = pwrite(descriptor, from, size, (off_t)place);
		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return false;
		from += written;
		size -= (size_t)written;
		place += (uint64_t)written;
	}
	return true;
}

/* The offset of each block is known before writing, so all ranks write at the same time. */
gemp_code gemp_output_write(gemp_output *output, const void *bytes, size_t size)
{
	if (!output->path)
		return write_stdout(output, bytes, size);
	gemp_output_reserve(output, size);
	return gemp_comm_agree(output->comm, gemp_output_fill(output, bytes, size));
}

/* The offset of a block is the sum of the blocks on lower ranks, so every rank states the size of its block first. */
void gemp_output_reserve(gemp_output *output, uint64_t size)
{
	GEMP_CHECK(output->path);
	output->next = output->size + gemp_comm_exscan(output->comm, size);
	output->size += gemp_comm_sum1(output->comm, size);
}

/* Each call of a rank continues where the rank's previous call ended. */
gemp_code gemp_output_fill(gemp_output *output, const void *bytes, size_t size)
{
	uint64_t place = output->next;
	output->next += size;
	return gemp_file_write_at(output->file, bytes, size, place) ? GEMP_OK
	                                                            : writing_failed(output->path, "writing failed");
}

/* Collective. All ranks close the file before rank 0 renames it. */
static gemp_code finish_file(gemp_output *output)
{
	int closed = close(output->file);
	output->file = -1;
	gemp_code code = closed == 0 ? GEMP_OK : writing_failed(output->path, "writing failed");
	code = gemp_output_commit(output->comm, output->temporary.data, output->path, gemp_comm_agree(output->comm, code));
	gemp_text_free(&output->temporary);
	return code;
}

gemp_code gemp_output_close(gemp_output *output)
{
	gemp_code code = output && output->path ? finish_file(output) : GEMP_OK;
	gemp_output_abandon(output);
	return code;
}

/* gemp_output_close calls this function last. finish_file has then freed the temporary name, so nothing is removed. */
void gemp_output_abandon(gemp_output *output)
{
	if (!output)
		return;
	if (output->file >= 0)
		close(output->file);
	if (output->comm->rank == 0 && output->temporary.size)
		gemp_file_discard(output->temporary.data);
	gemp_text_free(&output->temporary);
	gemp_free_all(output->path, output);
}

/* FILES OF ONE PROCESS */

/* gemp_signals learns the temporary name, so a signal removes the file. */
gemp_code gemp_file_writer_open(gemp_file_writer *out, const char *path)
{
	*out = (gemp_file_writer){ .path = path };
	gemp_code code = name_temporary(&out->temporary, path, (uint64_t)getpid());
	if (code == GEMP_OK && !(out->file = fopen(out->temporary.data, "wb")))
		code = gemp_fail(GEMP_EIO, "%s: %s; choose a folder that can be written to", path, strerror(errno));
	if (code == GEMP_OK)
		gemp_signals_add_temp(out->temporary.data);
	else
		gemp_text_free(&out->temporary);
	return code;
}

/* The bytes are synced to disk before the rename, so a crash leaves the old file intact. */
gemp_code gemp_file_writer_close(gemp_file_writer *file, bool whole)
{
	gemp_code code = GEMP_OK;
	whole = whole && !ferror(file->file) && fflush(file->file) == 0 && fsync(fileno(file->file)) == 0;
	const int error = errno; /* fclose may replace errno, which is the reason for an incomplete file */
	if (fclose(file->file) != 0 || !whole)
		code = gemp_fail(GEMP_EIO, "%s: writing failed: %s; choose another place or make room", file->path,
		                 strerror(whole ? errno : error));
	code = commit_file(file->temporary.data, file->path, code);
	gemp_text_free(&file->temporary);
	*file = (gemp_file_writer){ 0 };
	return code;
}

gemp_code gemp_file_replace(const char *path, const void *bytes, size_t size)
{
	gemp_file_writer file;
	gemp_code code = gemp_file_writer_open(&file, path);
	return code == GEMP_OK ? gemp_file_writer_close(&file, fwrite(bytes, 1, size, file.file) == size) : code;
}
