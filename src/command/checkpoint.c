#include "command/checkpoint.h"

#include "command/files.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/text.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FORM = 1, MOST_PARTS = 4096 };

gemp_code gemp_checkpoint_shard_path(char **out, const gemp_checkpoint *c, uint32_t first)
{
	char name[64];
	snprintf(name, sizeof name, "rows-%04" PRIu32 "%s", first, c->ending);
	return gemp_keeping_path(out, &c->keeping, name);
}

/* THE QUESTION */
static const char *const asked[] = { "semantics", "distinct", "symmetry", "count-by", "pivot", "attributes", "order",
	"param", "lenient", "query-labels", "count" };

static gemp_code make_question(json_t **out, const gemp_options *options, const gemp_graph *graph, const char *query,
                               const char *ending)
{
	return gemp_keeping_question(out, options, graph, json_pack("{s:s, s:s}", "query", query, "rows",
	                             ending ? ending : "none"), asked, sizeof asked / sizeof *asked);
}

/* READING */
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
		*good &= gemp_keeping_count(one, "first", &first) && gemp_keeping_count(one, "rows", &rows) && first < c->finished;
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
	bool good = gemp_keeping_count(state, "form", &form) && form == FORM && gemp_keeping_count(state, "parts", &parts) &&
	            parts == c->parts && gemp_keeping_count(state, "finished", &finished) && finished <= parts &&
	            gemp_keeping_count(state, "matches", &c->matches) && gemp_keeping_count(state, "pivots", &c->pivots) &&
	            gemp_keeping_count(state, "rows", &c->rows) && gemp_keeping_count(state, "runs", &c->runs) && plan &&
	            (!c->embeddings_known || gemp_keeping_count(state, "embeddings", &c->embeddings)) &&
	            read_order(c, json_object_get(state, "order"));
	c->finished = (uint32_t)finished;
	c->plan = plan ? strtoull(plan, NULL, 16) : 0;
	c->seconds = json_number_value(json_object_get(state, "seconds"));
	gemp_code code = read_shards(c, json_object_get(state, "shards"), &good);
	if (code == GEMP_OK && !good)
		code = gemp_keeping_foreign(&c->keeping);
	return code;
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
	json_t *question = NULL;
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(c, 1)));
	*c = (gemp_checkpoint){ .comm = comm, .ending = ending_of(rows_path), .embeddings_known = true,
		.parts = graph->vertices < MOST_PARTS ? (uint32_t)graph->vertices : MOST_PARTS };
	GEMP_TRY(gemp_comm_agree(comm, make_question(&question, options, graph, query, c->ending)));
	code = gemp_keeping_open(&c->keeping, comm, options, question);
	question = NULL;
	if (code == GEMP_OK && c->keeping.before)
		code = gemp_comm_agree(comm, read_state(c, c->keeping.before));
	if (code != GEMP_OK)
		goto done;
	c->shards_saved = c->shard_count;
	c->runs++;
	*out = c;
	c = NULL;
done:
	json_decref(question);
	gemp_checkpoint_free(c);
	return code;
}

void gemp_checkpoint_free(gemp_checkpoint *c)
{
	if (!c)
		return;
	gemp_keeping_close(&c->keeping);
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

static json_t *make_state(const gemp_checkpoint *c, double seconds)
{
	char plan[24];
	json_t *order = json_array(), *shards = json_array();
	for (int i = 0; i < c->order_count; i++)
		json_array_append_new(order, json_integer(c->order[i]));
	for (size_t i = 0; i < c->shard_count; i++)
		json_array_append_new(shards, json_pack("{s:o, s:o}", "first", gemp_keeping_digits(c->shards[i].first), "rows",
		                                        gemp_keeping_digits(c->shards[i].rows)));
	snprintf(plan, sizeof plan, "%016" PRIx64, c->plan);
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:f, s:s, s:o, s:o}",
	                 "form", gemp_keeping_digits(FORM), "parts", gemp_keeping_digits(c->parts),
	                 "finished", gemp_keeping_digits(c->finished), "matches", gemp_keeping_digits(c->matches),
	                 "embeddings", c->embeddings_known ? gemp_keeping_digits(c->embeddings) : json_null(),
	                 "rows", gemp_keeping_digits(c->rows), "pivots", gemp_keeping_digits(c->pivots),
	                 "runs", gemp_keeping_digits(c->runs), "seconds", c->seconds + seconds, "plan", plan,
	                 "order", order, "shards", shards);
}

static gemp_code flush_shards(const gemp_checkpoint *c)
{
	gemp_code code = GEMP_OK;
	for (size_t i = c->shards_saved; i < c->shard_count && code == GEMP_OK; i++) {
		char *path = NULL;
		code = gemp_checkpoint_shard_path(&path, c, c->shards[i].first);
		if (code == GEMP_OK)
			code = gemp_keeping_to_disk(path);
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
			code = gemp_keeping_write(&c->keeping, make_state(c, seconds));
	}
	c->shards_saved = c->shard_count;
	return gemp_comm_agree(c->comm, code);
}

/* THE END */
/* The first file's line of names stands for those of the others; JSON lines have none. */
static gemp_code join_to(const gemp_checkpoint *c, FILE *out, const char *path)
{
	gemp_code code = GEMP_OK;
	bool named = strcmp(c->ending, ".jsonl") != 0;
	for (size_t i = 0; i < c->shard_count && code == GEMP_OK; i++) {
		char *shard = NULL;
		code = gemp_checkpoint_shard_path(&shard, c, c->shards[i].first);
		if (code == GEMP_OK)
			code = gemp_keeping_copy(out, path, shard, named && i > 0);
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

gemp_code gemp_checkpoint_remove(const gemp_checkpoint *c)
{
	return gemp_comm_agree(c->comm, c->comm->rank == 0 ? gemp_keeping_remove(&c->keeping, "rows-") : GEMP_OK);
}
