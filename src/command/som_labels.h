/* som_labels: which names are on which unit, from what som apply wrote as .tsv. */
#ifndef GEMP_COMMAND_SOM_LABELS_H
#define GEMP_COMMAND_SOM_LABELS_H

#include "command/som_picture.h"

/* Local. labels: [units], zeroed; of each unit the name that most of its vectors have, and of several the first in the
 * file; it may be cut. text: of the file that messages call `path`. */
gemp_code gemp_som_labels_read(gemp_som_label *labels, uint32_t units, const char *text, const char *path);

#endif
