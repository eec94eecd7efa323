#include "transform/changelog/change_log.h"

#include "core/memory.h"
#include "graph/column.h"
#include "io/file/stream.h"
#include "io/text/lines.h"
#include "partition/derived/canonical.h"
#include "partition/exchange/value_exchange.h"
#include "transform/changelog/change_log_line.h"
#include "transform/changelog/replay.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Callback of the recorder. The lines of the ranks are written to the file in rank order. */
static gemp_code write_block(void *self, const char *bytes, size_t size)
{
	gemp_change_log *log = self;
	return gemp_output_write(log->output, bytes, size);
}

gemp_code gemp_change_log_open(gemp_change_log *log, const gemp_comm *comm, const char *path)
{
	log->comm = comm;
	log->recorder.self = log;
	log->recorder.write = write_block;
	return gemp_output_open(&log->output, comm, path);
}

/* Collective. Writes the text of rank 0; the other ranks have no text. `code` is the result of making the text. */
static gemp_code write_text(gemp_change_log *log, gemp_code code, const gemp_text *text)
{
	GEMP_THEN(gemp_text_status(text));
	GEMP_TRY(gemp_comm_agree(log->comm, code));
	return gemp_output_write(log->output, text->data, text->size);
}

gemp_code gemp_change_log_head(gemp_change_log *log, const gemp_shard *graph, const char *rules, uint64_t seed)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text text = { 0 };
	if (log->comm->rank == 0) {
		gemp_text_print(&text, "{\"changes\":%d,\"version\":\"%s\",\"graph\":\"%016" PRIx64 "\",\"rules\":",
		                GEMP_CHANGE_LOG_FORM, GEMP_VERSION, graph->hash);
		gemp_json_string(&text, rules, strlen(rules));
		gemp_text_print(&text, ",\"seed\":%" PRIu64 "}\n", seed);
	}
	return write_text(log, GEMP_OK, &text);
}

/* THE FOOT lists the attributes in the order of the graph, since the hash of the graph depends on this order. */

/* Adds a column as its name and type, in the form that read_schema reads. */
static void add_column(gemp_text *out, size_t at, const gemp_column *column)
{
	gemp_text_print(out, "%s{\"name\":", at ? "," : "");
	gemp_json_string(out, column->name, strlen(column->name));
	gemp_text_print(out, ",\"type\":\"%s\"}", gemp_type_name[column->type]);
}

/* Returns whether a relation has a column before this one that is not in the list yet. */
static bool has_predecessor(const gemp_shard *graph, const char *name, const gemp_table *taken)
{
	for (size_t r = 0; r < graph->relation_count; r++) {
		const gemp_table *props = &graph->relations[r].props;
		bool waits = false;
		for (size_t c = 0; c < props->count; c++) {
			if (strcmp(props->columns[c].name, name) == 0 && waits)
				return true;
			waits |= !gemp_table_find(taken, props->columns[c].name);
		}
	}
	return false;
}

/* Appends the next column whose predecessors are in the list. If `any` is true, appends the first column that is not in
 * the list. */
static gemp_code append_next_column(const gemp_shard *graph, gemp_table *taken, bool any, bool *found)
{
	*found = false;
	for (size_t r = 0; r < graph->relation_count; r++)
		for (size_t c = 0; c < graph->relations[r].props.count; c++) {
			const gemp_column *column = &graph->relations[r].props.columns[c];
			if (gemp_table_find(taken, column->name) || (!any && has_predecessor(graph, column->name, taken)))
				continue;
			*found = true;
			return gemp_table_add(taken, column->name, column->type, NULL);
		}
	return GEMP_OK;
}

/* Makes a topological order of the columns of all relations. If the orders of relations contradict each other, any
 * column is taken. Columns that existed only during the run come last. */
static gemp_code order_edge_columns(const gemp_shard *graph, const gemp_table *seen, gemp_table *taken)
{
	for (bool found = true; found;) {
		GEMP_TRY(append_next_column(graph, taken, false, &found));
		if (!found)
			GEMP_TRY(append_next_column(graph, taken, true, &found));
	}
	for (size_t c = 0; c < seen->count; c++)
		if (!gemp_table_find(taken, seen->columns[c].name))
			GEMP_TRY(gemp_table_add(taken, seen->columns[c].name, seen->columns[c].type, NULL));
	return GEMP_OK;
}

/* The attributes of vertices have the order of the graph. */
static gemp_code add_columns(gemp_text *out, const gemp_shard *graph, const gemp_table *seen)
{
	GEMP_OWNED_BY(gemp_table_free) gemp_table edges = { 0 };
	GEMP_TRY(order_edge_columns(graph, seen, &edges));
	gemp_text_print(out, ",\"vertex_attributes\":[");
	for (size_t c = 0; c < graph->attributes.count; c++)
		add_column(out, c, &graph->attributes.columns[c]);
	gemp_text_print(out, "],\"edge_attributes\":[");
	for (size_t c = 0; c < edges.count; c++)
		add_column(out, c, &edges.columns[c]);
	gemp_text_print(out, "]");
	return GEMP_OK;
}

/* Collective. The foot has the number of lines and the hash of the resulting graph. With these a replay checks that it
 * has made all changes. */
gemp_code gemp_change_log_foot(gemp_change_log *log, const gemp_shard *graph, uint64_t steps)
{
	gemp_code code = GEMP_OK;
	GEMP_OWNED_BY(gemp_text_free) gemp_text text = { 0 };
	if (log->comm->rank == 0) {
		gemp_text_print(&text,
		                "{\"end\":%" PRIu64 ",\"lines\":%" PRIu64 ",\"graph\":\"%016" PRIx64 "\",\"vertices\":%" PRIu64
		                ",\"edges\":%" PRIu64,
		                steps, log->recorder.lines, graph->hash, graph->vertex_count, gemp_shard_edges(graph));
		code = add_columns(&text, graph, &log->recorder.seen);
		gemp_text_print(&text, "}\n");
	}
	return write_text(log, code, &text);
}

gemp_code gemp_change_log_close(gemp_change_log *log)
{
	gemp_code code = gemp_output_close(log->output);
	log->output = NULL;
	return code;
}

void gemp_change_log_abandon(gemp_change_log *log)
{
	gemp_output_abandon(log->output);
	log->output = NULL;
	gemp_recorder_free(&log->recorder);
}

/* REPLAY */

/* The state of a replay. The file is read twice: first its head and foot, then its changes. */
typedef struct replay_state {
	gemp_runtime *context;
	gemp_shard *graph;
	const char *path;
	gemp_lines lines;
	gemp_text ends;              /* head and foot, if this rank has read them: number of the line, size, text */
	void *all_ends;              /* heads and feet of all ranks */
	uint64_t hash, steps, count; /* figures of the foot; count is the number of lines with changes */
	uint64_t last;               /* number of the last line of the file, which must be the foot */
	gemp_table vertex_schema, edge_schema;
	gemp_replay *replay;
	gemp_change_log_schema schema;
	gemp_change_log_line line;
	uint64_t changes; /* number of lines with changes that this rank has read */
} replay_state;

static void free_replay_state(replay_state *r)
{
	gemp_replay_free(r->replay);
	gemp_change_log_line_free(&r->line);
	gemp_text_free(&r->ends);
	gemp_free(r->all_ends);
	gemp_table_free(&r->vertex_schema);
	gemp_table_free(&r->edge_schema);
}

/* The first member determines the kind of a line, so the ranks can cut the file into chunks without parsing it. */
static bool begins_with(const char *text, size_t size, const char *member)
{
	size_t at = 0, length = strlen(member);
	while (at < size && (text[at] == ' ' || text[at] == '\t'))
		at++;
	if (at == size || text[at++] != '{')
		return false;
	while (at < size && (text[at] == ' ' || text[at] == '\t'))
		at++;
	return size - at > length + 1 && text[at] == '"' && memcmp(text + at + 1, member, length) == 0 &&
	       text[at + 1 + length] == '"';
}

/* The lines of steps are the items of the file. gemp_lines_visit numbers the items over all ranks. */
static bool is_step(const char *text, size_t size)
{
	return begins_with(text, size, "step");
}

/* Only rank 0 reads. If the file cannot be read, the function that opens it next reports the error. */
bool gemp_change_log_is(const gemp_comm *comm, const char *path)
{
	uint64_t is = 0;
	gemp_stream *stream = NULL;
	char *text = NULL;
	size_t size = 0;
	if (comm->rank == 0 && gemp_stream_open(&stream, path, 0, GEMP_STREAM_END) == GEMP_OK &&
	    gemp_stream_next(stream, false, &text, &size) == GEMP_OK && text)
		is = size > 0 && text[0] == '{';
	gemp_stream_close(stream);
	gemp_comm_max(comm, &is, 1);
	return is;
}

/* HEAD AND FOOT */

/* Keeps the head, and every line that looks like a foot. r->last becomes the number of this rank's last line. */
static gemp_code visit_end(void *self, const gemp_line *line)
{
	replay_state *r = self;
	r->last = gemp_max(r->last, line->line);
	if (line->line == 1 || begins_with(line->text, line->size, "end")) {
		gemp_pack_number(&r->ends, line->line);
		gemp_pack_bytes(&r->ends, line->text, line->size);
	}
	return gemp_text_status(&r->ends);
}

/* Hashes are hexadecimal texts, since many readers of JSON lose precision in numbers of 64 bits. */
static bool read_hash(const json_t *object, uint64_t *out)
{
	const char *text = json_string_value(json_object_get(object, "graph"));
	char *end = NULL;
	*out = text ? strtoull(text, &end, 16) : 0;
	return text && *text && !*end;
}

/* Reads a list of attributes of the foot, with the types of the final graph. */
static gemp_code read_schema(gemp_table *out, const json_t *list)
{
	for (size_t i = 0; i < json_array_size(list); i++) {
		const char *name = json_string_value(json_object_get(json_array_get(list, i), "name"));
		const char *type = json_string_value(json_object_get(json_array_get(list, i), "type"));
		gemp_type known = GEMP_STRING;
		while (type && known <= GEMP_LIST && strcmp(gemp_type_name[known], type) != 0)
			known++;
		if (!name || !type || known > GEMP_LIST || gemp_table_find(out, name))
			return gemp_fail(GEMP_EDATA, "an attribute in the foot has no type, or no name of its own");
		GEMP_TRY(gemp_table_add(out, name, known, NULL));
	}
	return GEMP_OK;
}

/* The hash ensures that the log is applied to the graph for which it was written. */
static gemp_code read_head(const replay_state *r, const json_t *head)
{
	uint64_t hash;
	const json_t *form = json_object_get(head, "changes");
	if (!json_is_integer(form) || !read_hash(head, &hash))
		return gemp_fail(GEMP_EDATA, "this is not the head of a change log; give a log that a run of rules wrote");
	if (json_integer_value(form) != GEMP_CHANGE_LOG_FORM)
		return gemp_fail(GEMP_EDATA,
		                 "the log has form %" JSON_INTEGER_FORMAT ", and this program reads form %d; take the "
		                 "program that wrote it",
		                 json_integer_value(form), GEMP_CHANGE_LOG_FORM);
	if (hash != r->graph->hash)
		return gemp_fail(GEMP_EDATA,
		                 "the log was written for the graph with hash %016" PRIx64 ", and this one has %016" PRIx64
		                 "; name the graph that the rules were applied to",
		                 hash, r->graph->hash);
	return GEMP_OK;
}

/* Reads the members of the foot that the replay needs: hash, numbers of steps and lines, attributes. */
static gemp_code read_foot(replay_state *r, const json_t *foot)
{
	const json_t *steps = json_object_get(foot, "end"), *lines = json_object_get(foot, "lines");
	if (!json_is_integer(steps) || !json_is_integer(lines) || !read_hash(foot, &r->hash))
		return gemp_fail(GEMP_EDATA, "this is not the foot of a change log");
	r->steps = (uint64_t)json_integer_value(steps);
	r->count = (uint64_t)json_integer_value(lines);
	GEMP_TRY(read_schema(&r->vertex_schema, json_object_get(foot, "vertex_attributes")));
	return read_schema(&r->edge_schema, json_object_get(foot, "edge_attributes"));
}

/* Reads a head or a foot. The first line of the file must be the head, and every other line here is a foot, of which
 * there must be only one. *foot becomes the number of its line. Errors name the line. */
static gemp_code read_end(replay_state *r, uint64_t line, const char *text, size_t size, uint64_t *foot)
{
	json_t *root = NULL;
	gemp_code code = gemp_change_log_json(&root, text, size);
	if (line == 1)
		GEMP_THEN(read_head(r, root));
	else if (*foot)
		GEMP_THEN(gemp_fail(GEMP_EDATA, "there is a second foot; give one log at a time"));
	else
		GEMP_THEN(read_foot(r, root));
	if (line > 1)
		*foot = line;
	json_decref(root);
	return code == GEMP_EDATA ? gemp_fail_in(code, "%s:%" PRIu64 ": ", r->path, line) : code;
}

/* Reads head and foot, and checks that there is one foot and that it is the last line of the file. */
static gemp_code read_ends(replay_state *r, const char *at, const char *end)
{
	uint64_t foot = 0;
	while (at < end) {
		size_t size;
		uint64_t line = gemp_unpack_number(&at);
		const char *text = gemp_unpack_bytes(&at, &size);
		GEMP_TRY(read_end(r, line, text, size, &foot));
	}
	if (foot && foot == r->last)
		return GEMP_OK;
	return gemp_fail(GEMP_EDATA,
	                 "%s:%" PRIu64 ": the log is incomplete: its last line is no foot, as in {\"end\": ...}; "
	                 "write it anew",
	                 r->path, r->last);
}

/* Collective. Head and foot may lie on different ranks, so all ranks get both and make the same checks. */
static gemp_code find_ends(replay_state *r)
{
	const gemp_comm *comm = r->context->comm;
	GEMP_OWNED size_t *begin = NULL;
	GEMP_TRY(gemp_lines_visit(&r->lines, comm, visit_end, r));
	gemp_comm_max(comm, &r->last, 1);
	GEMP_TRY(gemp_comm_allgather(comm, GEMP_OK, r->ends.data, r->ends.size, &r->all_ends, &begin));
	return gemp_comm_agree(comm, read_ends(r, r->all_ends, (const char *)r->all_ends + begin[comm->size]));
}

/* CHANGES */

/* Head, foot and lines of steps make no edits. A change belongs to the last step line before it. */
static gemp_code visit_change(void *self, const gemp_line *line)
{
	replay_state *r = self;
	if (line->line == 1 || line->line == r->last || is_step(line->text, line->size))
		return GEMP_OK;
	if (line->item == 0)
		return gemp_fail(GEMP_EDATA, "this change has no step before it, as in {\"step\": 1, ...}");
	GEMP_TRY(gemp_change_log_line_read(&r->line, &r->schema, line->text, line->size));
	for (size_t i = 0; i < r->line.count; i++) {
		r->line.edits[i].line = line->line;
		r->line.edits[i].step = line->item;
		GEMP_TRY(gemp_replay_add(r->replay, &r->line.edits[i]));
	}
	r->changes++;
	return GEMP_OK;
}

/* If lines were cut from the log, the foot has another count. */
static gemp_code check_count(const replay_state *r, uint64_t changes)
{
	if (changes == r->count)
		return GEMP_OK;
	return gemp_fail(GEMP_EDATA,
	                 "%s:%" PRIu64 ": the foot counts %" PRIu64 " changes, and there are %" PRIu64
	                 "; the log is incomplete, write it anew",
	                 r->path, r->last, r->count, changes);
}

/* Collective. Reads the file a second time, for its changes. */
static gemp_code apply(replay_state *r, gemp_shard **out)
{
	gemp_replay_options options = { .context = r->context,
		                            .graph = r->graph,
		                            .path = r->path,
		                            .vertex_schema = &r->vertex_schema,
		                            .edge_schema = &r->edge_schema };
	GEMP_TRY(gemp_has_string_keys(r->context->comm, r->graph, &options.string_keys));
	GEMP_TRY(gemp_replay_new(&r->replay, &options));
	r->schema = (gemp_change_log_schema){ &r->vertex_schema, &r->edge_schema, r->graph->keys.type };
	GEMP_TRY(gemp_lines_visit(&r->lines, r->context->comm, visit_change, r));
	GEMP_TRY(check_count(r, gemp_comm_sum1(r->context->comm, r->changes)));
	return gemp_replay_finish(r->replay, out);
}

/* The hash detects modifications of the log that contradict no edit. */
static gemp_code check_hash(const replay_state *r, const gemp_shard *graph)
{
	if (graph->hash == r->hash)
		return GEMP_OK;
	return gemp_fail(GEMP_EDATA,
	                 "%s:%" PRIu64 ": the foot states the hash %016" PRIx64 ", and the changed graph has "
	                 "%016" PRIx64 "; the log was edited, write it anew",
	                 r->path, r->last, r->hash, graph->hash);
}

/* Collective. The new graph replaces the old graph only if its hash is the hash in the foot. After a failure the old
 * graph is unchanged. */
gemp_code gemp_change_log_replay(gemp_shard **graph, gemp_runtime *context, const char *path,
                                 gemp_change_log_replayed *out)
{
	GEMP_OWNED_BY(gemp_shard_free_at) gemp_shard *new = NULL;
	GEMP_OWNED_BY(free_replay_state) replay_state r = { .context = context, .graph = *graph, .path = path };
	GEMP_TRY(gemp_shard_load_keys(*graph));
	GEMP_TRY(gemp_lines_open(&r.lines, context->comm, path, is_step, 0));
	GEMP_TRY(find_ends(&r));
	if (r.hash != r.graph->hash || r.count) {
		GEMP_TRY(apply(&r, &new));
		GEMP_TRY(check_hash(&r, new));
		gemp_shard_free(*graph);
		*graph = new;
		new = NULL;
	}
	*out = (gemp_change_log_replayed){ r.steps, r.count };
	return GEMP_OK;
}
