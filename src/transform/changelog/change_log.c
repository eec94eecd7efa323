#include "transform/changelog/change_log.h"

#include "graph/json_value.h"

#include <inttypes.h>
#include <string.h>

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

/* Collective. Rank 0's text; the others have none. */
static gemp_code write_text(gemp_change_log *log, gemp_text *text)
{
	gemp_code code = gemp_comm_agree(log->comm, gemp_text_status(text));
	GEMP_THEN(gemp_output_write(log->output, text->data, text->size));
	gemp_text_free(text);
	return code;
}

gemp_code gemp_change_log_head(gemp_change_log *log, const gemp_shard *graph, const char *rules, uint64_t seed)
{
	gemp_text text = { 0 };
	if (log->comm->rank == 0) {
		gemp_text_print(&text, "{\"changes\":%d,\"version\":\"%s\",\"graph\":\"%016" PRIx64 "\",\"rules\":",
		                GEMP_CHANGE_LOG_FORM, GEMP_VERSION, graph->hash);
		gemp_json_string(&text, rules, strlen(rules));
		gemp_text_print(&text, ",\"seed\":%" PRIu64 "}\n", seed);
	}
	return write_text(log, &text);
}

/* THE FOOT. Attributes in the order in which the graph has them, which its hash tells. */

static void add_column(gemp_text *out, size_t at, const gemp_column *column)
{
	gemp_text_print(out, "%s{\"name\":", at ? "," : "");
	gemp_json_string(out, column->name, strlen(column->name));
	gemp_text_print(out, ",\"type\":\"%s\"}", gemp_type_name[column->type]);
}

/* Is there a column that has to stand before this one in some relation, and was not taken? */
static bool must_wait(const gemp_shard *graph, const char *name, const gemp_table *taken)
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

/* Takes the next column that needs not wait for others, or any. */
static gemp_code take_next(const gemp_shard *graph, gemp_table *taken, bool any, bool *found)
{
	for (size_t r = 0; r < graph->relation_count; r++)
		for (size_t c = 0; c < graph->relations[r].props.count; c++) {
			const gemp_column *column = &graph->relations[r].props.columns[c];
			if (gemp_table_find(taken, column->name) || (!any && must_wait(graph, column->name, taken)))
				continue;
			*found = true;
			return gemp_table_add(taken, column->name, column->type, NULL);
		}
	return GEMP_OK;
}

/* Of all relations together, in an order that each of them agrees with, then those that were only there in between. */
static gemp_code order_edge_columns(const gemp_shard *graph, const gemp_table *seen, gemp_table *taken)
{
	gemp_code code = GEMP_OK;
	for (bool found = true; found && code == GEMP_OK;) {
		found = false;
		code = take_next(graph, taken, false, &found);
		if (code == GEMP_OK && !found)
			code = take_next(graph, taken, true, &found);
	}
	for (size_t c = 0; c < seen->count && code == GEMP_OK; c++)
		if (!gemp_table_find(taken, seen->columns[c].name))
			code = gemp_table_add(taken, seen->columns[c].name, seen->columns[c].type, NULL);
	return code;
}

static gemp_code add_columns(gemp_text *out, const gemp_shard *graph, const gemp_table *seen)
{
	gemp_table edges = { 0 };
	gemp_code code = order_edge_columns(graph, seen, &edges);
	gemp_text_print(out, ",\"vertex_attributes\":[");
	for (size_t c = 0; c < graph->attributes.count; c++)
		add_column(out, c, &graph->attributes.columns[c]);
	gemp_text_print(out, "],\"edge_attributes\":[");
	for (size_t c = 0; c < edges.count; c++)
		add_column(out, c, &edges.columns[c]);
	gemp_text_print(out, "]");
	gemp_table_free(&edges);
	return code;
}

gemp_code gemp_change_log_foot(gemp_change_log *log, const gemp_shard *graph, uint64_t steps)
{
	gemp_code code = GEMP_OK;
	gemp_text text = { 0 };
	if (log->comm->rank == 0) {
		gemp_text_print(&text,
		                "{\"end\":%" PRIu64 ",\"lines\":%" PRIu64 ",\"graph\":\"%016" PRIx64 "\",\"vertices\":%" PRIu64
		                ",\"edges\":%" PRIu64,
		                steps, log->recorder.lines, graph->hash, graph->vertex_count, gemp_shard_edges(graph));
		code = add_columns(&text, graph, &log->recorder.seen);
		gemp_text_print(&text, "}\n");
	}
	code = gemp_comm_agree(log->comm, code);
	if (code == GEMP_OK)
		return write_text(log, &text);
	gemp_text_free(&text);
	return code;
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
