/* stream: the scatter and apply steps of analytics by edge streaming (src/bench/streaming.h). Scatter writes the value of
 * a tuple for each edge; a shuffle (shuffle.cl) reduces the tuples to one sum for each vertex; apply updates the vertices
 * and sets the sums back to the identity of the reduction. Floats are kept as their bits.
 *
 * A group, or a work-item in the form for CPUs, processes a slab of `slab` elements. */
#include "primitive.clh"

#ifdef GEMP_GROUP
#define STREAM_KERNEL PRIMITIVE_KERNEL
#define STREAM_ITEMS GEMP_GROUP
#else
#define STREAM_KERNEL __kernel
#define STREAM_ITEMS 1u
#endif

/* Loops over the slab of this group. */
#define stream_for(i, count, slab)                                                                          \
	for (uint i = (uint)get_group_id(0) * (slab) + (uint)get_local_id(0),                               \
		  end_ = primitive_end((uint)get_group_id(0) * (slab), (slab), (count));                    \
	     i < end_; i += STREAM_ITEMS)

STREAM_KERNEL void stream_fill(__global uint *numbers, uint count, uint slab, uint value)
{
	stream_for(i, count, slab)
		numbers[i] = value;
}

/* PageRank: the value of an edge is the value of its source. */
STREAM_KERNEL void stream_values(__global const uint *restrict source, __global const uint *restrict weight,
                                 __global const uint *restrict value, uint count, uint slab, __global uint *restrict tuples)
{
	stream_for(i, count, slab)
		tuples[i] = value[source[i]];
}

/* Products with a matrix: the value of the source times the weight of the edge. */
STREAM_KERNEL void stream_products(__global const uint *restrict source, __global const uint *restrict weight,
                                   __global const uint *restrict value, uint count, uint slab, __global uint *restrict tuples)
{
	stream_for(i, count, slab)
		tuples[i] = as_uint(as_float(value[source[i]]) * as_float(weight[i]));
}

/* Levels and lengths: the value of the source plus the length of the edge. UINT_MAX stands for unreached vertices, and
 * additions saturate there. */
STREAM_KERNEL void stream_steps(__global const uint *restrict source, __global const uint *restrict weight,
                                __global const uint *restrict value, uint count, uint slab, __global uint *restrict tuples)
{
	stream_for(i, count, slab)
		tuples[i] = add_sat(value[source[i]], 1u);
}

STREAM_KERNEL void stream_lengths(__global const uint *restrict source, __global const uint *restrict weight,
                                  __global const uint *restrict value, uint count, uint slab, __global uint *restrict tuples)
{
	stream_for(i, count, slab)
		tuples[i] = add_sat(value[source[i]], weight[i]);
}

/* The vertices of a part of the stream are first .. first + count - 1, and sums[count] are theirs. numbers[from] is the
 * sum of the ranks of the vertices without edges before the round (a float), and it is added up in numbers[to] after the
 * round. A vertex gets start + jump * numbers[from] + damping * its sum. */
STREAM_KERNEL void stream_pagerank(__global uint *restrict sums, __global uint *restrict value, __global uint *restrict result,
                                   __global const uint *restrict degree, volatile __global uint *numbers, uint from, uint to,
                                   uint first, uint count, uint slab, float start, float jump, float damping)
{
	float each = start + jump * as_float(numbers[from]), lost = 0;
	stream_for(i, count, slab) {
		uint v = first + i;
		float rank = each + damping * as_float(sums[i]);
		sums[i] = 0;
		result[v] = as_uint(rank);
		value[v] = as_uint(degree[v] ? rank / (float)degree[v] : 0);
		lost += degree[v] ? 0 : rank;
	}
	if (lost > 0)
		gemp_add_float_global((volatile __global float *)&numbers[to], lost);
}

/* Each product is with the same vector. */
STREAM_KERNEL void stream_spmv(__global uint *restrict sums, __global uint *restrict value, __global uint *restrict result,
                               __global const uint *restrict degree, volatile __global uint *numbers, uint from, uint to,
                               uint first, uint count, uint slab, float start, float jump, float damping)
{
	stream_for(i, count, slab) {
		result[first + i] = sums[i];
		sums[i] = 0;
	}
}

/* numbers[to] becomes 1 if any value decreases. */
STREAM_KERNEL void stream_min(__global uint *restrict sums, __global uint *restrict value, __global uint *restrict result,
                                __global const uint *restrict degree, volatile __global uint *numbers, uint from, uint to,
                                uint first, uint count, uint slab, float start, float jump, float damping)
{
	bool changed = false;
	stream_for(i, count, slab) {
		uint sum = sums[i];
		sums[i] = UINT_MAX;
		if (sum < value[first + i]) {
			value[first + i] = sum;
			changed = true;
		}
	}
	if (changed)
		numbers[to] = 1;
}
