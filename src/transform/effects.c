#include "transform/effects.h"

static bool sets(const gemp_update *u)
{
	return u->kind == GEMP_SET_ATTRIBUTE || u->kind == GEMP_REMOVE_ATTRIBUTE || u->kind == GEMP_ADD_LABELS ||
	       u->kind == GEMP_REMOVE_LABELS || u->kind == GEMP_SET_TYPE;
}

void gemp_effects_find(gemp_effects *out, const gemp_comm *comm, const gemp_rule *rule, const gemp_frame *frame,
                       const uint8_t *chosen, uint64_t applied)
{
	uint64_t set = 0;
	for (size_t i = 0; i < rule->update_count; i++) {
		const gemp_update *u = &rule->updates[i];
		if (!sets(u) || u->element.created)
			continue;
		const uint64_t *elements = frame->columns[u->element.index].elements;
		for (size_t row = 0; row < frame->rows; row++)
			set += chosen[row] && elements[row] != GEMP_NO_ELEMENT;
	}
	*out = (gemp_effects){ .created_vertices = applied * rule->created_vertices,
		.created_edges = applied * rule->created_edges, .set = gemp_comm_sum1(comm, set) };
}

void gemp_effects_compare(gemp_effects *out, uint64_t vertices_before, uint64_t edges_before, const gemp_graph *after)
{
	out->deleted_vertices = vertices_before + out->created_vertices - after->vertices;
	out->deleted_edges = edges_before + out->created_edges - gemp_graph_edges(after);
}

void gemp_effects_add(gemp_effects *sum, const gemp_effects *one)
{
	sum->created_vertices += one->created_vertices;
	sum->created_edges += one->created_edges;
	sum->deleted_vertices += one->deleted_vertices;
	sum->deleted_edges += one->deleted_edges;
	sum->set += one->set;
}
