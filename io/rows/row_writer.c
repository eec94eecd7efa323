/* One interface to text, HDF5 and tables in memory. Text forms make the text of a rank's rows locally and write it together;
 * HDF5 gets columns, in which an edge is type, source and target. */

#include "io/rows/row_writer.h"

#include "core/memory.h"
#include "io/file/local_file.h"
#include "io/file/output.h"

#include <string.h>

struct gemp_row_writer {
	const gemp_comm *comm;
	gemp_row_form form; /* of a preview TSV */
	bool previews;      /* there is no path */
	FILE *preview;
	gemp_text text;            /* of a preview on rank 0: all so far; else this turn's */
	gemp_output *output;       /* text forms with a path */
	gemp_result_file *results; /* HDF5 */
	gemp_table *table;         /* borrowed; NULL: rows do not stay in memory */
	size_t flat_count;         /* of HDF5 and tables: an edge is three columns */
	gemp_column *flat;         /* [flat_count] names and types */
};

/* Local. */
static gemp_code check_form(const char *option, const char *path)
{
	if (!path || gemp_row_form_of(path) != GEMP_ROWS_UNKNOWN)
		return GEMP_OK;
	return gemp_fail(GEMP_EUSAGE, "--%s %s: the ending must be .tsv, .csv, .jsonl or .h5, or - for TSV on stdout",
	                 option, path);
}

gemp_code gemp_rows_path_check(const gemp_comm *comm, const char *option, const char *path)
{
	char name[32];
	gemp_code code = check_form(option, path);
	snprintf(name, sizeof name, "--%s", option);
	if (code == GEMP_OK && path && strcmp(path, "-") != 0 && comm->rank == 0)
		code = gemp_file_may_write(name, path);
	return gemp_comm_agree(comm, code);
}

/* HDF5 */

static gemp_code name_flat(gemp_row_writer *writer, const gemp_projected *columns, size_t count, bool lists)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text name = { 0 };
	static const char *const parts[] = { "type", "source", "target" };
	GEMP_PROPAGATE(GEMP_NEW(writer->flat, 3 * count));
	for (size_t c = 0; c < count; c++)
		for (int part = 0; part < (columns[c].edge ? 3 : 1); part++) {
			gemp_text_clear(&name);
			gemp_text_print(&name, columns[c].edge ? "%s.%s" : "%s", columns[c].name, parts[part]);
			GEMP_PROPAGATE(gemp_text_status(&name));
			gemp_type type = (part == 0 ? &columns[c].value : &columns[c].source)->type;
			type = type == GEMP_LIST && !lists ? GEMP_STRING : type;
			GEMP_PROPAGATE(gemp_column_init(&writer->flat[writer->flat_count++], name.data, type));
		}
	return GEMP_OK;
}

/* What the columns hold, borrowed. lists: tables know them; files have their text. */
static void flatten(const gemp_projected *columns, size_t count, gemp_column *flat, bool lists)
{
	for (size_t c = 0; c < count; c++) {
		*flat = columns[c].value;
		flat->type = flat->type == GEMP_LIST && !lists ? GEMP_STRING : flat->type;
		flat++;
		if (columns[c].edge) {
			*flat++ = columns[c].source;
			*flat++ = columns[c].target;
		}
	}
}

/* Edges become three columns in HDF5. */
static gemp_code write_results(gemp_row_writer *writer, const gemp_projected *columns, size_t count, size_t rows)
{
	gemp_column *flat = NULL;
	const gemp_column **list = NULL;
	gemp_code code = GEMP_NEW(flat, writer->flat_count);
	GEMP_THEN(GEMP_NEW(list, writer->flat_count));
	GEMP_TRY(gemp_comm_agree(writer->comm, code));
	flatten(columns, count, flat, false);
	for (size_t c = 0; c < writer->flat_count; c++)
		list[c] = &flat[c];
	code = gemp_result_file_write(writer->results, list, rows);
done:
	gemp_free_all(list, flat);
	return code;
}

/* Names of the flat columns must live as long as the file is open. */
static gemp_code open_results(gemp_row_writer *writer, const gemp_projected *columns, size_t count, const char *path)
{
	const gemp_column **flat = NULL;
	gemp_code code = name_flat(writer, columns, count, false);
	GEMP_THEN(GEMP_NEW(flat, writer->flat_count));
	GEMP_TRY(gemp_comm_agree(writer->comm, code));
	for (size_t c = 0; c < writer->flat_count; c++)
		flat[c] = &writer->flat[c];
	code = gemp_result_file_open(&writer->results, writer->comm, path, flat, writer->flat_count);
done:
	gemp_free(flat);
	return code;
}

/* TABLES */

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

static gemp_code keep_rows(gemp_row_writer *writer, const gemp_projected *columns, size_t count, size_t rows)
{
	gemp_column *flat = NULL;
	gemp_code code = GEMP_NEW(flat, writer->flat_count);
	if (code == GEMP_OK)
		flatten(columns, count, flat, true);
	for (size_t c = 0; c < writer->flat_count && code == GEMP_OK; c++)
		for (size_t row = 0; row < rows && code == GEMP_OK; row++) {
			gemp_value value = gemp_column_get(&flat[c], row);
			code = gemp_column_add(&writer->table->columns[c], &value);
		}
	writer->table->rows += rows;
	gemp_free(flat);
	return gemp_comm_agree(writer->comm, code);
}

/* TEXT */

/* A preview's few rows go to rank 0 at once, the text of others to their places. */
static gemp_code write_text(gemp_row_writer *writer)
{
	gemp_code code = GEMP_OK;
	void *all = NULL;
	size_t *begin = NULL;
	if (writer->output) {
		code = gemp_output_write(writer->output, writer->text.data, writer->text.size);
		gemp_text_clear(&writer->text);
		return code;
	}
	const gemp_comm *comm = writer->comm;
	GEMP_TRY(gemp_comm_allgather(comm, writer->text.data, writer->text.size, &all, &begin));
	gemp_text_clear(&writer->text);
	if (comm->rank == 0)
		gemp_text_add(&writer->text, all, begin[comm->size]);
	code = gemp_comm_agree(comm, gemp_text_status(&writer->text));
done:
	gemp_free_all(all, begin);
	return code;
}

/* The header is rank 0's first text. */
static gemp_code open_text(gemp_row_writer *writer, const gemp_projected *columns, size_t count, const char *path)
{
	if (path)
		GEMP_PROPAGATE(gemp_output_open(&writer->output, writer->comm, path));
	if (writer->comm->rank == 0 && writer->form == GEMP_ROWS_CSV)
		gemp_csv_header(&writer->text, columns, count);
	else if (writer->comm->rank == 0 && writer->form != GEMP_ROWS_JSON)
		gemp_tsv_header(&writer->text, columns, count);
	GEMP_PROPAGATE(gemp_comm_agree(writer->comm, gemp_text_status(&writer->text)));
	if (path)
		return write_text(writer);
	return GEMP_OK;
}

/* Only rank 0 has a preview; the others agree on its failure. */
static gemp_code show(gemp_row_writer *writer)
{
	gemp_code code = GEMP_OK;
	gemp_text table = { 0 };
	if (writer->preview) {
		code = gemp_align_tsv(&table, writer->text.data, writer->text.size);
		if (code == GEMP_OK)
			fwrite(table.data, 1, table.size, writer->preview);
		gemp_text_free(&table);
	}
	return gemp_comm_agree(writer->comm, code);
}

/* ALL FORMS */

bool gemp_rows_wants_all(const gemp_rows_options *options)
{
	return options->path || options->table;
}

gemp_code gemp_row_writer_open(gemp_row_writer **out, const gemp_comm *comm, const gemp_projected *columns,
                               size_t count, const gemp_rows_options *options)
{
	gemp_row_writer *writer;
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
done:
	gemp_row_writer_abandon(writer);
	return code;
}

/* Text is made locally and written collectively. */
gemp_code gemp_row_writer_write(gemp_row_writer *writer, const gemp_projected *columns, size_t count, size_t rows)
{
	if (writer->table)
		return keep_rows(writer, columns, count, rows);
	if (writer->form == GEMP_ROWS_HDF5)
		return write_results(writer, columns, count, rows);
	gemp_code code = gemp_comm_agree(writer->comm, gemp_rows_text(&writer->text, writer->form, columns, count, rows));
	return code == GEMP_OK ? write_text(writer) : code;
}

/* Results and output are closed by their own functions, which free them. */
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
		code = show(writer);
	gemp_row_writer_abandon(writer);
	return code;
}

/* Takes a writer that is only partly open. */
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
