/* DOT: vertices by key and labels, edges by type, for Graphviz to draw. */

#include "io/export/export.h"
#include "io/text/escape.h"

#include <inttypes.h>
#include <string.h>

/* Graphviz takes minutes for some thousand vertices; beyond the limit it does not come to an end. */
static gemp_code check(const gemp_export_context *e)
{
	uint64_t drawn = e->graph->vertex_count + e->edges;
	if (drawn <= GEMP_EXPORT_DOT_MAX)
		return GEMP_OK;
	return gemp_fail(GEMP_EDATA,
	                 "%s: %" PRIu64 " vertices and edges are too many to draw (at most %d); draw what a query "
	                 "finds, by match --subgraph, or write .graphml",
	                 e->options->path, drawn, GEMP_EXPORT_DOT_MAX);
}

/* A graph with some directed edges is a digraph, whose other edges are drawn without arrow heads. */
static gemp_code before_vertices(const gemp_export_context *e, gemp_text *out)
{
	gemp_text_print(out,
	                "%s {\n\tnode [shape=box, style=rounded, fontname=\"sans-serif\"];\n"
	                "\tedge [fontname=\"sans-serif\", fontsize=10];\n",
	                e->directed ? "digraph" : "graph");
	return GEMP_OK;
}

/* The name of a node is its key as text, with quotes. */
static gemp_code add_key(gemp_text *out, const gemp_value *key)
{
	gemp_text name = { 0 };
	gemp_value_print(key, &name);
	gemp_code code = gemp_text_status(&name);
	gemp_escape_dot(out, name.data, name.size);
	gemp_text_free(&name);
	return code;
}

/* The label shows the key, and below it the labels. */
static gemp_code vertex(const gemp_export_context *e, size_t row, gemp_text *out)
{
	gemp_value key = gemp_column_get(&e->graph->keys, row);
	const gemp_label_set *set = &e->graph->label_sets[e->graph->label_set_of[row]];
	gemp_text label = { 0 };
	gemp_value_print(&key, &label);
	for (size_t l = 0; l < set->count; l++)
		gemp_text_print(&label, "%s:%s", l ? "" : "\n", e->graph->labels[set->labels[l]]);
	gemp_text_print(out, "\t");
	gemp_code code = add_key(out, &key);
	gemp_text_print(out, " [label=");
	gemp_escape_dot(out, label.data, label.size);
	gemp_text_print(out, "];\n");
	GEMP_THEN(gemp_text_status(&label));
	gemp_text_free(&label);
	return code;
}

/* Undirected edges in a digraph say dir=none. */
static gemp_code edge(const gemp_export_context *e, const gemp_export_edge *line, gemp_text *out)
{
	const gemp_relation *relation = &e->graph->relations[line->relation];
	gemp_text_print(out, "\t");
	gemp_code code = add_key(out, &line->source);
	gemp_text_print(out, e->directed ? " -> " : " -- ");
	GEMP_THEN(add_key(out, &line->target));
	gemp_text_print(out, " [label=");
	gemp_escape_dot(out, relation->name, strlen(relation->name));
	gemp_text_print(out, "%s];\n", e->directed && !relation->directed ? ", dir=none" : "");
	return code;
}

static gemp_code after_edges(const gemp_export_context *e, gemp_text *out)
{
	(void)e;
	gemp_text_print(out, "}\n");
	return GEMP_OK;
}

const gemp_export_writer gemp_export_dot = {
	.name = "dot",
	.ending = ".dot",
	.labels = true,
	.check = check,
	.before_vertices = before_vertices,
	.vertex = vertex,
	.edge = edge,
	.after_edges = after_edges,
};
