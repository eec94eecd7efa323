#include "io/key_kind.h"

#include "core/memory.h"
#include "core/random.h"
#include "core/text.h"
#include "partition/builder_bytes.h"

/* One way to read this rank's keys: could its ids be in the order of these hashes? */
typedef struct reading {
	uint64_t rows, first, last; /* hashes */
	uint64_t wrong;             /* neighbours that would be the other way round */
} reading;

static gemp_code read_as(reading *as, gemp_value key, uint64_t seed, gemp_text *scratch)
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

static gemp_code look(const gemp_graph *graph, key_facts *facts)
{
	gemp_code code = GEMP_OK;
	gemp_text scratch = { 0 };
	for (size_t row = 0; row < graph->rows && code == GEMP_OK; row++) {
		gemp_value key = gemp_column_get(&graph->key, row), integer = { .type = GEMP_INTEGER };
		if (gemp_canonical_integer(key.string.bytes, key.string.size, &integer.integer)) {
			key = integer;
			facts->integers++;
			if (graph->key_rank[row] >= facts->highest_rank)
				facts->highest_rank = (uint64_t)graph->key_rank[row] + 1;
		}
		code = read_as(&facts->mixed, key, graph->seed, &scratch);
	}
	gemp_text_free(&scratch);
	return code;
}

gemp_code gemp_has_string_keys(const gemp_comm *comm, const gemp_graph *graph, bool *out)
{
	gemp_code code = GEMP_OK;
	key_facts mine = { 0 }, all = { 0 };
	void *gathered = NULL;
	size_t *begin = NULL;
	*out = false;
	if (graph->key.type != GEMP_STRING)
		return GEMP_OK;
	GEMP_TRY(gemp_comm_agree(comm, look(graph, &mine)));
	GEMP_TRY(gemp_comm_gather_all(comm, &mine, sizeof mine, &gathered, &begin));
	const key_facts *facts = gathered;
	for (int r = 0; r < comm->size; r++) {
		all.integers += facts[r].integers;
		all.highest_rank = facts[r].highest_rank > all.highest_rank ? facts[r].highest_rank : all.highest_rank;
		if (facts[r].mixed.rows == 0)
			continue;
		all.mixed.wrong += facts[r].mixed.wrong + (facts[r].mixed.first < all.mixed.last);
		all.mixed.last = facts[r].mixed.last;
	}
	*out = all.integers &&
	       (all.integers == graph->vertices || all.highest_rank > all.integers || all.mixed.wrong);
done:
	gemp_free(gathered);
	gemp_free(begin);
	return code;
}
