/* An attribute of edges as the values of a relation's matrices. */

#include "io/graph_file/graph_file_matrix_values.h"

#include "comm/exchange.h"
#include "core/memory.h"
#include "core/search.h"
#include "io/graph_file/graph_file_tables.h"

#include <inttypes.h>
#include <string.h>

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
static gemp_code answer(const gemp_comm *comm, const gemp_relation *relation, const gemp_column *column,
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
	GEMP_PROPAGATE(answer(comm, relation, column, requested, from, &answers));
	for (size_t i = 0; i < count; i++)
		words[i] = ((const uint64_t *)answers)[place[i]];
	*out = words;
	words = NULL;
	return GEMP_OK;
}

/* Collective. Is `weight` the dataset that the relation's matrix by source has for its values? */
static gemp_code is_matrix_values(bool *out, const gemp_h5 *h5, const char *values, const char *props,
                                  const char *weight)
{
	GEMP_OWNED_BY(gemp_h5_release_at) hid_t one = H5I_INVALID_HID, other = H5I_INVALID_HID;
	GEMP_OWNED_BY(gemp_text_free) gemp_text path = { 0 };
	bool there;
	gemp_text_print(&path, "%s/", props);
	gemp_h5_encode(weight, &path);
	GEMP_PROPAGATE(gemp_comm_agree(h5->comm, gemp_text_status(&path)));
	GEMP_PROPAGATE(gemp_h5_exists(h5, path.data, &there));
	*out = false;
	if (there && h5->active) {
		one = H5Dopen2(h5->file, values, H5P_DEFAULT);
		other = H5Dopen2(h5->file, path.data, H5P_DEFAULT); /* columns with a mask are groups: no dataset */
		*out = one >= 0 && other >= 0 && H5Dget_offset(one) != HADDR_UNDEF &&
		       H5Dget_offset(one) == H5Dget_offset(other);
	}
	return GEMP_OK;
}

/* The values of a weighted file are a link to the attribute: both have one place in the file. */
static gemp_code matrix_values_of(const char **out, const gemp_h5 *h5, const gemp_relation *relation)
{
	GEMP_OWNED char *values = NULL, *props = NULL;
	GEMP_PROPAGATE(gemp_file_relation_path(h5, relation->name, "/edges", "csr/values", &values));
	GEMP_PROPAGATE(gemp_file_relation_path(h5, relation->name, "/edges", "props", &props));
	for (size_t c = 0; c < relation->props.count && !*out; c++) {
		bool same;
		GEMP_PROPAGATE(is_matrix_values(&same, h5, values, props, relation->props.columns[c].name));
		if (same)
			*out = relation->props.columns[c].name;
	}
	return GEMP_OK;
}

/* The first relation that has such values decides, as one weight was given for all. */
gemp_code gemp_graph_file_matrix_values(const char **out, const gemp_comm *comm, const gemp_shard *graph,
                                        const char *path)
{
	gemp_code code = GEMP_OK;
	gemp_h5 h5 = { 0 };
	*out = NULL;
	GEMP_TRY(gemp_h5_open(&h5, comm, path));
	for (size_t r = 0; r < graph->relation_count && !*out; r++)
		GEMP_TRY(matrix_values_of(out, &h5, &graph->relations[r]));
done:;
	gemp_code closed = gemp_h5_close(&h5);
	return code != GEMP_OK ? code : closed;
}
