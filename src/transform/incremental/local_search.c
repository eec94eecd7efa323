#include "transform/incremental/local_search.h"

#include "core/bitset.h"
#include "core/memory.h"
#include "partition/derived/induced.h"
#include "transform/incremental/neighbourhood.h"
#include "transform/incremental/rule_matches.h"

enum { MAX_PART_DIVISOR = 8 }; /* beyond vertices / this the whole graph is searched */

/* Numbers that edges of the part have in the whole graph. */
typedef struct edge_numbering {
	const gemp_comm *comm;
	const gemp_induced *part;
	const gemp_edge *offset; /* of the whole's relations */
	gemp_edge_owners owners; /* of the part's edges */
} edge_numbering;

/* Request handler: the owner of an edge of the part knows its number in the whole graph. */
static gemp_code answer(void *self, const void *records, size_t count, uint64_t *answers)
{
	const edge_numbering *n = self;
	const gemp_edge *edges = records;
	for (size_t i = 0; i < count; i++) {
		size_t relation = gemp_edge_relation(&n->owners, edges[i]);
		size_t anchor = gemp_edge_local_index(&n->owners, edges[i], n->comm->rank);
		answers[i] = n->offset[relation] + n->part->edge[relation][anchor];
	}
	return GEMP_OK;
}

gemp_code gemp_renumber_edges(const gemp_comm *comm, const gemp_edge_owners *owners, uint64_t *elements, size_t rows,
                              gemp_request_handler handler, void *self, bool *lost)
{
	GEMP_OWNED gemp_edge *edges = NULL;
	GEMP_OWNED uint64_t *answers = NULL;
	GEMP_OWNED int *owner = NULL;
	size_t count = 0, at = 0;
	GEMP_PROPAGATE(gemp_comm_agree(
		comm, gemp_new_all(GEMP_ARRAY(edges, rows), GEMP_ARRAY(answers, rows), GEMP_ARRAY(owner, rows))));
	for (size_t row = 0; row < rows; row++)
		if (elements[row] != GEMP_NO_ELEMENT) {
			owner[count] = gemp_edge_owner(owners, elements[row]);
			edges[count++] = elements[row];
		}
	const gemp_request request = { edges, count, sizeof *edges, owner, handler, self };
	GEMP_PROPAGATE(gemp_request_run(comm, GEMP_OK, &request, answers));
	for (size_t row = 0; row < rows; row++) {
		if (elements[row] == GEMP_NO_ELEMENT)
			continue;
		elements[row] = answers[at++];
		if (lost)
			lost[row] |= elements[row] == GEMP_NO_ELEMENT;
	}
	return GEMP_OK;
}

/* Collective. The frame has the same columns on all ranks. */
static gemp_code renumber(const gemp_local_search *local, const gemp_induced *part, gemp_frame *frame)
{
	gemp_code code = GEMP_OK;
	gemp_edge *offset = NULL;
	edge_numbering n = { .comm = local->context->comm, .part = part };
	GEMP_TRY(gemp_comm_agree(n.comm, gemp_edge_offsets(local->graph, &offset)));
	n.offset = offset;
	GEMP_TRY(gemp_edge_owners_new(&n.owners, n.comm, part->graph));
	for (size_t c = 0; c < frame->count; c++) {
		gemp_frame_column *column = &frame->columns[c];
		if (column->kind == GEMP_CELL_EDGE)
			GEMP_TRY(gemp_renumber_edges(n.comm, &n.owners, column->elements, frame->rows, answer, &n, NULL));
		for (size_t row = 0; row < frame->rows && column->kind == GEMP_CELL_VERTEX; row++)
			if (column->elements[row] != GEMP_NO_ELEMENT)
				column->elements[row] = part->vertex[column->elements[row]];
	}
done:
	gemp_edge_owners_free(&n.owners);
	gemp_free(offset);
	return code;
}

/* The anchors as bits by the ids of the part. */
static gemp_code anchors_in_part(const gemp_local_search *local, const gemp_induced *part, uint32_t **out)
{
	GEMP_PROPAGATE(GEMP_NEW(*out, gemp_bits32_words(part->graph->vertex_count)));
	for (uint64_t id = 0; id < part->graph->vertex_count; id++)
		if (gemp_bits32_test(local->anchors, part->vertex[id]))
			gemp_bits32_set(*out, id);
	return GEMP_OK;
}

/* Collective. */
static gemp_code search(const gemp_local_search *local, gemp_shard *graph, const uint32_t *anchors, gemp_frame *out)
{
	gemp_match_options how = *local->options;
	how.among = anchors;
	how.among_vertex = local->locality->anchor;
	return gemp_rule_matches_rows(out, local->context, graph, local->rule, &how, local->combinations, NULL);
}

/* The relations that the rule refers to; the part needs no others. */
static gemp_code list_relations(const gemp_local_search *local, bool **out)
{
	GEMP_PROPAGATE(GEMP_NEW(*out, local->graph->relation_count));
	for (size_t e = 0; e < local->locality->edge_count; e++)
		for (size_t r = 0; r < local->graph->relation_count; r++)
			(*out)[r] |= local->locality->edges[e].relations[r];
	return GEMP_OK;
}

/* Collective. The renumbered rows of the part. */
static gemp_code search_part(const gemp_local_search *local, const uint32_t *bits, gemp_frame *out)
{
	gemp_code code = GEMP_OK;
	gemp_induced part = { 0 };
	uint32_t *anchors = NULL;
	bool *relations = NULL;
	GEMP_TRY(gemp_comm_agree(local->context->comm, list_relations(local, &relations)));
	GEMP_TRY(gemp_induced_new(&part, local->context->comm, local->graph, bits, relations));
	GEMP_TRY(gemp_comm_agree(local->context->comm, anchors_in_part(local, &part, &anchors)));
	GEMP_TRY(search(local, part.graph, anchors, out));
	code = renumber(local, &part, out);
done:
	gemp_free_all(anchors, relations);
	gemp_induced_free(&part);
	if (code != GEMP_OK)
		gemp_frame_free(out);
	return code;
}

gemp_code gemp_local_search_rows(const gemp_local_search *local, gemp_frame *out)
{
	gemp_code code = GEMP_OK;
	GEMP_OWNED uint32_t *bits = NULL;
	uint64_t count = 0;
	*out = (gemp_frame){ 0 };
	GEMP_PROPAGATE(gemp_neighbourhood_working_set(&bits, &count, local->context->comm, local->graph, local->locality,
	                                              local->anchors));
	if (count > local->graph->vertex_count / MAX_PART_DIVISOR)
		code = search(local, local->graph, local->anchors, out);
	else
		code = search_part(local, bits, out);
	return code;
}
