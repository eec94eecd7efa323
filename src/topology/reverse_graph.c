#include "topology/reverse_graph.h"

#include "core/memory.h"
#include "graph/column_bulk.h"
#include "partition/builder.h"
#include "partition/column_exchange.h"
#include "partition/on_demand.h"
#include "primitive/sort.h"

typedef struct turning {
	const gemp_comm *comm;
	gemp_graph *graph;
	gemp_device *device;
	gemp_where place;
	gemp_reverse_figures *figures;
} turning;

static void forget_targets(gemp_relation *relation)
{
	gemp_free(relation->in_begin);
	gemp_free(relation->in);
	gemp_free(relation->in_edge);
	relation->in_begin = NULL;
	relation->in = NULL;
	relation->in_edge = NULL;
	relation->loaded &= (unsigned)~(GEMP_PART_IN | GEMP_PART_IN_EDGES);
}

/* One rank has all rows. */
static gemp_code reverse_here(turning *t, gemp_relation *relation, size_t index)
{
	gemp_code code = GEMP_OK;
	gemp_reversed rows;
	const gemp_csr csr = gemp_csr_out(t->graph, index);
	GEMP_TRY(gemp_reverse(&rows, &csr, t->device, t->place, relation->props.count > 0));
	forget_targets(relation);
	relation->in_begin = rows.begin;
	relation->in = rows.source;
	relation->in_edge = rows.edge;
	t->figures->on_device |= rows.on_device;
	t->figures->seconds += rows.seconds;
	t->figures->transfers += rows.transfers;
done:
	return code;
}

/* Collective. Of each row by target the place of its edges among those that come from all ranks in the order of edges. */
static gemp_code places_of(const turning *t, const gemp_relation *relation, size_t count, uint64_t **places)
{
	static const gemp_sort by_edge = { .key = GEMP_KEY_U64, .value_size = sizeof **places };
	gemp_code code = GEMP_OK;
	uint64_t *edges = NULL, *order = NULL;
	code = GEMP_NEW(*places, count);
	if (t->comm->size == 1) {
		for (size_t i = 0; i < count && code == GEMP_OK; i++)
			(*places)[i] = relation->in_edge[i];
		return gemp_comm_agree(t->comm, code);
	}
	if (code == GEMP_OK)
		code = GEMP_NEW(edges, count);
	if (code == GEMP_OK)
		code = GEMP_NEW(order, count);
	for (size_t i = 0; i < count && code == GEMP_OK; i++) {
		edges[i] = relation->in_edge[i];
		order[i] = i;
	}
	if (code == GEMP_OK)
		code = gemp_sort_host(&by_edge, edges, order, count);
	GEMP_TRY(gemp_comm_agree(t->comm, code));
	for (size_t i = 0; i < count; i++)
		(*places)[order[i]] = i;
done:
	gemp_free(edges);
	gemp_free(order);
	return code;
}

/* Collective. Attributes follow their edges to the owners of the targets. */
static gemp_code move_attributes(const turning *t, gemp_relation *relation, size_t count)
{
	gemp_code code = GEMP_OK;
	size_t before = (size_t)relation->out_begin[t->graph->rows];
	uint64_t *places = NULL;
	int *owner = NULL;
	gemp_column came = { 0 }, sorted = { 0 };
	GEMP_TRY(places_of(t, relation, count, &places));
	code = GEMP_NEW(owner, before);
	for (size_t e = 0; e < before && code == GEMP_OK; e++)
		owner[e] = gemp_graph_owner(t->graph, relation->out[e]);
	GEMP_TRY(gemp_comm_agree(t->comm, code));
	for (size_t c = 0; c < relation->props.count; c++) {
		gemp_column *column = &relation->props.columns[c];
		if (t->comm->size > 1) {
			GEMP_TRY(gemp_column_exchange(&came, t->comm, column, owner));
			gemp_column_free(column);
			*column = came;
			came = (gemp_column){ 0 };
		}
		GEMP_TRY(gemp_comm_agree(t->comm, gemp_column_gather(&sorted, column, NULL, places, count)));
		gemp_column_free(column);
		*column = sorted;
		sorted = (gemp_column){ 0 };
	}
	relation->props.rows = count;
done:
	gemp_column_free(&sorted);
	gemp_free(places);
	gemp_free(owner);
	return code;
}

/* Collective. */
static gemp_code reverse_relation(turning *t, size_t index)
{
	gemp_code code = GEMP_OK;
	gemp_graph *graph = t->graph;
	gemp_relation *relation = &graph->relations[index];
	double since = gemp_now();
	uint64_t edges = relation->out_begin[graph->rows];
	if (t->comm->size == 1) {
		GEMP_TRY(reverse_here(t, relation, index));
	} else {
		forget_targets(relation);
		GEMP_TRY(gemp_graph_need_relation(graph, index, GEMP_PART_IN | GEMP_PART_IN_EDGES));
		t->figures->seconds += gemp_now() - since;
	}
	t->figures->edges += relation->edges;
	t->figures->bytes += 8 * edges + 16 * ((uint64_t)graph->rows + 1);
	if (relation->props.count)
		GEMP_TRY(move_attributes(t, relation, (size_t)relation->in_begin[graph->rows]));
	gemp_free(relation->out_begin);
	gemp_free(relation->out);
	relation->out_begin = relation->in_begin;
	relation->out = relation->in;
	relation->in_begin = NULL;
	relation->in = NULL;
	forget_targets(relation);
	relation->first = gemp_comm_before(t->comm, relation->out_begin[graph->rows]);
done:
	return code;
}

gemp_code gemp_graph_reverse(gemp_graph *graph, const gemp_comm *comm, const bool *relations, gemp_device *device,
                             gemp_where place, gemp_reverse_figures *figures)
{
	gemp_code code = GEMP_OK;
	turning t = { comm, graph, comm->size == 1 ? device : NULL, place, figures };
	*figures = (gemp_reverse_figures){ 0 };
	GEMP_TRY(gemp_graph_need_all_once(graph));
	if (graph->source.free)
		graph->source.free(graph->source.self);
	graph->source = gemp_rows_on_demand(comm);
	for (size_t r = 0; r < graph->relation_count; r++)
		if (graph->relations[r].directed && (!relations || relations[r]))
			GEMP_TRY(reverse_relation(&t, r));
	for (size_t r = 0; r < graph->relation_count; r++)
		GEMP_TRY(gemp_graph_need_relation(graph, r, GEMP_PART_IN | GEMP_PART_IN_EDGES));
	GEMP_TRY(gemp_graph_content_hash(comm, graph, &graph->hash));
done:
	return code;
}
