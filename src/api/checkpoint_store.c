/* The order of operations makes the folder safe. When work is saved, a file is synced first; then checkpoint.json is
 * replaced by a rename; then the folder is synced. When the checkpoint is removed, checkpoint.json goes before the
 * files that it names. */

#include "api/checkpoint_store.h"

#include "core/log.h"
#include "core/memory.h"
#include "core/signals.h"
#include "core/text.h"
#include "core/timer.h"
#include "io/file/output.h"
#include "io/file/stream.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* STOPPING */

/* One reduction serves all three values. If ranks have received several signals, the signal with the largest number is
 * reported. */
gemp_stop gemp_stop_poll(const gemp_comm *comm, double began, double max_seconds, double since)
{
	enum { SIGNAL, TIMED_OUT, MICROSECONDS, REASONS };
	uint64_t max[REASONS] = {
		[SIGNAL] = (uint64_t)gemp_signals_pending(),
		[TIMED_OUT] = max_seconds > 0 && gemp_now() - began >= max_seconds,
		[MICROSECONDS] = (uint64_t)(1e6 * (gemp_now() - since)),
	};
	gemp_comm_max(comm, max, REASONS);
	return (gemp_stop){ (int)max[SIGNAL], max[TIMED_OUT], (double)max[MICROSECONDS] / 1e6 };
}

bool gemp_stop_wanted(const gemp_stop *stop)
{
	return stop->signal || stop->timed_out;
}

const char *gemp_stop_name(const gemp_stop *stop)
{
	return stop->signal ? gemp_signals_name(stop->signal) : "max-time";
}

/* The number of bytes that one step copies, and the time that a job waits for the lock of the folder. */
enum { CHUNK = 1 << 20, LOCK_SECONDS = 100 };

static const char state_name[] = "checkpoint.json";

gemp_code gemp_checkpoint_store_path(char **out, const gemp_checkpoint_store *store, const char *name)
{
	gemp_text text = { 0 };
	gemp_text_print(&text, "%s/%s", store->folder, name);
	gemp_code code = gemp_text_status(&text);
	*out = text.data;
	return code;
}

/* THE QUESTION that a checkpoint answers */

/* The function takes over `own` in every case, so the caller never frees it. */
json_t *gemp_checkpoint_store_question(const gemp_shard *graph, json_t *own)
{
	char hash[24];
	snprintf(hash, sizeof hash, "%016" PRIx64, graph->hash);
	json_t *question = json_pack("{s:s, s:s}", "version", GEMP_VERSION, "graph", hash);
	if (!question || !own || json_object_update(question, own) != 0) {
		json_decref(question);
		question = NULL;
	}
	json_decref(own);
	return question;
}

/* Names the first member that differs. All questions of one version have the same members. */
static gemp_code compare_questions(const gemp_checkpoint_store *store, const json_t *before, json_t *now)
{
	const char *name;
	json_t *value;
	json_object_foreach (now, name, value) {
		const char *mine = json_string_value(value), *theirs = json_string_value(json_object_get(before, name));
		if (!theirs || strcmp(mine, theirs) != 0)
			return gemp_fail(GEMP_EUSAGE,
			                 "resume: the checkpoint in %s has another %s, '%s' and not '%s'; ask the same "
			                 "question of the same graph, or name another folder",
			                 store->folder, name, theirs ? theirs : "", mine);
	}
	return GEMP_OK;
}

/* READING */

/* A damaged count must not be read as 0: the whole text must be a number that fits into 64 bits. */
bool gemp_checkpoint_store_count(const json_t *object, const char *name, uint64_t *out)
{
	const char *text = json_string_value(json_object_get(object, name));
	char *end;
	errno = 0;
	*out = text ? strtoull(text, &end, 10) : 0;
	return text && *text && !*end && errno == 0;
}

bool gemp_checkpoint_store_get(const json_t *object, const gemp_checkpoint_member *members, size_t count, void *base)
{
	bool good = true;
	for (size_t i = 0; i < count; i++)
		good &= gemp_checkpoint_store_count(object, members[i].name, (void *)((char *)base + members[i].offset));
	return good;
}

/* Reading and writing use the same table of members, so their names cannot differ. */
void gemp_checkpoint_store_set(json_t *object, const gemp_checkpoint_member *members, size_t count, const void *base)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t value;
		memcpy(&value, (const char *)base + members[i].offset, sizeof value);
		json_object_set_new(object, members[i].name, gemp_checkpoint_store_digits(value));
	}
}

json_t *gemp_checkpoint_store_digits(uint64_t count)
{
	char text[24];
	snprintf(text, sizeof text, "%" PRIu64, count);
	return json_string(text);
}

gemp_code gemp_checkpoint_store_foreign(const gemp_checkpoint_store *store)
{
	return gemp_fail(GEMP_EDATA, "%s/%s: is not a checkpoint of this version; name another folder, or remove this one",
	                 store->folder, state_name);
}

/* Collective. Rank 0 reads the text, and all ranks parse it. */
static gemp_code read_state(gemp_checkpoint_store *store, const char *path)
{
	gemp_code code = GEMP_OK;
	GEMP_OWNED char *text = NULL;
	json_error_t error;
	GEMP_TRY(gemp_file_read(&text, store->comm, "checkpoint", path));
	store->saved = json_loads(text, 0, &error);
	if (!store->saved)
		code = gemp_fail(GEMP_EDATA, "%s:%d: %s; name another folder, or remove this one", path, error.line,
		                 error.text);
	else
		code = compare_questions(store, json_object_get(store->saved, "question"), store->question);
	return gemp_comm_agree(store->comm, code);
}

/* Two jobs in one folder would overwrite each other's files. The lock ends with its process. On a network file system
 * the lock of a dead node may remain for some seconds, so a job waits for the lock. A file system without locks gives
 * no protection. */
static gemp_code lock_folder(gemp_checkpoint_store *store)
{
	GEMP_OWNED char *path = NULL;
	GEMP_TRY(gemp_checkpoint_store_path(&path, store, "lock"));
	store->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	for (int i = 0; store->lock >= 0 && flock(store->lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK; i++) {
		if (i == LOCK_SECONDS)
			return gemp_fail(GEMP_EUSAGE,
			                 "checkpoint %s: another job is at work there; wait for it, or name another folder",
			                 store->folder);
		if (i == 0)
			gemp_warn("checkpoint %s: another job is at work there; waiting for up to %d s", store->folder,
			          LOCK_SECONDS);
		sleep(1);
	}
	return GEMP_OK;
}

/* On rank 0. Makes and locks the folder. *there becomes 1 if the folder has a checkpoint. */
static gemp_code open_folder(gemp_checkpoint_store *store, const char *path, bool resume, uint64_t *there)
{
	if (mkdir(store->folder, 0777) != 0 && errno != EEXIST)
		return gemp_fail(GEMP_EIO, "checkpoint %s: %s", store->folder, strerror(errno));
	if (access(store->folder, W_OK | X_OK) != 0)
		return gemp_fail(GEMP_EIO, "checkpoint %s: cannot be written to: %s", store->folder, strerror(errno));
	GEMP_TRY(lock_folder(store));
	*there = access(path, F_OK) == 0;
	if (*there && !resume)
		return gemp_fail(GEMP_EUSAGE,
		                 "checkpoint %s: there is one of an earlier job; resume goes on from it; or remove the "
		                 "folder",
		                 store->folder);
	return GEMP_OK;
}

/* From here on the lock is held until the store is closed. */
gemp_code gemp_checkpoint_store_open(gemp_checkpoint_store *store, const gemp_comm *comm,
                                     const gemp_checkpoint_settings *settings, json_t *question)
{
	GEMP_OWNED char *path = NULL;
	uint64_t there = 0;
	*store = (gemp_checkpoint_store){ .comm = comm, .folder = settings->folder, .lock = -1, .question = question };
	gemp_code code = question ? gemp_checkpoint_store_path(&path, store, state_name) : GEMP_ENOMEM;
	if (code == GEMP_OK && comm->rank == 0)
		code = open_folder(store, path, settings->resume, &there);
	code = gemp_comm_agree(comm, code);
	if (code == GEMP_OK)
		gemp_comm_max(comm, &there, 1);
	if (there)
		GEMP_THEN(read_state(store, path));
	if (code != GEMP_OK)
		gemp_checkpoint_store_close(store);
	return code;
}

/* A store {0} was never opened and has no lock. Its descriptor 0 must not be closed. */
void gemp_checkpoint_store_close(gemp_checkpoint_store *store)
{
	if (store->comm && store->lock >= 0)
		close(store->lock);
	json_decref(store->question);
	json_decref(store->saved);
	*store = (gemp_checkpoint_store){ 0 };
}

/* WRITING */

/* Some file systems cannot sync folders and return EINVAL. This error is ignored, since there is no other way to
 * sync. */
gemp_code gemp_checkpoint_store_sync(const gemp_checkpoint_store *store, const char *name)
{
	GEMP_OWNED char *path = NULL;
	GEMP_TRY(gemp_checkpoint_store_path(&path, store, name ? name : "."));
	int file = open(path, O_RDONLY | O_CLOEXEC);
	bool good = file >= 0 && (fsync(file) == 0 || errno == EINVAL);
	int error = errno;
	if (file >= 0)
		close(file);
	return good ? GEMP_OK : gemp_fail(GEMP_EIO, "checkpoint: %s: %s", path, strerror(error));
}

/* The folder is synced after the file has got its name, so that the name also survives a crash. */
gemp_code gemp_checkpoint_store_write(const gemp_checkpoint_store *store, json_t *state)
{
	gemp_code code = GEMP_OK;
	GEMP_OWNED char *path = NULL;
	char *text = NULL;
	if (!state || json_object_set(state, "question", store->question) != 0 ||
	    !(text = json_dumps(state, JSON_INDENT(1))))
		code = GEMP_ENOMEM;
	GEMP_THEN(gemp_checkpoint_store_path(&path, store, state_name));
	GEMP_THEN(gemp_file_replace(path, text, strlen(text)));
	GEMP_THEN(gemp_checkpoint_store_sync(store, NULL));
	json_decref(state);
	free(text); /* jansson allocated the text */
	return code;
}

/* JOINING AND REMOVAL */

/* Appends a file of the folder to `out`. `headless` omits the first line of the file. */
static gemp_code append_file(const gemp_checkpoint_store *store, FILE *out, const char *out_path, const char *name,
                             bool headless)
{
	GEMP_OWNED char *path = NULL, *chunk = NULL;
	size_t size;
	int byte = 0;
	GEMP_TRY(gemp_checkpoint_store_path(&path, store, name));
	GEMP_TRY(GEMP_NEW(chunk, CHUNK));
	FILE *in = fopen(path, "rb");
	if (!in)
		return gemp_fail(GEMP_EIO, "checkpoint: %s: %s", path, strerror(errno));
	gemp_code code = GEMP_OK;
	while (headless && (byte = fgetc(in)) != EOF && byte != '\n')
		;
	while (code == GEMP_OK && (size = fread(chunk, 1, CHUNK, in)) > 0)
		if (fwrite(chunk, 1, size, out) != size)
			code = gemp_fail(GEMP_EIO, "%s: %s; choose another place or make room", out_path, strerror(errno));
	if (code == GEMP_OK && ferror(in))
		code = gemp_fail(GEMP_EIO, "checkpoint: %s: %s", path, strerror(errno));
	fclose(in);
	return code;
}

/* On rank 0. Joins the files and puts the result at `path`. */
static gemp_code join_files(const gemp_checkpoint_store *store, const char *path, char *const *names, size_t count,
                            bool headless)
{
	gemp_file_writer file;
	GEMP_TRY(gemp_file_writer_open(&file, path));
	gemp_code code = GEMP_OK;
	for (size_t i = 0; i < count; i++)
		GEMP_THEN(append_file(store, file.file, path, names[i], headless && i > 0));
	GEMP_ALSO(gemp_file_writer_close(&file, code == GEMP_OK));
	return code;
}

gemp_code gemp_checkpoint_store_join(const gemp_checkpoint_store *store, const char *path, char *const *names,
                                     size_t count, bool headless)
{
	const bool joins = store->comm->rank == 0;
	return gemp_comm_agree(store->comm, joins ? join_files(store, path, names, count, headless) : GEMP_OK);
}

/* Temporary files of killed jobs begin with the same prefix or with the name of checkpoint.json, so they are removed,
 * too. */
static void remove_files(const gemp_checkpoint_store *store, const char *prefix)
{
	DIR *folder = opendir(store->folder);
	for (struct dirent *entry; folder && (entry = readdir(folder));)
		if (strncmp(entry->d_name, prefix, strlen(prefix)) == 0 ||
		    strncmp(entry->d_name, state_name, strlen(state_name)) == 0 || strcmp(entry->d_name, "lock") == 0)
			unlinkat(dirfd(folder), entry->d_name, 0);
	if (folder)
		closedir(folder);
	rmdir(store->folder);
}

/* checkpoint.json is removed first. After a crash at this point no job reads the remaining files. */
gemp_code gemp_checkpoint_store_remove(const gemp_checkpoint_store *store, const char *prefix)
{
	GEMP_OWNED char *path = NULL;
	gemp_code code = store->comm->rank == 0 ? gemp_checkpoint_store_path(&path, store, state_name) : GEMP_OK;
	if (path) {
		unlink(path);
		remove_files(store, prefix);
	}
	return gemp_comm_agree(store->comm, code);
}
