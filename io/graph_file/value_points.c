#include "io/graph_file/value_points.h"

#include "core/memory.h"
#include "core/status.h"

/* Whether an entry compares with the value as `bound` says. */
static bool is_before(const gemp_value *entry, gemp_bound bound, const gemp_value *value)
{
	bool comparable;
	if (bound == GEMP_BOUND_PREFIX) {
		const size_t size = gemp_min(entry->string.size, value->string.size);
		return gemp_compare_bytes(entry->string.bytes, size, value->string.bytes, value->string.size) <= 0;
	}
	const int order = gemp_value_compare(entry, value, &comparable);
	return bound == GEMP_BOUND_LESS ? order < 0 : order <= 0;
}

/* Damage of an index is no damage of the graph. */
static gemp_code damaged_index(const gemp_value_index *index, gemp_code code, const char *what)
{
	return code == GEMP_EDATA
	           ? gemp_fail(code, "the index '%s' is damaged: %s; only the index: 'gemp-mpi index --drop' removes it",
	                       index->vertices, what)
	           : code;
}

/* A damaged value that leads a search astray is beside the place where the search ends, and is greater than the value
 * after it or less than the value before it. So the values around this place are compared. */
static gemp_code check_order(gemp_point_columns *columns, const gemp_point_column *column, uint64_t at, uint64_t end,
                             gemp_text *buffer)
{
	enum { MARGIN = 2 };
	GEMP_OWNED_BY(gemp_text_free) gemp_text text = { 0 };
	gemp_value before = { .null = true }, entry;
	bool comparable;
	for (uint64_t i = at < MARGIN ? 0 : at - MARGIN; i < gemp_min(end, at + MARGIN); i++) {
		GEMP_TRY(gemp_point_columns_value(columns, column, i, buffer, &entry));
		if (entry.null || (!before.null && gemp_value_compare(&before, &entry, &comparable) > 0))
			return gemp_fail(GEMP_EDATA, "its values do not ascend");
		before = entry;
		if (entry.type == GEMP_STRING) {
			gemp_text_clear(&text);
			gemp_text_add(&text, entry.string.bytes, entry.string.size);
			GEMP_TRY(gemp_text_status(&text));
			before.string.bytes = text.data;
		}
	}
	return GEMP_OK;
}

/* From a known position on, steps double until one passes the end (Bentley and Yao 1976): of the values that equal one,
 * mostly few, the end is found in some reads. A binary search ends the search. */
static gemp_code find_position(gemp_point_columns *columns, const gemp_value_index *index, gemp_type type,
                               gemp_bound bound, const gemp_value *value, uint64_t from, gemp_text *text, uint64_t *out)
{
	const gemp_point_column *column;
	gemp_value entry;
	uint64_t low = gemp_min(from, index->entries), high = index->entries, step = 1;
	bool gallops = from > 0;
	GEMP_TRY(gemp_point_columns_find(columns, index->values, type, &column));
	while (low < high) {
		const uint64_t at = low + (gallops ? gemp_min(step, high - low) - 1 : (high - low) / 2);
		GEMP_TRY(gemp_point_columns_value(columns, column, at, text, &entry));
		if (!entry.null && is_before(&entry, bound, value)) {
			low = at + 1;
			step *= 2;
		} else {
			high = at;
			gallops = false;
		}
	}
	*out = low;
	return check_order(columns, column, low, index->entries, text);
}

gemp_code gemp_value_points_position(gemp_point_columns *columns, const gemp_shard *graph, size_t number,
                                     gemp_bound bound, const gemp_value *value, uint64_t from, gemp_text *text,
                                     uint64_t *position)
{
	const gemp_value_index *index = &graph->value_indexes[number];
	const gemp_type type = graph->attributes.columns[index->attribute].type;
	return damaged_index(index, find_position(columns, index, type, bound, value, from, text, position),
	                     gemp_message());
}

gemp_code gemp_value_points_entries(gemp_h5_points *points, const gemp_shard *graph, size_t number, uint64_t first,
                                    size_t count, gemp_vertex *ids)
{
	const gemp_value_index *index = &graph->value_indexes[number];
	const gemp_h5_array *array;
	GEMP_TRY(gemp_h5_points_array(points, index->vertices, &array));
	if (array->type.kind != GEMP_H5_U32)
		return damaged_index(index, GEMP_EDATA, "it is not of vertices");
	GEMP_TRY(gemp_h5_points_read(points, array, first, count, ids));
	for (size_t i = 0; i < count; i++)
		if (ids[i] >= graph->vertex_count)
			return damaged_index(index, GEMP_EDATA, "it has a vertex that the graph lacks");
	return GEMP_OK;
}
