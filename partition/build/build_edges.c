/* The stage that sends edges to the owners of their sources and makes the rows of every relation. The relations are the
 * edge types of all ranks in bytewise order. A relation has the columns in which some edge of the relation, on any
 * rank, has a value.
 *
 * If no edge of the graph has a value, edges travel as arrays. The rounds start at the end of the list, so the memory
 * of sent edges is freed. If some edge has a value, edges travel as packed records. The owners sort the rows, merge
 * parallel edges or note that a relation has some, number the edges and make the rows by target. */

#include "comm/exchange.h"
#include "core/log.h"
#include "core/memory.h"
#include "graph/column_bulk.h"
#include "graph/either_rows.h"
#include "partition/build/builder_state.h"
#include "partition/build/orient.h"
#include "partition/build/row_builder.h"
#include "partition/build/row_partition.h"
#include "partition/build/rows_by_target.h"
#include "partition/build/symmetric_rows.h"
#include "partition/exchange/record_stream.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* An edge with values on its way to the owner of its source. The packed values of the relation's columns follow. */
typedef struct edge_header {
	uint32_t relation;
	gemp_edge_pair ends;
} edge_header;

/* The received edges of one relation. Their values are in the relation's props, in the same order. The lists are the
 * edges of a single rank's parts, which are not copied. */
typedef struct received_edges {
	gemp_edge_pair *edges; /* [count] */
	size_t count, capacity;
	gemp_pair_list *lists; /* [list_count] */
	size_t list_count;
} received_edges;

/* The state of the record stream's callbacks, and the edges that this rank has received. */
typedef struct edge_router {
	gemp_builder *builder;
	gemp_shard *graph;
	gemp_builder_part *part; /* the part whose edges are sent */
	uint32_t *number;        /* [types of the part] index of each type's relation */
	uint64_t *used;          /* [relations][edge columns] 1: some edge of the relation has a value in the column */
	bool bare;               /* no edge has a value */
	received_edges *arrived; /* [relations] */
	bool merged;             /* bare undirected edges go to the owners of both ends, which make merged rows */
	/* The next four members are used for bare edges only. */
	size_t round;            /* edges in one round */
	int *owner;              /* [2 * round] */
	edge_header *headed;     /* [2 * round]; NULL if there is one relation */
	gemp_edge_pair *doubled; /* [2 * round]; NULL unless `merged` and there is one relation */
} edge_router;

/* A part numbers its types by first appearance; the relations of the graph are in the order of their names. */
static uint32_t relation_of(const edge_router *route, size_t record)
{
	const uint32_t *types = route->part->edges.types;
	return route->number[types ? types[record] : 0];
}

/* An edge is stored by the owner of its source. */
static int owner(void *self, size_t record)
{
	const edge_router *route = self;
	return gemp_shard_owner(route->graph, route->part->edges.ids[record].source);
}

/* Packs only the columns that the relation has, in the order in which the receiver unpacks them. */
static gemp_code pack(void *self, size_t record, gemp_text *out)
{
	const edge_router *route = self;
	const gemp_table *values = &route->part->edge_values;
	edge_header head = { relation_of(route, record), route->part->edges.ids[record] };
	gemp_text_add(out, &head, sizeof head);
	for (size_t c = 0; c < values->count; c++)
		if (route->used[head.relation * values->count + c])
			GEMP_TRY(gemp_column_pack(&values->columns[c], record, out));
	return GEMP_OK;
}

/* Each received text has whole records. The values are appended to the columns of the relation. */
static gemp_code receive(void *self, int source, const char *at, const char *end)
{
	(void)source;
	const edge_router *route = self;
	while (at < end) {
		edge_header head;
		memcpy(&head, at, sizeof head);
		at += sizeof head;
		received_edges *edges = &route->arrived[head.relation];
		gemp_table *props = &route->graph->relations[head.relation].props;
		GEMP_TRY(GEMP_RESERVE(edges->edges, edges->capacity, edges->count + 1));
		edges->edges[edges->count++] = head.ends;
		for (size_t c = 0; c < props->count; c++)
			GEMP_TRY(gemp_column_unpack(&props->columns[c], &at, end));
	}
	return GEMP_OK;
}

/* Collective. Every rank gets the types of all ranks, as a relation must have the same index on all ranks. */
static gemp_code gather_types(const gemp_builder *builder, gemp_bytes *names)
{
	gemp_code code = GEMP_OK;
	GEMP_OWNED_BY(gemp_dictionary_free) gemp_dictionary mine = { 0 };
	for (size_t p = 0; p < builder->part_count && code == GEMP_OK; p++) {
		const gemp_bytes *types = &builder->parts[p].types.list;
		for (size_t i = 0; i < types->count && code == GEMP_OK; i++) {
			uint32_t index;
			const gemp_string name = gemp_bytes_at(types, i);
			code = gemp_dictionary_add(&mine, name.bytes, name.size, &index);
		}
	}
	return gemp_bytes_union(builder->comm, code, &mine.list, names);
}

/* Collective. Makes one relation for each name. */
static gemp_code name_relations(gemp_builder *builder, gemp_shard *graph, const gemp_bytes *names)
{
	gemp_code code = GEMP_NEW(graph->relations, names->count);
	for (; code == GEMP_OK && graph->relation_count < names->count; graph->relation_count++) {
		gemp_relation *relation = &graph->relations[graph->relation_count];
		relation->directed = !builder->options.undirected;
		relation->name = gemp_bytes_copy(names, graph->relation_count);
		code = relation->name ? GEMP_OK : GEMP_ENOMEM;
	}
	return gemp_comm_agree(builder->comm, code);
}

/* Local. Makes `part` the part whose edges are sent next. */
static gemp_code choose_part(edge_router *route, gemp_builder_part *part, const gemp_bytes *names)
{
	route->part = part;
	gemp_free(route->number);
	GEMP_TRY(GEMP_NEW(route->number, part->types.list.count));
	for (size_t i = 0; i < part->types.list.count; i++)
		route->number[i] = (uint32_t)gemp_bytes_find(names, gemp_bytes_at(&part->types.list, i));
	return GEMP_OK;
}

/* Local. Marks the columns in which edges of the part have values, by relation. */
static gemp_code find_used_columns(edge_router *route)
{
	gemp_table *values = &route->part->edge_values;
	size_t edges = route->part->edges.count;
	for (size_t c = 0; c < values->count; c++) {
		gemp_column *column = &values->columns[c];
		GEMP_TRY(gemp_column_pad(column, edges));
		for (size_t e = 0; e < edges; e++)
			if (!column->null || !column->null[e])
				route->used[relation_of(route, e) * values->count + c] = 1;
	}
	return GEMP_OK;
}

/* Collective. Gives each relation the columns in which some edge of the relation, on any rank, has a value. */
static gemp_code assign_columns(edge_router *route, const gemp_bytes *names)
{
	gemp_builder *builder = route->builder;
	const gemp_table *values = &builder->parts[0].edge_values;
	size_t relations = route->graph->relation_count, columns = values->count;
	gemp_code code = GEMP_NEW(route->used, relations * columns);
	for (size_t p = 0; code == GEMP_OK && columns && p < builder->part_count; p++) {
		code = choose_part(route, &builder->parts[p], names);
		GEMP_THEN(find_used_columns(route));
	}
	GEMP_TRY(gemp_comm_agree(builder->comm, code));
	gemp_comm_max(builder->comm, route->used, (int)(relations * columns));
	route->bare = true;
	route->merged = builder->options.merged_rows && relations &&
	                gemp_relation_is_symmetric(&route->graph->relations[0]);
	for (size_t i = 0; i < relations * columns; i++)
		if (route->used[i]) {
			route->bare = route->merged = false;
			GEMP_TRY(gemp_table_add(&route->graph->relations[i / columns].props, values->columns[i % columns].name,
			                        values->columns[i % columns].type, NULL));
		}
	return GEMP_OK;
}

/* Local. Makes the sorted rows of a relation without attributes. */
static gemp_code make_bare_rows(const gemp_shard *graph, received_edges *edges, gemp_relation *relation, bool merge)
{
	gemp_row_builder rows = { .rows = graph->rows, .first = graph->first_vertex };
	gemp_pair_list received = { edges->edges, edges->count };
	gemp_code code = gemp_row_partition_make(&rows, edges->list_count ? edges->lists : &received,
	                                         edges->list_count ? edges->list_count : 1, graph->vertex_count, false,
	                                         merge, &relation->multigraph);
	if (!edges->list_count)
		edges->edges = received.pairs;
	relation->out_offsets = rows.begin;
	relation->out_targets = rows.slots;
	if (code == GEMP_OK)
		relation->props.rows = rows.begin[rows.rows];
	return code;
}

/* Collective. Makes the merged rows of a symmetric relation. */
static gemp_code make_merged(const gemp_builder *builder, const gemp_shard *graph, received_edges *edges,
                             gemp_relation *relation)
{
	gemp_pair_list received = { edges->edges, edges->count };
	const bool own = edges->list_count > 0;
	edges->edges = NULL;
	gemp_code code = gemp_symmetric_rows_make(builder->comm, graph, own ? edges->lists : &received,
	                                          own ? edges->list_count : 1, builder->options.merge_parallel, relation);
	gemp_free(received.pairs);
	return code;
}

/* Local. Makes the sorted rows and the attributes of one relation from its edges. If the options ask for merging, only
 * the first of each group of parallel edges stays. */
static gemp_code make_rows(const gemp_builder *builder, const gemp_shard *graph, received_edges *edges,
                           gemp_relation *relation)
{
	gemp_table *props = &relation->props;
	bool merge = builder->options.merge_parallel, valued = props->count > 0, parallel;
	gemp_row_builder rows = { .rows = graph->rows, .first = graph->first_vertex };
	if (!valued)
		return make_bare_rows(graph, edges, relation, merge);
	gemp_code code = gemp_row_builder_make(&rows, edges->edges, edges->count, graph->vertex_count, true, &parallel);
	GEMP_OWNED gemp_edge *order = rows.edges;
	relation->out_offsets = rows.begin;
	relation->out_targets = rows.slots;
	GEMP_TRY(code);
	gemp_free(edges->edges);
	edges->edges = NULL;
	GEMP_TRY(gemp_table_permute(props, order, edges->count));
	if (parallel)
		GEMP_TRY(gemp_rows_sort_parallel(rows.begin, rows.slots, rows.rows, props, NULL));
	relation->multigraph = parallel && !merge;
	props->rows = edges->count;
	if (!parallel || !merge)
		return GEMP_OK;
	for (size_t e = 0; e < edges->count; e++)
		order[e] = e;
	gemp_row_builder_drop_parallel(&rows);
	props->rows = rows.begin[rows.rows];
	return gemp_table_permute(props, order, props->rows);
}

/* Collective. Edges are numbered by rank, then by row, so each rank only needs the number of edges on the ranks
 * before. */
static void number_edges(const gemp_comm *comm, const gemp_shard *graph, gemp_relation *relation)
{
	uint64_t mine = relation->out_offsets[graph->rows], multigraph = relation->multigraph;
	relation->first_edge = gemp_comm_exscan(comm, mine);
	relation->edge_count = gemp_comm_sum1(comm, mine);
	gemp_comm_max(comm, &multigraph, 1);
	relation->multigraph = multigraph;
}

/* Local. Drops the marked edges of one relation. */
static gemp_code drop_marked(const gemp_shard *graph, gemp_relation *relation, const uint8_t *marked)
{
	GEMP_OWNED uint64_t *order = NULL;
	uint64_t kept = 0, begin = 0;
	GEMP_TRY(GEMP_NEW(order, relation->out_offsets[graph->rows]));
	for (size_t v = 0; v < graph->rows; v++) {
		uint64_t end = relation->out_offsets[v + 1];
		for (uint64_t e = begin; e < end; e++)
			if (!marked[e]) {
				relation->out_targets[kept] = relation->out_targets[e];
				order[kept++] = e;
			}
		begin = end;
		relation->out_offsets[v + 1] = kept;
	}
	return gemp_table_permute(&relation->props, order, kept);
}

/* Collective. The edges of a symmetric relation have one direction, so several edges of a pair are in one row. */
static void warn_of_parallel(const gemp_comm *comm, const gemp_shard *graph, const gemp_relation *relation)
{
	uint64_t pairs = 0;
	const gemp_vertex *targets = relation->out_targets;
	for (size_t v = 0; v < graph->rows && relation->multigraph; v++) {
		uint64_t begin = relation->out_offsets[v], end = relation->out_offsets[v + 1];
		for (uint64_t e = begin + 1; e < end; e++)
			pairs += targets[e] == targets[e - 1] && (e == begin + 1 || targets[e] != targets[e - 2]);
	}
	if ((pairs = gemp_comm_sum1(comm, pairs)) > 0)
		gemp_warn("relation %s: %" PRIu64 " pairs of vertices are joined by several edges; these edges stay parallel, "
		          "--parallel merge makes them one",
		          relation->name, pairs);
}

/* Collective. Finds the pairs of vertices that an undirected relation joins in both directions. With merge_parallel the
 * edge from the larger id is dropped. Without merge_parallel the user is warned. */
static gemp_code handle_reciprocal(const gemp_builder *builder, const gemp_shard *graph, gemp_relation *relation)
{
	GEMP_OWNED uint8_t *marked = NULL;
	bool merge = builder->options.merge_parallel;
	GEMP_TRY(gemp_comm_agree(builder->comm, GEMP_NEW(marked, relation->out_offsets[graph->rows])));
	uint64_t pairs = gemp_comm_sum1(builder->comm, gemp_rows_by_target_reciprocal(graph, relation, marked));
	if (pairs && !merge)
		gemp_warn("relation %s: %" PRIu64 " pairs of vertices are joined in both directions; these edges stay "
		          "parallel, --parallel merge makes them one",
		          relation->name, pairs);
	if (pairs && merge) {
		GEMP_TRY(gemp_comm_agree(builder->comm, drop_marked(graph, relation, marked)));
		number_edges(builder->comm, graph, relation);
		GEMP_TRY(gemp_rows_by_target_make(builder->comm, builder->options.batch, graph, relation));
	}
	return GEMP_OK;
}

/* Appends received edges to the edges of their relation. */
static gemp_code keep(received_edges *edges, const gemp_edge_pair *more, size_t count)
{
	gemp_code code = GEMP_RESERVE(edges->edges, edges->capacity, edges->count + count);
	if (code == GEMP_OK && count)
		memcpy(edges->edges + edges->count, more, count * sizeof *more);
	edges->count += code == GEMP_OK ? count : 0;
	return code;
}

/* Appends received edges of several relations, each edge to the edges of its relation. */
static gemp_code keep_headed(received_edges *edges, const edge_header *more, size_t count)
{
	gemp_code code = GEMP_OK;
	for (size_t i = 0; i < count && code == GEMP_OK; i++)
		code = keep(&edges[more[i].relation], &more[i].ends, 1);
	return code;
}

/* Collective. Sends one round of bare edges. With one relation an edge takes 8 bytes. With several relations a header
 * with the index of the relation precedes each edge. */
static gemp_code send_round(const edge_router *route, size_t first, size_t count)
{
	const gemp_comm *comm = route->builder->comm;
	const gemp_edge_pair *ids = route->part->edges.ids;
	const void *records = route->headed    ? (void *)route->headed
	                      : route->doubled ? (void *)route->doubled
	                      : count          ? (void *)(ids + first)
	                                       : NULL;
	size_t size = route->headed ? sizeof *route->headed : sizeof *ids, sent = 0;
	GEMP_OWNED size_t *from = NULL;
	GEMP_OWNED void *received = NULL;
	for (size_t i = first; i < first + count; i++) {
		const int owner[2] = { gemp_shard_owner(route->graph, ids[i].source),
			                   route->merged ? gemp_shard_owner(route->graph, ids[i].target) : -1 };
		for (int end = 0; end < 2 && owner[end] >= 0 && (end == 0 || owner[1] != owner[0]); end++) {
			if (route->headed)
				route->headed[sent] = (edge_header){ relation_of(route, i), ids[i] };
			else if (route->doubled)
				route->doubled[sent] = ids[i];
			route->owner[sent++] = owner[end];
		}
	}
	GEMP_TRY(gemp_exchange_records(comm, GEMP_OK, records, sent, size, route->owner, &received, &from, NULL));
	return gemp_comm_agree(comm, route->headed ? keep_headed(route->arrived, received, from[comm->size])
	                                           : keep(route->arrived, received, from[comm->size]));
}

/* Collective. Sends the bare edges of the chosen part. The last edges are sent first, so the memory of sent edges is
 * freed by shortening the list. */
static gemp_code send_bare(const edge_router *route)
{
	enum { TRUNCATE_ROUNDS = 8 }; /* rounds between two truncations of the list */
	gemp_edge_list *edges = &route->part->edges;
	uint64_t rounds = gemp_exchange_rounds(route->builder->comm, edges->count, route->round);
	size_t left = edges->count;
	for (uint64_t round = 1; round <= rounds; round++) {
		size_t count = gemp_min(left, route->round);
		left -= count;
		gemp_progress("exchanging edges", round, rounds, 0);
		GEMP_TRY(send_round(route, left, count));
		if (round % TRUNCATE_ROUNDS == 0)
			GEMP_TRY(gemp_comm_agree(route->builder->comm, gemp_edge_list_truncate(edges, left)));
	}
	return GEMP_OK;
}

/* Local. A single rank with one relation owns all edges already. */
static gemp_code keep_part(received_edges *edges, gemp_edge_list *list)
{
	const gemp_pair_list own = { list->ids, list->count };
	GEMP_TRY(GEMP_APPEND(edges->lists, edges->list_count, &own));
	list->ids = NULL;
	return GEMP_OK;
}

/* Local. The same for edges with values: the columns of the parts follow one another. */
static gemp_code keep_valued_part(const edge_router *route)
{
	const gemp_table *values = &route->part->edge_values;
	gemp_table *props = &route->graph->relations[0].props;
	for (size_t c = 0, to = 0; c < values->count; c++)
		if (route->used[c])
			GEMP_TRY(gemp_column_append(&props->columns[to++], &values->columns[c]));
	return keep(route->arrived, route->part->edges.ids, route->part->edges.count);
}

/* Collective. Sends the edges of the chosen part. */
static gemp_code send_part(const edge_router *route)
{
	const gemp_comm *comm = route->builder->comm;
	const gemp_record_stream stream = {
		(void *)(uintptr_t)route, route->part->edges.count, route->builder->options.batch, owner, pack, receive
	};
	if (comm->size == 1 && route->graph->relation_count == 1)
		return route->bare ? keep_part(route->arrived, &route->part->edges) : keep_valued_part(route);
	return route->bare ? send_bare(route) : gemp_record_stream_run(comm, &stream);
}

/* Local. Allocates the lists of received edges, and the buffers of one round of bare edges. */
static gemp_code allocate_rounds(edge_router *route)
{
	enum { MAX_EDGES = 1 << 19 };
	GEMP_TRY(GEMP_NEW(route->arrived, route->graph->relation_count));
	if (!route->bare)
		return GEMP_OK;
	route->round = gemp_min(gemp_max(route->builder->options.batch / sizeof(edge_header), 1), MAX_EDGES);
	GEMP_TRY(GEMP_NEW(route->owner, 2 * route->round));
	if (route->graph->relation_count > 1)
		return GEMP_NEW(route->headed, 2 * route->round);
	return route->merged ? GEMP_NEW(route->doubled, 2 * route->round) : GEMP_OK;
}

/* Local. Gives each edge of a symmetric relation its direction. */
static void orient_part(const edge_router *route)
{
	gemp_edge_list *edges = &route->part->edges;
	if (route->merged)
		return;
	if (route->builder->options.undirected && route->bare)
		gemp_orient_pairs(edges->ids, edges->count);
	for (size_t e = 0; e < edges->count && route->builder->options.undirected && !route->bare; e++)
		if (gemp_relation_is_symmetric(&route->graph->relations[relation_of(route, e)]))
			gemp_orient_pairs(&edges->ids[e], 1);
}

/* Collective. First the ranks agree on the relations and their columns. Then the parts are sent one after the other,
 * and each part is freed when it has been sent. */
static gemp_code route_edges(edge_router *route)
{
	gemp_builder *builder = route->builder;
	GEMP_OWNED_BY(gemp_bytes_free) gemp_bytes names = { 0 };
	gemp_builder_part none;
	GEMP_TRY(gather_types(builder, &names));
	GEMP_TRY(name_relations(builder, route->graph, &names));
	gemp_code code = assign_columns(route, &names);
	GEMP_THEN(allocate_rounds(route));
	GEMP_TRY(gemp_comm_agree(builder->comm, code));
	for (size_t p = 0, parts = gemp_builder_max_parts(builder); p < parts; p++) {
		gemp_builder_part *part = gemp_builder_part_at(builder, p, &none);
		GEMP_TRY(gemp_comm_agree(builder->comm, choose_part(route, part, &names)));
		orient_part(route);
		GEMP_TRY(send_part(route));
		gemp_edge_list_free(&part->edges);
		gemp_table_free(&part->edge_values);
	}
	return GEMP_OK;
}

static void free_router(edge_router *route)
{
	for (size_t r = 0; route->arrived && r < route->graph->relation_count; r++) {
		received_edges *edges = &route->arrived[r];
		for (size_t i = 0; i < edges->list_count; i++)
			gemp_free(edges->lists[i].pairs);
		gemp_free_all(edges->edges, edges->lists);
	}
	gemp_free_all(route->arrived, route->used, route->number, route->owner, route->headed, route->doubled);
}

/* Relations are finished one after the other, so the received edges of a relation are freed before the next relation
 * needs memory. */
gemp_code gemp_builder_edges(gemp_builder *builder, gemp_shard *graph)
{
	GEMP_OWNED_BY(free_router) edge_router route = { .builder = builder, .graph = graph };
	gemp_step_times_next(builder->options.steps, "exchange");
	GEMP_TRY(route_edges(&route));
	for (size_t r = 0; r < graph->relation_count; r++) {
		gemp_relation *relation = &graph->relations[r];
		gemp_step_times_next(builder->options.steps, "rows");
		if (route.merged) {
			GEMP_TRY(make_merged(builder, graph, &route.arrived[r], relation));
			continue;
		}
		GEMP_TRY(gemp_comm_agree(builder->comm, make_rows(builder, graph, &route.arrived[r], relation)));
		number_edges(builder->comm, graph, relation);
		gemp_step_times_next(builder->options.steps, "targets");
		GEMP_TRY(gemp_rows_by_target_make(builder->comm, builder->options.batch, graph, relation));
		if (gemp_relation_is_symmetric(relation))
			warn_of_parallel(builder->comm, graph, relation);
		else if (!relation->directed)
			GEMP_TRY(handle_reciprocal(builder, graph, relation));
		relation->loaded = GEMP_LOAD_ALL;
	}
	return GEMP_OK;
}
