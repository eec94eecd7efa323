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

/* One allreduce for all three values: the largest signal number stands for all signals. */
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

/* Bytes that are copied at a time, and how long a job waits for another one to leave the folder. */
enum { PIECE = 1 << 20, LOCK_SECONDS = 100 };

static const char state_name[] = "checkpoint.json";

gemp_code gemp_checkpoint_store_path(char **out, const gemp_checkpoint_store *k, const char *name)
{
	gemp_text text = { 0 };
	gemp_text_print(&text, "%s/%s", k->folder, name);
	gemp_code code = gemp_text_status(&text);
	*out = text.data;
	return code;
}

/* THE QUESTION */

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

/* Questions of one version have the same members. */
static gemp_code compare_questions(const gemp_checkpoint_store *k, const json_t *before, json_t *now)
{
	const char *name;
	json_t *value;
	json_object_foreach (now, name, value) {
		const char *mine = json_string_value(value), *theirs = json_string_value(json_object_get(before, name));
		if (!theirs || strcmp(mine, theirs) != 0)
			return gemp_fail(GEMP_EUSAGE,
			                 "resume: the checkpoint in %s has another %s, '%s' and not '%s'; ask the same "
			                 "question of the same graph, or name another folder",
			                 k->folder, name, theirs ? theirs : "", mine);
	}
	return GEMP_OK;
}

/* READING */

bool gemp_checkpoint_store_count(const json_t *object, const char *name, uint64_t *out)
{
	const char *text = json_string_value(json_object_get(object, name));
	char *end;
	errno = 0;
	*out = text ? strtoull(text, &end, 10) : 0;
	return text && *text && !*end && errno == 0;
}

json_t *gemp_checkpoint_store_digits(uint64_t count)
{
	char text[24];
	snprintf(text, sizeof text, "%" PRIu64, count);
	return json_string(text);
}

gemp_code gemp_checkpoint_store_foreign(const gemp_checkpoint_store *k)
{
	return gemp_fail(GEMP_EDATA, "%s/%s: is not a checkpoint of this version; name another folder, or remove this one",
	                 k->folder, state_name);
}

/* Collective. All ranks parse the text that rank 0 has read. */
static gemp_code read_state(gemp_checkpoint_store *k, const char *path)
{
	gemp_code code = GEMP_OK;
	GEMP_OWNED char *text = NULL;
	json_error_t error;
	GEMP_TRY(gemp_file_read(&text, k->comm, "checkpoint", path));
	k->saved = json_loads(text, 0, &error);
	if (!k->saved)
		code = gemp_fail(GEMP_EDATA, "%s:%d: %s; name another folder, or remove this one", path, error.line,
		                 error.text);
	else
		code = compare_questions(k, json_object_get(k->saved, "question"), k->question);
	return gemp_comm_agree(k->comm, code);
}

/* Two jobs in one folder would overwrite each other's files. The lock ends with the process; on a network file system the lock of
 * a node that died may live a little longer, hence the wait. A file system without locks gives none. */
static gemp_code lock(gemp_checkpoint_store *k)
{
	GEMP_OWNED char *path = NULL;
	GEMP_TRY(gemp_checkpoint_store_path(&path, k, "lock"));
	k->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	for (int i = 0; k->lock >= 0 && flock(k->lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK; i++) {
		if (i == LOCK_SECONDS)
			return gemp_fail(GEMP_EUSAGE,
			                 "checkpoint %s: another job is at work there; wait for it, or name another folder",
			                 k->folder);
		if (i == 0)
			gemp_warn("checkpoint %s: another job is at work there; waiting for up to %d s", k->folder, LOCK_SECONDS);
		sleep(1);
	}
	return GEMP_OK;
}

/* On rank 0. *there: the folder has a checkpoint. */
static gemp_code look_up(gemp_checkpoint_store *k, const char *path, bool resume, uint64_t *there)
{
	if (mkdir(k->folder, 0777) != 0 && errno != EEXIST)
		return gemp_fail(GEMP_EIO, "checkpoint %s: %s", k->folder, strerror(errno));
	if (access(k->folder, W_OK | X_OK) != 0)
		return gemp_fail(GEMP_EIO, "checkpoint %s: cannot be written to: %s", k->folder, strerror(errno));
	GEMP_TRY(lock(k));
	*there = access(path, F_OK) == 0;
	if (*there && !resume)
		return gemp_fail(GEMP_EUSAGE,
		                 "checkpoint %s: there is one of an earlier job; resume goes on from it; or remove the "
		                 "folder",
		                 k->folder);
	return GEMP_OK;
}

gemp_code gemp_checkpoint_store_open(gemp_checkpoint_store *k, const gemp_comm *comm,
                                     const gemp_checkpoint_settings *settings, json_t *question)
{
	GEMP_OWNED char *path = NULL;
	uint64_t there = 0;
	*k = (gemp_checkpoint_store){ .comm = comm, .folder = settings->folder, .lock = -1, .question = question };
	gemp_code code = question ? gemp_checkpoint_store_path(&path, k, state_name) : GEMP_ENOMEM;
	if (code == GEMP_OK && comm->rank == 0)
		code = look_up(k, path, settings->resume, &there);
	code = gemp_comm_agree(comm, code);
	if (code == GEMP_OK)
		gemp_comm_max(comm, &there, 1);
	if (there)
		GEMP_THEN(read_state(k, path));
	if (code != GEMP_OK)
		gemp_checkpoint_store_close(k);
	return code;
}

void gemp_checkpoint_store_close(gemp_checkpoint_store *k)
{
	if (k->comm && k->lock >= 0)
		close(k->lock);
	json_decref(k->question);
	json_decref(k->saved);
	*k = (gemp_checkpoint_store){ 0 };
}

/* WRITING */

/* A folder on a file system that cannot sync folders gives EINVAL; nothing better can be done there. */
gemp_code gemp_checkpoint_store_sync(const char *path)
{
	int file = open(path, O_RDONLY | O_CLOEXEC);
	bool good = file >= 0 && (fsync(file) == 0 || errno == EINVAL);
	int error = errno;
	if (file >= 0)
		close(file);
	return good ? GEMP_OK : gemp_fail(GEMP_EIO, "checkpoint: %s: %s", path, strerror(error));
}

gemp_code gemp_checkpoint_store_write(const gemp_checkpoint_store *k, json_t *state)
{
	gemp_code code = GEMP_OK;
	GEMP_OWNED char *path = NULL;
	char *text = NULL;
	if (!state || json_object_set(state, "question", k->question) != 0 || !(text = json_dumps(state, JSON_INDENT(1))))
		code = GEMP_ENOMEM;
	GEMP_THEN(gemp_checkpoint_store_path(&path, k, state_name));
	GEMP_THEN(gemp_file_replace(path, text, strlen(text)));
	GEMP_THEN(gemp_checkpoint_store_sync(k->folder)); /* the new name of the file */
	json_decref(state);
	free(text); /* jansson's */
	return code;
}

gemp_code gemp_checkpoint_store_copy(FILE *out, const char *out_path, const char *path, bool headless)
{
	gemp_code code = GEMP_OK;
	char *piece = gemp_calloc(PIECE, 1);
	FILE *in = fopen(path, "rb");
	size_t got;
	int byte = 0;
	if (!piece || !in)
		code = piece ? gemp_fail(GEMP_EIO, "checkpoint: %s: %s", path, strerror(errno)) : GEMP_ENOMEM;
	while (code == GEMP_OK && headless && (byte = fgetc(in)) != EOF && byte != '\n')
		;
	while (code == GEMP_OK && (got = fread(piece, 1, PIECE, in)) > 0)
		if (fwrite(piece, 1, got, out) != got)
			code = gemp_fail(GEMP_EIO, "%s: %s; choose another place or make room", out_path, strerror(errno));
	if (code == GEMP_OK && ferror(in))
		code = gemp_fail(GEMP_EIO, "checkpoint: %s: %s", path, strerror(errno));
	if (in)
		fclose(in);
	gemp_free(piece);
	return code;
}

/* THE END */

/* Temporary files of jobs that were killed begin with the same prefix or with the name of the state. */
static void remove_files(const gemp_checkpoint_store *k, const char *prefix)
{
	DIR *folder = opendir(k->folder);
	for (struct dirent *entry; folder && (entry = readdir(folder));)
		if (strncmp(entry->d_name, prefix, strlen(prefix)) == 0 ||
		    strncmp(entry->d_name, state_name, strlen(state_name)) == 0 || strcmp(entry->d_name, "lock") == 0)
			unlinkat(dirfd(folder), entry->d_name, 0);
	if (folder)
		closedir(folder);
}

gemp_code gemp_checkpoint_store_remove(const gemp_checkpoint_store *k, const char *prefix)
{
	GEMP_OWNED char *path = NULL;
	GEMP_TRY(gemp_checkpoint_store_path(&path, k, state_name));
	unlink(path);
	remove_files(k, prefix);
	rmdir(k->folder);
	return GEMP_OK;
}
