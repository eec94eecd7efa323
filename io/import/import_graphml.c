/* GraphML. An XML file cannot be cut, so each is read whole by one rank, after all ranks have read what it declares.
 * Labels of nodes are data `labels` or `label`, types of edges data `label`, `labels` or `type`, as Neo4j and
 * networkx write them. */

#include "core/status.h"
#include "io/import/import.h"
#include "io/import/import_columns.h"
#include "io/text/cells.h"
#include "io/text/xml.h"
#include "partition/build/builder.h"

#include <string.h>

/* THE PARSER: a GraphML file as a series of nodes and edges. */

/* A <key>: data that nodes or edges may have. */
typedef struct graphml_key {
	char *id, *name;    /* owned; without a name the id is one */
	bool applies_to[2]; /* of nodes, of edges */
	gemp_type type;
	bool has_default;
	gemp_text default_value; /* the value where there is none */
} graphml_key;

/* What stands in front of the first node or edge. */
typedef struct graphml_head {
	size_t count, capacity;
	graphml_key *keys; /* [count] */
	bool has_graph;
	bool undirected; /* by default */
	bool string_ids; /* as our own files say it */
} graphml_head;

typedef struct graphml_element {
	bool edge, undirected;
	gemp_text ends[2]; /* id of a node; source and target of an edge */
	gemp_text name;    /* attribute `labels` of a node, `label` of an edge */
	gemp_text *values; /* [head->count] */
	bool *present;     /* [head->count] is there a value? */
	uint64_t line;
} graphml_element;

/* Given the head and each node and edge as it ends. Errors name neither file nor line. */
typedef gemp_code graphml_visit(void *self, const graphml_head *head, const graphml_element *element);

/* A state machine over start and end tags. `place` is the element that the reader is in; the elements that
 * matter nest in one way only: the way back needs no stack. The first pass stops at the first node
 * or edge. */

/* Which element we are in; the way back is told by the element that ends. */
typedef enum place { OUTSIDE, IN_FILE, IN_KEY, IN_DEFAULT, IN_GRAPH, IN_ELEMENT, IN_DATA } place;

/* The same reader serves both passes: without `visit` it stops at the first node or edge. */
typedef struct reader {
	graphml_head *head;
	graphml_visit *visit; /* NULL: the head is enough */
	void *self;
	bool head_is_read;  /* and no more is wanted */
	place place, outer; /* outer: where the data being read is */
	size_t key;         /* of that data */
	size_t depth;       /* elements of others inside it */
	bool plain;         /* there were none */
	size_t left_out;    /* data where there were some */
	size_t skipped;     /* depth of elements in a <desc>, which is for people */
	size_t value_count; /* room in element: the head's keys, once it is read */
	graphml_element element;
} reader;

/* Takes a head that was only partly read. */
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

/* A key without a type is a string, as the GraphML primer says. */
static gemp_code type_of(gemp_type *out, const char *name, const char *key)
{
	static const char *const names[] = { "string", "int integer long", "float double", "boolean" };
	*out = GEMP_STRING;
	if (!name || gemp_type_named(out, names, true, name, strlen(name)))
		return GEMP_OK;
	return gemp_fail(GEMP_EDATA, "key '%s': unknown type '%s'; there are boolean, int, long, float, double and string",
	                 key, name);
}

/* Files declare a handful of keys. */
static size_t find_key(const graphml_head *head, const char *id)
{
	size_t k = 0;
	while (k < head->count && strcmp(head->keys[k].id, id) != 0)
		k++;
	return k;
}

/* Keys must stand before the graph, since the first pass ends where the graph begins. */
static gemp_code begin_key(reader *r, const char **attributes)
{
	graphml_head *head = r->head;
	const char *id = gemp_xml_attribute(attributes, "id"), *name = gemp_xml_attribute(attributes, "attr.name");
	const char *of = gemp_xml_attribute(attributes, "for");
	if (r->place != IN_FILE || (head->has_graph && !r->visit))
		return gemp_fail(GEMP_EDATA, "a <key> must stand in front of all <graph>s");
	r->place = IN_KEY;
	if (r->visit)
		return GEMP_OK; /* known from the first reading */
	if (!id || !*id)
		return gemp_fail(GEMP_EDATA, "a <key> has no id");
	if (find_key(head, id) < head->count)
		return gemp_fail(GEMP_EDATA, "key '%s' is there twice; rename one", id);
	GEMP_TRY(GEMP_RESERVE(head->keys, head->capacity, head->count + 1));
	graphml_key *key = &head->keys[head->count];
	bool all = !of || strcmp(of, "all") == 0;
	*key = (graphml_key){ .applies_to = { all || strcmp(of, "node") == 0, all || strcmp(of, "edge") == 0 } };
	GEMP_TRY(type_of(&key->type, gemp_xml_attribute(attributes, "attr.type"), id));
	head->count++;
	key->id = gemp_strdup(id);
	key->name = gemp_strdup(name && *name ? name : id);
	return key->id && key->name ? GEMP_OK : GEMP_ENOMEM;
}

/* NODES, EDGES AND DATA */

/* Several graphs in one file are one graph here, if they agree on direction. */
static gemp_code begin_graph(reader *r, const char **attributes)
{
	const char *direction = gemp_xml_attribute(attributes, "edgedefault");
	if (r->place == IN_ELEMENT)
		return gemp_fail(GEMP_EDATA, "a graph inside a node or edge, which is not supported; take it out");
	if (r->place != IN_FILE)
		return gemp_fail(GEMP_EDATA, "<graph> does not belong here");
	if (direction && strcmp(direction, "directed") != 0 && strcmp(direction, "undirected") != 0)
		return gemp_fail(GEMP_EDATA, "edgedefault is '%s'; it must be directed or undirected", direction);
	bool undirected = direction && strcmp(direction, "undirected") == 0;
	if (r->head->has_graph && !r->visit && undirected != r->head->undirected)
		return gemp_fail(GEMP_EDATA, "graphs of both directions in one file; import one, or take all as undirected");
	r->head->has_graph = true;
	r->head->undirected = undirected;
	r->place = IN_GRAPH;
	return GEMP_OK;
}

/* Defaults are set first; data of the element replaces them. */
static gemp_code begin_element(reader *r, const gemp_xml *xml, bool edge, const char **attributes)
{
	static const char *const needed[][2] = { { "id", NULL }, { "source", "target" } };
	graphml_element *element = &r->element;
	if (r->place != IN_GRAPH)
		return gemp_fail(GEMP_EDATA, "<%s> does not belong here", edge ? "edge" : "node");
	if (!r->visit) {
		r->head_is_read = true;
		return GEMP_OK;
	}
	for (size_t i = 0; i < 2 && needed[edge][i]; i++) {
		const char *id = gemp_xml_attribute(attributes, needed[edge][i]);
		if (!id || !*id)
			return gemp_fail(GEMP_EDATA, "<%s> has no %s", edge ? "edge" : "node", needed[edge][i]);
		GEMP_TRY(gemp_xml_copy(&element->ends[i], id));
	}
	GEMP_TRY(gemp_xml_copy(&element->name, gemp_xml_attribute(attributes, edge ? "label" : "labels")));
	const char *directed = gemp_xml_attribute(attributes, "directed");
	element->edge = edge;
	element->undirected = directed ? strcmp(directed, "true") != 0 : r->head->undirected;
	element->line = gemp_xml_line(xml);
	for (size_t k = 0; k < r->head->count; k++) {
		const graphml_key *key = &r->head->keys[k];
		element->present[k] = key->has_default && key->applies_to[edge];
		if (element->present[k])
			GEMP_TRY(gemp_xml_copy(&element->values[k], key->default_value.data));
	}
	r->place = IN_ELEMENT;
	return GEMP_OK;
}

/* Elements inside a text make it unreadable as a value; this is counted and warned about. */
static void begin_text(reader *r, place in)
{
	r->depth = 0;
	r->plain = true;
	r->outer = r->place;
	r->place = in;
}

/* Data may also describe the graph or the file, and is then read but not kept. */
static gemp_code begin_data(reader *r, const char **attributes)
{
	const char *id = gemp_xml_attribute(attributes, "key");
	size_t key = id ? find_key(r->head, id) : r->head->count;
	if (r->place != IN_ELEMENT && r->place != IN_GRAPH && r->place != IN_FILE)
		return gemp_fail(GEMP_EDATA, "<data> does not belong here");
	if (key == r->head->count)
		return gemp_fail(GEMP_EDATA, "data of key '%s', which no <key> declares", id ? id : "");
	if (r->place == IN_ELEMENT && !r->head->keys[key].applies_to[r->element.edge])
		return gemp_fail(GEMP_EDATA, "key '%s' is not declared for %s", id, r->element.edge ? "edges" : "nodes");
	r->key = key;
	begin_text(r, IN_DATA);
	return GEMP_OK;
}

/* "http://graphml.graphdrawing.org/xmlns node" and "node" are GraphML's; NULL: another's. */
static const char *own_name(const char *name)
{
	const bool own = !strchr(name, ' ') || gemp_xml_in(name, "http://graphml.graphdrawing.org");
	return own ? gemp_xml_local(name) : NULL;
}

/* Hyperedges, ports and nested graphs have no counterpart in a property graph. */
static gemp_code begin(reader *r, const gemp_xml *xml, const char *name, const char **attributes)
{
	if (r->place == OUTSIDE) {
		if (!name || strcmp(name, "graphml") != 0)
			return gemp_fail(GEMP_EDATA, "the file is not GraphML: it begins with another element than <graphml>");
		r->place = IN_FILE;
		return GEMP_OK;
	}
	if (!name)
		return gemp_fail(GEMP_EDATA, "an element that is not GraphML's, outside of <data>; take it out");
	if (strcmp(name, "key") == 0)
		return begin_key(r, attributes);
	if (strcmp(name, "graph") == 0)
		return begin_graph(r, attributes);
	if (strcmp(name, "node") == 0 || strcmp(name, "edge") == 0)
		return begin_element(r, xml, *name == 'e', attributes);
	if (strcmp(name, "data") == 0)
		return begin_data(r, attributes);
	if (strcmp(name, "default") == 0 && r->place == IN_KEY) {
		begin_text(r, IN_DEFAULT);
		return GEMP_OK;
	}
	return gemp_fail(GEMP_EDATA, "<%s> is not supported; there are key, default, graph, node, edge and data", name);
}

static bool in_text(const reader *r)
{
	return r->place == IN_DATA || r->place == IN_DEFAULT;
}

/* What stands in a <desc> is for people. */
static gemp_code start(void *self, const gemp_xml *xml, const char *name, const char **attributes)
{
	reader *r = self;
	const char *own = own_name(name);
	if (in_text(r)) {
		r->depth++;
		r->left_out += r->plain;
		r->plain = false;
		return GEMP_OK;
	}
	if (r->skipped || (own && strcmp(own, "desc") == 0)) {
		r->skipped++;
		return GEMP_OK;
	}
	return begin(r, xml, own, attributes);
}

/* ENDS */

/* The text of a <data> is a value of the node or edge around it, or says of the graph whether ids are strings. */
static gemp_code end_data(reader *r, const char *text)
{
	r->place = r->outer;
	if (!r->plain)
		return GEMP_OK;
	if (r->outer == IN_GRAPH && strcmp(r->head->keys[r->key].name, "gemp-ids") == 0)
		r->head->string_ids = strcmp(text, "string") == 0;
	if (r->outer != IN_ELEMENT)
		return GEMP_OK;
	r->element.present[r->key] = true;
	return gemp_xml_copy(&r->element.values[r->key], text);
}

/* A default counts for all elements that do not have the data. */
static gemp_code end_default(reader *r, const char *text)
{
	r->place = IN_KEY;
	if (r->visit || !r->plain)
		return GEMP_OK;
	graphml_key *key = &r->head->keys[r->head->count - 1];
	key->has_default = true;
	return gemp_xml_copy(&key->default_value, text);
}

/* The reader's state tells which element ends, because the elements that it reads nest in one way only. */
static gemp_code end(void *self, const gemp_xml *xml, const char *text, size_t size)
{
	reader *r = self;
	(void)xml, (void)size;
	if (in_text(r) && r->depth > 0) {
		r->depth--;
		return GEMP_OK;
	}
	if (r->skipped) {
		r->skipped--;
		return GEMP_OK;
	}
	switch (r->place) {
	case IN_DATA: return end_data(r, text);
	case IN_DEFAULT: return end_default(r, text);
	case IN_ELEMENT: r->place = IN_GRAPH; return r->visit(r->self, r->head, &r->element);
	case IN_KEY:
	case IN_GRAPH: r->place = IN_FILE; return GEMP_OK;
	default: r->place = OUTSIDE; return GEMP_OK;
	}
}

static bool enough(void *self)
{
	return ((const reader *)self)->head_is_read;
}

/* THE FILE */

static void free_reader(reader *r)
{
	for (size_t k = 0; r->element.values && k < r->value_count; k++)
		gemp_text_free(&r->element.values[k]);
	gemp_free_all(r->element.values, r->element.present);
	gemp_text_free(&r->element.ends[0]);
	gemp_text_free(&r->element.ends[1]);
	gemp_text_free(&r->element.name);
}

/* Reads the file, plain or compressed, to its end, or with visit NULL as far as the head goes. What is no XML, no
 * GraphML, or what graphs here cannot have (hyperedges, ports, graphs in nodes) is GEMP_EDATA with file and line. */
static gemp_code graphml_read(graphml_head *head, const char *path, graphml_visit *visit, void *self)
{
	static const gemp_xml_visitor visitor = { "GraphML", start, end, enough };
	GEMP_OWNED_BY(free_reader)
	reader r = { .head = head, .visit = visit, .self = self, .value_count = visit ? head->count : 0 };
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(r.element.values, r.value_count), GEMP_ARRAY(r.element.present, r.value_count)));
	GEMP_TRY(gemp_xml_read(path, &visitor, &r));
	if (!head->has_graph)
		return gemp_fail(GEMP_EDATA, "%s: there is no <graph> in it; a <graphml> without one holds nothing to import",
		                 path);
	if (visit && r.left_out)
		gemp_log_local(GEMP_NORMAL,
		               "gemp-mpi: warning: %s: %zu data hold XML elements instead of text and are left out", path,
		               r.left_out);
	return GEMP_OK;
}

/* What becomes of a key of one file. */
typedef struct key_use {
	bool name[2];     /* the labels of nodes, the type of edges */
	size_t column[2]; /* the builder's */
} key_use;

typedef struct graphml_file {
	const char *path;
	graphml_head head;
	key_use *uses; /* [head.count] */
} graphml_file;

typedef struct graphml_import {
	size_t count;
	graphml_file *files; /* [count] */
	bool undirected;     /* all edges are */
	bool asked;          /* as the user says */
	gemp_builder *builder;
	gemp_declared_columns columns[2]; /* of vertices, of edges */
	const graphml_file *now;          /* being read */
} graphml_import;

/* WHAT IS DECLARED */

static size_t find_name(const graphml_head *head, bool edge, const char *name)
{
	size_t k = 0;
	while (k < head->count && !(head->keys[k].applies_to[edge] && strcmp(head->keys[k].name, name) == 0))
		k++;
	return k;
}

/* The first that there is holds labels or type; the others are attributes. */
static void choose_names(graphml_file *f)
{
	static const char *const names[2][3] = { { "labels", "label", NULL }, { "label", "labels", "type" } };
	for (int edge = 0; edge < 2; edge++)
		for (size_t i = 0; i < 3 && names[edge][i]; i++) {
			size_t key = find_name(&f->head, edge, names[edge][i]);
			if (key == f->head.count)
				continue;
			f->uses[key].name[edge] = true;
			break;
		}
}

/* A key for both nodes and edges makes two columns. */
static gemp_code join_keys(graphml_import *self, graphml_file *f)
{
	GEMP_TRY(GEMP_NEW(f->uses, f->head.count));
	choose_names(f);
	for (size_t k = 0; k < f->head.count; k++)
		for (int edge = 0; edge < 2; edge++)
			if (f->head.keys[k].applies_to[edge] && !f->uses[k].name[edge])
				GEMP_TRY(gemp_declared_columns_join(&self->columns[edge], f->head.keys[k].name, f->head.keys[k].type,
				                                    &f->uses[k].column[edge]));
	return GEMP_OK;
}

/* All ranks read all heads, since columns must be the same everywhere before any element is read. */
static gemp_code read_heads(graphml_import *self, const gemp_import_options *options, bool *string_keys)
{
	GEMP_TRY(GEMP_NEW(self->files, options->edge_file_count));
	self->count = options->edge_file_count;
	self->asked = self->undirected = options->undirected;
	for (size_t i = 0; i < self->count; i++) {
		graphml_file *f = &self->files[i];
		f->path = options->edge_files[i];
		GEMP_TRY(graphml_read(&f->head, f->path, NULL, NULL));
		GEMP_TRY(join_keys(self, f));
		*string_keys |= f->head.string_ids;
		if (!self->asked && i && f->head.undirected != self->undirected)
			return gemp_fail(GEMP_EDATA,
			                 "%s is %s, %s is not; import files of one direction, or take all as undirected", f->path,
			                 f->head.undirected ? "undirected" : "directed", self->files[0].path);
		self->undirected = self->asked || f->head.undirected;
	}
	return GEMP_OK;
}

/* Columns are numbered in the order of the files and their keys. */
static gemp_code declare(const graphml_import *self, const gemp_import_options *options)
{
	GEMP_TRY(gemp_import_declare_files(self->builder, options));
	GEMP_TRY(gemp_declared_columns_declare(&self->columns[0], self->builder, gemp_builder_vertex_column));
	return gemp_declared_columns_declare(&self->columns[1], self->builder, gemp_builder_edge_column);
}

/* WHAT IS IN IT */

/* Labels are "A;B", or ":A:B" as Neo4j writes them. In place. */
static void unify_labels(char *text)
{
	if (text[0] == ':')
		for (; *text; text++)
			*text = *text == ':' ? ';' : *text;
}

/* Data for labels or type goes before the attribute of the element. */
static const gemp_text *name_of(const graphml_file *f, const graphml_element *element)
{
	for (size_t k = 0; k < f->head.count; k++)
		if (f->uses[k].name[element->edge] && element->present[k])
			return &element->values[k];
	return &element->name;
}

/* Blanks around numbers come from pretty-printed files. */
static gemp_code read_value(gemp_value *out, const struct gemp_declared_column *column, const gemp_text *text)
{
	gemp_slice part = { text->data, text->size };
	if (column->type != GEMP_STRING)
		part = gemp_trimmed(text->data, text->data + text->size);
	gemp_code code = gemp_scalar_read(out, column->type, part.bytes, part.size);
	return code == GEMP_EDATA ? gemp_fail_in(code, "data '%s': ", column->name) : code;
}

/* Data that gives labels or the type is no attribute. */
static gemp_code add_values(graphml_import *self, const graphml_element *element)
{
	bool edge = element->edge;
	for (size_t k = 0; k < self->now->head.count; k++) {
		const key_use *use = &self->now->uses[k];
		gemp_value value;
		if (!element->present[k] || use->name[edge])
			continue;
		GEMP_TRY(read_value(&value, &self->columns[edge].columns[use->column[edge]], &element->values[k]));
		GEMP_TRY(gemp_import_value(self->builder, edge, use->column[edge], &value));
	}
	return GEMP_OK;
}

/* An edge that differs in direction would change its meaning in a graph of the other kind. */
static gemp_code feed_element(void *context, const graphml_head *head, const graphml_element *element)
{
	graphml_import *self = context;
	const gemp_place place = { (uint32_t)(self->now - self->files) + 1, element->line };
	const gemp_value ends[2] = { gemp_string_value(element->ends[0].data, element->ends[0].size),
		                         gemp_string_value(element->ends[1].data, element->ends[1].size) };
	const gemp_text *name = name_of(self->now, element);
	(void)head;
	if (!element->edge && name->data)
		unify_labels(name->data);
	if (element->edge && !self->asked && element->undirected != self->undirected)
		return gemp_fail(GEMP_EDATA,
		                 "this edge is %s and others are not; take all as undirected, or list undirected edges in both "
		                 "directions",
		                 element->undirected ? "undirected" : "directed");
	GEMP_TRY(gemp_import_element(self->builder, element->edge, ends, name->data, name->size, place));
	return add_values(self, element);
}

/* Files are dealt out to the ranks. */
static gemp_code read_files(graphml_import *self, const gemp_comm *comm)
{
	gemp_code code = GEMP_OK;
	for (size_t i = (size_t)comm->rank; i < self->count && code == GEMP_OK; i += (size_t)comm->size) {
		self->now = &self->files[i];
		code = graphml_read(&self->files[i].head, self->files[i].path, feed_element, self);
	}
	return code;
}

/* Takes an import that failed early. */
static void free_import(graphml_import *self)
{
	gemp_builder_free(self->builder);
	for (size_t i = 0; i < self->count; i++) {
		graphml_head_free(&self->files[i].head);
		gemp_free(self->files[i].uses);
	}
	gemp_free_all(self->files, self->columns[0].columns, self->columns[1].columns);
}

/* Two passes: heads of all files, then elements of this rank's files. */
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
