/* Adjacency text: `a -> b, c` gives the edges a->b and a->c, a line `a` alone the vertex a, # begins a comment. */
#include "io/format.h"

#include "core/memory.h"
#include "io/lines.h"
#include "io/text_scalar.h"
#include "partition/builder_bytes.h"

#include <string.h>

typedef struct reader {
	gemp_builder *builder;
	uint32_t file;        /* of the lines being visited */
	gemp_dictionary lone; /* named in lines without an arrow */
} reader;

/* [*begin, *end) without blanks around it. */
static void trim(const char **begin, const char **end)
{
	while (*begin < *end && strchr(" \t\r", **begin))
		++*begin;
	while (*begin < *end && strchr(" \t\r", (*end)[-1]))
		--*end;
}

static gemp_code read_name(gemp_value *out, const char *begin, const char *end, const char *what)
{
	trim(&begin, &end);
	if (begin == end)
		return gemp_fail(GEMP_EDATA, "%s is missing; lines are like 'a -> b, c', or 'a' alone", what);
	if (memmem(begin, (size_t)(end - begin), "->", 2))
		return gemp_fail(GEMP_EDATA, "a second '->'; begin a new line for each vertex whose neighbours are "
		                 "listed");
	*out = gemp_scalar_key(begin, (size_t)(end - begin));
	return GEMP_OK;
}

static gemp_code add_neighbours(reader *reader, const gemp_value *source, const char *at, const char *end,
                                gemp_place place)
{
	gemp_code code = GEMP_OK;
	gemp_value target;
	const char *comma;
	do {
		comma = memchr(at, ',', (size_t)(end - at));
		GEMP_TRY(read_name(&target, at, comma ? comma : end, "a neighbour"));
		GEMP_TRY(gemp_builder_edge(reader->builder, source, &target, "", 0, place));
		at = comma ? comma + 1 : end;
	} while (comma);
done:
	return code;
}

static gemp_code visit(void *self, const gemp_line *line)
{
	reader *reader = self;
	gemp_code code = GEMP_OK;
	gemp_value source;
	const char *begin = line->text, *end = begin + line->size;
	uint32_t index;
	trim(&begin, &end);
	if (begin == end || *begin == '#')
		return GEMP_OK;
	const char *arrow = memmem(begin, (size_t)(end - begin), "->", 2);
	if (arrow) {
		GEMP_TRY(read_name(&source, begin, arrow, "the vertex before '->'"));
		return add_neighbours(reader, &source, arrow + 2, end, (gemp_place){ reader->file, line->line });
	}
	if (memchr(begin, ',', (size_t)(end - begin)))
		return gemp_fail(GEMP_EDATA, "a comma before any '->'; lines are like 'a -> b, c', or 'a' alone");
	code = gemp_dictionary_add(&reader->lone, begin, (size_t)(end - begin), &index);
done:
	return code;
}

/* Collective. A vertex may stand alone in many lines, of all ranks, and is added once. */
static gemp_code add_lone(reader *reader, const gemp_comm *comm)
{
	gemp_code code = GEMP_OK;
	gemp_bytes all = { 0 };
	GEMP_TRY(gemp_bytes_union(comm, &reader->lone.list, &all));
	gemp_span mine = gemp_share(comm, all.count);
	for (uint64_t i = mine.begin; i < mine.end && code == GEMP_OK; i++) {
		size_t size;
		const char *name = gemp_bytes_at(&all, i, &size);
		gemp_value key = gemp_scalar_key(name, size);
		code = gemp_builder_vertex(reader->builder, &key, "", 0, (gemp_place){ 0 });
	}
	code = gemp_comm_agree(comm, code);
done:
	gemp_bytes_free(&all);
	return code;
}

static gemp_code read_adjacency(gemp_graph **out, const gemp_comm *comm, const gemp_import_options *options)
{
	gemp_code code = GEMP_OK;
	reader self = { 0 };
	gemp_lines lines;
	gemp_builder_options built = gemp_format_builder(options);
	built.vertices_from_edges = true;
	GEMP_TRY(gemp_builder_new(&self.builder, comm, &built));
	for (size_t i = 0; i < options->edge_file_count; i++) {
		GEMP_TRY(gemp_comm_agree(comm, gemp_builder_file(self.builder, options->edge_files[i], &self.file)));
		GEMP_TRY(gemp_lines_open(&lines, comm, options->edge_files[i], NULL, i));
		GEMP_TRY(gemp_lines_visit(&lines, comm, visit, &self));
	}
	GEMP_TRY(add_lone(&self, comm));
	GEMP_TRY(gemp_builder_finish(self.builder, out));
done:
	gemp_dictionary_free(&self.lone);
	gemp_builder_free(self.builder);
	return code;
}

const gemp_format gemp_format_adjacency = {
	.name = "adjacency",
	.endings = ".adj",
	.summary = "lists of neighbours: `a -> b, c` a line, `a` alone for a vertex without",
	.read = read_adjacency,
};
