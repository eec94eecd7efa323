/* Edges to the owners of their sources: relations, rows by source, attributes. */

#include "partition/build/build_edges.h"

#include "comm/exchange.h"
#include "core/log.h"
#include "core/memory.h"
#include "partition/base/host_sort.h"
#include "partition/build/row_builder.h"
#include "partition/build/rows_by_target.h"
#include "partition/exchange/record_stream.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct header {
	uint32_t relation;
	gemp_edge_pair ends; /* then the packed values of the relation's columns */
} header;

/* Edges of one relation as they came; their values wait in the relation's props in the same order. */
typedef struct received_edges {
	gemp_edge_pair *edges; /* [count] */
	size_t count, capacity;
} received_edges;

typedef struct routing {
	gemp_builder *builder;
	gemp_shard *graph;
	gemp_builder_part *part; /* whose edges are on their way */
	uint32_t *number;        /* of the relation, for each of the part's types */
	uint64_t *used;          /* [relations * edge columns] 1: some edge has a value */
	bool bare;               /* no edge has a value */
	received_edges *arrived; /* [relations] */
} routing;

static uint32_t relation_of(const routing *route, size_t record)
{
	const uint32_t *types = route->part->edges.types;
	return route->number[types ? types[record] : 0];
}

static int owner(void *self, size_t record)
{
	const routing *route = self;
	return gemp_shard_owner(route->graph, route->part->edges.ids[record].source);
}

static gemp_code pack(void *self, size_t record, gemp_text *out)
{
	gemp_code code = GEMP_OK;
	const routing *route = self;
	const gemp_table *values = &route->part->edge_values;
	header head = { relation_of(route, record), route->part->edges.ids[record] };
	gemp_text_add(out, &head, sizeof head);
	for (size_t c = 0; c < values->count; c++)
		if (route->used[head.relation * values->count + c])
			GEMP_TRY(gemp_column_pack(&values->columns[c], record, out));
done:
	return code;
}

static gemp_code receive(void *self, int source, const char *at, const char *end)
{
	(void)source;
	gemp_code code = GEMP_OK;
	const routing *route = self;
	while (at < end) {
		header head;
		memcpy(&head, at, sizeof head);
		at += sizeof head;
		received_edges *edges = &route->arrived[head.relation];
		gemp_table *props = &route->graph->relations[head.relation].props;
		GEMP_TRY(GEMP_RESERVE(edges->edges, edges->capacity, edges->count + 1));
		edges->edges[edges->count++] = head.ends;
		for (size_t c = 0; c < props->count; c++)
			GEMP_TRY(gemp_column_unpack(&props->columns[c], &at, end));
	}
done:
	return code;
}

static gemp_code gather_types(const gemp_builder *builder, gemp_bytes *names)
{
	gemp_code code = GEMP_OK;
	gemp_dictionary mine = { 0 };
	for (size_t p = 0; p < builder->part_count && code == GEMP_OK; p++) {
		const gemp_bytes *types = &builder->parts[p].types.list;
		for (size_t i = 0; i < types->count && code == GEMP_OK; i++) {
			size_t size;
			uint32_t index;
			const char *name = gemp_bytes_at(types, i, &size);
			code = gemp_dictionary_add(&mine, name, size, &index);
		}
	}
	GEMP_TRY(gemp_comm_agree(builder->comm, code));
	code = gemp_bytes_union(builder->comm, &mine.list, names);
done:
	gemp_dictionary_free(&mine);
	return code;
}

/* The relations of all ranks by name. */
static gemp_code name_relations(gemp_builder *builder, gemp_shard *graph, const gemp_bytes *names)
{
	gemp_code code = GEMP_NEW(graph->relations, names->count);
	for (; code == GEMP_OK && graph->relation_count < names->count; graph->relation_count++) {
		size_t size;
		const char *name = gemp_bytes_at(names, graph->relation_count, &size);
		gemp_relation *relation = &graph->relations[graph->relation_count];
		relation->directed = !builder->options.undirected;
		relation->name = gemp_strndup(name, size);
		code = relation->name ? GEMP_OK : GEMP_ENOMEM;
	}
	return gemp_comm_agree(builder->comm, code);
}

/* Local. The part's edges are the next to go. */
static gemp_code choose(routing *route, gemp_builder_part *part, const gemp_bytes *names)
{
	gemp_code code = GEMP_OK;
	route->part = part;
	gemp_free(route->number);
	GEMP_TRY(GEMP_NEW(route->number, part->types.list.count));
	for (size_t i = 0; i < part->types.list.count; i++) {
		size_t size;
		const char *name = gemp_bytes_at(&part->types.list, i, &size);
		route->number[i] = (uint32_t)gemp_bytes_find(names, name, size);
	}
done:
	return code;
}

/* Local. Which columns the relations of a part have. */
static gemp_code note_columns(routing *route)
{
	gemp_code code = GEMP_OK;
	gemp_table *values = &route->part->edge_values;
	size_t edges = route->part->edges.count;
	for (size_t c = 0; c < values->count; c++) {
		gemp_column *column = &values->columns[c];
		GEMP_TRY(gemp_builder_pad(column, edges));
		for (size_t e = 0; e < edges; e++)
			if (!column->null || !column->null[e])
				route->used[relation_of(route, e) * values->count + c] = 1;
	}
done:
	return code;
}

/* Which relation has which of the edge columns: those in which some edge of any rank has a value. */
static gemp_code give_columns(routing *route, const gemp_bytes *names)
{
	gemp_code code = GEMP_OK;
	gemp_builder *builder = route->builder;
	const gemp_table *values = &builder->parts[0].edge_values;
	size_t relations = route->graph->relation_count, columns = values->count;
	code = GEMP_NEW(route->used, relations * columns);
	for (size_t p = 0; code == GEMP_OK && columns && p < builder->part_count; p++) {
		code = choose(route, &builder->parts[p], names);
		if (code == GEMP_OK)
			code = note_columns(route);
	}
	GEMP_TRY(gemp_comm_agree(builder->comm, code));
	gemp_comm_max(builder->comm, route->used, (int)(relations * columns));
	route->bare = true;
	for (size_t i = 0; i < relations * columns; i++)
		if (route->used[i]) {
			route->bare = false;
			GEMP_TRY(gemp_table_add(&route->graph->relations[i / columns].props, values->columns[i % columns].name,
			                        values->columns[i % columns].type, NULL));
		}
done:
	return code;
}

static int compare_props(const void *a, const void *b, void *props_)
{
	const gemp_table *props = props_;
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
	for (size_t c = 0; c < props->count; c++) {
		int order = gemp_column_compare(&props->columns[c], left, right);
		if (order)
			return order;
	}
	return 0;
}

/* props become their rows `order`. */
static gemp_code permute_props(gemp_table *props, const uint64_t *order, size_t count)
{
	gemp_code code = GEMP_OK;
	for (size_t c = 0; c < props->count; c++) {
		gemp_column sorted;
		GEMP_TRY(gemp_builder_pad(&props->columns[c], 0));
		GEMP_TRY(gemp_column_take(&sorted, &props->columns[c], order, count));
		gemp_column_free(&props->columns[c]);
		props->columns[c] = sorted;
	}
	props->rows = count;
done:
	return code;
}

/* One relation's rows, with attributes, from its edges: sorted, and without parallel edges if these are merged. */
static gemp_code make_rows(const gemp_builder *builder, const gemp_shard *graph, received_edges *edges,
                           gemp_relation *relation)
{
	gemp_code code = GEMP_OK;
	uint64_t *order = NULL, *pairs = NULL;
	size_t count = edges->count, kept = 0;
	GEMP_TRY(GEMP_NEW(order, count));
	GEMP_TRY(GEMP_NEW(pairs, count));
	for (size_t i = 0; i < count; i++) {
		order[i] = i;
		pairs[i] = (edges->edges[i].source - graph->first_vertex) * graph->vertex_count + edges->edges[i].target;
	}
	gemp_free(edges->edges);
	*edges = (received_edges){ 0 };
	GEMP_TRY(gemp_radix_sort(pairs, order, count));
	for (size_t i = 0, next; i < count; i = next) {
		for (next = i + 1; next < count && pairs[next] == pairs[i];)
			next++;
		if (next - i > 1)
			qsort_r(order + i, next - i, sizeof *order, compare_props, &relation->props);
		size_t keep = builder->options.merge_parallel ? i + 1 : next;
		relation->multigraph |= keep - i > 1;
		for (size_t e = i; e < keep; e++, kept++) {
			order[kept] = order[e];
			pairs[kept] = pairs[e];
		}
	}
	GEMP_TRY(permute_props(&relation->props, order, kept));
	GEMP_TRY(GEMP_NEW(relation->out_offsets, graph->rows + 1));
	GEMP_TRY(GEMP_NEW(relation->out_targets, kept));
	for (size_t e = 0; e < kept; e++) {
		relation->out_offsets[pairs[e] / graph->vertex_count + 1]++;
		relation->out_targets[e] = (gemp_vertex)(pairs[e] % graph->vertex_count);
	}
	for (size_t v = 0; v < graph->rows; v++)
		relation->out_offsets[v + 1] += relation->out_offsets[v];
done:
	gemp_free(order);
	gemp_free(pairs);
	return code;
}

/* The same where edges have no attributes. */
static gemp_code make_bare_rows(const gemp_builder *builder, const gemp_shard *graph, received_edges *edges,
                                gemp_relation *relation)
{
	enum { WIDTH = sizeof(gemp_edge_pair) / sizeof(uint32_t) };
	gemp_code code = GEMP_OK;
	const uint32_t *records = (const uint32_t *)edges->edges;
	GEMP_TRY(GEMP_NEW(relation->out_offsets, graph->rows + 1));
	GEMP_TRY(GEMP_NEW(relation->out_targets, edges->count));
	gemp_row_builder rows = { graph->rows, graph->first_vertex, relation->out_offsets, relation->out_targets, NULL };
	gemp_row_builder_count(&rows, records, WIDTH, edges->count);
	gemp_row_builder_offsets(&rows);
	gemp_row_builder_fill(&rows, records, WIDTH, edges->count);
	gemp_row_builder_finish(&rows);
	gemp_free(edges->edges);
	*edges = (received_edges){ 0 };
	GEMP_TRY(gemp_row_builder_sort(&rows, graph->vertex_count));
	relation->multigraph = gemp_row_builder_parallel(&rows, builder->options.merge_parallel);
	relation->props.rows = relation->out_offsets[graph->rows];
done:
	return code;
}

static void number_edges(const gemp_comm *comm, const gemp_shard *graph, gemp_relation *relation)
{
	uint64_t mine = relation->out_offsets[graph->rows], multigraph = relation->multigraph;
	relation->first_edge = gemp_comm_exscan(comm, mine);
	relation->edge_count = gemp_comm_sum1(comm, mine);
	gemp_comm_max(comm, &multigraph, 1);
	relation->multigraph = multigraph;
}

/* Keeps the edges of one relation that are not marked. */
static gemp_code drop_marked(const gemp_shard *graph, gemp_relation *relation, const uint8_t *marked)
{
	gemp_code code = GEMP_OK;
	uint64_t *order = NULL, kept = 0, begin = 0;
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
	GEMP_TRY(permute_props(&relation->props, order, kept));
done:
	gemp_free(order);
	return code;
}

/* Undirected relations: pairs of vertices joined in both directions. Merging drops the edge from the larger id, else
 * the user is warned. */
static gemp_code handle_reciprocal(const gemp_builder *builder, const gemp_shard *graph, gemp_relation *relation)
{
	gemp_code code = GEMP_OK;
	uint8_t *marked = NULL;
	bool merge = builder->options.merge_parallel;
	code = GEMP_NEW(marked, relation->out_offsets[graph->rows]);
	GEMP_TRY(gemp_comm_agree(builder->comm, code));
	uint64_t pairs = gemp_comm_sum1(builder->comm, gemp_rows_by_target_reciprocal(graph, relation, marked));
	if (pairs && !merge)
		gemp_warn("relation %s: %" PRIu64 " pairs of vertices are joined in both directions; these edges stay "
		          "parallel, --parallel merge makes them one",
		          relation->name, pairs);
	if (pairs && merge) {
		GEMP_TRY(gemp_comm_agree(builder->comm, drop_marked(graph, relation, marked)));
		number_edges(builder->comm, graph, relation);
		GEMP_TRY(gemp_rows_by_target_make(builder, graph, relation));
	}
done:
	gemp_free(marked);
	return code;
}

static gemp_code keep(received_edges *edges, const gemp_edge_pair *more, size_t count)
{
	gemp_code code = GEMP_RESERVE(edges->edges, edges->capacity, edges->count + count);
	if (code == GEMP_OK && count)
		memcpy(edges->edges + edges->count, more, count * sizeof *more);
	edges->count += code == GEMP_OK ? count : 0;
	return code;
}

static gemp_code keep_headed(received_edges *edges, const header *more, size_t count)
{
	gemp_code code = GEMP_OK;
	for (size_t i = 0; i < count && code == GEMP_OK; i++)
		code = keep(&edges[more[i].relation], &more[i].ends, 1);
	return code;
}

/* Edges without attributes in blocks, the last ones first, so that what has gone gives its memory back. */
typedef struct block {
	size_t size;    /* edges in one round */
	int *owner;     /* [size] */
	header *headed; /* [size] where there are several relations */
} block;

static gemp_code send_block(const routing *route, const block *b, size_t first, size_t count)
{
	gemp_code code = GEMP_OK;
	const gemp_comm *comm = route->builder->comm;
	const gemp_edge_pair *ids = route->part->edges.ids;
	const void *records = count ? ids + first : NULL;
	size_t size = sizeof *ids, *from = NULL;
	void *came = NULL;
	for (size_t i = 0; i < count; i++)
		b->owner[i] = gemp_shard_owner(route->graph, ids[first + i].source);
	if (b->headed) {
		for (size_t i = 0; i < count; i++)
			b->headed[i] = (header){ relation_of(route, first + i), ids[first + i] };
		records = b->headed;
		size = sizeof *b->headed;
	}
	GEMP_TRY(gemp_exchange_records(comm, records, count, size, b->owner, &came, &from, NULL));
	code = b->headed ? keep_headed(route->arrived, came, from[comm->size])
	                 : keep(route->arrived, came, from[comm->size]);
	code = gemp_comm_agree(comm, code);
done:
	gemp_free(came);
	gemp_free(from);
	return code;
}

/* Collective. All edges of the chosen part. */
static gemp_code send_part(const routing *route, const block *b)
{
	enum { CUT = 8 }; /* rounds */
	gemp_code code = GEMP_OK;
	gemp_edge_list *edges = &route->part->edges;
	uint64_t rounds = (edges->count + b->size - 1) / b->size;
	gemp_comm_max(route->builder->comm, &rounds, 1);
	size_t left = edges->count;
	for (uint64_t round = 1; round <= rounds; round++) {
		size_t count = left < b->size ? left : b->size;
		left -= count;
		gemp_progress("exchanging edges", round, rounds, 0);
		GEMP_TRY(send_block(route, b, left, count));
		if (round % CUT == 0)
			GEMP_TRY(gemp_comm_agree(route->builder->comm, gemp_edge_list_truncate(edges, left)));
	}
done:
	return code;
}

static gemp_code new_block(const routing *route, block *b)
{
	enum { MAX_EDGES = 1 << 19 };
	gemp_code code = GEMP_OK;
	b->size = route->builder->options.batch / sizeof(header);
	b->size = b->size < 1 ? 1 : b->size > MAX_EDGES ? MAX_EDGES : b->size;
	GEMP_TRY(GEMP_NEW(b->owner, b->size));
	if (route->graph->relation_count != 1)
		code = GEMP_NEW(b->headed, b->size);
done:
	return code;
}

static gemp_code send_bare(routing *route)
{
	gemp_code code = GEMP_OK;
	block b = { 0 };
	GEMP_TRY(gemp_comm_agree(route->builder->comm, new_block(route, &b)));
	code = send_part(route, &b);
done:
	gemp_free(b.owner);
	gemp_free(b.headed);
	return code;
}

static gemp_code send_with_values(routing *route)
{
	gemp_record_stream shuffle = {
		route, route->part->edges.count, route->builder->options.batch, owner, pack, receive
	};
	return gemp_record_stream_run(route->builder->comm, &shuffle);
}

static gemp_code route_edges(routing *route)
{
	gemp_code code = GEMP_OK;
	gemp_builder *builder = route->builder;
	gemp_bytes names = { 0 };
	gemp_builder_part none;
	GEMP_TRY(gather_types(builder, &names));
	GEMP_TRY(name_relations(builder, route->graph, &names));
	GEMP_TRY(gemp_comm_agree(builder->comm, give_columns(route, &names)));
	GEMP_TRY(gemp_comm_agree(builder->comm, GEMP_NEW(route->arrived, names.count)));
	for (size_t p = 0, parts = gemp_builder_max_parts(builder); p < parts; p++) {
		gemp_builder_part *part = gemp_builder_part_at(builder, p, &none);
		GEMP_TRY(gemp_comm_agree(builder->comm, choose(route, part, &names)));
		GEMP_TRY(route->bare ? send_bare(route) : send_with_values(route));
		gemp_edge_list_free(&part->edges);
		gemp_table_free(&part->edge_values);
	}
done:
	gemp_bytes_free(&names);
	return code;
}

gemp_code gemp_builder_edges(gemp_builder *builder, gemp_shard *graph)
{
	gemp_code code = GEMP_OK;
	routing route = { .builder = builder, .graph = graph };
	gemp_step_times_next(builder->options.steps, "exchange");
	GEMP_TRY(route_edges(&route));
	for (size_t r = 0; r < graph->relation_count; r++) {
		gemp_relation *relation = &graph->relations[r];
		received_edges *edges = &route.arrived[r];
		gemp_step_times_next(builder->options.steps, "rows");
		code = relation->props.count ? make_rows(builder, graph, edges, relation)
		                             : make_bare_rows(builder, graph, edges, relation);
		GEMP_TRY(gemp_comm_agree(builder->comm, code));
		number_edges(builder->comm, graph, relation);
		gemp_step_times_next(builder->options.steps, "targets");
		GEMP_TRY(gemp_rows_by_target_make(builder, graph, relation));
		if (!relation->directed)
			GEMP_TRY(handle_reciprocal(builder, graph, relation));
		relation->loaded = GEMP_LOAD_ALL;
	}
done:
	for (size_t r = 0; route.arrived && r < graph->relation_count; r++)
		gemp_free(route.arrived[r].edges);
	gemp_free(route.arrived);
	gemp_free(route.used);
	gemp_free(route.number);
	return code;
}
