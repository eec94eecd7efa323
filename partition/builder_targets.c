/* Rows by target, with each edge's number. */
#include "core/memory.h"
#include "partition/builder_edges.h"
#include "partition/builder_sort.h"

#include <string.h>

typedef struct in_edge {
	uint32_t target, source;
	uint64_t edge;
} in_edge;

typedef struct routing {
	const gemp_graph *graph;
	const gemp_relation *relation;
	size_t row;            /* of the record last looked at: records come in order */
	uint64_t *pairs;       /* [count] (target - first) * vertices + source */
	uint64_t *edges;       /* [count] */
	size_t count, pairs_capacity, edges_capacity;
} routing;

static int owner(void *self, size_t record)
{
	const routing *route = self;
	return gemp_graph_owner(route->graph, route->relation->out[record]);
}

static gemp_code pack(void *self, size_t record, gemp_text *out)
{
	routing *route = self;
	while (record >= route->relation->out_begin[route->row + 1])
		route->row++;
	in_edge edge = { route->relation->out[record], (uint32_t)(route->graph->first + route->row),
	                 route->relation->first + record };
	gemp_text_add(out, &edge, sizeof edge);
	return GEMP_OK;
}

static gemp_code take(void *self, int source, const char *at, const char *end)
{
	(void)source;
	gemp_code code = GEMP_OK;
	routing *route = self;
	size_t more = (size_t)(end - at) / sizeof(in_edge);
	GEMP_TRY(GEMP_RESERVE(route->pairs, route->pairs_capacity, route->count + more));
	GEMP_TRY(GEMP_RESERVE(route->edges, route->edges_capacity, route->count + more));
	for (; at < end; at += sizeof(in_edge)) {
		in_edge edge;
		memcpy(&edge, at, sizeof edge);
		route->pairs[route->count] = (edge.target - route->graph->first) * route->graph->vertices + edge.source;
		route->edges[route->count++] = edge.edge;
	}
done:
	return code;
}

/* All edges of one pair come from one rank in ascending order, and the sort is stable. */
static gemp_code make_rows(routing *route, gemp_relation *relation)
{
	gemp_code code = GEMP_OK;
	const gemp_graph *graph = route->graph;
	GEMP_TRY(gemp_radix_sort(route->pairs, route->edges, route->count));
	gemp_free(relation->in_begin);
	gemp_free(relation->in);
	gemp_free(relation->in_edge);
	relation->in_begin = NULL;
	relation->in = NULL;
	relation->in_edge = NULL;
	GEMP_TRY(GEMP_NEW(relation->in_begin, graph->rows + 1));
	GEMP_TRY(GEMP_NEW(relation->in, route->count));
	GEMP_TRY(GEMP_NEW(relation->in_edge, route->count));
	for (size_t e = 0; e < route->count; e++) {
		relation->in_begin[route->pairs[e] / graph->vertices + 1]++;
		relation->in[e] = (gemp_vertex)(route->pairs[e] % graph->vertices);
		relation->in_edge[e] = route->edges[e];
	}
	for (size_t v = 0; v < graph->rows; v++)
		relation->in_begin[v + 1] += relation->in_begin[v];
done:
	return code;
}

gemp_code gemp_builder_targets(const gemp_builder *builder, const gemp_graph *graph, gemp_relation *relation)
{
	gemp_code code = GEMP_OK;
	routing route = { .graph = graph, .relation = relation };
	gemp_shuffle shuffle = { &route, relation->out_begin[graph->rows], builder->options.batch, owner, pack, take };
	GEMP_TRY(gemp_shuffle_run(builder->comm, &shuffle));
	code = gemp_comm_agree(builder->comm, make_rows(&route, relation));
done:
	gemp_free(route.pairs);
	gemp_free(route.edges);
	return code;
}

uint64_t gemp_builder_reciprocal(const gemp_graph *graph, const gemp_relation *relation, uint8_t *marked)
{
	uint64_t found = 0;
	for (size_t row = 0; row < graph->rows; row++) {
		uint64_t in = relation->in_begin[row], in_end = relation->in_begin[row + 1];
		gemp_vertex last = GEMP_NO_VERTEX;
		for (uint64_t e = relation->out_begin[row]; e < relation->out_begin[row + 1]; e++) {
			gemp_vertex other = relation->out[e];
			if (other >= graph->first + row)
				break;
			while (in < in_end && relation->in[in] < other)
				in++;
			if (in == in_end || relation->in[in] != other)
				continue;
			marked[e] = 1;
			found += other != last;
			last = other;
		}
	}
	return found;
}
