/* unitig_links: which unitigs follow one another: the last k - 1 letters of one are the first letters of the other. */

#ifndef GEMP_ASSEMBLY_UNITIG_LINKS_H
#define GEMP_ASSEMBLY_UNITIG_LINKS_H

#include "assembly/unitigs.h"

typedef struct gemp_unitig_link {
	uint64_t from, to;       /* numbers of unitigs */
	bool from_back, to_back; /* the reverse complement of the unitig */
} gemp_unitig_link;

/* Collective. This rank's links. Where reads come from both strands, a link and its reverse are the same, and the
 * smaller form is listed. The order over all ranks does not depend on their number. The caller frees *out. */
gemp_code gemp_unitig_links_find(gemp_unitig_link **out, size_t *count, const gemp_unitigs *unitigs,
                                 gemp_traffic *traffic);

#endif
