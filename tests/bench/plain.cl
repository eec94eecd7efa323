/* The plain kernel. A work-item takes one entry of the rows, an edge with its direction, and searches depth first; it
 * walks rows entry by entry and tests other edges by binary search. LEVELS vertices are bound in numerical order. Level
 * l walks the row of vertex FROM(l). The new vertex must be adjacent to the vertices of the bit set TO(l), greater than
 * those of ABOVE(l), and less than those of BELOW(l). A work-item stops after BUDGET entries, and sets *unfinished. */
static int adjacent(__global const uint *begin, __global const uint *near, uint a, uint b)
{
	uint low = begin[a], end = begin[a + 1], high = end;
	while (low < high) {
		uint middle = (low + high) / 2;
		if (near[middle] < b)
			low = middle + 1;
		else
			high = middle;
	}
	return low < end && near[low] == b;
}

static int fits(__global const uint *begin, __global const uint *near, __constant uint4 *plan, const uint *bound, int level,
                uint candidate)
{
	uint4 step = plan[level];
	for (int l = 0; l < level; l++) {
		uint bit = 1u << l;
		if (candidate == bound[l] || ((step.z & bit) && candidate < bound[l]) || ((step.w & bit) && candidate > bound[l]) ||
		    ((step.y & bit) && !adjacent(begin, near, bound[l], candidate)))
			return 0;
	}
	return 1;
}

/* plan[l] = (FROM, TO, ABOVE, BELOW). Entry e of all rows is the edge from ends[e] to near[e]. This launch processes
 * the entries from `first` up to, but without, `last`. */
__kernel void plain(__global const uint *begin, __global const uint *near, __global const uint *ends, uint first, uint last,
                    __constant uint4 *plan, __global ulong *count, __global uint *unfinished)
{
	uint e = first + (uint)get_global_id(0);
	uint bound[LEVELS], at[LEVELS], end[LEVELS];
	ulong found = 0, read = 0;
	if (e >= last)
		return;
	bound[0] = ends[e];
	bound[1] = near[e];
	if (!fits(begin, near, plan, bound, 1, bound[1]))
		return;
	int level = 2;
	at[2] = begin[bound[plan[2].x]];
	end[2] = begin[bound[plan[2].x] + 1];
	while (level >= 2 && read < BUDGET) {
		if (at[level] == end[level]) {
			level--;
			continue;
		}
		uint candidate = near[at[level]++];
		read++;
		if (!fits(begin, near, plan, bound, level, candidate))
			continue;
		if (level == LEVELS - 1) {
			found++;
			continue;
		}
		bound[level++] = candidate;
		at[level] = begin[bound[plan[level].x]];
		end[level] = begin[bound[plan[level].x] + 1];
	}
	if (found)
		atom_add(count, found);
	if (level >= 2)
		*unfinished = 1;
}
