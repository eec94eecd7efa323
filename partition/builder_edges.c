/* Edges to the owners of their sources: relations, rows by source, attributes. */
#include "core/log.h"
#include "core/memory.h"
#include "partition/builder_edges.h"
#include "partition/builder_sort.h"

#include <stdlib.h>
#include <string.h>

typedef struct header {
	uint32_t relation, source, target; /* then the packed values of the relation's columns */
} header;

/* Edges of one relation as they came; their values wait in the relation's props in the same order. */
typedef struct arrived {
	uint64_t *pairs; /* [count] (source - first) * vertices + target */
	size_t count, capacity;
} arrived;

typedef struct routing {
	gemp_builder *builder;
	gemp_graph *graph;
	uint64_t *used;    /* [relations * edge columns] 1: some edge has a value */
	arrived *arrived;  /* [relations] */
} routing;

static int owner(void *self, size_t record)
{
	const routing *route = self;
	return gemp_graph_owner(route->graph, route->builder->edges[record].source);
}

static gemp_code pack(void *self, size_t record, gemp_text *out)
{
	gemp_code code = GEMP_OK;
	const routing *route = self;
	const gemp_edge_record *edge = &route->builder->edges[record];
	const gemp_table *values = &route->builder->edge_values;
	header head = { edge->type, edge->source, edge->target };
	gemp_text_add(out, &head, sizeof head);
	for (size_t c = 0; c < values->count; c++)
		if (route->used[edge->type * values->count + c])
			GEMP_TRY(gemp_column_pack(&values->columns[c], record, out));
done:
	return code;
}

static gemp_code take(void *self, int source, const char *at, const char *end)
{
	(void)source;
	gemp_code code = GEMP_OK;
	const routing *route = self;
	while (at < end) {
		header head;
		memcpy(&head, at, sizeof head);
		at += sizeof head;
		arrived *edges = &route->arrived[head.relation];
		gemp_table *props = &route->graph->relations[head.relation].props;
		GEMP_TRY(GEMP_RESERVE(edges->pairs, edges->capacity, edges->count + 1));
		edges->pairs[edges->count++] = (head.source - route->graph->first) * route->graph->vertices + head.target;
		for (size_t c = 0; c < props->count; c++)
			GEMP_TRY(gemp_column_unpack(&props->columns[c], &at, end));
	}
done:
	return code;
}

/* The relations of all ranks by name; each edge's type becomes the number of its relation. */
static gemp_code name_relations(gemp_builder *builder, gemp_graph *graph)
{
	gemp_code code = GEMP_OK;
	gemp_bytes names = { 0 };
	const gemp_bytes *mine = &builder->types.list;
	uint32_t *number = NULL;
	GEMP_TRY(gemp_bytes_union(builder->comm, mine, &names));
	code = GEMP_NEW(graph->relations, names.count);
	for (; code == GEMP_OK && graph->relation_count < names.count; graph->relation_count++) {
		size_t size;
		const char *name = gemp_bytes_at(&names, graph->relation_count, &size);
		gemp_relation *relation = &graph->relations[graph->relation_count];
		relation->directed = !builder->options.undirected;
		relation->name = gemp_strndup(name, size);
		code = relation->name ? GEMP_OK : GEMP_ENOMEM;
	}
	if (code == GEMP_OK)
		code = GEMP_NEW(number, mine->count);
	GEMP_TRY(gemp_comm_agree(builder->comm, code));
	for (size_t i = 0; i < mine->count; i++) {
		size_t size;
		const char *name = gemp_bytes_at(mine, i, &size);
		number[i] = (uint32_t)gemp_bytes_find(&names, name, size);
	}
	for (size_t e = 0; e < builder->edge_count; e++)
		builder->edges[e].type = number[builder->edges[e].type];
done:
	gemp_bytes_free(&names);
	gemp_free(number);
	return code;
}

/* Which relation has which of the edge columns: those in which some edge of any rank has a value. */
static gemp_code give_columns(routing *route)
{
	gemp_code code = GEMP_OK;
	gemp_table *values = &route->builder->edge_values;
	size_t relations = route->graph->relation_count, columns = values->count;
	code = GEMP_NEW(route->used, relations * columns);
	for (size_t c = 0; code == GEMP_OK && c < columns; c++)
		code = gemp_builder_pad(&values->columns[c], route->builder->edge_count);
	GEMP_TRY(gemp_comm_agree(route->builder->comm, code));
	for (size_t c = 0; c < columns; c++)
		for (size_t e = 0; e < route->builder->edge_count; e++)
			if (!values->columns[c].null || !values->columns[c].null[e])
				route->used[route->builder->edges[e].type * columns + c] = 1;
	gemp_comm_max(route->builder->comm, route->used, (int)(relations * columns));
	for (size_t r = 0; r < relations; r++)
		for (size_t c = 0; c < columns; c++)
			if (route->used[r * columns + c])
				GEMP_TRY(gemp_table_add(&route->graph->relations[r].props, values->columns[c].name,
				                        values->columns[c].type, NULL));
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
static gemp_code pick_props(gemp_table *props, const uint64_t *order, size_t count)
{
	gemp_code code = GEMP_OK;
	for (size_t c = 0; c < props->count; c++) {
		gemp_column sorted;
		GEMP_TRY(gemp_builder_pad(&props->columns[c], 0));
		GEMP_TRY(gemp_column_pick(&sorted, &props->columns[c], order, count));
		gemp_column_free(&props->columns[c]);
		props->columns[c] = sorted;
	}
	props->rows = count;
done:
	return code;
}

/* One relation's rows from its pairs: sorted, and without parallel edges if these are merged. */
static gemp_code make_rows(const gemp_builder *builder, const gemp_graph *graph, arrived *edges, gemp_relation *relation)
{
	gemp_code code = GEMP_OK;
	uint64_t *order = NULL, *pairs = edges->pairs;
	size_t count = edges->count, kept = 0;
	GEMP_TRY(GEMP_NEW(order, count));
	for (size_t i = 0; i < count; i++)
		order[i] = i;
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
	GEMP_TRY(pick_props(&relation->props, order, kept));
	GEMP_TRY(GEMP_NEW(relation->out_begin, graph->rows + 1));
	GEMP_TRY(GEMP_NEW(relation->out, kept));
	for (size_t e = 0; e < kept; e++) {
		relation->out_begin[pairs[e] / graph->vertices + 1]++;
		relation->out[e] = (gemp_vertex)(pairs[e] % graph->vertices);
	}
	for (size_t v = 0; v < graph->rows; v++)
		relation->out_begin[v + 1] += relation->out_begin[v];
done:
	gemp_free(order);
	gemp_free(edges->pairs);
	*edges = (arrived){ 0 };
	return code;
}

static void number_edges(const gemp_comm *comm, const gemp_graph *graph, gemp_relation *relation)
{
	uint64_t mine = relation->out_begin[graph->rows], multigraph = relation->multigraph;
	relation->first = gemp_comm_before(comm, mine);
	relation->edges = gemp_comm_sum1(comm, mine);
	gemp_comm_max(comm, &multigraph, 1);
	relation->multigraph = multigraph;
}

/* Keeps the edges of one relation that are not marked. */
static gemp_code drop_marked(const gemp_graph *graph, gemp_relation *relation, const uint8_t *marked)
{
	gemp_code code = GEMP_OK;
	uint64_t *order = NULL, kept = 0, begin = 0;
	GEMP_TRY(GEMP_NEW(order, relation->out_begin[graph->rows]));
	for (size_t v = 0; v < graph->rows; v++) {
		uint64_t end = relation->out_begin[v + 1];
		for (uint64_t e = begin; e < end; e++)
			if (!marked[e]) {
				relation->out[kept] = relation->out[e];
				order[kept++] = e;
			}
		begin = end;
		relation->out_begin[v + 1] = kept;
	}
	GEMP_TRY(pick_props(&relation->props, order, kept));
done:
	gemp_free(order);
	return code;
}

/* Undirected relations: pairs of vertices joined in both directions. Merging drops the edge from the larger id, else the
 * user is warned. */
static gemp_code treat_reciprocal(const gemp_builder *builder, const gemp_graph *graph, gemp_relation *relation)
{
	gemp_code code = GEMP_OK;
	uint8_t *marked = NULL;
	bool merge = builder->options.merge_parallel;
	code = GEMP_NEW(marked, relation->out_begin[graph->rows]);
	GEMP_TRY(gemp_comm_agree(builder->comm, code));
	uint64_t pairs = gemp_comm_sum1(builder->comm, gemp_builder_reciprocal(graph, relation, marked));
	if (pairs && !merge)
		gemp_warn("relation %s: %" PRIu64 " pairs of vertices are joined in both directions; these edges stay parallel, "
		          "--parallel merge makes them one", relation->name, pairs);
	if (pairs && merge) {
		GEMP_TRY(gemp_comm_agree(builder->comm, drop_marked(graph, relation, marked)));
		number_edges(builder->comm, graph, relation);
		GEMP_TRY(gemp_builder_targets(builder, graph, relation));
	}
done:
	gemp_free(marked);
	return code;
}

static gemp_code route_edges(routing *route)
{
	gemp_code code = GEMP_OK;
	gemp_builder *builder = route->builder;
	GEMP_TRY(name_relations(builder, route->graph));
	GEMP_TRY(gemp_comm_agree(builder->comm, give_columns(route)));
	code = GEMP_NEW(route->arrived, route->graph->relation_count);
	GEMP_TRY(gemp_comm_agree(builder->comm, code));
	gemp_shuffle shuffle = { route, builder->edge_count, builder->options.batch, owner, pack, take };
	GEMP_TRY(gemp_shuffle_run(builder->comm, &shuffle));
	gemp_free(builder->edges);
	builder->edges = NULL;
	builder->edge_count = builder->edge_capacity = 0;
	gemp_table_free(&builder->edge_values);
done:
	return code;
}

gemp_code gemp_builder_edges(gemp_builder *builder, gemp_graph *graph)
{
	gemp_code code = GEMP_OK;
	routing route = { .builder = builder, .graph = graph };
	GEMP_TRY(route_edges(&route));
	for (size_t r = 0; r < graph->relation_count; r++) {
		gemp_relation *relation = &graph->relations[r];
		GEMP_TRY(gemp_comm_agree(builder->comm, make_rows(builder, graph, &route.arrived[r], relation)));
		number_edges(builder->comm, graph, relation);
		GEMP_TRY(gemp_builder_targets(builder, graph, relation));
		if (!relation->directed)
			GEMP_TRY(treat_reciprocal(builder, graph, relation));
		relation->loaded = GEMP_PARTS;
	}
done:
	for (size_t r = 0; route.arrived && r < graph->relation_count; r++)
		gemp_free(route.arrived[r].pairs);
	gemp_free(route.arrived);
	gemp_free(route.used);
	return code;
}
