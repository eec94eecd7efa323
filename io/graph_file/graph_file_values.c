/* The entries of an index are sorted by a hash of their values, so one order serves strings of any length. The hash of
 * integers is a bijection; strings with the hash of the wanted one are compared. */

#include "io/graph_file/graph_file_values.h"

#include "core/limits.h"
#include "core/memory.h"
#include "core/status.h"
#include "io/graph_file/graph_file_strings.h"
#include "io/graph_file/graph_file_tables.h"
#include "io/hdf5/hdf5_attributes.h"
#include "partition/build/sorted_values.h"

#include <stdio.h>
#include <string.h>

enum {
	MAX_BLOCK = 4096, /* keys that a lookup may read together: as fast as one key */
	MARGIN = 2,       /* keys on both sides that are checked, too */
};

static char *group_of(size_t number)
{
	char name[24];
	snprintf(name, sizeof name, "%zu", number);
	return gemp_h5_join("/indexes/values", name);
}

static gemp_type type_of(const gemp_shard *graph, size_t number)
{
	return graph->attributes.columns[graph->value_indexes[number].attribute].type;
}

/* READING */

gemp_code gemp_file_describe_value_index(const gemp_h5 *h5, const gemp_shard *graph, size_t number,
                                         gemp_value_index *index)
{
	GEMP_OWNED char *group = group_of(number), *keys = gemp_h5_join(group, "keys"), *name = NULL;
	gemp_h5_type type;
	GEMP_TRY(gemp_h5_get_text(h5, group, "attribute", &name));
	GEMP_TRY(gemp_h5_info(h5, keys, &type, &index->entries));
	const gemp_column *column = gemp_table_find(&graph->attributes, name);
	if (!column || type.kind != GEMP_H5_U64 || index->entries > graph->vertex_count)
		return gemp_file_damaged(h5, group, "is no index of an attribute of the graph");
	index->attribute = (size_t)(column - graph->attributes.columns);
	return GEMP_OK;
}

/* HDF5 finds a path only if all groups before it exist. */
gemp_code gemp_file_expect_index(const gemp_h5 *h5, const char *kind, const char *path)
{
	const char *const levels[] = { "/indexes", kind, path };
	bool there = true;
	for (size_t i = 0; i < sizeof levels / sizeof *levels && there; i++)
		GEMP_TRY(gemp_h5_exists(h5, levels[i], &there));
	return there ? GEMP_OK : gemp_file_index_replaced(h5);
}

gemp_code gemp_file_index_replaced(const gemp_h5 *h5)
{
	return gemp_fail(GEMP_EIO, "%s: its indexes were replaced while it was in use; run this command again", h5->path);
}

gemp_code gemp_file_stale_index(const gemp_h5 *h5, const char *kind, size_t number)
{
	return gemp_fail(GEMP_EDATA,
	                 "%s: '/indexes/%s/%zu' differs from the graph; make the indexes again with 'gemp-mpi index'",
	                 h5->path, kind, number);
}

/* Collective. Checks that the file still has the index that it had when it was opened. */
static gemp_code expect_same(const gemp_h5 *h5, const gemp_shard *graph, const char *group, size_t number)
{
	const gemp_value_index *before = &graph->value_indexes[number];
	gemp_value_index now;
	GEMP_TRY(gemp_file_expect_index(h5, "/indexes/values", group));
	GEMP_TRY(gemp_file_describe_value_index(h5, graph, number, &now));
	return now.attribute == before->attribute && now.entries == before->entries ? GEMP_OK
	                                                                            : gemp_file_index_replaced(h5);
}

/* Collective. *at becomes the first of the entries [0, entries) whose key is not less than `key`. Every rank reads the
 * same keys. A checksum is compared only if all keys are read, but the order shows damage: a damaged key that leads the
 * search astray is beside the last block, and greater than the key after it or less than the key before it. */
static gemp_code find_key(const gemp_h5 *h5, const char *keys, uint64_t entries, uint64_t key, uint64_t *at)
{
	const uint64_t together = gemp_min(gemp_limits_now()->lookup_block, MAX_BLOCK);
	uint64_t low = 0, high = entries, block[MAX_BLOCK + 2 * MARGIN];
	const gemp_h5_type type = gemp_h5_type_of(GEMP_H5_U64);
	while (high - low > together) {
		const uint64_t middle = low + (high - low) / 2;
		GEMP_TRY(gemp_h5_read(h5, GEMP_OK, keys, type, middle, 1, 0, block));
		if (block[0] < key)
			low = middle + 1;
		else
			high = middle;
	}
	const uint64_t begin = low < MARGIN ? 0 : low - MARGIN, end = gemp_min(high + MARGIN, entries);
	GEMP_TRY(gemp_h5_read(h5, GEMP_OK, keys, type, begin, end - begin, 0, block));
	for (uint64_t i = begin + 1; i < end; i++)
		if (block[i - begin] < block[i - begin - 1])
			return gemp_file_damaged(h5, keys, "does not ascend");
	while (low < high && block[low - begin] < key)
		low++;
	*at = low;
	return GEMP_OK;
}

/* Collective. Reads the strings of a range of entries on rank 0, which keeps the ids of those that are the value. */
static gemp_code keep_equal(const gemp_h5 *h5, const char *group, uint64_t entries, uint64_t first,
                            const gemp_value *value, gemp_vertex *ids, size_t *count)
{
	GEMP_OWNED_BY(gemp_column_free) gemp_column values = { 0 };
	GEMP_OWNED char *path = NULL;
	const bool reads = h5->comm->rank == 0;
	/* The other ranks have no entries, at the end: the last rank reads the offset after the last string, for which the
	 * checksum counts on it. */
	const gemp_h5_slab rows = { entries, reads ? first : entries, reads ? *count : 0 };
	size_t kept = 0;
	bool comparable;
	GEMP_TRY(gemp_h5_get_text(h5, group, "values", &path));
	GEMP_TRY(gemp_comm_agree(h5->comm, gemp_column_init(&values, "values", GEMP_STRING)));
	GEMP_TRY(gemp_file_get_column(h5, path, &values, rows));
	for (size_t i = 0; i < rows.count; i++) {
		const gemp_value found = gemp_column_get(&values, i);
		if (gemp_value_compare(&found, value, &comparable) == 0)
			ids[kept++] = ids[i];
	}
	*count = kept;
	return GEMP_OK;
}

/* Local. The vertices of one key are stored in ascending order, each once. */
static gemp_code check_ids(const gemp_h5 *h5, const gemp_shard *graph, const char *group, const gemp_vertex *ids,
                           size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (ids[i] >= graph->vertex_count || (i && ids[i] <= ids[i - 1]))
			return gemp_file_damaged(h5, group, "has vertices that do not ascend or that the graph lacks");
	return GEMP_OK;
}

/* Collective. All ranks get the ids of rank 0. */
static gemp_code share(const gemp_comm *comm, gemp_vertex **ids, size_t *count)
{
	void *bytes = comm->rank == 0 ? *ids : NULL;
	size_t size = *count * sizeof **ids;
	if (comm->rank != 0)
		gemp_free(*ids);
	const gemp_code code = gemp_comm_broadcast(comm, &bytes, &size);
	*ids = bytes;
	*count = size / sizeof **ids;
	return code;
}

gemp_code gemp_file_find_vertices(const gemp_h5 *h5, const gemp_shard *graph, size_t number, const gemp_value *value,
                                  gemp_vertex **ids, size_t *count)
{
	GEMP_OWNED char *group = group_of(number), *keys = gemp_h5_join(group, "keys");
	GEMP_OWNED char *vertices = gemp_h5_join(group, "vertices");
	GEMP_OWNED gemp_vertex *found = NULL;
	const uint64_t entries = graph->value_indexes[number].entries, key = gemp_value_key(value);
	uint64_t first, end = entries;
	GEMP_TRY(expect_same(h5, graph, group, number));
	GEMP_TRY(find_key(h5, keys, entries, key, &first));
	if (key < UINT64_MAX)
		GEMP_TRY(find_key(h5, keys, entries, key + 1, &end));
	if (first > end)
		return gemp_file_damaged(h5, keys, "does not ascend");
	*count = (size_t)(end - first);
	gemp_code code = GEMP_NEW(found, *count);
	GEMP_TRY(gemp_h5_read(h5, code, vertices, gemp_h5_type_of(GEMP_H5_U32), first, *count, 0, found));
	GEMP_TRY(check_ids(h5, graph, group, found, *count));
	if (type_of(graph, number) == GEMP_STRING) {
		GEMP_TRY(keep_equal(h5, group, entries, first, value, found, count));
		GEMP_TRY(share(h5->comm, &found, count));
	}
	*ids = found;
	found = NULL;
	return GEMP_OK;
}

/* WRITING */

/* This rank's entries among all. */
static gemp_h5_slab slab_of(const gemp_h5 *h5, const gemp_sorted_values *order)
{
	return (gemp_h5_slab){ gemp_comm_sum1(h5->comm, order->count), gemp_comm_exscan(h5->comm, order->count),
		                   order->count };
}

gemp_code gemp_file_put_value_index(const gemp_h5 *h5, gemp_shard *graph, size_t number)
{
	GEMP_OWNED_BY(gemp_sorted_values_free) gemp_sorted_values order = { 0 };
	GEMP_OWNED char *group = group_of(number), *strings = gemp_h5_join("/strings", group ? group + 1 : ""),
					*path = NULL;
	const size_t attribute = graph->value_indexes[number].attribute;
	GEMP_TRY(gemp_sorted_values_new(&order, h5->comm, graph, attribute));
	const gemp_h5_slab rows = slab_of(h5, &order);
	GEMP_TRY(gemp_h5_group(h5, group, "dict", "0.1.0"));
	GEMP_TRY(gemp_h5_put_text(h5, group, "attribute", graph->attributes.columns[attribute].name));
	GEMP_TRY(gemp_h5_write_in(h5, GEMP_OK, group, "keys", gemp_h5_type_of(GEMP_H5_U64), rows, order.keys));
	GEMP_TRY(gemp_h5_write_in(h5, GEMP_OK, group, "vertices", gemp_h5_type_of(GEMP_H5_U32), rows, order.vertices));
	if (order.values.type != GEMP_STRING)
		return GEMP_OK;
	GEMP_TRY(gemp_file_put_column(h5, group, strings, &order.values, rows, &path));
	return gemp_h5_put_text(h5, group, "values", path);
}

/* VERIFYING */

static bool same_strings(const gemp_column *a, const gemp_column *b)
{
	bool same = a->rows == b->rows;
	for (size_t i = 0; i < a->rows && same; i++) {
		const gemp_value x = gemp_column_get(a, i), y = gemp_column_get(b, i);
		same = !y.null && x.string.size == y.string.size && memcmp(x.string.bytes, y.string.bytes, x.string.size) == 0;
	}
	return same;
}

/* Collective. Reads this rank's part of the index in the file. */
static gemp_code read_order(const gemp_h5 *h5, const char *group, gemp_type type, gemp_h5_slab rows,
                            gemp_sorted_values *out)
{
	GEMP_OWNED char *keys = gemp_h5_join(group, "keys"), *vertices = gemp_h5_join(group, "vertices"), *path = NULL;
	gemp_code code = gemp_new_all(GEMP_ARRAY(out->keys, rows.count), GEMP_ARRAY(out->vertices, rows.count));
	GEMP_THEN(gemp_column_init(&out->values, "values", type));
	GEMP_TRY(gemp_h5_read(h5, code, keys, gemp_h5_type_of(GEMP_H5_U64), rows.first, rows.count, rows.count, out->keys));
	GEMP_TRY(gemp_h5_read(h5, GEMP_OK, vertices, gemp_h5_type_of(GEMP_H5_U32), rows.first, rows.count, rows.count,
	                      out->vertices));
	if (type != GEMP_STRING)
		return GEMP_OK;
	GEMP_TRY(gemp_h5_get_text(h5, group, "values", &path));
	return gemp_file_get_column(h5, path, &out->values, rows);
}

gemp_code gemp_file_verify_value_index(const gemp_h5 *h5, gemp_shard *graph, size_t number)
{
	GEMP_OWNED_BY(gemp_sorted_values_free) gemp_sorted_values made = { 0 }, stored = { 0 };
	GEMP_OWNED char *group = group_of(number);
	const gemp_type type = type_of(graph, number);
	GEMP_TRY(gemp_sorted_values_new(&made, h5->comm, graph, graph->value_indexes[number].attribute));
	const gemp_h5_slab rows = slab_of(h5, &made);
	bool same = rows.total == graph->value_indexes[number].entries;
	if (same) {
		GEMP_TRY(read_order(h5, group, type, rows, &stored));
		same = memcmp(made.keys, stored.keys, rows.count * sizeof *made.keys) == 0 &&
		       memcmp(made.vertices, stored.vertices, rows.count * sizeof *made.vertices) == 0 &&
		       (type != GEMP_STRING || same_strings(&made.values, &stored.values));
	}
	return gemp_comm_agree(h5->comm, same ? GEMP_OK : gemp_file_stale_index(h5, "values", number));
}
