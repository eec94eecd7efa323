/* Edges with canonical ids, at the owners of their sources. */

#include "partition/derived/canonical.h"

#include "core/memory.h"
#include "core/random.h"
#include "core/threads.h"
#include "partition/build/content_hash.h"
#include "partition/build/rows_by_target.h"
#include "partition/derived/canonical_ids.h"
#include "partition/patch/patch_rows.h"

#include <string.h>

enum { PIECE = 1 << 12 }; /* rows that a thread takes at a time */

typedef struct edge_naming {
	const gemp_canonical_state *c;
	const gemp_relation *from;
	const gemp_vertex *targets; /* [edges] new ids */
	gemp_edge_ids *edges;       /* [edges] */
	int *owner;                 /* [edges]; NULL: one rank */
} edge_naming;

static void name_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	const edge_naming *n = context;
	const gemp_shard *from = n->c->from;
	for (size_t v = piece * PIECE; v < from->rows && v < (piece + 1) * PIECE; v++) {
		gemp_vertex source = n->c->id[v];
		int owner = n->owner ? gemp_shard_owner(n->c->to, source) : 0;
		for (uint64_t e = n->from->out_offsets[v]; e < n->from->out_offsets[v + 1]; e++) {
			n->edges[e] = (gemp_edge_ids){ source, n->targets[e] };
			if (n->owner)
				n->owner[e] = owner;
		}
	}
}

/* Collective. The edges with their new ends; targets are replaced. */
static gemp_code name_edges(edge_naming *n)
{
	gemp_code code = GEMP_OK;
	size_t rows = n->c->from->rows, count = (size_t)n->from->out_offsets[rows];
	code = GEMP_NEW(n->edges, count);
	if (code == GEMP_OK && n->c->comm->size > 1)
		code = GEMP_NEW(n->owner, count);
	GEMP_TRY(gemp_comm_agree(n->c->comm, code));
	GEMP_TRY(gemp_canonical_request(n->c, n->from->out_targets, count, n->from->out_targets));
	n->targets = n->from->out_targets;
	gemp_parallel_for((rows + PIECE - 1) / PIECE, name_piece, n);
done:
	return code;
}

/* Local. Rows of the edges that came, and the order of their attributes. */
static gemp_code make_rows(const gemp_canonical_state *c, const gemp_edge_ids *edges, size_t count, gemp_relation *to,
                           uint64_t **order)
{
	gemp_code code = GEMP_OK;
	const gemp_patch_state p = { .comm = c->comm, .from = c->from, .to = c->to };
	gemp_row_patch r = { .p = &p, .added = count, .edges = edges, .ordered = to->props.count > 0 };
	code = gemp_patch_rows(&r);
	to->out_offsets = r.begin;
	to->out_targets = r.out;
	to->props.rows = count;
	*order = r.order;
	return code;
}

static void free_rows(gemp_relation *relation)
{
	gemp_free(relation->out_offsets);
	gemp_free(relation->out_targets);
	gemp_free(relation->in_offsets);
	gemp_free(relation->in_sources);
	gemp_free(relation->in_edges);
	relation->out_offsets = relation->in_offsets = NULL;
	relation->out_targets = relation->in_sources = NULL;
	relation->in_edges = NULL;
}

static gemp_code gemp_canonical_relation(gemp_canonical_state *c, size_t index)
{
	gemp_code code = GEMP_OK;
	gemp_relation *from = &c->from->relations[index], *to = &c->to->relations[index];
	edge_naming n = { .c = c, .from = from };
	size_t count = (size_t)from->out_offsets[c->from->rows], came = 0;
	uint64_t *order = NULL;
	c->to->relation_count = index + 1;
	*to = (gemp_relation){ .name = from->name,
		                   .directed = from->directed,
		                   .multigraph = from->multigraph,
		                   .reciprocal = from->reciprocal,
		                   .edge_count = from->edge_count,
		                   .props = from->props };
	from->name = NULL;
	from->props = (gemp_table){ 0 };
	GEMP_TRY(name_edges(&n));
	free_rows(from);
	GEMP_TRY(gemp_canonical_send(c->comm, (void **)&n.edges, count, sizeof *n.edges, n.owner, &came));
	GEMP_TRY(gemp_comm_agree(c->comm, make_rows(c, n.edges, came, to, &order)));
	to->first_edge = gemp_comm_exscan(c->comm, came);
	for (size_t i = 0; i < to->props.count; i++)
		GEMP_TRY(gemp_canonical_column(c->comm, &to->props.columns[i], n.owner, order, came));
	if (to->multigraph && to->props.count)
		code = gemp_patch_sort_parallel(to->out_offsets, to->out_targets, c->to->rows, &to->props, NULL);
	GEMP_TRY(gemp_comm_agree(c->comm, code));
	to->loaded = GEMP_LOAD_OUT | GEMP_LOAD_PROPS;
done:
	gemp_free(n.edges);
	gemp_free(n.owner);
	gemp_free(order);
	return code;
}

/* IDS OF ANY VERTICES */

/* THE GRAPH */

/* Local. Names are those of before. */
static gemp_code start(gemp_canonical_state *c)
{
	gemp_code code = GEMP_OK;
	gemp_shard *from = c->from, *to = NULL;
	GEMP_TRY(GEMP_NEW(to, 1));
	c->to = to;
	to->rank = from->rank;
	to->ranks = from->ranks;
	to->vertex_count = from->vertex_count;
	to->seed = from->seed;
	to->loader = gemp_rows_by_target_source(c->comm);
	to->labels = from->labels;
	to->label_count = from->label_count;
	to->label_sets = from->label_sets;
	to->label_set_count = from->label_set_count;
	from->labels = NULL;
	from->label_sets = NULL;
	from->label_count = from->label_set_count = 0;
	GEMP_TRY(GEMP_NEW(to->bounds, (size_t)c->comm->size + 1));
	GEMP_TRY(GEMP_NEW(c->id, from->rows));
	code = GEMP_NEW(to->relations, from->relation_count);
done:
	return code;
}

gemp_code gemp_shard_canonical(gemp_shard **graph, const gemp_comm *comm, bool string_keys)
{
	gemp_code code = GEMP_OK;
	gemp_canonical_state c = { .comm = comm, .from = *graph, .string_keys = string_keys };
	GEMP_TRY(gemp_comm_agree(comm, start(&c)));
	GEMP_TRY(gemp_canonical_vertices(&c));
	for (size_t r = 0; r < c.from->relation_count; r++)
		GEMP_TRY(gemp_canonical_relation(&c, r));
	GEMP_TRY(gemp_shard_content_hash(comm, c.to, &c.to->hash));
	gemp_shard_free(*graph);
	*graph = c.to;
	c.to = NULL;
done:
	gemp_shard_free(c.to);
	gemp_free(c.id);
	return code;
}

/* One way to read this rank's keys: could its ids be in the order of these hashes? */
typedef struct reading {
	uint64_t rows, first, last; /* hashes */
	uint64_t wrong;             /* neighbours that would be the other way round */
} reading;

static gemp_code check_hash_order(reading *as, gemp_value key, uint64_t seed, gemp_text *scratch)
{
	gemp_code code = gemp_key_encode(&key, scratch);
	if (code != GEMP_OK)
		return code;
	uint64_t hash = gemp_hash(scratch->data, scratch->size, seed);
	if (as->rows++ == 0)
		as->first = hash;
	else
		as->wrong += hash < as->last;
	as->last = hash;
	return GEMP_OK;
}

typedef struct key_facts {
	reading mixed;
	uint64_t integers;     /* keys that look like integers */
	uint64_t highest_rank; /* of these, + 1 */
} key_facts;

static gemp_code collect_key_order(const gemp_shard *graph, key_facts *facts)
{
	gemp_code code = GEMP_OK;
	gemp_text scratch = { 0 };
	for (size_t row = 0; row < graph->rows && code == GEMP_OK; row++) {
		gemp_value key = gemp_column_get(&graph->keys, row), integer = { .type = GEMP_INTEGER };
		if (gemp_canonical_integer(key.string.bytes, key.string.size, &integer.integer)) {
			key = integer;
			facts->integers++;
			if (graph->key_ranks[row] >= facts->highest_rank)
				facts->highest_rank = (uint64_t)graph->key_ranks[row] + 1;
		}
		code = check_hash_order(&facts->mixed, key, graph->seed, &scratch);
	}
	gemp_text_free(&scratch);
	return code;
}

gemp_code gemp_has_string_keys(const gemp_comm *comm, const gemp_shard *graph, bool *out)
{
	gemp_code code = GEMP_OK;
	key_facts mine = { 0 }, all = { 0 };
	void *gathered = NULL;
	size_t *begin = NULL;
	*out = false;
	if (graph->keys.type != GEMP_STRING)
		return GEMP_OK;
	GEMP_TRY(gemp_comm_agree(comm, collect_key_order(graph, &mine)));
	GEMP_TRY(gemp_comm_allgather(comm, &mine, sizeof mine, &gathered, &begin));
	const key_facts *facts = gathered;
	for (int r = 0; r < comm->size; r++) {
		all.integers += facts[r].integers;
		all.highest_rank = facts[r].highest_rank > all.highest_rank ? facts[r].highest_rank : all.highest_rank;
		if (facts[r].mixed.rows == 0)
			continue;
		all.mixed.wrong += facts[r].mixed.wrong + (facts[r].mixed.first < all.mixed.last);
		all.mixed.last = facts[r].mixed.last;
	}
	*out = all.integers && (all.integers == graph->vertex_count || all.highest_rank > all.integers || all.mixed.wrong);
done:
	gemp_free(gathered);
	gemp_free(begin);
	return code;
}
