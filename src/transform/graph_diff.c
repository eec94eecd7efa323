#include "transform/graph_diff.h"

#include "core/memory.h"
#include "core/text.h"
#include "io/file/output.h"
#include "io/text/cells.h"
#include "match/filter/element_values.h"
#include "partition/exchange/value_exchange.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How an element of one side compares with the other side. ALONE: the other side does not have it, so it is deleted or
 * created. */
typedef enum change_kind { STAYS, CHANGES, ALONE } change_kind;

/* The texts point into the bytes of the side. */
typedef struct gemp_graph_diff_vertex {
	gemp_value key;
	const char *text; /* printed labels and attributes */
	size_t size;
	change_kind change;
} drawn_vertex;

typedef struct gemp_graph_diff_edge {
	const char *type, *text;
	size_t type_size, size;
	gemp_value ends[2];
	bool directed;
	change_kind change;
} drawn_edge;

/* ONE SIDE: THE TEXTS OF ALL RANKS */

/* If the type of an attribute becomes float, 3 becomes 3.0. Both are printed as 3, so the value counts as unchanged. */
static void describe_value(gemp_text *out, const gemp_value *value)
{
	if (value->type == GEMP_FLOAT && fabs(value->real) < 1e15 && value->real == trunc(value->real))
		gemp_text_print(out, "%.0f", value->real);
	else
		gemp_value_print(value, out);
}

/* Absent attributes are not printed, so the removal of an attribute is a change. */
static void describe_row(gemp_text *out, const gemp_table *table, size_t row)
{
	for (size_t c = 0; c < table->count; c++) {
		gemp_value value = gemp_column_get(&table->columns[c], row);
		if (value.null)
			continue;
		gemp_text_print(out, "\n%s: ", table->columns[c].name);
		describe_value(out, &value);
	}
}

/* Each element becomes a record of its keys and its printed attributes, which the comparison needs. The first number of
 * a record says whether the element is a vertex. */
static void pack_vertices(const gemp_shard *g, gemp_text *text, gemp_text *out)
{
	for (size_t v = 0; v < g->rows; v++) {
		gemp_value key = gemp_column_get(&g->keys, v);
		const gemp_label_set *set = &g->label_sets[g->label_set_of[v]];
		gemp_text_clear(text);
		for (size_t l = 0; l < set->count; l++)
			gemp_text_print(text, "%s:%s", l ? "" : "\n", g->labels[set->labels[l]]);
		describe_row(text, &g->attributes, v);
		gemp_pack_number(out, true);
		gemp_pack_value(out, &key);
		gemp_pack_bytes(out, text->data, text->size);
	}
}

/* Collective. Edges are named by the keys of source and target, and the target may belong to another rank. */
static gemp_code pack_relation(gemp_runtime *context, gemp_shard *g, const gemp_relation *relation, gemp_text *text,
                               gemp_text *out)
{
	static const int wanted[] = { GEMP_FETCH_KEY };
	GEMP_OWNED gemp_vertex *found = NULL;
	size_t count = 0;
	GEMP_OWNED_BY(gemp_column_free) gemp_column keys = { 0 };
	GEMP_TRY(gemp_fetch_values(context, g, relation->out_targets, (size_t)relation->out_offsets[g->rows], wanted, 1,
	                           &found, &count, &keys));
	for (size_t v = 0; v < g->rows; v++)
		for (uint64_t at = relation->out_offsets[v]; at < relation->out_offsets[v + 1]; at++) {
			gemp_value source = gemp_column_get(&g->keys, v);
			gemp_value target = gemp_column_get(&keys, gemp_fetch_index(found, count, relation->out_targets[at]));
			gemp_text_clear(text);
			describe_row(text, &relation->props, (size_t)at);
			gemp_pack_number(out, false);
			gemp_pack_bytes(out, relation->name, strlen(relation->name));
			gemp_pack_number(out, relation->directed);
			gemp_pack_value(out, &source);
			gemp_pack_value(out, &target);
			gemp_pack_bytes(out, text->data, text->size);
		}
	return GEMP_OK;
}

static int compare_vertices(const void *a, const void *b)
{
	return gemp_value_compare_keys(&((const drawn_vertex *)a)->key, &((const drawn_vertex *)b)->key);
}

/* Returns 0 if the edges differ at most in their attributes. */
static int compare_places(const void *a, const void *b)
{
	const drawn_edge *x = a, *y = b;
	int order = gemp_compare_bytes(x->type, x->type_size, y->type, y->type_size);
	for (int i = 0; i < 2 && !order; i++)
		order = gemp_value_compare_keys(&x->ends[i], &y->ends[i]);
	return order;
}

static int compare_edges(const void *a, const void *b)
{
	const drawn_edge *x = a, *y = b;
	int order = compare_places(x, y);
	return order ? order : gemp_compare_bytes(x->text, x->size, y->text, y->size);
}

/* The elements point into the texts, which stay in side->bytes. Vertices are sorted by key, and edges by type, source,
 * target and attributes, so that one pass compares both sides. */
static gemp_code unpack(gemp_graph_diff_side *side)
{
	size_t capacities[2] = { 0 };
	for (const char *at = side->bytes, *end = at + side->size; at < end;) {
		if (gemp_unpack_number(&at)) {
			GEMP_TRY(GEMP_RESERVE(side->vertices, capacities[0], side->vertex_count + 1));
			drawn_vertex *v = &side->vertices[side->vertex_count++];
			*v = (drawn_vertex){ .key = gemp_unpack_value(&at), .change = ALONE };
			v->text = gemp_unpack_bytes(&at, &v->size);
			continue;
		}
		GEMP_TRY(GEMP_RESERVE(side->edges, capacities[1], side->edge_count + 1));
		drawn_edge *e = &side->edges[side->edge_count++];
		*e = (drawn_edge){ .change = ALONE };
		e->type = gemp_unpack_bytes(&at, &e->type_size);
		e->directed = gemp_unpack_number(&at);
		e->ends[0] = gemp_unpack_value(&at);
		e->ends[1] = gemp_unpack_value(&at);
		e->text = gemp_unpack_bytes(&at, &e->size);
	}
	if (side->vertex_count)
		qsort(side->vertices, side->vertex_count, sizeof *side->vertices, compare_vertices);
	if (side->edge_count)
		qsort(side->edges, side->edge_count, sizeof *side->edges, compare_edges);
	return GEMP_OK;
}

/* Local, with the same result on all ranks. The size is checked before the texts are gathered, since every rank then
 * holds the whole graph. */
static gemp_code check_size(const gemp_shard *graph, const char *path, const char *moment)
{
	uint64_t drawn = graph->vertex_count + gemp_shard_edges(graph);
	if (drawn <= GEMP_GRAPH_DIFF_MAX)
		return GEMP_OK;
	return gemp_fail(GEMP_EDATA,
	                 "dot %s: %" PRIu64 " vertices and edges, %s the rules, are too many to draw (at most %d); "
	                 "the change log lists all changes",
	                 path, drawn, moment, GEMP_GRAPH_DIFF_MAX);
}

/* Collective. Every rank gets the texts of all ranks although only rank 0 draws, since the graph is small. If one rank
 * fails, all ranks return an error. */
gemp_code gemp_graph_diff_take(gemp_graph_diff_side *side, gemp_runtime *context, gemp_shard *graph, const char *path,
                               const char *moment)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text text = { 0 }, own = { 0 };
	GEMP_OWNED size_t *begin = NULL;
	GEMP_TRY(check_size(graph, path, moment));
	GEMP_TRY(gemp_shard_load_outgoing(graph));
	pack_vertices(graph, &text, &own);
	for (size_t k = 0; k < graph->relation_count; k++)
		GEMP_TRY(pack_relation(context, graph, &graph->relations[k], &text, &own));
	gemp_code code = gemp_text_status(&text);
	GEMP_THEN(gemp_text_status(&own));
	GEMP_TRY(gemp_comm_allgather(context->comm, code, own.data, own.size, &side->bytes, &begin));
	side->size = begin[context->comm->size];
	return gemp_comm_agree(context->comm, unpack(side));
}

void gemp_graph_diff_free(gemp_graph_diff_side *side)
{
	gemp_free_all(side->bytes, side->vertices, side->edges);
	*side = (gemp_graph_diff_side){ 0 };
}

/* COMPARISON */

/* Both sides are in ascending order of keys, so a merge finds the vertices that only one side has. */
static void compare_side_vertices(const gemp_graph_diff_side *a, const gemp_graph_diff_side *b)
{
	for (size_t i = 0, j = 0; i < a->vertex_count && j < b->vertex_count;) {
		drawn_vertex *x = &a->vertices[i], *y = &b->vertices[j];
		int order = compare_vertices(x, y);
		if (order == 0)
			x->change = y->change = gemp_compare_bytes(x->text, x->size, y->text, y->size) ? CHANGES : STAYS;
		i += order <= 0;
		j += order >= 0;
	}
}

/* Merges the edges of both sides once. Pairs of edges that compare as equal get the kind `equal`; edges with the kind
 * STAYS are skipped. */
static void pair_edges(const gemp_graph_diff_side *a, const gemp_graph_diff_side *b,
                       int (*compare)(const void *, const void *), change_kind equal)
{
	for (size_t i = 0, j = 0; i < a->edge_count && j < b->edge_count;) {
		drawn_edge *x = &a->edges[i], *y = &b->edges[j];
		if (x->change == STAYS || y->change == STAYS) {
			i += x->change == STAYS;
			j += y->change == STAYS;
			continue;
		}
		int order = compare(x, y);
		if (order == 0)
			x->change = y->change = equal;
		i += order <= 0;
		j += order >= 0;
	}
}

/* WRITING */

/* How a side is drawn: its name, the first letter of its vertices' names, and the colours of the elements that only
 * this side has. */
typedef struct side_style {
	const char *name, *letter, *alone, *alone_fill;
} side_style;

/* Returns the colour: gray for elements that stay, amber for changed elements, red or green for elements that only one
 * side has. */
static const char *stroke(const side_style *d, change_kind change)
{
	return change == STAYS ? "gray40" : change == CHANGES ? "#b26a00" : d->alone;
}

static const char *fill(const side_style *d, change_kind change)
{
	return change == STAYS ? "white" : change == CHANGES ? "#ffe0a3" : d->alone_fill;
}

/* Returns the index of the vertex with this key. A side has the source and the target of each of its edges. */
static size_t vertex_index(const gemp_graph_diff_side *side, const gemp_value *key)
{
	const drawn_vertex wanted = { .key = *key };
	const drawn_vertex *found = bsearch(&wanted, side->vertices, side->vertex_count, sizeof wanted, compare_vertices);
	return (size_t)(found - side->vertices);
}

/* The name of a vertex is the letter of its side and its index in the order of keys. */
static void draw_vertices(const side_style *d, const gemp_graph_diff_side *side, gemp_text *text, gemp_text *out)
{
	for (size_t i = 0; i < side->vertex_count; i++) {
		const drawn_vertex *v = &side->vertices[i];
		gemp_text_clear(text);
		gemp_value_print(&v->key, text);
		gemp_text_add(text, v->text, v->size);
		gemp_text_print(out, "\t\t%s%zu [label=", d->letter, i);
		gemp_escape_dot(out, text->data, text->size);
		gemp_text_print(out, ", color=\"%s\", fillcolor=\"%s\"];\n", stroke(d, v->change), fill(d, v->change));
	}
}

/* Changed, deleted and created edges are thicker. Undirected edges have no arrow. */
static void draw_edges(const side_style *d, const gemp_graph_diff_side *side, gemp_text *text, gemp_text *out)
{
	for (size_t i = 0; i < side->edge_count; i++) {
		const drawn_edge *e = &side->edges[i];
		gemp_text_clear(text);
		gemp_text_add(text, e->type, e->type_size);
		gemp_text_add(text, e->text, e->size);
		gemp_text_print(out, "\t\t%s%zu -> %s%zu [label=", d->letter, vertex_index(side, &e->ends[0]), d->letter,
		                vertex_index(side, &e->ends[1]));
		gemp_escape_dot(out, text->data, text->size);
		gemp_text_print(out, ", color=\"%s\", fontcolor=\"%s\"%s%s];\n", stroke(d, e->change), stroke(d, e->change),
		                e->change == STAYS ? "" : ", penwidth=2", e->directed ? "" : ", dir=none");
	}
}

/* Draws one side as a cluster. */
static void draw_side(const side_style *d, const gemp_graph_diff_side *side, gemp_text *text, gemp_text *out)
{
	gemp_text_print(out, "\tsubgraph cluster_%s {\n\t\tlabel=\"%s\";\n", d->name, d->name);
	draw_vertices(d, side, text, out);
	draw_edges(d, side, text, out);
	gemp_text_print(out, "\t}\n");
}

/* On rank 0. Every rank could draw, since all have both sides. */
static gemp_code write_drawing(const gemp_graph_diff_side *before, const gemp_graph_diff_side *after, const char *path)
{
	static const side_style sides[] = {
		{ "before", "b", "#c0392b", "#f5b7b1" },
		{ "after", "a", "#1e8449", "#abebc6" },
	};
	GEMP_OWNED_BY(gemp_text_free) gemp_text out = { 0 }, text = { 0 };
	compare_side_vertices(before, after);
	/* The first pass pairs equal edges, which are unchanged. The second pass pairs the remaining edges that differ only
	 * in attributes, in their order; these count as changed. */
	pair_edges(before, after, compare_edges, STAYS);
	pair_edges(before, after, compare_places, CHANGES);
	gemp_text_print(&out, "digraph {\n\tnode [shape=box, style=\"rounded,filled\", fontname=\"sans-serif\"];\n"
	                      "\tedge [fontname=\"sans-serif\", fontsize=10];\n\tgraph [fontname=\"sans-serif\"];\n");
	draw_side(&sides[0], before, &text, &out);
	draw_side(&sides[1], after, &text, &out);
	gemp_text_print(&out, "}\n");
	GEMP_TRY(gemp_text_status(&text));
	GEMP_TRY(gemp_text_status(&out));
	return gemp_file_replace(path, out.data, out.size);
}

gemp_code gemp_graph_diff_write(const gemp_comm *comm, const gemp_graph_diff_side *before,
                                const gemp_graph_diff_side *after, const char *path)
{
	return gemp_comm_agree(comm, comm->rank == 0 ? write_drawing(before, after, path) : GEMP_OK);
}
