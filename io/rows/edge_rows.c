/* The edges are written in turns of row_writer, since the keys of their ends may be on other ranks. */

#include "io/rows/edge_rows.h"

#include "core/status.h"

#include <string.h>

enum { SOURCE, TYPE, EDGE, TARGET, COLUMNS };

struct gemp_edge_rows {
	gemp_row_column columns[COLUMNS];
	gemp_row_turns turns;
	const gemp_shard *graph;
	/* the edges of the current call of gemp_edge_rows_add */
	const gemp_relation *relation;
	const uint64_t *numbers;
	const gemp_edge_pair *pairs;
};

/* Fills the columns TYPE and EDGE. The edges of a relation are numbered through all ranks, so the rank's first number
 * is added. */
static gemp_code fill_names(const gemp_edge_rows *rows, gemp_projected *columns, size_t first, size_t count)
{
	const gemp_relation *relation = rows->relation;
	const gemp_value type = { .type = GEMP_STRING, .string = { relation->name, strlen(relation->name) } };
	for (size_t i = first; i < first + count; i++) {
		uint64_t number = relation->first_edge + (rows->numbers ? rows->numbers[i] : i);
		GEMP_TRY(gemp_column_add(&columns[TYPE].value, &type));
		GEMP_TRY(gemp_row_fill_integer(&columns[EDGE], number));
	}
	return GEMP_OK;
}

/* Collective. Other ranks may own the ends of an edge, so the keys of the ends are fetched. */
static gemp_code fill_edges(void *self, gemp_projected *columns, size_t first, size_t count)
{
	const gemp_edge_rows *rows = self;
	const gemp_comm *comm = rows->turns.comm;
	GEMP_OWNED gemp_vertex *ids = NULL;
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(ids, count)));
	for (size_t i = 0; i < count; i++)
		ids[i] = rows->pairs[first + i].source;
	GEMP_TRY(gemp_row_fill_keys(&columns[SOURCE], comm, rows->graph, ids, count));
	for (size_t i = 0; i < count; i++)
		ids[i] = rows->pairs[first + i].target;
	GEMP_TRY(gemp_row_fill_keys(&columns[TARGET], comm, rows->graph, ids, count));
	return fill_names(rows, columns, first, count);
}

/* rows->turns borrows rows->columns, so both live in the same object. */
gemp_code gemp_edge_rows_open(gemp_edge_rows **out, const gemp_comm *comm, const gemp_shard *graph, const char *path,
                              const char *what)
{
	GEMP_OWNED gemp_edge_rows *rows = NULL;
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(rows, 1)));
	rows->graph = graph;
	rows->columns[SOURCE] = (gemp_row_column){ "source", graph->keys.type };
	rows->columns[TYPE] = (gemp_row_column){ "type", GEMP_STRING };
	rows->columns[EDGE] = (gemp_row_column){ "edge", GEMP_INTEGER };
	rows->columns[TARGET] = (gemp_row_column){ "target", graph->keys.type };
	rows->turns = (gemp_row_turns){ .comm = comm,
		                            .columns = rows->columns,
		                            .count = COLUMNS,
		                            .fill = fill_edges,
		                            .self = rows,
		                            .path = path,
		                            .info = gemp_row_info(what, graph) };
	GEMP_TRY(gemp_row_turns_open(&rows->turns));
	*out = rows;
	rows = NULL;
	return GEMP_OK;
}

/* fill_edges reads these members, which are valid only during this call. */
gemp_code gemp_edge_rows_add(gemp_edge_rows *rows, size_t relation, const uint64_t *numbers,
                             const gemp_edge_pair *pairs, size_t count)
{
	rows->relation = &rows->graph->relations[relation];
	rows->numbers = numbers;
	rows->pairs = pairs;
	return gemp_row_turns_add(&rows->turns, count);
}

gemp_code gemp_edge_rows_close(gemp_edge_rows *rows)
{
	if (!rows)
		return GEMP_OK;
	gemp_code code = gemp_row_turns_close(&rows->turns);
	gemp_edge_rows_abandon(rows);
	return code;
}

void gemp_edge_rows_abandon(gemp_edge_rows *rows)
{
	if (!rows)
		return;
	gemp_row_turns_abandon(&rows->turns);
	gemp_free(rows);
}
