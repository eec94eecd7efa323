/* som_file_parts: what reading and writing have in common: the attributes of the root. */
#ifndef GEMP_IO_SOM_FILE_PARTS_H
#define GEMP_IO_SOM_FILE_PARTS_H

#include "io/hdf5.h"
#include "io/som_file.h"

#include <stdbool.h>
#include <stddef.h>

#define GEMP_SOM_ENCODING "gemp-som"
#define GEMP_SOM_VERSION "0.1.0"

typedef struct gemp_som_field {
	const char *name;
	const char *words;  /* a word's place, an int; NULL: another */
	bool real;          /* f64, else u64 */
	bool optional;      /* not there: NaN, or 0 */
	size_t at;          /* in gemp_som_map */
} gemp_som_field;

/* Of a dataset. */
typedef struct gemp_som_shape {
	int dimensions;
	hsize_t size[3];
} gemp_som_shape;

enum { GEMP_SOM_FIELDS = 19 };
extern const gemp_som_field gemp_som_fields[GEMP_SOM_FIELDS];

#endif
