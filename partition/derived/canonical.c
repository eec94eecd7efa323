
#include "partition/derived/canonical.h"

#include "core/memory.h"
#include "core/random.h"
#include "partition/build/content_hash.h"
#include "partition/build/rows_by_target.h"
#include "partition/derived/canonical_ids.h"

/* Local. */
static gemp_code start(gemp_relabel *r)
{
	GEMP_PROPAGATE(GEMP_NEW(r->to, 1));
	GEMP_PROPAGATE(gemp_shard_copy_schema(r->to, r->from));
	r->to->loader = gemp_rows_by_target_source(r->comm);
	return GEMP_NEW(r->id, r->from->rows);
}

gemp_code gemp_shard_canonical(gemp_shard **graph, const gemp_comm *comm, bool string_keys)
{
	gemp_code code = GEMP_OK;
	gemp_relabel r = { .comm = comm, .from = *graph, .consumes = true };
	GEMP_TRY(gemp_comm_agree(comm, start(&r)));
	GEMP_TRY(gemp_canonical_vertices(&r, string_keys));
	for (size_t i = 0; i < r.from->relation_count; i++)
		GEMP_TRY(gemp_relabel_relation(&r, i));
	GEMP_TRY(gemp_shard_content_hash(comm, r.to, &r.to->hash));
	gemp_shard_free(*graph);
	*graph = r.to;
	r.to = NULL;
done:
	gemp_shard_free(r.to);
	gemp_free(r.id);
	return code;
}

/* One way to read this rank's keys: could its ids be in the order of these hashes? */
typedef struct hash_order {
	uint64_t rows, first, last; /* hashes */
	uint64_t wrong;             /* neighbours that would be the other way round */
} hash_order;

/* Counts neighbours whose hashes descend: none do if the ids are in the order of these hashes. */
static gemp_code check_hash_order(hash_order *as, gemp_value key, uint64_t seed, gemp_text *scratch)
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
	hash_order mixed;
	uint64_t integers;     /* keys that look like integers */
	uint64_t highest_rank; /* of these, + 1 */
} key_facts;

/* Local. Reads every string that looks like an integer as that integer. */
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
	key_facts mine = { 0 }, all = { 0 };
	GEMP_OWNED void *gathered = NULL;
	GEMP_OWNED size_t *begin = NULL;
	*out = false;
	if (graph->keys.type != GEMP_STRING)
		return GEMP_OK;
	GEMP_PROPAGATE(gemp_comm_agree(comm, collect_key_order(graph, &mine)));
	GEMP_PROPAGATE(gemp_comm_allgather(comm, &mine, sizeof mine, &gathered, &begin));
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
	return GEMP_OK;
}
