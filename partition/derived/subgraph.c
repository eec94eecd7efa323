/* Wanted vertices and edges are bits in pages. Each rank sends the numbers of its wanted vertices and edges to their
 * owners in rounds. Edges are sent first, since the owner of an edge adds the ends of the edge to the wanted vertices.
 * Then each owner adds its vertices and edges to a builder. Edges are added in rounds, since the keys of targets come
 * from other ranks. The new graph has the ids that an import of a file with this content would give. */

#include "partition/derived/subgraph.h"

#include "comm/exchange.h"
#include "core/memory.h"
#include "core/search.h"
#include "graph/graph.h"
#include "partition/build/builder.h"
#include "partition/derived/canonical.h"
#include "partition/exchange/value_exchange.h"

#include <string.h>

enum { WORD = 64, PAGE_WORDS = 1024, PAGE = WORD * PAGE_WORDS };

static uint64_t page_bits_next(const gemp_page_bits *marks, uint64_t from);

/* A page is allocated when its first bit is set, so a small subgraph of a large graph takes little memory. */
static gemp_code page_bits_new(gemp_page_bits *out, uint64_t bound)
{
	*out = (gemp_page_bits){ .bound = bound, .page_count = (size_t)((bound + PAGE - 1) / PAGE) };
	return GEMP_NEW(out->pages, out->page_count);
}

/* Takes {0}. Some pages may be missing. */
static void page_bits_free(gemp_page_bits *marks)
{
	for (size_t p = 0; marks->pages && p < marks->page_count; p++)
		gemp_free(marks->pages[p]);
	gemp_free(marks->pages);
	*marks = (gemp_page_bits){ 0 };
}

/* Each addition updates the count, as counting the bits later would read all pages. */
gemp_code gemp_page_bits_add(gemp_page_bits *marks, uint64_t number)
{
	GEMP_CHECK(number < marks->bound);
	uint64_t **page = &marks->pages[number / PAGE], bit = (uint64_t)1 << number % WORD;
	if (!*page)
		GEMP_TRY(GEMP_NEW(*page, PAGE_WORDS));
	uint64_t *word = &(*page)[number % PAGE / WORD];
	marks->count += !(*word & bit);
	*word |= bit;
	return GEMP_OK;
}

/* The old graph, the wanted vertices and edges, and the builder of the new graph. */
typedef struct subgraph_builder {
	const gemp_comm *comm;
	gemp_shard *graph;
	gemp_subgraph *wanted;
	gemp_subgraph own; /* vertices and edges of this rank that some rank wants */
	gemp_edge_owners owners;
	gemp_edge_columns columns;
	gemp_builder *builder;
} subgraph_builder;

/* An iteration over this rank's wanted edges in ascending order. */
typedef struct walk {
	uint64_t next; /* the next step finds the first wanted edge from this number on */
	size_t relation;
	/* row: index of the edge among this rank's edges of the relation; source: row of the edge's source */
	size_t row, source;
} walk;

/* Moves to the next wanted edge, or returns false if there is none. Edges ascend, so the row of the source is found by
 * advancing, without a search. */
static bool step(const subgraph_builder *m, walk *w)
{
	uint64_t edge = page_bits_next(&m->own.edges, w->next);
	if (edge == GEMP_NO_BIT)
		return false;
	size_t relation = gemp_edge_relation(&m->owners, edge);
	const gemp_relation *r = &m->graph->relations[relation];
	if (relation != w->relation) {
		w->relation = relation;
		w->source = 0;
	}
	w->next = edge + 1;
	w->row = (size_t)(edge - m->owners.relation_offset[relation] - r->first_edge);
	while (r->out_offsets[w->source + 1] <= w->row)
		w->source++;
	return true;
}

/* Returns the first set bit from `from` on, or GEMP_NO_BIT if there is none. */
static uint64_t page_bits_next(const gemp_page_bits *marks, uint64_t from)
{
	while (from < marks->bound) {
		const uint64_t *page = marks->pages[from / PAGE];
		uint64_t left = page ? page[from % PAGE / WORD] >> from % WORD : 0;
		if (left)
			return from + (uint64_t)__builtin_ctzll(left);
		uint64_t step = page ? WORD : PAGE;
		from = (from / step + 1) * step;
	}
	return GEMP_NO_BIT;
}

enum { ROUND = 1 << 16 }; /* the numbers that a rank sends, or the edges that it adds, in one round */

/* Pages are allocated with the first bits. */
gemp_code gemp_subgraph_new(gemp_subgraph *out, const gemp_shard *graph)
{
	*out = (gemp_subgraph){ 0 };
	GEMP_TRY(page_bits_new(&out->vertices, graph->vertex_count));
	return page_bits_new(&out->edges, gemp_shard_edges(graph));
}

void gemp_subgraph_free(gemp_subgraph *wanted)
{
	page_bits_free(&wanted->vertices);
	page_bits_free(&wanted->edges);
}

/* Several ranks may send the same number; the number is counted once. */
static gemp_code add_all(gemp_page_bits *own, const uint64_t *numbers, size_t count)
{
	gemp_code code = GEMP_OK;
	for (size_t i = 0; i < count && code == GEMP_OK; i++)
		code = gemp_page_bits_add(own, numbers[i]);
	return code;
}

/* Collective. Sends one round of wanted numbers, from *from on. *from advances. */
static gemp_code send_round(const subgraph_builder *m, const gemp_page_bits *wanted, gemp_page_bits *own, bool edges,
                            uint64_t *numbers, int *owner, uint64_t *from)
{
	GEMP_OWNED void *received = NULL;
	size_t count = 0;
	GEMP_OWNED size_t *begin = NULL;
	for (uint64_t at; count < ROUND && (at = page_bits_next(wanted, *from)) != GEMP_NO_BIT; *from = at + 1) {
		owner[count] = edges ? gemp_edge_owner(&m->owners, at) : gemp_shard_owner(m->graph, at);
		numbers[count++] = at;
	}
	GEMP_TRY(gemp_exchange_records(m->comm, GEMP_OK, numbers, count, sizeof *numbers, owner, &received, &begin, NULL));
	return gemp_comm_agree(m->comm, add_all(own, received, begin[m->comm->size]));
}

/* Collective. Sends all numbers of `wanted` to their owners and empties `wanted`. */
static gemp_code send_to_owners(const subgraph_builder *m, gemp_page_bits *wanted, gemp_page_bits *own, bool edges)
{
	uint64_t from = 0, more = 1;
	GEMP_OWNED uint64_t *numbers = NULL;
	GEMP_OWNED int *owner = NULL;
	GEMP_TRY(gemp_comm_agree(m->comm, gemp_new_all(GEMP_ARRAY(numbers, ROUND), GEMP_ARRAY(owner, ROUND))));
	while (more) {
		GEMP_TRY(send_round(m, wanted, own, edges, numbers, owner, &from));
		more = page_bits_next(wanted, from) != GEMP_NO_BIT;
		gemp_comm_max(m->comm, &more, 1);
	}
	page_bits_free(wanted);
	return GEMP_OK;
}

/* Returns the target of the walk's current edge. */
static gemp_vertex target_of(const subgraph_builder *m, const walk *w)
{
	return m->graph->relations[w->relation].out_targets[w->row];
}

/* Adds the ends of all wanted edges to the wanted vertices. */
static gemp_code want_ends(subgraph_builder *m)
{
	walk w = { 0 };
	while (step(m, &w)) {
		GEMP_TRY(gemp_page_bits_add(&m->wanted->vertices, m->graph->first_vertex + w.source));
		GEMP_TRY(gemp_page_bits_add(&m->wanted->vertices, target_of(m, &w)));
	}
	return GEMP_OK;
}

/* Local. The builder's columns have the same order as the columns of the graph. */
static gemp_code declare(const subgraph_builder *m)
{
	const gemp_table *attributes = &m->graph->attributes;
	size_t column;
	for (size_t c = 0; c < attributes->count; c++)
		GEMP_TRY(
			gemp_builder_vertex_column(m->builder, attributes->columns[c].name, attributes->columns[c].type, &column));
	for (size_t c = 0; c < m->columns.count; c++)
		GEMP_TRY(gemp_builder_edge_column(m->builder, m->columns.columns[c].name, m->columns.columns[c].type, &column));
	return GEMP_OK;
}

/* Local. Adds this rank's wanted vertices to the builder, with labels and attributes. */
static gemp_code add_vertices(const subgraph_builder *m)
{
	const gemp_shard *graph = m->graph;
	GEMP_OWNED_BY(gemp_text_free) gemp_text labels = { 0 };
	for (uint64_t id = 0; (id = page_bits_next(&m->own.vertices, id)) != GEMP_NO_BIT; id++) {
		size_t row = (size_t)(id - graph->first_vertex);
		gemp_value key = gemp_column_get(&graph->keys, row);
		gemp_text_clear(&labels);
		gemp_vertex_labels_text(graph, row, &labels);
		GEMP_TRY(gemp_text_status(&labels));
		GEMP_TRY(gemp_builder_vertex(m->builder, &key, labels.data, labels.size, (gemp_place){ 0 }));
		for (size_t c = 0; c < graph->attributes.count; c++) {
			gemp_value value = gemp_column_get(&graph->attributes.columns[c], row);
			if (!value.null)
				GEMP_TRY(gemp_builder_vertex_value(m->builder, c, &value));
		}
	}
	return GEMP_OK;
}

/* Local. Adds one edge with its attributes. */
static gemp_code add_edge(const subgraph_builder *m, const walk *w, const gemp_value *target)
{
	const char *type = m->graph->relations[w->relation].name;
	gemp_value source = gemp_column_get(&m->graph->keys, w->source);
	GEMP_TRY(gemp_builder_edge(m->builder, &source, target, type, strlen(type), (gemp_place){ 0 }));
	for (size_t c = 0; c < m->columns.count; c++) {
		gemp_value value = gemp_edge_value(m->graph, &m->columns.columns[c], w->relation, w->row);
		if (!value.null)
			GEMP_TRY(gemp_builder_edge_value(m->builder, c, &value));
	}
	return GEMP_OK;
}

/* Collective. Adds the next ROUND edges of this rank. The owners of the targets send the keys of the targets. */
static gemp_code add_round(const subgraph_builder *m, walk *w, gemp_vertex *targets, size_t *place)
{
	gemp_code code = GEMP_OK;
	GEMP_OWNED_BY(gemp_column_free) gemp_column keys = { 0 };
	walk ahead = *w;
	size_t count = 0;
	while (count < ROUND && step(m, &ahead))
		targets[count++] = target_of(m, &ahead);
	GEMP_TRY(gemp_vertex_values(m->comm, GEMP_OK, m->graph, &m->graph->keys, targets, count, &keys, place));
	for (size_t i = 0; i < count && code == GEMP_OK && step(m, w); i++) {
		gemp_value target = gemp_column_get(&keys, place[i]);
		code = add_edge(m, w, &target);
	}
	return gemp_comm_agree(m->comm, code);
}

/* Collective. All ranks make as many rounds as the rank with the most edges, since each round requests keys. */
static gemp_code add_edges(const subgraph_builder *m)
{
	GEMP_OWNED gemp_vertex *targets = NULL;
	GEMP_OWNED size_t *place = NULL;
	uint64_t more = 1;
	walk w = { 0 };
	GEMP_TRY(gemp_comm_agree(m->comm, gemp_new_all(GEMP_ARRAY(targets, ROUND), GEMP_ARRAY(place, ROUND))));
	while (more) {
		GEMP_TRY(add_round(m, &w, targets, place));
		more = page_bits_next(&m->own.edges, w.next) != GEMP_NO_BIT;
		gemp_comm_max(m->comm, &more, 1);
	}
	return GEMP_OK;
}

/* Collective. The builder makes the graph that it would make for a file with this content. */
static gemp_code build(subgraph_builder *m, gemp_shard **out)
{
	gemp_builder_options options = { .seed = m->graph->seed };
	for (size_t r = 0; r < m->graph->relation_count; r++)
		options.undirected |= !m->graph->relations[r].directed;
	GEMP_TRY(gemp_has_string_keys(m->comm, m->graph, &options.string_keys));
	GEMP_TRY(gemp_builder_new(&m->builder, m->comm, &options));
	gemp_code code = gemp_edge_columns_new(&m->columns, m->graph, NULL);
	GEMP_THEN(declare(m));
	GEMP_THEN(add_vertices(m));
	GEMP_TRY(gemp_comm_agree(m->comm, code));
	GEMP_TRY(add_edges(m));
	return gemp_builder_finish(m->builder, out);
}

/* Edges are sent before vertices, since the owners of the edges add their ends to the wanted vertices. */
gemp_code gemp_subgraph_make(gemp_shard **out, const gemp_comm *comm, gemp_shard *graph, gemp_subgraph *wanted)
{
	gemp_code code = GEMP_OK;
	subgraph_builder m = { .comm = comm, .graph = graph, .wanted = wanted };
	/* the rows of all relations are loaded, as most callers want edges of each relation */
	GEMP_TRY_DONE(gemp_shard_load_outgoing(graph));
	GEMP_TRY_DONE(gemp_edge_owners_new(&m.owners, comm, graph));
	GEMP_TRY_DONE(gemp_comm_agree(comm, gemp_subgraph_new(&m.own, graph)));
	GEMP_TRY_DONE(send_to_owners(&m, &wanted->edges, &m.own.edges, true));
	GEMP_TRY_DONE(gemp_comm_agree(comm, want_ends(&m)));
	GEMP_TRY_DONE(send_to_owners(&m, &wanted->vertices, &m.own.vertices, false));
	code = build(&m, out);
done:
	gemp_builder_free(m.builder);
	gemp_edge_columns_free(&m.columns);
	gemp_subgraph_free(&m.own);
	gemp_edge_owners_free(&m.owners);
	return code;
}
