/* xml: an XML file, plain or compressed, as a series of elements, for GraphML, GXL, Ecore and XMI.
 *
 * Expat reads the file in pieces; the visitor is called at each start and end tag and keeps no more than its own state,
 * so that the file need not fit in memory. Entities are refused, since a few lines of them can expand to gigabytes.
 */

#ifndef GEMP_IO_TEXT_XML_H
#define GEMP_IO_TEXT_XML_H

#include "core/status.h"
#include "core/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct gemp_xml gemp_xml;

/* What is done with the elements. Failures with GEMP_EDATA need not name file and line, if they are of this element. */
typedef struct gemp_xml_visitor {
	const char *format_name; /* "GXL": the file should be that */
	/* Names are "URI local", or "local" without a namespace; attributes are names and values in turn, ended by NULL. */
	gemp_code (*start)(void *self, const gemp_xml *xml, const char *name, const char **attributes);
	/* text: what stands in front of the end tag back to the next tag, so all of an element without others inside. */
	gemp_code (*end)(void *self, const gemp_xml *xml, const char *text, size_t size);
	bool (*enough)(void *self); /* ends the reading early; NULL: never */
} gemp_xml_visitor;

/* Local. Reads the file to its end. What is no XML is GEMP_EDATA with file and line. Entities are refused, so that none
 * can explode. */
gemp_code gemp_xml_read(const char *path, const gemp_xml_visitor *visitor, void *self);

uint64_t gemp_xml_line(const gemp_xml *xml);

/* The URI that a prefix stands for (as in a value like `ns:Name`), NULL if none. The last declaration counts. */
const char *gemp_xml_uri(const gemp_xml *xml, const char *prefix, size_t size);

/* Of "URI local" the local name, and whether the URI begins so. */
const char *gemp_xml_local(const char *name);
bool gemp_xml_in(const char *name, const char *uri);

/* Value of the attribute of that whole name; NULL if there is none. */
const char *gemp_xml_attribute(const char **attributes, const char *name);

/* Replaces the text by a copy of `from`; NULL is the empty text. */
gemp_code gemp_xml_copy(gemp_text *to, const char *from);

#endif
