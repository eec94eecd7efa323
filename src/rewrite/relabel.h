/* relabel: sets of labels of vertices, as updates change them and new vertices get them. */
#ifndef GEMP_REWRITE_RELABEL_H
#define GEMP_REWRITE_RELABEL_H

#include "partition/patch.h"
#include "rewrite/changes.h"

/* Local. Fills label_set, added_sets and sets of the patch, whose `added` is known; vertices are of the matches in
 * fresh->rows, and for each as the rule creates them. */
gemp_code gemp_relabel(gemp_patch *patch, const gemp_graph *graph, const gemp_fresh *fresh,
                       const gemp_changes *changes);

#endif
