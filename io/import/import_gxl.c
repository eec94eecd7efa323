/* GXL. Rank i % ranks reads file i, and reads it twice. The first pass finds the attributes and their types, which all
 * ranks must know. The second pass feeds the builder. */

#include "core/status.h"
#include "io/import/import.h"
#include "io/import/import_columns.h"
#include "io/text/xml.h"
#include "partition/build/builder.h"

#include <string.h>

typedef enum place { OUTSIDE, IN_FILE, IN_GRAPH, IN_ELEMENT, IN_ATTRIBUTE, IN_VALUE } place;

typedef struct attribute {
	gemp_text name, text;
	gemp_type type;
} attribute;

typedef struct gxl_import {
	const gemp_comm *comm;
	const gemp_import_options *options;
	gemp_inferred_columns columns[2]; /* [0]: columns of vertices; [1]: columns of edges */
	uint64_t directions[2];           /* [0]: number of directed edges; [1]: number of undirected edges */
	bool undirected;                  /* all edges are undirected */
	gemp_builder *builder;            /* NULL in the first pass */

	uint32_t file; /* number of the current file */
	gemp_xml *xml;
	place place;
	bool undirected_by_default; /* edges of the current graph are undirected by default */
	bool forced;                /* a single edge cannot differ from the default */
	bool edge, edge_undirected; /* for the current node or edge */
	gemp_text ends[2], name;
	uint64_t line;
	size_t count, capacity;
	attribute *attributes; /* [capacity]; the first `count` belong to the current node or edge */
} gxl_import;

/* Namespaces are ignored, since the prefix of `xlink:href` may be bound to any namespace or to none. */
static const char *find_local(const char **attributes, const char *local)
{
	for (; *attributes; attributes += 2)
		if (strcmp(gemp_xml_local(attributes[0]), local) == 0)
			return attributes[1];
	return NULL;
}

/* ATTRIBUTES */

/* Adds an attribute with an empty text. The attributes of earlier elements have left their buffers, which are
 * reused. */
static gemp_code add_attribute(gxl_import *self, const char *name)
{
	size_t known = self->capacity;
	for (size_t i = 0; i < self->count; i++)
		if (strcmp(self->attributes[i].name.data, name) == 0)
			return gemp_fail(GEMP_EDATA, "attribute '%.80s' occurs twice; rename one", name);
	GEMP_TRY(GEMP_RESERVE(self->attributes, self->capacity, self->count + 1));
	memset(self->attributes + known, 0, (self->capacity - known) * sizeof *self->attributes);
	attribute *added = &self->attributes[self->count];
	GEMP_TRY(gemp_xml_copy(&added->name, name));
	GEMP_TRY(gemp_xml_copy(&added->text, ""));
	self->count++;
	return GEMP_OK;
}

/* The inner element gives the attribute's type. Until then the type is GEMP_LIST. */
static gemp_code begin_attribute(gxl_import *self, const char **attributes)
{
	const char *name = find_local(attributes, "name");
	if (!name || !*name)
		return gemp_fail(GEMP_EDATA, "<attr> has no name; give it one");
	self->place = IN_ATTRIBUTE;
	GEMP_TRY(add_attribute(self, name));
	self->attributes[self->count - 1].type = GEMP_LIST;
	return GEMP_OK;
}

/* A column cannot hold bags, sets and tuples, so these are refused. */
static gemp_code begin_value(gxl_import *self, const char *name, const char **attributes)
{
	static const struct {
		const char *name;
		gemp_type type;
	} types[] = {
		{ "bool", GEMP_BOOLEAN },  { "int", GEMP_INTEGER }, { "float", GEMP_FLOAT },
		{ "string", GEMP_STRING }, { "enum", GEMP_STRING }, { "locator", GEMP_STRING },
	};
	attribute *attribute = &self->attributes[self->count - 1];
	if (strcmp(name, "attr") == 0)
		return gemp_fail(GEMP_EDATA, "attribute '%.80s' has an attribute, which is not supported; remove it",
		                 attribute->name.data);
	if (attribute->type != GEMP_LIST)
		return gemp_fail(GEMP_EDATA, "attribute '%.80s' has several values; make them several attributes",
		                 attribute->name.data);
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (strcmp(types[i].name, name) == 0) {
			attribute->type = types[i].type;
			self->place = IN_VALUE;
			return strcmp(name, "locator") == 0 ? gemp_xml_copy(&attribute->text, find_local(attributes, "href"))
			                                    : GEMP_OK;
		}
	return gemp_fail(GEMP_EDATA,
	                 "attribute '%.80s' is a <%s>; values are bool, int, float, string, enum and locator, so "
	                 "make its parts attributes",
	                 attribute->name.data, name);
}

/* The value of a locator is its href, which begin_value has stored. The value of any other element is its text. */
static gemp_code end_value(gxl_import *self, const char *text, size_t size)
{
	gemp_value value;
	attribute *attribute = &self->attributes[self->count - 1];
	gemp_slice part = { text, size };
	self->place = IN_ATTRIBUTE;
	if (attribute->type != GEMP_STRING)
		part = gemp_trimmed(text, text + size);
	if (attribute->text.size == 0)
		gemp_text_add(&attribute->text, part.bytes, part.size);
	gemp_code code = gemp_text_status(&attribute->text);
	GEMP_THEN(gemp_scalar_read(&value, attribute->type, attribute->text.data, attribute->text.size));
	return code == GEMP_EDATA ? gemp_fail_in(code, "attribute '%s': ", attribute->name.data) : code;
}

/* GRAPHS, NODES AND EDGES */

/* edgemode is "directed" or "undirected". With "default" in front of it, single edges may differ. */
static gemp_code begin_graph(gxl_import *self, const char **attributes)
{
	const char *mode = find_local(attributes, "edgemode"), *hyper = find_local(attributes, "hypergraph");
	if (hyper && strcmp(hyper, "true") == 0)
		return gemp_fail(GEMP_EDATA, "a hypergraph, which is not supported; make its relations nodes");
	self->undirected_by_default = mode && strstr(mode, "undirected");
	self->forced = mode && strncmp(mode, "default", 7) != 0;
	self->place = IN_GRAPH;
	return GEMP_OK;
}

/* The first pass counts directions. The second pass refuses an edge whose direction is not the graph's. */
static gemp_code check_direction(gxl_import *self, const char **attributes)
{
	const char *directed = find_local(attributes, "isdirected");
	self->edge_undirected = self->forced || !directed ? self->undirected_by_default : strcmp(directed, "true") != 0;
	self->directions[self->edge_undirected]++;
	if (self->builder && !self->options->undirected && self->edge_undirected != self->undirected)
		return gemp_fail(GEMP_EDATA,
		                 "this edge is undirected and others are not; take all as undirected, or list undirected "
		                 "edges in both directions");
	return GEMP_OK;
}

/* fromorder and toorder number the edges at a vertex. They become attributes of the edge. */
static gemp_code add_orders(gxl_import *self, const char **attributes)
{
	static const char *const names[] = { "fromorder", "toorder" };
	for (size_t i = 0; i < 2; i++) {
		gemp_value value;
		const char *text = find_local(attributes, names[i]);
		if (!text)
			continue;
		gemp_code code = gemp_scalar_read(&value, GEMP_INTEGER, text, strlen(text));
		if (code != GEMP_OK)
			return gemp_fail_in(code, "%s: ", names[i]);
		GEMP_TRY(add_attribute(self, names[i]));
		self->attributes[self->count - 1].type = GEMP_INTEGER;
		GEMP_TRY(gemp_xml_copy(&self->attributes[self->count - 1].text, text));
	}
	return GEMP_OK;
}

/* Ids are strings, and the ends of an edge are ids. */
static gemp_code begin_element(gxl_import *self, const char *name, const char **attributes)
{
	static const char *const needed[][2] = { { "id", NULL }, { "from", "to" } };
	self->edge = strcmp(name, "edge") == 0;
	for (size_t i = 0; i < 2 && needed[self->edge][i]; i++) {
		const char *id = find_local(attributes, needed[self->edge][i]);
		if (!id || !*id)
			return gemp_fail(GEMP_EDATA, "<%s> has no %s; give it one", name, needed[self->edge][i]);
		GEMP_TRY(gemp_xml_copy(&self->ends[i], id));
	}
	GEMP_TRY(gemp_xml_copy(&self->name, ""));
	self->line = gemp_xml_line(self->xml);
	self->count = 0;
	self->place = IN_ELEMENT;
	if (!self->edge)
		return GEMP_OK;
	GEMP_TRY(add_orders(self, attributes));
	return check_direction(self, attributes);
}

/* "schema.gxl#Function" names the type Function. A node may have several types. */
static gemp_code add_type(gxl_import *self, const char **attributes)
{
	const char *href = find_local(attributes, "href"), *hash = href ? strrchr(href, '#') : NULL;
	if (!href || !*href || (hash && !hash[1]))
		return gemp_fail(GEMP_EDATA, "<type> has no xlink:href; let it name the type, as in href=\"schema.gxl#Type\"");
	gemp_xml_skip(self->xml);
	if (self->edge && self->name.size)
		return gemp_fail(GEMP_EDATA, "an edge of several types; make it several edges");
	gemp_text_print(&self->name, "%s%s", self->name.size ? ";" : "", hash ? hash + 1 : href);
	return gemp_text_status(&self->name);
}

static gemp_code misplaced(const char *name)
{
	return gemp_fail(GEMP_EDATA, "<%s> does not belong here; graphs are in <gxl>, nodes and edges in <graph>", name);
}

/* The type and the attributes of the graph itself are skipped. */
static gemp_code in_graph(gxl_import *self, const char *name, const char **attributes)
{
	if (strcmp(name, "node") == 0 || strcmp(name, "edge") == 0)
		return begin_element(self, name, attributes);
	if (strcmp(name, "type") != 0 && strcmp(name, "attr") != 0)
		return gemp_fail(GEMP_EDATA, "<%s> is not supported; there are graph, node, edge, type and attr", name);
	gemp_xml_skip(self->xml);
	return GEMP_OK;
}

/* The DTD requires types first, but any order is accepted. */
static gemp_code in_element(gxl_import *self, const char *name, const char **attributes)
{
	if (strcmp(name, "type") == 0)
		return add_type(self, attributes);
	if (strcmp(name, "attr") == 0)
		return begin_attribute(self, attributes);
	if (strcmp(name, "graph") == 0)
		return gemp_fail(GEMP_EDATA, "a graph inside a node or edge, which is not supported; move it out");
	return misplaced(name);
}

/* Each place allows only certain elements. Any other element is refused, so nothing is lost silently. */
static gemp_code on_start(void *context, gemp_xml *xml, const char *full, const char **attributes)
{
	gxl_import *self = context;
	const char *name = gemp_xml_local(full);
	self->xml = xml;
	switch (self->place) {
	case OUTSIDE:
		if (strcmp(name, "gxl") != 0)
			return gemp_fail(GEMP_EDATA, "the file is not GXL: it begins with another element than <gxl>");
		self->place = IN_FILE;
		return GEMP_OK;
	case IN_FILE: return strcmp(name, "graph") == 0 ? begin_graph(self, attributes) : misplaced(name);
	case IN_GRAPH: return in_graph(self, name, attributes);
	case IN_ELEMENT: return in_element(self, name, attributes);
	case IN_ATTRIBUTE: return begin_value(self, name, attributes);
	default: return gemp_fail(GEMP_EDATA, "<%s> inside the value of an attribute; values are plain text", name);
	}
}

/* BOTH PASSES */

/* The narrowest type that can hold every value of a column. */
static gemp_type type_of(uint32_t seen)
{
	return seen == GEMP_SEEN_INTEGER                       ? GEMP_INTEGER
	       : seen == GEMP_SEEN_BOOLEAN                     ? GEMP_BOOLEAN
	       : seen & (GEMP_SEEN_STRING | GEMP_SEEN_BOOLEAN) ? GEMP_STRING
	                                                       : GEMP_FLOAT;
}

/* First pass: collects the attributes and the types of their values. */
static gemp_code observe_element(gxl_import *self)
{
	for (size_t i = 0; i < self->count; i++)
		if (self->attributes[i].type != GEMP_LIST)
			GEMP_TRY(gemp_inferred_columns_observe(&self->columns[self->edge], self->attributes[i].name.data,
			                                       UINT32_C(1) << self->attributes[i].type));
	return GEMP_OK;
}

/* Second pass: the builder knows the columns, so the element is added. */
static gemp_code feed_element(gxl_import *self)
{
	const gemp_value ends[2] = { gemp_string_value(self->ends[0].data, self->ends[0].size),
		                         gemp_string_value(self->ends[1].data, self->ends[1].size) };
	const gemp_inferred_columns *columns = &self->columns[self->edge];
	GEMP_TRY(gemp_import_element(self->builder, self->edge, ends, self->name.data, self->name.size,
	                             (gemp_place){ self->file, self->line }));
	for (size_t i = 0; i < self->count; i++) {
		const attribute *attribute = &self->attributes[i];
		gemp_value value;
		if (attribute->type == GEMP_LIST)
			continue;
		size_t at = gemp_inferred_columns_find(columns, attribute->name.data);
		GEMP_TRY(gemp_scalar_read(&value, columns->types[at], attribute->text.data, attribute->text.size));
		GEMP_TRY(gemp_import_value(self->builder, self->edge, at, &value));
	}
	return GEMP_OK;
}

/* Places are numbered from the outside to the inside, so the surrounding place has the preceding number. */
static gemp_code on_end(void *context, const char *text, size_t size)
{
	gxl_import *self = context;
	if (self->place == IN_VALUE)
		return end_value(self, text, size);
	if (self->place-- == IN_ELEMENT)
		return self->builder ? feed_element(self) : observe_element(self);
	return GEMP_OK;
}

/* Collective. In both passes a rank reads the same files. */
static gemp_code read_files(gxl_import *self)
{
	static const gemp_xml_visitor visitor = { "GXL", on_start, on_end, NULL };
	gemp_code code = GEMP_OK;
	for (size_t i = (size_t)self->comm->rank; i < self->options->edge_file_count && code == GEMP_OK;
	     i += (size_t)self->comm->size) {
		self->place = OUTSIDE;
		self->file = (uint32_t)i + 1;
		code = gemp_xml_read(self->options->edge_files[i], &visitor, self);
	}
	return gemp_comm_agree(self->comm, code);
}

/* Files are numbered from 1 in the order of the command line. */
static gemp_code declare(gxl_import *self)
{
	GEMP_TRY(gemp_import_declare_files(self->builder, self->options));
	return gemp_inferred_columns_declare(self->columns, self->builder);
}

/* The import may be set up only in part, after a failure. */
static void free_import(gxl_import *self)
{
	gemp_builder_free(self->builder);
	gemp_inferred_columns_free(self->columns);
	gemp_text_free(&self->ends[0]);
	gemp_text_free(&self->ends[1]);
	gemp_text_free(&self->name);
	for (size_t i = 0; i < self->capacity; i++) {
		gemp_text_free(&self->attributes[i].name);
		gemp_text_free(&self->attributes[i].text);
	}
	gemp_free(self->attributes);
}

/* The graph is undirected if all its edges are. So the ranks sum the counts of directions before the builder is
 * made. */
static gemp_code read_gxl(gemp_shard **out, const gemp_comm *comm, const gemp_import_options *options)
{
	GEMP_OWNED_BY(free_import) gxl_import self = { .comm = comm, .options = options };
	gemp_builder_options built = gemp_format_builder(options);
	GEMP_TRY(read_files(&self));
	gemp_comm_sum(comm, self.directions, 2);
	self.undirected = options->undirected || (self.directions[1] > 0 && self.directions[0] == 0);
	built.undirected = self.undirected;
	GEMP_TRY(gemp_inferred_columns_merge(self.columns, comm, type_of));
	GEMP_TRY(gemp_builder_new(&self.builder, comm, &built));
	GEMP_TRY(gemp_comm_agree(comm, declare(&self)));
	GEMP_TRY(read_files(&self));
	return gemp_builder_finish(self.builder, out);
}

const gemp_format gemp_format_gxl = {
	.name = "gxl",
	.endings = ".gxl",
	.summary = "GXL (XML): nodes and edges with types and attributes",
	.read = read_gxl,
};
