/* som_names: the keys of vectors and their units, of what som apply wrote as HDF5. */
#ifndef GEMP_IO_SOM_NAMES_H
#define GEMP_IO_SOM_NAMES_H

#include "graph/column.h"

/* Local. Columns of as many rows, both {0}: integers or strings, and integers; units that are NULL are marked. GEMP_EDATA for
 * another file. The caller frees both, also after a failure. */
gemp_code gemp_som_names_read(gemp_column *keys, gemp_column *units, const char *path);

#endif
