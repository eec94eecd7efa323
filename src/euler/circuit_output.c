#include "euler/circuit_output.h"

#include "core/status.h"
#include "io/file/output.h"
#include "io/picture/graph_drawing.h"
#include "io/rows/row_writer.h"
#include "io/rows/vertex_keys.h"

#include <inttypes.h>
#include <string.h>

/* gemp_row_turns_write writes rows in rounds and calls fill_rows for a few places of each rank. The order has only the
 * numbers of slots. Relations and numbers of edges are requested from the owners of the slots, and keys from the owners
 * of the vertices. */

enum { PLACE, SOURCE, TYPE, EDGE, TARGET, COLUMNS };

typedef struct row_source {
	const gemp_comm *comm;
	const gemp_shard *graph;
	const gemp_euler_edges *edges;
	const gemp_euler_order *order;
	gemp_vertex end_vertex; /* the vertex where this rank's last edge ends */
	bool oriented;          /* edges have moved to other rows (balance.h) */
} row_source;

/* COLUMNS */

/* Request handler: returns the relation and the number of the edge in a slot. */
static uint64_t name_edge(void *self, gemp_edge slot)
{
	const gemp_euler_edges *edges = ((const row_source *)self)->edges;
	return gemp_euler_edge_name(gemp_euler_edge_of(edges, gemp_euler_source(edges, slot), slot));
}

/* Collective. Sets the names of the edges in these slots. If no relations were merged, no closing edge was added and no
 * edge has moved, slots are the numbers of edges, and no request is needed. */
static gemp_code name_edges(row_source *r, const gemp_edge *slots, size_t count, uint64_t *edge_names)
{
	if (r->edges->relation_count > 1 || r->edges->path_start != GEMP_NO_VERTEX || r->oriented)
		return gemp_euler_query_slots(r->comm, r->edges, slots, count, name_edge, r, edge_names);
	for (size_t i = 0; i < count; i++)
		edge_names[i] = slots[i];
	return GEMP_OK;
}

/* Sets place, type and number of each edge. */
static gemp_code add_names(gemp_projected *columns, const row_source *r, const uint64_t *edge_names, gemp_edge first,
                           size_t count)
{
	for (size_t i = 0; i < count; i++) {
		gemp_euler_edge edge = gemp_euler_edge_named(edge_names[i]);
		const char *type = r->edges->relations[edge.relation]->name;
		const gemp_value value = { .type = GEMP_STRING, .string = { type, strlen(type) } };
		GEMP_TRY(gemp_row_fill_integer(&columns[PLACE], first + i));
		GEMP_TRY(gemp_column_add(&columns[TYPE].value, &value));
		GEMP_TRY(gemp_row_fill_integer(&columns[EDGE], edge.number));
	}
	return GEMP_OK;
}

/* Collective. The target of an edge is the source of the next edge, so one fetch of count + 1 keys gives both
 * columns. */
static gemp_code fill_ends(gemp_projected *columns, const row_source *r, size_t first, size_t count)
{
	gemp_code code = GEMP_OK;
	gemp_projected keys = { 0 };
	GEMP_OWNED gemp_vertex *ids = NULL;
	size_t end = first + count;
	GEMP_TRY_DONE(gemp_comm_agree(r->comm, GEMP_NEW(ids, count + 1)));
	for (size_t i = 0; i < count; i++)
		ids[i] = r->order->source[first + i];
	ids[count] = end < r->order->count ? r->order->source[end] : r->end_vertex;
	GEMP_TRY_DONE(gemp_row_fill_keys(&keys, r->comm, r->graph, ids, count ? count + 1 : 0));
	if (count) {
		code = gemp_row_fill_slice(&columns[SOURCE], &keys.value, 0, count);
		GEMP_THEN(gemp_row_fill_slice(&columns[TARGET], &keys.value, 1, count));
	}
done:
	gemp_projected_free(&keys, 1);
	return code;
}

/* Collective. Fills the columns for places first .. first + count - 1 of this rank. */
static gemp_code fill_rows(void *self, gemp_projected *columns, size_t first, size_t count)
{
	row_source *r = self;
	GEMP_OWNED uint64_t *edge_names = NULL;
	GEMP_TRY(gemp_comm_agree(r->comm, GEMP_NEW(edge_names, count)));
	GEMP_TRY(name_edges(r, r->order->edge + first, count, edge_names));
	GEMP_TRY(gemp_comm_agree(r->comm, fill_ends(columns, r, first, count)));
	return add_names(columns, r, edge_names, r->order->first + first, count);
}

/* Collective. Finds the vertex where this rank's last edge ends. It is the first source of the next rank that has
 * places. If no later rank has places, it is the end of a path, or the first source of the whole order of a circuit. */
static gemp_code find_end_vertex(row_source *r)
{
	int rank = r->comm->rank, ranks = r->comm->size;
	const gemp_vertex first = r->order->count ? r->order->source[0] : GEMP_NO_VERTEX;
	GEMP_OWNED gemp_vertex *firsts = NULL;
	GEMP_TRY(gemp_comm_agree(r->comm, GEMP_NEW(firsts, (size_t)ranks)));
	GEMP_MPI(MPI_Allgather(&first, 1, GEMP_MPI_VERTEX, firsts, 1, GEMP_MPI_VERTEX, r->comm->world));
	r->end_vertex = r->edges->path_end;
	for (int i = ranks - 1; i >= 0 && r->edges->path_end == GEMP_NO_VERTEX; i--)
		if (firsts[i] != GEMP_NO_VERTEX)
			r->end_vertex = firsts[i];
	for (int i = ranks - 1; i > rank; i--)
		if (firsts[i] != GEMP_NO_VERTEX)
			r->end_vertex = firsts[i];
	return GEMP_OK;
}

/* A rank knows the sources of all its places. Only the target of its last edge may come from another rank, and
 * find_end_vertex fetches it once for all rounds. */
gemp_code gemp_euler_rows_write(const gemp_comm *comm, const gemp_shard *graph, const gemp_euler_edges *edges,
                                const gemp_euler_order *order, const gemp_euler_rows_options *options)
{
	row_source r = {
		.comm = comm, .graph = graph, .edges = edges, .order = order, .oriented = edges->own_edge != NULL
	};
	const gemp_row_column columns[COLUMNS] = { [PLACE] = { "place", GEMP_INTEGER },
		                                       [SOURCE] = { "source", graph->keys.type },
		                                       [TYPE] = { "type", GEMP_STRING },
		                                       [EDGE] = { "edge", GEMP_INTEGER },
		                                       [TARGET] = { "target", graph->keys.type } };
	gemp_row_turns turns = { .comm = comm,
		                     .columns = columns,
		                     .count = COLUMNS,
		                     .fill = fill_rows,
		                     .self = &r,
		                     .path = options->path,
		                     .table = options->table,
		                     .preview = options->preview,
		                     .shown = options->shown,
		                     .info = gemp_row_info("euler", graph) };
	turns.info.pattern = edges->path_start == GEMP_NO_VERTEX ? "Euler circuit" : "Euler path";
	GEMP_TRY(find_end_vertex(&r));
	return gemp_row_turns_write(&turns, order->count);
}

/* THE DRAWING */

typedef struct drawn_edge {
	gemp_vertex source, target;
	uint32_t circuit; /* number from the engine; number_circuits renumbers circuits from 0 */
	uint32_t joined;
	uint64_t place; /* place in the order, from 1; 0: the edge that closes a path */
} drawn_edge;

/* The graph that is drawn. Edges are gathered on every rank, but only rank 0 has the keys and draws. */
typedef struct drawing {
	const gemp_shard *graph;
	size_t edges, vertices, circuits;
	drawn_edge *edge; /* [edges] by slot */
	size_t *out, *in; /* [vertices] degrees */
	bool *is_joined;  /* [vertices] circuits are joined at this vertex */
	gemp_column keys; /* [vertices] */
} drawing;

/* Collective. Gathers all edges on every rank, although only rank 0 draws, since the graph has at most
 * GEMP_DRAWING_MAX edges. */
static gemp_code gather_edges(drawing *p, const gemp_comm *comm, const gemp_euler_edges *edges,
                              const gemp_euler_result *result)
{
	GEMP_OWNED drawn_edge *own = NULL;
	GEMP_OWNED gemp_edge *order = NULL;
	size_t count = edges->begin[edges->rows];
	GEMP_TRY(gemp_comm_agree(
		comm, gemp_new_all(GEMP_ARRAY(own, count), GEMP_ARRAY(order, p->edges), GEMP_ARRAY(p->edge, p->edges))));
	for (size_t row = 0; row < edges->rows; row++)
		for (uint64_t slot = edges->begin[row]; slot < edges->begin[row + 1]; slot++)
			own[slot] = (drawn_edge){ .source = (gemp_vertex)(edges->bounds[edges->rank] + row),
				                      .target = edges->target[slot],
				                      .circuit = result->circuit[slot],
				                      .joined = result->joined[slot] };
	GEMP_TRY(gemp_drawing_gather(comm, own, count, sizeof *own, p->edge));
	GEMP_TRY(gemp_drawing_gather(comm, result->order.edge, result->order.count, sizeof *order, order));
	for (size_t place = 0; place < result->order.edges; place++)
		p->edge[order[place]].place = place + 1;
	return GEMP_OK;
}

/* Numbers circuits 0, 1, ... in the order of their first slots, and counts degrees. */
static gemp_code number_circuits(drawing *p)
{
	GEMP_OWNED uint32_t *name = NULL;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(name, p->edges), GEMP_ARRAY(p->in, p->vertices), GEMP_ARRAY(p->out, p->vertices),
	                      GEMP_ARRAY(p->is_joined, p->vertices)));
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

/* Each hue differs from the previous hue by the golden ratio, so it never comes close to one of the last few hues. */
static void print_colour(gemp_text *out, size_t circuit, double saturation)
{
	double hue = 0.6180339887 * (double)circuit;
	gemp_text_print(out, "\"%.3f %.2f 0.75\"", hue - (double)(size_t)hue, saturation);
}

/* Tests whether circuits are joined at a vertex. */
static void find_joined(drawing *p)
{
	for (size_t e = 0; e < p->edges; e++)
		if (p->edge[e].joined)
			p->is_joined[p->edge[e].source] = true;
}

/* Draws vertices in the colours of their degrees. A red border marks unequal in- and out-degree, as at the ends of a
 * path. A double border marks vertices at which circuits will be joined. */
static void draw_vertices(drawing *p, gemp_text *out, char side)
{
	size_t max_degree = 1;
	for (size_t v = 0; v < p->vertices; v++)
		max_degree = gemp_max(max_degree, gemp_max(p->in[v], p->out[v]));
	for (size_t v = 0; v < p->vertices; v++) {
		if (!p->in[v] && !p->out[v])
			continue;
		gemp_text_print(out, "\t\t%c%zu [label=", side, v);
		gemp_drawing_key(out, &p->keys, v);
		gemp_text_print(out, ", ");
		gemp_drawing_degrees(out, p->in[v], p->out[v], max_degree);
		gemp_text_print(out, "%s%s];\n", p->in[v] == p->out[v] ? "" : ", color=red, penwidth=2",
		                side == 'b' && p->is_joined[v] ? ", peripheries=2" : "");
	}
}

/* Draws edges in the colour of their circuit. The edge that closes a path is dotted. */
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

/* Draws the circuit graph. Two neighbouring slots of a row that lie on different circuits are an edge of this graph.
 * The edges of the spanning tree are red and bold. */
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
		gemp_drawing_key(out, &p->keys, a->source);
		gemp_text_print(out, ", %s];\n", b->joined ? "color=red, penwidth=2.5" : "style=dashed, color=gray");
	}
}

/* Draws three clusters: the edges before joining, the circuit graph, and the edges after joining. */
static gemp_code draw(drawing *p, const char *path)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text out = { 0 };
	gemp_text_print(&out, "digraph {\n\tnode [style=filled, fontname=\"sans-serif\"];\n"
	                      "\tedge [fontname=\"sans-serif\", fontsize=10];\n\tgraph [fontname=\"sans-serif\"];\n");
	begin_cluster(&out, 'b', "circuits before joining");
	draw_vertices(p, &out, 'b');
	draw_edges(p, &out, 'b', false);
	gemp_text_print(&out, "\t}\n");
	begin_cluster(&out, 'c', "circuit graph, its spanning tree in red");
	draw_circuits(p, &out);
	gemp_text_print(&out, "\t}\n");
	begin_cluster(&out, 'a', "after joining, in order");
	draw_vertices(p, &out, 'a');
	draw_edges(p, &out, 'a', true);
	gemp_text_print(&out, "\t}\n}\n");
	gemp_code code = gemp_text_status(&out);
	GEMP_THEN(gemp_file_replace(path, out.data, out.size));
	return code;
}

/* Only rank 0 draws. The agreement at the end passes its failure to the other ranks, which would otherwise return
 * success. */
gemp_code gemp_euler_drawing_write(const gemp_comm *comm, const gemp_shard *graph, const gemp_euler_edges *edges,
                                   const gemp_euler_result *result, const char *path)
{
	gemp_code code = GEMP_OK;
	drawing p = { .graph = graph, .edges = edges->edges, .vertices = graph->vertex_count };
	GEMP_TRY_DONE(gather_edges(&p, comm, edges, result));
	GEMP_TRY_DONE(gemp_drawing_keys(comm, graph, &p.keys));
	if (comm->rank == 0) {
		code = number_circuits(&p);
		if (code == GEMP_OK)
			find_joined(&p);
		GEMP_THEN(draw(&p, path));
	}
	code = gemp_comm_agree(comm, code);
done:
	gemp_free_all(p.edge, p.in, p.out, p.is_joined);
	gemp_column_free(&p.keys);
	return code;
}
