/* The loops over vertices and edges that all formats share. Each rank makes its text twice: first to measure it, then
 * to write it. The offset of the text in the file is the sum of the sizes on lower ranks. The vertex or edge is put in
 * front of a failure's message. */

#include "io/export/export.h"

#include "core/limits.h"
#include "core/status.h"
#include "io/file/output.h"
#include "partition/derived/canonical.h"
#include "partition/exchange/value_exchange.h"

#include <string.h>
#include <strings.h>

enum { FLUSHED = 1 << 20 }; /* maximal number of bytes of text in memory */

static const gemp_export_writer *const forms[] = {
	NULL,
	&gemp_export_tsv,
	&gemp_export_csv,
	&gemp_export_jsonl,
	&gemp_export_graphml,
	&gemp_export_dot,
	&gemp_export_mtx,
	&gemp_export_xmi,
	&gemp_export_adjacency,
};
enum { FORMS = sizeof forms / sizeof *forms };

/* The case of these endings does not matter, whereas it does for files of rows (gemp_row_form_of). */
static bool ends_in(const char *path, const char *ending)
{
	size_t size = strlen(path), tail = strlen(ending);
	return size > tail && strcasecmp(path + size - tail, ending) == 0;
}

/* `forms` has the order of gemp_export_format. AUTO is the first value and has no writer. */
gemp_code gemp_export_choose(gemp_export_format *format, const char *path)
{
	for (size_t i = 1; *format == GEMP_EXPORT_AUTO && i < FORMS; i++)
		if (ends_in(path, forms[i]->ending))
			*format = (gemp_export_format)i;
	if (*format != GEMP_EXPORT_AUTO)
		return GEMP_OK;
	return gemp_fail(GEMP_EUSAGE,
	                 "%s: its ending does not tell the format (.tsv, .csv, .jsonl, .graphml, .xmi, .dot, "
	                 ".mtx or .adj); name the format",
	                 path);
}

void gemp_export_files_free(gemp_export_files *files)
{
	gemp_free_all(files->vertices, files->edges);
	*files = (gemp_export_files){ 0 };
}

/* FAILURES */

/* Appends a key to a message; a long key is cut. */
static void add_shortened(gemp_text *out, const gemp_value *key)
{
	enum { LONGEST = 60 };
	gemp_value shown = *key;
	if (key->type == GEMP_STRING && key->string.size > LONGEST)
		shown.string.size = LONGEST;
	gemp_value_print(&shown, out);
	gemp_text_print(out, "%s", key->type == GEMP_STRING && key->string.size > LONGEST ? "..." : "");
}

/* Only GEMP_EDATA comes from a value of the graph. Other failures pass unchanged. */
static gemp_code fail_in_place(gemp_code code, const gemp_export_context *e, const gemp_text *place)
{
	if (code != GEMP_EDATA || gemp_text_status(place) != GEMP_OK)
		return code;
	return gemp_fail_in(code, "%s: %s: ", e->options->path, place->data);
}

/* The message names the vertex by its key, since the value could not be found among millions of lines otherwise. */
static gemp_code fail_in_vertex(gemp_code code, const gemp_export_context *e, size_t row)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text place = { 0 };
	const gemp_value key = gemp_column_get(&e->graph->keys, row);
	if (code == GEMP_OK)
		return code;
	gemp_text_print(&place, "vertex ");
	add_shortened(&place, &key);
	return fail_in_place(code, e, &place);
}

/* An edge has no key, so the message names it by its ends and its type. */
static gemp_code fail_in_edge(gemp_code code, const gemp_export_context *e, const gemp_export_edge *edge)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text place = { 0 };
	if (code == GEMP_OK)
		return code;
	gemp_text_print(&place, "edge ");
	add_shortened(&place, &edge->source);
	gemp_text_print(&place, " -[:%s]-> ", e->graph->relations[edge->relation].name);
	add_shortened(&place, &edge->target);
	return fail_in_place(code, e, &place);
}

/* PARTS OF TEXT: the text of all vertices, or of all edges of a relation. The first pass measures a part, and the
 * second pass writes it. */

typedef struct export_part {
	gemp_export_context *e;
	gemp_output *output;
	size_t relation; /* for edges, their relation */
	gemp_text text;
	bool measuring;
	uint64_t size;
} export_part;

static bool is_printed(const gemp_export_options *options)
{
	return strcmp(options->path, "-") == 0;
}

/* Measures or writes the text if it is longer than `max` bytes. The text of many lines is written at once, since a call
 * of pwrite for each line would cost more than making the line. A text for stdout stays in memory until the end, since
 * rank 0 prints the texts of the ranks one after the other. */
static gemp_code flush_text(export_part *p, size_t max)
{
	gemp_code code = gemp_text_status(&p->text);
	if (code != GEMP_OK || p->text.size <= max || is_printed(p->e->options))
		return code;
	if (p->measuring)
		p->size += p->text.size;
	else
		code = gemp_output_fill(p->output, p->text.data, p->text.size);
	gemp_text_clear(&p->text);
	return code;
}

/* Collective. The ranks walk independently and agree on their codes at the end. */
static gemp_code walk_vertices(export_part *p)
{
	gemp_code code = GEMP_OK;
	for (size_t row = 0; row < p->e->graph->rows && code == GEMP_OK; row++) {
		code = fail_in_vertex(p->e->form->vertex(p->e, row, &p->text), p->e, row);
		GEMP_THEN(flush_text(p, FLUSHED));
	}
	GEMP_THEN(flush_text(p, 0));
	return gemp_comm_agree(p->e->comm, code);
}

/* Local. Adds this rank's edges [from, from + count). *row is at most the row of the first edge on entry, and becomes
 * the row of the last edge. */
static gemp_code add_edges(export_part *p, uint64_t from, size_t count, const gemp_column *ends, const size_t *place,
                           size_t *row)
{
	gemp_code code = GEMP_OK;
	const gemp_export_context *e = p->e;
	const gemp_relation *r = &e->graph->relations[p->relation];
	const gemp_column *names = e->number.name ? &e->number : &e->graph->keys;
	for (size_t i = 0; i < count && code == GEMP_OK; i++) {
		while (r->out_offsets[*row + 1] <= from + i)
			++*row;
		gemp_export_edge edge = { p->relation, from + i, *row, gemp_column_get(names, *row),
			                      gemp_column_get(ends, place[i]) };
		code = fail_in_edge(e->form->edge(e, &edge, &p->text), e, &edge);
		GEMP_THEN(flush_text(p, FLUSHED));
	}
	return code;
}

/* Collective. In each round, each rank fetches the keys of the targets of its next export_chunk edges from their
 * owners. The rounds end when no rank has edges left. */
static gemp_code walk_edges(export_part *p)
{
	gemp_code code = GEMP_OK;
	const gemp_export_context *e = p->e;
	const gemp_relation *r = &e->graph->relations[p->relation];
	const gemp_column *names = e->number.name ? &e->number : &e->graph->keys;
	uint64_t edges = r->out_offsets[e->graph->rows], from = 0, more = r->edge_count;
	size_t row = 0;
	GEMP_OWNED size_t *place = NULL;
	size_t chunk = gemp_limits_now()->export_chunk;
	GEMP_TRY(gemp_comm_agree(e->comm, GEMP_NEW(place, chunk)));
	while (more) {
		GEMP_OWNED_BY(gemp_column_free) gemp_column ends = { 0 };
		size_t count = (size_t)gemp_min(edges - from, chunk);
		GEMP_TRY(gemp_vertex_values(e->comm, GEMP_OK, e->graph, names, r->out_targets + from, count, &ends, place));
		code = add_edges(p, from, count, &ends, place, &row);
		GEMP_THEN(flush_text(p, 0));
		GEMP_TRY(gemp_comm_agree(e->comm, code));
		from += count;
		more = from < edges;
		gemp_comm_max(e->comm, &more, 1);
	}
	return GEMP_OK;
}

/* Collective. Walks twice, over the vertices or over the edges of a relation: to measure and to write. One walk makes a
 * text for stdout. */
static gemp_code write_part(gemp_export_context *e, gemp_output *output, gemp_code (*walk)(export_part *),
                            size_t relation)
{
	export_part p = { .e = e, .output = output, .relation = relation, .measuring = true };
	gemp_code code = walk(&p);
	if (is_printed(e->options)) {
		GEMP_THEN(gemp_output_write(output, p.text.data, p.text.size));
	} else if (code == GEMP_OK) {
		gemp_output_reserve(output, p.size);
		p.measuring = false;
		code = walk(&p);
	}
	gemp_text_free(&p.text);
	return code;
}

/* Collective. Rank 0 writes a text that occurs once in the file. */
static gemp_code write_once(const gemp_export_context *e, gemp_output *output,
                            gemp_code (*print)(const gemp_export_context *, gemp_text *))
{
	gemp_code code = GEMP_OK;
	GEMP_OWNED_BY(gemp_text_free) gemp_text text = { 0 };
	if (print && e->comm->rank == 0)
		code = print(e, &text);
	GEMP_THEN(gemp_text_status(&text));
	GEMP_TRY(gemp_comm_agree(e->comm, code));
	return gemp_output_write(output, text.data, text.size);
}

/* FILES */

/* For example, makes F.vertices.tsv from F.tsv. */
static char *name_beside(const gemp_export_context *e, const char *what, const char *ending)
{
	gemp_text name = { 0 };
	const char *path = e->options->path, *own = e->form->ending;
	size_t stem = strlen(path) - (ends_in(path, own) ? strlen(own) : 0);
	gemp_text_print(&name, "%.*s%s%s", (int)stem, path, what, ending);
	return name.data;
}

/* Tables and matrices have a second file, since they cannot hold vertices and edges together. A matrix whose keys equal
 * the numbers of the vertices needs none. The second file of XMI is the metamodel, whose name is stored as
 * `vertices`. */
static gemp_code name_files(const gemp_export_context *e, gemp_export_files *files)
{
	const gemp_export_writer *form = e->form;
	bool matrix = form == &gemp_export_mtx, alone = !form->two_files || e->numbered;
	if (is_printed(e->options) && (form->beside || !alone))
		return gemp_fail(GEMP_EUSAGE, "%s makes two files, which stdout cannot hold; name a file", form->ending);
	if (form->beside) {
		files->vertices = name_beside(e, "", form->beside_ending);
		files->edges = gemp_strdup(e->options->path);
		return files->edges && files->vertices ? GEMP_OK : GEMP_ENOMEM;
	}
	if (!alone)
		files->vertices = matrix ? name_beside(e, ".keys", ".tsv") : name_beside(e, ".vertices", form->ending);
	files->edges = alone || matrix ? gemp_strdup(e->options->path) : name_beside(e, ".edges", form->ending);
	return files->edges && (alone || files->vertices) ? GEMP_OK : GEMP_ENOMEM;
}

/* Collective. Writes the metamodel if the format has one, then the vertices, to their own file if there is one, and
 * then the edges. A matrix without a file of keys has no text of vertices. */
static gemp_code write_all(gemp_export_context *e, const gemp_export_files *files)
{
	GEMP_OWNED_BY(gemp_output_abandon_at) gemp_output *vertices = NULL, *edges = NULL;
	const gemp_export_writer *form = e->form;
	GEMP_TRY(gemp_output_open(&edges, e->comm, files->edges));
	if (files->vertices)
		GEMP_TRY(gemp_output_open(&vertices, e->comm, files->vertices));
	gemp_output *first = form->two_files ? vertices : edges;
	if (form->beside)
		GEMP_TRY(write_once(e, vertices, form->beside));
	if (first) {
		GEMP_TRY(write_once(e, first, form->before_vertices));
		GEMP_TRY(write_part(e, first, walk_vertices, 0));
	}
	GEMP_TRY(write_once(e, edges, form->before_edges));
	for (size_t r = 0; r < e->graph->relation_count && form->edge; r++)
		if (gemp_export_includes(e, r))
			GEMP_TRY(write_part(e, edges, walk_edges, r));
	GEMP_TRY(write_once(e, edges, form->after_edges));
	first = vertices;
	vertices = NULL;
	GEMP_TRY(gemp_output_close(first));
	first = edges;
	edges = NULL;
	return gemp_output_close(first);
}

/* The message lists all types, since a misspelt name is the usual cause. */
static gemp_code find_type(const gemp_export_context *e)
{
	const gemp_shard *graph = e->graph;
	const char *type = e->options->type;
	GEMP_OWNED_BY(gemp_text_free) gemp_text names = { 0 };
	if (!type || gemp_shard_relation(graph, type))
		return GEMP_OK;
	for (size_t r = 0; r < graph->relation_count; r++)
		gemp_text_print(&names, "%s%s", r ? ", " : "", graph->relations[r].name);
	return gemp_fail(GEMP_EUSAGE, "type %s: the graph has no such edges; it has: %.300s", type,
	                 names.data ? names.data : "none");
}

/* Collective. Numbers the vertices from 1 in the order of their keys, and finds whether every key equals its number. */
static gemp_code number_vertices(gemp_export_context *e)
{
	const gemp_shard *graph = e->graph;
	uint64_t differs = graph->keys.type != GEMP_INTEGER;
	gemp_code code = gemp_column_init(&e->number, "number", GEMP_INTEGER);
	GEMP_THEN(gemp_column_reserve(&e->number, graph->rows, 0));
	for (size_t row = 0; row < graph->rows && code == GEMP_OK; row++) {
		const gemp_value number = { .type = GEMP_INTEGER, .integer = (int64_t)graph->key_ranks[row] + 1 };
		code = gemp_column_add(&e->number, &number);
		differs = differs || graph->keys.integers[row] != number.integer;
	}
	GEMP_TRY(gemp_comm_agree(e->comm, code));
	gemp_comm_max(e->comm, &differs, 1);
	e->numbered = !differs;
	return GEMP_OK;
}

/* Collective. Loads only the parts of the graph that the format writes. */
static gemp_code load_parts(gemp_export_context *e)
{
	gemp_shard *graph = e->graph;
	GEMP_TRY(gemp_shard_load_keys(graph));
	if (e->form->labels)
		GEMP_TRY(gemp_shard_load_labels(graph));
	for (size_t c = 0; e->form->attributes && c < graph->attributes.count; c++)
		GEMP_TRY(gemp_shard_load_attribute(graph, c));
	for (size_t r = 0; r < graph->relation_count; r++)
		if (gemp_export_includes(e, r))
			GEMP_TRY(gemp_shard_load_relation(graph, r, GEMP_LOAD_OUT | (e->form->props ? GEMP_LOAD_PROPS : 0u)));
	if (e->form == &gemp_export_mtx)
		GEMP_TRY(number_vertices(e));
	else
		GEMP_TRY(gemp_has_string_keys(e->comm, graph, &e->string_keys));
	if (e->form->prepare)
		return e->form->prepare(e);
	return GEMP_OK;
}

/* The context may be filled only in part, after a failure. */
static void free_context(gemp_export_context *e)
{
	gemp_edge_columns_free(&e->columns);
	gemp_column_free(&e->number);
	for (size_t r = 0; r < e->graph->relation_count && e->targets; r++) {
		gemp_column_free(&e->targets[r].keys);
		gemp_free(e->targets[r].index);
	}
	gemp_free(e->targets);
}

/* The checks of names, types and sizes come before the first file is opened. A value that the format cannot hold is
 * found while its text is made; the temporary files are then removed. */
gemp_code gemp_export(const gemp_comm *comm, gemp_shard *graph, const gemp_export_options *options,
                      gemp_export_files *files)
{
	GEMP_OWNED_BY(gemp_export_files_free) gemp_export_files named = { 0 };
	GEMP_OWNED_BY(free_context)
	gemp_export_context e = { .comm = comm, .graph = graph, .options = options, .form = forms[options->format] };
	gemp_code code = find_type(&e);
	GEMP_THEN(gemp_edge_columns_new(&e.columns, graph, options->type));
	if (code == GEMP_EDATA)
		gemp_fail_in(code, "%s: ", options->path);
	for (size_t r = 0; r < graph->relation_count; r++)
		if (gemp_export_includes(&e, r)) {
			e.directed |= graph->relations[r].directed;
			e.edges += graph->relations[r].edge_count;
		}
	for (int edges = 0; edges < 2 && e.form->check_column; edges++)
		GEMP_THEN(gemp_export_columns(&e, edges, e.form->check_column, NULL));
	if (e.form->check)
		GEMP_THEN(e.form->check(&e));
	GEMP_TRY(gemp_comm_agree(comm, code));
	GEMP_TRY(load_parts(&e));
	GEMP_TRY(gemp_comm_agree(comm, name_files(&e, &named)));
	GEMP_TRY(write_all(&e, &named));
	if (files) {
		*files = named;
		named = (gemp_export_files){ 0 };
	}
	return GEMP_OK;
}

/* If the user names a type, only its relation is written. */
bool gemp_export_includes(const gemp_export_context *e, size_t relation)
{
	return !e->options->type || strcmp(e->options->type, e->graph->relations[relation].name) == 0;
}

gemp_value gemp_export_edge_value(const gemp_export_context *e, const gemp_export_edge *edge, size_t column)
{
	return gemp_edge_value(e->graph, &e->columns.columns[column], edge->relation, edge->row);
}

/* COLUMNS */

/* The columns of edges are the columns of all relations that are written, joined by name. */
static gemp_export_column column_at(const gemp_export_context *e, bool edge, size_t c)
{
	if (edge)
		return (gemp_export_column){ edge, c, e->columns.columns[c].name, e->columns.columns[c].type };
	const gemp_column *column = &e->graph->attributes.columns[c];
	return (gemp_export_column){ edge, c, column->name, column->type };
}

gemp_code gemp_export_columns(const gemp_export_context *e, bool edges, gemp_export_visit *visit, gemp_text *out)
{
	const size_t count = edges ? e->columns.count : e->graph->attributes.count;
	for (size_t c = 0; c < count; c++) {
		const gemp_export_column column = column_at(e, edges, c);
		GEMP_TRY(visit(e, &column, out));
	}
	return GEMP_OK;
}

gemp_code gemp_export_in_column(gemp_code code, const char *column)
{
	return code == GEMP_EDATA ? gemp_fail_in(code, "column '%s': ", column) : code;
}

/* This function puts the column's name in front of a failure's message; walk_vertices puts the vertex in front of
 * both. */
gemp_code gemp_export_vertex_values(const gemp_export_context *e, size_t row, gemp_export_add *add, gemp_text *out)
{
	for (size_t c = 0; c < e->graph->attributes.count; c++) {
		const gemp_export_column column = column_at(e, false, c);
		const gemp_value value = gemp_column_get(&e->graph->attributes.columns[c], row);
		GEMP_TRY(gemp_export_in_column(add(e, &column, &value, out), column.name));
	}
	return GEMP_OK;
}

gemp_code gemp_export_edge_values(const gemp_export_context *e, const gemp_export_edge *edge, gemp_export_add *add,
                                  gemp_text *out)
{
	for (size_t c = 0; c < e->columns.count; c++) {
		const gemp_export_column column = column_at(e, true, c);
		const gemp_value value = gemp_export_edge_value(e, edge, c);
		GEMP_TRY(gemp_export_in_column(add(e, &column, &value, out), column.name));
	}
	return GEMP_OK;
}
