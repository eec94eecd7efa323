/* Expat calls the handlers of this module. The handlers add what all XML formats need: namespaces, the whole text of an
 * element, skipped elements, line numbers in messages, and an end of reading after a failure. */

#include "io/text/xml.h"

#include "core/memory.h"
#include "core/status.h"
#include "core/text.h"
#include "io/file/source.h"

#include <expat.h>
#include <inttypes.h>
#include <string.h>

enum {
	BUFFER = 1 << 16,   /* bytes that are parsed at a time, or more within a long tag */
	MAX_TEXT = 1 << 28, /* bytes of the text of an element, as in a record of a text file (io/file/stream.c) */
	MAX_DEPTH = 10000,  /* of elements; Expat keeps a record of each open element */
};

typedef struct prefix {
	char *name, *uri; /* owned */
} prefix;

struct gemp_xml {
	const char *path;
	const gemp_xml_visitor *visitor;
	void *self;
	XML_Parser parser;
	gemp_code code; /* the failure of a handler */
	bool stopped;   /* the visitor's `enough` returned true */
	size_t depth;   /* number of open elements */
	size_t skipped; /* number of open elements from the skipped element on; 0: none is skipped */
	gemp_text text; /* the text since the last tag */
	size_t prefix_count, prefix_capacity;
	prefix *prefixes; /* [prefix_count] */
};

uint64_t gemp_xml_line(const gemp_xml *xml)
{
	return XML_GetCurrentLineNumber(xml->parser);
}

void gemp_xml_skip(gemp_xml *xml)
{
	xml->skipped = 1;
}

/* The scope of a declaration is not tracked, since none of the formats nests declarations of one prefix. */
const char *gemp_xml_uri(const gemp_xml *xml, const char *name, size_t size)
{
	for (size_t i = xml->prefix_count; i-- > 0;)
		if (strncmp(xml->prefixes[i].name, name, size) == 0 && xml->prefixes[i].name[size] == '\0')
			return xml->prefixes[i].uri;
	return NULL;
}

/* Expat puts a blank between the namespace and the name. */
const char *gemp_xml_local(const char *name)
{
	const char *blank = strrchr(name, ' ');
	return blank ? blank + 1 : name;
}

bool gemp_xml_in(const char *name, const char *uri)
{
	return strchr(name, ' ') && strncmp(name, uri, strlen(uri)) == 0;
}

/* An element has few attributes, so a linear search is enough. */
const char *gemp_xml_attribute(const char **attributes, const char *name)
{
	for (; *attributes; attributes += 2)
		if (strcmp(attributes[0], name) == 0)
			return attributes[1];
	return NULL;
}

/* A text is reused for one element after another, so its memory is allocated once. */
gemp_code gemp_xml_copy(gemp_text *to, const char *from)
{
	gemp_text_clear(to);
	gemp_text_print(to, "%s", from ? from : "");
	return gemp_text_status(to);
}

/* HANDLERS */

/* Stops the parser after a failure of a handler, or if the visitor has read enough. */
static void finish_handler(gemp_xml *xml, gemp_code code)
{
	if (code == GEMP_EDATA)
		gemp_fail_in(code, "%s:%" PRIu64 ": ", xml->path, gemp_xml_line(xml));
	xml->code = code;
	xml->stopped = code == GEMP_OK && xml->visitor->enough && xml->visitor->enough(xml->self);
	if (code != GEMP_OK || xml->stopped)
		XML_StopParser(xml->parser, XML_FALSE);
}

/* Expat may still call a handler after the parser was stopped. */
static bool is_over(const gemp_xml *xml)
{
	return xml->code != GEMP_OK || xml->stopped;
}

/* Text before a start tag belongs to the outer element. No format needs it, so it is dropped. */
static void XMLCALL on_start(void *self, const char *name, const char **attributes)
{
	gemp_xml *xml = self;
	gemp_text_clear(&xml->text);
	if (++xml->depth > MAX_DEPTH && !is_over(xml))
		finish_handler(xml,
		               gemp_fail(GEMP_EDATA, "more than %d elements are open, and %s needs few; is the file whole?",
		                         MAX_DEPTH, xml->visitor->format_name));
	else if (xml->skipped)
		xml->skipped++;
	else if (!is_over(xml))
		finish_handler(xml, xml->visitor->start(xml->self, xml, name, attributes));
}

/* Expat delivers a text in parts, so the text is complete only at the end tag. */
static void XMLCALL on_end(void *self, const char *name)
{
	gemp_xml *xml = self;
	(void)name;
	xml->depth--;
	if (xml->skipped) {
		xml->skipped--;
	} else if (!is_over(xml)) {
		gemp_code code = gemp_text_status(&xml->text);
		GEMP_THEN(xml->visitor->end(xml->self, xml->text.data ? xml->text.data : "", xml->text.size));
		finish_handler(xml, code);
	}
	gemp_text_clear(&xml->text);
}

/* Expat delivers a text in parts of any size, so each part is appended. A few bytes of a compressed file may stand for
 * gigabytes of text, so its size is limited. */
static void XMLCALL on_text(void *self, const char *bytes, int size)
{
	gemp_xml *xml = self;
	if (xml->skipped || is_over(xml))
		return;
	if (xml->text.size > MAX_TEXT - (size_t)size)
		finish_handler(xml, gemp_fail(GEMP_EDATA, "an element has more than %d MiB of text; is the file %s?",
		                              MAX_TEXT >> 20, xml->visitor->format_name));
	else
		gemp_text_add(&xml->text, bytes, (size_t)size);
}

/* The default namespace is stored under an empty name. */
static gemp_code keep_prefix(gemp_xml *xml, const char *name, const char *uri)
{
	GEMP_TRY(GEMP_RESERVE(xml->prefixes, xml->prefix_capacity, xml->prefix_count + 1));
	prefix *added = &xml->prefixes[xml->prefix_count++];
	*added = (prefix){ gemp_strdup(name ? name : ""), gemp_strdup(uri ? uri : "") };
	return added->name && added->uri ? GEMP_OK : GEMP_ENOMEM;
}

/* Many elements may declare the same prefix, so a declaration is stored only if it changes the URI. */
static void XMLCALL on_namespace(void *self, const char *name, const char *uri)
{
	gemp_xml *xml = self;
	if (is_over(xml))
		return;
	const char *known = gemp_xml_uri(xml, name ? name : "", name ? strlen(name) : 0);
	if (!known || strcmp(known, uri ? uri : "") != 0)
		finish_handler(xml, keep_prefix(xml, name, uri));
}

/* Nested entities can expand to gigabytes, and none of the formats needs entities. */
static void XMLCALL on_entity(void *self, const char *name, int parameter, const char *value, int size,
                              const char *base, const char *system, const char *public, const char *notation)
{
	gemp_xml *xml = self;
	(void)parameter, (void)value, (void)size, (void)base, (void)system, (void)public, (void)notation;
	finish_handler(xml, gemp_fail(GEMP_EDATA, "the file declares an entity ('%.60s'), and %s needs none; remove it",
	                              name, xml->visitor->format_name));
}

/* THE FILE */

static gemp_code no_memory(const gemp_xml *xml)
{
	return gemp_fail(GEMP_ENOMEM, "%s: no memory for the XML parser", xml->path);
}

/* Expat gives the reason and the line. The message names xmllint, which shows the place. */
static gemp_code bad_xml(const gemp_xml *xml)
{
	enum XML_Error error = XML_GetErrorCode(xml->parser);
	if (error == XML_ERROR_NO_MEMORY)
		return no_memory(xml);
	return gemp_fail(GEMP_EDATA, "%s:%" PRIu64 ": %s; the file must be whole and XML (xmllint %s tells more)",
	                 xml->path, gemp_xml_line(xml), XML_ErrorString(error), xml->path);
}

/* The number of bytes that Expat keeps of the `fed` ones, since the tag, comment or the like that they begin is not
 * complete. */
static size_t unparsed_bytes(const gemp_xml *xml, uint64_t fed)
{
	const XML_Index parsed = XML_GetCurrentByteIndex(xml->parser); /* -1 at the beginning */
	return parsed < 0 || (uint64_t)parsed > fed ? 0 : (size_t)(fed - (uint64_t)parsed);
}

/* The file is read directly into Expat's buffer. Expat parses a tag again from its beginning whenever more bytes of it
 * arrive, so a tag that is still open gets as many bytes more as it has. */
static gemp_code parse_source(gemp_xml *xml, gemp_source *source)
{
	size_t size = 1;
	uint64_t fed = 0;
	for (; size && !xml->stopped; fed += size) {
		const size_t open = unparsed_bytes(xml, fed), wanted = gemp_max(open, BUFFER);
		if (open > MAX_TEXT)
			return gemp_fail(GEMP_EDATA, "%s:%" PRIu64 ": a tag or comment has more than %d MiB; is the file %s?",
			                 xml->path, gemp_xml_line(xml), MAX_TEXT >> 20, xml->visitor->format_name);
		void *buffer = XML_GetBuffer(xml->parser, (int)wanted);
		if (!buffer)
			return no_memory(xml);
		GEMP_TRY(gemp_source_read(source, buffer, wanted, &size));
		enum XML_Status status = XML_ParseBuffer(xml->parser, (int)size, size == 0);
		GEMP_TRY(xml->code);
		if (status != XML_STATUS_OK && !xml->stopped)
			return bad_xml(xml);
	}
	return GEMP_OK;
}

/* Expat gives names as "URI local". on_entity refuses entities at their declaration, before they can expand. */
static gemp_code make_parser(gemp_xml *xml)
{
	xml->parser = XML_ParserCreateNS(NULL, ' ');
	if (!xml->parser)
		return no_memory(xml);
	XML_SetUserData(xml->parser, xml);
	XML_SetElementHandler(xml->parser, on_start, on_end);
	XML_SetCharacterDataHandler(xml->parser, on_text);
	XML_SetStartNamespaceDeclHandler(xml->parser, on_namespace);
	XML_SetEntityDeclHandler(xml->parser, on_entity);
	XML_SetHashSalt(xml->parser, 1); /* a fixed salt makes runs repeatable */
	return GEMP_OK;
}

/* The reader may be set up only in part, after a failure. */
static void close_xml(gemp_xml *xml)
{
	if (xml->parser)
		XML_ParserFree(xml->parser);
	for (size_t i = 0; i < xml->prefix_count; i++)
		gemp_free_all(xml->prefixes[i].name, xml->prefixes[i].uri);
	gemp_free(xml->prefixes);
	gemp_text_free(&xml->text);
}

/* Returns the failure of the visitor if there is one, otherwise a failure of the parser or of reading. */
gemp_code gemp_xml_read(const char *path, const gemp_xml_visitor *visitor, void *self)
{
	GEMP_OWNED_BY(gemp_source_close_at) gemp_source *source = NULL;
	GEMP_OWNED_BY(close_xml) gemp_xml xml = { .path = path, .visitor = visitor, .self = self };
	GEMP_TRY(gemp_source_open(&source, path, 0, false));
	GEMP_TRY(make_parser(&xml));
	return parse_source(&xml, source);
}
