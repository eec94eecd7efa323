/* Gives new ids to all vertices. gemp_shard_renumber derives the ids from a partition: within a part the new ids keep
 * the order of the old ids. gemp_relabel_relation moves one relation. The old owners of the targets send the new ids of
 * the targets. Then each edge goes to the owner of its source's new id, and this owner makes the rows. The attributes
 * are permuted by the numbers of the edges. */

#include "partition/derived/renumber.h"

#include "comm/exchange.h"
#include "core/memory.h"
#include "core/threads.h"
#include "graph/column_bulk.h"
#include "graph/either_rows.h"
#include "partition/build/content_hash.h"
#include "partition/build/row_builder.h"
#include "partition/build/row_partition.h"
#include "partition/build/rows_by_target.h"
#include "partition/build/rows_source.h"
#include "partition/exchange/record_stream.h"
#include "partition/exchange/value_exchange.h"

/* A vertex on its way to the owner of its new id. */
typedef struct vertex_record {
	gemp_vertex id;
	uint32_t key_rank, label_set;
} vertex_record;

/* Collective. bounds[parts + 1] becomes the bounds of the parts in new ids. next[part] becomes the first new id that
 * this rank gives in the part. */
static gemp_code assign_ranges(const gemp_comm *comm, const gemp_shard *graph, const uint32_t *part, uint64_t parts,
                               uint64_t *bounds, uint64_t *next)
{
	GEMP_OWNED uint64_t *before = NULL;
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(before, parts)));
	for (size_t v = 0; v < graph->rows; v++)
		next[part[v]]++;
	GEMP_MPI(MPI_Exscan(next, before, (int)parts, MPI_UINT64_T, MPI_SUM, comm->world));
	gemp_comm_sum(comm, next, (int)parts);
	for (uint64_t p = 0; p < parts; p++) {
		bounds[p + 1] = bounds[p] + next[p];
		next[p] = bounds[p] + (comm->rank ? before[p] : 0);
	}
	return GEMP_OK;
}

/* Collective. Within a part the new ids ascend by rank and then by old id. Ranks own ascending ranges of old ids, so
 * the new ids do not depend on the number of ranks. */
static gemp_code assign_ids(gemp_relabel *r, const uint32_t *part, uint64_t parts, const char *method)
{
	gemp_shard *to = r->to;
	GEMP_OWNED uint64_t *bounds = NULL, *next = NULL;
	size_t ranks = (size_t)r->comm->size;
	GEMP_TRY(gemp_comm_agree(r->comm, gemp_new_all(GEMP_ARRAY(bounds, parts + 1), GEMP_ARRAY(next, parts),
	                                               GEMP_ARRAY(r->id, r->from->rows))));
	GEMP_TRY(assign_ranges(r->comm, r->from, part, parts, bounds, next));
	for (size_t v = 0; v < r->from->rows; v++)
		r->id[v] = (gemp_vertex)next[part[v]]++;
	GEMP_TRY(gemp_comm_agree(r->comm, gemp_partition_init(&to->partition, bounds, parts, method)));
	gemp_partition_assign(&to->partition, to->vertex_count, ranks, to->bounds);
	to->first_vertex = to->bounds[to->rank];
	to->rows = to->bounds[to->rank + 1] - to->first_vertex;
	return GEMP_OK;
}

/* Local. records[] has each of this rank's new ids once. order[row] becomes the index of the record of each row. */
static gemp_code assign_rows(gemp_shard *to, const vertex_record *records, uint64_t *order)
{
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(to->key_ranks, to->rows), GEMP_ARRAY(to->label_set_of, to->rows)));
	for (size_t i = 0; i < to->rows; i++) {
		size_t row = (size_t)(records[i].id - to->first_vertex);
		order[row] = i;
		to->key_ranks[row] = records[i].key_rank;
		to->label_set_of[row] = records[i].label_set;
	}
	return GEMP_OK;
}

/* Collective. Moves keys, labels and attributes. */
static gemp_code move_vertices(const gemp_relabel *r)
{
	const gemp_shard *from = r->from;
	gemp_shard *to = r->to;
	GEMP_OWNED vertex_record *records = NULL;
	GEMP_OWNED int *owner = NULL;
	GEMP_OWNED uint64_t *order = NULL;
	size_t received;
	gemp_code code = gemp_new_all(GEMP_ARRAY(records, from->rows), GEMP_ARRAY(order, to->rows));
	if (r->comm->size > 1)
		GEMP_THEN(GEMP_NEW(owner, from->rows));
	GEMP_TRY(gemp_comm_agree(r->comm, code));
	for (size_t v = 0; v < from->rows; v++) {
		records[v] = (vertex_record){ r->id[v], from->key_ranks[v], from->label_set_of[v] };
		if (owner)
			owner[v] = gemp_shard_owner(to, r->id[v]);
	}
	GEMP_TRY(gemp_records_move(r->comm, GEMP_OK, (void **)&records, from->rows, sizeof *records, owner, &received));
	GEMP_TRY(gemp_comm_agree(r->comm, assign_rows(to, records, order)));
	GEMP_TRY(gemp_column_move(r->comm, &to->keys, &r->from->keys, owner, order, to->rows, r->consumes));
	return gemp_table_move(r->comm, &to->attributes, &r->from->attributes, owner, order, to->rows, r->consumes);
}

/* Vertices are moved before edges, since edges go to the owners of the new ids. */
gemp_code gemp_shard_renumber(gemp_shard **out, const gemp_comm *comm, gemp_shard *graph, const uint32_t *part,
                              uint64_t parts, const char *method)
{
	GEMP_OWNED_BY(gemp_relabel_free) gemp_relabel r = { .comm = comm, .from = graph };
	*out = NULL;
	GEMP_TRY(gemp_shard_load_all(graph));
	gemp_code code = GEMP_NEW(r.to, 1);
	GEMP_THEN(gemp_shard_copy_schema(r.to, graph));
	GEMP_TRY(gemp_comm_agree(comm, code));
	GEMP_TRY(assign_ids(&r, part, parts, method));
	GEMP_TRY(move_vertices(&r));
	for (size_t i = 0; i < graph->relation_count; i++) {
		GEMP_TRY(gemp_relabel_relation(&r, i));
		GEMP_TRY(gemp_rows_by_target_make(comm, GEMP_RECORD_BATCH, r.to, &r.to->relations[i]));
		r.to->relations[i].loaded = GEMP_LOAD_ALL;
	}
	r.to->loader = gemp_rows_source(comm);
	GEMP_TRY(gemp_shard_content_hash(comm, r.to, &r.to->hash));
	*out = r.to;
	r.to = NULL;
	return GEMP_OK;
}

void gemp_relabel_free(gemp_relabel *r)
{
	gemp_shard_free(r->to);
	gemp_free(r->id);
}

/* The edges of one relation while new ids replace their ends. */
typedef struct edge_relabel {
	const gemp_relabel *r;
	const gemp_relation *from;
	gemp_vertex *targets;  /* [edges] new ids */
	gemp_edge_pair *edges; /* [edges] */
	int *owner;            /* [edges]; NULL if there is one rank */
} edge_relabel;

/* An edge goes to the owner of its source, and one lookup per row finds the owner. An edge of a symmetric relation
 * gets the direction that its new ids give. */
static void name_rows(void *context, size_t begin, size_t end)
{
	const edge_relabel *n = context;
	const bool symmetric = gemp_relation_is_symmetric(n->from);
	for (size_t v = begin; v < end; v++) {
		gemp_vertex source = n->r->id[v];
		int owner = n->owner ? gemp_shard_owner(n->r->to, source) : 0;
		for (uint64_t e = n->from->out_offsets[v]; e < n->from->out_offsets[v + 1]; e++) {
			bool turned = symmetric && !gemp_edge_leads(source, n->targets[e]);
			n->edges[e] = turned ? (gemp_edge_pair){ n->targets[e], source }
			                     : (gemp_edge_pair){ source, n->targets[e] };
			if (n->owner)
				n->owner[e] = turned ? gemp_shard_owner(n->r->to, n->targets[e]) : owner;
		}
	}
}

/* Collective. Makes the edges with their new ends. If the old graph is consumed, the new targets take the memory of the
 * old targets. */
static gemp_code name_edges(edge_relabel *n)
{
	const gemp_relabel *r = n->r;
	GEMP_OWNED gemp_vertex *targets = NULL;
	size_t count = (size_t)n->from->out_offsets[r->from->rows];
	gemp_code code = GEMP_NEW(n->edges, count);
	if (r->comm->size > 1)
		GEMP_THEN(GEMP_NEW(n->owner, count));
	if (!r->consumes)
		GEMP_THEN(GEMP_NEW(targets, count));
	n->targets = r->consumes ? n->from->out_targets : targets;
	GEMP_TRY(gemp_vertex_numbers(r->comm, code, r->from->bounds, r->id, n->from->out_targets, count, n->targets, NULL));
	gemp_for_elements(r->from->rows, name_rows, n);
	return GEMP_OK;
}

/* The parallel edges of a source come from one rank and keep their order. They are sorted by
 * attributes again only if the relation has parallel edges and attributes. */
gemp_code gemp_relabel_relation(const gemp_relabel *r, size_t index)
{
	gemp_code code = GEMP_OK;
	gemp_relation *from = &r->from->relations[index], *to = &r->to->relations[index];
	edge_relabel n = { .r = r, .from = from };
	size_t count = (size_t)from->out_offsets[r->from->rows], received = 0;
	bool parallel;
	gemp_row_builder rows = { .rows = r->to->rows, .first = r->to->first_vertex };
	GEMP_TRY_DONE(name_edges(&n));
	if (r->consumes)
		gemp_relation_keep_rows(from, 0);
	GEMP_TRY_DONE(gemp_records_move(r->comm, GEMP_OK, (void **)&n.edges, count, sizeof *n.edges, n.owner, &received));
	GEMP_TRY_DONE(gemp_comm_agree(r->comm, gemp_row_builder_make(&rows, n.edges, received, r->to->vertex_count,
	                                                             from->props.count > 0, &parallel)));
	to->first_edge = gemp_comm_exscan(r->comm, received);
	if (gemp_relation_is_symmetric(from)) {
		to->multigraph = gemp_comm_sum1(r->comm, parallel) > 0;
		to->reciprocal = -1;
	}
	to->out_offsets = rows.begin;
	to->out_targets = rows.slots;
	rows.begin = NULL;
	rows.slots = NULL;
	to->props.rows = received;
	GEMP_TRY_DONE(gemp_table_move(r->comm, &to->props, &from->props, n.owner, rows.edges, received, r->consumes));
	if (to->multigraph && to->props.count)
		code = gemp_rows_sort_parallel(to->out_offsets, to->out_targets, r->to->rows, &to->props, NULL);
	GEMP_TRY_DONE(gemp_comm_agree(r->comm, code));
	to->loaded = GEMP_LOAD_OUT | GEMP_LOAD_PROPS;
done:
	gemp_free_all(n.edges, n.owner, rows.begin, rows.slots, rows.edges);
	return code;
}
