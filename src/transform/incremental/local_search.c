#include "transform/incremental/local_search.h"

#include "core/bitset.h"
#include "core/status.h"
#include "core/threads.h"
#include "partition/derived/induced.h"
#include "transform/incremental/rule_matches.h"

#include <string.h>

enum { WORDS_AT_ONCE = 1 << 26 }; /* number of words in one reduction: 256 MiB */

/* If the working set has more than vertices / MAX_PART_DIVISOR vertices, the whole graph is searched, since building a
 * smaller graph and renumbering its rows would then cost more than they save. */
enum { MAX_PART_DIVISOR = 8 };

/* A set of vertices for each role. The sets grow from role to role. */
typedef struct expansion {
	const gemp_comm *comm;
	gemp_shard *graph;
	const gemp_locality *locality;
	size_t words;    /* number of words of a set */
	uint32_t **sets; /* [locality->role_count] NULL: the empty set */
	uint32_t *marks; /* NULL: the expansion starts at the anchors */
} expansion;

static void free_expansion(expansion *n)
{
	for (size_t r = 0; n->sets && r < n->locality->role_count; r++)
		gemp_free(n->sets[r]);
	gemp_free_all(n->sets, n->marks);
}

/* Collective. `bits` becomes the union over all ranks. The reduction runs in blocks, since the counts of MPI are
 * ints. */
static void merge_over_ranks(const gemp_comm *comm, uint32_t *bits, size_t words)
{
	for (size_t at = 0; at < words && comm->size > 1; at += WORDS_AT_ONCE) {
		int count = (int)gemp_min(words - at, WORDS_AT_ONCE);
		GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, bits + at, count, MPI_UINT32_T, MPI_BOR, comm->world));
	}
}

static void add_bits(uint32_t *to, const uint32_t *from, size_t words)
{
	for (size_t w = 0; w < words; w++)
		to[w] |= from[w];
}

/* Adds vertices to the set of a role. The set is allocated by the first call. */
static gemp_code add_to_role(expansion *n, int role, const uint32_t *bits)
{
	if (!n->sets[role])
		GEMP_TRY(GEMP_NEW(n->sets[role], n->words));
	add_bits(n->sets[role], bits, n->words);
	return GEMP_OK;
}

/* STEPS */

/* One breadth-first step along the edges of one relation. */
typedef struct step_context {
	const gemp_shard *graph;
	const gemp_relation *relation;
	bool ahead, back; /* from sources to targets; from targets to sources */
	const uint32_t *from;
	uint32_t *to;
} step_context;

/* A step against the edges pulls along the rows by source, so the rows by target need not be loaded. */
static bool has_marked_target(const step_context *s, size_t row)
{
	for (uint64_t i = s->relation->out_offsets[row]; i < s->relation->out_offsets[row + 1]; i++)
		if (gemp_bits32_test(s->from, s->relation->out_targets[i]))
			return true;
	return false;
}

/* A step along the edges pushes from marked vertices. A step against the edges pulls. */
static void step_range(void *self, size_t range, size_t begin, size_t end)
{
	(void)range;
	const step_context *s = self;
	for (size_t row = begin; row < end; row++) {
		uint64_t id = s->graph->first_vertex + row;
		if (s->ahead && gemp_bits32_test(s->from, id))
			for (uint64_t i = s->relation->out_offsets[row]; i < s->relation->out_offsets[row + 1]; i++)
				gemp_bits32_set_atomic(s->to, s->relation->out_targets[i]);
		if (s->back && has_marked_target(s, row))
			gemp_bits32_set_atomic(s->to, id);
	}
}

/* Collective. `to` becomes the set of vertices that one edge connects with the set `from`. If `back` is true, the step
 * goes against the direction of the role edge. */
static gemp_code step(const expansion *n, const gemp_role_edge *edge, bool back, const uint32_t *from, uint32_t *to)
{
	memset(to, 0, n->words * sizeof *to);
	for (size_t r = 0; r < n->graph->relation_count; r++) {
		if (!edge->relations[r])
			continue;
		GEMP_TRY(gemp_shard_load_relation(n->graph, r, GEMP_LOAD_OUT));
		const gemp_relation *relation = &n->graph->relations[r];
		bool either = edge->either || !relation->directed;
		step_context s = { n->graph, relation, either || !back, either || back, from, to };
		gemp_for_ranges(n->graph->rows, step_range, &s);
	}
	merge_over_ranks(n->comm, to, n->words);
	return GEMP_OK;
}

/* Collective. Adds to the set of role `to` all vertices that a path along the role edge reaches from the set of role
 * `from`. If `inside` is true, paths also start at marked vertices, which may lie within the path of a match. If `from`
 * is -1, paths start only at these. */
static gemp_code expand_along(expansion *n, const gemp_role_edge *edge, int from, int to, bool inside)
{
	GEMP_OWNED uint32_t *now = NULL, *next = NULL;
	GEMP_TRY(gemp_comm_agree(n->comm, gemp_new_all(GEMP_ARRAY(now, n->words), GEMP_ARRAY(next, n->words))));
	if (from >= 0 && n->sets[from])
		add_bits(now, n->sets[from], n->words);
	if (edge->path)
		GEMP_TRY(gemp_comm_agree(n->comm, add_to_role(n, to, now))); /* the path of length 0 */
	for (unsigned i = 0; i < edge->max_edges; i++) {
		if (inside)
			add_bits(now, n->marks, n->words);
		GEMP_TRY(step(n, edge, to == edge->from, now, next));
		GEMP_TRY(gemp_comm_agree(n->comm, add_to_role(n, to, next)));
		memcpy(now, next, n->words * sizeof *now);
	}
	return GEMP_OK;
}

/* TOWARDS THE ANCHOR: finds the anchors that have to be searched again */

/* Local. Sets the marks of this rank's vertices. */
static gemp_code set_marks(expansion *n, const bool *mark)
{
	n->words = gemp_bits32_words(n->graph->vertex_count);
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(n->sets, n->locality->role_count), GEMP_ARRAY(n->marks, n->words)));
	for (size_t row = 0; row < n->graph->rows; row++)
		if (mark[row])
			gemp_bits32_set(n->marks, n->graph->first_vertex + row);
	return GEMP_OK;
}

/* Collective. Adds the marks to the roles at which they can affect a match. */
static gemp_code add_starts(expansion *n)
{
	gemp_code code = GEMP_OK;
	for (size_t r = 0; r < n->locality->role_count && code == GEMP_OK; r++)
		if (n->locality->roles[r].starts)
			code = add_to_role(n, (int)r, n->marks);
	return gemp_comm_agree(n->comm, code);
}

/* Collective. Moves marks within variable-length paths to the end of the path that is nearer to the anchor. */
static gemp_code expand_from_paths(expansion *n)
{
	const gemp_locality *l = n->locality;
	for (size_t e = 0; e < l->edge_count; e++)
		if (l->edges[e].path && l->edges[e].changes)
			GEMP_TRY(expand_along(n, &l->edges[e], -1, gemp_locality_nearer_end(l, &l->edges[e]), true));
	return GEMP_OK;
}

/* Collective. The farthest roles come first, so the set of a role is complete before it is expanded. */
static gemp_code expand_to_anchor(expansion *n)
{
	const gemp_locality *l = n->locality;
	for (unsigned distance = l->max_distance; distance > 0; distance--)
		for (size_t r = 0; r < l->role_count; r++) {
			if (l->roles[r].distance != distance || !n->sets[r])
				continue;
			const gemp_role_edge *way = &l->edges[l->roles[r].parent_edge];
			GEMP_TRY(expand_along(n, way, (int)r, way->from == (int)r ? way->to : way->from, false));
		}
	return GEMP_OK;
}

/* Collective. A match can have changed only if a marked vertex has a role in it. The sets of roles therefore grow from
 * the marks towards the anchor. The resulting anchors are searched again. */
gemp_code gemp_neighbourhood_anchors(uint32_t **anchors, uint64_t *count, const gemp_comm *comm, gemp_shard *graph,
                                     const gemp_locality *locality, const bool *mark)
{
	GEMP_OWNED_BY(free_expansion) expansion n = { .comm = comm, .graph = graph, .locality = locality };
	GEMP_TRY(gemp_comm_agree(comm, set_marks(&n, mark)));
	merge_over_ranks(comm, n.marks, n.words);
	GEMP_TRY(add_starts(&n));
	GEMP_TRY(expand_from_paths(&n));
	GEMP_TRY(expand_to_anchor(&n));
	memset(n.marks, 0, n.words * sizeof *n.marks);
	/* This call allocates the set of the anchor if it is empty. */
	GEMP_TRY(gemp_comm_agree(comm, add_to_role(&n, locality->anchor, n.marks)));
	*anchors = n.sets[locality->anchor];
	n.sets[locality->anchor] = NULL;
	*count = gemp_bits32_count(*anchors, n.words);
	return GEMP_OK;
}

/* AWAY FROM THE ANCHOR: finds the working set of the anchors */

/* Collective. The nearest roles come first. The expansion follows parent edges and all paths. */
static gemp_code expand_from_anchor(expansion *n)
{
	const gemp_locality *l = n->locality;
	for (unsigned distance = 0; distance <= l->max_distance; distance++)
		for (size_t e = 0; e < l->edge_count; e++) {
			const gemp_role_edge *edge = &l->edges[e];
			int nearer = gemp_locality_nearer_end(l, edge), far = nearer == edge->from ? edge->to : edge->from;
			if (l->roles[nearer].distance == distance && n->sets[nearer] &&
			    (edge->path || l->roles[far].parent_edge == (int)e))
				GEMP_TRY(expand_along(n, edge, nearer, far, false));
		}
	return GEMP_OK;
}

/* Local. At the beginning only the role of the anchor has a set. */
static gemp_code set_anchors(expansion *n, const uint32_t *anchors)
{
	n->words = gemp_bits32_words(n->graph->vertex_count);
	GEMP_TRY(GEMP_NEW(n->sets, n->locality->role_count));
	return add_to_role(n, n->locality->anchor, anchors);
}

/* Collective. *bits becomes the union of the sets of all roles. It contains all vertices that the matches need, and may
 * contain more. */
static gemp_code find_working_set(uint32_t **bits, uint64_t *count, const gemp_local_search *local)
{
	const gemp_comm *comm = local->context->comm;
	GEMP_OWNED_BY(free_expansion) expansion n = { .comm = comm, .graph = local->graph, .locality = local->locality };
	GEMP_TRY(gemp_comm_agree(comm, set_anchors(&n, local->anchors)));
	GEMP_TRY(expand_from_anchor(&n));
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(*bits, n.words)));
	for (size_t r = 0; r < local->locality->role_count; r++)
		if (n.sets[r])
			add_bits(*bits, n.sets[r], n.words);
	*count = gemp_bits32_count(*bits, n.words);
	return GEMP_OK;
}

/* RENUMBERING */

/* Converts edge numbers of the part to edge numbers of the whole graph. */
typedef struct edge_numbering {
	const gemp_comm *comm;
	const gemp_induced *part;
	gemp_edge *offset;       /* [relations + 1] first edges of the whole graph's relations */
	gemp_edge_owners owners; /* owners of the part's edges */
} edge_numbering;

static void free_numbering(edge_numbering *n)
{
	gemp_edge_owners_free(&n->owners);
	gemp_free(n->offset);
}

/* Request handler. The owner of an edge of the part knows its number in the whole graph. */
static gemp_code answer_numbers(void *self, const void *records, size_t count, uint64_t *answers)
{
	const edge_numbering *n = self;
	const gemp_edge *edges = records;
	for (size_t i = 0; i < count; i++) {
		size_t relation = gemp_edge_relation(&n->owners, edges[i]);
		size_t at = gemp_edge_local_index(&n->owners, edges[i], n->comm->rank);
		answers[i] = n->offset[relation] + n->part->edge[relation][at];
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
	GEMP_TRY(gemp_comm_agree(
		comm, gemp_new_all(GEMP_ARRAY(edges, rows), GEMP_ARRAY(answers, rows), GEMP_ARRAY(owner, rows))));
	for (size_t row = 0; row < rows; row++)
		if (elements[row] != GEMP_NO_ELEMENT) {
			owner[count] = gemp_edge_owner(owners, elements[row]);
			edges[count++] = elements[row];
		}
	const gemp_request request = { edges, count, sizeof *edges, owner, handler, self };
	GEMP_TRY(gemp_request_run(comm, GEMP_OK, &request, answers));
	for (size_t row = 0; row < rows; row++) {
		if (elements[row] == GEMP_NO_ELEMENT)
			continue;
		elements[row] = answers[at++];
		if (lost)
			lost[row] |= elements[row] == GEMP_NO_ELEMENT;
	}
	return GEMP_OK;
}

/* Collective. The frame has the same columns on all ranks, so all ranks make the same requests in the same order. */
static gemp_code renumber(const gemp_local_search *local, const gemp_induced *part, gemp_frame *frame)
{
	GEMP_OWNED_BY(free_numbering) edge_numbering n = { .comm = local->context->comm, .part = part };
	GEMP_TRY(gemp_comm_agree(n.comm, gemp_edge_offsets(local->graph, &n.offset)));
	GEMP_TRY(gemp_edge_owners_new(&n.owners, n.comm, part->graph));
	for (size_t c = 0; c < frame->count; c++) {
		gemp_frame_column *column = &frame->columns[c];
		if (column->kind == GEMP_CELL_EDGE)
			GEMP_TRY(gemp_renumber_edges(n.comm, &n.owners, column->elements, frame->rows, answer_numbers, &n, NULL));
		for (size_t row = 0; row < frame->rows && column->kind == GEMP_CELL_VERTEX; row++)
			if (column->elements[row] != GEMP_NO_ELEMENT)
				column->elements[row] = part->vertex[column->elements[row]];
	}
	return GEMP_OK;
}

/* SEARCH */

/* Collective. Finds the matches whose anchor vertex is in the set. The order of binding is not cached, since it depends
 * on the anchors. */
static gemp_code search(const gemp_local_search *local, gemp_shard *graph, const uint32_t *anchors, gemp_frame *out)
{
	gemp_match_options how = *local->options;
	how.among_count = 1;
	how.among[0] = (gemp_among){ .vertex = local->locality->anchor, .bits = anchors };
	return gemp_rule_matches_rows(out, local->context, graph, local->rule, &how, local->combinations, NULL);
}

/* Collective. Searches the part of the graph that consists of these vertices and of the relations of the rule. */
static gemp_code search_part(const gemp_local_search *local, const uint32_t *bits, gemp_frame *out)
{
	const gemp_comm *comm = local->context->comm;
	const gemp_locality *l = local->locality;
	GEMP_OWNED_BY(gemp_induced_free) gemp_induced part = { 0 };
	GEMP_OWNED uint32_t *anchors = NULL; /* indexed by the ids of the part */
	GEMP_OWNED bool *relations = NULL;
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(relations, local->graph->relation_count)));
	for (size_t e = 0; e < l->edge_count; e++)
		for (size_t r = 0; r < local->graph->relation_count; r++)
			relations[r] |= l->edges[e].relations[r];
	GEMP_TRY(gemp_induced_new(&part, comm, local->graph, bits, relations));
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(anchors, gemp_bits32_words(part.graph->vertex_count))));
	for (uint64_t id = 0; id < part.graph->vertex_count; id++)
		if (gemp_bits32_test(local->anchors, part.vertex[id]))
			gemp_bits32_set(anchors, id);
	const bool kept = local->context->keep_resident;
	local->context->keep_resident = false; /* the part is freed, and its rows with it */
	gemp_code code = search(local, part.graph, anchors, out);
	local->context->keep_resident = kept;
	GEMP_TRY(code);
	return renumber(local, &part, out);
}

/* Collective. The size of the working set decides whether its part or the whole graph is searched. After an error the
 * caller frees *out. */
gemp_code gemp_local_search_rows(const gemp_local_search *local, gemp_frame *out)
{
	GEMP_OWNED uint32_t *bits = NULL;
	uint64_t count = 0;
	*out = (gemp_frame){ 0 };
	GEMP_TRY(find_working_set(&bits, &count, local));
	if (count > local->graph->vertex_count / MAX_PART_DIVISOR)
		return search(local, local->graph, local->anchors, out);
	return search_part(local, bits, out);
}
