/* Random tables are written as TSV and CSV over several files, plain and compressed. The imported graph must have the
 * same vertices, edges and attributes. */
#include "core/memory.h"
#include "harness/collective.h"

#include "comm/comm.h"
#include "core/random.h"
#include "core/text.h"
#include "graph/column.h"
#include "graph/graph.h"
#include "io/import/import.h"

#include <stdio.h>
#include <string.h>
#include <zlib.h>

enum { MAX_ROWS = 60, MAX_FILES = 3, COLUMNS = 4, TEXT = 40, PATH_SIZE = 4200 };
enum { STRING, INTEGER, FLOAT, BOOLEAN };

static const char *const names[COLUMNS] = { "s:string", "i", "f", "b" };
static const gemp_type types[COLUMNS] = { GEMP_STRING, GEMP_INTEGER, GEMP_FLOAT, GEMP_BOOLEAN };

/* A value and its text in a file. */
typedef struct cell {
	bool null;
	char text[TEXT];
	gemp_value value;
} cell;

/* A vertex, or an edge between two rows of the vertices. */
typedef struct row {
	char key[TEXT], labels[8];
	uint64_t source, target;
	cell cells[COLUMNS];
} row;

typedef struct table {
	size_t count;
	row rows[MAX_ROWS];
} table;

static table vertices, edges;
static uint64_t seed;
static bool csv;

static uint64_t below(uint64_t bound)
{
	return gemp_random_below(&seed, bound);
}

static void draw_text(char *text)
{
	static const char *const pieces[] = { "a",  "Zz", "ä",   "€", "𝄞",  " ", "'",  ";",    "#",
		                                  "\\", "0",  "NaN", ":", "\"", ",", "\n", "\r\n", "\t" };
	uint64_t count = below(6) + !csv;
	text[0] = '\0';
	for (uint64_t i = 0; i < count; i++)
		strcat(text, pieces[below(csv ? 18 : 15)]);
}

static void draw_cell(cell *cell, int column)
{
	gemp_value *value = &cell->value;
	*value = (gemp_value){ .type = types[column] };
	cell->null = below(4) == 0;
	switch (column) {
	case STRING:
		draw_text(cell->text);
		value->string.bytes = cell->text;
		value->string.size = strlen(cell->text);
		break;
	case INTEGER:
		value->integer = below(2) ? (int64_t)gemp_random(&seed) : (int64_t)below(20) - 10;
		snprintf(cell->text, TEXT, "%lld", (long long)value->integer);
		break;
	case FLOAT:
		value->real = (gemp_random_unit(&seed) - 0.5) * (below(2) ? 1e30 : 1);
		snprintf(cell->text, TEXT, "%.17e", value->real);
		break;
	default: value->truth = below(2); strcpy(cell->text, value->truth ? "true" : "false");
	}
}

static void draw_tables(bool integer_keys)
{
	static const char *const labels[] = { "", "A", "B", "A;B" };
	vertices.count = below(MAX_ROWS);
	edges.count = vertices.count ? below(MAX_ROWS) : 0;
	for (size_t i = 0; i < vertices.count; i++) {
		snprintf(vertices.rows[i].key, TEXT, integer_keys ? "%zu" : "k%zu\xc3\xa4", i * 7);
		strcpy(vertices.rows[i].labels, labels[below(4)]);
	}
	for (size_t i = 0; i < edges.count; i++) {
		edges.rows[i].source = below(vertices.count);
		edges.rows[i].target = below(vertices.count);
		strcpy(edges.rows[i].labels, below(2) ? "T" : "U");
	}
	for (int c = 0; c < COLUMNS; c++) {
		for (size_t i = 0; i < vertices.count; i++)
			draw_cell(&vertices.rows[i].cells[c], c);
		for (size_t i = 0; i < edges.count; i++)
			draw_cell(&edges.rows[i].cells[c], c);
	}
}

static void write_field(gemp_text *out, const char *field, bool null)
{
	if (null || !csv || (*field && !strpbrk(field, ",\"\r\n") && below(2))) {
		gemp_text_print(out, "%s", null ? "" : field);
		return;
	}
	gemp_text_print(out, "\"");
	for (; *field; field++)
		gemp_text_print(out, "%s%c", *field == '"' ? "\"" : "", *field);
	gemp_text_print(out, "\"");
}

/* Writes field number `field` of a row, or of the header if row is NULL. Vertices have the fields id, row, type and the
 * attributes; edges have src, dst, row, type and the attributes. */
static void write_numbered(gemp_text *out, const table *table, const row *row, size_t field)
{
	static const char *const heads[2][4] = { { "id", "row", "type", "" }, { "src", "dst", "row", "type" } };
	size_t fixed = table == &edges ? 4 : 3;
	char number[TEXT];
	const char *head = field < fixed ? heads[table == &edges][field] : names[field - fixed];
	if (!row) {
		write_field(out, head, false);
		return;
	}
	snprintf(number, TEXT, "%zu", (size_t)(row - table->rows));
	if (field >= fixed)
		write_field(out, row->cells[field - fixed].text, row->cells[field - fixed].null);
	else if (strcmp(head, "row") == 0)
		write_field(out, number, false);
	else if (strcmp(head, "type") == 0)
		write_field(out, row->labels, row->labels[0] == '\0');
	else
		write_field(out,
		            strcmp(head, "id") == 0    ? row->key
		            : strcmp(head, "src") == 0 ? vertices.rows[row->source].key
		                                       : vertices.rows[row->target].key,
		            false);
}

/* Rank 0 writes the text, compressed by gzip if `zipped`. */
static void write_bytes(const char *path, const gemp_text *text, bool zipped)
{
	bool good = true;
	if (test_comm.rank == 0 && zipped) {
		gzFile file = gzopen(path, "wb");
		good = file && gzwrite(file, text->data, (unsigned)text->size) == (int)text->size;
		good = file && gzclose(file) == Z_OK && good;
	} else if (test_comm.rank == 0) {
		FILE *file = fopen(path, "wb");
		good = file && fwrite(text->data, 1, text->size, file) == text->size;
		good = file && fclose(file) == 0 && good;
	}
	assert_all(good);
}

/* Writes one of the `files` files of a table. The file has its own order of columns. */
static void write_table(char *path, const table *table, size_t file, size_t files)
{
	gemp_text text = { 0 };
	size_t order[COLUMNS + 4], fields = COLUMNS + (table == &edges ? 4 : 3);
	const char *end = below(2) ? "\r\n" : "\n";
	bool zipped = below(3) == 0;
	char name[64];
	for (size_t i = 0; i < fields; i++) {
		size_t at = below(i + 1);
		order[i] = order[at];
		order[at] = i;
	}
	if (below(3) == 0)
		gemp_text_print(&text, "\xef\xbb\xbf");
	for (size_t r = 0; r <= table->count; r++) {
		if (r > 0 && (r - 1) % files != file)
			continue;
		for (size_t i = 0; i < fields; i++) {
			gemp_text_print(&text, "%s", i == 0 ? r > 0 ? end : "" : csv ? "," : "\t");
			write_numbered(&text, table, r > 0 ? &table->rows[r - 1] : NULL, order[i]);
		}
	}
	gemp_text_print(&text, "%s", below(2) ? end : "");
	snprintf(name, sizeof name, "%s%zu.%s%s", table == &edges ? "e" : "v", file, csv ? "csv" : "tsv",
	         zipped ? ".gz" : "");
	snprintf(path, PATH_SIZE, "%s", test_path_all(name));
	write_bytes(path, &text, zipped);
	gemp_text_free(&text);
}

static bool same_value(const gemp_value *a, const gemp_value *b)
{
	if (a->type != b->type)
		return false;
	switch (a->type) {
	case GEMP_STRING:
		return a->string.size == b->string.size && memcmp(a->string.bytes, b->string.bytes, a->string.size) == 0;
	case GEMP_INTEGER: return a->integer == b->integer;
	case GEMP_FLOAT: return a->real == b->real;
	default: return a->truth == b->truth;
	}
}

/* Are the attributes right? The attribute "row" holds the number of the row in the table. */
static bool row_is_right(const gemp_table *attributes, size_t at, const table *table, size_t *number)
{
	static const char *const plain[COLUMNS] = { "s", "i", "f", "b" };
	gemp_value carried = gemp_column_get(gemp_table_find(attributes, "row"), at);
	if (carried.null || carried.integer < 0 || (size_t)carried.integer >= table->count)
		return false;
	*number = (size_t)carried.integer;
	for (int c = 0; c < COLUMNS; c++) {
		const cell *cell = &table->rows[*number].cells[c];
		/* a column of edges does not exist if all its values are NULL */
		const gemp_column *column = gemp_table_find(attributes, plain[c]);
		gemp_value value = column ? gemp_column_get(column, at) : (gemp_value){ .null = true };
		if (value.null != cell->null || (!value.null && !same_value(&value, &cell->value)))
			return false;
	}
	return true;
}

static bool vertex_is_right(const gemp_shard *graph, size_t at, uint64_t *number)
{
	gemp_text text = { 0 };
	size_t row;
	bool good = row_is_right(&graph->attributes, at, &vertices, &row);
	const gemp_label_set *set = &graph->label_sets[graph->label_set_of[at]];
	gemp_value key = gemp_column_get(&graph->keys, at);
	gemp_value_print(&key, &text);
	for (size_t i = 0; i < set->count; i++)
		gemp_text_print(&text, "%c%s", i ? ';' : '/', graph->labels[set->labels[i]]);
	if (good) {
		char expected[2 * TEXT];
		const char *labels = vertices.rows[row].labels;
		snprintf(expected, sizeof expected, "%s%s%s", vertices.rows[row].key, *labels ? "/" : "", labels);
		good = strcmp(text.data, expected) == 0;
		*number = row;
	}
	gemp_text_free(&text);
	return good;
}

/* Collective. row_of[id] is the row of the table of vertices that became vertex id. */
static void check_graph(const gemp_shard *graph)
{
	uint64_t own[MAX_ROWS], seen = 0, *row_of;
	size_t *begin;
	bool good = true;
	for (size_t v = 0; v < graph->rows; v++)
		good = vertex_is_right(graph, v, &own[v]) && good;
	assert_all(good && graph->vertex_count == vertices.count && gemp_shard_edges(graph) == edges.count);
	assert_all_ok(gemp_comm_allgather(&test_comm, GEMP_OK, own, graph->rows * sizeof *own, (void **)&row_of, &begin));
	for (size_t r = 0; r < graph->relation_count; r++)
		for (size_t v = 0; v < graph->rows; v++) {
			const gemp_relation *relation = &graph->relations[r];
			for (uint64_t e = relation->out_offsets[v]; e < relation->out_offsets[v + 1]; e++) {
				size_t number = 0;
				good = good && row_is_right(&relation->props, e, &edges, &number);
				const row *edge = &edges.rows[number];
				good = good && edge->source == own[v] && edge->target == row_of[relation->out_targets[e]];
				good = good && strcmp(edge->labels, relation->name) == 0 && !(seen >> number & 1);
				seen |= UINT64_C(1) << number;
			}
		}
	assert_all(good);
	gemp_free(row_of);
	gemp_free(begin);
}

static void random_tables(void **state)
{
	(void)state;
	static char paths[2][MAX_FILES][PATH_SIZE];
	seed = test_seed_all();
	for (int round = 0; round < 30; round++) {
		const char *list[2][MAX_FILES];
		size_t files[2];
		gemp_shard *graph = NULL;
		bool integer_keys = below(2);
		csv = round % 2;
		draw_tables(integer_keys);
		for (int which = 0; which < 2; which++) {
			files[which] = 1 + below(MAX_FILES);
			for (size_t file = 0; file < files[which]; file++) {
				write_table(paths[which][file], which ? &edges : &vertices, file, files[which]);
				list[which][file] = paths[which][file];
			}
		}
		gemp_import_options options = { .vertex_files = list[0],
			                            .vertex_file_count = files[0],
			                            .edge_files = list[1],
			                            .edge_file_count = files[1],
			                            .seed = seed };
		assert_all_ok(gemp_import(&graph, &test_comm, &options));
		assert_all(!vertices.count || graph->keys.type == (integer_keys ? GEMP_INTEGER : GEMP_STRING));
		check_graph(graph);
		gemp_shard_free(graph);
		assert_all(gemp_memory_blocks() == 0);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(random_tables) };
	return test_main_all(argc, argv, tests);
}
