/* drawing_layout: places the vertices of a small graph in the plane, so that distances in the drawing are near the
 * distances in the graph (stress majorization: Gansner, Koren and North 2004). */

#ifndef GEMP_IO_PICTURE_DRAWING_LAYOUT_H
#define GEMP_IO_PICTURE_DRAWING_LAYOUT_H

#include "core/memory.h"

/* Local. xy[count] become the places; joined vertices are about 1 apart. edges[edge_count] are pairs of vertices; their
 * direction and loops have no effect. The time grows with count^3, so the graph should have at most 100 vertices. The
 * same graph always gets the same places. */
gemp_code gemp_drawing_layout(double xy[][2], size_t count, const int edges[][2], size_t edge_count);

#endif
