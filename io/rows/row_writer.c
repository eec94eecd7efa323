/* Writes rows as text, as HDF5 or into a table in memory. Each rank makes the text of its own rows, and all ranks write
 * the texts together. HDF5 files and tables get columns, in which an edge takes three columns: type, source and
 * target. */

#include "io/rows/row_writer.h"

#include "core/status.h"
#include "graph/column_bulk.h"
#include "graph/column_rows.h"
#include "io/file/output.h"
#include "io/rows/rows_text.h"
#include "io/rows/vertex_keys.h"

#include <string.h>

struct gemp_row_writer {
	const gemp_comm *comm;
	gemp_row_form form; /* TSV for a preview */
	bool previews;      /* the rows are a preview for people, since the caller gave neither path nor table */
	FILE *preview;
	gemp_text text;            /* for a preview, all rows so far (on rank 0); otherwise the rows of the current call */
	gemp_output *output;       /* for text forms with a path, else NULL */
	gemp_result_file *results; /* for HDF5, else NULL */
	gemp_table *table;         /* borrowed; NULL: no table is filled */
	size_t flat_count;         /* columns of the file or table, where an edge takes three */
	gemp_column *flat;         /* [flat_count] names and types, without rows */
};

/* The check does not touch the file system, so all ranks come to the same result. */
static gemp_code check_form(const char *option, const char *path)
{
	if (!path || gemp_row_form_of(path) != GEMP_ROWS_UNKNOWN)
		return GEMP_OK;
	return gemp_fail(GEMP_EUSAGE, "%s %s: the ending must be .tsv, .csv, .jsonl or .h5, or - for TSV on stdout", option,
	                 path);
}

/* Only rank 0 checks the folder, since rank 0 creates the file. */
gemp_code gemp_rows_path_check(const gemp_comm *comm, const char *option, const char *path)
{
	gemp_code code = check_form(option, path);
	if (code == GEMP_OK && path && strcmp(path, "-") != 0 && comm->rank == 0)
		code = gemp_file_may_write(option, path);
	return gemp_comm_agree(comm, code);
}

/* HDF5 */

/* An edge takes three columns: its type, its source and its target. */
static gemp_code name_flat(gemp_row_writer *writer, const gemp_projected *columns, size_t count, bool lists)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text name = { 0 };
	static const char *const parts[] = { "type", "source", "target" };
	GEMP_TRY(GEMP_NEW(writer->flat, 3 * count));
	for (size_t c = 0; c < count; c++)
		for (int part = 0; part < (columns[c].edge ? 3 : 1); part++) {
			gemp_text_clear(&name);
			gemp_text_print(&name, columns[c].edge ? "%s.%s" : "%s", columns[c].name, parts[part]);
			GEMP_TRY(gemp_text_status(&name));
			gemp_type type = (part == 0 ? &columns[c].value : &columns[c].source)->type;
			type = type == GEMP_LIST && !lists ? GEMP_STRING : type;
			GEMP_TRY(gemp_column_init(&writer->flat[writer->flat_count++], name.data, type));
		}
	return GEMP_OK;
}

/* The columns of the file or table, as parts of the projected columns. */
typedef struct flat_column {
	gemp_column values;            /* borrowed */
	const gemp_column *dictionary; /* as in gemp_projected */
	const uint32_t *index;
} flat_column;

/* Fills flat[flat_count] with the first `rows` rows. lists: lists stay lists (tables); otherwise they become their text
 * (HDF5). */
static void flatten(const gemp_projected *columns, size_t count, size_t rows, flat_column *flat, bool lists)
{
	for (size_t c = 0; c < count; c++) {
		const gemp_column *parts[] = { &columns[c].value, &columns[c].source, &columns[c].target };
		for (int part = 0; part < (columns[c].edge ? 3 : 1); part++, flat++) {
			*flat = (flat_column){ .values = *parts[part] };
			flat->values.rows = rows;
			flat->values.type = flat->values.type == GEMP_LIST && !lists ? GEMP_STRING : flat->values.type;
		}
		flat[-1].dictionary = columns[c].dictionary;
		flat[-1].index = columns[c].index;
	}
}

/* Rows of a dictionary become values in `own`, since an HDF5 dataset has the values themselves. */
static gemp_code write_flat(gemp_row_writer *writer, const flat_column *flat, gemp_column *own, size_t rows)
{
	GEMP_OWNED const gemp_column **list = NULL;
	gemp_code code = GEMP_NEW(list, writer->flat_count);
	for (size_t c = 0; c < writer->flat_count && code == GEMP_OK; c++) {
		list[c] = flat[c].dictionary ? &own[c] : &flat[c].values;
		if (!flat[c].dictionary)
			continue;
		own[c].type = flat[c].values.type;
		code = gemp_column_append_rows(&own[c], flat[c].dictionary, flat[c].index, rows);
	}
	return gemp_result_file_write(writer->results, code, list, rows);
}

/* Collective. Writes the rows to the HDF5 file. */
static gemp_code write_results(gemp_row_writer *writer, const gemp_projected *columns, size_t count, size_t rows)
{
	GEMP_OWNED flat_column *flat = NULL;
	GEMP_OWNED gemp_column *own = NULL;
	gemp_code code = gemp_new_all(GEMP_ARRAY(flat, writer->flat_count), GEMP_ARRAY(own, writer->flat_count));
	GEMP_TRY(gemp_comm_agree(writer->comm, code));
	flatten(columns, count, rows, flat, false);
	code = write_flat(writer, flat, own, rows);
	for (size_t c = 0; c < writer->flat_count; c++)
		gemp_column_free(&own[c]);
	return code;
}

/* writer->flat owns the names of the columns, since they must live as long as the file is open. */
static gemp_code open_results(gemp_row_writer *writer, const gemp_projected *columns, size_t count, const char *path)
{
	GEMP_OWNED const gemp_column **flat = NULL;
	gemp_code code = name_flat(writer, columns, count, false);
	GEMP_THEN(GEMP_NEW(flat, writer->flat_count));
	GEMP_TRY(gemp_comm_agree(writer->comm, code));
	for (size_t c = 0; c < writer->flat_count; c++)
		flat[c] = &writer->flat[c];
	return gemp_result_file_open(&writer->results, writer->comm, path, flat, writer->flat_count);
}

/* TABLES */

/* A table keeps lists as lists. */
static gemp_code open_table(gemp_row_writer *writer, const gemp_projected *columns, size_t count)
{
	gemp_code code = name_flat(writer, columns, count, true);
	for (size_t c = 0; c < writer->flat_count && code == GEMP_OK; c++) {
		gemp_column *column;
		code = gemp_table_add(writer->table, writer->flat[c].name, writer->flat[c].type, &column);
		GEMP_THEN(gemp_column_reserve(column, 0, 0));
	}
	return gemp_comm_agree(writer->comm, code);
}

/* Values are copied, since the caller reuses its columns for the next rows. */
static gemp_code keep_rows(gemp_row_writer *writer, const gemp_projected *columns, size_t count, size_t rows)
{
	GEMP_OWNED flat_column *flat = NULL;
	gemp_code code = GEMP_NEW(flat, writer->flat_count);
	if (code == GEMP_OK)
		flatten(columns, count, rows, flat, true);
	for (size_t c = 0; c < writer->flat_count && code == GEMP_OK; c++) {
		gemp_column *to = &writer->table->columns[c];
		code = flat[c].dictionary ? gemp_column_append_rows(to, flat[c].dictionary, flat[c].index, rows)
		                          : gemp_column_extend(to, &flat[c].values);
	}
	writer->table->rows += rows;
	return gemp_comm_agree(writer->comm, code);
}

/* TEXT */

/* Collective. The text goes to the output if there is one. The text of a preview is short, so all ranks exchange it and
 * rank 0 keeps it. code: the result of making this rank's text. */
static gemp_code write_text(gemp_row_writer *writer, gemp_code code)
{
	GEMP_OWNED void *all = NULL;
	GEMP_OWNED size_t *begin = NULL;
	const gemp_comm *comm = writer->comm;
	if (writer->output) {
		code = gemp_comm_agree(comm, code);
		GEMP_THEN(gemp_output_write(writer->output, writer->text.data, writer->text.size));
		gemp_text_clear(&writer->text);
		return code;
	}
	GEMP_TRY(gemp_comm_allgather(comm, code, writer->text.data, writer->text.size, &all, &begin));
	gemp_text_clear(&writer->text);
	if (comm->rank == 0)
		gemp_text_add(&writer->text, all, begin[comm->size]);
	return gemp_comm_agree(comm, gemp_text_status(&writer->text));
}

/* Collective. Rank 0 puts the header in front of its first rows. JSON lines have no header. */
static gemp_code open_text(gemp_row_writer *writer, const gemp_projected *columns, size_t count, const char *path)
{
	if (path)
		GEMP_TRY(gemp_output_open(&writer->output, writer->comm, path));
	if (writer->comm->rank == 0 && writer->form == GEMP_ROWS_CSV)
		gemp_csv_header(&writer->text, columns, count);
	else if (writer->comm->rank == 0 && writer->form != GEMP_ROWS_JSON)
		gemp_tsv_header(&writer->text, columns, count);
	const gemp_code code = gemp_text_status(&writer->text);
	return path ? write_text(writer, code) : gemp_comm_agree(writer->comm, code);
}

/* Collective. Only rank 0 prints the preview, and all ranks return its code. */
static gemp_code show_preview(gemp_row_writer *writer)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text table = { 0 };
	gemp_code code = writer->preview ? gemp_align_tsv(&table, writer->text.data, writer->text.size) : GEMP_OK;
	if (code == GEMP_OK && writer->preview)
		fwrite(table.data, 1, table.size, writer->preview);
	return gemp_comm_agree(writer->comm, code);
}

/* ALL FORMS OF OUTPUT */

bool gemp_rows_wants_all(const gemp_rows_options *options)
{
	return options->path || options->table;
}

/* The options are the same on all ranks, so all ranks open the same form. */
gemp_code gemp_row_writer_open(gemp_row_writer **out, const gemp_comm *comm, const gemp_projected *columns,
                               size_t count, const gemp_rows_options *options)
{
	GEMP_OWNED_BY(gemp_row_writer_abandon_at) gemp_row_writer *writer = NULL;
	gemp_code code = GEMP_NEW(writer, 1);
	if (code == GEMP_OK) {
		writer->comm = comm;
		writer->preview = options->preview;
		writer->table = options->table;
		writer->previews = !options->path && !options->table;
		writer->form = options->path ? gemp_row_form_of(options->path) : GEMP_ROWS_TSV;
		code = check_form("output", options->path);
	}
	GEMP_TRY(gemp_comm_agree(comm, code));
	if (writer->table)
		GEMP_TRY(open_table(writer, columns, count));
	else if (writer->form == GEMP_ROWS_HDF5)
		GEMP_TRY(open_results(writer, columns, count, options->path));
	else
		GEMP_TRY(open_text(writer, columns, count, options->path));
	*out = writer;
	writer = NULL;
	return code;
}

/* Each rank makes its text alone, and the ranks write the texts together. */
gemp_code gemp_row_writer_write(gemp_row_writer *writer, const gemp_projected *columns, size_t count, size_t rows)
{
	if (writer->table)
		return keep_rows(writer, columns, count, rows);
	if (writer->form == GEMP_ROWS_HDF5)
		return write_results(writer, columns, count, rows);
	return write_text(writer, gemp_rows_text(&writer->text, writer->form, columns, count, rows));
}

/* gemp_result_file_close and gemp_output_close also free, so the writer forgets both pointers first. */
gemp_code gemp_row_writer_close(gemp_row_writer *writer, const gemp_result_info *info)
{
	gemp_code code = GEMP_OK;
	if (!writer)
		return GEMP_OK;
	gemp_result_file *results = writer->results;
	gemp_output *output = writer->output;
	writer->results = NULL;
	writer->output = NULL;
	if (results)
		code = gemp_result_file_close(results, info);
	else if (output)
		code = gemp_output_close(output);
	else if (writer->previews)
		code = show_preview(writer);
	gemp_row_writer_abandon(writer);
	return code;
}

/* The writer may be open only in part, after a failure of gemp_row_writer_open. */
void gemp_row_writer_abandon(gemp_row_writer *writer)
{
	if (!writer)
		return;
	gemp_output_abandon(writer->output);
	gemp_result_file_abandon(writer->results);
	gemp_text_free(&writer->text);
	for (size_t c = 0; c < writer->flat_count; c++)
		gemp_column_free(&writer->flat[c]);
	gemp_free_all(writer->flat, writer);
}

enum { BATCH = 1 << 18 }; /* maximal number of rows of a turn */

gemp_result_info gemp_row_info(const char *what, const gemp_shard *graph)
{
	return (gemp_result_info){
		.pattern = what, .semantics = what, .distinct = "none", .graph_hash = graph ? graph->hash : 0, .complete = true
	};
}

/* The number of rows, over all ranks, at which writing ends. Only a preview has such a limit. */
static uint64_t limit_of(const gemp_row_turns *turns)
{
	return turns->path || turns->table ? UINT64_MAX : turns->shown;
}

/* Local. The columns have no rows. A reserved column counts as loaded. */
static gemp_code new_columns(gemp_projected **out, const gemp_row_turns *turns)
{
	gemp_code code = GEMP_NEW(*out, turns->count);
	for (size_t c = 0; c < turns->count && code == GEMP_OK; c++) {
		(*out)[c].name = turns->columns[c].name;
		code = gemp_column_init(&(*out)[c].value, turns->columns[c].name, turns->columns[c].type);
		GEMP_THEN(gemp_column_reserve(&(*out)[c].value, 0, 0));
	}
	return code;
}

static void free_columns(gemp_projected *columns, size_t count)
{
	gemp_projected_free(columns, count);
	gemp_free(columns);
}

/* The writer needs columns only for their names and types, so they have no rows. */
gemp_code gemp_row_turns_open(gemp_row_turns *turns)
{
	gemp_projected *columns = NULL;
	const gemp_rows_options options = { .path = turns->path,
		                                .table = turns->table,
		                                .limit = limit_of(turns),
		                                .semantics = turns->info.semantics,
		                                .distinct = turns->info.distinct,
		                                .preview = turns->preview };
	gemp_code code = gemp_comm_agree(turns->comm, new_columns(&columns, turns));
	GEMP_THEN(gemp_row_writer_open(&turns->writer, turns->comm, columns, turns->count, &options));
	free_columns(columns, turns->count);
	return code;
}

/* Collective. Each turn makes its own columns and frees them at its end, which bounds the memory. */
static gemp_code write_turn(gemp_row_turns *turns, size_t first, size_t count)
{
	gemp_projected *columns = NULL;
	gemp_code code = gemp_comm_agree(turns->comm, new_columns(&columns, turns));
	if (code == GEMP_OK)
		code = gemp_comm_agree(turns->comm, turns->fill(turns->self, columns, first, count));
	GEMP_THEN(gemp_row_writer_write(turns->writer, columns, turns->count, count));
	free_columns(columns, turns->count);
	return code;
}

/* Every rank knows the counts of all ranks, so every rank knows whose turn it is and when a preview is full. */
gemp_code gemp_row_turns_add(gemp_row_turns *turns, uint64_t rows)
{
	const gemp_comm *comm = turns->comm;
	GEMP_OWNED uint64_t *counts = NULL;
	uint64_t left = limit_of(turns);
	if (turns->at_once) {
		uint64_t before = gemp_comm_exscan(comm, rows), remaining = left > before ? left - before : 0;
		return write_turn(turns, 0, (size_t)gemp_min(rows, remaining));
	}
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(counts, (size_t)comm->size)));
	GEMP_MPI(MPI_Allgather(&rows, 1, MPI_UINT64_T, counts, 1, MPI_UINT64_T, comm->world));
	for (int rank = 0; rank < comm->size; rank++)
		for (uint64_t first = 0, count; first < counts[rank] && left; first += count, left -= count) {
			const bool own = rank == comm->rank;
			count = counts[rank] - first < BATCH ? counts[rank] - first : BATCH;
			count = gemp_min(count, left);
			GEMP_TRY(write_turn(turns, own ? (size_t)first : 0, own ? (size_t)count : 0));
		}
	return GEMP_OK;
}

gemp_code gemp_row_turns_close(gemp_row_turns *turns)
{
	gemp_row_writer *writer = turns->writer;
	turns->writer = NULL; /* closing frees the writer, also after a failure */
	return gemp_row_writer_close(writer, &turns->info);
}

void gemp_row_turns_abandon(gemp_row_turns *turns)
{
	gemp_row_writer_abandon(turns->writer);
	turns->writer = NULL;
}

/* After a successful close the writer is NULL, and abandon does nothing. */
gemp_code gemp_row_turns_write(gemp_row_turns *turns, uint64_t rows)
{
	gemp_code code = gemp_row_turns_open(turns);
	GEMP_THEN(gemp_row_turns_add(turns, rows));
	GEMP_THEN(gemp_row_turns_close(turns));
	gemp_row_turns_abandon(turns);
	return code;
}

/* CALLBACKS */

gemp_code gemp_row_fill_keys(gemp_projected *column, const gemp_comm *comm, const gemp_shard *graph,
                             const gemp_vertex *ids, size_t count)
{
	gemp_column_free(&column->value);
	return gemp_vertex_keys_fetch(&column->value, comm, graph, ids, count);
}

/* gemp_column_gather takes any list of row numbers; here the list is a range. */
gemp_code gemp_row_fill_slice(gemp_projected *column, const gemp_column *from, size_t first, size_t count)
{
	GEMP_OWNED uint64_t *rows = NULL;
	GEMP_TRY(GEMP_NEW(rows, count));
	for (size_t i = 0; i < count; i++)
		rows[i] = first + i;
	gemp_column_free(&column->value);
	return gemp_column_gather(&column->value, from, NULL, rows, count);
}

gemp_code gemp_row_fill_integer(gemp_projected *column, uint64_t value)
{
	return gemp_column_add(&column->value, &(gemp_value){ .type = GEMP_INTEGER, .integer = (int64_t)value });
}
