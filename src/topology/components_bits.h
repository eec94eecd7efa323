/* components_bits: the most frequent set of each rank, which travels as a bitmap instead of links.
 *
 * In most graphs one component has most vertices. Its set on a rank would send a link of 8 bytes for each vertex of
 * other ranks in it; a bitmap has one bit for each vertex. A rank chooses the most frequent root of a sample of the
 * other ranks' vertices, and sends no bitmap if less than 1 of 64 has it. */

#ifndef GEMP_TOPOLOGY_COMPONENTS_BITS_H
#define GEMP_TOPOLOGY_COMPONENTS_BITS_H

#include "topology/components_device.h"
#include "topology/device_contraction.h"

typedef struct gemp_set_bits {
	cl_uint root;           /* the root that the bitmaps have, as an element; UINT32_MAX: this rank sends none */
	gemp_buffer out, in;    /* blocks of words for and from the other ranks (kernels/topology/components_bits.cl) */
	const uint64_t *bounds; /* borrowed */
} gemp_set_bits;

/* Local. Chooses the root from the sets. */
gemp_code gemp_set_bits_choose(gemp_set_bits *out, const gemp_edge_sets *sets, const uint64_t *bounds);
void gemp_set_bits_free(gemp_set_bits *bits, gemp_device *device);

/* Collective. Exchanges the bitmaps, and appends links between own sets and the sets of the other ranks' bitmaps. The
 * code may differ between ranks. */
gemp_code gemp_set_bits_link(gemp_set_bits *bits, gemp_code code, const gemp_edge_sets *sets,
                             gemp_device_contraction *links);

#endif
