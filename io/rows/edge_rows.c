/* Rows need the keys of both ends, which other ranks own: they are fetched in batches while the ranks take
 * turns, so that memory is bounded and the order of rows does not depend on the number of ranks. */

#include "io/rows/edge_rows.h"

#include "core/memory.h"
#include "io/rows/row_writer.h"
#include "io/rows/vertex_keys.h"

#include <string.h>

enum { BATCH = 1 << 18 }; /* rows a turn; ranks take turns, so that the rows do not depend on their number */

enum { SOURCE, TYPE, EDGE, TARGET, COLUMNS };
static char *const names[COLUMNS] = { "source", "type", "edge", "target" };

struct gemp_edge_rows {
	const gemp_comm *comm;
	const gemp_shard *graph;
	gemp_row_writer *writer;
	const char *what;
	gemp_vertex *ids; /* [BATCH] */
};

/* keys: sources and targets, too, without rows; else they are there already. */
static gemp_code new_columns(gemp_projected *columns, const gemp_shard *graph, bool keys)
{
	const gemp_type types[COLUMNS] = { graph->keys.type, GEMP_STRING, GEMP_INTEGER, graph->keys.type };
	for (size_t c = 0; c < COLUMNS; c++) {
		columns[c].name = names[c];
		if (!keys && (c == SOURCE || c == TARGET))
			continue;
		GEMP_PROPAGATE(gemp_column_init(&columns[c].value, names[c], types[c]));
		GEMP_PROPAGATE(gemp_column_reserve(&columns[c].value, 0, 0));
	}
	return GEMP_OK;
}

/* The number of an edge counts through all ranks in the order of its type. */
static gemp_code add_names(gemp_projected *columns, const gemp_relation *relation, const uint64_t *numbers, uint64_t at,
                           size_t count)
{
	const gemp_value type = { .type = GEMP_STRING, .string = { relation->name, strlen(relation->name) } };
	for (size_t i = 0; i < count; i++) {
		uint64_t number = relation->first_edge + (numbers ? numbers[at + i] : at + i);
		const gemp_value edge = { .type = GEMP_INTEGER, .integer = (int64_t)number };
		GEMP_PROPAGATE(gemp_column_add(&columns[TYPE].value, &type));
		GEMP_PROPAGATE(gemp_column_add(&columns[EDGE].value, &edge));
	}
	return GEMP_OK;
}

/* Opened before the work, so that a place that cannot be written to is found early. */
gemp_code gemp_edge_rows_open(gemp_edge_rows **out, const gemp_comm *comm, const gemp_shard *graph, const char *path,
                              const char *what)
{
	gemp_projected columns[COLUMNS] = { 0 };
	const gemp_rows_options how = { .path = path, .limit = UINT64_MAX, .semantics = what, .distinct = "none" };
	gemp_code code = GEMP_NEW(*out, 1);
	GEMP_THEN(GEMP_NEW((*out)->ids, BATCH));
	GEMP_THEN(new_columns(columns, graph, true));
	GEMP_TRY(gemp_comm_agree(comm, code));
	(*out)->comm = comm;
	(*out)->graph = graph;
	(*out)->what = what;
	code = gemp_row_writer_open(&(*out)->writer, comm, columns, COLUMNS, &how);
done:
	for (size_t c = 0; c < COLUMNS; c++)
		gemp_column_free(&columns[c].value);
	if (code != GEMP_OK) {
		gemp_edge_rows_abandon(*out);
		*out = NULL;
	}
	return code;
}

/* Collective. One rank's rows; the others have none now. */
static gemp_code write_batch(gemp_edge_rows *rows, const gemp_relation *relation, const uint64_t *numbers,
                             const gemp_edge_pair *pairs, uint64_t at, size_t count)
{
	gemp_code code = GEMP_OK;
	gemp_projected columns[COLUMNS] = { 0 };
	for (size_t i = 0; i < count; i++)
		rows->ids[i] = pairs[at + i].source;
	GEMP_TRY(gemp_vertex_keys_fetch(&columns[SOURCE].value, rows->comm, rows->graph, rows->ids, count));
	for (size_t i = 0; i < count; i++)
		rows->ids[i] = pairs[at + i].target;
	GEMP_TRY(gemp_vertex_keys_fetch(&columns[TARGET].value, rows->comm, rows->graph, rows->ids, count));
	code = new_columns(columns, rows->graph, false);
	GEMP_THEN(add_names(columns, relation, numbers, at, count));
	GEMP_TRY(gemp_comm_agree(rows->comm, code));
	code = gemp_row_writer_write(rows->writer, columns, COLUMNS, count);
done:
	for (size_t c = 0; c < COLUMNS; c++)
		gemp_column_free(&columns[c].value);
	return code;
}

/* Ranks take turns in batches, which bounds the keys that are fetched at a time. */
gemp_code gemp_edge_rows_add(gemp_edge_rows *rows, size_t relation, const uint64_t *numbers,
                             const gemp_edge_pair *pairs, size_t count)
{
	gemp_code code = GEMP_OK;
	uint64_t own = count, *counts = NULL;
	const gemp_relation *of = &rows->graph->relations[relation];
	GEMP_TRY(gemp_comm_agree(rows->comm, GEMP_NEW(counts, (size_t)rows->comm->size)));
	GEMP_MPI(MPI_Allgather(&own, 1, MPI_UINT64_T, counts, 1, MPI_UINT64_T, rows->comm->world));
	for (int rank = 0; rank < rows->comm->size; rank++)
		for (uint64_t at = 0; at < counts[rank]; at += BATCH) {
			size_t now = counts[rank] - at < BATCH ? (size_t)(counts[rank] - at) : BATCH;
			bool mine = rank == rows->comm->rank;
			GEMP_TRY(write_batch(rows, of, numbers, pairs, mine ? at : 0, mine ? now : 0));
		}
done:
	gemp_free(counts);
	return code;
}

/* The description of HDF5 files names the command in place of a pattern. */
gemp_code gemp_edge_rows_close(gemp_edge_rows *rows)
{
	if (!rows)
		return GEMP_OK;
	const gemp_result_info info = { .pattern = rows->what,
		                            .semantics = rows->what,
		                            .distinct = "none",
		                            .graph_hash = rows->graph->hash,
		                            .complete = true };
	gemp_code code = gemp_row_writer_close(rows->writer, &info);
	rows->writer = NULL;
	gemp_edge_rows_abandon(rows);
	return code;
}

/* Takes an object that is only partly made. */
void gemp_edge_rows_abandon(gemp_edge_rows *rows)
{
	if (!rows)
		return;
	gemp_row_writer_abandon(rows->writer);
	gemp_free_all(rows->ids, rows);
}
