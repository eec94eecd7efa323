#include "api/transform/step_checkpoint.h"

#include "core/memory.h"
#include "core/quantity.h"
#include "io/file/output.h"
#include "io/graph_file/graph_file_read.h"
#include "io/graph_file/graph_file_write.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

enum { FORM = 1 };

static const char prefix[] = "kept-";

/* NAMES */

/* The caller frees *out. Names have the number of the job, so that a job never writes over the files of the job before. */
static gemp_code name_of(char **out, const gemp_step_checkpoint *k, const char *ending)
{
	gemp_text text = { 0 };
	gemp_text_print(&text, "%s%04" PRIu64 "%s", prefix, k->runs, ending);
	gemp_code code = gemp_text_status(&text);
	*out = text.data;
	return code;
}

/* Takes `name`, also after a failure. */
static gemp_code add_log(gemp_step_checkpoint *k, char *name)
{
	gemp_code code = name ? GEMP_RESERVE(k->logs, k->log_capacity, k->log_count + 1) : GEMP_ENOMEM;
	if (code == GEMP_OK)
		k->logs[k->log_count++] = name;
	else
		gemp_free(name);
	return code;
}

gemp_code gemp_step_checkpoint_log(gemp_step_checkpoint *k, char **path)
{
	char *name;
	gemp_code code = name_of(&name, k, ".jsonl");
	if (code == GEMP_OK)
		code = gemp_checkpoint_store_path(path, &k->store, name);
	if (code == GEMP_OK)
		return add_log(k, name);
	gemp_free(name);
	return code;
}

/* READING */

/* Counts of a rule's report, by name. */
static const struct {
	const char *name;
	size_t offset;
} counts[] = {
	{ "steps", offsetof(gemp_rule_report, steps) },
	{ "matches", offsetof(gemp_rule_report, select.matches) },
	{ "blocked", offsetof(gemp_rule_report, select.inapplicable) },
	{ "conflicts", offsetof(gemp_rule_report, select.conflicts) },
	{ "applied", offsetof(gemp_rule_report, select.applied) },
	{ "rounds", offsetof(gemp_rule_report, select.rounds) },
	{ "created vertices", offsetof(gemp_rule_report, effects.created_vertices) },
	{ "created edges", offsetof(gemp_rule_report, effects.created_edges) },
	{ "deleted vertices", offsetof(gemp_rule_report, effects.deleted_vertices) },
	{ "deleted edges", offsetof(gemp_rule_report, effects.deleted_edges) },
	{ "set", offsetof(gemp_rule_report, effects.set) },
};

static uint64_t *count_of(gemp_rule_report *report, size_t i)
{
	return (uint64_t *)(void *)((char *)report + counts[i].offset);
}

/* False where the checkpoint is not of these rules. */
static bool read_reports(gemp_step_checkpoint *k, const json_t *list)
{
	bool good = json_array_size(list) == k->rules->count;
	for (size_t r = 0; r < k->rules->count && good; r++) {
		const json_t *one = json_array_get(list, r);
		for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
			good &= gemp_checkpoint_store_count(one, counts[i].name, count_of(&k->reports[r], i));
		k->reports[r].seconds = json_number_value(json_object_get(one, "seconds"));
	}
	return good;
}

/* What became of each step, a digit a step. */
static gemp_code read_history(gemp_step_checkpoint *k, const char *text)
{
	size_t count = strlen(text);
	GEMP_TRY(GEMP_RESERVE(k->history->applied, k->history->capacity, count));
	for (size_t i = 0; i < count; i++)
		k->history->applied[i] = text[i] == '1';
	k->history->count = count;
	return GEMP_OK;
}

/* Attributes that the log has named so far: the foot lists all of them. */
static gemp_code read_seen(gemp_step_checkpoint *k, const json_t *list)
{
	gemp_code code = GEMP_OK;
	for (size_t i = 0; i < json_array_size(list) && code == GEMP_OK; i++) {
		const json_t *one = json_array_get(list, i);
		const char *name = json_string_value(json_object_get(one, "name"));
		json_int_t type = json_integer_value(json_object_get(one, "type"));
		if (!name || type < 0 || type >= GEMP_LIST)
			return gemp_checkpoint_store_foreign(&k->store);
		code = gemp_recorder_add_attribute(&k->log->recorder, name, (gemp_type)type);
	}
	return code;
}

/* Local, alike on all ranks, which have all read the same checkpoint.json. */
static gemp_code read_state(gemp_step_checkpoint *k, const json_t *state)
{
	gemp_code code = GEMP_OK;
	uint64_t form = 0, lines = 0;
	const char *applied = json_string_value(json_object_get(state, "applied"));
	const char *graph = json_string_value(json_object_get(state, "kept"));
	const json_t *logs = json_object_get(state, "logs");
	json_t *steps = json_object_get(state, "explain");
	bool good = gemp_checkpoint_store_count(state, "form", &form) && form == FORM &&
	            gemp_checkpoint_store_count(state, "jobs", &k->runs) &&
	            gemp_checkpoint_store_count(state, "lines", &lines) && applied && graph &&
	            read_reports(k, json_object_get(state, "rules"));
	if (!good)
		return gemp_checkpoint_store_foreign(&k->store);
	k->seconds = json_number_value(json_object_get(state, "seconds"));
	k->graph = gemp_strdup(graph);
	code = k->graph ? read_history(k, applied) : GEMP_ENOMEM;
	for (size_t i = 0; i < json_array_size(logs) && code == GEMP_OK; i++)
		code = add_log(k, gemp_strdup(json_string_value(json_array_get(logs, i))));
	if (k->log)
		k->log->recorder.lines = lines;
	if (k->log && code == GEMP_OK)
		code = read_seen(k, json_object_get(state, "seen"));
	json_array_extend(k->steps, steps);
	return code;
}

/* Collective. The graph of the checkpoint takes the place of the graph that the rules began with. */
gemp_code gemp_step_checkpoint_open(gemp_step_checkpoint *k, json_t *question, gemp_shard **graph)
{
	GEMP_OWNED char *path = NULL;
	GEMP_TRY(gemp_checkpoint_store_open(&k->store, k->comm, &k->settings, question));
	if (k->store.saved)
		GEMP_TRY(gemp_comm_agree(k->comm, read_state(k, k->store.saved)));
	k->runs++;
	if (!k->graph)
		return GEMP_OK;
	GEMP_TRY(gemp_comm_agree(k->comm, gemp_checkpoint_store_path(&path, &k->store, k->graph)));
	gemp_shard_free(*graph);
	*graph = NULL;
	return gemp_graph_file_open(graph, k->comm, path);
}

void gemp_step_checkpoint_free(gemp_step_checkpoint *k)
{
	gemp_checkpoint_store_close(&k->store);
	gemp_free(k->graph);
	for (size_t i = 0; i < k->log_count; i++)
		gemp_free(k->logs[i]);
	gemp_free(k->logs);
}

/* WRITING */

static json_t *make_reports(const gemp_step_checkpoint *k)
{
	json_t *list = json_array();
	for (size_t r = 0; r < k->rules->count; r++) {
		json_t *one = json_pack("{s:s, s:f}", "rule", k->rules->rules[r].name, "seconds", k->reports[r].seconds);
		for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
			json_object_set_new(one, counts[i].name, gemp_checkpoint_store_digits(*count_of(&k->reports[r], i)));
		json_array_append_new(list, one);
	}
	return list;
}

static json_t *make_seen(const gemp_step_checkpoint *k)
{
	json_t *list = json_array();
	for (size_t c = 0; k->log && c < k->log->recorder.seen.count; c++)
		json_array_append_new(list, json_pack("{s:s, s:i}", "name", k->log->recorder.seen.columns[c].name, "type",
		                                      (int)k->log->recorder.seen.columns[c].type));
	return list;
}

/* The counterpart of read_state; NULL: out of memory. */
static json_t *make_state(const gemp_step_checkpoint *k, const char *graph)
{
	gemp_text applied = { 0 };
	json_t *logs = json_array(), *state = NULL;
	gemp_text_add(&applied, "", 0);
	for (uint64_t i = 0; i < k->history->count; i++)
		gemp_text_add(&applied, k->history->applied[i] ? "1" : "0", 1);
	for (size_t i = 0; i < k->log_count; i++)
		json_array_append_new(logs, json_string(k->logs[i]));
	if (gemp_text_status(&applied) == GEMP_OK)
		state = json_pack(
			"{s:o, s:o, s:f, s:o, s:s, s:o, s:O, s:o, s:s, s:o}", "form", gemp_checkpoint_store_digits(FORM), "jobs",
			gemp_checkpoint_store_digits(k->runs), "seconds", k->seconds + gemp_now() - k->began, "lines",
			gemp_checkpoint_store_digits(k->log ? k->log->recorder.lines : 0), "applied", applied.data, "rules",
			make_reports(k), "explain", k->steps, "logs", logs, "kept", graph, "seen", make_seen(k));
	gemp_text_free(&applied);
	return state;
}

/* Rank 0's part, when graph and log are written. */
static gemp_code write_state(const gemp_step_checkpoint *k, const char *graph, const char *path)
{
	GEMP_OWNED char *log = NULL, *old = NULL;
	GEMP_TRY(gemp_checkpoint_store_sync(path));
	if (k->log) {
		GEMP_TRY(gemp_checkpoint_store_path(&log, &k->store, k->logs[k->log_count - 1]));
		GEMP_TRY(gemp_checkpoint_store_sync(log));
	}
	GEMP_TRY(gemp_checkpoint_store_write(&k->store, make_state(k, graph)));
	if (k->graph) {
		GEMP_TRY(gemp_checkpoint_store_path(&old, &k->store, k->graph));
		unlink(old);
	}
	return GEMP_OK;
}

bool gemp_step_checkpoint_stop(gemp_step_checkpoint *k)
{
	k->stop = gemp_stop_poll(k->comm, k->began, k->settings.max_seconds, k->began);
	return gemp_stop_wanted(&k->stop);
}

/* Collective. Graph and log are written and synced before checkpoint.json names them. */
gemp_code gemp_step_checkpoint_save(gemp_step_checkpoint *k, gemp_shard *graph)
{
	gemp_code code = GEMP_OK;
	const gemp_provenance provenance = { .command = "checkpoint of rules", .version = GEMP_VERSION };
	GEMP_OWNED char *name = NULL, *path = NULL;
	code = name_of(&name, k, ".h5");
	if (code == GEMP_OK)
		code = gemp_checkpoint_store_path(&path, &k->store, name);
	GEMP_TRY(gemp_comm_agree(k->comm, code));
	GEMP_TRY(gemp_graph_file_write(k->comm, graph, path, &provenance));
	if (k->log)
		GEMP_TRY(gemp_change_log_close(k->log));
	GEMP_TRY(gemp_comm_agree(k->comm, k->comm->rank == 0 ? write_state(k, name, path) : GEMP_OK));
	return gemp_fail(GEMP_STOPPED, "stopped by %s after %s; the same rules with checkpoint %s and resume go on",
	                 gemp_stop_name(&k->stop), gemp_counted(k->history->count, "step").text, k->store.folder);
}

void gemp_step_checkpoint_report(gemp_report *report, const gemp_step_checkpoint *k, bool complete)
{
	gemp_report_set(report, "checkpoint",
	                json_pack("{s:s, s:o, s:f}", "folder", k->store.folder, "jobs", gemp_json_count(k->runs),
	                          "seconds_before", k->seconds));
	gemp_report_set(report, "complete", json_boolean(complete));
}

/* THE END */

/* Rank 0's part: the parts of all jobs, one behind the other. */
static gemp_code join(const gemp_step_checkpoint *k, const char *path)
{
	gemp_file_writer file;
	gemp_code code = gemp_file_writer_open(&file, path);
	if (code != GEMP_OK)
		return code;
	for (size_t i = 0; i < k->log_count && code == GEMP_OK; i++) {
		char *part = NULL;
		code = gemp_checkpoint_store_path(&part, &k->store, k->logs[i]);
		if (code == GEMP_OK)
			code = gemp_checkpoint_store_copy(file.file, path, part, false);
		gemp_free(part);
	}
	gemp_code closed = gemp_file_writer_close(&file, code == GEMP_OK);
	return code == GEMP_OK ? closed : code;
}

gemp_code gemp_step_checkpoint_join(const gemp_step_checkpoint *k, const char *path)
{
	return gemp_comm_agree(k->comm, k->comm->rank == 0 ? join(k, path) : GEMP_OK);
}

gemp_code gemp_step_checkpoint_remove(const gemp_step_checkpoint *k)
{
	return gemp_comm_agree(k->comm, k->comm->rank == 0 ? gemp_checkpoint_store_remove(&k->store, prefix) : GEMP_OK);
}
