/* GraphML. An XML file cannot be read from its middle, so one rank reads a whole file. Before that, all ranks read the
 * declarations of all files. As in the files of Neo4j and networkx, the labels of nodes are the data `labels` or
 * `label`, and the types of edges are the data `label`, `labels` or `type`. */

#include "core/status.h"
#include "io/import/import.h"
#include "io/import/import_columns.h"
#include "io/text/cells.h"
#include "io/text/xml.h"
#include "partition/build/builder.h"

#include <string.h>

/* A <key> declares data of nodes, of edges or of both. */
typedef struct graphml_key {
	char *id, *name;    /* owned; if the key has no name, its id is the name */
	bool applies_to[2]; /* [0]: nodes have the data; [1]: edges have the data */
	bool is_name[2];    /* [0]: the data are the labels of nodes; [1]: they are the type of edges */
	size_t column[2];   /* [0]: column of nodes, [1]: column of edges, if the data are an attribute */
	gemp_type type;
	bool has_default;
	gemp_text default_value; /* value of elements without the data */
} graphml_key;

/* The declarations that precede the first node or edge. */
typedef struct graphml_head {
	size_t count, capacity;
	graphml_key *keys; /* [count] */
	bool has_graph;
	bool undirected; /* edges are undirected by default */
	bool forced;     /* the user requests undirected edges, so graphs of both directions may be in the file */
	bool string_ids; /* ids are strings even if they look like integers; files of this program declare this */
} graphml_head;

typedef struct graphml_element {
	bool edge, undirected;
	gemp_text ends[2]; /* id of a node; or source and target of an edge */
	gemp_text name;    /* the XML attribute `labels` of a node or `label` of an edge */
	gemp_text *values; /* [head->count] text for each key */
	bool *present;     /* [head->count] the element has a value for the key */
	uint64_t line;
} graphml_element;

typedef struct graphml_file {
	const char *path;
	graphml_head head;
} graphml_file;

typedef struct graphml_import {
	size_t count;
	graphml_file *files; /* [count] */
	bool undirected;     /* all edges are undirected */
	bool forced;         /* the user requests undirected edges */
	gemp_builder *builder;
	gemp_declared_columns columns[2]; /* [0]: columns of vertices; [1]: columns of edges */
} graphml_import;

/* THE PARSER
 *
 * The parser is a state machine over start and end tags. The relevant elements nest in one way only, so `place` gives
 * the current element without a stack. */

typedef enum place { OUTSIDE, IN_FILE, IN_KEY, IN_DEFAULT, IN_GRAPH, IN_ELEMENT, IN_DATA } place;

/* The state of the parser, which serves both passes. The first pass has no `import` and stops at the first node or
 * edge. */
typedef struct graphml_parser {
	graphml_head *head;
	graphml_import *import; /* NULL in the first pass */
	uint32_t file;          /* the builder's number of the file */
	bool head_is_read;
	place place, outer; /* current place; while data are read, `outer` is the place around the data */
	size_t key;         /* key of the current data */
	bool plain;         /* the current data hold no elements so far */
	size_t left_out;    /* number of data that hold elements */
	size_t value_count; /* length of element.values: the number of keys in the second pass, else 0 */
	graphml_element element;
} graphml_parser;

/* The head may be read only in part, after a failure. */
static void graphml_head_free(graphml_head *head)
{
	for (size_t k = 0; k < head->count; k++) {
		gemp_free_all(head->keys[k].id, head->keys[k].name);
		gemp_text_free(&head->keys[k].default_value);
	}
	gemp_free(head->keys);
	*head = (graphml_head){ 0 };
}

/* KEYS */

/* A key without a type is a string, according to the GraphML primer. */
static gemp_code find_type(gemp_type *out, const char *name, const char *key)
{
	static const char *const names[] = { "string", "int integer long", "float double", "boolean" };
	*out = GEMP_STRING;
	if (!name || gemp_type_named(out, names, true, name, strlen(name)))
		return GEMP_OK;
	return gemp_fail(GEMP_EDATA, "key '%s': unknown type '%s'; there are boolean, int, long, float, double and string",
	                 key, name);
}

/* Returns the index of the key, or head->count if there is none. A file has few keys, so the search is linear. */
static size_t find_key(const graphml_head *head, const char *id)
{
	size_t k = 0;
	while (k < head->count && strcmp(head->keys[k].id, id) != 0)
		k++;
	return k;
}

/* Keys must precede the graph, since the first pass stops at the first node or edge. */
static gemp_code begin_key(graphml_parser *p, const char **attributes)
{
	graphml_head *head = p->head;
	const char *id = gemp_xml_attribute(attributes, "id"), *name = gemp_xml_attribute(attributes, "attr.name");
	const char *of = gemp_xml_attribute(attributes, "for");
	if (p->place != IN_FILE || (head->has_graph && !p->import))
		return gemp_fail(GEMP_EDATA, "a <key> stands behind a <graph>; move it in front of all graphs");
	p->place = IN_KEY;
	if (p->import)
		return GEMP_OK; /* the first pass has stored the key */
	if (!id || !*id)
		return gemp_fail(GEMP_EDATA, "a <key> has no id; give it one");
	if (find_key(head, id) < head->count)
		return gemp_fail(GEMP_EDATA, "key '%s' is declared twice; rename one", id);
	GEMP_TRY(GEMP_RESERVE(head->keys, head->capacity, head->count + 1));
	graphml_key *key = &head->keys[head->count];
	bool all = !of || strcmp(of, "all") == 0;
	*key = (graphml_key){ .applies_to = { all || strcmp(of, "node") == 0, all || strcmp(of, "edge") == 0 } };
	GEMP_TRY(find_type(&key->type, gemp_xml_attribute(attributes, "attr.type"), id));
	head->count++;
	key->id = gemp_strdup(id);
	key->name = gemp_strdup(name && *name ? name : id);
	return key->id && key->name ? GEMP_OK : GEMP_ENOMEM;
}

/* NODES, EDGES AND DATA */

static gemp_code misplaced(const char *name)
{
	return gemp_fail(GEMP_EDATA,
	                 "<%s> does not belong here; nodes, edges and data are in <graph>, graphs and keys in "
	                 "<graphml>",
	                 name);
}

/* Several graphs in a file become one graph, so they must have the same direction. */
static gemp_code begin_graph(graphml_parser *p, const char **attributes)
{
	const char *direction = gemp_xml_attribute(attributes, "edgedefault");
	if (p->place == IN_ELEMENT)
		return gemp_fail(GEMP_EDATA, "a graph inside a node or edge, which is not supported; move it out");
	if (p->place != IN_FILE)
		return misplaced("graph");
	if (direction && strcmp(direction, "directed") != 0 && strcmp(direction, "undirected") != 0)
		return gemp_fail(GEMP_EDATA, "edgedefault is '%s'; it must be directed or undirected", direction);
	bool undirected = direction && strcmp(direction, "undirected") == 0;
	if (p->head->has_graph && !p->import && !p->head->forced && undirected != p->head->undirected)
		return gemp_fail(GEMP_EDATA,
		                 "a directed and an undirected graph in one file; import one, or take all as undirected");
	p->head->has_graph = true;
	p->head->undirected = undirected;
	p->place = IN_GRAPH;
	return GEMP_OK;
}

/* The values start as the defaults of the keys. The element's own data replace them. */
static gemp_code begin_element(graphml_parser *p, const gemp_xml *xml, bool edge, const char **attributes)
{
	static const char *const needed[][2] = { { "id", NULL }, { "source", "target" } };
	graphml_element *element = &p->element;
	if (p->place != IN_GRAPH)
		return misplaced(edge ? "edge" : "node");
	if (!p->import) {
		p->head_is_read = true;
		return GEMP_OK;
	}
	for (size_t i = 0; i < 2 && needed[edge][i]; i++) {
		const char *id = gemp_xml_attribute(attributes, needed[edge][i]);
		if (!id || !*id)
			return gemp_fail(GEMP_EDATA, "<%s> has no %s; give it one", edge ? "edge" : "node", needed[edge][i]);
		GEMP_TRY(gemp_xml_copy(&element->ends[i], id));
	}
	GEMP_TRY(gemp_xml_copy(&element->name, gemp_xml_attribute(attributes, edge ? "label" : "labels")));
	const char *directed = gemp_xml_attribute(attributes, "directed");
	element->edge = edge;
	element->undirected = directed ? strcmp(directed, "true") != 0 : p->head->undirected;
	element->line = gemp_xml_line(xml);
	for (size_t k = 0; k < p->head->count; k++) {
		const graphml_key *key = &p->head->keys[k];
		element->present[k] = key->has_default && key->applies_to[edge];
		if (element->present[k])
			GEMP_TRY(gemp_xml_copy(&element->values[k], key->default_value.data));
	}
	p->place = IN_ELEMENT;
	return GEMP_OK;
}

/* Begins the text of a <data> or <default>. An element inside the text will clear `plain`. */
static void begin_text(graphml_parser *p, place in)
{
	p->plain = true;
	p->outer = p->place;
	p->place = in;
}

/* Data may also describe the graph or the file. Such data are read but not kept. */
static gemp_code begin_data(graphml_parser *p, const char **attributes)
{
	const char *id = gemp_xml_attribute(attributes, "key");
	size_t key = id ? find_key(p->head, id) : p->head->count;
	if (p->place != IN_ELEMENT && p->place != IN_GRAPH && p->place != IN_FILE)
		return misplaced("data");
	if (key == p->head->count)
		return gemp_fail(GEMP_EDATA, "data of key '%s', which no <key> declares; declare it", id ? id : "");
	if (p->place == IN_ELEMENT && !p->head->keys[key].applies_to[p->element.edge])
		return gemp_fail(GEMP_EDATA, "key '%s' is not declared for %s; declare it for all", id,
		                 p->element.edge ? "edges" : "nodes");
	p->key = key;
	begin_text(p, IN_DATA);
	return GEMP_OK;
}

/* Returns the local name if the name is GraphML's own: without a namespace, or with
 * "http://graphml.graphdrawing.org/xmlns". Returns NULL for any other name. */
static const char *own_name(const char *name)
{
	const bool own = !strchr(name, ' ') || gemp_xml_in(name, "http://graphml.graphdrawing.org");
	return own ? gemp_xml_local(name) : NULL;
}

/* A property graph has no counterpart of hyperedges, ports and nested graphs, so these are refused. */
static gemp_code begin(graphml_parser *p, const gemp_xml *xml, const char *name, const char **attributes)
{
	if (p->place == OUTSIDE) {
		if (!name || strcmp(name, "graphml") != 0)
			return gemp_fail(GEMP_EDATA, "the file is not GraphML: it begins with another element than <graphml>");
		p->place = IN_FILE;
		return GEMP_OK;
	}
	if (!name)
		return gemp_fail(GEMP_EDATA, "an element that is not GraphML's, outside of <data>; remove it");
	if (strcmp(name, "key") == 0)
		return begin_key(p, attributes);
	if (strcmp(name, "graph") == 0)
		return begin_graph(p, attributes);
	if (strcmp(name, "node") == 0 || strcmp(name, "edge") == 0)
		return begin_element(p, xml, *name == 'e', attributes);
	if (strcmp(name, "data") == 0)
		return begin_data(p, attributes);
	if (strcmp(name, "default") == 0 && p->place == IN_KEY) {
		begin_text(p, IN_DEFAULT);
		return GEMP_OK;
	}
	return gemp_fail(GEMP_EDATA, "<%s> is not supported; there are key, default, graph, node, edge and data", name);
}

/* An element inside data makes the data unreadable as a value, so such data are skipped and counted for a warning. A
 * <desc> is a description for people and is skipped. */
static gemp_code start(void *self, gemp_xml *xml, const char *name, const char **attributes)
{
	graphml_parser *p = self;
	const char *own = own_name(name);
	const bool in_text = p->place == IN_DATA || p->place == IN_DEFAULT;
	if (!in_text && (!own || strcmp(own, "desc") != 0))
		return begin(p, xml, own, attributes);
	if (in_text) {
		p->left_out += p->plain;
		p->plain = false;
	}
	gemp_xml_skip(xml);
	return GEMP_OK;
}

/* Pretty-printed files have blanks around values. These blanks are removed unless the column holds strings. */
static gemp_code read_value(gemp_value *out, const struct gemp_declared_column *column, const gemp_text *text)
{
	gemp_slice part = { text->data, text->size };
	if (column->type != GEMP_STRING)
		part = gemp_trimmed(text->data, text->data + text->size);
	gemp_code code = gemp_scalar_read(out, column->type, part.bytes, part.size);
	return code == GEMP_EDATA ? gemp_fail_in(code, "data '%s': ", column->name) : code;
}

/* Data for labels or type replace the element's own XML attribute and do not become an attribute of the graph. */
static gemp_code feed_element(graphml_parser *p)
{
	graphml_element *element = &p->element;
	const graphml_import *import = p->import;
	const bool edge = element->edge;
	gemp_text *name = &element->name;
	const gemp_value ends[2] = { gemp_string_value(element->ends[0].data, element->ends[0].size),
		                         gemp_string_value(element->ends[1].data, element->ends[1].size) };
	for (size_t k = 0; k < p->head->count; k++)
		if (p->head->keys[k].is_name[edge] && element->present[k])
			name = &element->values[k];
	if (!edge && name->data && *name->data == ':') /* Neo4j's form ":A:B" becomes ";A;B" */
		for (char *at = name->data; *at; at++)
			*at = *at == ':' ? ';' : *at;
	if (edge && !import->forced && element->undirected != import->undirected)
		return gemp_fail(GEMP_EDATA,
		                 "this edge is %s and others are not; take all as undirected, or list undirected edges in both "
		                 "directions",
		                 element->undirected ? "undirected" : "directed");
	GEMP_TRY(gemp_import_element(import->builder, edge, ends, name->data, name->size,
	                             (gemp_place){ p->file, element->line }));
	for (size_t k = 0; k < p->head->count; k++) {
		const graphml_key *key = &p->head->keys[k];
		gemp_value value;
		if (!element->present[k] || key->is_name[edge])
			continue;
		GEMP_TRY(read_value(&value, &import->columns[edge].columns[key->column[edge]], &element->values[k]));
		GEMP_TRY(gemp_import_value(import->builder, edge, key->column[edge], &value));
	}
	return GEMP_OK;
}

/* The text of a <data> is a value of the surrounding node or edge. In the graph, data with the key gemp-ids state
 * whether ids are strings. */
static gemp_code end_data(graphml_parser *p, const char *text)
{
	p->place = p->outer;
	if (!p->plain)
		return GEMP_OK;
	if (p->outer == IN_GRAPH && strcmp(p->head->keys[p->key].name, "gemp-ids") == 0)
		p->head->string_ids = strcmp(text, "string") == 0;
	if (p->outer != IN_ELEMENT)
		return GEMP_OK;
	p->element.present[p->key] = true;
	return gemp_xml_copy(&p->element.values[p->key], text);
}

/* The default belongs to the key that was declared last. The second pass has it already. */
static gemp_code end_default(graphml_parser *p, const char *text)
{
	p->place = IN_KEY;
	if (p->import || !p->plain)
		return GEMP_OK;
	graphml_key *key = &p->head->keys[p->head->count - 1];
	key->has_default = true;
	return gemp_xml_copy(&key->default_value, text);
}

/* `place` gives the element that ends. */
static gemp_code end(void *self, const char *text, size_t size)
{
	graphml_parser *p = self;
	(void)size;
	switch (p->place) {
	case IN_DATA: return end_data(p, text);
	case IN_DEFAULT: return end_default(p, text);
	case IN_ELEMENT: p->place = IN_GRAPH; return feed_element(p);
	case IN_KEY:
	case IN_GRAPH: p->place = IN_FILE; return GEMP_OK;
	default: p->place = OUTSIDE; return GEMP_OK;
	}
}

static bool enough(void *self)
{
	return ((const graphml_parser *)self)->head_is_read;
}

static void free_parser(graphml_parser *p)
{
	for (size_t k = 0; p->element.values && k < p->value_count; k++)
		gemp_text_free(&p->element.values[k]);
	gemp_free_all(p->element.values, p->element.present);
	gemp_text_free(&p->element.ends[0]);
	gemp_text_free(&p->element.ends[1]);
	gemp_text_free(&p->element.name);
}

/* FILES */

/* Local. Reads a whole file or, without `import`, only its head. number: number of the file, from 1. GEMP_EDATA: the
 * file is not GraphML, or has hyperedges, ports or nested graphs; the message names file and line. */
static gemp_code read_file(graphml_file *file, graphml_import *import, size_t number)
{
	static const gemp_xml_visitor visitor = { "GraphML", start, end, enough };
	const size_t values = import ? file->head.count : 0;
	GEMP_OWNED_BY(free_parser)
	graphml_parser p = { .head = &file->head, .import = import, .file = (uint32_t)number, .value_count = values };
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(p.element.values, values), GEMP_ARRAY(p.element.present, values)));
	GEMP_TRY(gemp_xml_read(file->path, &visitor, &p));
	if (!file->head.has_graph)
		return gemp_fail(GEMP_EDATA, "%s: there is no <graph> in it; a <graphml> without one holds nothing to import",
		                 file->path);
	if (import && p.left_out)
		gemp_log_local(GEMP_NORMAL,
		               "gemp-mpi: warning: %s: %zu data hold XML elements instead of text and are left out", file->path,
		               p.left_out);
	return GEMP_OK;
}

/* Labels and types have several possible names, in the order of preference. The first name that a key has gives the
 * labels or the type. All other keys are attributes. */
static void choose_names(graphml_head *head)
{
	static const char *const names[2][3] = { { "labels", "label", NULL }, { "label", "labels", "type" } };
	for (int edge = 0; edge < 2; edge++) {
		size_t k = head->count;
		for (size_t i = 0; i < 3 && names[edge][i] && k == head->count; i++)
			for (k = 0; k < head->count; k++)
				if (head->keys[k].applies_to[edge] && strcmp(head->keys[k].name, names[edge][i]) == 0)
					break;
		if (k < head->count)
			head->keys[k].is_name[edge] = true;
	}
}

/* A key for nodes and edges makes a column of vertices and a column of edges. */
static gemp_code join_keys(graphml_import *self, graphml_head *head)
{
	choose_names(head);
	for (size_t k = 0; k < head->count; k++)
		for (int edge = 0; edge < 2; edge++) {
			graphml_key *key = &head->keys[k];
			if (key->applies_to[edge] && !key->is_name[edge])
				GEMP_TRY(gemp_declared_columns_join(&self->columns[edge], key->name, key->type, &key->column[edge]));
		}
	return GEMP_OK;
}

/* Local. Every rank reads the heads of all files, since all ranks must declare the same columns before an element is
 * read. */
static gemp_code read_heads(graphml_import *self, const gemp_import_options *options, bool *string_keys)
{
	GEMP_TRY(GEMP_NEW(self->files, options->edge_file_count));
	self->count = options->edge_file_count;
	self->forced = self->undirected = options->undirected;
	for (size_t i = 0; i < self->count; i++) {
		graphml_file *file = &self->files[i];
		file->path = options->edge_files[i];
		file->head.forced = self->forced;
		GEMP_TRY(read_file(file, NULL, i + 1));
		GEMP_TRY(join_keys(self, &file->head));
		*string_keys |= file->head.string_ids;
		if (!self->forced && i && file->head.undirected != self->undirected)
			return gemp_fail(GEMP_EDATA,
			                 "%s is %s, %s is not; import files of one direction, or take all as undirected",
			                 file->path, file->head.undirected ? "undirected" : "directed", self->files[0].path);
		self->undirected = self->forced || file->head.undirected;
	}
	return GEMP_OK;
}

/* Columns are numbered in the order of the files and of the keys in them. */
static gemp_code declare(const graphml_import *self, const gemp_import_options *options)
{
	GEMP_TRY(gemp_import_declare_files(self->builder, options));
	GEMP_TRY(gemp_declared_columns_declare(&self->columns[0], self->builder, gemp_builder_vertex_column));
	return gemp_declared_columns_declare(&self->columns[1], self->builder, gemp_builder_edge_column);
}

/* Local. Rank i % ranks reads file i. */
static gemp_code read_files(graphml_import *self, const gemp_comm *comm)
{
	for (size_t i = (size_t)comm->rank; i < self->count; i += (size_t)comm->size)
		GEMP_TRY(read_file(&self->files[i], self, i + 1));
	return GEMP_OK;
}

/* The import may be set up only in part, after a failure. */
static void free_import(graphml_import *self)
{
	gemp_builder_free(self->builder);
	for (size_t i = 0; i < self->count; i++)
		graphml_head_free(&self->files[i].head);
	gemp_free_all(self->files, self->columns[0].columns, self->columns[1].columns);
}

/* The first pass reads the heads of all files, and the second pass reads the elements of this rank's files. */
static gemp_code read_graphml(gemp_shard **out, const gemp_comm *comm, const gemp_import_options *options)
{
	GEMP_OWNED_BY(free_import) graphml_import self = { 0 };
	gemp_builder_options built = gemp_format_builder(options);
	built.vertices_from_edges = false;
	GEMP_TRY(gemp_comm_agree(comm, read_heads(&self, options, &built.string_keys)));
	built.undirected = self.undirected;
	GEMP_TRY(gemp_builder_new(&self.builder, comm, &built));
	GEMP_TRY(gemp_comm_agree(comm, declare(&self, options)));
	GEMP_TRY(gemp_comm_agree(comm, read_files(&self, comm)));
	return gemp_builder_finish(self.builder, out);
}

const gemp_format gemp_format_graphml = {
	.name = "graphml",
	.endings = ".graphml",
	.summary = "GraphML (XML), with labels and types as Neo4j and networkx write them",
	.read = read_graphml,
};
