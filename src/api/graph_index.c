/* graph_index: adds indexes to the file of a graph, removes and lists them (gemp/index.h). The graph's list of
 * indexes is changed first, without rows; writing the file makes the rows. */

#include "api/graph.h"
#include "api/match/query.h"
#include "api/report.h"
#include "core/limits.h"
#include "core/memory.h"
#include "core/quantity.h"
#include "gemp/index.h"
#include "io/file/output.h"
#include "io/graph_file/graph_file_read.h"
#include "io/graph_file/graph_file_weight.h"
#include "io/graph_file/graph_file_write.h"
#include "match/filter/value_lookup.h"
#include "pattern/bind/bind.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

GEMP_SETTINGS(gemp_index_settings)

/* THE LIST */

static const unsigned directions[] = { GEMP_LOAD_OUT, GEMP_LOAD_IN, GEMP_LOAD_EITHER };

enum { DIRECTIONS = sizeof directions / sizeof *directions };

/* True if the file has the rows without an index: those of one relation in one direction, and merged rows of a
 * symmetric one. */
static bool is_stored(const gemp_shard *graph, const bool *relations, unsigned part)
{
	size_t count = 0;
	bool merged = true;
	for (size_t r = 0; r < graph->relation_count; r++) {
		count += relations[r];
		merged &= !relations[r] || graph->relations[r].merged;
	}
	return count == 0 || (count == 1 && (part != GEMP_LOAD_EITHER || merged));
}

/* Adds an index to the list, unless the list has it. */
static gemp_code add(gemp_shard *graph, const bool *relations, unsigned part)
{
	const size_t count = graph->row_index_count;
	for (size_t i = 0; i < count; i++)
		if (graph->row_indexes[i].part == part &&
		    memcmp(graph->row_indexes[i].relations, relations, graph->relation_count * sizeof *relations) == 0)
			return GEMP_OK;
	gemp_row_index *grown = NULL;
	GEMP_OWNED bool *copy = NULL;
	GEMP_TRY(GEMP_COPY(copy, relations, graph->relation_count));
	GEMP_TRY(GEMP_NEW(grown, count + 1));
	if (count)
		memcpy(grown, graph->row_indexes, count * sizeof *grown);
	gemp_free(graph->row_indexes);
	graph->row_indexes = grown;
	graph->row_indexes[graph->row_index_count++] = (gemp_row_index){ .relations = copy, .part = part };
	copy = NULL;
	return GEMP_OK;
}

/* REQUESTS */

/* Marks the relation whose name has these bytes; "*" marks all. */
static gemp_code mark(bool *relations, const gemp_graph *graph, const char *name, size_t size)
{
	const gemp_shard *shard = graph->shard;
	bool found = size == 1 && *name == '*';
	for (size_t r = 0; r < shard->relation_count; r++) {
		const char *have = shard->relations[r].name;
		const bool same = strlen(have) == size && memcmp(have, name, size) == 0;
		relations[r] |= same || (size == 1 && *name == '*');
		found |= same;
	}
	return found ? GEMP_OK
	             : gemp_fail(GEMP_EUSAGE, "rows %.*s: %s has no edges of this type; `gemp-mpi info` lists its types",
	                         (int)size, name, graph->name);
}

/* The text after the last colon, if it is a direction; DIRECTIONS if there is none. *size becomes the bytes before. */
static size_t direction_of(const char *text, size_t *size)
{
	const char *colon = strrchr(text, ':');
	*size = strlen(text);
	for (size_t d = 0; colon && d < DIRECTIONS; d++)
		if (strcmp(colon + 1, gemp_row_index_direction(directions[d])) == 0) {
			*size = (size_t)(colon - text);
			return d;
		}
	return DIRECTIONS;
}

/* Reads "A|B:out". Without a direction a question can be searched from both ends, so both directions are added. */
static gemp_code add_rows(const gemp_graph *graph, const char *text)
{
	GEMP_OWNED bool *relations = NULL;
	size_t end, size, only = direction_of(text, &end);
	GEMP_TRY(GEMP_NEW(relations, graph->shard->relation_count));
	for (size_t at = 0; at <= end; at += size + 1) {
		const char *bar = memchr(text + at, '|', end - at);
		size = bar ? (size_t)(bar - text) - at : end - at;
		GEMP_TRY(mark(relations, graph, text + at, size));
	}
	for (size_t d = 0; d < DIRECTIONS; d++) {
		if (only < DIRECTIONS ? d != only : directions[d] == GEMP_LOAD_EITHER)
			continue;
		if (is_stored(graph->shard, relations, directions[d]))
			return gemp_fail(GEMP_EUSAGE,
			                 "rows %s: every graph file has these rows; name several types, or one directed type and "
			                 "the direction either",
			                 text);
		GEMP_TRY(add(graph->shard, relations, directions[d]));
	}
	return GEMP_OK;
}

static gemp_code add_values(const gemp_graph *graph, const char *name)
{
	const gemp_table *attributes = &graph->shard->attributes;
	const gemp_column *column = gemp_table_find(attributes, name);
	if (!column)
		return gemp_fail(GEMP_EUSAGE, "values %s: %s has no such attribute of vertices; `gemp-mpi info` lists them",
		                 name, graph->name);
	if (!gemp_value_index_takes(column->type))
		return gemp_fail(GEMP_EUSAGE, "values %s: a %s has no index; only strings, integers and floats have", name,
		                 gemp_type_name[column->type]);
	return gemp_shard_add_value_index(graph->shard, (size_t)(column - attributes->columns));
}

/* Adds the indexes of values that the conditions of a bound pattern use. */
static gemp_code add_conditions(gemp_shard *graph, const gemp_pattern *pattern)
{
	for (size_t i = 0; i < pattern->condition_count; i++) {
		const int attribute = gemp_value_lookup_attribute(graph, pattern->conditions[i].expr);
		if (attribute != GEMP_NO_LOOKUP)
			GEMP_TRY(gemp_shard_add_value_index(graph, (size_t)attribute));
	}
	return GEMP_OK;
}

/* Adds what the conditions and edges of a bound pattern and of its inner patterns read, if the file lacks it. */
static gemp_code add_pattern(gemp_shard *graph, const gemp_pattern *pattern)
{
	GEMP_TRY(add_conditions(graph, pattern));
	for (size_t e = 0; e < pattern->edge_count; e++) {
		const gemp_pattern_edge *edge = &pattern->edges[e];
		const bool either = edge->direction == GEMP_EITHER || pattern->simple;
		for (size_t d = 0; d < DIRECTIONS; d++)
			if (either == (directions[d] == GEMP_LOAD_EITHER) && !is_stored(graph, edge->relations, directions[d]))
				GEMP_TRY(add(graph, edge->relations, directions[d]));
	}
	for (size_t i = 0; i < pattern->sub_count; i++)
		GEMP_TRY(add_pattern(graph, pattern->subs[i]));
	for (size_t i = 0; i < pattern->optional_count; i++)
		GEMP_TRY(add_pattern(graph, pattern->optionals[i].pattern));
	return GEMP_OK;
}

static gemp_code add_queries(gemp_shard *graph, const gemp_query *query)
{
	GEMP_OWNED_BY(gemp_script_free) gemp_script script = { 0 };
	GEMP_TRY(gemp_query_parse(&script, query));
	for (size_t i = 0; i < script.count; i++) {
		GEMP_TRY(gemp_pattern_bind_with(script.queries[i], graph, query->settings.lenient));
		GEMP_TRY(add_pattern(graph, script.queries[i]));
	}
	return GEMP_OK;
}

/* Local. Changes the list as the settings say. */
static gemp_code change_list(const gemp_graph *graph, const gemp_index_settings *settings)
{
	if (settings->drop)
		gemp_shard_drop_indexes(graph->shard);
	for (size_t i = 0; i < settings->row_count; i++)
		GEMP_TRY(add_rows(graph, settings->rows[i]));
	for (size_t i = 0; i < settings->value_count; i++)
		GEMP_TRY(add_values(graph, settings->values[i]));
	return settings->query ? add_queries(graph->shard, settings->query) : GEMP_OK;
}

/* THE FILE */

/* Local. A file that is renamed over a write-protected one would replace it nevertheless. */
static gemp_code check_file(const gemp_graph *graph)
{
	if (!graph->shard->loader.free) /* a loader that reads a file */
		return gemp_fail(GEMP_EUSAGE, "%s: the graph is in no file yet; write it, and open the file", graph->name);
	GEMP_TRY(gemp_file_may_write("index", graph->name));
	if (access(graph->name, W_OK) != 0)
		return gemp_fail(GEMP_EIO, "%s: is write-protected, so it can get no indexes", graph->name);
	return GEMP_OK;
}

/* Collective. Writes the file, and opens it again as the graph. */
static gemp_code write_file(gemp_graph *graph, bool compressed)
{
	const gemp_comm *comm = &graph->context->comm;
	gemp_shard *fresh = NULL;
	const char *weight = NULL;
	char path[PATH_MAX]; /* a link stays a link */
	GEMP_TRY(gemp_graph_file_matrix_values(&weight, comm, graph->shard, graph->name));
	GEMP_TRY(gemp_comm_agree(comm, realpath(graph->name, path)
	                                   ? GEMP_OK
	                                   : gemp_fail(GEMP_EIO, "%s: cannot be found: %s", graph->name, strerror(errno))));
	GEMP_TRY(gemp_graph_file_write_indexed(comm, graph->shard, path, weight, compressed));
	GEMP_TRY(gemp_graph_file_open(&fresh, comm, graph->name, false));
	gemp_shard_free(graph->shard);
	graph->shard = fresh;
	return GEMP_OK;
}

/* The bytes of pointers and indices before compression. */
static uint64_t bytes_of(const gemp_shard *graph, const gemp_row_index *index)
{
	const uint64_t max = gemp_limits_now()->file_i32_max;
	return (graph->vertex_count + 1) * (index->entries <= max ? 4 : 8) +
	       index->entries * (graph->vertex_count <= max ? 4 : 8);
}

static size_t index_count(const gemp_shard *graph)
{
	return graph->row_index_count + graph->value_index_count;
}

static void report_index(gemp_report *report, json_t *list, const char *kind, const char *name, uint64_t entries,
                         uint64_t bytes)
{
	json_array_append_new(list, json_pack("{s:s, s:s, s:o, s:o}", "kind", kind, "name", name, "entries",
	                                      gemp_json_count(entries), "bytes", gemp_json_count(bytes)));
	gemp_report_print(report, "  %-6s  %-24s  %15s entries  %s\n", kind, name, gemp_grouped(entries).text,
	                  gemp_shown_bytes(bytes).text);
}

/* The bytes of an index of values are those of vertices and numbers; the bytes of strings are not counted. */
static gemp_code report_list(gemp_report *report, const gemp_graph *graph)
{
	const gemp_shard *shard = graph->shard;
	json_t *list = json_array();
	gemp_report_print(report, "%s: %s\n", graph->name, gemp_counted(index_count(shard), "index").text);
	for (size_t i = 0; i < shard->row_index_count; i++) {
		const gemp_row_index *index = &shard->row_indexes[i];
		GEMP_OWNED_BY(gemp_text_free) gemp_text name = { 0 };
		gemp_row_index_print(index, shard, &name);
		GEMP_TRY(gemp_text_status(&name));
		report_index(report, list, "rows", name.data, index->entries, bytes_of(shard, index));
	}
	for (size_t i = 0; i < shard->value_index_count; i++) {
		const gemp_value_index *index = &shard->value_indexes[i];
		const gemp_column *column = &shard->attributes.columns[index->attribute];
		const uint64_t bytes = index->entries * (sizeof(uint64_t) + sizeof(gemp_vertex));
		report_index(report, list, "values", column->name, index->entries, bytes);
	}
	gemp_report_set(report, "indexes", list);
	return GEMP_OK;
}

gemp_code gemp_graph_index(gemp_graph *graph, const gemp_index_settings *settings, gemp_report *report)
{
	const gemp_index_settings chosen = gemp_index_settings_from(settings);
	const gemp_comm *comm = &graph->context->comm;
	const size_t before = index_count(graph->shard);
	double since = gemp_now();
	gemp_report none;
	report = gemp_report_or(report, &none, graph->context);
	gemp_code code = change_list(graph, &chosen);
	const bool writes = chosen.drop || index_count(graph->shard) != before;
	if (writes)
		GEMP_THEN(check_file(graph));
	code = gemp_comm_agree(comm, code);
	if (writes)
		GEMP_THEN(write_file(graph, chosen.compressed));
	if (code != GEMP_OK) {
		gemp_shard_drop_indexes(graph->shard); /* the list may differ from the file's */
		return code;
	}
	gemp_timers_add(&graph->timers, GEMP_PHASE_WRITE, since);
	gemp_report_graph(report, graph->shard);
	const gemp_timers timers = gemp_graph_take_timers(graph);
	GEMP_TRY(gemp_comm_agree(comm, report_list(report, graph)));
	gemp_report_seconds(report, &timers, false);
	gemp_report_memory(report, 0);
	return GEMP_OK;
}
