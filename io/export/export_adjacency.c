/* ADJACENCY TEXT, the inverse of io/import/import_adjacency.c: a line `a -> b, c` has the targets of all edges of a
 * type that begin at a, and a line `a` a vertex without such edges. The lines of vertices without edges come first, so
 * edges can be written in rounds, and a rank never has the keys of all targets in memory. */

#include "core/log.h"
#include "core/status.h"
#include "core/text.h"
#include "io/export/export.h"
#include "io/text/cells.h"

#include <string.h>

/* The text has neither directions nor types. Import gives all edges one direction and one type. */
static gemp_code adjacency_check(const gemp_export_context *e)
{
	size_t relations = 0;
	bool undirected = false;
	for (size_t r = 0; r < e->graph->relation_count; r++)
		if (gemp_export_includes(e, r)) {
			relations++;
			undirected |= !e->graph->relations[r].directed;
		}
	if (e->directed && undirected)
		return gemp_fail(GEMP_EDATA, "%s: some edges are directed and some are not; name one type", e->options->path);
	if (relations > 1)
		gemp_warn("%s has edges of %zu types in one list, which cannot tell them apart; name one type to choose it",
		          e->options->path, relations);
	return GEMP_OK;
}

/* Collective. Import reads integers where the text of a key is one. All ranks know whether strings would change. */
static gemp_code adjacency_prepare(gemp_export_context *e)
{
	if (!e->string_keys)
		return GEMP_OK;
	return gemp_fail(GEMP_EDATA,
	                 "%s: some keys are strings that look like integers, which adjacency text cannot say; write .tsv",
	                 e->options->path);
}

/* Import removes blanks around a name and a byte order mark at the beginning of the file, takes a comma for the end of
 * a name and a line that begins with # for a comment. */
static gemp_code add_name(const gemp_value *key, gemp_text *out)
{
	if (key->type == GEMP_STRING) {
		const char *bytes = key->string.bytes;
		const size_t size = key->string.size;
		const bool marked = size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0;
		if (size == 0 || marked || gemp_trimmed(bytes, bytes + size).size != size || *bytes == '#' ||
		    memchr(bytes, ',', size) || memchr(bytes, '\n', size) || memchr(bytes, '\r', size) ||
		    memchr(bytes, '\0', size) || memmem(bytes, size, "->", 2))
			return gemp_fail(GEMP_EDATA, "the key has a comma, '->', a line end or blanks at its ends, or begins "
			                             "with # or a byte order mark, which adjacency text cannot say; write .tsv");
	}
	gemp_value_print(key, out);
	return GEMP_OK;
}

static bool has_edges(const gemp_export_context *e, size_t row)
{
	for (size_t r = 0; r < e->graph->relation_count; r++) {
		const uint64_t *offsets = e->graph->relations[r].out_offsets;
		if (gemp_export_includes(e, r) && offsets[row] < offsets[row + 1])
			return true;
	}
	return false;
}

/* A vertex with edges has its lines among the edges. */
static gemp_code adjacency_vertex(const gemp_export_context *e, size_t row, gemp_text *out)
{
	const gemp_value key = gemp_column_get(&e->graph->keys, row);
	if (has_edges(e, row))
		return GEMP_OK;
	GEMP_TRY(add_name(&key, out));
	gemp_text_add(out, "\n", 1);
	return GEMP_OK;
}

/* The edges of a vertex and type follow one another. The first of them begins the line, and the last ends it. */
static gemp_code adjacency_edge(const gemp_export_context *e, const gemp_export_edge *edge, gemp_text *out)
{
	const uint64_t *offsets = e->graph->relations[edge->relation].out_offsets;
	const bool first = edge->row == offsets[edge->source_row], last = edge->row + 1 == offsets[edge->source_row + 1];
	if (first)
		GEMP_TRY(add_name(&edge->source, out));
	gemp_text_print(out, first ? " -> " : ", ");
	GEMP_TRY(add_name(&edge->target, out));
	gemp_text_add(out, "\n", last);
	return GEMP_OK;
}

const gemp_export_writer gemp_export_adjacency = {
	.name = "adjacency",
	.ending = ".adj",
	.check = adjacency_check,
	.prepare = adjacency_prepare,
	.vertex = adjacency_vertex,
	.edge = adjacency_edge,
};
