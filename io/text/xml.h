/* xml: reads an XML file, plain or compressed, as a series of elements. GraphML, GXL, Ecore and XMI use it.
 *
 * Expat reads the file part by part. The visitor is called at each start tag and at each end tag and keeps only its own
 * state, so the file need not fit in memory. Entities are refused, since a few lines of them can expand to gigabytes.
 * All functions are local. */

#ifndef GEMP_IO_TEXT_XML_H
#define GEMP_IO_TEXT_XML_H

#include "core/status.h"
#include "core/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct gemp_xml gemp_xml;

/* The callbacks for elements. gemp_xml_read adds file and line to the message of GEMP_EDATA. */
typedef struct gemp_xml_visitor {
	const char *format_name; /* such as "GXL", for messages */
	/* Called at a start tag. A name is "URI local", or "local" without a namespace. `attributes` alternates names and
	 * values and ends in NULL. */
	gemp_code (*start)(void *self, gemp_xml *xml, const char *name, const char **attributes);
	/* Called at an end tag. text[size] is the text since the previous tag, which is the whole text of an element
	 * without inner elements. */
	gemp_code (*end)(void *self, const char *text, size_t size);
	bool (*enough)(void *self); /* ends the reading early if it returns true; NULL: never */
} gemp_xml_visitor;

/* Reads the whole file. GEMP_EDATA: the file is not XML; the message names file and line. */
gemp_code gemp_xml_read(const char *path, const gemp_xml_visitor *visitor, void *self);

/* `start` calls this to skip the element: the visitor is not called for the element's end nor for its inner
 * elements. */
void gemp_xml_skip(gemp_xml *xml);

uint64_t gemp_xml_line(const gemp_xml *xml);

/* The URI of a prefix, as in a value `ns:Name`; NULL if the prefix is not declared. The last declaration of a prefix
 * counts. */
const char *gemp_xml_uri(const gemp_xml *xml, const char *prefix, size_t size);

/* gemp_xml_local: the local part of a name "URI local". gemp_xml_in: tests whether the name's URI begins with `uri`. */
const char *gemp_xml_local(const char *name);
bool gemp_xml_in(const char *name, const char *uri);

/* The value of the attribute with this complete name; NULL if there is none. */
const char *gemp_xml_attribute(const char **attributes, const char *name);

/* Replaces the text by a copy of `from`; NULL counts as an empty text. */
gemp_code gemp_xml_copy(gemp_text *to, const char *from);

#endif
