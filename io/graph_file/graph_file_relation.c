/* A relation is stored as one or two sparse matrices and a table of edges in the order of the matrix by source. When
 * writing, all ranks write each array together, each rank its own rows. When reading, the ranks read only the parts
 * that a query needs. From a symmetric matrix each other part is made in memory. */

#include "io/graph_file/graph_file_relation.h"

#include "core/status.h"
#include "graph/either_rows.h"
#include "io/graph_file/graph_file_matrix.h"
#include "io/graph_file/graph_file_strings.h"
#include "io/hdf5/hdf5_attributes.h"
#include "partition/build/rows_source.h"

/* READING */

/* Collective. A symmetric relation stores the number of its edges, since a loop has one entry and other edges have two.
 * No pair of vertices is joined in both directions, since the ids of an edge give its direction. */
static gemp_code describe_symmetric(const gemp_h5 *h5, const char *group, gemp_relation *relation,
                                    const gemp_relation_layout *layout)
{
	GEMP_TRY(gemp_h5_get_number(h5, group, "edges", &relation->edge_count));
	relation->reciprocal = -1;
	if (relation->directed || relation->edge_count > layout->entries || relation->edge_count < layout->entries / 2)
		return gemp_file_damaged(h5, group, "has a number of edges that does not fit its matrix");
	return GEMP_OK;
}

/* Shape and flags are attributes, so no array is read. */
gemp_code gemp_file_describe_relation(const gemp_h5 *h5, const gemp_shard *graph, gemp_relation *relation,
                                      gemp_relation_layout *layout)
{
	GEMP_OWNED char *group = gemp_h5_join_encoded("/edges", relation->name, "");
	GEMP_OWNED char *csr = gemp_h5_join(group, "csr"), *props = gemp_h5_join(group, "props");
	GEMP_OWNED char *indices = gemp_h5_join(csr, "indices_1");
	GEMP_OWNED int64_t *shape = NULL;
	gemp_h5_type type;
	uint64_t multigraph = 0;
	size_t count = 0;
	GEMP_TRY(gemp_h5_get_flag(h5, group, "directed", &relation->directed));
	GEMP_TRY(gemp_h5_get_number(h5, csr, "multigraph", &multigraph));
	GEMP_TRY(gemp_h5_get_numbers(h5, csr, "shape", &shape, &count));
	GEMP_TRY(gemp_h5_info(h5, indices, &type, &layout->entries));
	relation->edge_count = layout->entries;
	relation->multigraph = multigraph;
	if (count != 2 || (uint64_t)shape[0] != graph->vertex_count || (uint64_t)shape[1] != graph->vertex_count)
		return gemp_file_damaged(h5, csr, "has another number of rows or columns than the graph has vertices");
	bool table = false;
	GEMP_TRY(gemp_h5_exists(h5, props, &table));
	layout->symmetric = relation->merged = !table;
	return table ? gemp_file_get_schema(h5, props, &relation->props, &layout->columns)
	             : describe_symmetric(h5, group, relation, layout);
}

/* Collective. Reads the matrix by target, whose row v holds the edges that end in v. */
static gemp_code get_in(const gemp_h5 *h5, const gemp_shard *graph, gemp_relation *relation, unsigned parts)
{
	GEMP_OWNED_BY(gemp_file_matrix_free)
	gemp_file_matrix matrix = gemp_file_matrix_of(h5, graph, relation, "csc", relation->edge_count);
	GEMP_OWNED uint64_t *begin = NULL;
	uint64_t first = 0;
	if (parts & GEMP_LOAD_IN) {
		GEMP_TRY(gemp_file_matrix_get_pointers(&matrix, graph, &begin, &first));
		GEMP_TRY(gemp_file_matrix_get_indices(&matrix, graph, begin, first, &relation->in_sources));
		relation->in_offsets = begin;
		relation->loaded |= GEMP_LOAD_IN;
		begin = NULL;
	}
	if (parts & GEMP_LOAD_IN_EDGES) {
		uint64_t count = relation->in_offsets[graph->rows];
		GEMP_TRY(gemp_file_matrix_get_edges(&matrix, gemp_comm_exscan(h5->comm, count), count, &relation->in_edges));
		relation->loaded |= GEMP_LOAD_IN_EDGES;
	}
	return GEMP_OK;
}

/* Collective. Each column is a dataset or group of its own, so columns are read one after another. */
static gemp_code get_props(const gemp_h5 *h5, gemp_relation *relation, const gemp_column_layout *columns,
                           gemp_h5_slab rows)
{
	for (size_t c = 0; c < columns->count; c++)
		GEMP_TRY(gemp_file_get_column(h5, columns->paths.text[c], &relation->props.columns[c], rows));
	relation->props.rows = rows.count;
	relation->loaded |= GEMP_LOAD_PROPS;
	return GEMP_OK;
}

/* Collective. Reads the matrix by source and the table of edges. The matrix's pointers give this rank's rows of the
 * table. */
static gemp_code get_out(const gemp_h5 *h5, const gemp_shard *graph, gemp_relation *relation,
                         const gemp_column_layout *columns, unsigned parts)
{
	GEMP_OWNED_BY(gemp_file_matrix_free)
	gemp_file_matrix matrix = gemp_file_matrix_of(h5, graph, relation, "csr", relation->edge_count);
	GEMP_OWNED uint64_t *begin = NULL;
	GEMP_TRY(gemp_file_matrix_get_pointers(&matrix, graph, &begin, &relation->first_edge));
	gemp_h5_slab rows = { relation->edge_count, relation->first_edge, begin[graph->rows] };
	if (parts & GEMP_LOAD_PROPS)
		GEMP_TRY(get_props(h5, relation, columns, rows));
	if (!(parts & GEMP_LOAD_OUT))
		return GEMP_OK;
	GEMP_TRY(gemp_file_matrix_get_indices(&matrix, graph, begin, relation->first_edge, &relation->out_targets));
	relation->out_offsets = begin;
	relation->loaded |= GEMP_LOAD_OUT;
	begin = NULL;
	return GEMP_OK;
}

/* get_in loads GEMP_LOAD_IN before GEMP_LOAD_IN_EDGES, which needs the offsets of the matrix by target. */
static gemp_code get_matrices(const gemp_h5 *h5, gemp_shard *graph, gemp_relation *relation,
                              const gemp_column_layout *columns, unsigned parts)
{
	if (parts & (GEMP_LOAD_OUT | GEMP_LOAD_PROPS))
		GEMP_TRY(get_out(h5, graph, relation, columns, parts));
	return parts & (GEMP_LOAD_IN | GEMP_LOAD_IN_EDGES) ? get_in(h5, graph, relation, parts) : GEMP_OK;
}

/* Collective. Merged rows are made from both matrices. */
static gemp_code get_merged(const gemp_h5 *h5, gemp_shard *graph, gemp_relation *relation,
                            const gemp_relation_layout *layout, unsigned parts)
{
	if (parts & GEMP_LOAD_EITHER)
		parts |= (GEMP_LOAD_OUT | GEMP_LOAD_IN) & ~relation->loaded;
	GEMP_TRY(get_matrices(h5, graph, relation, &layout->columns, parts));
	if (!(parts & GEMP_LOAD_EITHER))
		return GEMP_OK;
	return gemp_comm_agree(h5->comm, gemp_relation_merge_rows(graph, relation));
}

/* Collective. Reads the rows of a symmetric matrix. */
static gemp_code get_either(const gemp_h5 *h5, const gemp_shard *graph, gemp_relation *relation,
                            const gemp_relation_layout *layout)
{
	GEMP_OWNED_BY(gemp_file_matrix_free)
	gemp_file_matrix matrix = gemp_file_matrix_of(h5, graph, relation, "csr", layout->entries);
	GEMP_OWNED uint64_t *begin = NULL;
	uint64_t first = 0;
	GEMP_TRY(gemp_file_matrix_get_pointers(&matrix, graph, &begin, &first));
	GEMP_TRY(gemp_file_matrix_get_indices(&matrix, graph, begin, first, &relation->either_neighbours));
	relation->either_offsets = begin;
	relation->loaded |= GEMP_LOAD_EITHER;
	begin = NULL;
	return GEMP_OK;
}

/* Collective. Checks the number of edges before rows are made from the merged rows. */
static gemp_code split_symmetric(const gemp_h5 *h5, gemp_shard *graph, gemp_relation *relation, unsigned parts)
{
	uint64_t own = gemp_relation_own_edges(graph, relation);
	relation->first_edge = gemp_comm_exscan(h5->comm, own);
	relation->props.rows = own;
	if (gemp_comm_sum1(h5->comm, own) != relation->edge_count)
		return gemp_file_damaged(h5, "/edges", "has a matrix that is not symmetric");
	return gemp_rows_split_merged(h5->comm, graph, relation, parts);
}

/* Rows that were read only to make other rows are freed. */
gemp_code gemp_file_get_relation(const gemp_h5 *h5, gemp_shard *graph, gemp_relation *relation,
                                 const gemp_relation_layout *layout, unsigned parts)
{
	const unsigned wanted = relation->loaded | parts;
	if (!layout->symmetric) {
		GEMP_TRY(get_merged(h5, graph, relation, layout, parts));
	} else {
		if (!(relation->loaded & GEMP_LOAD_EITHER))
			GEMP_TRY(get_either(h5, graph, relation, layout));
		if (parts & ~(unsigned)GEMP_LOAD_EITHER)
			GEMP_TRY(split_symmetric(h5, graph, relation, parts));
	}
	gemp_relation_keep_rows(relation, wanted);
	return GEMP_OK;
}

/* WRITING */

/* Collective. The table of edges has the order of the matrix by source, so the weight's column is linked as the
 * values. */
static gemp_code link_weights(const gemp_file_matrix *matrix, const gemp_relation *relation)
{
	GEMP_OWNED char *props = gemp_h5_join_encoded("/edges", relation->name, "props");
	GEMP_OWNED char *name = gemp_file_column_name(matrix->weight->name);
	GEMP_OWNED char *column = name ? gemp_h5_join(props, name) : NULL;
	return gemp_file_matrix_link_values(matrix, column);
}

/* Collective. The table of edges has the order by source. So the values in the order by target are requested from the
 * ranks that own the edges. */
static gemp_code put_weights_by_target(const gemp_file_matrix *matrix, const gemp_shard *graph,
                                       const gemp_relation *relation, gemp_h5_slab edges)
{
	GEMP_OWNED uint64_t *words = NULL;
	gemp_h5_type type = gemp_h5_type_of(matrix->weight->type == GEMP_INTEGER ? GEMP_H5_I64 : GEMP_H5_F64);
	GEMP_TRY(gemp_file_weights_by_target(matrix->h5->comm, graph, relation, matrix->weight, &words));
	return gemp_file_matrix_put_values(matrix, type, edges, words);
}

/* Collective. Writes the matrix by target. `edge` holds the number of each edge, which is its row in the table. The
 * values are the weights in the order by target or, without weights, a link to the values of the matrix by source. */
static gemp_code put_targets(const gemp_file_matrix *matrix, const gemp_shard *graph, const gemp_relation *relation,
                             const char *csr)
{
	uint64_t count = relation->in_offsets[graph->rows];
	gemp_h5_slab rows = { relation->edge_count, gemp_comm_exscan(matrix->h5->comm, count), count };
	GEMP_OWNED char *ones = gemp_h5_join(csr, "values");
	GEMP_TRY(gemp_file_matrix_put(matrix, graph, "csc_matrix", "CSC", relation->multigraph, relation->in_offsets,
	                              relation->in_sources));
	GEMP_TRY(matrix->weight ? put_weights_by_target(matrix, graph, relation, rows)
	                        : gemp_file_matrix_link_values(matrix, ones));
	return gemp_file_matrix_put_edges(matrix, rows, relation->in_edges);
}

/* Collective. Writes the table of edges. AnnData requires an index column, so the targets are linked as this index. */
static gemp_code put_props(const gemp_h5 *h5, const gemp_shard *graph, const gemp_relation *relation, const char *csr)
{
	GEMP_OWNED char *group = gemp_h5_join_encoded("/edges", relation->name, "props");
	GEMP_OWNED char *strings = gemp_h5_join_encoded("/strings/edges", relation->name, "props");
	GEMP_OWNED char *target = gemp_h5_join(csr, "indices_1"), *index = gemp_h5_join(group, "_target");
	GEMP_OWNED_BY(gemp_column_layout_free) gemp_column_layout columns = { 0 };
	gemp_h5_slab rows = { relation->edge_count, relation->first_edge, relation->out_offsets[graph->rows] };
	gemp_code code = gemp_column_layout_new(relation->props.count, &columns);
	GEMP_TRY(gemp_comm_agree(h5->comm, strings ? code : GEMP_ENOMEM));
	GEMP_TRY(gemp_h5_group(h5, group, "dataframe", "0.2.0"));
	for (size_t c = 0; c < columns.count; c++)
		GEMP_TRY(gemp_file_put_column(h5, group, strings, &relation->props.columns[c], rows, &columns.paths.text[c]));
	GEMP_TRY(gemp_h5_link(h5, target, index));
	GEMP_TRY(gemp_file_put_dataframe(h5, group, "_target", &columns, NULL, 0));
	return gemp_file_put_schema(h5, group, &relation->props, &columns);
}

/* Collective. The matrix by source is written before the table, since the table's index is a link to the matrix's
 * indices. */
static gemp_code put_matrices(const gemp_h5 *h5, const gemp_shard *graph, const gemp_relation *relation,
                              const char *weight)
{
	GEMP_OWNED_BY(gemp_file_matrix_free)
	gemp_file_matrix csr = gemp_file_matrix_of(h5, graph, relation, "csr", relation->edge_count);
	GEMP_OWNED_BY(gemp_file_matrix_free)
	gemp_file_matrix csc = gemp_file_matrix_of(h5, graph, relation, "csc", relation->edge_count);
	csr.weight = csc.weight = gemp_file_weight_of(relation, weight);
	GEMP_TRY(gemp_file_matrix_put(&csr, graph, "csr_matrix", "CSR", relation->multigraph, relation->out_offsets,
	                              relation->out_targets));
	if (!csr.weight)
		GEMP_TRY(gemp_file_matrix_put_ones(
			&csr, (gemp_h5_slab){ relation->edge_count, relation->first_edge, relation->out_offsets[graph->rows] }));
	GEMP_TRY(put_props(h5, graph, relation, csr.path));
	if (csr.weight)
		GEMP_TRY(link_weights(&csr, relation));
	return put_targets(&csc, graph, relation, csr.path);
}

/* Collective. The matrix and the number of edges are all that a symmetric relation has. */
static gemp_code put_symmetric(const gemp_h5 *h5, const char *group, const gemp_shard *graph,
                               const gemp_relation *relation)
{
	uint64_t entries = gemp_comm_sum1(h5->comm, relation->either_offsets[graph->rows]);
	GEMP_OWNED_BY(gemp_file_matrix_free)
	gemp_file_matrix matrix = gemp_file_matrix_of(h5, graph, relation, "csr", entries);
	GEMP_TRY(gemp_h5_put_number(h5, group, "edges", relation->edge_count));
	GEMP_TRY(gemp_file_matrix_put(&matrix, graph, "csr_matrix", "CSR", relation->multigraph, relation->either_offsets,
	                              relation->either_neighbours));
	return gemp_file_matrix_put_ones(&matrix, (gemp_h5_slab){ entries, 0, 0 });
}

gemp_code gemp_file_put_relation(const gemp_h5 *h5, const gemp_shard *graph, const gemp_relation *relation,
                                 const char *weight)
{
	GEMP_OWNED char *group = gemp_h5_join_encoded("/edges", relation->name, "");
	GEMP_TRY(gemp_h5_group(h5, group, "dict", "0.1.0"));
	GEMP_TRY(gemp_h5_put_flag(h5, group, "directed", relation->directed));
	if (gemp_relation_is_symmetric(relation))
		return put_symmetric(h5, group, graph, relation);
	return put_matrices(h5, graph, relation, weight);
}
