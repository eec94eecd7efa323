/* escape: bytes as text formats want them. What a format cannot hold at all is GEMP_EDATA that says why, with
 * neither file nor place, and the name of a format that can. */

#ifndef GEMP_IO_TEXT_ESCAPE_H
#define GEMP_IO_TEXT_ESCAPE_H

#include "core/text.h"

/* TSV has no quoting: tabs, line ends and 0 bytes are refused, and an empty string, since an empty field is NULL. */
gemp_code gemp_escape_tsv(gemp_text *out, const char *bytes, size_t size);
/* RFC 4180: quoted where it must be; an empty string is "". */
void gemp_escape_csv(gemp_text *out, const char *bytes, size_t size);
/* For an element's text and for an attribute in double quotes. XML has no control characters: they are refused. */
gemp_code gemp_escape_xml(gemp_text *out, const char *bytes, size_t size);
/* With its quotes, as a name or a label of Graphviz. */
void gemp_escape_dot(gemp_text *out, const char *bytes, size_t size);

#endif
