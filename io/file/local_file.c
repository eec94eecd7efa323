/* What one process does with files that are small or its own. Other ranks take part only in
 * gemp_file_read, which broadcasts. */

#include "io/file/local_file.h"

#include "core/memory.h"
#include "core/signals.h"
#include "core/text.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Zero bytes are refused, since the text is used as a string of C. */
static gemp_code read_here(gemp_text *text, const char *what, const char *path)
{
	char piece[1 << 14];
	size_t got;
	FILE *file = fopen(path, "rb");
	if (!file)
		return gemp_fail(GEMP_ENOINPUT, "%s %s: %s", what, path, strerror(errno));
	gemp_text_add(text, "", 0);
	while ((got = fread(piece, 1, sizeof piece, file)) > 0)
		gemp_text_add(text, piece, got);
	gemp_code code = gemp_text_status(text);
	if (ferror(file))
		code = gemp_fail(GEMP_ENOINPUT, "%s %s: %s", what, path, strerror(errno));
	fclose(file);
	if (code == GEMP_OK && memchr(text->data, '\0', text->size))
		code = gemp_fail(GEMP_EDATA, "%s %s: not a text file (it has a zero byte)", what, path);
	return code;
}

/* Rank 0 reads and broadcasts: other ranks need not see the file. */
gemp_code gemp_file_read(char **out, const gemp_comm *comm, const char *what, const char *path)
{
	gemp_text text = { 0 };
	gemp_code code = comm->rank == 0 ? read_here(&text, what, path) : GEMP_OK;
	GEMP_OWNED void *bytes = text.data;
	size_t size = text.size + 1; /* with the 0 at its end */
	GEMP_PROPAGATE(gemp_comm_agree(comm, code));
	GEMP_PROPAGATE(gemp_comm_broadcast(comm, &bytes, &size));
	*out = bytes;
	bytes = NULL;
	return GEMP_OK;
}

bool gemp_file_ends_in(const char *path, const char *ending)
{
	size_t size = strlen(path), end = strlen(ending);
	return size >= end && strcmp(path + size - end, ending) == 0;
}

/* The number stands in front of the ending, which says the form. */
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

/* The folder is looked at as well: the file comes into being by a rename. */
gemp_code gemp_file_may_write(const char *what, const char *path)
{
	struct stat status;
	const char *slash = strrchr(path, '/');
	size_t size = slash ? (size_t)(slash - path) + 1 : 0;
	char *folder = size ? gemp_strndup(path, size) : gemp_strdup(".");
	bool exists = stat(path, &status) == 0;
	gemp_code code = GEMP_OK;
	if (!folder)
		return GEMP_ENOMEM;
	if (access(folder, W_OK | X_OK) != 0)
		code = gemp_fail(GEMP_EIO, "%s %s: cannot write to folder %s: %s", what, path, folder, strerror(errno));
	else if (exists && S_ISDIR(status.st_mode))
		code = gemp_fail(GEMP_EIO, "%s %s: is a folder; name a file in it", what, path);
	else if (exists && !S_ISREG(status.st_mode)) /* the new file would take its place */
		code = gemp_fail(GEMP_EIO, "%s %s: is a device or a pipe, not a regular file; choose another place", what,
		                 path);
	gemp_free(folder);
	return code;
}

/* TEMPORARY NAMES */

gemp_code gemp_file_temporary(gemp_text *name, const char *path, uint64_t process)
{
	gemp_text_print(name, "%s.tmp-%" PRIu64, path, process);
	return gemp_text_status(name);
}

/* MPI-IO's shared file pointer leaves files of longer names beside it. */
void gemp_file_discard(const char *temporary)
{
	const char *slash = strrchr(temporary, '/');
	const char *name = slash ? slash + 1 : temporary;
	gemp_text folder = { 0 };
	gemp_text_print(&folder, "%.*s", slash ? (int)(name - temporary) : 1, slash ? temporary : ".");
	unlink(temporary);
	DIR *listing = gemp_text_status(&folder) == GEMP_OK ? opendir(folder.data) : NULL;
	for (const struct dirent *entry; listing && (entry = readdir(listing));)
		if (strncmp(entry->d_name, name, strlen(name)) == 0 &&
		    !isdigit((unsigned char)entry->d_name[strlen(name)])) /* else another process's file */
			unlinkat(dirfd(listing), entry->d_name, 0);
	if (listing)
		closedir(listing);
	gemp_text_free(&folder);
	gemp_signals_drop_temp(temporary);
}

/* rename replaces an older file in one step, so that readers see the old file or the new one. */
gemp_code gemp_file_commit(const char *temporary, const char *path, gemp_code code)
{
	if (code == GEMP_OK && rename(temporary, path) != 0)
		code = gemp_fail(GEMP_EIO, "%s: cannot be written: %s; choose another place or make room", path,
		                 strerror(errno));
	if (code == GEMP_OK)
		gemp_signals_drop_temp(temporary);
	else
		gemp_file_discard(temporary);
	return code;
}

/* The temporary name lies in the same folder, as a rename works only within one file system. */
gemp_code gemp_file_writer_open(gemp_file_writer *out, const char *path)
{
	*out = (gemp_file_writer){ .path = path };
	gemp_code code = gemp_file_temporary(&out->temporary, path, (uint64_t)getpid());
	if (code == GEMP_OK && !(out->file = fopen(out->temporary.data, "wb")))
		code = gemp_fail(GEMP_EIO, "%s: %s; choose a folder that can be written to", path, strerror(errno));
	if (code == GEMP_OK)
		gemp_signals_add_temp(out->temporary.data);
	else
		gemp_text_free(&out->temporary);
	return code;
}

/* The bytes are on disk before the name is: a crash leaves the old file. */
gemp_code gemp_file_writer_close(gemp_file_writer *file, bool whole)
{
	gemp_code code = GEMP_OK;
	whole = whole && !ferror(file->file) && fflush(file->file) == 0 && fsync(fileno(file->file)) == 0;
	const int error = errno; /* what fclose says of a file that is not whole is another matter */
	if (fclose(file->file) != 0 || !whole)
		code = gemp_fail(GEMP_EIO, "%s: writing failed: %s; choose another place or make room", file->path,
		                 strerror(whole ? errno : error));
	code = gemp_file_commit(file->temporary.data, file->path, code);
	gemp_text_free(&file->temporary);
	*file = (gemp_file_writer){ 0 };
	return code;
}

/* For files whose bytes are all in memory. */
gemp_code gemp_file_replace(const char *path, const void *bytes, size_t size)
{
	gemp_file_writer file;
	gemp_code code = gemp_file_writer_open(&file, path);
	return code == GEMP_OK ? gemp_file_writer_close(&file, fwrite(bytes, 1, size, file.file) == size) : code;
}
