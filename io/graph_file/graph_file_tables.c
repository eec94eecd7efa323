/* Columns are stored as in AnnData. A column without NULL is an array. A column of integers or booleans with NULL is a
 * group of values and a mask. In a column of floats NaN is NULL. AnnData has no place for the paths and labels of
 * columns, so attributes hold a schema that lists names, types, paths and labels. */

#include "io/graph_file/graph_file_tables.h"

#include "comm/exchange.h"
#include "core/limits.h"
#include "core/search.h"
#include "core/status.h"
#include "graph/column_bulk.h"
#include "io/graph_file/graph_file_strings.h"
#include "io/hdf5/hdf5_attributes.h"
#include "io/hdf5/hdf5_numbers.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { TYPES = sizeof gemp_type_name / sizeof *gemp_type_name };

/* The stored type of a column of numbers or booleans. */
static gemp_h5_type type_of(gemp_type type)
{
	return gemp_h5_type_of(type == GEMP_INTEGER ? GEMP_H5_I64 : type == GEMP_FLOAT ? GEMP_H5_F64 : GEMP_H5_BOOL);
}

/* The values [rows] of a column of numbers or booleans. */
static const void *values_of(const gemp_column *column)
{
	if (column->type == GEMP_INTEGER)
		return column->integers;
	return column->type == GEMP_FLOAT ? (const void *)column->floats : column->booleans;
}

/* Collective. Writes AnnData's nullable array: a group of values and a mask. */
static gemp_code put_nullable(const gemp_h5 *h5, const char *path, const gemp_column *column, gemp_h5_slab rows)
{
	bool integer = column->type == GEMP_INTEGER;
	GEMP_TRY(gemp_h5_group(h5, path, integer ? "nullable-integer" : "nullable-boolean", "0.1.0"));
	GEMP_TRY(gemp_h5_write_in(h5, GEMP_OK, path, "values", type_of(column->type), rows, values_of(column)));
	return gemp_file_put_mask(h5, path, column, rows);
}

char *gemp_file_column_name(const char *name)
{
	static const char *const own[] = { "_id", "_label", "_rank", "_row", "_target" };
	gemp_text text = { 0 };
	bool taken = false;
	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		taken |= strcmp(name, own[i]) == 0;
	if (taken)
		gemp_text_print(&text, "%%5F%s", name + 1);
	else
		gemp_h5_encode(name, &text);
	if (gemp_text_status(&text) != GEMP_OK)
		gemp_text_free(&text);
	return text.data;
}

/* All ranks must write the same kind of column, so a reduction finds whether any rank has a NULL. */
static gemp_code put_column(const gemp_h5 *h5, const char *group, const char *strings, const char *name,
                            const gemp_column *column, gemp_h5_slab rows, char **path)
{
	if (gemp_is_text(column->type))
		return gemp_file_put_strings(h5, group, strings, name, column, rows, path);
	uint64_t nulls = column->null && column->rows && memchr(column->null, 1, column->rows);
	gemp_comm_max(h5->comm, &nulls, 1);
	*path = name ? gemp_h5_join(group, name) : NULL;
	if (nulls && column->type != GEMP_FLOAT)
		return put_nullable(h5, *path, column, rows);
	return gemp_h5_write(h5, GEMP_OK, *path, type_of(column->type), rows, values_of(column));
}

gemp_code gemp_file_put_column(const gemp_h5 *h5, const char *group, const char *strings, const gemp_column *column,
                               gemp_h5_slab rows, char **path)
{
	GEMP_OWNED char *name = gemp_file_column_name(column->name);
	return put_column(h5, group, strings, name, column, rows, path);
}

gemp_code gemp_file_put_keys(const gemp_h5 *h5, const char *group, const char *strings, const gemp_column *keys,
                             gemp_h5_slab rows, char **path)
{
	if (keys->type != GEMP_INTEGER || gemp_limits_now()->file_version == 1)
		return put_column(h5, group, strings, keys->name, keys, rows, path);
	const gemp_h5_type type = gemp_h5_type_of(gemp_h5_numbers_kind(h5->comm, keys->integers, keys->rows));
	GEMP_OWNED void *narrow = gemp_calloc(rows.count, type.size);
	if (narrow)
		gemp_h5_numbers_narrow(narrow, type.kind, keys->integers, rows.count, 0);
	*path = gemp_h5_join_encoded(group, keys->name, "");
	return gemp_h5_write(h5, narrow ? GEMP_OK : GEMP_ENOMEM, *path, type, rows, narrow);
}

/* Local. NaN is NULL in a column of floats. The mask is made at the first NaN. */
static gemp_code mark_nan(gemp_column *column)
{
	for (size_t i = 0; i < column->rows; i++)
		if (isnan(column->floats[i])) {
			if (!column->null)
				GEMP_TRY(GEMP_NEW(column->null, column->rows));
			column->null[i] = 1;
		}
	return GEMP_OK;
}

/* Collective. The stored type must be the type that the schema gives for the column. */
static gemp_code get_numbers(const gemp_h5 *h5, const char *path, const char *encoding, gemp_column *column,
                             gemp_h5_slab rows)
{
	const bool nullable = strncmp(encoding, "nullable-", 9) == 0;
	GEMP_OWNED char *values = nullable ? gemp_h5_join(path, "values") : gemp_strdup(path);
	gemp_h5_type type;
	uint64_t total = 0;
	GEMP_TRY(gemp_h5_info(h5, values, &type, &total));
	bool narrow = column->type == GEMP_INTEGER && type.kind < GEMP_H5_I64;
	if ((!narrow && type.kind != type_of(column->type).kind) || total != rows.total)
		return gemp_fail(GEMP_EDATA, "%s: '%s' is not a column of type %s with %" PRIu64 " rows; make the file again",
		                 h5->path, path, gemp_type_name[column->type], rows.total);
	GEMP_OWNED char *packed = NULL;
	gemp_code code = gemp_column_reserve(column, rows.count, 0);
	GEMP_THEN(GEMP_NEW(packed, narrow ? rows.count * type.size : 0));
	column->rows = rows.count;
	GEMP_TRY(gemp_h5_read(h5, code, values, type, rows.first, rows.count, rows.count,
	                      narrow ? packed : (void *)(uintptr_t)values_of(column)));
	if (narrow)
		gemp_h5_numbers_widen(column->integers, packed, type.kind, rows.count);
	if (nullable)
		GEMP_TRY(gemp_file_get_mask(h5, path, column, rows));
	return column->type == GEMP_FLOAT ? gemp_comm_agree(h5->comm, mark_nan(column)) : GEMP_OK;
}

/* The old column is replaced only when the new one is complete. */
gemp_code gemp_file_get_column(const gemp_h5 *h5, const char *path, gemp_column *column, gemp_h5_slab rows)
{
	const bool strings = gemp_is_text(column->type);
	GEMP_OWNED char *encoding = NULL;
	GEMP_OWNED_BY(gemp_column_free) gemp_column read = { 0 };
	GEMP_TRY(gemp_h5_get_text(h5, path, "encoding-type", &encoding));
	gemp_code code = gemp_column_init(&read, column->name, column->type);
	GEMP_THEN(gemp_column_reserve(&read, strings ? rows.count : 0, 0));
	GEMP_TRY(gemp_comm_agree(h5->comm, code));
	GEMP_TRY((strings ? gemp_file_get_strings : get_numbers)(h5, path, encoding, &read, rows));
	gemp_column_free(column);
	*column = read;
	read = (gemp_column){ 0 };
	return GEMP_OK;
}

/* Values are scattered by all threads. */
gemp_code gemp_file_spread_column(gemp_column *column, const gemp_column *part, const uint64_t *rows, size_t total)
{
	GEMP_OWNED_BY(gemp_column_free) gemp_column whole = { 0 };
	GEMP_TRY(gemp_column_init(&whole, column->name, column->type));
	GEMP_TRY(gemp_column_pad(&whole, total));
	GEMP_TRY(gemp_column_scatter(&whole, rows, part->rows, part));
	gemp_column_free(column);
	*column = whole;
	whole = (gemp_column){ 0 };
	return GEMP_OK;
}

gemp_code gemp_column_layout_new(size_t count, gemp_column_layout *columns)
{
	columns->count = columns->paths.count = columns->labels.count = count;
	return gemp_new_all(GEMP_ARRAY(columns->paths.text, count), GEMP_ARRAY(columns->labels.text, count));
}

void gemp_column_layout_free(gemp_column_layout *columns)
{
	gemp_h5_texts_free(&columns->paths);
	gemp_h5_texts_free(&columns->labels);
	columns->count = 0;
}

/* Names and types are attributes, so opening a graph reads no columns. */
gemp_code gemp_file_put_schema(const gemp_h5 *h5, const char *group, const gemp_table *table,
                               const gemp_column_layout *columns)
{
	const size_t count = table->count;
	GEMP_OWNED const char **names = NULL, **types = NULL, **labels = NULL;
	gemp_code code = gemp_new_all(GEMP_ARRAY(names, count), GEMP_ARRAY(types, count), GEMP_ARRAY(labels, count));
	GEMP_TRY(gemp_comm_agree(h5->comm, code));
	for (size_t c = 0; c < count; c++) {
		names[c] = table->columns[c].name;
		types[c] = gemp_type_name[table->columns[c].type];
		labels[c] = columns->labels.text[c] ? columns->labels.text[c] : "";
	}
	GEMP_TRY(gemp_h5_put_texts(h5, group, "gemp-columns", names, count));
	GEMP_TRY(gemp_h5_put_texts(h5, group, "gemp-types", types, count));
	GEMP_TRY(gemp_h5_put_texts(h5, group, "gemp-paths", (const char *const *)columns->paths.text, count));
	return gemp_h5_put_texts(h5, group, "gemp-labels", labels, count);
}

/* Local. The schema stores the names of types. */
static gemp_code add_columns(const gemp_h5 *h5, const char *group, const gemp_h5_texts *names,
                             const gemp_h5_texts *types, gemp_table *table)
{
	for (size_t c = 0; c < names->count; c++) {
		int type = 0;
		while (type < TYPES && strcmp(types->text[c], gemp_type_name[type]) != 0)
			type++;
		if (type == TYPES)
			return gemp_fail(
				GEMP_EDATA,
				"%s: column '%s' of '%s' is of the unknown type '%s'; use a newer program, or make the file again",
				h5->path, names->text[c], group, types->text[c]);
		GEMP_TRY(gemp_table_add(table, names->text[c], (gemp_type)type, NULL));
	}
	return GEMP_OK;
}

/* The four lists of the schema must have the same length. */
gemp_code gemp_file_get_schema(const gemp_h5 *h5, const char *group, gemp_table *table, gemp_column_layout *columns)
{
	GEMP_OWNED_BY(gemp_h5_texts_free) gemp_h5_texts names = { 0 }, types = { 0 }, paths = { 0 }, labels = { 0 };
	GEMP_TRY(gemp_h5_get_texts(h5, group, "gemp-columns", &names));
	GEMP_TRY(gemp_h5_get_texts(h5, group, "gemp-types", &types));
	GEMP_TRY(gemp_h5_get_texts(h5, group, "gemp-paths", &paths));
	GEMP_TRY(gemp_h5_get_texts(h5, group, "gemp-labels", &labels));
	if (types.count != names.count || paths.count != names.count || labels.count != names.count)
		return gemp_file_damaged(h5, group, "does not describe all its columns");
	GEMP_TRY(gemp_comm_agree(h5->comm, add_columns(h5, group, &names, &types, table)));
	*columns = (gemp_column_layout){ names.count, paths, labels };
	paths = labels = (gemp_h5_texts){ 0 };
	return GEMP_OK;
}

/* AnnData requires the name of the index and, in column-order, the names of the columns that lie in the group
 * itself. */
gemp_code gemp_file_put_dataframe(const gemp_h5 *h5, const char *group, const char *index,
                                  const gemp_column_layout *columns, const char *const *extra, size_t extra_count)
{
	GEMP_OWNED const char **order = NULL;
	size_t count = extra_count, length = strlen(group);
	GEMP_TRY(gemp_h5_put_text(h5, group, "_index", index));
	GEMP_TRY(gemp_comm_agree(h5->comm, GEMP_NEW(order, extra_count + columns->count)));
	for (size_t i = 0; i < extra_count; i++)
		order[i] = extra[i];
	for (size_t c = 0; c < columns->count; c++) {
		const char *path = columns->paths.text[c];
		if (path && strncmp(path, group, length) == 0 && path[length] == '/' && !strchr(path + length + 1, '/'))
			order[count++] = path + length + 1;
	}
	return gemp_h5_put_texts(h5, group, "column-order", order, count);
}

/* WEIGHTS */

/* A relation has few attributes, so the search is linear. */
const gemp_column *gemp_file_weight_of(const gemp_relation *relation, const char *weight)
{
	for (size_t c = 0; weight && c < relation->props.count; c++)
		if (strcmp(relation->props.columns[c].name, weight) == 0)
			return &relation->props.columns[c];
	return NULL;
}

/* Collective. A matrix has no NULL, so missing values are refused. The message gives their number. */
static gemp_code check_column(const gemp_comm *comm, const gemp_relation *relation, const gemp_column *column)
{
	if (column->type != GEMP_INTEGER && column->type != GEMP_FLOAT)
		return gemp_fail(GEMP_EUSAGE, "weight: '%s' of edges %s is %s; the values of a matrix are integers or floats",
		                 column->name, relation->name, gemp_type_name[column->type]);
	uint64_t missing = 0;
	for (size_t i = 0; i < column->rows; i++)
		missing += gemp_column_get(column, i).null;
	missing = gemp_comm_sum1(comm, missing);
	if (missing)
		return gemp_fail(GEMP_EDATA, "weight: %" PRIu64 " of %" PRIu64 " edges %s have no '%s'; give each a value",
		                 missing, relation->edge_count, relation->name, column->name);
	return GEMP_OK;
}

/* The check comes before the file is created, so a refusal leaves no file. */
gemp_code gemp_file_check_weight(const gemp_comm *comm, const gemp_shard *graph, const char *weight)
{
	bool found = !weight || graph->relation_count == 0;
	for (size_t r = 0; r < graph->relation_count; r++) {
		const gemp_column *column = gemp_file_weight_of(&graph->relations[r], weight);
		if (column)
			GEMP_TRY(check_column(comm, &graph->relations[r], column));
		found |= column != NULL;
	}
	return found ? GEMP_OK
	             : gemp_fail(GEMP_EUSAGE,
	                         "weight: no edges have an attribute '%s'; `gemp-mpi info` lists those that there are",
	                         weight);
}

typedef struct value_source {
	const uint64_t *words; /* the column's integers or floats, whose 8 bytes are copied unchanged */
	uint64_t first_edge;   /* number of this rank's first edge */
} value_source;

/* The owner of edges answers requests for the values of edges with given numbers. */
static gemp_code answer_values(void *self, const void *records, size_t count, uint64_t *answers)
{
	const value_source *source = self;
	const uint64_t *numbers = records;
	for (size_t i = 0; i < count; i++)
		answers[i] = source->words[numbers[i] - source->first_edge];
	return GEMP_OK;
}

/* The row by target of an edge may lie on another rank than the row by source, which has the value. in_edges gives the
 * edge's number, and the number gives the rank that owns the value. first[ranks]: the number of each rank's first
 * edge. */
gemp_code gemp_file_weights_by_target(const gemp_comm *comm, const gemp_shard *graph, const gemp_relation *relation,
                                      const gemp_column *column, uint64_t **out)
{
	size_t count = relation->in_offsets[graph->rows], ranks = (size_t)comm->size;
	GEMP_OWNED uint64_t *first = NULL, *values = NULL;
	GEMP_OWNED int *owner = NULL;
	value_source source = { .first_edge = relation->first_edge };
	source.words = column->type == GEMP_INTEGER ? (const uint64_t *)column->integers : (const uint64_t *)column->floats;
	gemp_code code = gemp_new_all(GEMP_ARRAY(first, ranks), GEMP_ARRAY(values, count), GEMP_ARRAY(owner, count));
	GEMP_TRY(gemp_comm_agree(comm, code));
	GEMP_MPI(MPI_Allgather(&relation->first_edge, 1, MPI_UINT64_T, first, 1, MPI_UINT64_T, comm->world));
	for (size_t i = 0; i < count; i++)
		owner[i] = (int)gemp_range_find(first, ranks, relation->in_edges[i]);
	const gemp_request request = {
		relation->in_edges, count, sizeof *relation->in_edges, owner, answer_values, &source
	};
	GEMP_TRY(gemp_request_run(comm, GEMP_OK, &request, values));
	*out = values;
	values = NULL;
	return GEMP_OK;
}
