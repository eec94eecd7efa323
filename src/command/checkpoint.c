#include "command/checkpoint.h"

#include "command/files.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FORM = 1, MOST_PARTS = 4096, PIECE = 1 << 20, LOCK_SECONDS = 100 };

/* NAMES */
static gemp_code path_in(char **out, const gemp_checkpoint *c, const char *name)
{
	gemp_text text = { 0 };
	gemp_text_print(&text, "%s/%s", c->folder, name);
	gemp_code code = gemp_text_status(&text);
	*out = text.data;
	return code;
}

gemp_code gemp_checkpoint_shard_path(char **out, const gemp_checkpoint *c, uint32_t first)
{
	char name[64];
	snprintf(name, sizeof name, "rows-%04" PRIu32 "%s", first, c->ending);
	return path_in(out, c, name);
}

/* THE QUESTION */
static const char *const asked[] = { "semantics", "distinct", "symmetry", "count-by", "pivot", "attributes", "order",
	"param", "lenient", "query-labels", "count" };

/* An option as it was given, or its default; values of a list one after the other. */
static void put_option(gemp_text *out, const gemp_options *options, const char *name)
{
	const gemp_option *option = gemp_option_find(name, options->command);
	size_t count = 0;
	for (size_t i = 0; i < options->given_count; i++)
		if (options->given[i].option == option) {
			if (option->kind != GEMP_OPTION_LIST)
				gemp_text_clear(out);
			gemp_text_print(out, "%s%s", count++ && option->kind == GEMP_OPTION_LIST ? "; " : "", options->given[i].text);
		}
	if (!count)
		gemp_text_print(out, "%s", option->standard ? option->standard : "");
}

static gemp_code make_question(json_t **out, const gemp_options *options, const gemp_graph *graph, const char *query,
                               const char *ending)
{
	gemp_code code = GEMP_OK;
	gemp_text text = { 0 };
	char hash[24];
	snprintf(hash, sizeof hash, "%016" PRIx64, graph->hash);
	*out = json_pack("{s:s, s:s, s:s, s:s}", "version", GEMP_VERSION, "graph", hash, "query", query, "rows",
	                 ending ? ending : "none");
	for (size_t i = 0; *out && i < sizeof asked / sizeof *asked && code == GEMP_OK; i++) {
		gemp_text_clear(&text);
		gemp_text_add(&text, "", 0);
		put_option(&text, options, asked[i]);
		code = gemp_text_status(&text);
		if (code == GEMP_OK && json_object_set_new(*out, asked[i], json_string(text.data)) != 0)
			code = GEMP_ENOMEM;
	}
	gemp_text_free(&text);
	return *out ? code : GEMP_ENOMEM;
}

/* Both have the same members, in the same order, if they are of one version. */
static gemp_code compare_questions(const gemp_checkpoint *c, const json_t *before, json_t *now)
{
	const char *name;
	json_t *value;
	json_object_foreach(now, name, value) {
		const char *mine = json_string_value(value), *theirs = json_string_value(json_object_get(before, name));
		if (!theirs || strcmp(mine, theirs) != 0)
			return gemp_fail(GEMP_EUSAGE, "--resume: the checkpoint in %s has another %s, '%s' and not '%s'; ask the same "
			                 "question of the same graph, or name another folder", c->folder, name,
			                 theirs ? theirs : "", mine);
	}
	return GEMP_OK;
}

/* READING */
static bool read_count(const json_t *object, const char *name, uint64_t *out)
{
	const char *text = json_string_value(json_object_get(object, name));
	char *end;
	errno = 0;
	*out = text ? strtoull(text, &end, 10) : 0;
	return text && *text && !*end && errno == 0;
}

static gemp_code add_shard(gemp_checkpoint *c, uint32_t first, uint64_t rows)
{
	if (c->shard_count == c->shard_capacity) {
		size_t capacity = 2 * c->shard_capacity + 16;
		gemp_shard *more = gemp_realloc(c->shards, capacity, sizeof *more);
		if (!more)
			return GEMP_ENOMEM;
		c->shards = more;
		c->shard_capacity = capacity;
	}
	c->shards[c->shard_count++] = (gemp_shard){ first, rows };
	return GEMP_OK;
}

static gemp_code read_shards(gemp_checkpoint *c, const json_t *list, bool *good)
{
	gemp_code code = GEMP_OK;
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *one = json_array_get(list, i);
		uint64_t first = 0, rows = 0;
		*good &= read_count(one, "first", &first) && read_count(one, "rows", &rows) && first < c->finished;
		GEMP_TRY(add_shard(c, (uint32_t)first, rows));
	}
done:
	return code;
}

static bool read_order(gemp_checkpoint *c, const json_t *list)
{
	size_t count = json_array_size(list);
	if (count > GEMP_MAX_PATTERN_VERTICES)
		return false;
	c->order_count = (int)count;
	for (size_t i = 0; i < count; i++)
		c->order[i] = (int)json_integer_value(json_array_get(list, i));
	return true;
}

static gemp_code read_state(gemp_checkpoint *c, const json_t *state)
{
	uint64_t finished = 0, parts = 0, form = 0;
	const json_t *embeddings = json_object_get(state, "embeddings");
	const char *plan = json_string_value(json_object_get(state, "plan"));
	c->embeddings_known = !json_is_null(embeddings);
	bool good = read_count(state, "form", &form) && form == FORM && read_count(state, "parts", &parts) &&
	            parts == c->parts && read_count(state, "finished", &finished) && finished <= parts &&
	            read_count(state, "matches", &c->matches) && read_count(state, "pivots", &c->pivots) &&
	            read_count(state, "rows", &c->rows) && read_count(state, "runs", &c->runs) && plan &&
	            (!c->embeddings_known || read_count(state, "embeddings", &c->embeddings)) &&
	            read_order(c, json_object_get(state, "order"));
	c->finished = (uint32_t)finished;
	c->plan = plan ? strtoull(plan, NULL, 16) : 0;
	c->seconds = json_number_value(json_object_get(state, "seconds"));
	gemp_code code = read_shards(c, json_object_get(state, "shards"), &good);
	if (code == GEMP_OK && !good)
		code = gemp_fail(GEMP_EDATA, "%s/checkpoint.json: is not a checkpoint of this version; name another folder, or "
		                 "remove this one", c->folder);
	return code;
}

/* Collective: all ranks read what rank 0 has read. */
static gemp_code read_checkpoint(gemp_checkpoint *c, const char *path, json_t *question)
{
	gemp_code code = GEMP_OK;
	char *text = NULL;
	json_t *state = NULL;
	json_error_t error;
	GEMP_TRY(gemp_file_read(&text, c->comm, "--checkpoint", path));
	state = json_loads(text, 0, &error);
	if (!state)
		code = gemp_fail(GEMP_EDATA, "%s:%d: %s; name another folder, or remove this one", path, error.line, error.text);
	else
		code = compare_questions(c, json_object_get(state, "question"), question);
	if (code == GEMP_OK)
		code = read_state(c, state);
done:
	json_decref(state);
	gemp_free(text);
	return gemp_comm_agree(c->comm, code);
}

/* Two jobs in one folder would spoil each other's files. The lock goes with the process; that of a node that died may
 * live a little longer on a network's disk. Where a disk knows no locks there is none. */
static gemp_code lock(gemp_checkpoint *c)
{
	char *path = NULL;
	gemp_code code = path_in(&path, c, "lock");
	if (code != GEMP_OK)
		return code;
	c->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	gemp_free(path);
	for (int i = 0; c->lock >= 0 && flock(c->lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK; i++) {
		if (i == LOCK_SECONDS)
			return gemp_fail(GEMP_EUSAGE, "--checkpoint %s: another job is at work there; wait for it, or name another folder",
			                 c->folder);
		if (i == 0)
			gemp_warn("--checkpoint %s: another job is at work there; waiting for up to %d s", c->folder, LOCK_SECONDS);
		sleep(1);
	}
	return GEMP_OK;
}

/* Rank 0's part of opening: is there one? */
static gemp_code look(gemp_checkpoint *c, const char *path, bool resume, uint64_t *there)
{
	if (mkdir(c->folder, 0777) != 0 && errno != EEXIST)
		return gemp_fail(GEMP_EIO, "--checkpoint %s: %s", c->folder, strerror(errno));
	if (access(c->folder, W_OK | X_OK) != 0)
		return gemp_fail(GEMP_EIO, "--checkpoint %s: cannot be written to: %s", c->folder, strerror(errno));
	gemp_code code = lock(c);
	if (code != GEMP_OK)
		return code;
	*there = access(path, F_OK) == 0;
	if (*there && !resume)
		return gemp_fail(GEMP_EUSAGE, "--checkpoint %s: there is one of an earlier job; --resume goes on from it; or "
		                 "remove the folder", c->folder);
	return GEMP_OK;
}

static const char *ending_of(const char *path)
{
	const char *dot = path ? strrchr(path, '.') : NULL;
	return dot ? dot : path;
}

gemp_code gemp_checkpoint_open(gemp_checkpoint **out, const gemp_comm *comm, const gemp_options *options,
                               const gemp_graph *graph, const char *query, const char *rows_path)
{
	gemp_code code = GEMP_OK;
	gemp_checkpoint *c = NULL;
	char *path = NULL, *text = NULL;
	json_t *question = NULL;
	uint64_t there = 0;
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(c, 1)));
	*c = (gemp_checkpoint){ .comm = comm, .folder = options->checkpoint, .ending = ending_of(rows_path),
		.embeddings_known = true, .lock = -1,
		.parts = graph->vertices < MOST_PARTS ? (uint32_t)graph->vertices : MOST_PARTS };
	code = make_question(&question, options, graph, query, c->ending);
	if (code == GEMP_OK)
		code = path_in(&path, c, "checkpoint.json");
	if (code == GEMP_OK && !(text = json_dumps(question, 0)))
		code = GEMP_ENOMEM;
	if (code == GEMP_OK && !(c->question = gemp_strdup(text)))
		code = GEMP_ENOMEM;
	if (code == GEMP_OK && comm->rank == 0)
		code = look(c, path, options->resume, &there);
	GEMP_TRY(gemp_comm_agree(comm, code));
	gemp_comm_max(comm, &there, 1);
	if (there)
		GEMP_TRY(read_checkpoint(c, path, question));
	c->shards_saved = c->shard_count;
	c->runs++;
	*out = c;
	c = NULL;
done:
	free(text);
	json_decref(question);
	gemp_free(path);
	gemp_checkpoint_free(c);
	return code;
}

void gemp_checkpoint_free(gemp_checkpoint *c)
{
	if (!c)
		return;
	if (c->lock >= 0)
		close(c->lock);
	gemp_free(c->question);
	gemp_free(c->shards);
	gemp_free(c);
}

/* WRITING */
gemp_code gemp_checkpoint_add(gemp_checkpoint *c, uint32_t count, const gemp_match_result *result, uint64_t rows)
{
	if (__builtin_add_overflow(c->matches, result->matches, &c->matches))
		return gemp_fail(GEMP_EDATA, "more than 2^64 - 1 matches");
	c->embeddings_known = c->embeddings_known && result->embeddings_known &&
	                      !__builtin_add_overflow(c->embeddings, result->embeddings, &c->embeddings);
	c->pivots += result->pivots;
	c->rows += rows;
	gemp_code code = c->ending ? add_shard(c, c->finished, rows) : GEMP_OK;
	c->finished += count;
	return code;
}

static json_t *digits(uint64_t count)
{
	char text[24];
	snprintf(text, sizeof text, "%" PRIu64, count);
	return json_string(text);
}

static json_t *make_state(const gemp_checkpoint *c, double seconds)
{
	char plan[24];
	json_t *order = json_array(), *shards = json_array();
	for (int i = 0; i < c->order_count; i++)
		json_array_append_new(order, json_integer(c->order[i]));
	for (size_t i = 0; i < c->shard_count; i++)
		json_array_append_new(shards, json_pack("{s:o, s:o}", "first", digits(c->shards[i].first), "rows",
		                                        digits(c->shards[i].rows)));
	snprintf(plan, sizeof plan, "%016" PRIx64, c->plan);
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:f, s:s, s:o, s:o}", "form", digits(FORM), "parts",
	                 digits(c->parts), "finished", digits(c->finished), "matches", digits(c->matches),
	                 "embeddings", c->embeddings_known ? digits(c->embeddings) : json_null(), "rows", digits(c->rows),
	                 "pivots", digits(c->pivots), "runs", digits(c->runs), "seconds", c->seconds + seconds, "plan", plan,
	                 "order", order, "shards", shards);
}

/* Makes sure that a file, or the names in a folder, outlive the machine. */
static gemp_code to_disk(const char *path)
{
	int file = open(path, O_RDONLY | O_CLOEXEC);
	bool good = file >= 0 && (fsync(file) == 0 || errno == EINVAL);
	int error = errno;
	if (file >= 0)
		close(file);
	return good ? GEMP_OK : gemp_fail(GEMP_EIO, "--checkpoint: %s: %s", path, strerror(error));
}

/* Rank 0's part of saving. */
static gemp_code write_state(const gemp_checkpoint *c, double seconds)
{
	gemp_code code = GEMP_OK;
	json_t *state = make_state(c, seconds);
	char *path = NULL, *text = NULL;
	if (!state || json_object_set_new(state, "question", json_loads(c->question, 0, NULL)) != 0 ||
	    !(text = json_dumps(state, JSON_INDENT(1))))
		code = GEMP_ENOMEM;
	if (code == GEMP_OK)
		code = path_in(&path, c, "checkpoint.json");
	if (code == GEMP_OK)
		code = gemp_file_replace(path, text, strlen(text));
	if (code == GEMP_OK)
		code = to_disk(c->folder);
	json_decref(state);
	free(text);
	gemp_free(path);
	return code;
}

static gemp_code flush_shards(const gemp_checkpoint *c)
{
	gemp_code code = GEMP_OK;
	for (size_t i = c->shards_saved; i < c->shard_count && code == GEMP_OK; i++) {
		char *path = NULL;
		code = gemp_checkpoint_shard_path(&path, c, c->shards[i].first);
		if (code == GEMP_OK)
			code = to_disk(path);
		gemp_free(path);
	}
	return code;
}

gemp_code gemp_checkpoint_save(gemp_checkpoint *c, double seconds)
{
	gemp_code code = GEMP_OK;
	if (c->comm->rank == 0) {
		code = flush_shards(c);
		if (code == GEMP_OK)
			code = write_state(c, seconds);
	}
	c->shards_saved = c->shard_count;
	return gemp_comm_agree(c->comm, code);
}

/* THE END */
static gemp_code copy(FILE *out, const char *out_path, const char *path, bool head)
{
	gemp_code code = GEMP_OK;
	char *piece = gemp_calloc(PIECE, 1);
	FILE *in = fopen(path, "rb");
	size_t got;
	int byte = 0;
	if (!piece || !in)
		code = piece ? gemp_fail(GEMP_EIO, "--checkpoint: %s: %s", path, strerror(errno)) : GEMP_ENOMEM;
	while (code == GEMP_OK && !head && (byte = fgetc(in)) != EOF && byte != '\n')
		;
	while (code == GEMP_OK && (got = fread(piece, 1, PIECE, in)) > 0)
		if (fwrite(piece, 1, got, out) != got)
			code = gemp_fail(GEMP_EIO, "%s: %s; choose another place or make room", out_path, strerror(errno));
	if (code == GEMP_OK && ferror(in))
		code = gemp_fail(GEMP_EIO, "--checkpoint: %s: %s", path, strerror(errno));
	if (in)
		fclose(in);
	gemp_free(piece);
	return code;
}

/* The first file's line of names stands for those of the others; JSON lines have none. */
static gemp_code join_to(const gemp_checkpoint *c, FILE *out, const char *path)
{
	gemp_code code = GEMP_OK;
	bool named = strcmp(c->ending, ".jsonl") != 0;
	for (size_t i = 0; i < c->shard_count && code == GEMP_OK; i++) {
		char *shard = NULL;
		code = gemp_checkpoint_shard_path(&shard, c, c->shards[i].first);
		if (code == GEMP_OK)
			code = copy(out, path, shard, !named || i == 0);
		gemp_free(shard);
	}
	return code;
}

static gemp_code join(const gemp_checkpoint *c, const char *path)
{
	gemp_code code = GEMP_OK;
	gemp_text name = { 0 };
	gemp_text_print(&name, "%s.tmp-%ld", path, (long)getpid());
	GEMP_TRY(gemp_text_status(&name));
	FILE *out = fopen(name.data, "wb");
	if (!out)
		code = gemp_fail(GEMP_EIO, "%s: %s", path, strerror(errno));
	if (out) {
		code = join_to(c, out, path);
		bool whole = fflush(out) == 0 && fsync(fileno(out)) == 0;
		whole = fclose(out) == 0 && whole;
		if (code == GEMP_OK && (!whole || rename(name.data, path) != 0))
			code = gemp_fail(GEMP_EIO, "%s: %s; choose another place or make room", path, strerror(errno));
		if (code != GEMP_OK)
			unlink(name.data);
	}
done:
	gemp_text_free(&name);
	return code;
}

gemp_code gemp_checkpoint_join(const gemp_checkpoint *c, const char *path)
{
	return gemp_comm_agree(c->comm, c->comm->rank == 0 ? join(c, path) : GEMP_OK);
}

/* Files of rows, also those that a killed job left half-written. */
static void remove_rows(const gemp_checkpoint *c)
{
	DIR *folder = opendir(c->folder);
	for (struct dirent *entry; folder && (entry = readdir(folder));)
		if (strncmp(entry->d_name, "rows-", 5) == 0 || strncmp(entry->d_name, "checkpoint.json", 15) == 0 ||
		    strcmp(entry->d_name, "lock") == 0)
			unlinkat(dirfd(folder), entry->d_name, 0);
	if (folder)
		closedir(folder);
}

/* The json first: files of rows without one are nobody's. The folder stays if others have put something there. */
static gemp_code remove_all(const gemp_checkpoint *c)
{
	char *path = NULL;
	gemp_code code = path_in(&path, c, "checkpoint.json");
	if (code == GEMP_OK) {
		unlink(path);
		remove_rows(c);
		rmdir(c->folder);
	}
	gemp_free(path);
	return code;
}

gemp_code gemp_checkpoint_remove(const gemp_checkpoint *c)
{
	return gemp_comm_agree(c->comm, c->comm->rank == 0 ? remove_all(c) : GEMP_OK);
}
