/* unit_labels: which name stands on which unit of a map, from the table that `som apply` wrote.
 */

#ifndef GEMP_SOM_PICTURE_UNIT_LABELS_H
#define GEMP_SOM_PICTURE_UNIT_LABELS_H

#include "som/picture/map_picture.h"

/* Local. labels: [units], zeroed; of each unit the name that most of its vectors have, and of several the first in the
 * file; it may be cut. path: of .tsv, .csv or .jsonl, plain, .gz or .zst, or of .h5. */
gemp_code gemp_som_labels_read(gemp_som_label *labels, uint32_t units, const char *path);

#endif
