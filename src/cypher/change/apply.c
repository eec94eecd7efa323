#include "cypher/change/apply.h"

#include "core/bitset.h"
#include "core/search.h"
#include "cypher/change/batch.h"
#include "partition/views/resident.h"

#include <string.h>

/* DELETED NODES */

/* Bits by id. */
typedef struct deleted_bits {
	uint64_t *gone, *plain; /* all deleted nodes; those that are deleted without DETACH */
} deleted_bits;

static void deleted_bits_free(deleted_bits *bits)
{
	gemp_free_all(bits->gone, bits->plain);
}

static gemp_code deleted_bits_new(deleted_bits *bits, const gemp_cypher_batch *b)
{
	const size_t words = b->graph->vertex_count / 64 + 1;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(bits->gone, words), GEMP_ARRAY(bits->plain, words)));
	for (size_t i = 0; i < b->deleted_count; i++) {
		gemp_bits64_set(bits->gone, b->deleted[i] / 2);
		if (b->deleted[i] % 2 == 0)
			gemp_bits64_set(bits->plain, b->deleted[i] / 2);
	}
	return GEMP_OK;
}

/* counts[0] grows by the relationships that end with a node, counts[1] by those that must not. */
static void count_row(const gemp_cypher_batch *b, const deleted_bits *bits, size_t r, size_t row, uint64_t *counts)
{
	const gemp_relation *relation = &b->graph->relations[r];
	const uint8_t *actions = b->patch.edge_actions ? b->patch.edge_actions[r] : NULL;
	const uint64_t from = b->graph->first_vertex + row;
	for (uint64_t e = relation->out_offsets[row]; e < relation->out_offsets[row + 1]; e++) {
		const uint64_t to = relation->out_targets[e];
		const bool from_ends = gemp_bits64_test(bits->gone, from), to_ends = gemp_bits64_test(bits->gone, to);
		if ((actions && actions[e]) || (!from_ends && !to_ends))
			continue;
		const bool detached = (from_ends && !gemp_bits64_test(bits->plain, from)) ||
		                      (to_ends && !gemp_bits64_test(bits->plain, to));
		counts[detached ? 0 : 1]++;
	}
}

/* Collective. *dropped becomes the number of relationships that are deleted with their nodes. */
static gemp_code check_deleted(const gemp_cypher_batch *b, uint64_t *dropped)
{
	GEMP_OWNED_BY(deleted_bits_free) deleted_bits bits = { 0 };
	uint64_t counts[2] = { 0 };
	*dropped = 0;
	if (!b->deleted_count)
		return GEMP_OK;
	GEMP_TRY(gemp_comm_agree(b->context->comm, deleted_bits_new(&bits, b)));
	for (size_t r = 0; r < b->graph->relation_count; r++)
		for (size_t row = 0; row < b->graph->rows; row++)
			count_row(b, &bits, r, row, counts);
	gemp_comm_sum(b->context->comm, counts, 2);
	*dropped = counts[0];
	return counts[1] ? gemp_fail(GEMP_EUSAGE, "%s", gemp_cypher_still_attached) : GEMP_OK;
}

/* NEW IDS OF NODES */

/* New vertices of a rank follow its old ones. */
static uint64_t id_of_new(const gemp_cypher_batch *b, const gemp_id_map *map, uint64_t number)
{
	const uint64_t owner = number / b->nodes_per_rank, first = owner * b->nodes_per_rank;
	const uint64_t count = gemp_min(b->nodes_per_rank, b->new_nodes - first);
	return map->new_bounds[owner + 1] - count + number % b->nodes_per_rank;
}

static uint64_t node_id(const gemp_cypher_batch *b, const gemp_id_map *map, uint64_t old)
{
	if (gemp_cypher_is_created(old))
		return id_of_new(b, map, b->nodes.number[old ^ GEMP_CY_CREATED]);
	return gemp_id_map_get(map, (gemp_vertex)old);
}

/* Ghosts have their new ids already. */
static void rename_nodes(const gemp_cypher_batch *b, const gemp_id_map *map, gemp_cypher_element_ids *nodes)
{
	for (size_t i = 0; i < nodes->count; i++)
		if (!gemp_cypher_is_ghost(nodes->new[i]))
			nodes->new[i] = node_id(b, map, nodes->old[i]);
}

static void rename_ends(const gemp_cypher_element_ids *nodes, uint64_t *end)
{
	size_t at;
	GEMP_PARTITION_POINT(at, 0, nodes->count, nodes->old[at] < *end);
	if (at < nodes->count && nodes->old[at] == *end)
		*end = nodes->new[at];
}

/* NEW IDS OF RELATIONSHIPS */

/* Where an edge was on its owner before the patch: its index in a relation, or its number among the added edges of a
 * type (GEMP_PATCH_ADDED). */
typedef struct edge_place {
	uint32_t owner, group; /* group: the relation, or the type */
	uint64_t index;
} edge_place;

/* The new positions of one relation's edges on this rank. */
typedef struct positions {
	uint64_t *old, *added;
} positions;

typedef struct renumbering {
	const gemp_cypher_batch *b;
	const gemp_shard *graph; /* the new one */
	const gemp_patch_result *patched;
	const uint64_t *old_counts; /* [relations of the old graph] edges of this rank */
	gemp_edge *offsets;         /* [relations + 1] of the new graph */
	positions *relations;       /* [relations] made when they are needed */
	edge_place *places;         /* [count] of all ranks' edges, in the order of the rows' relationships */
	uint64_t *answers;          /* [count] */
	size_t count;
} renumbering;

static void renumbering_free(renumbering *n)
{
	for (size_t r = 0; n->relations && r < n->graph->relation_count; r++)
		gemp_free_all(n->relations[r].old, n->relations[r].added);
	gemp_free_all(n->offsets, n->relations, n->places, n->answers);
}

static gemp_code make_positions(const renumbering *n, size_t r, uint64_t old_count)
{
	const uint64_t *origins = n->patched->origins[r];
	const uint64_t edges = n->graph->relations[r].out_offsets[n->graph->rows];
	positions *at = &n->relations[r];
	if (at->old)
		return GEMP_OK;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(at->old, old_count + 1), GEMP_ARRAY(at->added, edges + 1)));
	for (uint64_t e = 0; e < edges; e++)
		if (!origins)
			at->old[e] = e;
		else if (origins[e] & GEMP_PATCH_ADDED)
			at->added[origins[e] ^ GEMP_PATCH_ADDED] = e;
		else
			at->old[origins[e]] = e;
	return GEMP_OK;
}

static gemp_code answer(const renumbering *n, const edge_place *place, uint64_t *out)
{
	const gemp_patch_result *patched = n->patched;
	const bool added = (place->index & GEMP_PATCH_ADDED) != 0;
	size_t r = 0, old = SIZE_MAX;
	if (added)
		r = (size_t)(gemp_shard_relation(n->graph, n->b->types[place->group]) - n->graph->relations);
	else
		r = patched->relations[place->group];
	for (size_t i = 0; i < patched->relation_count; i++)
		old = patched->relations[i] == r ? i : old;
	GEMP_TRY(make_positions(n, r, old == SIZE_MAX ? 0 : n->old_counts[old]));
	const positions *at = &n->relations[r];
	*out = n->offsets[r] + n->graph->relations[r].first_edge +
	       (added ? at->added[place->index ^ GEMP_PATCH_ADDED] : at->old[place->index]);
	return GEMP_OK;
}

/* Rank 0. The owner of a created relationship is that of its source, and counts the relationships of each type in their
 * order. numbers[record] becomes that count. */
static gemp_code number_created(const renumbering *n, uint32_t *owners, uint64_t *numbers)
{
	const gemp_cypher_survey *s = &n->b->relationships;
	const size_t ranks = (size_t)n->b->context->comm->size;
	GEMP_OWNED uint64_t *counts = NULL;
	GEMP_TRY(GEMP_NEW(counts, ranks * s->groups));
	for (size_t i = 0; i < s->all->count; i++) {
		const gemp_cypher_record *record = &s->all->records[i];
		if (!s->alive[i] || !gemp_cypher_is_created(record->id))
			continue;
		owners[i] = (uint32_t)gemp_shard_owner(n->graph, node_id(n->b, &n->patched->id_map, record->from));
		numbers[i] = counts[owners[i] * s->groups + s->group[i]]++;
	}
	return GEMP_OK;
}

static gemp_code list_places(renumbering *n, const gemp_cypher_element_ids *all)
{
	const gemp_cypher_batch *b = n->b;
	GEMP_OWNED uint32_t *owners = NULL;
	GEMP_OWNED uint64_t *numbers = NULL;
	const size_t records = b->relationships.all->count;
	GEMP_TRY(
		gemp_new_all(GEMP_ARRAY(owners, records), GEMP_ARRAY(numbers, records), GEMP_ARRAY(n->places, all->count + 1)));
	GEMP_TRY(number_created(n, owners, numbers));
	for (size_t i = 0; i < all->count; i++) {
		edge_place *place = &n->places[n->count];
		if (gemp_cypher_is_ghost(all->new[i]))
			continue;
		n->count++;
		if (gemp_cypher_is_created(all->old[i])) {
			const size_t record = all->old[i] ^ GEMP_CY_CREATED;
			*place = (edge_place){ owners[record],
				                   b->relationships.group[record] - (uint32_t)n->patched->relation_count,
				                   GEMP_PATCH_ADDED | numbers[record] };
		} else {
			const int owner = gemp_edge_owner(&b->owners, all->old[i]);
			*place = (edge_place){ (uint32_t)owner, (uint32_t)gemp_edge_relation(&b->owners, all->old[i]),
				                   gemp_edge_local_index(&b->owners, all->old[i], owner) };
		}
	}
	return GEMP_OK;
}

/* Collective. Each rank answers for its own edges; the other ranks add 0. */
static gemp_code answer_all(renumbering *n)
{
	const gemp_comm *comm = n->b->context->comm;
	void *bytes = n->places;
	size_t size = n->count * sizeof *n->places;
	GEMP_TRY(gemp_comm_broadcast(comm, &bytes, &size));
	n->places = bytes;
	n->count = size / sizeof *n->places;
	gemp_code code = gemp_edge_offsets(n->graph, &n->offsets);
	GEMP_THEN(gemp_new_all(GEMP_ARRAY(n->relations, n->graph->relation_count), GEMP_ARRAY(n->answers, n->count)));
	for (size_t i = 0; i < n->count; i++)
		if (n->places[i].owner == (uint32_t)comm->rank)
			GEMP_THEN(answer(n, &n->places[i], &n->answers[i]));
	GEMP_TRY(gemp_comm_agree(comm, code));
	gemp_comm_sum_long(comm, n->answers, n->count);
	return GEMP_OK;
}

static gemp_code rename_relationships(const gemp_cypher_batch *b, const gemp_shard *graph,
                                      const gemp_patch_result *patched, const uint64_t *old_counts,
                                      gemp_cypher_element_ids *all)
{
	GEMP_OWNED_BY(renumbering_free)
	renumbering n = { .b = b, .graph = graph, .patched = patched, .old_counts = old_counts };
	size_t at = 0;
	if (!b->renumbers_edges) {
		for (size_t i = 0; all && i < all->count; i++)
			all->new[i] = gemp_cypher_is_ghost(all->new[i]) ? all->new[i] : all->old[i];
		return GEMP_OK;
	}
	GEMP_TRY(gemp_comm_agree(b->context->comm, all ? list_places(&n, all) : GEMP_OK));
	GEMP_TRY(answer_all(&n));
	for (size_t i = 0; all && i < all->count; i++)
		if (!gemp_cypher_is_ghost(all->new[i]))
			all->new[i] = n.answers[at++];
	return GEMP_OK;
}

/* THE PATCH */

static gemp_code count_edges(const gemp_shard *graph, uint64_t **counts)
{
	GEMP_TRY(GEMP_NEW(*counts, graph->relation_count));
	for (size_t r = 0; r < graph->relation_count; r++)
		(*counts)[r] = graph->relations[r].out_offsets[graph->rows];
	return GEMP_OK;
}

/* Collective. */
static gemp_code make_batch(gemp_cypher_batch *b, const gemp_cypher_row_ids *ids)
{
	const gemp_comm *comm = b->context->comm;
	GEMP_TRY(gemp_shard_load_outgoing(b->graph));
	GEMP_TRY(gemp_edge_owners_new(&b->owners, comm, b->graph));
	b->wants_edges = ids && ids->relationships.count > 0;
	GEMP_TRY(gemp_cypher_batch_header(b, b->change ? gemp_cypher_batch_survey(b) : GEMP_OK));
	return gemp_cypher_batch_fill(b);
}

/* Rank 0. The keys of later nodes follow those of this patch. */
static void finish(gemp_cypher_change *change, const gemp_cypher_batch *b, uint64_t dropped,
                   const gemp_cypher_row_ids *ids)
{
	for (size_t i = 0; i < change->ghost_count; i++)
		if (change->ghosts[i].relationship) {
			rename_ends(&ids->nodes, &change->ghosts[i].from);
			rename_ends(&ids->nodes, &change->ghosts[i].to);
		}
	change->counts.relationships_deleted += b->dropped_edges + dropped;
	change->first_key = (int64_t)((uint64_t)change->first_key + b->new_nodes);
	gemp_cypher_change_forget(change);
}

gemp_code gemp_cypher_change_apply(gemp_cypher_change *change, gemp_runtime *context, gemp_shard **graph,
                                   gemp_cypher_row_ids *ids)
{
	GEMP_OWNED_BY(gemp_cypher_batch_free)
	gemp_cypher_batch b = { .context = context, .graph = *graph, .change = change };
	GEMP_OWNED_BY(gemp_patch_result_free) gemp_patch_result patched = { 0 };
	GEMP_OWNED uint64_t *old_counts = NULL;
	uint64_t dropped;
	GEMP_TRY(make_batch(&b, ids));
	GEMP_TRY(check_deleted(&b, &dropped));
	GEMP_TRY(gemp_comm_agree(context->comm, count_edges(*graph, &old_counts)));
	b.patch.want_origins = b.patch.number_added = b.renumbers_edges;
	gemp_resident_evict(context);
	GEMP_TRY(gemp_shard_patch(graph, context->comm, &b.patch, &patched));
	b.graph = *graph;
	if (ids)
		rename_nodes(&b, &patched.id_map, &ids->nodes);
	GEMP_TRY(rename_relationships(&b, *graph, &patched, old_counts, ids ? &ids->relationships : NULL));
	if (change)
		finish(change, &b, dropped, ids);
	return GEMP_OK;
}
