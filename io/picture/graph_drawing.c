#include "io/picture/graph_drawing.h"

#include "core/memory.h"
#include "core/status.h"
#include "io/file/output.h"
#include "io/rows/vertex_keys.h"
#include "io/text/cells.h"

#include <inttypes.h>
#include <string.h>

gemp_code gemp_drawing_check(const char *path, uint64_t vertices, uint64_t edges)
{
	if (edges <= GEMP_DRAWING_MAX && vertices <= GEMP_DRAWING_MAX)
		return GEMP_OK;
	return gemp_fail(GEMP_EDATA,
	                 "dot %s: %" PRIu64 " vertices and %" PRIu64 " edges are too many to draw (at most "
	                 "%d of each); leave out the drawing",
	                 path, vertices, edges, GEMP_DRAWING_MAX);
}

gemp_code gemp_drawing_gather(const gemp_comm *comm, const void *own, size_t count, size_t size, void *out)
{
	GEMP_OWNED void *all = NULL;
	GEMP_OWNED size_t *begin = NULL;
	GEMP_TRY(gemp_comm_allgather(comm, GEMP_OK, own, count * size, &all, &begin));
	if (begin[comm->size])
		memcpy(out, all, begin[comm->size]);
	return GEMP_OK;
}

/* Only rank 0 requests keys, the other ranks answer. */
gemp_code gemp_drawing_keys(const gemp_comm *comm, const gemp_shard *graph, gemp_column *keys)
{
	GEMP_OWNED gemp_vertex *ids = NULL;
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(ids, graph->vertex_count)));
	for (size_t v = 0; v < graph->vertex_count; v++)
		ids[v] = (gemp_vertex)v;
	return gemp_vertex_keys_fetch(keys, comm, graph, ids, comm->rank == 0 ? graph->vertex_count : 0);
}

/* A failed request for the scratch text makes `out` fail, too, since the label would be missing. */
void gemp_drawing_key(gemp_text *out, const gemp_column *keys, size_t vertex)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text name = { 0 };
	const gemp_value key = gemp_column_get(keys, vertex);
	gemp_value_print(&key, &name);
	if (gemp_text_status(&name) != GEMP_OK)
		out->failed = true;
	else
		gemp_escape_dot(out, name.data, name.size);
}

/* Two colours with a sharp border between them, as a gradient of Graphviz: at 0 edges both are nearly white. */
void gemp_drawing_degrees(gemp_text *out, size_t in, size_t out_degree, size_t max_degree)
{
	const double most = max_degree ? (double)max_degree : 1;
	const double blue = 0.05 + 0.6 * (double)in / most, orange = 0.05 + 0.6 * (double)out_degree / most;
	gemp_text_print(out, "tooltip=\"in %zu, out %zu\", fillcolor=\"#%02x%02xff;0.5:#ff%02x%02x\"", in, out_degree,
	                (unsigned)(255 * (1 - blue)), (unsigned)(255 * (1 - 0.5 * blue)),
	                (unsigned)(255 * (1 - 0.5 * orange)), (unsigned)(255 * (1 - orange)));
}

/* Edges lie on every rank, although only rank 0 draws, since a drawing has few. */
typedef struct forest_drawing {
	const gemp_shard *graph;
	gemp_forest_edge *edges; /* [count] */
	size_t count;
	size_t *in, *out; /* [vertices] degrees */
	gemp_column keys; /* [vertices] */
} forest_drawing;

/* An undirected edge counts in both degrees of both ends. */
static gemp_code count_degrees(forest_drawing *d)
{
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(d->in, d->graph->vertex_count), GEMP_ARRAY(d->out, d->graph->vertex_count)));
	for (size_t e = 0; e < d->count; e++) {
		const gemp_forest_edge *edge = &d->edges[e];
		d->out[edge->source]++;
		d->in[edge->target]++;
		if (!edge->directed && edge->source != edge->target) {
			d->in[edge->source]++;
			d->out[edge->target]++;
		}
	}
	return GEMP_OK;
}

static gemp_code draw_forest(const forest_drawing *d, const char *path)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text out = { 0 };
	size_t max_degree = 0;
	for (size_t v = 0; v < d->graph->vertex_count; v++)
		max_degree = gemp_max(max_degree, gemp_max(d->in[v], d->out[v]));
	gemp_text_print(&out, "digraph {\n\tgraph [overlap=false, splines=true];\n"
	                      "\tnode [style=filled, fontname=\"sans-serif\"];\n");
	for (size_t v = 0; v < d->graph->vertex_count; v++) {
		gemp_text_print(&out, "\tv%zu [label=", v);
		gemp_drawing_key(&out, &d->keys, v);
		gemp_text_print(&out, ", ");
		gemp_drawing_degrees(&out, d->in[v], d->out[v], max_degree);
		gemp_text_print(&out, "];\n");
	}
	for (size_t e = 0; e < d->count; e++) {
		const gemp_forest_edge *edge = &d->edges[e];
		gemp_text_print(&out, "\tv%u -> v%u [%s%s];\n", edge->source, edge->target,
		                edge->in_forest ? "color=red, penwidth=2.5" : "color=\"#999999\"",
		                edge->directed ? "" : ", dir=none");
	}
	gemp_text_print(&out, "}\n");
	gemp_code code = gemp_text_status(&out);
	GEMP_THEN(gemp_file_replace(path, out.data, out.size));
	return code;
}

/* Only rank 0 draws. The agreement at the end passes its failure to the other ranks. */
gemp_code gemp_forest_drawing_write(const gemp_comm *comm, const gemp_shard *graph, const gemp_forest_edge *own,
                                    size_t count, const char *path)
{
	gemp_code code = GEMP_OK;
	forest_drawing d = { .graph = graph, .count = gemp_comm_sum1(comm, count) };
	GEMP_TRY_DONE(gemp_comm_agree(comm, GEMP_NEW(d.edges, d.count)));
	GEMP_TRY_DONE(gemp_drawing_gather(comm, own, count, sizeof *own, d.edges));
	GEMP_TRY_DONE(gemp_drawing_keys(comm, graph, &d.keys));
	if (comm->rank == 0) {
		code = count_degrees(&d);
		GEMP_THEN(draw_forest(&d, path));
	}
	code = gemp_comm_agree(comm, code);
done:
	gemp_free_all(d.edges, d.in, d.out);
	gemp_column_free(&d.keys);
	return code;
}
