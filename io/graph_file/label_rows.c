#include "io/graph_file/label_rows.h"

#include <string.h>

static uint32_t id_at(const char *ids, uint64_t i)
{
	uint32_t id; /* not aligned in the file */
	memcpy(&id, ids + i * sizeof id, sizeof id);
	return id;
}

/* Returns the position of an id among count > 0 ids, which ascend from one that is not greater, or UINT64_MAX. */
static uint64_t find_among(const char *ids, uint64_t count, gemp_vertex id)
{
	uint64_t from = 0, to = count;
	while (to - from > 1) {
		const uint64_t middle = from + (to - from) / 2;
		if (id_at(ids, middle) <= id)
			from = middle;
		else
			to = middle;
	}
	return id_at(ids, from) == id ? from : UINT64_MAX;
}

/* If the row is not in the block of the file where even spacing has it, the block beside that is next, and then the
 * middle of what is left. */
gemp_code gemp_label_rows_find(gemp_h5_points *points, const gemp_h5_array *array, uint64_t vertices, gemp_vertex id,
                               uint64_t *row)
{
	enum { BLOCK = 512, BESIDE = 2 };
	char block[BLOCK * sizeof(uint32_t)];
	uint64_t low = 0, high = array->total, first = 0, end = 0;
	uint64_t at = (uint64_t)((double)id / (double)vertices * (double)array->total);
	*row = UINT64_MAX;
	for (int blocks = 1; low < high; blocks++) {
		const char *ids;
		at = gemp_min(gemp_max(at, low), high - 1);
		GEMP_TRY(gemp_h5_points_block(points, array, at, &first, &end, &ids));
		if (!ids) {
			first = gemp_max(low, at > BLOCK / 2 ? at - BLOCK / 2 : 0);
			end = gemp_min(high, first + BLOCK);
			GEMP_TRY(gemp_h5_points_read(points, array, first, end - first, block));
			ids = block;
		}
		if (id < id_at(ids, 0)) {
			high = first;
			at = first - 1;
		} else if (id > id_at(ids, end - first - 1)) {
			low = end;
			at = end;
		} else {
			const uint64_t found = find_among(ids, end - first, id);
			*row = found == UINT64_MAX ? found : first + found;
			return GEMP_OK;
		}
		if (blocks > BESIDE)
			at = low + (high - low) / 2;
	}
	return GEMP_OK;
}
