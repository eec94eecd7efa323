/* The text formats: TSV, CSV, JSON lines, DOT and Matrix Market. TSV and CSV have one file of vertices and one file of
 * edges. Their headers state the types of the columns, as import reads them. */

#include "core/log.h"
#include "core/status.h"
#include "graph/column.h"
#include "io/export/export.h"
#include "io/text/cells.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* TSV AND CSV */

static bool is_csv(const gemp_export_context *e)
{
	return e->form == &gemp_export_csv;
}

/* Import gives columns of these names another meaning, so an attribute of such a name is refused. */
static gemp_code check_column_name(const gemp_export_context *e, const gemp_export_column *column, gemp_text *out)
{
	static const char *const taken[2][5] = { { "", "id", "type" }, { "", "src", "dst", "type" } };
	(void)out;
	for (size_t i = 0; taken[column->edge][i]; i++)
		if (strcmp(column->name, taken[column->edge][i]) == 0)
			return gemp_fail(GEMP_EDATA,
			                 "%s: column '%s' cannot be told from the column of that name which says "
			                 "what the line is; write .jsonl or .graphml",
			                 e->options->path, column->name);
	for (const char *at = column->name; *at; at++)
		if ((unsigned char)*at < ' ')
			return gemp_fail(GEMP_EDATA,
			                 "%s: the name of column '%s' has a control character; write .jsonl or .graphml",
			                 e->options->path, column->name);
	return GEMP_OK;
}

static void end_line(const gemp_export_context *e, gemp_text *out)
{
	gemp_text_print(out, "%s", is_csv(e) ? "\r\n" : "\n");
}

/* TSV has no quoting, so it refuses more strings than CSV. */
static gemp_code add_table_text(const gemp_export_context *e, gemp_text *out, const char *bytes, size_t size)
{
	if (!is_csv(e))
		return gemp_escape_tsv(out, bytes, size);
	if (memchr(bytes, '\0', size))
		return gemp_fail(GEMP_EDATA, "a string has a zero byte, which text files cannot hold; write .jsonl");
	gemp_escape_csv(out, bytes, size);
	return GEMP_OK;
}

static void add_separator(const gemp_export_context *e, gemp_text *out)
{
	gemp_text_add(out, is_csv(e) ? "," : "\t", 1);
}

/* The type is stated, so import does not infer it and the column keeps its type. */
static gemp_code add_column_name(const gemp_export_context *e, const gemp_export_column *column, gemp_text *out)
{
	static const char *const names[] = { [GEMP_STRING] = "string",
		                                 [GEMP_INTEGER] = "int",
		                                 [GEMP_FLOAT] = "float",
		                                 [GEMP_BOOLEAN] = "bool",
		                                 [GEMP_LIST] = "json" };
	GEMP_OWNED_BY(gemp_text_free) gemp_text field = { 0 };
	gemp_text_print(&field, "%s:%s", column->name, names[column->type]);
	GEMP_TRY(gemp_text_status(&field));
	add_separator(e, out);
	return add_table_text(e, out, field.data, field.size);
}

/* Integer keys state :int. String keys state :string if they look like integers, since import would read them as
 * integers. Other keys need no statement. */
static const char *key_type(const gemp_export_context *e)
{
	return e->graph->keys.type == GEMP_INTEGER ? ":int" : e->string_keys ? ":string" : "";
}

/* The column `type` holds the labels of a vertex. */
static gemp_code table_before_vertices(const gemp_export_context *e, gemp_text *out)
{
	gemp_text_print(out, "id%s%stype", key_type(e), is_csv(e) ? "," : "\t");
	GEMP_TRY(gemp_export_columns(e, false, add_column_name, out));
	end_line(e, out);
	return GEMP_OK;
}

/* Source and target both state the type of keys. */
static gemp_code table_before_edges(const gemp_export_context *e, gemp_text *out)
{
	const char *type = key_type(e), *between = is_csv(e) ? "," : "\t";
	gemp_text_print(out, "src%s%sdst%s%stype", type, between, type, between);
	GEMP_TRY(gemp_export_columns(e, true, add_column_name, out));
	end_line(e, out);
	return GEMP_OK;
}

/* NULL is an empty field. An empty string is "" in CSV and refused in TSV. */
static gemp_code add_table_value(const gemp_export_context *e, gemp_text *out, const gemp_value *value)
{
	if (!value->null && gemp_is_text(value->type))
		return add_table_text(e, out, value->string.bytes, value->string.size);
	gemp_value_print(value, out);
	return GEMP_OK;
}

/* A vertex without labels has an empty field. */
static gemp_code add_table_labels(const gemp_export_context *e, gemp_text *out, size_t row)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text labels = { 0 };
	gemp_vertex_labels_text(e->graph, row, &labels);
	GEMP_TRY(gemp_text_status(&labels));
	return labels.size ? add_table_text(e, out, labels.data, labels.size) : GEMP_OK;
}

static gemp_code add_field(const gemp_export_context *e, const gemp_export_column *column, const gemp_value *value,
                           gemp_text *out)
{
	(void)column;
	add_separator(e, out);
	return add_table_value(e, out, value);
}

/* The fields are in the order of the header. */
static gemp_code table_vertex(const gemp_export_context *e, size_t row, gemp_text *out)
{
	const gemp_value key = gemp_column_get(&e->graph->keys, row);
	GEMP_TRY(gemp_export_in_column(add_table_value(e, out, &key), "id"));
	add_separator(e, out);
	GEMP_TRY(gemp_export_in_column(add_table_labels(e, out, row), "type"));
	GEMP_TRY(gemp_export_vertex_values(e, row, add_field, out));
	end_line(e, out);
	return GEMP_OK;
}

/* The table has the columns of all types of edges. A column that the edge's type lacks is an empty field. */
static gemp_code table_edge(const gemp_export_context *e, const gemp_export_edge *edge, gemp_text *out)
{
	const char *type = e->graph->relations[edge->relation].name;
	GEMP_TRY(add_table_value(e, out, &edge->source));
	add_separator(e, out);
	GEMP_TRY(add_table_value(e, out, &edge->target));
	add_separator(e, out);
	GEMP_TRY(add_table_text(e, out, type, strlen(type)));
	GEMP_TRY(gemp_export_edge_values(e, edge, add_field, out));
	end_line(e, out);
	return GEMP_OK;
}

/* TSV and CSV share their callbacks, which distinguish the formats by is_csv. */
#define TABLE_WRITER                                                                                         \
	.two_files = true, .labels = true, .attributes = true, .props = true, .check_column = check_column_name, \
	.before_vertices = table_before_vertices, .vertex = table_vertex, .before_edges = table_before_edges,    \
	.edge = table_edge

const gemp_export_writer gemp_export_tsv = { .name = "tsv", .ending = ".tsv", TABLE_WRITER };
const gemp_export_writer gemp_export_csv = { .name = "csv", .ending = ".csv", TABLE_WRITER };

/* JSON LINES in the form of Neo4j's APOC:
 *   {"type":"node","id":"ann","labels":["Person"],"properties":{"age":30}}
 *   {"type":"relationship","label":"KNOWS","properties":{"since":1999},"start":{"id":"ann"},"end":{"id":"bob"}}
 * An integer key is written as a number. A property that is NULL is left out. */

/* JSON cannot express infinite numbers. NaN does not occur, since the graph stores NaN as NULL. */
static gemp_code add_json_value(gemp_text *out, const gemp_value *value)
{
	if (value->type == GEMP_STRING)
		gemp_json_string(out, value->string.bytes, value->string.size);
	else if (value->type == GEMP_FLOAT && !isfinite(value->real))
		return gemp_fail(GEMP_EDATA, "the number is infinite, which JSON cannot say; write .tsv, .csv or .graphml");
	else
		gemp_value_print(value, out);
	return GEMP_OK;
}

/* A comma separates the property from a preceding one. NULL is left out. */
static gemp_code add_property(const gemp_export_context *e, const gemp_export_column *column, const gemp_value *value,
                              gemp_text *out)
{
	(void)e;
	if (value->null)
		return GEMP_OK;
	gemp_text_add(out, ",", out->size && out->data[out->size - 1] != '{');
	gemp_json_string(out, column->name, strlen(column->name));
	gemp_text_add(out, ":", 1);
	return add_json_value(out, value);
}

/* The labels are a list, since a vertex may have none or several. */
static gemp_code json_vertex(const gemp_export_context *e, size_t row, gemp_text *out)
{
	const gemp_shard *graph = e->graph;
	const gemp_label_set *set = &graph->label_sets[graph->label_set_of[row]];
	const gemp_value key = gemp_column_get(&graph->keys, row);
	gemp_text_print(out, "{\"type\":\"node\",\"id\":");
	GEMP_TRY(add_json_value(out, &key));
	gemp_text_print(out, ",\"labels\":[");
	for (size_t l = 0; l < set->count; l++) {
		const char *label = graph->labels[set->labels[l]];
		gemp_text_add(out, ",", l ? 1 : 0);
		gemp_json_string(out, label, strlen(label));
	}
	gemp_text_print(out, "],\"properties\":{");
	GEMP_TRY(gemp_export_vertex_values(e, row, add_property, out));
	gemp_text_print(out, "}}\n");
	return GEMP_OK;
}

/* APOC repeats the properties of both ends here. Import needs only their ids, so the properties are left out. */
static gemp_code json_edge(const gemp_export_context *e, const gemp_export_edge *edge, gemp_text *out)
{
	const char *type = e->graph->relations[edge->relation].name;
	gemp_text_print(out, "{\"type\":\"relationship\",\"label\":");
	gemp_json_string(out, type, strlen(type));
	gemp_text_print(out, ",\"properties\":{");
	GEMP_TRY(gemp_export_edge_values(e, edge, add_property, out));
	gemp_text_print(out, "},\"start\":{\"id\":");
	GEMP_TRY(add_json_value(out, &edge->source));
	gemp_text_print(out, "},\"end\":{\"id\":");
	GEMP_TRY(add_json_value(out, &edge->target));
	gemp_text_print(out, "}}\n");
	return GEMP_OK;
}

const gemp_export_writer gemp_export_jsonl = {
	.name = "jsonl",
	.ending = ".jsonl",
	.labels = true,
	.attributes = true,
	.props = true,
	.vertex = json_vertex,
	.edge = json_edge,
};

/* DOT: Graphviz draws each vertex with its key and labels, and each edge with its type */

/* The layout programs of Graphviz take too long for a larger graph. */
static gemp_code dot_check(const gemp_export_context *e)
{
	uint64_t drawn = e->graph->vertex_count + e->edges;
	if (drawn <= GEMP_EXPORT_DOT_MAX)
		return GEMP_OK;
	return gemp_fail(GEMP_EDATA,
	                 "%s: %" PRIu64 " vertices and edges are too many to draw (at most %d); draw what a query "
	                 "finds, by match --subgraph, or write .graphml",
	                 e->options->path, drawn, GEMP_EXPORT_DOT_MAX);
}

/* If any relation is directed, the graph is a digraph, and its undirected edges are drawn without arrow heads. */
static gemp_code dot_before_vertices(const gemp_export_context *e, gemp_text *out)
{
	gemp_text_print(out,
	                "%s {\n\tnode [shape=box, style=rounded, fontname=\"sans-serif\"];\n"
	                "\tedge [fontname=\"sans-serif\", fontsize=10];\n",
	                e->directed ? "digraph" : "graph");
	return GEMP_OK;
}

/* The name of a node is its key as a quoted text. */
static gemp_code add_node_name(gemp_text *out, const gemp_value *key)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text name = { 0 };
	gemp_value_print(key, &name);
	GEMP_TRY(gemp_text_status(&name));
	gemp_escape_dot(out, name.data, name.size);
	return GEMP_OK;
}

/* The label shows the key and, on the next line, the vertex's labels. */
static gemp_code dot_vertex(const gemp_export_context *e, size_t row, gemp_text *out)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text label = { 0 };
	const gemp_value key = gemp_column_get(&e->graph->keys, row);
	const gemp_label_set *set = &e->graph->label_sets[e->graph->label_set_of[row]];
	gemp_value_print(&key, &label);
	for (size_t l = 0; l < set->count; l++)
		gemp_text_print(&label, "%s:%s", l ? "" : "\n", e->graph->labels[set->labels[l]]);
	GEMP_TRY(gemp_text_status(&label));
	gemp_text_print(out, "\t");
	GEMP_TRY(add_node_name(out, &key));
	gemp_text_print(out, " [label=");
	gemp_escape_dot(out, label.data, label.size);
	gemp_text_print(out, "];\n");
	return GEMP_OK;
}

/* In a digraph an undirected edge has dir=none. */
static gemp_code dot_edge(const gemp_export_context *e, const gemp_export_edge *line, gemp_text *out)
{
	const gemp_relation *relation = &e->graph->relations[line->relation];
	gemp_text_print(out, "\t");
	gemp_code code = add_node_name(out, &line->source);
	gemp_text_print(out, e->directed ? " -> " : " -- ");
	GEMP_THEN(add_node_name(out, &line->target));
	gemp_text_print(out, " [label=");
	gemp_escape_dot(out, relation->name, strlen(relation->name));
	gemp_text_print(out, "%s];\n", e->directed && !relation->directed ? ", dir=none" : "");
	return code;
}

static gemp_code dot_after_edges(const gemp_export_context *e, gemp_text *out)
{
	(void)e;
	gemp_text_print(out, "}\n");
	return GEMP_OK;
}

const gemp_export_writer gemp_export_dot = {
	.name = "dot",
	.ending = ".dot",
	.labels = true,
	.check = dot_check,
	.before_vertices = dot_before_vertices,
	.vertex = dot_vertex,
	.edge = dot_edge,
	.after_edges = dot_after_edges,
};

/* MATRIX MARKET: the adjacency matrix with one entry for each edge; an undirected graph has only the lower triangle */

/* The column that gives the entries, and its index in *column. NULL if the user names none, or if no column has this
 * name. */
static const gemp_edge_column *find_weight(const gemp_export_context *e, size_t *column)
{
	for (size_t c = 0; e->options->weight && c < e->columns.count; c++)
		if (strcmp(e->columns.columns[c].name, e->options->weight) == 0) {
			*column = c;
			return &e->columns.columns[c];
		}
	return NULL;
}

/* A matrix cannot hold the types of edges, and readers add up several entries at one place. Both cases cause a
 * warning. */
static gemp_code matrix_check(const gemp_export_context *e)
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
	const gemp_edge_column *column = find_weight(e, &at);
	if (e->options->weight && !column)
		return gemp_fail(GEMP_EUSAGE,
		                 "weight: the edges have no column '%s'; `gemp-mpi info` lists those that there are",
		                 e->options->weight);
	if (column && column->type != GEMP_INTEGER && column->type != GEMP_FLOAT)
		return gemp_fail(GEMP_EUSAGE, "weight: column '%s' holds %ss, and entries are numbers", e->options->weight,
		                 gemp_type_name[column->type]);
	if (e->directed && undirected)
		return gemp_fail(GEMP_EDATA, "%s: some edges are directed and some are not; name one type", e->options->path);
	if (relations > 1)
		gemp_warn("%s has edges of %zu types in one matrix, which cannot tell them apart; name one type to choose it",
		          e->options->path, relations);
	if (parallel)
		gemp_warn("%s has several entries at one place, as there are parallel edges; most readers add them up",
		          e->options->path);
	return GEMP_OK;
}

/* The header of the file of keys, which import can read. */
static gemp_code matrix_before_vertices(const gemp_export_context *e, gemp_text *out)
{
	gemp_text_print(out, "id%s\tnumber:int\n", e->graph->keys.type == GEMP_INTEGER ? ":int" : ":string");
	return GEMP_OK;
}

/* A line of the file of keys: the key and the number of a vertex. If every key equals its number, this file does not
 * exist. */
static gemp_code matrix_vertex(const gemp_export_context *e, size_t row, gemp_text *out)
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
	return gemp_export_in_column(code, "id");
}

/* An undirected graph is a symmetric matrix, of which the format stores one triangle. */
static gemp_code matrix_before_edges(const gemp_export_context *e, gemp_text *out)
{
	size_t at;
	const gemp_edge_column *column = find_weight(e, &at);
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

/* In a symmetric matrix the larger number is the row of an entry, so that it lies in the lower triangle. */
static gemp_code matrix_edge(const gemp_export_context *e, const gemp_export_edge *line, gemp_text *out)
{
	size_t at;
	int64_t row = line->source.integer, column = line->target.integer;
	bool swapped = !e->directed && row < column;
	gemp_text_print(out, "%" PRId64 " %" PRId64, swapped ? column : row, swapped ? row : column);
	if (find_weight(e, &at)) {
		gemp_value value = gemp_export_edge_value(e, line, at);
		if (value.null)
			return gemp_export_in_column(gemp_fail(GEMP_EDATA, "there is no value, and every entry needs one"),
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
	.check = matrix_check,
	.before_vertices = matrix_before_vertices,
	.vertex = matrix_vertex,
	.before_edges = matrix_before_edges,
	.edge = matrix_edge,
};
