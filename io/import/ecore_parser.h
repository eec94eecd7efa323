/* ecore_parser: reads an .ecore file into the lists of io/import/ecore.h. */

#ifndef GEMP_IO_IMPORT_ECORE_PARSER_H
#define GEMP_IO_IMPORT_ECORE_PARSER_H

#include "io/import/ecore.h"

/* Local. GEMP_EDATA: the file is not Ecore, or uses a name that it does not define. The message names file and line. */
gemp_code gemp_ecore_read(gemp_ecore *out, const char *path);

#endif
