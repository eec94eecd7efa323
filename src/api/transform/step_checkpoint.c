/* The folder has the graph after the last finished step, and one part of the change log for each job. The names of
 * these files contain the number of the job. The files of the last consistent state therefore remain until
 * checkpoint.json names the new files. */

#include "api/transform/step_checkpoint.h"

#include "core/memory.h"
#include "core/quantity.h"
#include "io/graph_file/graph_file_read.h"
#include "io/graph_file/graph_file_write.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

enum { FORM = 1 };

static const char prefix[] = "kept-";

/* NAMES */

/* *out becomes the name of a file of this job, which the caller frees. The name contains the number of the job, so a
 * job never overwrites the files of the previous job. */
static gemp_code file_name(char **out, const gemp_step_checkpoint *k, const char *ending)
{
	gemp_text text = { 0 };
	gemp_text_print(&text, "%s%04" PRIu64 "%s", prefix, k->runs, ending);
	*out = text.data;
	return gemp_text_status(&text);
}

/* Takes over `name`, also after a failure. A NULL name fails with GEMP_ENOMEM. */
static gemp_code add_log(gemp_step_checkpoint *k, char *name)
{
	gemp_code code = name ? GEMP_RESERVE(k->logs, k->log_capacity, k->log_count + 1) : GEMP_ENOMEM;
	if (code == GEMP_OK)
		k->logs[k->log_count++] = name;
	else
		gemp_free(name);
	return code;
}

/* The list gets the name before the log is opened, so a checkpoint of this job contains the name. */
gemp_code gemp_step_checkpoint_log(gemp_step_checkpoint *k, char **path)
{
	GEMP_OWNED char *name = NULL;
	GEMP_TRY(file_name(&name, k, ".jsonl"));
	GEMP_TRY(gemp_checkpoint_store_path(path, &k->store, name));
	return add_log(k, GEMP_MOVE(name));
}

/* READING */

/* The counts in the report of a rule. */
static const gemp_checkpoint_member counts[] = {
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

enum { COUNTS = sizeof counts / sizeof *counts };

/* Returns false if the checkpoint belongs to other rules. */
static bool read_reports(gemp_step_checkpoint *k, const json_t *list)
{
	bool good = json_array_size(list) == k->rules->count;
	for (size_t r = 0; r < k->rules->count && good; r++) {
		const json_t *one = json_array_get(list, r);
		good = gemp_checkpoint_store_get(one, counts, COUNTS, &k->reports[r]);
		k->reports[r].seconds = json_number_value(json_object_get(one, "seconds"));
	}
	return good;
}

/* Reads for each step whether it applied a match. The text has one digit for each step. */
static gemp_code read_history(gemp_step_checkpoint *k, const char *text)
{
	size_t count = strlen(text);
	GEMP_TRY(GEMP_RESERVE(k->history->applied, k->history->capacity, count));
	for (size_t i = 0; i < count; i++)
		k->history->applied[i] = text[i] == '1';
	k->history->count = count;
	return GEMP_OK;
}

/* Reads the attributes that the log has named, since its foot lists the attributes of all jobs. */
static gemp_code read_seen(gemp_step_checkpoint *k, const json_t *list)
{
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *one = json_array_get(list, i);
		const char *name = json_string_value(json_object_get(one, "name"));
		json_int_t type = json_integer_value(json_object_get(one, "type"));
		if (!name || type < 0 || type > GEMP_LIST)
			return gemp_checkpoint_store_foreign(&k->store);
		GEMP_TRY(gemp_recorder_add_attribute(&k->log->recorder, name, (gemp_type)type));
	}
	return GEMP_OK;
}

/* Local. All ranks have the same checkpoint.json, so they return the same code. */
static gemp_code read_state(gemp_step_checkpoint *k, const json_t *state)
{
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
	if (!k->graph)
		return GEMP_ENOMEM;
	GEMP_TRY(read_history(k, applied));
	for (size_t i = 0; i < json_array_size(logs); i++)
		GEMP_TRY(add_log(k, gemp_strdup(json_string_value(json_array_get(logs, i)))));
	json_array_extend(k->steps, steps);
	if (!k->log)
		return GEMP_OK;
	k->log->recorder.lines = lines;
	return read_seen(k, json_object_get(state, "seen"));
}

/* The graph of the checkpoint replaces the graph of the caller. The question ensures that the rules began with the
 * graph of the caller. */
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
	return gemp_graph_file_open(graph, k->comm, path, false);
}

void gemp_step_checkpoint_free(gemp_step_checkpoint *k)
{
	gemp_checkpoint_store_close(&k->store);
	for (size_t i = 0; i < k->log_count; i++)
		gemp_free(k->logs[i]);
	gemp_free_all(k->graph, k->logs);
}

/* WRITING */

static json_t *make_reports(const gemp_step_checkpoint *k)
{
	json_t *list = json_array();
	for (size_t r = 0; r < k->rules->count; r++) {
		json_t *one = json_pack("{s:s, s:f}", "rule", k->rules->rules[r].name, "seconds", k->reports[r].seconds);
		gemp_checkpoint_store_set(one, counts, COUNTS, &k->reports[r]);
		json_array_append_new(list, one);
	}
	return list;
}

/* Returns the attributes that the log has named, with their types. */
static json_t *make_seen(const gemp_step_checkpoint *k)
{
	json_t *list = json_array();
	for (size_t c = 0; k->log && c < k->log->recorder.seen.count; c++)
		json_array_append_new(list, json_pack("{s:s, s:i}", "name", k->log->recorder.seen.columns[c].name, "type",
		                                      (int)k->log->recorder.seen.columns[c].type));
	return list;
}

/* Returns the state that read_state reads, or NULL if there is no memory. */
static json_t *make_state(const gemp_step_checkpoint *k, const char *graph)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text applied = { 0 };
	json_t *logs = json_array();
	gemp_text_add(&applied, "", 0);
	for (uint64_t i = 0; i < k->history->count; i++)
		gemp_text_add(&applied, k->history->applied[i] ? "1" : "0", 1);
	for (size_t i = 0; i < k->log_count; i++)
		json_array_append_new(logs, json_string(k->logs[i]));
	if (gemp_text_status(&applied) != GEMP_OK) {
		json_decref(logs);
		return NULL;
	}
	return json_pack("{s:o, s:o, s:f, s:o, s:s, s:o, s:O, s:o, s:s, s:o}", "form", gemp_checkpoint_store_digits(FORM),
	                 "jobs", gemp_checkpoint_store_digits(k->runs), "seconds", k->seconds + gemp_now() - k->began,
	                 "lines", gemp_checkpoint_store_digits(k->log ? k->log->recorder.lines : 0), "applied",
	                 applied.data, "rules", make_reports(k), "explain", k->steps, "logs", logs, "kept", graph, "seen",
	                 make_seen(k));
}

/* On rank 0. The graph and the log reach the disk before the state that names them. The graph of the previous job is
 * removed afterwards. */
static gemp_code write_state(const gemp_step_checkpoint *k, const char *graph)
{
	GEMP_OWNED char *old = NULL;
	GEMP_TRY(gemp_checkpoint_store_sync(&k->store, graph));
	if (k->log)
		GEMP_TRY(gemp_checkpoint_store_sync(&k->store, k->logs[k->log_count - 1]));
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

/* The function fails on purpose. GEMP_STOPPED ends gemp_transform in the same way as any other failure. */
gemp_code gemp_step_checkpoint_save(gemp_step_checkpoint *k, gemp_shard *graph)
{
	const gemp_provenance provenance = { .command = "checkpoint of rules", .version = GEMP_VERSION };
	GEMP_OWNED char *name = NULL, *path = NULL;
	gemp_code code = file_name(&name, k, ".h5");
	GEMP_THEN(gemp_checkpoint_store_path(&path, &k->store, name));
	GEMP_TRY(gemp_comm_agree(k->comm, code));
	GEMP_TRY(gemp_graph_file_write(k->comm, graph, path, &provenance));
	if (k->log)
		GEMP_TRY(gemp_change_log_close(k->log));
	GEMP_TRY(gemp_comm_agree(k->comm, k->comm->rank == 0 ? write_state(k, name) : GEMP_OK));
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

/* JOINING AND REMOVAL */

gemp_code gemp_step_checkpoint_join(const gemp_step_checkpoint *k, const char *path)
{
	return gemp_checkpoint_store_join(&k->store, path, k->logs, k->log_count, false);
}

gemp_code gemp_step_checkpoint_remove(const gemp_step_checkpoint *k)
{
	return gemp_checkpoint_store_remove(&k->store, prefix);
}
