/* Vertices are sorted by the hashes of their keys, so a key is found by interpolation, in about five reads. Generated
 * graphs whose vertices are sorted by keys take a binary search. */

#include "io/graph_file/graph_file_points.h"

#include "core/memory.h"
#include "core/random.h"
#include "core/status.h"
#include "io/graph_file/graph_file_values.h"
#include "io/graph_file/label_rows.h"
#include "io/graph_file/point_column.h"
#include "io/graph_file/value_points.h"
#include "io/hdf5/hdf5_attributes.h"
#include "partition/build/dictionary.h"

#include <string.h>

typedef struct file_points {
	gemp_point_reader reader;
	const gemp_file_layout *layout;
	gemp_h5_points points;
	gemp_point_columns columns;
	/* the datasets of each relation's rows that were read: [PARTS * relation_count], by `part_of`; NULL: none was */
	struct relation_arrays {
		const gemp_h5_array *pointers, *neighbours, *edges; /* NULL: not found yet */
	} * rows;
	const gemp_h5_array **label_rows; /* [attributes.count] the vertices that have a row of the attribute, likewise */
	gemp_text text;                   /* the bytes of the last string */
	bool other;                       /* what the file has now is another graph, or has other indexes */
	bool key_known;                   /* the members below are known */
	const gemp_point_column *key;     /* NULL if the keys are `progressed` */
	bool progressed;                  /* the key of vertex v is first + v * step */
	bool ranked; /* the file has ranks of keys; otherwise the rank of a key is its distance from `first` */
	int64_t first, step;
} file_points;

static gemp_code damaged(const file_points *p, const char *path, const char *what)
{
	return gemp_fail(GEMP_EDATA, "%s: '%s' %s; make the file again", p->layout->path, path, what);
}

/* Forgets the file. */
static void forget(file_points *p)
{
	gemp_point_columns_free(&p->columns);
	gemp_h5_points_free(&p->points);
	gemp_text_free(&p->text);
	gemp_free_all(p->rows, p->label_rows);
	*p = (file_points){ .reader = p->reader, .layout = p->layout };
}

static gemp_code open_file(file_points *p)
{
	p->columns.points = &p->points;
	return gemp_h5_points_init(&p->points, p->layout->path, p->layout->trust);
}

/* Whether the file has the graph and the indexes that were described when the graph was opened. A file that cannot be
 * read has not; whoever needs all of it finds out why. */
static gemp_code is_same(file_points *p, bool *same)
{
	const gemp_h5 *h5;
	uint64_t hash = 0;
	gemp_code code = gemp_h5_points_hdf5(&p->points, &h5);
	GEMP_THEN(gemp_h5_get_number(h5, "/", "hash", &hash));
	*same = code == GEMP_OK && hash == p->layout->hash;
	if (*same)
		code = gemp_file_same_value_indexes(h5, p->layout->graph, same);
	return code == GEMP_ENOMEM ? code : GEMP_OK;
}

static gemp_code begin(void *self, bool *same)
{
	file_points *p = self;
	*same = gemp_h5_points_begin(&p->points) && !p->other;
	if (*same)
		return GEMP_OK;
	forget(p);
	p->other = true;
	GEMP_TRY(open_file(p));
	gemp_code code = GEMP_OK;
	if (gemp_h5_points_begin(&p->points))
		code = is_same(p, same);
	p->other = !*same;
	if (code != GEMP_OK)
		gemp_h5_points_end(&p->points);
	return code;
}

static void end(void *self)
{
	file_points *p = self;
	gemp_h5_points_end(&p->points);
}

/* Reads values of a column into *values, which has a name and a type. */
static gemp_code read_column(file_points *p, const char *path, const uint64_t *rows, size_t count, gemp_column *values)
{
	enum { TEXT = 16 }; /* bytes of a string that are reserved */
	const gemp_point_column *column;
	gemp_value value;
	GEMP_TRY(gemp_column_reserve(values, count, gemp_is_text(values->type) ? TEXT * count : 0));
	GEMP_TRY(gemp_point_columns_find(&p->columns, path, values->type, &column));
	for (size_t i = 0; i < count; i++) {
		value = (gemp_value){ .type = values->type, .null = true };
		if (rows[i] != UINT64_MAX)
			GEMP_TRY(gemp_point_columns_value(&p->columns, column, rows[i], &p->text, &value));
		GEMP_TRY(gemp_column_add(values, &value));
	}
	return GEMP_OK;
}

/* INDEXES OF VALUES */

static gemp_code position(void *self, size_t index, gemp_bound bound, const gemp_value *value, uint64_t from,
                          uint64_t *out)
{
	file_points *p = self;
	return gemp_value_points_position(&p->columns, p->layout->graph, index, bound, value, from, &p->text, out);
}

static gemp_code entries(void *self, size_t index, uint64_t first, size_t count, gemp_vertex *ids)
{
	file_points *p = self;
	return gemp_value_points_entries(&p->points, p->layout->graph, index, first, count, ids);
}

/* KEYS */

/* Reads how the file stores keys and their ranks (graph_file_key_order.c). */
static gemp_code know_keys(file_points *p)
{
	const gemp_h5 *h5;
	GEMP_OWNED int64_t *numbers = NULL;
	size_t count = 0;
	if (p->key_known)
		return GEMP_OK;
	GEMP_TRY(gemp_h5_points_hdf5(&p->points, &h5));
	GEMP_TRY(gemp_h5_has_attribute(h5, "/nodes", "gemp-key-progression", &p->progressed));
	if (!p->progressed)
		GEMP_TRY(gemp_h5_exists(h5, "/nodes/_rank", &p->ranked));
	if (!p->ranked) {
		GEMP_TRY(gemp_h5_get_numbers(h5, "/nodes", p->progressed ? "gemp-key-progression" : "gemp-first-key", &numbers,
		                             &count));
		if (count != (p->progressed ? 2 : 1) || (p->progressed && numbers[1] == 0))
			return damaged(p, "/nodes", "has an attribute of keys of another length");
		p->first = numbers[0];
		p->step = p->progressed ? numbers[1] : 1;
	}
	if (!p->progressed)
		GEMP_TRY(gemp_point_columns_find(&p->columns, p->layout->key_path, p->layout->graph->keys.type, &p->key));
	p->key_known = true;
	return GEMP_OK;
}

static gemp_code key_at(file_points *p, uint64_t id, gemp_value *key)
{
	if (p->progressed) {
		*key = (gemp_value){ .type = GEMP_INTEGER, .integer = (int64_t)((uint64_t)p->first + id * (uint64_t)p->step) };
		return GEMP_OK;
	}
	return gemp_point_columns_value(&p->columns, p->key, id, &p->text, key);
}

/* The hash by which vertices are sorted. */
static gemp_code hash_of(const gemp_shard *graph, const gemp_value *key, gemp_text *scratch, uint64_t *hash)
{
	GEMP_TRY(gemp_key_encode(key, scratch));
	*hash = gemp_hash(scratch->data, scratch->size, graph->seed);
	return GEMP_OK;
}

/* Searches among vertices that are sorted by (hash, key), or by key. Interpolation by hash needs few reads; if it does
 * not halve the range, as in a file with another order, the middle is read next. */
static gemp_code search_key(file_points *p, const gemp_value *key, bool by_hash, gemp_vertex *id, bool *found)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text scratch = { 0 };
	const gemp_shard *graph = p->layout->graph;
	uint64_t low = 0, high = graph->vertex_count, wanted = 0, hash = 0, least = 0, greatest = UINT64_MAX;
	if (by_hash)
		GEMP_TRY(hash_of(graph, key, &scratch, &wanted));
	for (unsigned step = 0; low < high; step++) {
		const uint64_t range = high - low;
		uint64_t at = low + range / 2;
		gemp_value there;
		if (by_hash && step % 3 != 2 && wanted >= least && wanted <= greatest && greatest > least)
			at = low +
			     gemp_min((uint64_t)((double)(wanted - least) / (double)(greatest - least) * (double)range), range - 1);
		GEMP_TRY(key_at(p, at, &there));
		if (by_hash)
			GEMP_TRY(hash_of(graph, &there, &scratch, &hash));
		const int order = hash != wanted ? (hash < wanted ? -1 : 1) : gemp_value_compare_keys(&there, key);
		if (order == 0) {
			*id = (gemp_vertex)at;
			*found = true;
			return GEMP_OK;
		}
		if (order < 0)
			low = at + 1, least = hash;
		else
			high = at, greatest = hash;
	}
	return GEMP_OK;
}

static gemp_code find_key(void *self, const gemp_value *key, gemp_vertex *id, bool *found)
{
	file_points *p = self;
	const gemp_shard *graph = p->layout->graph;
	*found = false;
	GEMP_TRY(know_keys(p));
	if (key->null || key->type != graph->keys.type)
		return GEMP_OK;
	if (!p->progressed)
		GEMP_TRY(search_key(p, key, true, id, found));
	if (!*found && !(p->progressed && p->step < 0))
		GEMP_TRY(search_key(p, key, false, id, found));
	return GEMP_OK;
}

static gemp_code keys(void *self, const gemp_vertex *ids, size_t count, gemp_column *out, uint32_t *ranks)
{
	file_points *p = self;
	const gemp_h5_array *array = NULL;
	const uint64_t vertices = p->layout->graph->vertex_count;
	GEMP_TRY(know_keys(p));
	GEMP_TRY(gemp_column_reserve(out, count, 0));
	if (p->ranked)
		GEMP_TRY(gemp_h5_points_array(&p->points, "/nodes/_rank", &array));
	for (size_t i = 0; i < count; i++) {
		gemp_value key;
		int64_t rank = 0;
		GEMP_TRY(key_at(p, ids[i], &key));
		GEMP_TRY(gemp_column_add(out, &key));
		if (p->ranked)
			GEMP_TRY(gemp_h5_points_integers(&p->points, array, ids[i], 1, &rank));
		else if (p->progressed)
			rank = (int64_t)(p->step > 0 ? ids[i] : vertices - 1 - ids[i]);
		else
			rank = (int64_t)((uint64_t)key.integer - (uint64_t)p->first);
		if (rank < 0 || (uint64_t)rank >= vertices)
			return damaged(p, "/nodes", "has a rank of a key beyond the last one");
		ranks[i] = (uint32_t)rank;
	}
	return GEMP_OK;
}

/* VERTICES */

static gemp_code label_sets(void *self, const gemp_vertex *ids, size_t count, uint32_t *sets)
{
	file_points *p = self;
	const gemp_h5_array *array;
	GEMP_TRY(gemp_h5_points_array(&p->points, "/nodes/_label/codes", &array));
	for (size_t i = 0; i < count; i++) {
		int64_t set;
		GEMP_TRY(gemp_h5_points_integers(&p->points, array, ids[i], 1, &set));
		if (set < 0 || (uint64_t)set >= p->layout->graph->label_set_count)
			return damaged(p, "/nodes/_label", "has a code beyond its categories");
		sets[i] = (uint32_t)set;
	}
	return GEMP_OK;
}

/* Finds the dataset of the vertices that have a row of an attribute, which only vertices of one label have. */
static gemp_code find_label_rows(file_points *p, size_t number, const char *label, const gemp_h5_array **out)
{
	if (!p->label_rows)
		GEMP_TRY(GEMP_NEW(p->label_rows, p->layout->graph->attributes.count));
	const gemp_h5_array **known = &p->label_rows[number];
	if (!*known) {
		GEMP_OWNED char *path = gemp_h5_join_encoded("/nodes_by_label", label, "_row");
		GEMP_TRY(gemp_h5_points_array(&p->points, path, out));
		if ((*out)->type.kind != GEMP_H5_U32)
			return damaged(p, path, "is not of vertices");
		*known = *out;
	}
	*out = *known;
	return GEMP_OK;
}

/* The column of an attribute that only vertices of one label have lacks the rows of all others. */
static gemp_code attribute(void *self, size_t number, const gemp_vertex *ids, size_t count, gemp_column *values)
{
	file_points *p = self;
	const char *path = p->layout->attributes.paths.text[number], *label = p->layout->attributes.labels.text[number];
	GEMP_OWNED uint64_t *rows = NULL;
	const gemp_h5_array *array = NULL;
	GEMP_TRY(GEMP_NEW(rows, count));
	if (*label)
		GEMP_TRY(find_label_rows(p, number, label, &array));
	for (size_t i = 0; i < count; i++)
		if (*label)
			GEMP_TRY(gemp_label_rows_find(&p->points, array, p->layout->graph->vertex_count, ids[i], &rows[i]));
		else
			rows[i] = ids[i];
	return read_column(p, path, rows, count, values);
}

/* EDGES */

enum { PARTS = 2 };

/* The rows by target, or else those by source or merged. */
static gemp_code part_of(file_points *p, size_t relation, unsigned part, struct relation_arrays **out)
{
	if (!p->rows)
		GEMP_TRY(GEMP_NEW(p->rows, PARTS * p->layout->graph->relation_count));
	*out = &p->rows[PARTS * relation + (part == GEMP_LOAD_IN)];
	return GEMP_OK;
}

/* Finds the dataset `name` of a relation's matrix, unless it is known. */
static gemp_code find_array(file_points *p, size_t relation, unsigned part, const char *name,
                            const gemp_h5_array **known)
{
	if (*known)
		return GEMP_OK;
	GEMP_OWNED char *matrix = gemp_h5_join_encoded("/edges", p->layout->graph->relations[relation].name,
	                                               part == GEMP_LOAD_IN ? "csc" : "csr");
	GEMP_OWNED char *path = gemp_h5_join(matrix, name);
	return gemp_h5_points_array(&p->points, path, known);
}

static gemp_code bounds(void *self, size_t relation, unsigned part, gemp_vertex id, uint64_t out[2])
{
	file_points *p = self;
	struct relation_arrays *arrays;
	int64_t pointers[2];
	GEMP_TRY(part_of(p, relation, part, &arrays));
	GEMP_TRY(find_array(p, relation, part, "pointers_to_1", &arrays->pointers));
	GEMP_TRY(gemp_h5_points_integers(&p->points, arrays->pointers, id, 2, pointers));
	if (pointers[0] < 0 || pointers[1] < pointers[0] || (uint64_t)pointers[1] > p->layout->relations[relation].entries)
		return damaged(p, arrays->pointers->path, "has pointers that do not ascend from 0 to the number of edges");
	out[0] = (uint64_t)pointers[0];
	out[1] = (uint64_t)pointers[1];
	return GEMP_OK;
}

/* The numbers of edges: of rows by source their positions, of rows by target as stored, of merged rows the positions
 * among equal neighbours. */
static gemp_code number_edges(file_points *p, size_t relation, unsigned part, const uint64_t at[2],
                              const gemp_vertex *neighbours, gemp_edge *edges)
{
	const uint64_t count = at[1] - at[0];
	struct relation_arrays *arrays;
	if (part != GEMP_LOAD_IN) {
		for (uint64_t i = 0; i < count; i++)
			edges[i] = part == GEMP_LOAD_OUT                     ? at[0] + i
			           : i && neighbours[i] == neighbours[i - 1] ? edges[i - 1] + 1
			                                                     : 0;
		return GEMP_OK;
	}
	GEMP_TRY(part_of(p, relation, part, &arrays));
	GEMP_TRY(find_array(p, relation, part, "edge", &arrays->edges));
	GEMP_TRY(gemp_h5_points_integers(&p->points, arrays->edges, at[0], count, (int64_t *)edges));
	for (uint64_t i = 0; i < count; i++)
		if (edges[i] >= p->layout->relations[relation].entries)
			return damaged(p, arrays->edges->path, "has the number of an edge beyond the last one");
	return GEMP_OK;
}

static gemp_code row(void *self, size_t relation, unsigned part, const uint64_t at[2], gemp_vertex *neighbours,
                     gemp_edge *edges)
{
	file_points *p = self;
	const uint64_t count = at[1] - at[0], vertices = p->layout->graph->vertex_count;
	GEMP_OWNED int64_t *wide = NULL;
	struct relation_arrays *arrays;
	GEMP_TRY(part_of(p, relation, part, &arrays));
	GEMP_TRY(find_array(p, relation, part, "indices_1", &arrays->neighbours));
	const gemp_h5_array *array = arrays->neighbours;
	const gemp_h5_kind kind = array->type.kind;
	if (kind != GEMP_H5_I32 && kind != GEMP_H5_I64)
		return damaged(p, array->path, "is not of vertices");
	if (kind == GEMP_H5_I64)
		GEMP_TRY(GEMP_NEW(wide, count));
	GEMP_TRY(gemp_h5_points_read(&p->points, array, at[0], count, wide ? (void *)wide : neighbours));
	for (uint64_t i = 0; i < count; i++) {
		const uint64_t id = wide ? (uint64_t)wide[i] : neighbours[i];
		if (id >= vertices || (i && id < neighbours[i - 1]))
			return damaged(p, array->path, "has a row that is not sorted or leaves the graph");
		neighbours[i] = (gemp_vertex)id;
	}
	return number_edges(p, relation, part, at, neighbours, edges);
}

static gemp_code edge_attribute(void *self, size_t relation, size_t number, const gemp_edge *edges, size_t count,
                                gemp_column *values)
{
	file_points *p = self;
	return read_column(p, p->layout->relations[relation].columns.paths.text[number], edges, count, values);
}

gemp_code gemp_file_points_new(gemp_point_reader **out, const gemp_file_layout *layout)
{
	file_points *p = NULL;
	*out = NULL;
	if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
		return GEMP_OK;
	GEMP_TRY(GEMP_NEW(p, 1));
	p->layout = layout;
	p->reader = (gemp_point_reader){ p,      begin, end,  position,   entries,   find_key,
		                             bounds, row,   keys, label_sets, attribute, edge_attribute };
	*out = &p->reader;
	const gemp_code code = open_file(p);
	if (code != GEMP_OK) {
		gemp_file_points_free(*out);
		*out = NULL;
	}
	return code;
}

void gemp_file_points_free(gemp_point_reader *reader)
{
	if (!reader)
		return;
	file_points *p = reader->self;
	forget(p);
	gemp_free(p);
}
