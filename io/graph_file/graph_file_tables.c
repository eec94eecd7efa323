/* Columns are AnnData's: plain arrays where nothing is NULL, a group of values and mask where some number
 * is NULL, NaN for floats. The schema in attributes repeats names and types, as AnnData has no place for
 * paths and labels. */

#include "io/graph_file/graph_file_tables.h"

#include "comm/exchange.h"
#include "core/search.h"
#include "core/status.h"
#include "io/graph_file/graph_file_strings.h"
#include "io/hdf5/hdf5_attributes.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Columns of numbers have one type each in the file. */
static gemp_h5_type type_of(gemp_type type)
{
	return gemp_h5_type_of(type == GEMP_INTEGER ? GEMP_H5_I64 : type == GEMP_FLOAT ? GEMP_H5_F64 : GEMP_H5_BOOL);
}

static const void *values_of(const gemp_column *column)
{
	if (column->type == GEMP_INTEGER)
		return column->integers;
	return column->type == GEMP_FLOAT ? (const void *)column->floats : column->booleans;
}

/* Integers and truth values with NULLs: a group of values and mask, as AnnData's nullable arrays. */
static gemp_code put_nullable(const gemp_h5 *h5, const char *path, const gemp_column *column, gemp_h5_slab rows)
{
	GEMP_OWNED char *below = NULL;
	bool integer = column->type == GEMP_INTEGER;
	GEMP_PROPAGATE(gemp_h5_group(h5, path, integer ? "nullable-integer" : "nullable-boolean", "0.1.0"));
	GEMP_PROPAGATE(gemp_h5_join(h5, path, "values", &below));
	GEMP_PROPAGATE(
		gemp_h5_write(h5, below, type_of(column->type), rows.total, rows.first, rows.count, values_of(column)));
	return gemp_file_put_mask(h5, path, column, rows);
}

/* Floats have NaN for NULL; other numbers with NULL get a mask. */
gemp_code gemp_file_put_column(const gemp_h5 *h5, const char *group, const char *strings, const gemp_column *column,
                               gemp_h5_slab rows, gemp_text *path)
{
	if (column->type == GEMP_STRING)
		return gemp_file_put_strings(h5, group, strings, column, rows, path);
	uint64_t nulls = column->null && column->rows && memchr(column->null, 1, column->rows);
	gemp_comm_max(h5->comm, &nulls, 1);
	gemp_text_clear(path);
	gemp_text_print(path, "%s/", group);
	gemp_h5_encode(column->name, path);
	GEMP_PROPAGATE(gemp_comm_agree(h5->comm, gemp_text_status(path)));
	if (nulls && column->type != GEMP_FLOAT)
		return put_nullable(h5, path->data, column, rows);
	return gemp_h5_write(h5, path->data, type_of(column->type), rows.total, rows.first, rows.count, values_of(column));
}

/* Where NaN stands for NULL. */
static gemp_code mark_nan(gemp_column *column)
{
	for (size_t i = 0; i < column->rows; i++)
		if (isnan(column->floats[i])) {
			if (!column->null)
				GEMP_PROPAGATE(GEMP_NEW(column->null, column->rows));
			column->null[i] = 1;
		}
	return GEMP_OK;
}

/* The type in the file must be the column's, since the schema said so. */
static gemp_code get_numbers(const gemp_h5 *h5, const char *path, const char *encoding, gemp_column *column,
                             gemp_h5_slab rows)
{
	gemp_code code = GEMP_OK;
	gemp_text data = { 0 };
	gemp_h5_type type;
	uint64_t total = 0;
	bool nullable = strncmp(encoding, "nullable-", 9) == 0;
	gemp_text_print(&data, "%s%s", path, nullable ? "/values" : "");
	GEMP_TRY(gemp_comm_agree(h5->comm, gemp_text_status(&data)));
	GEMP_TRY(gemp_h5_info(h5, data.data, &type, &total));
	if (type.kind != type_of(column->type).kind || total != rows.total) {
		code = gemp_fail(GEMP_EDATA, "%s: '%s' is not a column of type %s with %" PRIu64 " rows; make the file again",
		                 h5->path, path, gemp_type_name[column->type], rows.total);
		goto done;
	}
	GEMP_TRY(gemp_comm_agree(h5->comm, gemp_column_reserve(column, rows.count, 0)));
	column->rows = rows.count;
	GEMP_TRY(gemp_h5_read(h5, data.data, type, rows.first, rows.count, rows.count, (void *)values_of(column)));
	if (nullable)
		GEMP_TRY(gemp_file_get_mask(h5, path, column, rows));
	if (column->type == GEMP_FLOAT)
		code = gemp_comm_agree(h5->comm, mark_nan(column));
done:
	gemp_text_free(&data);
	return code;
}

/* The column is replaced only when the new one is whole. */
gemp_code gemp_file_get_column(const gemp_h5 *h5, const char *path, gemp_column *column, gemp_h5_slab rows)
{
	gemp_code code = GEMP_OK;
	GEMP_OWNED char *encoding = NULL;
	GEMP_OWNED_BY(gemp_column_free) gemp_column read = { 0 };
	GEMP_PROPAGATE(gemp_h5_get_text(h5, path, "encoding-type", &encoding));
	code = gemp_column_init(&read, column->name, column->type);
	GEMP_THEN(gemp_column_reserve(&read, column->type == GEMP_STRING ? rows.count : 0, 0));
	GEMP_PROPAGATE(gemp_comm_agree(h5->comm, code));
	if (column->type == GEMP_STRING)
		code = gemp_file_get_strings(h5, path, encoding, &read, rows);
	else
		code = get_numbers(h5, path, encoding, &read, rows);
	if (code == GEMP_OK) {
		gemp_column_free(column);
		*column = read;
		read = (gemp_column){ 0 };
	}
	return code;
}

/* Paths are filled in as the columns are written. */
gemp_code gemp_column_layout_new(const gemp_h5 *h5, size_t count, gemp_column_layout *columns)
{
	columns->count = count;
	gemp_code code = GEMP_NEW(columns->paths, count);
	GEMP_THEN(GEMP_NEW(columns->labels, count));
	return gemp_comm_agree(h5->comm, code);
}

/* Copied, as the caller's text is used for the next column. */
gemp_code gemp_column_layout_set(const gemp_h5 *h5, gemp_column_layout *columns, size_t index, const char *path,
                                 const char *label)
{
	columns->paths[index] = gemp_strdup(path);
	columns->labels[index] = gemp_strdup(label);
	return gemp_comm_agree(h5->comm, columns->paths[index] && columns->labels[index] ? GEMP_OK : GEMP_ENOMEM);
}

void gemp_column_layout_free(gemp_column_layout *columns)
{
	gemp_h5_free_texts(columns->paths, columns->count);
	gemp_h5_free_texts(columns->labels, columns->count);
	*columns = (gemp_column_layout){ 0 };
}

/* Names and types stand in attributes, so that opening reads no column. */
gemp_code gemp_file_put_schema(const gemp_h5 *h5, const char *group, const gemp_table *table,
                               const gemp_column_layout *columns)
{
	gemp_code code = GEMP_OK;
	const char **texts = NULL;
	GEMP_TRY(gemp_comm_agree(h5->comm, GEMP_NEW(texts, 2 * table->count)));
	for (size_t c = 0; c < table->count; c++) {
		texts[c] = table->columns[c].name;
		texts[table->count + c] = gemp_type_name[table->columns[c].type];
	}
	GEMP_TRY(gemp_h5_put_texts(h5, group, "gemp-columns", texts, table->count));
	GEMP_TRY(gemp_h5_put_texts(h5, group, "gemp-types", texts + table->count, table->count));
	GEMP_TRY(gemp_h5_put_texts(h5, group, "gemp-paths", (const char *const *)columns->paths, table->count));
	GEMP_TRY(gemp_h5_put_texts(h5, group, "gemp-labels", (const char *const *)columns->labels, table->count));
done:
	gemp_free(texts);
	return code;
}

/* Types are stored by name. */
static gemp_code add_columns(const gemp_h5 *h5, const char *group, char **names, char **types, size_t count,
                             gemp_table *table)
{
	gemp_code code = GEMP_OK;
	for (size_t c = 0; c < count && code == GEMP_OK; c++) {
		int type = 0;
		while (type < 4 && strcmp(types[c], gemp_type_name[type]) != 0)
			type++;
		if (type == 4)
			return gemp_fail(GEMP_EDATA, "%s: column '%s' of '%s' is of the unknown type '%s'", h5->path, names[c],
			                 group, types[c]);
		code = gemp_table_add(table, names[c], (gemp_type)type, NULL);
	}
	return code;
}

/* All lists must have one length. */
gemp_code gemp_file_get_schema(const gemp_h5 *h5, const char *group, gemp_table *table, gemp_column_layout *columns)
{
	gemp_code code = GEMP_OK;
	char **texts[4] = { NULL };
	size_t count[4] = { 0 };
	static const char *const attribute[4] = { "gemp-columns", "gemp-types", "gemp-paths", "gemp-labels" };
	for (int i = 0; i < 4; i++)
		GEMP_TRY(gemp_h5_get_texts(h5, group, attribute[i], &texts[i], &count[i]));
	if (count[1] != count[0] || count[2] != count[0] || count[3] != count[0]) {
		code = gemp_fail(GEMP_EDATA, "%s: the columns of '%s' are not described in full", h5->path, group);
		goto done;
	}
	GEMP_TRY(gemp_comm_agree(h5->comm, add_columns(h5, group, texts[0], texts[1], count[0], table)));
	*columns = (gemp_column_layout){ count[0], texts[2], texts[3] };
	texts[2] = texts[3] = NULL;
done:
	for (int i = 0; i < 4; i++)
		gemp_h5_free_texts(texts[i], count[i]);
	return code;
}

/* AnnData's column-order: what lies in the group itself. */
static gemp_code put_order(const gemp_h5 *h5, const char *group, const gemp_column_layout *columns,
                           const char *const *extra, size_t extra_count)
{
	gemp_code code = GEMP_OK;
	const char **order = NULL;
	size_t count = extra_count, length = strlen(group);
	GEMP_TRY(gemp_comm_agree(h5->comm, GEMP_NEW(order, extra_count + columns->count)));
	for (size_t i = 0; i < extra_count; i++)
		order[i] = extra[i];
	for (size_t c = 0; c < columns->count; c++) {
		const char *path = columns->paths[c];
		if (path && strncmp(path, group, length) == 0 && path[length] == '/' && !strchr(path + length + 1, '/'))
			order[count++] = path + length + 1;
	}
	code = gemp_h5_put_texts(h5, group, "column-order", order, count);
done:
	gemp_free(order);
	return code;
}

/* AnnData wants the name of the index and the order of columns. */
gemp_code gemp_file_put_dataframe(const gemp_h5 *h5, const char *group, const char *index,
                                  const gemp_column_layout *columns, const char *const *extra, size_t extra_count)
{
	gemp_code code = gemp_h5_put_text(h5, group, "_index", index);
	return code == GEMP_OK ? put_order(h5, group, columns, extra, extra_count) : code;
}

/* Names of relations may hold any bytes and are encoded. */
gemp_code gemp_file_relation_path(const gemp_h5 *h5, const char *name, const char *top, const char *part, char **out)
{
	gemp_text text = { 0 };
	gemp_text_print(&text, "%s/", top);
	gemp_h5_encode(name, &text);
	gemp_text_print(&text, "%s%s", *part ? "/" : "", part);
	*out = text.data;
	return gemp_comm_agree(h5->comm, gemp_text_status(&text));
}

/* An attribute of edges as the values of a relation's matrices. */

/* Relations without the attribute keep values of one. */
const gemp_column *gemp_file_weight_of(const gemp_relation *relation, const char *weight)
{
	for (size_t c = 0; weight && c < relation->props.count; c++)
		if (strcmp(relation->props.columns[c].name, weight) == 0)
			return &relation->props.columns[c];
	return NULL;
}

/* Values of a matrix have no NULL, so that a missing one is refused with its count. */
static gemp_code check_column(const gemp_comm *comm, const gemp_relation *relation, const gemp_column *column)
{
	if (column->type != GEMP_INTEGER && column->type != GEMP_FLOAT)
		return gemp_fail(GEMP_EUSAGE, "--weight: '%s' of edges %s is %s; the values of a matrix are integers or floats",
		                 column->name, relation->name, gemp_type_name[column->type]);
	uint64_t missing = 0;
	for (size_t i = 0; i < column->rows; i++)
		missing += gemp_column_get(column, i).null;
	missing = gemp_comm_sum1(comm, missing);
	if (missing)
		return gemp_fail(GEMP_EDATA, "--weight: %" PRIu64 " of %" PRIu64 " edges %s have no '%s'; give each a value",
		                 missing, relation->edge_count, relation->name, column->name);
	return GEMP_OK;
}

/* Collective; before anything is written, as a refusal must leave no file. */
gemp_code gemp_file_check_weight(const gemp_comm *comm, const gemp_shard *graph, const char *weight)
{
	bool found = !weight || graph->relation_count == 0;
	for (size_t r = 0; r < graph->relation_count; r++) {
		const gemp_column *column = gemp_file_weight_of(&graph->relations[r], weight);
		gemp_code code = column ? check_column(comm, &graph->relations[r], column) : GEMP_OK;
		if (code != GEMP_OK)
			return code;
		found |= column != NULL;
	}
	return found ? GEMP_OK : gemp_fail(GEMP_EUSAGE, "--weight: no edges have an attribute '%s'", weight);
}

/* Integers and floats have 8 bytes, which are copied as they are. */
static const uint64_t *words_of(const gemp_column *column)
{
	return column->type == GEMP_INTEGER ? (const uint64_t *)column->integers : (const uint64_t *)column->floats;
}

/* The rank that has edge `number`: the last one whose first edge is not beyond it and that has any. */
static int owner_of(const uint64_t *first, int ranks, uint64_t number)
{
	return (int)gemp_range_find(first, (size_t)ranks, number);
}

/* Values in the order in which they were asked for: `place` becomes where each lies in what the owners send back. */
static void find_places(const int *owner, size_t count, size_t *next, int ranks, size_t *place)
{
	memset(next, 0, ((size_t)ranks + 1) * sizeof *next);
	for (size_t i = 0; i < count; i++)
		next[owner[i] + 1]++;
	for (int r = 0; r < ranks; r++)
		next[r + 1] += next[r];
	for (size_t i = 0; i < count; i++)
		place[i] = next[owner[i]]++;
}

/* Collective. asked: numbers of this rank's edges, by the rank that asks. Answers come by the rank that gives them. */
static gemp_code send_values(const gemp_comm *comm, const gemp_relation *relation, const gemp_column *column,
                             uint64_t *requested, const size_t *from, void **answers)
{
	size_t ranks = (size_t)comm->size, capacity = 0;
	GEMP_OWNED size_t *sizes = NULL;
	const uint64_t *words = words_of(column);
	GEMP_PROPAGATE(gemp_comm_agree(comm, GEMP_NEW(sizes, 2 * ranks)));
	for (size_t r = 0; r < ranks; r++)
		sizes[r] = (from[r + 1] - from[r]) * sizeof *requested;
	for (size_t i = 0; i < from[ranks]; i++)
		requested[i] = words[requested[i] - relation->first_edge];
	return gemp_exchange(comm, requested, sizes, answers, &capacity, sizes + ranks, NULL);
}

/* Edges by target lie on other ranks than the edges by source, whose numbers they know: values are asked
 * for by number. */
gemp_code gemp_file_weights_by_target(const gemp_comm *comm, const gemp_shard *graph, const gemp_relation *relation,
                                      const gemp_column *column, uint64_t **out)
{
	size_t count = relation->in_offsets[graph->rows], ranks = (size_t)comm->size;
	GEMP_OWNED uint64_t *first = NULL, *words = NULL;
	GEMP_OWNED int *owner = NULL;
	GEMP_OWNED size_t *place = NULL, *next = NULL, *from = NULL;
	GEMP_OWNED void *requested = NULL, *answers = NULL;
	gemp_code code = GEMP_NEW(first, ranks);
	GEMP_THEN(GEMP_NEW(words, count));
	GEMP_THEN(GEMP_NEW(owner, count));
	GEMP_THEN(GEMP_NEW(place, count));
	GEMP_THEN(GEMP_NEW(next, ranks + 1));
	GEMP_PROPAGATE(gemp_comm_agree(comm, code));
	GEMP_MPI(MPI_Allgather(&relation->first_edge, 1, MPI_UINT64_T, first, 1, MPI_UINT64_T, comm->world));
	for (size_t i = 0; i < count; i++)
		owner[i] = owner_of(first, comm->size, relation->in_edges[i]);
	find_places(owner, count, next, comm->size, place);
	GEMP_PROPAGATE(gemp_exchange_records(comm, relation->in_edges, count, sizeof *relation->in_edges, owner, &requested,
	                                     &from, NULL));
	GEMP_PROPAGATE(send_values(comm, relation, column, requested, from, &answers));
	for (size_t i = 0; i < count; i++)
		words[i] = ((const uint64_t *)answers)[place[i]];
	*out = words;
	words = NULL;
	return GEMP_OK;
}
