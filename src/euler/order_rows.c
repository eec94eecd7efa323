#include "euler/order_rows.h"

#include "core/memory.h"
#include "io/rows/row_writer.h"

#include <string.h>

enum { PLACE, SOURCE, TYPE, EDGE, TARGET, COLUMNS };

typedef struct row_source {
	const gemp_comm *comm;
	const gemp_shard *graph;
	const gemp_euler_edges *edges;
	const gemp_euler_order *order;
	gemp_vertex end_vertex; /* where the last edge of this rank ends */
	bool oriented;          /* by euler/orient.h */
} row_source;

/* COLUMNS */

/* Request handler: relation and number of the edge in a slot. */
static uint64_t name_edge(void *self, gemp_edge slot)
{
	const gemp_euler_edges *edges = ((const row_source *)self)->edges;
	return gemp_euler_edge_name(gemp_euler_edge_of(edges, gemp_euler_source(edges, slot), slot));
}

/* Collective. Without merged relations or moved edges, slots are the numbers of edges and nobody has to be asked. */
static gemp_code name_edges(row_source *r, const gemp_edge *slots, size_t count, uint64_t *edge_names)
{
	if (r->edges->relation_count > 1 || r->edges->path_start != GEMP_NO_VERTEX || r->oriented)
		return gemp_euler_query_slots(r->comm, r->edges, slots, count, name_edge, r, edge_names);
	for (size_t i = 0; i < count; i++)
		edge_names[i] = slots[i];
	return GEMP_OK;
}

/* Place, type and number of each edge; the keys are set separately as they come from their owners. */
static gemp_code add_names(gemp_projected *columns, const row_source *r, const uint64_t *edge_names, gemp_edge first,
                           size_t count)
{
	for (size_t i = 0; i < count; i++) {
		gemp_euler_edge edge = gemp_euler_edge_named(edge_names[i]);
		const char *type = r->edges->relations[edge.relation]->name;
		const gemp_value value = { .type = GEMP_STRING, .string = { type, strlen(type) } };
		GEMP_PROPAGATE(gemp_row_fill_integer(&columns[PLACE], first + i));
		GEMP_PROPAGATE(gemp_column_add(&columns[TYPE].value, &value));
		GEMP_PROPAGATE(gemp_row_fill_integer(&columns[EDGE], edge.number));
	}
	return GEMP_OK;
}

/* Collective. The target of an edge is the source of the next, so one fetch of count + 1 keys serves both columns. */
static gemp_code fill_ends(gemp_projected *columns, const row_source *r, size_t first, size_t count)
{
	gemp_code code = GEMP_OK;
	gemp_projected keys = { 0 };
	gemp_vertex *ids = NULL;
	size_t end = first + count;
	GEMP_TRY(gemp_comm_agree(r->comm, GEMP_NEW(ids, count + 1)));
	for (size_t i = 0; i < count; i++)
		ids[i] = r->order->source[first + i];
	ids[count] = end < r->order->count ? r->order->source[end] : r->end_vertex;
	GEMP_TRY(gemp_row_fill_keys(&keys, r->comm, r->graph, ids, count ? count + 1 : 0));
	if (count) {
		code = gemp_row_fill_slice(&columns[SOURCE], &keys.value, 0, count);
		GEMP_THEN(gemp_row_fill_slice(&columns[TARGET], &keys.value, 1, count));
	}
done:
	gemp_projected_free(&keys, 1);
	gemp_free(ids);
	return code;
}

/* Collective. */
static gemp_code fill(void *self, gemp_projected *columns, size_t first, size_t count)
{
	row_source *r = self;
	GEMP_OWNED uint64_t *edge_names = NULL;
	GEMP_PROPAGATE(gemp_comm_agree(r->comm, GEMP_NEW(edge_names, count)));
	GEMP_PROPAGATE(name_edges(r, r->order->edge + first, count, edge_names));
	GEMP_PROPAGATE(gemp_comm_agree(r->comm, fill_ends(columns, r, first, count)));
	return add_names(columns, r, edge_names, r->order->first + first, count);
}

/* Collective. The vertex where this rank's last edge ends: the first source of the next rank that has any, or the first
 * of all for a circuit. */
static gemp_code find_end_vertex(row_source *r)
{
	int rank = r->comm->rank, ranks = r->comm->size;
	const gemp_vertex first = r->order->count ? r->order->source[0] : GEMP_NO_VERTEX;
	GEMP_OWNED gemp_vertex *firsts = NULL;
	GEMP_PROPAGATE(gemp_comm_agree(r->comm, GEMP_NEW(firsts, (size_t)ranks)));
	GEMP_MPI(MPI_Allgather(&first, 1, GEMP_MPI_VERTEX, firsts, 1, GEMP_MPI_VERTEX, r->comm->world));
	r->end_vertex = r->edges->path_end;
	for (int i = ranks - 1; i >= 0 && r->edges->path_end == GEMP_NO_VERTEX; i--)
		if (firsts[i] != GEMP_NO_VERTEX)
			r->end_vertex = firsts[i];
	for (int i = ranks - 1; i > rank; i--)
		if (firsts[i] != GEMP_NO_VERTEX)
			r->end_vertex = firsts[i];
	return GEMP_OK;
}

gemp_code gemp_euler_rows_write(const gemp_comm *comm, const gemp_shard *graph, const gemp_euler_edges *edges,
                                const gemp_euler_order *order, const gemp_euler_rows_options *options)
{
	row_source r = {
		.comm = comm, .graph = graph, .edges = edges, .order = order, .oriented = edges->own_edge != NULL
	};
	const gemp_row_column columns[COLUMNS] = { [PLACE] = { "place", GEMP_INTEGER },
		                                       [SOURCE] = { "source", graph->keys.type },
		                                       [TYPE] = { "type", GEMP_STRING },
		                                       [EDGE] = { "edge", GEMP_INTEGER },
		                                       [TARGET] = { "target", graph->keys.type } };
	gemp_row_turns turns = { .comm = comm,
		                     .columns = columns,
		                     .count = COLUMNS,
		                     .fill = fill,
		                     .self = &r,
		                     .path = options->path,
		                     .table = options->table,
		                     .preview = options->preview,
		                     .shown = options->shown,
		                     .info = gemp_row_info("euler", graph) };
	turns.info.pattern = edges->path_start == GEMP_NO_VERTEX ? "Euler circuit" : "Euler path";
	GEMP_PROPAGATE(find_end_vertex(&r));
	return gemp_row_turns_write(&turns, order->count);
}
