/* unit_labels: the names that a picture shows on the units of a map, from a table that `som apply` has written. */

#ifndef GEMP_SOM_PICTURE_UNIT_LABELS_H
#define GEMP_SOM_PICTURE_UNIT_LABELS_H

#include "som/picture/map_picture.h"

/* Local. labels: [units], zeroed by the caller. The label of a unit is the most frequent name among its vectors. If
 * several names are equally frequent, it is the name that comes first in the file. A long label is cut. The ending of
 * path gives the format: .csv or .jsonl, plain, .gz or .zst, or .h5. A file with another ending is read as TSV, plain
 * or compressed. */
gemp_code gemp_som_labels_read(gemp_som_label *labels, uint32_t units, const char *path);

#endif
