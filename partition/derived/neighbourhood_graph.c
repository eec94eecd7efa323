/* Rank 0 sends all vertices and edges to all ranks, since they are few, and each rank takes its own rows. Columns
 * travel in the same way when they are loaded. */

#include "partition/derived/neighbourhood_graph.h"

#include "core/search.h"
#include "graph/column_bulk.h"
#include "graph/either_rows.h"

#include <string.h>

/* COLLECTING */

gemp_code gemp_near_rows_init(gemp_near_rows *rows, const gemp_shard *graph)
{
	*rows = (gemp_near_rows){ .relation_count = graph->relation_count };
	return GEMP_NEW(rows->relations, graph->relation_count);
}

void gemp_near_rows_free(gemp_near_rows *rows)
{
	for (size_t r = 0; rows->relations && r < rows->relation_count; r++)
		gemp_free(rows->relations[r].edges);
	gemp_free_all(rows->relations, rows->ids);
	*rows = (gemp_near_rows){ 0 };
}

gemp_code gemp_near_rows_add_vertices(gemp_near_rows *rows, const gemp_vertex *ids, size_t count)
{
	GEMP_TRY(GEMP_RESERVE(rows->ids, rows->capacity, rows->count + count + 1));
	if (count)
		memcpy(rows->ids + rows->count, ids, count * sizeof *ids);
	rows->count += count;
	return GEMP_OK;
}

gemp_code gemp_near_rows_read(gemp_near_rows *rows, const gemp_shard *graph, size_t relation, unsigned part,
                              gemp_vertex id, const uint64_t bounds[2], gemp_vertex **found, size_t *count,
                              size_t *capacity)
{
	const gemp_point_reader *points = graph->loader.points;
	const size_t degree = (size_t)(bounds[1] - bounds[0]);
	gemp_near_edges *list = &rows->relations[relation];
	GEMP_OWNED gemp_edge *numbers = NULL;
	if (!degree)
		return GEMP_OK;
	GEMP_TRY(GEMP_NEW(numbers, degree));
	GEMP_TRY(GEMP_RESERVE(*found, *capacity, *count + degree));
	GEMP_TRY(GEMP_RESERVE(list->edges, list->capacity, list->count + degree));
	gemp_vertex *neighbours = *found + *count;
	GEMP_TRY(points->row(points->self, relation, part, bounds, neighbours, numbers));
	for (size_t i = 0; i < degree; i++) {
		const bool leaves = part == GEMP_LOAD_EITHER ? gemp_edge_leads(id, neighbours[i]) : part == GEMP_LOAD_OUT;
		list->edges[list->count++] = leaves ? (gemp_near_edge){ id, neighbours[i], numbers[i] }
		                                    : (gemp_near_edge){ neighbours[i], id, numbers[i] };
	}
	*count += degree;
	return GEMP_OK;
}

/* SORTING */

/* For qsort. */
static int compare_ids(const void *a, const void *b)
{
	const gemp_vertex x = *(const gemp_vertex *)a, y = *(const gemp_vertex *)b;
	return (x > y) - (x < y);
}

/* For qsort: by source, target and number, the order of edges in a file. */
static int compare_edges(const void *a, const void *b)
{
	const gemp_near_edge *x = a, *y = b;
	if (x->source != y->source)
		return x->source < y->source ? -1 : 1;
	if (x->target != y->target)
		return x->target < y->target ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

/* A graph whose vertices and edges every rank has. Ends of edges are positions in `ids`. */
typedef struct near_content {
	size_t vertex_count, relation_count;
	gemp_vertex *ids;           /* [vertex_count] in the file, ascending */
	uint32_t *label_sets;       /* [vertex_count] */
	gemp_near_edges *relations; /* [relation_count] sorted by source, target and number */
} near_content;

static void free_content(near_content *content)
{
	for (size_t r = 0; content->relations && r < content->relation_count; r++)
		gemp_free(content->relations[r].edges);
	gemp_free_all(content->ids, content->label_sets, content->relations);
	*content = (near_content){ 0 };
}

/* Local. Lists the vertices and the ends of all edges once each. */
static gemp_code list_vertices(near_content *content, const gemp_near_rows *rows)
{
	size_t total = rows->count;
	for (size_t r = 0; r < rows->relation_count; r++)
		total += 2 * rows->relations[r].count;
	GEMP_TRY(GEMP_NEW(content->ids, total));
	gemp_vertex *at = content->ids;
	for (size_t i = 0; i < rows->count; i++)
		*at++ = rows->ids[i];
	for (size_t r = 0; r < rows->relation_count; r++)
		for (size_t e = 0; e < rows->relations[r].count; e++) {
			*at++ = rows->relations[r].edges[e].source;
			*at++ = rows->relations[r].edges[e].target;
		}
	if (total)
		qsort(content->ids, total, sizeof *content->ids, compare_ids);
	for (size_t i = 0; i < total; i++)
		if (i == 0 || content->ids[i] != content->ids[i - 1])
			content->ids[content->vertex_count++] = content->ids[i];
	return GEMP_OK;
}

static gemp_vertex place_of(const near_content *content, gemp_vertex id)
{
	const gemp_vertex *at = bsearch(&id, content->ids, content->vertex_count, sizeof id, compare_ids);
	return (gemp_vertex)(at - content->ids);
}

/* Local. Sorts the edges of a relation. An edge that was read at both of its ends is in the result once. */
static gemp_code sort_edges(near_content *content, const gemp_near_edges *read, gemp_near_edges *out)
{
	GEMP_TRY(GEMP_COPY(out->edges, read->edges, read->count));
	if (read->count)
		qsort(out->edges, read->count, sizeof *out->edges, compare_edges);
	for (size_t i = 0; i < read->count; i++)
		if (i == 0 || compare_edges(&out->edges[i], &out->edges[out->count - 1]) != 0)
			out->edges[out->count++] = out->edges[i];
	for (size_t i = 0; i < out->count; i++) {
		out->edges[i].source = place_of(content, out->edges[i].source);
		out->edges[i].target = place_of(content, out->edges[i].target);
	}
	return GEMP_OK;
}

/* Local, on rank 0. */
static gemp_code make_content(near_content *content, const gemp_shard *graph, const gemp_near_rows *rows)
{
	const gemp_point_reader *points = graph->loader.points;
	GEMP_TRY(list_vertices(content, rows));
	for (size_t r = 0; r < rows->relation_count; r++)
		GEMP_TRY(sort_edges(content, &rows->relations[r], &content->relations[r]));
	GEMP_TRY(GEMP_NEW(content->label_sets, content->vertex_count));
	return points->label_sets(points->self, content->ids, content->vertex_count, content->label_sets);
}

/* Collective. (*block)[*count], elements of `size` bytes, become those of rank 0. */
static gemp_code share(const gemp_comm *comm, void **block, size_t *count, size_t size)
{
	size_t bytes = *count * size;
	void *shared = gemp_pointer_get(block);
	if (comm->size == 1)
		return GEMP_OK;
	const gemp_code code = gemp_comm_broadcast(comm, &shared, &bytes);
	gemp_pointer_set(block, shared);
	*count = bytes / size;
	return code;
}

/* Collective. */
static gemp_code share_content(const gemp_comm *comm, near_content *content)
{
	size_t sets = content->vertex_count;
	GEMP_TRY(share(comm, (void **)&content->ids, &content->vertex_count, sizeof *content->ids));
	GEMP_TRY(share(comm, (void **)&content->label_sets, &sets, sizeof *content->label_sets));
	for (size_t r = 0; r < content->relation_count; r++)
		GEMP_TRY(share(comm, (void **)&content->relations[r].edges, &content->relations[r].count,
		               sizeof *content->relations[r].edges));
	return GEMP_OK;
}

/* THE LOADER */

/* Reads the keys and attributes of the graph from the file. They are part of one series of reads, so that HDF5 opens
 * the file once for all of them. */
typedef struct near_source {
	const gemp_comm *comm;
	const gemp_shard *file; /* borrowed */
	bool reading;           /* the series has begun; on rank 0 */
	near_content content;
} near_source;

static void free_source(void *self)
{
	near_source *source = self;
	const gemp_point_reader *points = source->file->loader.points;
	if (source->reading)
		points->end(points->self);
	free_content(&source->content);
	gemp_free(source);
}

/* Local. Packs the rows of a column for the other ranks. */
static gemp_code pack_column(const gemp_column *column, gemp_text *out)
{
	for (size_t i = 0; i < column->rows; i++)
		GEMP_TRY(gemp_column_pack(column, i, out));
	return gemp_text_status(out);
}

/* Local. *column becomes the rows [first, first + count) of the packed ones. */
static gemp_code unpack_column(gemp_column *column, const char *at, const char *past, uint64_t first, size_t count)
{
	GEMP_OWNED_BY(gemp_column_free) gemp_column all = { 0 }, own = { 0 };
	GEMP_OWNED uint64_t *rows = NULL;
	GEMP_TRY(gemp_column_init(&all, column->name, column->type));
	GEMP_TRY(gemp_column_reserve(&all, 1, 1));
	while (at < past)
		GEMP_TRY(gemp_column_unpack(&all, &at, past));
	GEMP_TRY(GEMP_NEW(rows, count));
	for (size_t i = 0; i < count; i++)
		rows[i] = first + i;
	GEMP_TRY(gemp_column_gather(&own, &all, NULL, rows, count));
	GEMP_TRY(gemp_column_reserve(&own, count, 0)); /* loaded also without rows */
	gemp_column_free(column);
	*column = own;
	own = (gemp_column){ 0 };
	return GEMP_OK;
}

/* Collective. *column becomes this rank's rows [first, first + count) of rank 0's column *read, which is taken if rank
 * 0 is alone. code: of rank 0's read. */
static gemp_code share_column(const gemp_comm *comm, gemp_code code, gemp_column *read, gemp_column *column,
                              uint64_t first, size_t count)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text packed = { 0 };
	GEMP_OWNED void *received = NULL;
	if (comm->size > 1 && comm->rank == 0)
		GEMP_THEN(pack_column(read, &packed));
	GEMP_TRY(gemp_comm_agree(comm, code));
	if (comm->size == 1) {
		gemp_column_free(column);
		*column = *read;
		*read = (gemp_column){ 0 };
		return GEMP_OK;
	}
	void *bytes = packed.data;
	size_t size = packed.size;
	GEMP_TRY(gemp_comm_broadcast(comm, &bytes, &size));
	if (comm->rank != 0)
		received = bytes;
	return gemp_comm_agree(comm, unpack_column(column, bytes, (const char *)bytes + size, first, count));
}

/* For qsort. */
static int compare_ranks(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

/* Local. Reads the keys, and ranks[] become 0, 1, ... in the order of the file's ranks. */
static gemp_code read_keys(const near_source *source, gemp_column *keys, uint32_t *ranks)
{
	const gemp_point_reader *points = source->file->loader.points;
	const size_t count = source->content.vertex_count;
	GEMP_OWNED uint64_t *order = NULL;
	GEMP_TRY(GEMP_NEW(order, count));
	GEMP_TRY(points->keys(points->self, source->content.ids, count, keys, ranks));
	for (size_t i = 0; i < count; i++)
		order[i] = (uint64_t)ranks[i] << 32 | i;
	if (count)
		qsort(order, count, sizeof *order, compare_ranks);
	for (size_t i = 0; i < count; i++)
		ranks[(uint32_t)order[i]] = (uint32_t)i;
	return GEMP_OK;
}

static gemp_code load_keys(void *self, gemp_shard *graph)
{
	const near_source *source = self;
	GEMP_OWNED_BY(gemp_column_free) gemp_column read = { 0 };
	GEMP_OWNED uint32_t *ranks = NULL;
	size_t count = source->content.vertex_count;
	gemp_code code = GEMP_OK;
	if (source->comm->rank == 0) {
		code = gemp_column_init(&read, graph->keys.name, graph->keys.type);
		GEMP_THEN(GEMP_NEW(ranks, count));
		GEMP_THEN(read_keys(source, &read, ranks));
	}
	GEMP_TRY(share_column(source->comm, code, &read, &graph->keys, graph->first_vertex, graph->rows));
	GEMP_TRY(share(source->comm, (void **)&ranks, &count, sizeof *ranks));
	gemp_free(graph->key_ranks);
	return gemp_comm_agree(source->comm, GEMP_COPY(graph->key_ranks, ranks + graph->first_vertex, graph->rows));
}

static gemp_code load_attribute(void *self, gemp_shard *graph, size_t number)
{
	const near_source *source = self;
	const gemp_point_reader *points = source->file->loader.points;
	GEMP_OWNED_BY(gemp_column_free) gemp_column read = { 0 };
	gemp_column *column = &graph->attributes.columns[number];
	gemp_code code = GEMP_OK;
	if (source->comm->rank == 0) {
		code = gemp_column_init(&read, column->name, column->type);
		GEMP_THEN(points->attribute(points->self, number, source->content.ids, source->content.vertex_count, &read));
	}
	return share_column(source->comm, code, &read, column, graph->first_vertex, graph->rows);
}

/* Local. Reads an attribute of all edges of a relation. */
static gemp_code read_edge_column(const near_source *source, size_t relation, size_t number, gemp_column *read)
{
	const gemp_point_reader *points = source->file->loader.points;
	const gemp_near_edges *list = &source->content.relations[relation];
	GEMP_OWNED gemp_edge *numbers = NULL;
	GEMP_TRY(GEMP_NEW(numbers, list->count));
	for (size_t e = 0; e < list->count; e++)
		numbers[e] = list->edges[e].number;
	return points->edge_attribute(points->self, relation, number, numbers, list->count, read);
}

/* Rows by source and by target are there from the beginning. */
static gemp_code load_relation(void *self, gemp_shard *graph, size_t number, unsigned parts)
{
	const near_source *source = self;
	gemp_relation *relation = &graph->relations[number];
	const size_t count = (size_t)relation->out_offsets[graph->rows];
	for (size_t c = 0; parts & GEMP_LOAD_PROPS && c < relation->props.count; c++) {
		GEMP_OWNED_BY(gemp_column_free) gemp_column read = { 0 };
		gemp_column *column = &relation->props.columns[c];
		gemp_code code = GEMP_OK;
		if (source->comm->rank == 0) {
			code = gemp_column_init(&read, column->name, column->type);
			GEMP_THEN(read_edge_column(source, number, c, &read));
		}
		GEMP_TRY(share_column(source->comm, code, &read, column, relation->first_edge, count));
	}
	relation->props.rows = count;
	relation->loaded |= parts & GEMP_LOAD_PROPS;
	return parts & GEMP_LOAD_EITHER ? gemp_comm_agree(source->comm, gemp_relation_merge_rows(graph, relation))
	                                : GEMP_OK;
}

/* THE GRAPH */

/* Local, on rank 0. The series of reads is part of the caller's, which has found that the file is the same. */
static gemp_code read_content(near_source *source, const gemp_near_rows *rows)
{
	const gemp_point_reader *points = source->file->loader.points;
	bool same;
	GEMP_TRY(points->begin(points->self, &same));
	source->reading = true;
	return make_content(&source->content, source->file, rows);
}

/* Local. Sets this rank's rows by source. The edges are sorted by source. */
static gemp_code set_out_rows(gemp_shard *graph, gemp_relation *relation, const gemp_near_edges *list)
{
	const uint64_t end = graph->first_vertex + graph->rows;
	size_t first = 0, last;
	while (first < list->count && list->edges[first].source < graph->first_vertex)
		first++;
	for (last = first; last < list->count && list->edges[last].source < end; last++)
		;
	relation->first_edge = first;
	GEMP_TRY(GEMP_NEW(relation->out_offsets, graph->rows + 1));
	GEMP_TRY(GEMP_NEW(relation->out_targets, last - first));
	for (size_t e = first; e < last; e++) {
		relation->out_offsets[list->edges[e].source - graph->first_vertex + 1]++;
		relation->out_targets[e - first] = list->edges[e].target;
	}
	for (size_t v = 0; v < graph->rows; v++)
		relation->out_offsets[v + 1] += relation->out_offsets[v];
	return GEMP_OK;
}

/* Local. Sets this rank's rows by target, by counting: edges in the order of sources fill each row in this order. */
static gemp_code set_in_rows(gemp_shard *graph, gemp_relation *relation, const gemp_near_edges *list)
{
	GEMP_OWNED uint64_t *next = NULL;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(relation->in_offsets, graph->rows + 1), GEMP_ARRAY(next, graph->rows)));
	for (size_t e = 0; e < list->count; e++) {
		const uint64_t row = list->edges[e].target - graph->first_vertex;
		if (row < graph->rows)
			relation->in_offsets[row + 1]++;
	}
	for (size_t v = 0; v < graph->rows; v++) {
		relation->in_offsets[v + 1] += relation->in_offsets[v];
		next[v] = relation->in_offsets[v];
	}
	const size_t count = (size_t)relation->in_offsets[graph->rows];
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(relation->in_sources, count), GEMP_ARRAY(relation->in_edges, count)));
	for (size_t e = 0; e < list->count; e++) {
		const uint64_t row = list->edges[e].target - graph->first_vertex;
		if (row >= graph->rows)
			continue;
		relation->in_sources[next[row]] = list->edges[e].source;
		relation->in_edges[next[row]++] = e;
	}
	return GEMP_OK;
}

/* Local. Edges keep the direction that they have in the file. */
static gemp_code set_relation(gemp_shard *graph, gemp_relation *relation, const gemp_relation *from,
                              const gemp_near_edges *list)
{
	relation->fixed = true;
	relation->reciprocal = from->reciprocal < 0 ? -1 : 0;
	relation->edge_count = list->count;
	GEMP_TRY(gemp_table_copy_schema(&relation->props, &from->props));
	GEMP_TRY(set_out_rows(graph, relation, list));
	GEMP_TRY(set_in_rows(graph, relation, list));
	relation->loaded = GEMP_LOAD_OUT | GEMP_LOAD_IN | GEMP_LOAD_IN_EDGES;
	return GEMP_OK;
}

/* Local. Fills a graph without content. */
static gemp_code fill(gemp_shard *graph, const gemp_shard *file, const near_content *content)
{
	GEMP_TRY(gemp_shard_copy_schema(graph, file));
	graph->vertex_count = content->vertex_count;
	graph->hash = file->hash;
	gemp_partition_assign(&graph->partition, graph->vertex_count, (size_t)graph->ranks, graph->bounds);
	graph->first_vertex = graph->bounds[graph->rank];
	graph->rows = graph->bounds[graph->rank + 1] - graph->first_vertex;
	GEMP_TRY(gemp_column_init(&graph->keys, file->keys.name, file->keys.type));
	GEMP_TRY(gemp_table_copy_schema(&graph->attributes, &file->attributes));
	graph->attributes.rows = graph->rows;
	GEMP_TRY(GEMP_COPY(graph->label_set_of, content->label_sets + graph->first_vertex, graph->rows));
	for (size_t s = 0; s < graph->label_set_count; s++)
		graph->label_sets[s].vertex_count = 0;
	for (size_t v = 0; v < content->vertex_count; v++)
		graph->label_sets[content->label_sets[v]].vertex_count++;
	for (size_t r = 0; r < content->relation_count; r++)
		GEMP_TRY(set_relation(graph, &graph->relations[r], &file->relations[r], &content->relations[r]));
	return GEMP_OK;
}

gemp_code gemp_neighbourhood_graph_new(gemp_shard **out, const gemp_comm *comm, gemp_shard *graph,
                                       const gemp_near_rows *rows)
{
	GEMP_OWNED_BY(gemp_shard_free_at) gemp_shard *made = NULL;
	near_source *source = NULL;
	*out = NULL;
	gemp_code code = gemp_new_all(GEMP_ARRAY(made, 1), GEMP_ARRAY(source, 1));
	if (code == GEMP_OK) {
		*source = (near_source){ .comm = comm, .file = graph, .content = { .relation_count = graph->relation_count } };
		made->loader = (gemp_shard_loader){ .self = source,
			                                .load_keys = load_keys,
			                                .load_attribute = load_attribute,
			                                .load_relation = load_relation,
			                                .free = free_source };
		code = GEMP_NEW(source->content.relations, graph->relation_count);
	}
	if (code == GEMP_OK && comm->rank == 0)
		code = read_content(source, rows);
	GEMP_TRY(gemp_comm_agree(comm, code));
	GEMP_TRY(share_content(comm, &source->content));
	GEMP_TRY(gemp_comm_agree(comm, fill(made, graph, &source->content)));
	*out = made;
	made = NULL;
	return GEMP_OK;
}
