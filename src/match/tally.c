#include "match/tally.h"

/* The part of id v when ids are dealt to P parts in runs of equal size: partition's own formula. */
static uint64_t part_of(uint64_t id, uint64_t parts, uint64_t vertices)
{
	return ((id + 1) * parts - 1) / vertices;
}

static bool within_one(const gemp_vertex *ids, int count, uint64_t parts, uint64_t vertices)
{
	uint64_t first = part_of(ids[0], parts, vertices);
	for (int i = 1; i < count; i++)
		if (part_of(ids[i], parts, vertices) != first)
			return false;
	return true;
}

static gemp_code take(void *self, const gemp_batch *batch)
{
	gemp_tally *tally = self;
	if (!tally->over)
		tally->rows += batch->rows;
	for (int i = 0; tally->parts && !tally->over && i < GEMP_PART_STEPS; i++)
		for (size_t row = 0; row < batch->rows; row++)
			tally->within[i] += within_one(batch->vertices + row * (size_t)batch->vertex_count, batch->vertex_count,
			                               UINT64_C(1) << i, tally->vertices);
	return tally->next ? tally->next->take(tally->next->self, batch) : GEMP_OK;
}

static gemp_code turn(void *self, bool last, bool *enough, bool *again)
{
	gemp_tally *tally = self;
	tally->over |= last;
	return tally->next ? tally->next->turn(tally->next->self, last, enough, again) : GEMP_OK;
}

static void keep(void *self)
{
	(void)self;
}

gemp_sink gemp_tally_sink(gemp_tally *tally)
{
	return (gemp_sink){ tally, take, turn, keep };
}
