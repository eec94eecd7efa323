#include "euler/order_rows.h"

#include "core/memory.h"
#include "graph/column_bulk.h"
#include "io/rows/row_writer.h"
#include "io/rows/vertex_keys.h"

#include <string.h>

enum { BATCH = 1 << 18 }; /* rows a turn; ranks take turns, so that places follow one another */

enum { PLACE, SOURCE, TYPE, EDGE, TARGET, COLUMNS };
static char *const column_names[COLUMNS] = { "place", "source", "type", "edge", "target" };

/* Buffers for one batch, and the writer. */
typedef struct row_output {
	const gemp_comm *comm;
	const gemp_shard *graph;
	const gemp_euler_edges *edges;
	const gemp_euler_order *order;
	gemp_vertex end_vertex; /* where the last edge of this rank ends */
	gemp_row_writer *writer;
	gemp_vertex *ids;     /* [BATCH + 1] sources, and the last target */
	uint64_t *edge_names; /* [BATCH] names of edges */
	bool oriented;        /* by euler/orient.h */
	uint64_t *indices;    /* [BATCH + 1] */
} row_output;

/* COLUMNS */

/* Request handler: relation and number of the edge in a slot. */
static uint64_t name_edge(void *self, gemp_edge slot)
{
	const gemp_euler_edges *edges = ((const row_output *)self)->edges;
	return gemp_euler_edge_name(gemp_euler_edge_of(edges, gemp_euler_source(edges, slot), slot));
}

/* Collective. Without merged relations or moved edges, slots are the numbers of edges and nobody has to be asked. */
static gemp_code name_edges(row_output *r, const gemp_edge *slots, size_t count)
{
	if (r->edges->relation_count > 1 || r->edges->path_start != GEMP_NO_VERTEX || r->oriented)
		return gemp_euler_query_slots(r->comm, r->edges, slots, count, name_edge, r, r->edge_names);
	for (size_t i = 0; i < count; i++)
		r->edge_names[i] = slots[i];
	return GEMP_OK;
}

/* Place, type and number of each edge; the keys are set separately as they come from their owners. */
static gemp_code add_names(gemp_projected *columns, const row_output *r, gemp_edge first, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		gemp_euler_edge edge = gemp_euler_edge_named(r->edge_names[i]);
		const char *type = r->edges->relations[edge.relation]->name;
		const gemp_value values[] = { { .type = GEMP_INTEGER, .integer = (int64_t)(first + i) },
			                          { .type = GEMP_STRING, .string = { type, strlen(type) } },
			                          { .type = GEMP_INTEGER, .integer = (int64_t)edge.number } };
		GEMP_PROPAGATE(gemp_column_add(&columns[PLACE].value, &values[0]));
		GEMP_PROPAGATE(gemp_column_add(&columns[TYPE].value, &values[1]));
		GEMP_PROPAGATE(gemp_column_add(&columns[EDGE].value, &values[2]));
	}
	return GEMP_OK;
}

static gemp_code new_columns(gemp_projected *columns, const gemp_shard *graph)
{
	const gemp_type types[COLUMNS] = { GEMP_INTEGER, graph->keys.type, GEMP_STRING, GEMP_INTEGER, graph->keys.type };
	for (size_t c = 0; c < COLUMNS; c++) {
		columns[c] = (gemp_projected){ .name = column_names[c] };
		GEMP_PROPAGATE(gemp_column_init(&columns[c].value, column_names[c], types[c]));
		GEMP_PROPAGATE(gemp_column_reserve(&columns[c].value, 0, 0));
	}
	return GEMP_OK;
}

/* The target of an edge is the source of the next, so one fetch of count + 1 keys serves both columns. */
static gemp_code split_key_column(gemp_projected *columns, const gemp_column *keys, size_t count, uint64_t *picked)
{
	gemp_column_free(&columns[SOURCE].value);
	gemp_column_free(&columns[TARGET].value);
	for (size_t i = 0; i <= count; i++)
		picked[i] = i;
	GEMP_PROPAGATE(gemp_column_gather(&columns[SOURCE].value, keys, NULL, picked, count));
	return gemp_column_gather(&columns[TARGET].value, keys, NULL, picked + 1, count);
}

/* Collective. Ranks take turns, so that places are consecutive in the file; ranks without a turn take part with no
 * rows. */
static gemp_code write_batch(row_output *r, size_t at, size_t count)
{
	gemp_code code = GEMP_OK;
	gemp_projected columns[COLUMNS] = { 0 };
	gemp_column keys = { 0 };
	for (size_t i = 0; i < count; i++)
		r->ids[i] = r->order->source[at + i];
	if (count)
		r->ids[count] = at + count < r->order->count ? r->order->source[at + count] : r->end_vertex;
	GEMP_TRY(name_edges(r, r->order->edge + at, count));
	GEMP_TRY(gemp_vertex_keys_fetch(&keys, r->comm, r->graph, r->ids, count ? count + 1 : 0));
	code = new_columns(columns, r->graph);
	GEMP_THEN(add_names(columns, r, r->order->first + at, count));
	if (code == GEMP_OK && count)
		code = split_key_column(columns, &keys, count, r->indices);
	GEMP_TRY(gemp_comm_agree(r->comm, code));
	GEMP_TRY(gemp_row_writer_write(r->writer, columns, COLUMNS, count));
done:
	for (size_t c = 0; c < COLUMNS; c++)
		gemp_column_free(&columns[c].value);
	gemp_column_free(&keys);
	return code;
}

/* Collective. The number of places of each rank, and the vertex where this rank's last edge ends: the first source
 * of the next rank that has any, or the first of all for a circuit. */
static gemp_code count_preceding(row_output *r, uint64_t **counts)
{
	int rank = r->comm->rank, ranks = r->comm->size;
	uint64_t own[2] = { r->order->count, r->order->count ? r->order->source[0] : GEMP_NO_VERTEX };
	GEMP_PROPAGATE(gemp_comm_agree(r->comm, GEMP_NEW(*counts, 2 * (size_t)ranks)));
	GEMP_MPI(MPI_Allgather(own, 2, MPI_UINT64_T, *counts, 2, MPI_UINT64_T, r->comm->world));
	r->end_vertex = r->edges->path_end;
	for (int i = ranks - 1; i >= 0 && r->edges->path_end == GEMP_NO_VERTEX; i--)
		if ((*counts)[2 * i])
			r->end_vertex = (gemp_vertex)(*counts)[2 * i + 1];
	for (int i = ranks - 1; i > rank; i--)
		if ((*counts)[2 * i])
			r->end_vertex = (gemp_vertex)(*counts)[2 * i + 1];
	return GEMP_OK;
}

/* Collective. All ranks know whose turn it is, since they know all counts. */
static gemp_code write_all(row_output *r, size_t max_count)
{
	gemp_code code = GEMP_OK;
	uint64_t *counts = NULL, written = 0;
	GEMP_TRY(count_preceding(r, &counts));
	for (int rank = 0; rank < r->comm->size; rank++)
		for (size_t at = 0; at < counts[2 * rank] && written < max_count; at += BATCH) {
			uint64_t count = counts[2 * rank] - at < BATCH ? counts[2 * rank] - at : BATCH;
			count = count < max_count - written ? count : max_count - written;
			written += count;
			bool own = rank == r->comm->rank;
			GEMP_TRY(write_batch(r, own ? at : 0, own ? count : 0));
		}
done:
	gemp_free(counts);
	return code;
}

/* Collective. The columns are opened without rows, since every batch brings its own. */
static gemp_code open_writer(row_output *r, const gemp_euler_rows_options *options)
{
	gemp_code code = GEMP_OK;
	gemp_projected columns[COLUMNS] = { 0 };
	const gemp_rows_options how = {
		.path = options->path, .preview = options->preview, .semantics = "euler", .distinct = "none"
	};
	size_t capacity = (r->order->count < BATCH ? r->order->count : BATCH) + 1;
	code = new_columns(columns, r->graph);
	GEMP_THEN(gemp_new_all(GEMP_ARRAY(r->ids, capacity), GEMP_ARRAY(r->edge_names, capacity),
	                       GEMP_ARRAY(r->indices, capacity)));
	GEMP_TRY(gemp_comm_agree(r->comm, code));
	GEMP_TRY(gemp_row_writer_open(&r->writer, r->comm, columns, COLUMNS, &how));
done:
	for (size_t c = 0; c < COLUMNS; c++)
		gemp_column_free(&columns[c].value);
	return code;
}

gemp_code gemp_euler_rows_write(const gemp_comm *comm, const gemp_shard *graph, const gemp_euler_edges *edges,
                                const gemp_euler_order *order, const gemp_euler_rows_options *options)
{
	gemp_code code = GEMP_OK;
	row_output r = {
		.comm = comm, .graph = graph, .edges = edges, .order = order, .oriented = edges->own_edge != NULL
	};
	const gemp_result_info info = { .pattern = edges->path_start == GEMP_NO_VERTEX ? "Euler circuit" : "Euler path",
		                            .semantics = "euler",
		                            .distinct = "none",
		                            .graph_hash = graph->hash,
		                            .complete = true };
	GEMP_TRY(open_writer(&r, options));
	GEMP_TRY(write_all(&r, options->path ? SIZE_MAX : options->shown));
	code = gemp_row_writer_close(r.writer, &info);
	r.writer = NULL;
done:
	gemp_row_writer_abandon(r.writer);
	gemp_free_all(r.ids, r.edge_names, r.indices);
	return code;
}
