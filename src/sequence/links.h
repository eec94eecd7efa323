/* links: which unitigs follow one another: the last k - 1 letters of one are the first ones of the other. */
#ifndef GEMP_SEQUENCE_LINKS_H
#define GEMP_SEQUENCE_LINKS_H

#include "core/text.h"
#include "sequence/unitigs.h"

typedef struct gemp_link {
	uint64_t from, to;         /* numbers of unitigs */
	bool from_back, to_back;   /* the reverse complement of it */
} gemp_link;

/* Collective. This rank's links; where reads come from both strands, a link and its reverse are one, the lesser of the
 * two. The order over all ranks does not depend on their number. *out is the caller's to free. */
gemp_code gemp_links_find(gemp_link **out, size_t *count, const gemp_unitigs *unitigs, gemp_traffic *traffic);

#endif
