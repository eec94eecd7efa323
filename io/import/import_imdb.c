/* IMDb's own dumps: a folder with title.basics, name.basics, title.principals and, optionally, title.ratings (.tsv,
 * .tsv.gz or .tsv.zst). Titles become vertices Movie, and people become vertices Person. A principal becomes an edge
 * from the person to the title. Its type is ACTS_IN for actors and actresses, and otherwise the name of its category in
 * capitals. \N is NULL. Titles have the attribute `name`, as people and as the films of `generate movies`, so that the
 * same queries answer for both graphs. */

#include "core/status.h"
#include "io/import/import.h"
#include "io/text/cells.h"
#include "io/text/lines.h"
#include "partition/build/builder.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

enum { MAX_FIELDS = 9, MAX_TYPE = 64 };

/* A field of a file, and the attribute that it becomes. */
typedef struct field {
	const char *name, *column; /* column NULL: the field becomes no attribute */
	gemp_type type;
} field;

typedef struct table {
	const char *name; /* name of the file, without .tsv */
	bool edges, optional;
	const char *label; /* label of the table's vertices; NULL: the table has no vertices */
	field fields[MAX_FIELDS];
} table;

enum { RATINGS, TITLES, PEOPLE, PRINCIPALS, TABLES };

/* The key fields come first in each table. Ratings precede titles, since ratings become attributes of titles. */
static const table tables[TABLES] = {
	[RATINGS] = { "title.ratings",
	              false,
	              true,
	              NULL,
	              { { "tconst", NULL, GEMP_STRING },
	                { "averageRating", "averageRating", GEMP_FLOAT },
	                { "numVotes", "numVotes", GEMP_INTEGER } } },
	[TITLES] = { "title.basics",
	             false,
	             false,
	             "Movie",
	             { { "tconst", NULL, GEMP_STRING },
	               { "titleType", "titleType", GEMP_STRING },
	               { "primaryTitle", "name", GEMP_STRING },
	               { "originalTitle", "originalTitle", GEMP_STRING },
	               { "isAdult", "isAdult", GEMP_BOOLEAN },
	               { "startYear", "year", GEMP_INTEGER },
	               { "endYear", "endYear", GEMP_INTEGER },
	               { "runtimeMinutes", "runtimeMinutes", GEMP_INTEGER },
	               { "genres", "genres", GEMP_STRING } } },
	[PEOPLE] = { "name.basics",
	             false,
	             false,
	             "Person",
	             { { "nconst", NULL, GEMP_STRING },
	               { "primaryName", "name", GEMP_STRING },
	               { "birthYear", "birthYear", GEMP_INTEGER },
	               { "deathYear", "deathYear", GEMP_INTEGER },
	               { "primaryProfession", "primaryProfession", GEMP_STRING },
	               { "knownForTitles", "knownForTitles", GEMP_STRING } } },
	[PRINCIPALS] = { "title.principals",
	                 true,
	                 false,
	                 NULL,
	                 { { "tconst", NULL, GEMP_STRING },
	                   { "nconst", NULL, GEMP_STRING },
	                   { "category", "category", GEMP_STRING },
	                   { "ordering", "ordering", GEMP_INTEGER },
	                   { "job", "job", GEMP_STRING },
	                   { "characters", "characters", GEMP_STRING } } },
};

/* Tables have different numbers of fields. The first field without a name ends the list. */
static size_t field_count(const table *table)
{
	size_t count = 0;
	while (count < MAX_FIELDS && table->fields[count].name)
		count++;
	return count;
}

typedef struct rating {
	double average;
	int64_t votes;
	bool null[2];
} rating;

typedef struct imdb_reader {
	const gemp_comm *comm;
	gemp_builder *builder;
	gemp_cells cells;
	gemp_lines lines[TABLES];
	bool present[TABLES];
	uint32_t files[TABLES];
	size_t columns[TABLES][MAX_FIELDS]; /* the builder's columns */
	size_t places[TABLES][MAX_FIELDS];  /* index of each field in a line, from the header */
	size_t widths[TABLES];              /* number of fields in the header */
	int now;                            /* the current table */
	bool enough;                        /* the header of the current table was read */
	gemp_dictionary rated;              /* titles with a rating, and titles that were looked up */
	rating *ratings;                    /* [ratings_capacity >= rated.list.count] for each title in `rated` */
	size_t ratings_capacity;
} imdb_reader;

/* THE FOLDER */

/* IMDb compresses its tables by gzip. Plain tables and tables compressed by Zstandard are also accepted. */
static gemp_code find_file(gemp_paths *out, const char *folder, const table *table, bool *present)
{
	static const char *const endings[] = { ".tsv", ".tsv.gz", ".tsv.zst" };
	GEMP_OWNED_BY(gemp_text_free) gemp_text path = { 0 };
	*present = false;
	for (size_t i = 0; i < 3; i++) {
		gemp_text_clear(&path);
		gemp_text_print(&path, "%s/%s%s", folder, table->name, endings[i]);
		GEMP_TRY(gemp_text_status(&path));
		*present = access(path.data, F_OK) == 0;
		if (*present)
			return gemp_paths_add(out, path.data);
	}
	if (table->optional)
		return GEMP_OK;
	return gemp_fail(GEMP_ENOINPUT,
	                 "%s: there is no %s.tsv.gz; name the folder that holds IMDb's title.basics, "
	                 "name.basics and title.principals",
	                 folder, table->name);
}

/* Lists the files of the folder that an import reads. gemp_import_files calls this function, and the list becomes part
 * of the graph's provenance. */
static gemp_code list_files(gemp_paths *out, const char *folder)
{
	bool present;
	for (size_t t = 0; t < TABLES; t++)
		GEMP_TRY(find_file(out, folder, &tables[t], &present));
	return GEMP_OK;
}

/* HEADERS */

/* Columns are found by name, since IMDb has added columns in the past. */
static gemp_code read_header(void *self, const gemp_line *line)
{
	imdb_reader *r = self;
	const table *table = &tables[r->now];
	GEMP_TRY(gemp_cells_tsv(&r->cells, line->text, line->size));
	for (size_t f = 0; f < field_count(table); f++) {
		const char *name = table->fields[f].name;
		size_t c = 0;
		while (c < r->cells.count && (strlen(name) != r->cells.cell[c].size ||
		                              memcmp(name, r->cells.cell[c].bytes, r->cells.cell[c].size) != 0))
			c++;
		if (c == r->cells.count)
			return gemp_fail(GEMP_EDATA, "column '%s' is missing; the first line must be IMDb's header of %s", name,
			                 table->name);
		r->places[r->now][f] = c;
	}
	r->widths[r->now] = r->cells.count;
	r->enough = true;
	return GEMP_OK;
}

/* Ratings become attributes of titles, so their columns are declared as columns of vertices. */
static gemp_code declare(imdb_reader *r, const gemp_paths *paths)
{
	for (size_t t = 0, i = 0; t < TABLES; t++) {
		if (r->present[t])
			GEMP_TRY(gemp_builder_file(r->builder, paths->path[i++], &r->files[t]));
		for (size_t f = 0; f < field_count(&tables[t]); f++) {
			const field *field = &tables[t].fields[f];
			if (field->column && r->present[t])
				GEMP_TRY((tables[t].edges ? gemp_builder_edge_column : gemp_builder_vertex_column)(
					r->builder, field->column, field->type, &r->columns[t][f]));
		}
	}
	return GEMP_OK;
}

/* LINES */

static bool is_null(const gemp_text_cell *cell)
{
	return cell->size == 0 || (cell->size == 2 && memcmp(cell->bytes, "\\N", 2) == 0);
}

static const gemp_text_cell *cell_of(const imdb_reader *r, size_t f)
{
	return &r->cells.cell[r->places[r->now][f]];
}

/* Reads a field of the current line. An empty cell and \N are NULL. */
static gemp_code read_value(const imdb_reader *r, size_t f, gemp_value *out)
{
	const field *field = &tables[r->now].fields[f];
	const gemp_text_cell *cell = cell_of(r, f);
	*out = (gemp_value){ .type = field->type, .null = true };
	if (is_null(cell))
		return GEMP_OK;
	gemp_code code = gemp_scalar_read(out, field->type, cell->bytes, cell->size);
	return code == GEMP_EDATA ? gemp_fail_in(code, "column '%s': ", field->name) : code;
}

/* Reads a field that every line must have. */
static gemp_code read_key(const imdb_reader *r, size_t f, gemp_value *out)
{
	gemp_code code = read_value(r, f, out);
	if (code == GEMP_OK && out->null)
		code = gemp_fail(GEMP_EDATA, "%s is missing; every line needs one", tables[r->now].fields[f].name);
	return code;
}

/* Sets the attributes of the vertex or edge that was added last. */
static gemp_code add_values(imdb_reader *r)
{
	const table *table = &tables[r->now];
	for (size_t f = 0; f < field_count(table); f++) {
		gemp_value value;
		if (!table->fields[f].column)
			continue;
		GEMP_TRY(read_value(r, f, &value));
		if (!value.null)
			GEMP_TRY((table->edges ? gemp_builder_edge_value
			                       : gemp_builder_vertex_value)(r->builder, r->columns[r->now][f], &value));
	}
	return GEMP_OK;
}

/* The rating is stored under the title's key, since the title follows later in another file. */
static gemp_code store_rating(imdb_reader *r)
{
	gemp_value key, average, votes;
	uint32_t at;
	GEMP_TRY(read_key(r, 0, &key));
	GEMP_TRY(read_value(r, 1, &average));
	GEMP_TRY(read_value(r, 2, &votes));
	GEMP_TRY(gemp_dictionary_add(&r->rated, key.string.bytes, key.string.size, &at));
	GEMP_TRY(GEMP_RESERVE(r->ratings, r->ratings_capacity, r->rated.list.count));
	r->ratings[at] = (rating){ average.null ? 0 : average.real,
		                       votes.null ? 0 : votes.integer,
		                       { average.null, votes.null } };
	return GEMP_OK;
}

/* A dictionary cannot look up a key without adding it. So a title without a rating is added to `rated` with a rating of
 * NULL. */
static gemp_code add_rating(imdb_reader *r, const gemp_value *key)
{
	uint32_t at;
	size_t known = r->rated.list.count;
	if (!r->present[RATINGS])
		return GEMP_OK;
	GEMP_TRY(gemp_dictionary_add(&r->rated, key->string.bytes, key->string.size, &at));
	if (at == known) { /* the title has no rating */
		GEMP_TRY(GEMP_RESERVE(r->ratings, r->ratings_capacity, known + 1));
		r->ratings[at] = (rating){ .null = { true, true } };
	}
	const gemp_value average = { .type = GEMP_FLOAT, .real = r->ratings[at].average };
	const gemp_value votes = { .type = GEMP_INTEGER, .integer = r->ratings[at].votes };
	if (!r->ratings[at].null[0])
		GEMP_TRY(gemp_builder_vertex_value(r->builder, r->columns[RATINGS][1], &average));
	if (!r->ratings[at].null[1])
		GEMP_TRY(gemp_builder_vertex_value(r->builder, r->columns[RATINGS][2], &votes));
	return GEMP_OK;
}

/* The type of an edge is the category in capitals, such as ARCHIVE_FOOTAGE. Actors and actresses get the type
 * ACTS_IN. */
static gemp_code name_type(const gemp_value *category, char *type, size_t *size)
{
	static const char *const actors[] = { "actor", "actress" };
	const char *bytes = category->string.bytes;
	*size = category->string.size;
	for (size_t i = 0; i < 2; i++)
		if (*size == strlen(actors[i]) && memcmp(bytes, actors[i], *size) == 0) {
			*size = strlen(strcpy(type, "ACTS_IN"));
			return GEMP_OK;
		}
	if (*size >= MAX_TYPE)
		return gemp_fail(GEMP_EDATA, "the category is longer than %d characters; shorten it", MAX_TYPE - 1);
	for (size_t i = 0; i < *size; i++)
		type[i] = bytes[i] == ' ' ? '_' : (char)toupper((unsigned char)bytes[i]);
	return GEMP_OK;
}

/* The category of a principal gives the type of the edge and is also an attribute. */
static gemp_code add_principal(imdb_reader *r, gemp_place place)
{
	gemp_value title, person, category;
	char type[MAX_TYPE];
	size_t size = 0;
	GEMP_TRY(read_key(r, 0, &title));
	GEMP_TRY(read_key(r, 1, &person));
	GEMP_TRY(read_key(r, 2, &category));
	GEMP_TRY(name_type(&category, type, &size));
	GEMP_TRY(gemp_builder_edge(r->builder, &person, &title, type, size, place));
	return add_values(r);
}

/* One visitor serves all tables; `now` is the current table. */
static gemp_code visit_line(void *self, const gemp_line *line)
{
	imdb_reader *r = self;
	const table *table = &tables[r->now];
	gemp_place place = { r->files[r->now], line->line };
	gemp_value key;
	if (line->line == 1 || line->size == 0)
		return GEMP_OK;
	GEMP_TRY(gemp_cells_tsv(&r->cells, line->text, line->size));
	if (r->cells.count != r->widths[r->now])
		return gemp_fail(GEMP_EDATA, "%zu fields where the header has %zu; the line is damaged", r->cells.count,
		                 r->widths[r->now]);
	if (r->now == RATINGS)
		return store_rating(r);
	if (table->edges)
		return add_principal(r, place);
	GEMP_TRY(read_key(r, 0, &key));
	GEMP_TRY(gemp_builder_vertex(r->builder, &key, table->label, strlen(table->label), place));
	GEMP_TRY(add_values(r));
	if (r->now == TITLES)
		return add_rating(r, &key);
	return GEMP_OK;
}

/* THE IMPORT */

/* Reads only the first line of each table. */
static gemp_code read_headers(imdb_reader *r, const gemp_paths *paths)
{
	for (size_t t = 0, i = 0; t < TABLES; t++) {
		r->now = (int)t;
		r->enough = false;
		if (r->present[t])
			GEMP_TRY(gemp_lines_head(paths->path[i++], read_header, r, &r->enough));
	}
	return GEMP_OK;
}

/* Local. Finds the files and reads their headers. */
static gemp_code find_files(imdb_reader *r, gemp_paths *paths, const char *folder)
{
	for (size_t t = 0; t < TABLES; t++)
		GEMP_TRY(find_file(paths, folder, &tables[t], &r->present[t]));
	return read_headers(r, paths);
}

/* Collective. A rank may read any title, so every rank reads all ratings. The ranks share the lines of the other
 * tables. */
static gemp_code read_tables(imdb_reader *r, const gemp_paths *paths)
{
	for (size_t t = 0, i = 0; t < TABLES; t++) {
		bool never = false;
		r->now = (int)t;
		if (!r->present[t])
			continue;
		const char *path = paths->path[i++];
		if (t == RATINGS) {
			GEMP_TRY(gemp_comm_agree(r->comm, gemp_lines_head(path, visit_line, r, &never)));
			continue;
		}
		GEMP_TRY(gemp_lines_open(&r->lines[t], r->comm, path, NULL, i));
		GEMP_TRY(gemp_lines_visit(&r->lines[t], r->comm, visit_line, r));
	}
	return GEMP_OK;
}

static void free_reader(imdb_reader *r)
{
	gemp_builder_free(r->builder);
	gemp_dictionary_free(&r->rated);
	gemp_free(r->ratings);
	gemp_cells_free(&r->cells);
}

/* Every rank reads all headers, so the places of fields are not broadcast. */
static gemp_code read_imdb(gemp_shard **out, const gemp_comm *comm, const gemp_import_options *options)
{
	GEMP_OWNED_BY(free_reader) imdb_reader r = { .comm = comm };
	GEMP_OWNED_BY(gemp_paths_free) gemp_paths paths = { 0 };
	gemp_builder_options built = gemp_format_builder(options);
	built.vertices_from_edges = true; /* principals name people who are not in name.basics */
	GEMP_TRY(gemp_comm_agree(comm, find_files(&r, &paths, options->edge_files[0])));
	GEMP_TRY(gemp_builder_new(&r.builder, comm, &built));
	GEMP_TRY(gemp_comm_agree(comm, declare(&r, &paths)));
	GEMP_TRY(read_tables(&r, &paths));
	return gemp_builder_finish(r.builder, out);
}

const gemp_format gemp_format_imdb = {
	.name = "imdb",
	.endings = "",
	.summary = "Folder of IMDb's dumps: title.basics, name.basics, title.principals, title.ratings",
	.one_file = true,
	.files = list_files,
	.read = read_imdb,
};
