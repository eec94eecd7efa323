#include "io/import/graphml_parser.h"

#include "core/log.h"
#include "core/memory.h"
#include "io/file/source.h"

#include <expat.h>
#include <inttypes.h>
#include <string.h>
#include <strings.h>

enum { PIECE = 1 << 16 };

/* Which element we are in; the way back is told by the element that ends. */
typedef enum place { OUTSIDE, IN_FILE, IN_KEY, IN_DEFAULT, IN_GRAPH, IN_ELEMENT, IN_DATA } place;

typedef struct reader {
	const char *path;
	gemp_graphml_head *head;
	gemp_graphml_visit *visit; /* NULL: the head is enough */
	void *self;
	XML_Parser parser;
	gemp_code code;     /* a failure met in a handler */
	bool enough;        /* the head is read */
	place place, outer; /* outer: where the data being read is */
	size_t key;         /* of that data */
	size_t depth;       /* elements of others inside it */
	bool plain;         /* there were none */
	size_t left_out;    /* data where there were some */
	gemp_text text;     /* of data or default */
	size_t value_count; /* room in element: the head's keys, once it is read */
	gemp_graphml_element element;
} reader;

void gemp_graphml_head_free(gemp_graphml_head *head)
{
	for (size_t k = 0; k < head->count; k++) {
		gemp_free_all(head->keys[k].id, head->keys[k].name);
		gemp_text_free(&head->keys[k].default_value);
	}
	gemp_free(head->keys);
	*head = (gemp_graphml_head){ 0 };
}

/* FAILURES */

static void stop(reader *r, gemp_code code)
{
	if (r->code == GEMP_OK)
		r->code = code;
	XML_StopParser(r->parser, XML_FALSE);
}

static void stop_at(reader *r, gemp_code code)
{
	if (code == GEMP_EDATA)
		gemp_fail_in(code, "%s:%" PRIu64 ": ", r->path, (uint64_t)XML_GetCurrentLineNumber(r->parser));
	stop(r, code);
}

static const char *attribute(const char **attributes, const char *name)
{
	for (; *attributes; attributes += 2)
		if (strcmp(attributes[0], name) == 0)
			return attributes[1];
	return NULL;
}

/* KEYS */

static const struct {
	const char *name;
	gemp_type type;
} types[] = {
	{ "boolean", GEMP_BOOLEAN }, { "int", GEMP_INTEGER },  { "integer", GEMP_INTEGER }, { "long", GEMP_INTEGER },
	{ "float", GEMP_FLOAT },     { "double", GEMP_FLOAT }, { "string", GEMP_STRING },
};

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

static size_t find_key(const gemp_graphml_head *head, const char *id)
{
	size_t k = 0;
	while (k < head->count && strcmp(head->keys[k].id, id) != 0)
		k++;
	return k;
}

static gemp_code begin_key(reader *r, const char **attributes)
{
	gemp_graphml_head *head = r->head;
	const char *id = attribute(attributes, "id"), *name = attribute(attributes, "attr.name");
	const char *of = attribute(attributes, "for");
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
	GEMP_PROPAGATE(type_of(&key->type, attribute(attributes, "attr.type"), id));
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

static gemp_code begin_graph(reader *r, const char **attributes)
{
	const char *direction = attribute(attributes, "edgedefault");
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

static gemp_code begin_element(reader *r, bool edge, const char **attributes)
{
	static const char *const needed[][2] = { { "id", NULL }, { "source", "target" } };
	gemp_graphml_element *element = &r->element;
	if (r->place != IN_GRAPH)
		return gemp_fail(GEMP_EDATA, "<%s> does not belong here", edge ? "edge" : "node");
	if (!r->visit) {
		r->enough = true;
		stop(r, GEMP_OK);
		return GEMP_OK;
	}
	for (size_t i = 0; i < 2 && needed[edge][i]; i++) {
		const char *id = attribute(attributes, needed[edge][i]);
		if (!id || !*id)
			return gemp_fail(GEMP_EDATA, "<%s> has no %s", edge ? "edge" : "node", needed[edge][i]);
		GEMP_PROPAGATE(copy(&element->ends[i], id));
	}
	GEMP_PROPAGATE(copy(&element->name, attribute(attributes, edge ? "label" : "labels")));
	const char *directed = attribute(attributes, "directed");
	element->edge = edge;
	element->undirected = directed ? strcmp(directed, "true") != 0 : r->head->undirected;
	element->line = XML_GetCurrentLineNumber(r->parser);
	for (size_t k = 0; k < r->head->count; k++) {
		const gemp_graphml_key *key = &r->head->keys[k];
		element->present[k] = key->has_default && key->applies_to[edge];
		if (element->present[k])
			GEMP_PROPAGATE(copy(&element->values[k], key->default_value.data));
	}
	r->place = IN_ELEMENT;
	return GEMP_OK;
}

static void begin_text(reader *r, place in)
{
	gemp_text_clear(&r->text);
	r->depth = 0;
	r->plain = true;
	r->outer = r->place;
	r->place = in;
}

static gemp_code begin_data(reader *r, const char **attributes)
{
	const char *id = attribute(attributes, "key");
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
	const char *blank = strrchr(name, ' ');
	if (!blank)
		return name;
	return strncmp(name, "http://graphml.graphdrawing.org", 31) == 0 ? blank + 1 : NULL;
}

static gemp_code begin(reader *r, const char *name, const char **attributes)
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
		return begin_element(r, *name == 'e', attributes);
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

/* What is said to people. */
static bool is_description(const char *own)
{
	return own && strcmp(own, "desc") == 0;
}

static void XMLCALL on_start(void *self, const char *name, const char **attributes)
{
	reader *r = self;
	const char *own = own_name(name);
	if (r->code != GEMP_OK || r->enough)
		return;
	if (in_text(r)) {
		r->depth++;
		r->left_out += r->plain;
		r->plain = false;
		return;
	}
	if (is_description(own))
		return;
	gemp_code code = begin(r, own, attributes);
	if (code != GEMP_OK)
		stop_at(r, code);
}

/* ENDS */

static gemp_code end_data(reader *r)
{
	gemp_code code = gemp_text_status(&r->text);
	r->place = r->outer;
	if (code != GEMP_OK || !r->plain)
		return code;
	if (r->outer == IN_GRAPH && strcmp(r->head->keys[r->key].name, "gemp-ids") == 0)
		r->head->string_ids = r->text.data && strcmp(r->text.data, "string") == 0;
	if (r->outer != IN_ELEMENT)
		return GEMP_OK;
	r->element.present[r->key] = true;
	return copy(&r->element.values[r->key], r->text.data);
}

static gemp_code end_default(reader *r)
{
	gemp_code code = gemp_text_status(&r->text);
	r->place = IN_KEY;
	if (r->visit || !r->plain || code != GEMP_OK)
		return code;
	gemp_graphml_key *key = &r->head->keys[r->head->count - 1];
	key->has_default = true;
	return copy(&key->default_value, r->text.data);
}

static gemp_code end(reader *r)
{
	switch (r->place) {
	case IN_DATA: return end_data(r);
	case IN_DEFAULT: return end_default(r);
	case IN_ELEMENT: r->place = IN_GRAPH; return r->visit(r->self, r->head, &r->element);
	case IN_KEY:
	case IN_GRAPH: r->place = IN_FILE; return GEMP_OK;
	default: r->place = OUTSIDE; return GEMP_OK;
	}
}

static void XMLCALL on_end(void *self, const char *name)
{
	reader *r = self;
	const char *own = own_name(name);
	if (r->code != GEMP_OK || r->enough)
		return;
	if (in_text(r) && r->depth > 0) {
		r->depth--;
		return;
	}
	if (is_description(own))
		return;
	gemp_code code = end(r);
	if (code != GEMP_OK)
		stop_at(r, code);
}

static void XMLCALL on_text(void *self, const char *bytes, int size)
{
	reader *r = self;
	if (r->code == GEMP_OK && in_text(r) && r->depth == 0)
		gemp_text_add(&r->text, bytes, (size_t)size);
}

static void XMLCALL on_entity(void *self, const char *name, int parameter, const char *value, int size,
                              const char *base, const char *system, const char *public, const char *notation)
{
	(void)parameter, (void)value, (void)size, (void)base, (void)system, (void)public, (void)notation;
	stop_at(self, gemp_fail(GEMP_EDATA,
	                        "the file declares an entity ('%.60s'), which GraphML needs none of; take it out", name));
}

/* THE FILE */

static gemp_code prepare(reader *r)
{
	r->parser = XML_ParserCreateNS(NULL, ' ');
	if (!r->parser)
		return gemp_fail(GEMP_ENOMEM, "%s: no memory for the XML parser", r->path);
	XML_SetUserData(r->parser, r);
	XML_SetElementHandler(r->parser, on_start, on_end);
	XML_SetCharacterDataHandler(r->parser, on_text);
	XML_SetEntityDeclHandler(r->parser, on_entity);
	XML_SetHashSalt(r->parser, 1); /* the same run again does the same */
	r->value_count = r->visit ? r->head->count : 0;
	GEMP_PROPAGATE(GEMP_NEW(r->element.values, r->value_count));
	return GEMP_NEW(r->element.present, r->value_count);
}

static gemp_code bad_xml(const reader *r)
{
	enum XML_Error error = XML_GetErrorCode(r->parser);
	if (error == XML_ERROR_NO_MEMORY)
		return gemp_fail(GEMP_ENOMEM, "%s: no memory for the XML parser", r->path);
	return gemp_fail(GEMP_EDATA, "%s:%" PRIu64 ": %s; the file must be whole and XML (xmllint %s tells more)", r->path,
	                 (uint64_t)XML_GetCurrentLineNumber(r->parser), XML_ErrorString(error), r->path);
}

static gemp_code parse(reader *r, gemp_source *source)
{
	gemp_code code = GEMP_OK;
	size_t size = 1;
	while (size && !r->enough) {
		void *room = XML_GetBuffer(r->parser, PIECE);
		if (!room)
			return gemp_fail(GEMP_ENOMEM, "%s: no memory for the XML parser", r->path);
		GEMP_TRY(gemp_source_read(source, room, PIECE, &size));
		enum XML_Status status = XML_ParseBuffer(r->parser, (int)size, size == 0);
		GEMP_TRY(r->code);
		if (status != XML_STATUS_OK && !r->enough)
			return bad_xml(r);
	}
	if (!r->head->has_graph)
		code = gemp_fail(GEMP_EDATA, "%s: there is no <graph> in it", r->path);
done:
	return code;
}

static void free_reader(reader *r)
{
	if (r->parser)
		XML_ParserFree(r->parser);
	for (size_t k = 0; r->element.values && k < r->value_count; k++)
		gemp_text_free(&r->element.values[k]);
	gemp_free_all(r->element.values, r->element.present);
	gemp_text_free(&r->element.ends[0]);
	gemp_text_free(&r->element.ends[1]);
	gemp_text_free(&r->element.name);
	gemp_text_free(&r->text);
}

gemp_code gemp_graphml_read(gemp_graphml_head *head, const char *path, gemp_graphml_visit *visit, void *self)
{
	gemp_code code = GEMP_OK;
	gemp_source *source = NULL;
	reader r = { .path = path, .head = head, .visit = visit, .self = self };
	GEMP_TRY(gemp_source_open(&source, path, 0));
	GEMP_TRY(prepare(&r));
	GEMP_TRY(parse(&r, source));
	if (visit && r.left_out)
		gemp_log_local(GEMP_NORMAL,
		               "gemp-mpi: warning: %s: %zu data hold XML elements instead of text and are left out", path,
		               r.left_out);
done:
	free_reader(&r);
	gemp_source_close(source);
	return code;
}
