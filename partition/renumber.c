#include "partition/renumber.h"

#include "core/memory.h"
#include "partition/builder.h"
#include "partition/renumber_state.h"

#include <string.h>

/* bounds[parts + 1] of the new ids, and the first id that this rank gives in each part. */
static gemp_code give_ranges(const gemp_comm *comm, const gemp_graph *graph, const uint32_t *part, uint64_t parts,
                             uint64_t *bounds, uint64_t *next)
{
	gemp_code code = GEMP_OK;
	uint64_t *before = NULL;
	code = GEMP_NEW(before, parts);
	GEMP_TRY(gemp_comm_agree(comm, code));
	for (size_t v = 0; v < graph->rows; v++)
		next[part[v]]++;
	GEMP_MPI(MPI_Exscan(next, before, (int)parts, MPI_UINT64_T, MPI_SUM, comm->world));
	gemp_comm_sum(comm, next, (int)parts);
	for (uint64_t p = 0; p < parts; p++) {
		bounds[p + 1] = bounds[p] + next[p];
		next[p] = bounds[p] + (comm->rank ? before[p] : 0);
	}
done:
	gemp_free(before);
	return code;
}

static gemp_code give_ids(gemp_renumbering *all, const uint32_t *part, uint64_t parts, const char *method)
{
	gemp_code code = GEMP_OK;
	gemp_graph *to = all->to;
	uint64_t *bounds = NULL, *next = NULL;
	size_t ranks = (size_t)all->comm->size;
	code = GEMP_NEW(bounds, parts + 1);
	if (code == GEMP_OK)
		code = GEMP_NEW(next, parts);
	if (code == GEMP_OK)
		code = GEMP_NEW(all->id, all->from->rows);
	if (code == GEMP_OK)
		code = GEMP_NEW(to->bounds, ranks + 1);
	GEMP_TRY(gemp_comm_agree(all->comm, code));
	GEMP_TRY(give_ranges(all->comm, all->from, part, parts, bounds, next));
	for (size_t v = 0; v < all->from->rows; v++)
		all->id[v] = (gemp_vertex)next[part[v]]++;
	GEMP_TRY(gemp_comm_agree(all->comm, gemp_parts_init(&to->parts, bounds, parts, method)));
	gemp_parts_share(&to->parts, to->vertices, ranks, to->bounds);
	to->first = to->bounds[to->rank];
	to->rows = to->bounds[to->rank + 1] - to->first;
done:
	gemp_free(bounds);
	gemp_free(next);
	return code;
}

gemp_code gemp_renumber_pick(gemp_column *column, const uint64_t *order, size_t count)
{
	gemp_column picked;
	gemp_code code = gemp_column_loaded(column) ? GEMP_OK : gemp_column_reserve(column, 0, 0);
	if (code == GEMP_OK)
		code = gemp_column_pick(&picked, column, order, count);
	if (code == GEMP_OK) {
		gemp_column_free(column);
		*column = picked;
	}
	return code;
}

static gemp_code copy_labels(const gemp_graph *from, gemp_graph *to)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(GEMP_NEW(to->labels, from->label_count));
	for (to->label_count = 0; to->label_count < from->label_count; to->label_count++) {
		to->labels[to->label_count] = gemp_strdup(from->labels[to->label_count]);
		if (!to->labels[to->label_count])
			return GEMP_ENOMEM;
	}
	GEMP_TRY(GEMP_NEW(to->label_sets, from->label_set_count));
	for (to->label_set_count = 0; to->label_set_count < from->label_set_count; to->label_set_count++) {
		const gemp_label_set *set = &from->label_sets[to->label_set_count];
		gemp_label_set *copy = &to->label_sets[to->label_set_count];
		*copy = (gemp_label_set){ .count = set->count, .vertices = set->vertices };
		GEMP_TRY(GEMP_NEW(copy->labels, set->count));
		memcpy(copy->labels, set->labels, set->count * sizeof *set->labels);
	}
done:
	return code;
}

static gemp_code copy_columns(const gemp_table *from, gemp_table *to)
{
	gemp_code code = GEMP_OK;
	for (size_t c = 0; c < from->count && code == GEMP_OK; c++)
		code = gemp_table_add(to, from->columns[c].name, from->columns[c].type, NULL);
	return code;
}

gemp_code gemp_renumber_schema(gemp_renumbering *all)
{
	gemp_code code = GEMP_OK;
	const gemp_graph *from = all->from;
	gemp_graph *to = all->to;
	to->rank = from->rank;
	to->ranks = from->ranks;
	to->vertices = from->vertices;
	to->seed = from->seed;
	GEMP_TRY(copy_labels(from, to));
	GEMP_TRY(gemp_column_init(&to->key, from->key.name, from->key.type));
	GEMP_TRY(copy_columns(&from->attributes, &to->attributes));
	GEMP_TRY(GEMP_NEW(to->relations, from->relation_count));
	for (to->relation_count = 0; to->relation_count < from->relation_count;) {
		const gemp_relation *relation = &from->relations[to->relation_count];
		gemp_relation *copy = &to->relations[to->relation_count++];
		copy->directed = relation->directed;
		copy->multigraph = relation->multigraph;
		copy->reciprocal = relation->reciprocal;
		copy->edges = relation->edges;
		copy->name = gemp_strdup(relation->name);
		GEMP_TRY(copy->name ? GEMP_OK : GEMP_ENOMEM);
		GEMP_TRY(copy_columns(&relation->props, &copy->props));
	}
done:
	return code;
}

gemp_code gemp_graph_renumber(gemp_graph **out, const gemp_comm *comm, gemp_graph *graph, const uint32_t *part,
                              uint64_t parts, const char *method)
{
	gemp_code code = GEMP_OK;
	gemp_renumbering all = { .comm = comm, .from = graph };
	*out = NULL;
	GEMP_TRY(gemp_graph_load(graph));
	code = GEMP_NEW(all.to, 1);
	if (code == GEMP_OK)
		code = gemp_renumber_schema(&all);
	GEMP_TRY(gemp_comm_agree(comm, code));
	GEMP_TRY(give_ids(&all, part, parts, method));
	GEMP_TRY(gemp_renumber_vertices(&all));
	for (size_t r = 0; r < graph->relation_count; r++)
		GEMP_TRY(gemp_renumber_relation(&all, r));
	GEMP_TRY(gemp_graph_content_hash(comm, all.to, &all.to->hash));
	*out = all.to;
	all.to = NULL;
done:
	gemp_graph_free(all.to);
	gemp_free(all.id);
	return code;
}
