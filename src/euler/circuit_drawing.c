#include "euler/circuit_drawing.h"

#include "core/memory.h"
#include "io/file/output.h"
#include "io/rows/vertex_keys.h"
#include "io/text/cells.h"

#include <inttypes.h>
#include <string.h>

/* Edges of all ranks, on every rank. */
typedef struct drawn_edge {
	gemp_vertex source, target;
	uint32_t circuit; /* as the engine names it, then from 0 */
	uint32_t joined;
	uint64_t place; /* from 1; 0: the edge that closes a path */
} drawn_edge;

/* Everything that is drawn, on every rank. */
typedef struct drawing {
	const gemp_shard *graph;
	size_t edges, vertices, circuits;
	drawn_edge *edge; /* [edges] by slot */
	size_t *out, *in; /* [vertices] degrees */
	gemp_column keys; /* [vertices] */
	gemp_text text;
} drawing;

/* GATHERING */

/* Collective. Arrays of all ranks behind one another; the caller knows the total size. */
static gemp_code gather(const gemp_comm *comm, const void *own, size_t count, size_t size, void *out)
{
	GEMP_OWNED void *all = NULL;
	GEMP_OWNED size_t *begin = NULL;
	GEMP_PROPAGATE(gemp_comm_allgather(comm, GEMP_OK, own, count * size, &all, &begin));
	if (begin[comm->size])
		memcpy(out, all, begin[comm->size]);
	return GEMP_OK;
}

/* Collective. Every rank has all edges, although only rank 0 draws: the graph has at most GEMP_EULER_DRAWING_MAX. */
static gemp_code gather_edges(drawing *p, const gemp_comm *comm, const gemp_euler_edges *edges,
                              const gemp_euler_result *result)
{
	GEMP_OWNED drawn_edge *own = NULL;
	GEMP_OWNED gemp_edge *order = NULL;
	size_t count = edges->begin[edges->rows];
	GEMP_PROPAGATE(gemp_comm_agree(
		comm, gemp_new_all(GEMP_ARRAY(own, count), GEMP_ARRAY(order, p->edges), GEMP_ARRAY(p->edge, p->edges))));
	for (size_t row = 0; row < edges->rows; row++)
		for (uint64_t slot = edges->begin[row]; slot < edges->begin[row + 1]; slot++)
			own[slot] = (drawn_edge){ .source = (gemp_vertex)(edges->bounds[edges->rank] + row),
				                      .target = edges->target[slot],
				                      .circuit = result->circuit[slot],
				                      .joined = result->joined[slot] };
	GEMP_PROPAGATE(gather(comm, own, count, sizeof *own, p->edge));
	GEMP_PROPAGATE(gather(comm, result->order.edge, result->order.count, sizeof *order, order));
	for (size_t place = 0; place < result->order.edges; place++)
		p->edge[order[place]].place = place + 1;
	return GEMP_OK;
}

/* Collective. Only rank 0 draws, so only it asks for keys. */
static gemp_code gather_keys(drawing *p, const gemp_comm *comm)
{
	GEMP_OWNED gemp_vertex *ids = NULL;
	GEMP_PROPAGATE(gemp_comm_agree(comm, GEMP_NEW(ids, p->vertices)));
	for (size_t v = 0; v < p->vertices; v++)
		ids[v] = (gemp_vertex)v;
	return gemp_vertex_keys_fetch(&p->keys, comm, p->graph, ids, comm->rank == 0 ? p->vertices : 0);
}

/* Circuits are numbered 0, 1, ... in the order of their first slots, and degrees are counted. */
static gemp_code number_circuits(drawing *p)
{
	GEMP_OWNED uint32_t *name = NULL;
	GEMP_PROPAGATE(
		gemp_new_all(GEMP_ARRAY(name, p->edges), GEMP_ARRAY(p->in, p->vertices), GEMP_ARRAY(p->out, p->vertices)));
	for (size_t e = 0; e < p->edges; e++) {
		size_t c = 0;
		while (c < p->circuits && name[c] != p->edge[e].circuit)
			c++;
		if (c == p->circuits)
			name[p->circuits++] = p->edge[e].circuit;
		p->edge[e].circuit = (uint32_t)c;
		if (p->edge[e].place) {
			p->out[p->edge[e].source]++;
			p->in[p->edge[e].target]++;
		}
	}
	return GEMP_OK;
}

/* DRAWING */

/* Hues that are a golden section apart are easy to distinguish. */
static void print_colour(gemp_text *out, size_t circuit, double saturation)
{
	double hue = 0.6180339887 * (double)circuit;
	gemp_text_print(out, "\"%.3f %.2f 0.75\"", hue - (double)(size_t)hue, saturation);
}

static void print_key(drawing *p, gemp_text *out, size_t vertex)
{
	gemp_value key = gemp_column_get(&p->keys, vertex);
	gemp_text_clear(&p->text);
	gemp_value_print(&key, &p->text);
	gemp_escape_dot(out, p->text.data, p->text.size);
}

/* The deeper the blue, the more edges; red marks unequal in- and out-degree, the ends of a path. */
static void draw_vertices(drawing *p, gemp_text *out, char side)
{
	size_t max_count = 1;
	for (size_t v = 0; v < p->vertices; v++)
		max_count = p->out[v] > max_count ? p->out[v] : max_count;
	for (size_t v = 0; v < p->vertices; v++) {
		if (!p->in[v] && !p->out[v])
			continue;
		gemp_text_print(out, "\t\t%c%zu [label=", side, v);
		print_key(p, out, v);
		gemp_text_print(out, ", tooltip=\"in %zu, out %zu\", fillcolor=\"%s %.2f 1\"];\n", p->in[v], p->out[v],
		                p->in[v] == p->out[v] ? "0.58" : "0.02", 0.05 + 0.5 * (double)p->out[v] / (double)max_count);
	}
}

/* Edges have the colour of their circuit; the edge that closes a path is dotted. */
static void draw_edges(drawing *p, gemp_text *out, char side, bool places)
{
	for (size_t e = 0; e < p->edges; e++) {
		const drawn_edge *edge = &p->edge[e];
		gemp_text_print(out, "\t\t%c%u -> %c%u [color=", side, edge->source, side, edge->target);
		print_colour(out, edge->circuit, 0.9);
		if (places && edge->place)
			gemp_text_print(out, ", label=\"%" PRIu64 "\"", edge->place);
		gemp_text_print(out, "%s];\n", edge->place ? "" : ", style=dotted");
	}
}

static void begin_cluster(gemp_text *out, char side, const char *label)
{
	gemp_text_print(out, "\tsubgraph cluster_%c {\n\t\tlabel=\"%s\";\n", side, label);
}

/* Neighbouring slots of a row are where circuits meet; bold lines belong to the spanning tree. */
static void draw_circuits(drawing *p, gemp_text *out)
{
	for (size_t c = 0; c < p->circuits; c++) {
		gemp_text_print(out, "\t\tc%zu [label=\"%zu\", fillcolor=", c, c + 1);
		print_colour(out, c, 0.4);
		gemp_text_print(out, "];\n");
	}
	for (size_t e = 1; e < p->edges; e++) {
		const drawn_edge *a = &p->edge[e - 1], *b = &p->edge[e];
		if (a->source != b->source || a->circuit == b->circuit)
			continue;
		gemp_text_print(out, "\t\tc%u -> c%u [dir=none, label=", a->circuit, b->circuit);
		print_key(p, out, a->source);
		gemp_text_print(out, ", %s];\n", b->joined ? "penwidth=2.5" : "style=dashed, color=gray");
	}
}

/* Three clusters: before joining, the circuit graph, and after joining. */
static gemp_code draw(drawing *p, const char *path)
{
	gemp_text out = { 0 };
	gemp_text_print(&out, "digraph {\n\tnode [style=filled, fontname=\"sans-serif\"];\n"
	                      "\tedge [fontname=\"sans-serif\", fontsize=10];\n\tgraph [fontname=\"sans-serif\"];\n");
	begin_cluster(&out, 'b', "circuits before joining");
	draw_vertices(p, &out, 'b');
	draw_edges(p, &out, 'b', false);
	gemp_text_print(&out, "\t}\n");
	begin_cluster(&out, 'c', "circuit graph, its spanning tree bold");
	draw_circuits(p, &out);
	gemp_text_print(&out, "\t}\n");
	begin_cluster(&out, 'a', "after joining, in order");
	draw_vertices(p, &out, 'a');
	draw_edges(p, &out, 'a', true);
	gemp_text_print(&out, "\t}\n}\n");
	gemp_code code = gemp_text_status(&p->text);
	GEMP_THEN(gemp_text_status(&out));
	GEMP_THEN(gemp_file_replace(path, out.data, out.size));
	gemp_text_free(&out);
	return code;
}

gemp_code gemp_euler_drawing_check(const gemp_shard *graph, const gemp_euler_edges *edges, const char *path)
{
	if (edges->edges <= GEMP_EULER_DRAWING_MAX && graph->vertex_count <= GEMP_EULER_DRAWING_MAX)
		return GEMP_OK;
	return gemp_fail(GEMP_EDATA,
	                 "--dot %s: %" PRIu64 " vertices and %" PRIu64 " edges are too many to draw (at most "
	                 "%d of each); leave out --dot",
	                 path, graph->vertex_count, edges->edges, GEMP_EULER_DRAWING_MAX);
}

gemp_code gemp_euler_drawing_write(const gemp_comm *comm, const gemp_shard *graph, const gemp_euler_edges *edges,
                                   const gemp_euler_result *result, const char *path)
{
	gemp_code code = GEMP_OK;
	drawing p = { .graph = graph, .edges = edges->edges, .vertices = graph->vertex_count };
	GEMP_TRY(gather_edges(&p, comm, edges, result));
	GEMP_TRY(gather_keys(&p, comm));
	if (comm->rank == 0) {
		code = number_circuits(&p);
		GEMP_THEN(draw(&p, path));
	}
	code = gemp_comm_agree(comm, code);
done:
	gemp_free_all(p.edge, p.in, p.out);
	gemp_column_free(&p.keys);
	gemp_text_free(&p.text);
	return code;
}
