/* A state machine over start and end tags. `place` is the element that the reader is in; the elements that
 * matter nest in one way only, so that the way back needs no stack. The first pass stops at the first node
 * or edge. */

#include "io/import/graphml_parser.h"

#include "core/log.h"
#include "core/memory.h"
#include "io/text/xml.h"

#include <string.h>
#include <strings.h>

/* Which element we are in; the way back is told by the element that ends. */
typedef enum place { OUTSIDE, IN_FILE, IN_KEY, IN_DEFAULT, IN_GRAPH, IN_ELEMENT, IN_DATA } place;

/* The same reader serves both passes: without `visit` it stops at the first node or edge. */
typedef struct reader {
	gemp_graphml_head *head;
	gemp_graphml_visit *visit; /* NULL: the head is enough */
	void *self;
	bool head_is_read;  /* and no more is wanted */
	place place, outer; /* outer: where the data being read is */
	size_t key;         /* of that data */
	size_t depth;       /* elements of others inside it */
	bool plain;         /* there were none */
	size_t left_out;    /* data where there were some */
	size_t skipped;     /* depth of elements in a <desc>, which is for people */
	size_t value_count; /* room in element: the head's keys, once it is read */
	gemp_graphml_element element;
} reader;

/* Takes a head that was only partly read. */
void gemp_graphml_head_free(gemp_graphml_head *head)
{
	for (size_t k = 0; k < head->count; k++) {
		gemp_free_all(head->keys[k].id, head->keys[k].name);
		gemp_text_free(&head->keys[k].default_value);
	}
	gemp_free(head->keys);
	*head = (gemp_graphml_head){ 0 };
}

/* KEYS */

static const struct {
	const char *name;
	gemp_type type;
} types[] = {
	{ "boolean", GEMP_BOOLEAN }, { "int", GEMP_INTEGER },  { "integer", GEMP_INTEGER }, { "long", GEMP_INTEGER },
	{ "float", GEMP_FLOAT },     { "double", GEMP_FLOAT }, { "string", GEMP_STRING },
};

/* A key without a type is a string, as the GraphML primer says. */
static gemp_code type_of(gemp_type *out, const char *name, const char *key)
{
	*out = GEMP_STRING;
	if (!name)
		return GEMP_OK;
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (strcasecmp(types[i].name, name) == 0) {
			*out = types[i].type;
			return GEMP_OK;
		}
	return gemp_fail(GEMP_EDATA, "key '%s': unknown type '%s'; there are boolean, int, long, float, double and string",
	                 key, name);
}

/* Files declare a handful of keys. */
static size_t find_key(const gemp_graphml_head *head, const char *id)
{
	size_t k = 0;
	while (k < head->count && strcmp(head->keys[k].id, id) != 0)
		k++;
	return k;
}

/* Keys must stand before the graph, since the first pass ends where the graph begins. */
static gemp_code begin_key(reader *r, const char **attributes)
{
	gemp_graphml_head *head = r->head;
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
	GEMP_PROPAGATE(GEMP_RESERVE(head->keys, head->capacity, head->count + 1));
	gemp_graphml_key *key = &head->keys[head->count];
	bool all = !of || strcmp(of, "all") == 0;
	*key = (gemp_graphml_key){ .applies_to = { all || strcmp(of, "node") == 0, all || strcmp(of, "edge") == 0 } };
	GEMP_PROPAGATE(type_of(&key->type, gemp_xml_attribute(attributes, "attr.type"), id));
	head->count++;
	key->id = gemp_strdup(id);
	key->name = gemp_strdup(name && *name ? name : id);
	return key->id && key->name ? GEMP_OK : GEMP_ENOMEM;
}

/* NODES, EDGES AND DATA */

static gemp_code copy(gemp_text *to, const char *from)
{
	gemp_text_clear(to);
	gemp_text_print(to, "%s", from ? from : "");
	return gemp_text_status(to);
}

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
		return gemp_fail(GEMP_EDATA, "graphs of both directions in one file; import one, or say --undirected");
	r->head->has_graph = true;
	r->head->undirected = undirected;
	r->place = IN_GRAPH;
	return GEMP_OK;
}

/* Defaults are set first; data of the element replaces them. */
static gemp_code begin_element(reader *r, const gemp_xml *xml, bool edge, const char **attributes)
{
	static const char *const needed[][2] = { { "id", NULL }, { "source", "target" } };
	gemp_graphml_element *element = &r->element;
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
		GEMP_PROPAGATE(copy(&element->ends[i], id));
	}
	GEMP_PROPAGATE(copy(&element->name, gemp_xml_attribute(attributes, edge ? "label" : "labels")));
	const char *directed = gemp_xml_attribute(attributes, "directed");
	element->edge = edge;
	element->undirected = directed ? strcmp(directed, "true") != 0 : r->head->undirected;
	element->line = gemp_xml_line(xml);
	for (size_t k = 0; k < r->head->count; k++) {
		const gemp_graphml_key *key = &r->head->keys[k];
		element->present[k] = key->has_default && key->applies_to[edge];
		if (element->present[k])
			GEMP_PROPAGATE(copy(&element->values[k], key->default_value.data));
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
	return copy(&r->element.values[r->key], text);
}

/* A default counts for all elements that do not have the data. */
static gemp_code end_default(reader *r, const char *text)
{
	r->place = IN_KEY;
	if (r->visit || !r->plain)
		return GEMP_OK;
	gemp_graphml_key *key = &r->head->keys[r->head->count - 1];
	key->has_default = true;
	return copy(&key->default_value, text);
}

/* The place tells which element ends, as those that matter nest in one way only. */
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

/* With visit NULL only the head is read. */
gemp_code gemp_graphml_read(gemp_graphml_head *head, const char *path, gemp_graphml_visit *visit, void *self)
{
	static const gemp_xml_visitor visitor = { "GraphML", start, end, enough };
	gemp_code code = GEMP_OK;
	GEMP_OWNED_BY(free_reader)
	reader r = { .head = head, .visit = visit, .self = self, .value_count = visit ? head->count : 0 };
	GEMP_PROPAGATE(GEMP_NEW(r.element.values, r.value_count));
	GEMP_PROPAGATE(GEMP_NEW(r.element.present, r.value_count));
	GEMP_PROPAGATE(gemp_xml_read(path, &visitor, &r));
	if (!head->has_graph)
		code = gemp_fail(GEMP_EDATA, "%s: there is no <graph> in it", path);
	else if (visit && r.left_out)
		gemp_log_local(GEMP_NORMAL,
		               "gemp-mpi: warning: %s: %zu data hold XML elements instead of text and are left out", path,
		               r.left_out);
	return code;
}
