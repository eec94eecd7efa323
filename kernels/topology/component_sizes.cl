/* component_sizes: the numbers of vertices of the components that own vertices name
 * (src/topology/component_sizes_device.c). size[row]: the number of vertices of the component that the row names. */
#include "component_sizes_abi.h"

#define each(i, count) uint i = get_global_id(0); i < count; i += get_global_size(0)

/* Counts the rows of each set. A work-item counts the rows of the most frequent set by itself, since all work-items
 * would wait for one another at its counter. */
__kernel void sizes_count(__global const uint *sets, uint rows, uint frequent, volatile __global uint *size)
{
	uint most = 0;
	for (each(row, rows))
		if (sets[row] == frequent)
			most++;
		else
			atomic_inc(&size[sets[row]]);
	if (most)
		atomic_add(&size[frequent], most);
}

/* Flags the sets that have another name than their root. */
__kernel void sizes_renamed(__global const uint *size, __global const uint *name, uint rows, uint first,
                            __global uint *flags)
{
	for (each(row, rows))
		flags[row] = size[row] && name[row] != first + row;
}

/* Lists the names and sizes of the flagged sets, which have no size of their own any more. */
__kernel void sizes_parts(__global uint *size, __global const uint *name, uint rows, __global const uint *places,
                          __global uint2 *parts)
{
	for (each(row, rows))
		if (places[row + 1] != places[row]) {
			parts[places[row]] = (uint2)(name[row], size[row]);
			size[row] = 0;
		}
}

/* Adds sizes to the components that own vertices name. */
__kernel void sizes_add(__global const uint2 *parts, uint count, uint first, volatile __global uint *size)
{
	for (each(i, count))
		atomic_add(&size[parts[i].x - first], parts[i].y);
}

/* Counts the components by the logarithms of their sizes. with_edges: a bit for each row that has an edge. A work-item
 * takes the rows of whole words. */
__kernel void sizes_figures(__global const uint *size, __global const uint *with_edges, uint rows,
                            volatile __global uint *figures)
{
	uint classes[COMPONENT_CLASSES], edges = 0, largest = 0;
	for (uint k = 0; k < COMPONENT_CLASSES; k++)
		classes[k] = 0;
	for (each(word, (rows + 31) / 32)) {
		uint bits = with_edges[word];
		for (uint b = 0; b < 32 && word * 32 + b < rows; b++) {
			uint count = size[word * 32 + b];
			if (!count)
				continue;
			classes[32 - clz(count)]++;
			edges += count > 1 || bits >> b & 1;
			largest = max(largest, count);
		}
	}
	for (uint k = 0; k < COMPONENT_CLASSES; k++)
		if (classes[k])
			atomic_add(&figures[k], classes[k]);
	if (edges)
		atomic_add(&figures[COMPONENT_WITH_EDGES], edges);
	if (largest)
		atomic_max(&figures[COMPONENT_LARGEST], largest);
}

/* Finds the smallest row that names a largest component. */
__kernel void sizes_largest(__global const uint *size, uint rows, volatile __global uint *figures)
{
	uint largest = figures[COMPONENT_LARGEST];
	for (each(row, rows))
		if (size[row] == largest)
			atomic_min(&figures[COMPONENT_LARGEST_ROW], row);
}
