#include "io/rows/row_turns.h"

#include "core/memory.h"
#include "graph/column_bulk.h"
#include "io/rows/vertex_keys.h"

enum { BATCH = 1 << 18 }; /* rows of a turn */

gemp_result_info gemp_row_info(const char *what, const gemp_shard *graph)
{
	return (gemp_result_info){
		.pattern = what, .semantics = what, .distinct = "none", .graph_hash = graph ? graph->hash : 0, .complete = true
	};
}

/* Rows over all ranks: a preview ends. */
static uint64_t limit_of(const gemp_row_turns *turns)
{
	return turns->path || turns->table ? UINT64_MAX : turns->shown;
}

/* Columns without rows; reserving makes even these count as loaded. */
static gemp_code new_columns(gemp_projected **out, const gemp_row_turns *turns)
{
	gemp_code code = GEMP_NEW(*out, turns->count);
	for (size_t c = 0; c < turns->count && code == GEMP_OK; c++) {
		(*out)[c].name = turns->columns[c].name;
		code = gemp_column_init(&(*out)[c].value, turns->columns[c].name, turns->columns[c].type);
		GEMP_THEN(gemp_column_reserve(&(*out)[c].value, 0, 0));
	}
	return gemp_comm_agree(turns->comm, code);
}

static void free_columns(gemp_projected *columns, size_t count)
{
	gemp_projected_free(columns, count);
	gemp_free(columns);
}

gemp_code gemp_row_turns_open(gemp_row_turns *turns)
{
	gemp_code code = GEMP_OK;
	gemp_projected *columns = NULL;
	const gemp_rows_options options = { .path = turns->path,
		                                .table = turns->table,
		                                .limit = limit_of(turns),
		                                .semantics = turns->info.semantics,
		                                .distinct = turns->info.distinct,
		                                .preview = turns->preview };
	GEMP_TRY(new_columns(&columns, turns));
	code = gemp_row_writer_open(&turns->writer, turns->comm, columns, turns->count, &options);
done:
	free_columns(columns, turns->count);
	return code;
}

/* Every turn has columns of its own, so that its memory is given back before the next one. */
static gemp_code write_turn(gemp_row_turns *turns, size_t first, size_t count)
{
	gemp_code code = GEMP_OK;
	gemp_projected *columns = NULL;
	GEMP_TRY(new_columns(&columns, turns));
	GEMP_TRY(gemp_comm_agree(turns->comm, turns->fill(turns->self, columns, first, count)));
	code = gemp_row_writer_write(turns->writer, columns, turns->count, count);
done:
	free_columns(columns, turns->count);
	return code;
}

/* All ranks know all counts, and hence whose turn it is and when a preview is full. */
gemp_code gemp_row_turns_add(gemp_row_turns *turns, uint64_t rows)
{
	const gemp_comm *comm = turns->comm;
	GEMP_OWNED uint64_t *counts = NULL;
	uint64_t left = limit_of(turns);
	if (turns->at_once) {
		uint64_t before = gemp_comm_exscan(comm, rows), remaining = left > before ? left - before : 0;
		return write_turn(turns, 0, (size_t)(rows < remaining ? rows : remaining));
	}
	GEMP_PROPAGATE(gemp_comm_agree(comm, GEMP_NEW(counts, (size_t)comm->size)));
	GEMP_MPI(MPI_Allgather(&rows, 1, MPI_UINT64_T, counts, 1, MPI_UINT64_T, comm->world));
	for (int rank = 0; rank < comm->size; rank++)
		for (uint64_t first = 0, count; first < counts[rank] && left; first += count, left -= count) {
			const bool own = rank == comm->rank;
			count = counts[rank] - first < BATCH ? counts[rank] - first : BATCH;
			count = count < left ? count : left;
			GEMP_PROPAGATE(write_turn(turns, own ? (size_t)first : 0, own ? (size_t)count : 0));
		}
	return GEMP_OK;
}

gemp_code gemp_row_turns_close(gemp_row_turns *turns)
{
	gemp_row_writer *writer = turns->writer;
	turns->writer = NULL; /* closing frees it, also after a failure */
	return gemp_row_writer_close(writer, &turns->info);
}

void gemp_row_turns_abandon(gemp_row_turns *turns)
{
	gemp_row_writer_abandon(turns->writer);
	turns->writer = NULL;
}

gemp_code gemp_row_turns_write(gemp_row_turns *turns, uint64_t rows)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(gemp_row_turns_open(turns));
	GEMP_TRY(gemp_row_turns_add(turns, rows));
	code = gemp_row_turns_close(turns);
done:
	gemp_row_turns_abandon(turns);
	return code;
}

/* CALLBACKS */

gemp_code gemp_row_fill_keys(gemp_projected *column, const gemp_comm *comm, const gemp_shard *graph,
                             const gemp_vertex *ids, size_t count)
{
	gemp_column_free(&column->value);
	return gemp_vertex_keys_fetch(&column->value, comm, graph, ids, count);
}

gemp_code gemp_row_fill_slice(gemp_projected *column, const gemp_column *from, size_t first, size_t count)
{
	uint64_t *rows = NULL;
	gemp_code code = GEMP_NEW(rows, count);
	for (size_t i = 0; i < count && code == GEMP_OK; i++)
		rows[i] = first + i;
	gemp_column_free(&column->value);
	GEMP_THEN(gemp_column_gather(&column->value, from, NULL, rows, count));
	gemp_free(rows);
	return code;
}

gemp_code gemp_row_fill_integer(gemp_projected *column, uint64_t value)
{
	return gemp_column_add(&column->value, &(gemp_value){ .type = GEMP_INTEGER, .integer = (int64_t)value });
}
