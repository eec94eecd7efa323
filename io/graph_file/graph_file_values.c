/* An index of values is a group with the entries in the order of (value, id): the column `values`, as any column of the
 * file, and `vertices`. So a binary search reads about as many values as the number of entries has bits. */

#include "io/graph_file/graph_file_values.h"

#include "core/memory.h"
#include "core/status.h"
#include "io/graph_file/graph_file_strings.h"
#include "io/graph_file/graph_file_tables.h"
#include "io/hdf5/hdf5_attributes.h"
#include "partition/build/sorted_values.h"

#include <stdio.h>
#include <string.h>

gemp_code gemp_file_describe_value_index(const gemp_h5 *h5, const gemp_shard *graph, const char *group,
                                         gemp_value_index *index)
{
	GEMP_OWNED char *name = NULL;
	gemp_h5_type type;
	GEMP_TRY(gemp_h5_get_text(h5, group, "attribute", &name));
	GEMP_TRY(gemp_h5_get_text(h5, group, "values", &index->values));
	index->vertices = gemp_h5_join(group, "vertices");
	GEMP_TRY(gemp_h5_info(h5, index->vertices, &type, &index->entries));
	const gemp_column *column = gemp_table_find(&graph->attributes, name);
	if (!column || !gemp_value_index_takes(column->type) || type.kind != GEMP_H5_U32 ||
	    index->entries > graph->vertex_count)
		return gemp_file_damaged(h5, group, "is no index of an attribute of the graph");
	index->attribute = (size_t)(column - graph->attributes.columns);
	return GEMP_OK;
}

static gemp_code is_same(const gemp_h5 *h5, const gemp_shard *graph, const gemp_value_index *before, bool *same)
{
	gemp_value_index now = { 0 };
	GEMP_OWNED char *group = gemp_strdup(before->vertices);
	if (!group)
		return GEMP_ENOMEM;
	*strrchr(group, '/') = '\0';
	const gemp_code code = gemp_file_describe_value_index(h5, graph, group, &now);
	*same = code == GEMP_OK && now.attribute == before->attribute && now.entries == before->entries &&
	        strcmp(now.values, before->values) == 0;
	gemp_free_all(now.values, now.vertices);
	return code;
}

gemp_code gemp_file_same_value_indexes(const gemp_h5 *h5, const gemp_shard *graph, bool *same)
{
	*same = true;
	for (size_t i = 0; i < graph->value_index_count && *same; i++)
		GEMP_TRY(is_same(h5, graph, &graph->value_indexes[i], same));
	return GEMP_OK;
}

gemp_code gemp_file_stale_index(const gemp_h5 *h5, const char *path)
{
	return gemp_fail(GEMP_EDATA, "%s: '%s' differs from the graph; make the indexes again with 'gemp-mpi index'",
	                 h5->path, path);
}

/* This rank's entries among all. */
static gemp_h5_slab slab_of(const gemp_h5 *h5, const gemp_sorted_values *order)
{
	return (gemp_h5_slab){ gemp_comm_sum1(h5->comm, order->count), gemp_comm_exscan(h5->comm, order->count),
		                   order->count };
}

gemp_code gemp_file_put_value_index(const gemp_h5 *h5, gemp_shard *graph, size_t number)
{
	GEMP_OWNED_BY(gemp_sorted_values_free) gemp_sorted_values order = { 0 };
	char name[24];
	snprintf(name, sizeof name, "%zu", number);
	GEMP_OWNED char *group = gemp_h5_join(GEMP_FILE_VALUE_INDEXES, name);
	GEMP_OWNED char *strings = gemp_h5_join("/strings" GEMP_FILE_VALUE_INDEXES, name), *path = NULL;
	const size_t attribute = graph->value_indexes[number].attribute;
	GEMP_TRY(gemp_sorted_values_new(&order, h5->comm, graph, attribute));
	const gemp_h5_slab rows = slab_of(h5, &order);
	GEMP_TRY(gemp_h5_group(h5, group, "dict", "0.1.0"));
	GEMP_TRY(gemp_h5_put_text(h5, group, "attribute", graph->attributes.columns[attribute].name));
	GEMP_TRY(gemp_h5_write_in(h5, GEMP_OK, group, "vertices", gemp_h5_type_of(GEMP_H5_U32), rows, order.vertices));
	GEMP_TRY(gemp_file_put_column(h5, group, strings, &order.values, rows, &path));
	return gemp_h5_put_text(h5, group, "values", path);
}

/* VERIFYING */

static bool same_values(const gemp_column *a, const gemp_column *b)
{
	bool same = a->rows == b->rows, comparable;
	for (size_t i = 0; i < a->rows && same; i++) {
		const gemp_value x = gemp_column_get(a, i), y = gemp_column_get(b, i);
		same = !y.null && gemp_value_compare(&x, &y, &comparable) == 0;
	}
	return same;
}

gemp_code gemp_file_verify_value_index(const gemp_h5 *h5, gemp_shard *graph, size_t number)
{
	GEMP_OWNED_BY(gemp_sorted_values_free) gemp_sorted_values made = { 0 };
	GEMP_OWNED_BY(gemp_column_free) gemp_column values = { 0 };
	GEMP_OWNED gemp_vertex *vertices = NULL;
	const gemp_value_index *index = &graph->value_indexes[number];
	const gemp_type type = graph->attributes.columns[index->attribute].type;
	GEMP_TRY(gemp_sorted_values_new(&made, h5->comm, graph, index->attribute));
	const gemp_h5_slab rows = slab_of(h5, &made);
	bool same = rows.total == index->entries;
	if (same) {
		gemp_code code = GEMP_NEW(vertices, rows.count);
		GEMP_THEN(gemp_column_init(&values, "values", type));
		GEMP_TRY(gemp_h5_read(h5, code, index->vertices, gemp_h5_type_of(GEMP_H5_U32), rows.first, rows.count,
		                      rows.count, vertices));
		GEMP_TRY(gemp_file_get_column(h5, index->values, &values, rows));
		same = memcmp(made.vertices, vertices, rows.count * sizeof *vertices) == 0 &&
		       same_values(&made.values, &values);
	}
	return gemp_comm_agree(h5->comm, same ? GEMP_OK : gemp_file_stale_index(h5, index->vertices));
}
