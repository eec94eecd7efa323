/* small_shapes: a table. The census finds the kind of each graph by its edges, so their order has no meaning. */

#include "pattern/shapes/small_shapes.h"

static const gemp_small_shape shapes[] = {
	{ "path:3", 3, "0-1,1-2" },
	{ "triangle", 3, "0-1,0-2,1-2" },
	{ "star:3", 4, "0-1,0-2,0-3" },
	{ "path:4", 4, "0-1,1-2,2-3" },
	{ "paw", 4, "0-1,0-2,1-2,2-3" }, /* a triangle with a tail */
	{ "cycle:4", 4, "0-1,1-2,2-3,0-3" },
	{ "diamond", 4, "0-1,1-2,2-3,0-3,0-2" },
	{ "clique:4", 4, "0-1,0-2,0-3,1-2,1-3,2-3" },
	{ "star:4", 5, "0-1,0-2,0-3,0-4" },
	{ "fork", 5, "0-1,0-2,0-3,3-4" }, /* a star of which one edge is a path; also called chair */
	{ "path:5", 5, "0-1,1-2,2-3,3-4" },
	{ "cycle:5", 5, "0-1,1-2,2-3,3-4,0-4" },
	{ "bull", 5, "0-1,0-2,1-2,1-3,2-4" },             /* a triangle with two horns */
	{ "cricket", 5, "0-1,0-2,1-2,0-3,0-4" },          /* a triangle with two edges at one vertex */
	{ "banner", 5, "0-1,1-2,2-3,0-3,0-4" },           /* a square with a tail */
	{ "tadpole", 5, "0-1,0-2,1-2,2-3,3-4" },          /* a triangle with a tail of two edges */
	{ "house", 5, "0-1,1-2,2-3,0-3,0-4,1-4" },        /* a square with a roof */
	{ "butterfly", 5, "0-1,0-2,1-2,0-3,0-4,3-4" },    /* two triangles with a common vertex */
	{ "dart", 5, "0-1,1-2,2-3,0-3,0-2,0-4" },         /* a diamond with a tail at a vertex of degree 3 */
	{ "kite", 5, "0-1,1-2,2-3,0-3,0-2,1-4" },         /* a diamond with a tail at a vertex of degree 2 */
	{ "K2,3", 5, "0-2,0-3,0-4,1-2,1-3,1-4" },         /* complete bipartite */
	{ "gem", 5, "0-1,1-2,2-3,0-4,1-4,2-4,3-4" },      /* a path, and a vertex that is joined to all of it */
	{ "book", 5, "0-1,0-2,0-3,0-4,1-2,1-3,1-4" },     /* three triangles with a common edge */
	{ "lollipop", 5, "0-1,0-2,0-3,1-2,1-3,2-3,3-4" }, /* a clique of four with a tail */
	{ "subdivided-K4", 5, "0-1,1-2,2-3,0-2,1-3,0-4,3-4" },
	{ "wheel", 5, "0-1,1-2,2-3,0-3,0-4,1-4,2-4,3-4" },
	{ "house-X", 5, "0-1,1-2,2-3,0-3,0-4,1-4,0-2,1-3" },  /* a house with both diagonals */
	{ "K5-e", 5, "0-1,0-2,0-3,0-4,1-2,1-3,1-4,2-3,2-4" }, /* a clique without one edge */
	{ "clique:5", 5, "0-1,0-2,0-3,0-4,1-2,1-3,1-4,2-3,2-4,3-4" },
};

const gemp_small_shape *gemp_small_shape_at(size_t index)
{
	return index < sizeof shapes / sizeof *shapes ? &shapes[index] : NULL;
}
