#include "io/graph_file/graph_file_weight.h"

#include "core/memory.h"
#include "io/graph_file/graph_file_read.h"
#include "io/graph_file/graph_file_tables.h"
#include "io/hdf5/hdf5_attributes.h"

/* Collective. Tests whether the column at `path` and `values`, the values of the relation's matrix by source, are the
 * same dataset. In a weighted file both are hard links to one dataset, so they have the same address. */
static gemp_code is_matrix_values(bool *out, const gemp_h5 *h5, const char *values, const char *path)
{
	GEMP_OWNED_BY(gemp_h5_release_at) hid_t one = H5I_INVALID_HID, other = H5I_INVALID_HID;
	bool exists;
	GEMP_TRY(gemp_h5_exists(h5, path, &exists));
	*out = false;
	if (exists && values) {
		one = H5Dopen2(h5->file, values, H5P_DEFAULT);
		other = H5Dopen2(h5->file, path, H5P_DEFAULT); /* fails for a column with a mask, which is a group */
		H5O_info_t info[2];
		*out = one >= 0 && other >= 0 && H5Oget_info2(one, &info[0], H5O_INFO_BASIC) >= 0 &&
		       H5Oget_info2(other, &info[1], H5O_INFO_BASIC) >= 0 && info[0].addr == info[1].addr;
	}
	return gemp_comm_agree(h5->comm, values ? GEMP_OK : GEMP_ENOMEM);
}

/* Collective. If a column of the relation gives the values of its matrices, *out becomes the column's name. */
static gemp_code matrix_values_of(const char **out, const gemp_h5 *h5, const gemp_relation *relation)
{
	GEMP_OWNED char *values = gemp_h5_join_encoded("/edges", relation->name, "csr/values");
	GEMP_OWNED char *props = gemp_h5_join_encoded("/edges", relation->name, "props");
	for (size_t c = 0; c < relation->props.count && !*out; c++) {
		GEMP_OWNED char *name = gemp_file_column_name(relation->props.columns[c].name);
		GEMP_OWNED char *path = name ? gemp_h5_join(props, name) : NULL;
		bool same;
		GEMP_TRY(is_matrix_values(&same, h5, values, path));
		if (same)
			*out = relation->props.columns[c].name;
	}
	return GEMP_OK;
}

/* A file is written with one weight for all relations, so the first relation that has it suffices. */
gemp_code gemp_graph_file_matrix_values(const char **out, const gemp_comm *comm, const gemp_shard *graph,
                                        const char *path)
{
	gemp_h5 h5 = { 0 };
	*out = NULL;
	gemp_code code = gemp_h5_open(&h5, comm, path, gemp_graph_file_trusted(graph));
	for (size_t r = 0; r < graph->relation_count && !*out && code == GEMP_OK; r++)
		code = matrix_values_of(out, &h5, &graph->relations[r]);
	GEMP_ALSO(gemp_h5_close(&h5));
	return code;
}
