/* Adjacency text and METIS graph files. In adjacency text, `a -> b, c` gives the edges a->b and a->c, and a line `a`
 * gives the vertex a. # begins a comment. */

#include "comm/exchange.h"
#include "core/status.h"
#include "io/import/import.h"
#include "io/text/cells.h"
#include "io/text/lines.h"
#include "partition/build/builder.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct adjacency_reader {
	gemp_builder *builder;
	uint32_t file;        /* number of the current file */
	gemp_dictionary lone; /* vertices on lines without an arrow */
} adjacency_reader;

/* Blanks around a name are removed; blanks within a name stay. */
static gemp_code read_name(gemp_value *out, const char *begin, const char *end, const char *what)
{
	const gemp_slice name = gemp_trimmed(begin, end);
	if (name.size == 0)
		return gemp_fail(GEMP_EDATA, "%s is missing; lines are like 'a -> b, c', or 'a' alone", what);
	if (memmem(name.bytes, name.size, "->", 2))
		return gemp_fail(GEMP_EDATA, "a second '->'; write the neighbours of each vertex on a line of their own");
	*out = gemp_scalar_key(name.bytes, name.size);
	return GEMP_OK;
}

/* Commas separate the neighbours. A comma at the end is an error, since a neighbour is missing after it. */
static gemp_code add_neighbours(adjacency_reader *reader, const gemp_value *source, const char *at, const char *end,
                                gemp_place place)
{
	gemp_value target;
	const char *comma;
	do {
		comma = memchr(at, ',', (size_t)(end - at));
		GEMP_TRY(read_name(&target, at, comma ? comma : end, "a neighbour"));
		GEMP_TRY(gemp_builder_edge(reader->builder, source, &target, "", 0, place));
		at = comma ? comma + 1 : end;
	} while (comma);
	return GEMP_OK;
}

/* A line without an arrow names a vertex. The vertex may have edges on other lines. */
static gemp_code visit_adjacency(void *self, const gemp_line *line)
{
	adjacency_reader *reader = self;
	gemp_value source;
	const gemp_slice text = gemp_trimmed(line->text, line->text + line->size);
	uint32_t index;
	if (text.size == 0 || *text.bytes == '#')
		return GEMP_OK;
	const char *arrow = memmem(text.bytes, text.size, "->", 2);
	if (arrow) {
		GEMP_TRY(read_name(&source, text.bytes, arrow, "the vertex before '->'"));
		return add_neighbours(reader, &source, arrow + 2, text.bytes + text.size,
		                      (gemp_place){ reader->file, line->line });
	}
	if (memchr(text.bytes, ',', text.size))
		return gemp_fail(GEMP_EDATA, "a comma before any '->'; lines are like 'a -> b, c', or 'a' alone");
	return gemp_dictionary_add(&reader->lone, text.bytes, text.size, &index);
}

/* Lines on many ranks may name a lone vertex, so gemp_import_names adds each name once. */
static gemp_code add_lone(void *self, const char *name, size_t size)
{
	const adjacency_reader *reader = self;
	const gemp_value key = gemp_scalar_key(name, size);
	return gemp_builder_vertex(reader->builder, &key, "", 0, (gemp_place){ 0 });
}

static void free_adjacency(adjacency_reader *reader)
{
	gemp_dictionary_free(&reader->lone);
	gemp_builder_free(reader->builder);
}

/* The vertices are the ends of all edges and the names on lines without an arrow. */
static gemp_code read_adjacency(gemp_shard **out, const gemp_comm *comm, const gemp_import_options *options)
{
	GEMP_OWNED_BY(free_adjacency) adjacency_reader self = { 0 };
	gemp_lines lines;
	gemp_builder_options built = gemp_format_builder(options);
	built.vertices_from_edges = true;
	GEMP_TRY(gemp_builder_new(&self.builder, comm, &built));
	for (size_t i = 0; i < options->edge_file_count; i++) {
		GEMP_TRY(gemp_comm_agree(comm, gemp_builder_file(self.builder, options->edge_files[i], &self.file)));
		GEMP_TRY(gemp_lines_open(&lines, comm, options->edge_files[i], NULL, i));
		GEMP_TRY(gemp_lines_visit(&lines, comm, visit_adjacency, &self));
	}
	GEMP_TRY(gemp_import_names(comm, &self.lone, add_lone, &self));
	return gemp_builder_finish(self.builder, out);
}

const gemp_format gemp_format_adjacency = {
	.name = "adjacency",
	.endings = ".adj",
	.summary = "lists of neighbours: `a -> b, c` a line, `a` alone for a vertex without",
	.read = read_adjacency,
};

/* A METIS graph file has a header `n m [fmt [ncon]]`, and then a line of neighbours for each vertex 1..n. The file
 * lists each edge at both ends, and the graph stores it once. Both listings of an edge go to the rank that owns its
 * smaller end, which compares them. */

enum { MAX_WEIGHTS = 64 };

typedef struct metis_head {
	bool complete, sizes, vertex_weights, edge_weights;
	uint64_t vertices, edges;
	uint64_t weights; /* number of weights of each vertex */
	uint64_t line;    /* line of the header */
} metis_head;

/* An edge on the line of one of its ends. */
typedef struct listing {
	uint32_t low, high; /* the smaller end and the larger end */
	uint64_t line;
	int64_t weight;
	uint64_t at_high; /* 1: the line is that of the larger end */
} listing;

typedef struct metis_reader {
	const gemp_comm *comm;
	metis_head head;
	gemp_cells cells;
	gemp_builder *builder;
	uint32_t file;
	size_t size, weight, edge_weight; /* the builder's columns */
	/* [count] from this rank's lines; after the exchange, for the edges that this rank checks */
	listing *listings;
	size_t count, capacity;
} metis_reader;

/* A comment begins with a percent sign. An empty line is an item, since it is a vertex without neighbours. */
static bool is_item(const char *text, size_t size)
{
	return size == 0 || text[0] != '%';
}

/* Reads a count or a vertex, from 0 to max. what: names the number in messages. */
static gemp_code read_number(uint64_t *out, const gemp_text_cell *cell, uint64_t max, const char *what)
{
	gemp_value value;
	gemp_code code = gemp_scalar_read(&value, GEMP_INTEGER, cell->bytes, cell->size);
	if (code != GEMP_OK)
		return gemp_fail_in(code, "number of %s: ", what);
	if (value.integer < 0 || (uint64_t)value.integer > max)
		return gemp_fail(GEMP_EDATA, "%" PRId64 " is not a number of %s; there can be 0 to %" PRIu64, value.integer,
		                 what, max);
	*out = (uint64_t)value.integer;
	return GEMP_OK;
}

/* fmt has up to three digits 0 or 1. From the left, they announce sizes of vertices, weights of vertices and weights of
 * edges. */
static gemp_code read_fmt(metis_head *head, const gemp_text_cell *cell)
{
	const char *digits = cell->bytes;
	bool good = cell->size <= 3;
	for (size_t i = 0; i < cell->size; i++)
		good = good && (digits[i] == '0' || digits[i] == '1');
	if (!good)
		return gemp_fail(GEMP_EDATA,
		                 "fmt '%.*s' is not made of up to three digits 0 or 1 (sizes of vertices, "
		                 "weights of vertices, weights of edges)",
		                 cell->size > 40 ? 40 : (int)cell->size, digits);
	head->edge_weights = digits[cell->size - 1] == '1';
	head->vertex_weights = cell->size > 1 && digits[cell->size - 2] == '1';
	head->sizes = cell->size > 2 && digits[0] == '1';
	head->weights = head->vertex_weights;
	return GEMP_OK;
}

/* fmt and ncon may be missing. ncon, the number of weights of each vertex, must agree with fmt. */
static gemp_code read_header(metis_head *head, const gemp_cells *cells)
{
	if (cells->count < 2 || cells->count > 4)
		return gemp_fail(GEMP_EDATA,
		                 "%zu fields where the header of a METIS file has 2 to 4: vertices, edges, fmt, ncon",
		                 cells->count);
	GEMP_TRY(read_number(&head->vertices, &cells->cell[0], GEMP_MAX_VERTICES, "vertices"));
	GEMP_TRY(read_number(&head->edges, &cells->cell[1], INT64_MAX / 2, "edges"));
	if (cells->count > 2)
		GEMP_TRY(read_fmt(head, &cells->cell[2]));
	if (cells->count > 3) {
		GEMP_TRY(read_number(&head->weights, &cells->cell[3], MAX_WEIGHTS, "weights of a vertex"));
		if ((head->weights > 0) != head->vertex_weights)
			return gemp_fail(GEMP_EDATA,
			                 "fmt '%.*s' says that vertices have %s, but there are "
			                 "%" PRIu64 " for each; correct fmt or ncon",
			                 (int)cells->cell[2].size, cells->cell[2].bytes,
			                 head->vertex_weights ? "weights" : "no weights", head->weights);
	}
	return GEMP_OK;
}

/* Comments may precede the header. */
static gemp_code visit_head(void *self, const gemp_line *line)
{
	metis_reader *reader = self;
	if (!is_item(line->text, line->size))
		return GEMP_OK;
	GEMP_TRY(gemp_cells_blanks(&reader->cells, line->text, line->size));
	reader->head.line = line->line;
	reader->head.complete = true;
	return read_header(&reader->head, &reader->cells);
}

/* Collective. Rank 0 reads the header and broadcasts it. All ranks compare it with the number of lines. */
static gemp_code read_head(metis_reader *reader, const gemp_lines *lines)
{
	gemp_code code = GEMP_OK;
	const metis_head *head = &reader->head;
	if (reader->comm->rank == 0) {
		code = gemp_lines_head(lines->path, visit_head, reader, &head->complete);
		if (code == GEMP_OK && !head->complete)
			code = gemp_fail(GEMP_EDATA, "%s: has only comments; the header is missing", lines->path);
	}
	GEMP_TRY(gemp_comm_agree(reader->comm, code));
	GEMP_MPI(MPI_Bcast(&reader->head, (int)sizeof reader->head, MPI_BYTE, 0, reader->comm->world));
	if (lines->items <= head->vertices)
		code = gemp_fail(GEMP_EDATA,
		                 "%s:%" PRIu64 ": the header says %" PRIu64 " vertices, and %" PRIu64 " lines follow; a vertex "
		                 "without neighbours is an empty line",
		                 lines->path, head->line, head->vertices, lines->items - 1);
	return code;
}

/* Sets the size and the weights of a vertex, which precede its neighbours. *at becomes the index of the first
 * neighbour's cell. */
static gemp_code add_weights(metis_reader *reader, size_t *at)
{
	const metis_head *head = &reader->head;
	size_t wanted = (size_t)head->sizes + head->weights;
	if (reader->cells.count < wanted)
		return gemp_fail(GEMP_EDATA, "%zu fields where a vertex has %zu of size and weights in front of its neighbours",
		                 reader->cells.count, wanted);
	for (; *at < wanted; ++*at) {
		const gemp_text_cell *cell = &reader->cells.cell[*at];
		gemp_value value;
		size_t column = head->sizes && *at == 0 ? reader->size : reader->weight + *at - head->sizes;
		GEMP_TRY(gemp_scalar_read(&value, GEMP_INTEGER, cell->bytes, cell->size));
		GEMP_TRY(gemp_builder_vertex_value(reader->builder, column, &value));
	}
	return GEMP_OK;
}

/* Stores a neighbour of `vertex`. If edges have weights, cell[1] is the weight. */
static gemp_code add_listing(metis_reader *reader, uint64_t vertex, const gemp_text_cell *cell, uint64_t line)
{
	uint64_t neighbour = 0;
	gemp_value weight = { 0 };
	GEMP_TRY(read_number(&neighbour, cell, reader->head.vertices, "a vertex"));
	if (neighbour == 0 || neighbour == vertex)
		return gemp_fail(GEMP_EDATA, "vertex %" PRIu64 " lists %s; METIS files %s", vertex,
		                 neighbour ? "itself" : "vertex 0",
		                 neighbour ? "have no loops, remove it" : "number vertices from 1");
	if (reader->head.edge_weights)
		GEMP_TRY(gemp_scalar_read(&weight, GEMP_INTEGER, cell[1].bytes, cell[1].size));
	GEMP_TRY(GEMP_RESERVE(reader->listings, reader->capacity, reader->count + 1));
	bool at_high = vertex > neighbour;
	uint32_t low = (uint32_t)(at_high ? neighbour : vertex), high = (uint32_t)(at_high ? vertex : neighbour);
	reader->listings[reader->count++] = (listing){ low, high, line, weight.integer, at_high };
	return GEMP_OK;
}

/* Lines that are not comments are numbered from 0. Line 0 is the header, and line v is vertex v. */
static gemp_code visit_vertex(void *self, const gemp_line *line)
{
	metis_reader *reader = self;
	gemp_value key = { .type = GEMP_INTEGER, .integer = (int64_t)line->item };
	size_t step = reader->head.edge_weights ? 2 : 1, at = 0;
	if (line->line <= reader->head.line || !is_item(line->text, line->size))
		return GEMP_OK;
	GEMP_TRY(gemp_cells_blanks(&reader->cells, line->text, line->size));
	if (line->item > reader->head.vertices)
		return reader->cells.count == 0
		           ? GEMP_OK
		           : gemp_fail(GEMP_EDATA, "a line of vertex %" PRIu64 ", and the header says %" PRIu64 " vertices",
		                       line->item, reader->head.vertices);
	GEMP_TRY(gemp_builder_vertex(reader->builder, &key, "", 0, (gemp_place){ reader->file, line->line }));
	GEMP_TRY(add_weights(reader, &at));
	if ((reader->cells.count - at) % step)
		return gemp_fail(GEMP_EDATA, "a neighbour without the weight of its edge; fmt says that each has one");
	for (; at < reader->cells.count; at += step)
		GEMP_TRY(add_listing(reader, line->item, &reader->cells.cell[at], line->line));
	return GEMP_OK;
}

/* For qsort: compares the edge, then the end that lists it, then the line. So the two listings of an edge become
 * adjacent. */
static int compare_listings(const void *left, const void *right)
{
	const listing *a = left, *b = right;
	const uint64_t one[] = { a->low, a->high, a->at_high, a->line }, other[] = { b->low, b->high, b->at_high, b->line };
	for (int i = 0; i < 4; i++)
		if (one[i] != other[i])
			return one[i] < other[i] ? -1 : 1;
	return 0;
}

/* Collective. Sends each listing to the rank that owns the smaller end, and sorts the received listings. */
static gemp_code exchange_listings(metis_reader *reader)
{
	GEMP_OWNED int *owner = NULL;
	void *received = NULL;
	GEMP_OWNED size_t *from = NULL;
	uint64_t ranks = (uint64_t)reader->comm->size;
	gemp_code code = GEMP_NEW(owner, reader->count);
	for (size_t i = 0; code == GEMP_OK && i < reader->count; i++)
		owner[i] = (int)((reader->listings[i].low - UINT64_C(1)) * ranks / reader->head.vertices);
	GEMP_TRY(gemp_exchange_records(reader->comm, code, reader->listings, reader->count, sizeof *reader->listings, owner,
	                               &received, &from, NULL));
	gemp_free(reader->listings);
	reader->listings = received;
	reader->count = from[ranks];
	if (reader->count)
		qsort(reader->listings, reader->count, sizeof *reader->listings, compare_listings);
	return GEMP_OK;
}

static bool same_edge(const listing *a, const listing *b)
{
	return a->low == b->low && a->high == b->high;
}

/* Checks that the first two of `left` listings are the same edge, listed once by each end with the same weight. */
static gemp_code check_pair(const listing *first, size_t left)
{
	const listing *second = first + 1;
	uint32_t here = first->at_high ? first->high : first->low, there = first->at_high ? first->low : first->high;
	if (left > 1 && same_edge(first, second) && first->at_high == second->at_high)
		return gemp_fail(GEMP_EDATA,
		                 "vertex %u lists %u twice; METIS files have no parallel edges, remove one (at both ends)",
		                 here, there);
	if (left < 2 || !same_edge(first, second))
		return gemp_fail(GEMP_EDATA,
		                 "vertex %u lists %u, but vertex %u does not list %u; METIS files list each edge at both ends",
		                 here, there, there, here);
	if (left > 2 && same_edge(second, second + 1))
		return gemp_fail(GEMP_EDATA,
		                 "vertex %u is listed twice by vertex %u (line "
		                 "%" PRIu64 "); METIS files have no parallel edges, remove one (at both ends)",
		                 here, there, second->line);
	if (first->weight != second->weight)
		return gemp_fail(GEMP_EDATA,
		                 "edge %u-%u weighs %" PRId64 " here and %" PRId64 " in line %" PRIu64 "; give it one weight",
		                 here, there, first->weight, second->weight, second->line);
	return GEMP_OK;
}

/* Local. Adds an edge for each pair of listings. */
static gemp_code add_edges(metis_reader *reader, const char *path)
{
	for (size_t i = 0; i < reader->count; i += 2) {
		const listing *at = &reader->listings[i];
		gemp_place place = { reader->file, at->line };
		gemp_value low = { .type = GEMP_INTEGER, .integer = at->low };
		gemp_value high = { .type = GEMP_INTEGER, .integer = at->high };
		gemp_value weight = { .type = GEMP_INTEGER, .integer = at->weight };
		gemp_code code = check_pair(at, reader->count - i);
		if (code != GEMP_OK)
			return gemp_fail_in(code, "%s:%" PRIu64 ": ", path, at->line);
		GEMP_TRY(gemp_builder_edge(reader->builder, &low, &high, "", 0, place));
		if (reader->head.edge_weights)
			GEMP_TRY(gemp_builder_edge_value(reader->builder, reader->edge_weight, &weight));
	}
	return GEMP_OK;
}

/* A single weight is the column `weight`. Several weights are the columns weight1, weight2 and so on. */
static gemp_code declare_metis(metis_reader *reader, const char *path)
{
	char name[32] = "weight";
	size_t column;
	GEMP_TRY(gemp_builder_file(reader->builder, path, &reader->file));
	if (reader->head.sizes)
		GEMP_TRY(gemp_builder_vertex_column(reader->builder, "size", GEMP_INTEGER, &reader->size));
	for (uint64_t i = 0; i < reader->head.weights; i++) {
		if (reader->head.weights > 1)
			snprintf(name, sizeof name, "weight%" PRIu64, i + 1);
		GEMP_TRY(gemp_builder_vertex_column(reader->builder, name, GEMP_INTEGER, &column));
		if (i == 0)
			reader->weight = column;
	}
	if (reader->head.edge_weights)
		return gemp_builder_edge_column(reader->builder, "weight", GEMP_INTEGER, &reader->edge_weight);
	return GEMP_OK;
}

static void free_metis(metis_reader *reader)
{
	gemp_builder_free(reader->builder);
	gemp_cells_free(&reader->cells);
	gemp_free(reader->listings);
}

/* Both ends list an edge, so there must be twice as many listings as the header says edges. */
static gemp_code read_metis(gemp_shard **out, const gemp_comm *comm, const gemp_import_options *options)
{
	const char *path = options->edge_files[0];
	GEMP_OWNED_BY(free_metis) metis_reader self = { .comm = comm };
	gemp_lines lines;
	gemp_builder_options built = gemp_format_builder(options);
	built.undirected = true;
	GEMP_TRY(gemp_lines_open(&lines, comm, path, is_item, 0));
	GEMP_TRY(read_head(&self, &lines));
	GEMP_TRY(gemp_builder_new(&self.builder, comm, &built));
	GEMP_TRY(gemp_comm_agree(comm, declare_metis(&self, path)));
	GEMP_TRY(gemp_lines_visit(&lines, comm, visit_vertex, &self));
	uint64_t listed = gemp_comm_sum1(comm, self.count);
	GEMP_TRY(exchange_listings(&self));
	GEMP_TRY(gemp_comm_agree(comm, add_edges(&self, path)));
	if (listed != 2 * self.head.edges)
		return gemp_fail(GEMP_EDATA,
		                 "%s:%" PRIu64 ": the header says "
		                 "%" PRIu64 " edges, and %" PRIu64 " are listed; correct it (each edge counts once)",
		                 path, self.head.line, self.head.edges, listed / 2);
	return gemp_builder_finish(self.builder, out);
}

const gemp_format gemp_format_metis = {
	.name = "metis",
	.endings = ".metis .graph",
	.summary = "METIS graph file, with weights; undirected",
	.one_file = true,
	.read = read_metis,
};
