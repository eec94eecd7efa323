#include "cypher/search/grouping.h"

#include "core/memory.h"
#include "core/random.h"

static uint64_t hash_of(const gemp_vertex *tuple, size_t width)
{
	return gemp_hash(tuple, width * sizeof *tuple, 0);
}

/* A record is the tuple and one word with its number. */
static gemp_code number_tuple(gemp_cypher_grouping *g, uint32_t *record, size_t *number)
{
	uint32_t *found;
	bool added;
	record[g->width] = (uint32_t)g->table.count;
	GEMP_TRY(gemp_record_table_add(&g->table, record, hash_of(record, g->width), &found, &added));
	if (!found)
		return gemp_fail(GEMP_ENOMEM, "a MATCH begins at more than 2^32 - 1 different tuples of nodes");
	*number = found[g->width];
	return GEMP_OK;
}

gemp_code gemp_cypher_grouping_new(gemp_cypher_grouping *g, const gemp_cypher_frame *frame, const size_t *cells,
                                   size_t width)
{
	uint32_t record[GEMP_MAX_PATTERN_VERTICES + 1];
	*g = (gemp_cypher_grouping){ .width = width, .count = 1 };
	GEMP_TRY(GEMP_NEW(g->of_row, frame->rows));
	if (width == 0)
		return GEMP_OK;
	gemp_record_table_init(&g->table, width + 1, width, SIZE_MAX / 2);
	for (size_t row = 0; row < frame->rows; row++) {
		for (size_t i = 0; i < width; i++)
			record[i] = (gemp_vertex)gemp_cypher_frame_row(frame, row)[cells[i]];
		GEMP_TRY(number_tuple(g, record, &g->of_row[row]));
	}
	g->count = g->table.count;
	return GEMP_OK;
}

void gemp_cypher_grouping_free(gemp_cypher_grouping *g)
{
	gemp_record_table_free(&g->table);
	gemp_free(g->of_row);
	*g = (gemp_cypher_grouping){ 0 };
}

/* Results extend tuples of rows only, so a tuple that is not there is a fault of the program. */
size_t gemp_cypher_grouping_find(const gemp_cypher_grouping *g, const gemp_vertex *tuple)
{
	if (g->width == 0)
		return 0;
	const uint32_t *found = gemp_record_table_find(&g->table, tuple, hash_of(tuple, g->width));
	GEMP_CHECK(found);
	return found[g->width];
}

/* A counting sort. */
gemp_code gemp_cypher_groups_new(gemp_cypher_groups *out, const size_t *group, size_t count, size_t groups)
{
	GEMP_OWNED size_t *next = NULL;
	*out = (gemp_cypher_groups){ 0 };
	GEMP_TRY(GEMP_NEW(out->begin, groups + 1));
	GEMP_TRY(GEMP_NEW(out->members, count));
	for (size_t i = 0; i < count; i++)
		out->begin[group[i] + 1]++;
	for (size_t t = 0; t < groups; t++)
		out->begin[t + 1] += out->begin[t];
	GEMP_TRY(GEMP_COPY(next, out->begin, groups + 1));
	for (size_t i = 0; i < count; i++)
		out->members[next[group[i]]++] = i;
	return GEMP_OK;
}

void gemp_cypher_groups_free(gemp_cypher_groups *groups)
{
	gemp_free_all(groups->begin, groups->members);
	*groups = (gemp_cypher_groups){ 0 };
}
