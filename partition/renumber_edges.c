/* Edges to the ranks that own the new ids of their sources. */
#include "core/memory.h"
#include "partition/inquire.h"
#include "partition/builder_edges.h"
#include "partition/builder_shuffle.h"
#include "partition/builder_sort.h"
#include "partition/renumber_state.h"

#include <string.h>

typedef struct ends {
	gemp_vertex source, target; /* new ids; then the packed values */
} ends;

typedef struct routing {
	const gemp_renumbering *all;
	const gemp_relation *from;
	gemp_relation *to;
	ends *edges;      /* [of this rank, in `from`] */
	uint64_t *pairs;  /* [count] (source - first) * vertices + target, as they came; values lie in to->props */
	size_t count, capacity;
} routing;

static int owner(void *self, size_t record)
{
	const routing *route = self;
	return gemp_graph_owner(route->all->to, route->edges[record].source);
}

static gemp_code pack(void *self, size_t record, gemp_text *out)
{
	gemp_code code = GEMP_OK;
	const routing *route = self;
	gemp_text_add(out, &route->edges[record], sizeof *route->edges);
	for (size_t c = 0; c < route->from->props.count; c++)
		GEMP_TRY(gemp_column_pack(&route->from->props.columns[c], record, out));
done:
	return code;
}

static gemp_code take(void *self, int source, const char *at, const char *end)
{
	(void)source;
	gemp_code code = GEMP_OK;
	routing *route = self;
	const gemp_graph *to = route->all->to;
	while (at < end) {
		ends edge;
		memcpy(&edge, at, sizeof edge);
		at += sizeof edge;
		GEMP_TRY(GEMP_RESERVE(route->pairs, route->capacity, route->count + 1));
		route->pairs[route->count++] = (edge.source - to->first) * to->vertices + edge.target;
		for (size_t c = 0; c < route->to->props.count; c++)
			GEMP_TRY(gemp_column_unpack(&route->to->props.columns[c], &at, end));
	}
done:
	return code;
}

/* The new ids of both ends of this rank's edges. */
static gemp_code name_ends(routing *route)
{
	gemp_code code = GEMP_OK;
	const gemp_renumbering *all = route->all;
	const gemp_relation *from = route->from;
	size_t rows = all->from->rows, count = from->out_begin[rows];
	uint32_t *target = NULL;
	code = GEMP_NEW(target, count);
	if (code == GEMP_OK)
		code = GEMP_NEW(route->edges, count);
	GEMP_TRY(gemp_comm_agree(all->comm, code));
	GEMP_TRY(gemp_inquire(all->comm, all->from, all->id, from->out, count, target));
	for (size_t row = 0; row < rows; row++)
		for (uint64_t e = from->out_begin[row]; e < from->out_begin[row + 1]; e++)
			route->edges[e] = (ends){ all->id[row], target[e] };
done:
	gemp_free(target);
	return code;
}

/* Parallel edges come from one rank in their order, which is that of their values, and the sort is stable. */
static gemp_code make_rows(routing *route)
{
	gemp_code code = GEMP_OK;
	const gemp_graph *graph = route->all->to;
	gemp_relation *to = route->to;
	uint64_t *order = NULL;
	GEMP_TRY(GEMP_NEW(order, route->count));
	for (size_t e = 0; e < route->count; e++)
		order[e] = e;
	GEMP_TRY(gemp_radix_sort(route->pairs, order, route->count));
	GEMP_TRY(GEMP_NEW(to->out_begin, graph->rows + 1));
	GEMP_TRY(GEMP_NEW(to->out, route->count));
	for (size_t e = 0; e < route->count; e++) {
		to->out_begin[route->pairs[e] / graph->vertices + 1]++;
		to->out[e] = (gemp_vertex)(route->pairs[e] % graph->vertices);
	}
	for (size_t row = 0; row < graph->rows; row++)
		to->out_begin[row + 1] += to->out_begin[row];
	for (size_t c = 0; c < to->props.count; c++)
		GEMP_TRY(gemp_renumber_pick(&to->props.columns[c], order, route->count));
	to->props.rows = route->count;
done:
	gemp_free(order);
	return code;
}

gemp_code gemp_renumber_relation(gemp_renumbering *all, size_t index)
{
	gemp_code code = GEMP_OK;
	routing route = { .all = all, .from = &all->from->relations[index], .to = &all->to->relations[index] };
	gemp_builder builder = { .comm = all->comm, .options.batch = GEMP_INQUIRE_BATCH };
	GEMP_TRY(name_ends(&route));
	gemp_shuffle shuffle = { &route, route.from->out_begin[all->from->rows], GEMP_INQUIRE_BATCH, owner, pack, take };
	GEMP_TRY(gemp_shuffle_run(all->comm, &shuffle));
	GEMP_TRY(gemp_comm_agree(all->comm, make_rows(&route)));
	route.to->first = gemp_comm_before(all->comm, route.count);
	GEMP_TRY(gemp_builder_targets(&builder, all->to, route.to));
	route.to->loaded = GEMP_PARTS;
done:
	gemp_free(route.edges);
	gemp_free(route.pairs);
	return code;
}
