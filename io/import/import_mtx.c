/* Matrix Market coordinate files. A square matrix is a graph on the vertices 1..n, and each entry is an edge row ->
 * column. A rectangular matrix is a bipartite graph on the rows r1, r2, ... and the columns c1, c2, ... Explicit zeros
 * are entries. */

#include "core/status.h"
#include "io/file/claim.h"
#include "io/import/import.h"
#include "io/text/cells.h"
#include "io/text/lines.h"
#include "partition/build/builder.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

typedef enum symmetry { GENERAL, SYMMETRIC, SKEW } symmetry;

/* Rank 0 reads these values from the banner and the line of sizes, and broadcasts them. */
typedef struct mtx_head {
	bool complete, values;
	gemp_type type; /* type of the values */
	symmetry symmetry;
	uint64_t rows, columns, entries;
	uint64_t line; /* line of the sizes; the entries follow it */
} mtx_head;

typedef struct mtx_reader {
	const gemp_comm *comm;
	mtx_head head;
	gemp_cells cells;
	gemp_builder *builder;
	uint32_t file;
	size_t value;     /* the builder's column of values */
	uint64_t entries; /* entries that this rank has read */
} mtx_reader;

static gemp_code reject(const gemp_text_cell *cell, const char *remedy)
{
	return gemp_fail(GEMP_EDATA, "'%.*s' is not supported; %s", cell->size > 40 ? 40 : (int)cell->size, cell->bytes,
	                 remedy);
}

/* A complex matrix is refused, since it would need two columns. */
static gemp_code read_field(mtx_head *head, const gemp_text_cell *cell)
{
	head->values = !gemp_cell_is(cell, "pattern");
	head->type = gemp_cell_is(cell, "integer") ? GEMP_INTEGER : GEMP_FLOAT;
	if (!head->values || gemp_cell_is(cell, "integer") || gemp_cell_is(cell, "real") || gemp_cell_is(cell, "double"))
		return GEMP_OK;
	return reject(cell, "values can be pattern, integer or real; write one file for real and one for imaginary parts");
}

/* A Hermitian matrix is complex, so it is refused, too. */
static gemp_code read_symmetry(mtx_head *head, const gemp_text_cell *cell)
{
	head->symmetry = gemp_cell_is(cell, "symmetric")        ? SYMMETRIC
	                 : gemp_cell_is(cell, "skew-symmetric") ? SKEW
	                                                        : GENERAL;
	if (head->symmetry != GENERAL || gemp_cell_is(cell, "general"))
		return GEMP_OK;
	return reject(cell, "a matrix can be general, symmetric or skew-symmetric; write all its entries as general");
}

/* The banner determines the meaning of all other lines. */
static gemp_code read_banner(mtx_head *head, const gemp_cells *cells)
{
	if (cells->count != 5 || !gemp_cell_is(&cells->cell[0], "%%MatrixMarket"))
		return gemp_fail(GEMP_EDATA, "not a Matrix Market file; the first line must be like "
		                             "'%%%%MatrixMarket matrix coordinate real general'");
	if (!gemp_cell_is(&cells->cell[1], "matrix"))
		return reject(&cells->cell[1], "only 'matrix' is a graph");
	if (!gemp_cell_is(&cells->cell[2], "coordinate"))
		return reject(&cells->cell[2], "a dense matrix has no edges; write its entries in coordinate format "
		                               "(scipy.io.mmwrite of a sparse matrix)");
	GEMP_TRY(read_field(head, &cells->cell[3]));
	return read_symmetry(head, &cells->cell[4]);
}

/* A count is read as a signed integer, since a damaged file may hold a negative number. */
static gemp_code read_count(uint64_t *out, const gemp_text_cell *cell)
{
	gemp_value value;
	GEMP_TRY(gemp_scalar_read(&value, GEMP_INTEGER, cell->bytes, cell->size));
	if (value.integer < 0)
		return gemp_fail(GEMP_EDATA, "%" PRId64 " is negative; rows, columns and entries are counted", value.integer);
	*out = (uint64_t)value.integer;
	return GEMP_OK;
}

/* Only a square matrix can be symmetric. */
static gemp_code read_sizes(mtx_head *head, const gemp_cells *cells)
{
	if (cells->count != 3)
		return gemp_fail(GEMP_EDATA, "%zu numbers where rows, columns and entries stand", cells->count);
	GEMP_TRY(read_count(&head->rows, &cells->cell[0]));
	GEMP_TRY(read_count(&head->columns, &cells->cell[1]));
	GEMP_TRY(read_count(&head->entries, &cells->cell[2]));
	bool square = head->rows == head->columns;
	if (head->rows > GEMP_MAX_VERTICES || head->columns > GEMP_MAX_VERTICES)
		return gemp_fail(GEMP_EDATA,
		                 "%" PRIu64 " rows and %" PRIu64 " columns are more vertices than a graph "
		                 "can have (%" PRIu64 ")",
		                 head->rows, head->columns, GEMP_MAX_VERTICES);
	if (!square && head->symmetry != GENERAL)
		return gemp_fail(GEMP_EDATA,
		                 "%" PRIu64 " rows and %" PRIu64 " columns cannot be symmetric; write all "
		                 "entries as general, or correct the sizes",
		                 head->rows, head->columns);
	return GEMP_OK;
}

/* Blank lines may follow the banner anywhere and count as comments. */
static bool is_comment(const gemp_line *line)
{
	return line->size == 0 || line->text[0] == '%' || strspn(line->text, " \t\r") >= line->size;
}

/* The banner must be the first line. Comments may stand between the banner and the line of sizes. */
static gemp_code visit_head(void *self, const gemp_line *line)
{
	mtx_reader *reader = self;
	if (line->line > 1 && is_comment(line))
		return GEMP_OK;
	GEMP_TRY(gemp_cells_blanks(&reader->cells, line->text, line->size));
	if (line->line == 1)
		return read_banner(&reader->head, &reader->cells);
	reader->head.line = line->line;
	reader->head.complete = true;
	return read_sizes(&reader->head, &reader->cells);
}

/* Local, on rank 0. Reads the banner and the sizes. */
static gemp_code read_head(mtx_reader *reader, const char *path)
{
	GEMP_TRY(gemp_lines_head(path, visit_head, reader, &reader->head.complete));
	if (reader->head.complete)
		return GEMP_OK;
	return gemp_fail(GEMP_EDATA, "%s: ends before the line of rows, columns and entries; write the file again", path);
}

/* Collective. Rows and columns without entries are vertices, too, so the line of sizes alone states the vertices. */
static gemp_code check_sizes(const mtx_head *head, const gemp_lines *lines, const gemp_comm *comm)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text place = { 0 };
	gemp_text_print(&place, "%s:%" PRIu64, lines->path, head->line);
	GEMP_TRY(gemp_comm_agree(comm, gemp_text_status(&place)));
	return gemp_claim_vertices(comm, place.data, head->rows == head->columns ? head->rows : head->rows + head->columns,
	                           lines->text_bytes);
}

/* In a rectangular matrix row i and column i are different vertices, so a letter distinguishes their keys. */
static gemp_value key_of(const mtx_head *head, uint64_t number, char side, char name[24])
{
	if (head->rows == head->columns)
		return (gemp_value){ .type = GEMP_INTEGER, .integer = (int64_t)number };
	int size = snprintf(name, 24, "%c%" PRIu64, side, number);
	return (gemp_value){ .type = GEMP_STRING, .string = { name, (size_t)size } };
}

/* Each rank adds its block of `count` rows or columns. A rectangular matrix needs a call for its rows and a call for
 * its columns. */
static gemp_code add_vertices(mtx_reader *reader, uint64_t count, char side, const char *label)
{
	gemp_block_range mine = gemp_comm_block(reader->comm, count);
	gemp_place place = { reader->file, reader->head.line };
	char name[24];
	for (uint64_t i = mine.begin; i < mine.end; i++) {
		gemp_value key = key_of(&reader->head, i + 1, side, name);
		GEMP_TRY(gemp_builder_vertex(reader->builder, &key, label, strlen(label), place));
	}
	return GEMP_OK;
}

/* Indices count from 1 in this format. */
static gemp_code read_index(uint64_t *out, const gemp_text_cell *cell, uint64_t max, const char *what)
{
	gemp_value value;
	GEMP_TRY(gemp_scalar_read(&value, GEMP_INTEGER, cell->bytes, cell->size));
	if (value.integer < 1 || (uint64_t)value.integer > max)
		return gemp_fail(GEMP_EDATA, "%s %" PRId64 " of a matrix that has 1 to %" PRIu64 "; numbers begin at 1", what,
		                 value.integer, max);
	*out = (uint64_t)value.integer;
	return GEMP_OK;
}

/* The row is the source of the edge, and the column is its target. */
static gemp_code add_edge(mtx_reader *reader, uint64_t row, uint64_t column, const gemp_value *value, gemp_place place)
{
	char names[2][24];
	gemp_value source = key_of(&reader->head, row, 'r', names[0]);
	gemp_value target = key_of(&reader->head, column, 'c', names[1]);
	GEMP_TRY(gemp_builder_edge(reader->builder, &source, &target, "", 0, place));
	if (reader->head.values)
		return gemp_builder_edge_value(reader->builder, reader->value, value);
	return GEMP_OK;
}

/* Adds the entry (column, row) of a skew-symmetric matrix, which the file does not store. */
static gemp_code add_negative(mtx_reader *reader, uint64_t row, uint64_t column, gemp_value value, gemp_place place)
{
	if (row == column)
		return gemp_fail(GEMP_EDATA, "a skew-symmetric matrix has no entries on its diagonal; remove the line");
	if (value.type == GEMP_FLOAT)
		value.real = -value.real;
	else if (__builtin_sub_overflow(0, value.integer, &value.integer))
		return gemp_fail(GEMP_EDATA, "the negative of the value is beyond the range of 64-bit integers");
	return add_edge(reader, column, row, &value, place);
}

/* A symmetric matrix is read as an undirected graph, and its file stores one entry of each pair. */
static gemp_code visit_entry(void *self, const gemp_line *line)
{
	mtx_reader *reader = self;
	const mtx_head *head = &reader->head;
	const gemp_text_cell *cell;
	gemp_place place = { reader->file, line->line };
	gemp_value value = { .type = head->type };
	uint64_t row = 0, column = 0;
	size_t wanted = head->values ? 3 : 2;
	if (line->line <= head->line || is_comment(line))
		return GEMP_OK;
	GEMP_TRY(gemp_cells_blanks(&reader->cells, line->text, line->size));
	if (reader->cells.count != wanted)
		return gemp_fail(GEMP_EDATA, "%zu fields where an entry has %zu (row, column%s)", reader->cells.count, wanted,
		                 head->values ? ", value" : "; the banner says pattern");
	cell = reader->cells.cell;
	GEMP_TRY(read_index(&row, &cell[0], head->rows, "row"));
	GEMP_TRY(read_index(&column, &cell[1], head->columns, "column"));
	if (head->values)
		GEMP_TRY(gemp_scalar_read(&value, head->type, cell[2].bytes, cell[2].size));
	reader->entries++;
	GEMP_TRY(add_edge(reader, row, column, &value, place));
	if (head->symmetry == SKEW)
		return add_negative(reader, row, column, value, place);
	return GEMP_OK;
}

/* Local. Declares the file and the column of values, and adds the vertices. */
static gemp_code begin_entries(mtx_reader *reader, const char *path)
{
	const mtx_head *head = &reader->head;
	bool square = head->rows == head->columns;
	GEMP_TRY(gemp_builder_file(reader->builder, path, &reader->file));
	if (head->values)
		GEMP_TRY(gemp_builder_edge_column(reader->builder, "value", head->type, &reader->value));
	GEMP_TRY(add_vertices(reader, head->rows, 'r', square ? "" : "Row"));
	if (!square)
		return add_vertices(reader, head->columns, 'c', "Column");
	return GEMP_OK;
}

static void free_reader(mtx_reader *reader)
{
	gemp_builder_free(reader->builder);
	gemp_cells_free(&reader->cells);
}

/* The number of entries is compared with the line of sizes, since a truncated file would look complete otherwise. */
static gemp_code read_mtx(gemp_shard **out, const gemp_comm *comm, const gemp_import_options *options)
{
	const char *path = options->edge_files[0];
	GEMP_OWNED_BY(free_reader) mtx_reader self = { .comm = comm };
	gemp_lines lines;
	gemp_builder_options built = gemp_format_builder(options);
	GEMP_TRY(gemp_lines_open(&lines, comm, path, NULL, 0));
	GEMP_TRY(gemp_comm_agree(comm, comm->rank == 0 ? read_head(&self, path) : GEMP_OK));
	GEMP_MPI(MPI_Bcast(&self.head, (int)sizeof self.head, MPI_BYTE, 0, comm->world));
	GEMP_TRY(check_sizes(&self.head, &lines, comm));
	if (options->undirected && self.head.symmetry == SKEW)
		return gemp_fail(GEMP_EUSAGE,
		                 "%s: entries of a skew-symmetric matrix have a sign by direction; take it as directed", path);
	built.undirected |= self.head.symmetry == SYMMETRIC;
	GEMP_TRY(gemp_builder_new(&self.builder, comm, &built));
	GEMP_TRY(gemp_comm_agree(comm, begin_entries(&self, path)));
	GEMP_TRY(gemp_lines_visit(&lines, comm, visit_entry, &self));
	uint64_t entries = gemp_comm_sum1(comm, self.entries);
	if (entries != self.head.entries)
		return gemp_fail(GEMP_EDATA,
		                 "%s:%" PRIu64 ": there are %" PRIu64 " entries, and this line says "
		                 "%" PRIu64 "; the file is cut, or the number wrong",
		                 path, self.head.line, entries, self.head.entries);
	return gemp_builder_finish(self.builder, out);
}

const gemp_format gemp_format_mtx = {
	.name = "mtx",
	.endings = ".mtx .mm",
	.summary = "Matrix Market coordinate file: an edge for each entry, its value in `value`",
	.one_file = true,
	.read = read_mtx,
};
