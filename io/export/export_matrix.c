/* Matrix Market: the adjacency matrix, one entry an edge, of undirected graphs in the lower triangle. */

#include "core/log.h"
#include "io/export/export.h"
#include "io/text/escape.h"

#include <inttypes.h>
#include <string.h>

/* Of --weight; NULL: none. */
static const gemp_edge_column *weight(const gemp_export_context *e, size_t *column)
{
	for (size_t c = 0; e->options->weight && c < e->columns.count; c++)
		if (strcmp(e->columns.columns[c].name, e->options->weight) == 0) {
			*column = c;
			return &e->columns.columns[c];
		}
	return NULL;
}

static bool is_number(gemp_type type)
{
	return type == GEMP_INTEGER || type == GEMP_FLOAT;
}

/* One matrix has no types of edges, and readers add up entries at one place. */
static gemp_code check(const gemp_export_context *e)
{
	size_t relations = 0, at;
	bool parallel = false;
	uint64_t undirected = 0;
	for (size_t r = 0; r < e->graph->relation_count; r++)
		if (gemp_export_includes(e, r)) {
			relations++;
			parallel |= e->graph->relations[r].multigraph;
			undirected += !e->graph->relations[r].directed;
		}
	const gemp_edge_column *column = weight(e, &at);
	if (e->options->weight && !column)
		return gemp_fail(GEMP_EUSAGE, "--weight %s: the edges have no such column", e->options->weight);
	if (column && !is_number(column->type))
		return gemp_fail(GEMP_EUSAGE, "--weight %s: the column holds %ss, and entries are numbers", e->options->weight,
		                 gemp_type_name[column->type]);
	if (e->directed && undirected)
		return gemp_fail(GEMP_EDATA, "%s: some edges are directed and some are not; choose a type with --type",
		                 e->options->path);
	if (relations > 1)
		gemp_warn("%s has edges of %zu types in one matrix, which cannot tell them apart; --type chooses one",
		          e->options->path, relations);
	if (parallel)
		gemp_warn("%s has several entries at one place, as there are parallel edges; most readers add them up",
		          e->options->path);
	return GEMP_OK;
}

/* The file of keys, as import reads it. */
static gemp_code before_vertices(const gemp_export_context *e, gemp_text *out)
{
	gemp_text_print(out, "id%s\tnumber:int\n", e->graph->keys.type == GEMP_INTEGER ? ":int" : ":string");
	return GEMP_OK;
}

/* The file of keys tells which number is which vertex; it is not written where the keys are the numbers. */
static gemp_code vertex(const gemp_export_context *e, size_t row, gemp_text *out)
{
	gemp_code code = GEMP_OK;
	gemp_value key = gemp_column_get(&e->graph->keys, row);
	if (e->numbered)
		return GEMP_OK;
	if (key.type == GEMP_STRING)
		code = gemp_escape_tsv(out, key.string.bytes, key.string.size);
	else
		gemp_value_print(&key, out);
	gemp_text_print(out, "\t%" PRId64 "\n", e->number.integers[row]);
	return gemp_export_in_vertex(code, e, row, "id");
}

/* An undirected graph is a symmetric matrix, of which only one triangle is stored. */
static gemp_code before_edges(const gemp_export_context *e, gemp_text *out)
{
	size_t at;
	const gemp_edge_column *column = weight(e, &at);
	gemp_text_print(out, "%%%%MatrixMarket matrix coordinate %s %s\n",
	                !column                        ? "pattern"
	                : column->type == GEMP_INTEGER ? "integer"
	                                               : "real",
	                e->directed ? "general" : "symmetric");
	gemp_text_print(out, "%% row: source, column: target; vertices in the order of their keys\n");
	gemp_text_print(out, "%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", e->graph->vertex_count, e->graph->vertex_count,
	                e->edges);
	return GEMP_OK;
}

/* In a symmetric matrix the larger number is the row. */
static gemp_code edge(const gemp_export_context *e, const gemp_export_edge *line, gemp_text *out)
{
	size_t at;
	int64_t row = line->source.integer, column = line->target.integer;
	bool swapped = !e->directed && row < column;
	gemp_text_print(out, "%" PRId64 " %" PRId64, swapped ? column : row, swapped ? row : column);
	if (weight(e, &at)) {
		gemp_value value = gemp_export_edge_value(e, line, at);
		if (value.null)
			return gemp_export_in_edge(gemp_fail(GEMP_EDATA, "there is no value, and every entry needs one"), e, line,
			                           e->options->weight);
		gemp_text_print(out, " ");
		gemp_value_print(&value, out);
	}
	gemp_text_print(out, "\n");
	return GEMP_OK;
}

const gemp_export_writer gemp_export_mtx = {
	.name = "mtx",
	.ending = ".mtx",
	.two_files = true,
	.props = true,
	.check = check,
	.before_vertices = before_vertices,
	.vertex = vertex,
	.before_edges = before_edges,
	.edge = edge,
};
