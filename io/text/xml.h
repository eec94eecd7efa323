/* xml: an XML file, plain or compressed, as a series of elements, for GraphML, GXL, Ecore and XMI.
 *
 * Expat reads the file part by part; the visitor is called at each start and end tag and keeps only its own state, so
 * the file need not fit in memory. Entities are refused, since a few lines of them can expand to gigabytes. All
 * functions are local.
 */

#ifndef GEMP_IO_TEXT_XML_H
#define GEMP_IO_TEXT_XML_H

#include "core/status.h"
#include "core/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct gemp_xml gemp_xml;

/* The callbacks for elements. File and line of the element are put in front of their messages of GEMP_EDATA. */
typedef struct gemp_xml_visitor {
	const char *format_name; /* "GXL", for messages */
	/* Names are "URI local", or "local" without a namespace; attributes are names and values in turn, ended by NULL. */
	gemp_code (*start)(void *self, gemp_xml *xml, const char *name, const char **attributes);
	/* text[size]: the text between the end tag and the tag before it, which is the whole text of an element without
	 * others inside. */
	gemp_code (*end)(void *self, const char *text, size_t size);
	bool (*enough)(void *self); /* ends the reading early; NULL: never */
} gemp_xml_visitor;

/* Reads the file to its end. A file that is no XML is GEMP_EDATA with file and line. */
gemp_code gemp_xml_read(const char *path, const gemp_xml_visitor *visitor, void *self);

/* For `start`: the visitor is called neither for the end of this element nor for the elements inside it. */
void gemp_xml_skip(gemp_xml *xml);

uint64_t gemp_xml_line(const gemp_xml *xml);

/* The URI that a prefix stands for (as in a value like `ns:Name`); NULL if it is not declared. The last declaration
 * counts. */
const char *gemp_xml_uri(const gemp_xml *xml, const char *prefix, size_t size);

/* The local name of "URI local"; does the URI of a name begin with `uri`? */
const char *gemp_xml_local(const char *name);
bool gemp_xml_in(const char *name, const char *uri);

/* Value of the attribute of that whole name; NULL if there is none. */
const char *gemp_xml_attribute(const char **attributes, const char *name);

/* Replaces the text by a copy of `from`; NULL is the empty text. */
gemp_code gemp_xml_copy(gemp_text *to, const char *from);

#endif
