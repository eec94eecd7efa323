#include "partition/views/relation_ends.h"

#include "core/bitset.h"
#include "core/status.h"

/* Own vertices with a row, and their label sets. */
static void note_rows(const gemp_shard *graph, const uint64_t *offsets, uint64_t *vertices, uint64_t *sets)
{
	for (size_t v = 0; v < graph->rows; v++)
		if (offsets[v + 1] > offsets[v]) {
			++*vertices;
			sets[graph->label_set_of[v]] = 1;
		}
}

/* With a single rank the targets are in the rows by source, so rows by target need not be loaded. */
static gemp_code note_targets(const gemp_shard *graph, const gemp_relation *relation, uint64_t *vertices,
                              uint64_t *sets)
{
	GEMP_OWNED uint32_t *seen = NULL;
	GEMP_TRY(GEMP_NEW(seen, gemp_bits32_words(graph->rows)));
	for (uint64_t i = 0; i < relation->out_offsets[graph->rows]; i++)
		gemp_bits32_set(seen, relation->out_targets[i]);
	for (size_t v = 0; v < graph->rows; v++)
		if (gemp_bits32_test(seen, v)) {
			++*vertices;
			sets[graph->label_set_of[v]] = 1;
		}
	return GEMP_OK;
}

/* Either end of an edge in merged rows can be its source, so both sides are the same. */
static unsigned parts_of(const gemp_shard *graph, const gemp_relation *relation)
{
	return relation->merged ? GEMP_LOAD_EITHER : GEMP_LOAD_OUT | (graph->ranks > 1 ? GEMP_LOAD_IN : 0u);
}

static gemp_code note_ends(const gemp_shard *graph, const gemp_relation *relation, uint64_t *figures)
{
	uint64_t *sets[2] = { figures + 2, figures + 2 + graph->label_set_count };
	if (relation->merged) {
		note_rows(graph, relation->either_offsets, &figures[0], sets[0]);
		note_rows(graph, relation->either_offsets, &figures[1], sets[1]);
		return GEMP_OK;
	}
	note_rows(graph, relation->out_offsets, &figures[0], sets[0]);
	if (relation->loaded & GEMP_LOAD_IN)
		note_rows(graph, relation->in_offsets, &figures[1], sets[1]);
	else
		return note_targets(graph, relation, &figures[1], sets[1]);
	return GEMP_OK;
}

static gemp_code ends_new(gemp_relation_ends **out, const uint64_t *figures, size_t sets)
{
	gemp_relation_ends *ends;
	GEMP_TRY(GEMP_NEW(ends, 1));
	*out = ends;
	for (size_t side = 0; side < 2; side++) {
		ends->vertices[side] = figures[side];
		GEMP_TRY(GEMP_NEW(ends->label_sets[side], sets));
		for (size_t s = 0; s < sets; s++)
			ends->label_sets[side][s] = figures[2 + side * sets + s] > 0;
	}
	return GEMP_OK;
}

gemp_code gemp_relation_ends_find(const gemp_comm *comm, gemp_shard *graph, size_t r)
{
	GEMP_OWNED uint64_t *figures = NULL;
	gemp_relation *relation = &graph->relations[r];
	const size_t sets = graph->label_set_count;
	if (relation->ends)
		return GEMP_OK;
	GEMP_TRY(gemp_shard_load_labels(graph));
	GEMP_TRY(gemp_shard_load_relation(graph, r, parts_of(graph, relation)));
	gemp_code code = GEMP_NEW(figures, 2 + 2 * sets);
	if (code == GEMP_OK)
		code = note_ends(graph, relation, figures);
	GEMP_TRY(gemp_comm_agree(comm, code));
	gemp_comm_sum_long(comm, figures, 2 + 2 * sets);
	code = gemp_comm_agree(comm, ends_new(&relation->ends, figures, sets));
	if (code != GEMP_OK && relation->ends) {
		gemp_free_all(relation->ends->label_sets[0], relation->ends->label_sets[1], relation->ends);
		relation->ends = NULL;
	}
	return code;
}
