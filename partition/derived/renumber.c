/* Vertices to the ranks that own their new ids. */

#include "partition/derived/renumber.h"

#include "core/memory.h"
#include "partition/base/host_sort.h"
#include "partition/build/content_hash.h"
#include "partition/build/rows_by_target.h"
#include "partition/exchange/record_stream.h"

#include <string.h>

/* Edges to the ranks that own the new ids of their sources. */

typedef struct ends {
	gemp_vertex source, target; /* new ids; then the packed values */
} ends;

/* Shared by the steps of a renumbering. */
typedef struct gemp_renumber_state {
	const gemp_comm *comm;
	const gemp_shard *from;
	gemp_shard *to;
	gemp_vertex *id; /* [from->rows] in `to` */
} gemp_renumber_state;

typedef struct renumber_edges_routing {
	const gemp_renumber_state *all;
	const gemp_relation *from;
	gemp_relation *to;
	ends *edges;     /* [of this rank, in `from`] */
	uint64_t *pairs; /* [count] (source - first) * vertices + target, as they came; values lie in to->props */
	size_t count, capacity;
} renumber_edges_routing;

typedef struct header {
	uint32_t id, key_rank, label_set; /* then the packed key and attributes */
} header;

typedef struct routing {
	gemp_renumber_state *all;
	uint64_t *ids; /* [count] new ids, as they came; key_rank, label_set lie beside them, key, attributes in `to` */
	uint32_t *key_rank, *label_set;
	size_t count;
} routing;

static int owner(void *self, size_t record)
{
	const routing *route = self;
	return gemp_shard_owner(route->all->to, route->all->id[record]);
}

static gemp_code pack(void *self, size_t record, gemp_text *out)
{
	gemp_code code = GEMP_OK;
	const routing *route = self;
	const gemp_shard *from = route->all->from;
	header head = { route->all->id[record], from->key_ranks[record], from->label_set_of[record] };
	gemp_text_add(out, &head, sizeof head);
	GEMP_TRY(gemp_column_pack(&from->keys, record, out));
	for (size_t c = 0; c < from->attributes.count; c++)
		GEMP_TRY(gemp_column_pack(&from->attributes.columns[c], record, out));
done:
	return code;
}

static gemp_code receive(void *self, int source, const char *at, const char *end)
{
	(void)source;
	gemp_code code = GEMP_OK;
	routing *route = self;
	gemp_shard *to = route->all->to;
	while (at < end) {
		header head;
		memcpy(&head, at, sizeof head);
		at += sizeof head;
		route->ids[route->count] = head.id;
		route->key_rank[route->count] = head.key_rank;
		route->label_set[route->count++] = head.label_set;
		GEMP_TRY(gemp_column_unpack(&to->keys, &at, end));
		for (size_t c = 0; c < to->attributes.count; c++)
			GEMP_TRY(gemp_column_unpack(&to->attributes.columns[c], &at, end));
	}
done:
	return code;
}

/* Local. column becomes its rows order[0..count). */
static gemp_code gemp_renumber_gather(gemp_column *column, const uint64_t *order, size_t count)
{
	gemp_column picked;
	gemp_code code = gemp_column_loaded(column) ? GEMP_OK : gemp_column_reserve(column, 0, 0);
	if (code == GEMP_OK)
		code = gemp_column_take(&picked, column, order, count);
	if (code == GEMP_OK) {
		gemp_column_free(column);
		*column = picked;
	}
	return code;
}

/* By id. */
static gemp_code assign_vertices(routing *route)
{
	gemp_code code = GEMP_OK;
	gemp_shard *to = route->all->to;
	uint64_t *order = NULL;
	GEMP_TRY(GEMP_NEW(order, to->rows));
	GEMP_TRY(GEMP_NEW(to->key_ranks, to->rows));
	GEMP_TRY(GEMP_NEW(to->label_set_of, to->rows));
	for (size_t v = 0; v < to->rows; v++)
		order[v] = v;
	GEMP_TRY(gemp_radix_sort(route->ids, order, to->rows));
	for (size_t v = 0; v < to->rows; v++) {
		to->key_ranks[v] = route->key_rank[order[v]];
		to->label_set_of[v] = route->label_set[order[v]];
	}
	GEMP_TRY(gemp_renumber_gather(&to->keys, order, to->rows));
	for (size_t c = 0; c < to->attributes.count; c++)
		GEMP_TRY(gemp_renumber_gather(&to->attributes.columns[c], order, to->rows));
	to->attributes.rows = to->rows;
done:
	gemp_free(order);
	return code;
}

/* Collective. Keys, labels and attributes; and the edges of the index-th relation. */
static gemp_code gemp_renumber_vertices(gemp_renumber_state *all)
{
	gemp_code code = GEMP_OK;
	routing route = { .all = all };
	size_t rows = all->to->rows;
	code = GEMP_NEW(route.ids, rows);
	if (code == GEMP_OK)
		code = GEMP_NEW(route.key_rank, rows);
	if (code == GEMP_OK)
		code = GEMP_NEW(route.label_set, rows);
	GEMP_TRY(gemp_comm_agree(all->comm, code));
	gemp_record_stream shuffle = { &route, all->from->rows, GEMP_RECORD_BATCH, owner, pack, receive };
	GEMP_TRY(gemp_record_stream_run(all->comm, &shuffle));
	code = gemp_comm_agree(all->comm, assign_vertices(&route));
done:
	gemp_free(route.ids);
	gemp_free(route.key_rank);
	gemp_free(route.label_set);
	return code;
}

static int renumber_edges_owner(void *self, size_t record)
{
	const renumber_edges_routing *route = self;
	return gemp_shard_owner(route->all->to, route->edges[record].source);
}

static gemp_code renumber_edges_pack(void *self, size_t record, gemp_text *out)
{
	gemp_code code = GEMP_OK;
	const renumber_edges_routing *route = self;
	gemp_text_add(out, &route->edges[record], sizeof *route->edges);
	for (size_t c = 0; c < route->from->props.count; c++)
		GEMP_TRY(gemp_column_pack(&route->from->props.columns[c], record, out));
done:
	return code;
}

static gemp_code renumber_edges_receive(void *self, int source, const char *at, const char *end)
{
	(void)source;
	gemp_code code = GEMP_OK;
	renumber_edges_routing *route = self;
	const gemp_shard *to = route->all->to;
	while (at < end) {
		ends edge;
		memcpy(&edge, at, sizeof edge);
		at += sizeof edge;
		GEMP_TRY(GEMP_RESERVE(route->pairs, route->capacity, route->count + 1));
		route->pairs[route->count++] = (edge.source - to->first_vertex) * to->vertex_count + edge.target;
		for (size_t c = 0; c < route->to->props.count; c++)
			GEMP_TRY(gemp_column_unpack(&route->to->props.columns[c], &at, end));
	}
done:
	return code;
}

/* The new ids of both ends of this rank's edges. */
static gemp_code name_ends(renumber_edges_routing *route)
{
	gemp_code code = GEMP_OK;
	const gemp_renumber_state *all = route->all;
	const gemp_relation *from = route->from;
	size_t rows = all->from->rows, count = from->out_offsets[rows];
	uint32_t *target = NULL;
	code = GEMP_NEW(target, count);
	if (code == GEMP_OK)
		code = GEMP_NEW(route->edges, count);
	GEMP_TRY(gemp_comm_agree(all->comm, code));
	GEMP_TRY(gemp_record_query(all->comm, all->from, all->id, from->out_targets, count, target));
	for (size_t row = 0; row < rows; row++)
		for (uint64_t e = from->out_offsets[row]; e < from->out_offsets[row + 1]; e++)
			route->edges[e] = (ends){ all->id[row], target[e] };
done:
	gemp_free(target);
	return code;
}

/* Parallel edges come from one rank in their order, which is that of their values, and the sort is stable. */
static gemp_code make_rows(renumber_edges_routing *route)
{
	gemp_code code = GEMP_OK;
	const gemp_shard *graph = route->all->to;
	gemp_relation *to = route->to;
	uint64_t *order = NULL;
	GEMP_TRY(GEMP_NEW(order, route->count));
	for (size_t e = 0; e < route->count; e++)
		order[e] = e;
	GEMP_TRY(gemp_radix_sort(route->pairs, order, route->count));
	GEMP_TRY(GEMP_NEW(to->out_offsets, graph->rows + 1));
	GEMP_TRY(GEMP_NEW(to->out_targets, route->count));
	for (size_t e = 0; e < route->count; e++) {
		to->out_offsets[route->pairs[e] / graph->vertex_count + 1]++;
		to->out_targets[e] = (gemp_vertex)(route->pairs[e] % graph->vertex_count);
	}
	for (size_t row = 0; row < graph->rows; row++)
		to->out_offsets[row + 1] += to->out_offsets[row];
	for (size_t c = 0; c < to->props.count; c++)
		GEMP_TRY(gemp_renumber_gather(&to->props.columns[c], order, route->count));
	to->props.rows = route->count;
done:
	gemp_free(order);
	return code;
}

static gemp_code gemp_renumber_relation(gemp_renumber_state *all, size_t index)
{
	gemp_code code = GEMP_OK;
	renumber_edges_routing route = { .all = all,
		                             .from = &all->from->relations[index],
		                             .to = &all->to->relations[index] };
	gemp_builder builder = { .comm = all->comm, .options.batch = GEMP_RECORD_BATCH };
	GEMP_TRY(name_ends(&route));
	gemp_record_stream shuffle = { &route,
		                           route.from->out_offsets[all->from->rows],
		                           GEMP_RECORD_BATCH,
		                           renumber_edges_owner,
		                           renumber_edges_pack,
		                           renumber_edges_receive };
	GEMP_TRY(gemp_record_stream_run(all->comm, &shuffle));
	GEMP_TRY(gemp_comm_agree(all->comm, make_rows(&route)));
	route.to->first_edge = gemp_comm_exscan(all->comm, route.count);
	GEMP_TRY(gemp_rows_by_target_make(&builder, all->to, route.to));
	route.to->loaded = GEMP_LOAD_ALL;
done:
	gemp_free(route.edges);
	gemp_free(route.pairs);
	return code;
}

/* bounds[parts + 1] of the new ids, and the first id that this rank gives in each part. */
static gemp_code give_ranges(const gemp_comm *comm, const gemp_shard *graph, const uint32_t *part, uint64_t parts,
                             uint64_t *bounds, uint64_t *next)
{
	gemp_code code = GEMP_OK;
	uint64_t *before = NULL;
	code = GEMP_NEW(before, parts);
	GEMP_TRY(gemp_comm_agree(comm, code));
	for (size_t v = 0; v < graph->rows; v++)
		next[part[v]]++;
	GEMP_MPI(MPI_Exscan(next, before, (int)parts, MPI_UINT64_T, MPI_SUM, comm->world));
	gemp_comm_sum(comm, next, (int)parts);
	for (uint64_t p = 0; p < parts; p++) {
		bounds[p + 1] = bounds[p] + next[p];
		next[p] = bounds[p] + (comm->rank ? before[p] : 0);
	}
done:
	gemp_free(before);
	return code;
}

static gemp_code give_ids(gemp_renumber_state *all, const uint32_t *part, uint64_t parts, const char *method)
{
	gemp_code code = GEMP_OK;
	gemp_shard *to = all->to;
	uint64_t *bounds = NULL, *next = NULL;
	size_t ranks = (size_t)all->comm->size;
	code = GEMP_NEW(bounds, parts + 1);
	if (code == GEMP_OK)
		code = GEMP_NEW(next, parts);
	if (code == GEMP_OK)
		code = GEMP_NEW(all->id, all->from->rows);
	if (code == GEMP_OK)
		code = GEMP_NEW(to->bounds, ranks + 1);
	GEMP_TRY(gemp_comm_agree(all->comm, code));
	GEMP_TRY(give_ranges(all->comm, all->from, part, parts, bounds, next));
	for (size_t v = 0; v < all->from->rows; v++)
		all->id[v] = (gemp_vertex)next[part[v]]++;
	GEMP_TRY(gemp_comm_agree(all->comm, gemp_partition_init(&to->partition, bounds, parts, method)));
	gemp_partition_assign(&to->partition, to->vertex_count, ranks, to->bounds);
	to->first_vertex = to->bounds[to->rank];
	to->rows = to->bounds[to->rank + 1] - to->first_vertex;
done:
	gemp_free(bounds);
	gemp_free(next);
	return code;
}

static gemp_code copy_labels(const gemp_shard *from, gemp_shard *to)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(GEMP_NEW(to->labels, from->label_count));
	for (to->label_count = 0; to->label_count < from->label_count; to->label_count++) {
		to->labels[to->label_count] = gemp_strdup(from->labels[to->label_count]);
		if (!to->labels[to->label_count])
			return GEMP_ENOMEM;
	}
	GEMP_TRY(GEMP_NEW(to->label_sets, from->label_set_count));
	for (to->label_set_count = 0; to->label_set_count < from->label_set_count; to->label_set_count++) {
		const gemp_label_set *set = &from->label_sets[to->label_set_count];
		gemp_label_set *copy = &to->label_sets[to->label_set_count];
		*copy = (gemp_label_set){ .count = set->count, .vertex_count = set->vertex_count };
		GEMP_TRY(GEMP_NEW(copy->labels, set->count));
		memcpy(copy->labels, set->labels, set->count * sizeof *set->labels);
	}
done:
	return code;
}

static gemp_code copy_columns(const gemp_table *from, gemp_table *to)
{
	gemp_code code = GEMP_OK;
	for (size_t c = 0; c < from->count && code == GEMP_OK; c++)
		code = gemp_table_add(to, from->columns[c].name, from->columns[c].type, NULL);
	return code;
}

/* Local. What all ranks know of a graph but for its vertices and edges: labels, columns and relations by name. */
static gemp_code gemp_renumber_schema(gemp_renumber_state *all)
{
	gemp_code code = GEMP_OK;
	const gemp_shard *from = all->from;
	gemp_shard *to = all->to;
	to->rank = from->rank;
	to->ranks = from->ranks;
	to->vertex_count = from->vertex_count;
	to->seed = from->seed;
	GEMP_TRY(copy_labels(from, to));
	GEMP_TRY(gemp_column_init(&to->keys, from->keys.name, from->keys.type));
	GEMP_TRY(copy_columns(&from->attributes, &to->attributes));
	GEMP_TRY(GEMP_NEW(to->relations, from->relation_count));
	for (to->relation_count = 0; to->relation_count < from->relation_count;) {
		const gemp_relation *relation = &from->relations[to->relation_count];
		gemp_relation *copy = &to->relations[to->relation_count++];
		copy->directed = relation->directed;
		copy->multigraph = relation->multigraph;
		copy->reciprocal = relation->reciprocal;
		copy->edge_count = relation->edge_count;
		copy->name = gemp_strdup(relation->name);
		GEMP_TRY(copy->name ? GEMP_OK : GEMP_ENOMEM);
		GEMP_TRY(copy_columns(&relation->props, &copy->props));
	}
done:
	return code;
}

gemp_code gemp_shard_renumber(gemp_shard **out, const gemp_comm *comm, gemp_shard *graph, const uint32_t *part,
                              uint64_t parts, const char *method)
{
	gemp_code code = GEMP_OK;
	gemp_renumber_state all = { .comm = comm, .from = graph };
	*out = NULL;
	GEMP_TRY(gemp_shard_load_all(graph));
	code = GEMP_NEW(all.to, 1);
	if (code == GEMP_OK)
		code = gemp_renumber_schema(&all);
	GEMP_TRY(gemp_comm_agree(comm, code));
	GEMP_TRY(give_ids(&all, part, parts, method));
	GEMP_TRY(gemp_renumber_vertices(&all));
	for (size_t r = 0; r < graph->relation_count; r++)
		GEMP_TRY(gemp_renumber_relation(&all, r));
	GEMP_TRY(gemp_shard_content_hash(comm, all.to, &all.to->hash));
	*out = all.to;
	all.to = NULL;
done:
	gemp_shard_free(all.to);
	gemp_free(all.id);
	return code;
}
