/* root_names: pointer jumping over the devices of all ranks (src/topology/root_names.c). name[row] of an own root is
 * the root that has absorbed it, as an id; the owner of a root has its name. */
#define each(i, count) uint i = get_global_id(0); i < count; i += get_global_size(0)

/* The number of keys below `wanted`. The keys ascend. */
#define NAMES_LOWER_BOUND(function, type)                                                          \
	static inline uint function(__global const type *keys, uint count, type wanted)            \
	{                                                                                          \
		uint low = 0, high = count;                                                        \
		while (low < high) {                                                               \
			uint middle = low + (high - low) / 2;                                      \
			if (keys[middle] < wanted)                                                 \
				low = middle + 1;                                                  \
			else                                                                       \
				high = middle;                                                     \
		}                                                                                  \
		return low;                                                                        \
	}
NAMES_LOWER_BOUND(names_below, uint)
NAMES_LOWER_BOUND(names_below_wide, ulong)

/* Follows names as long as this rank owns them. */
static inline uint names_follow(__global const uint *name, uint first, uint rows, uint id)
{
	while (id - first < rows && name[id - first] != id)
		id = name[id - first];
	return id;
}

/* begins[b]: the number of keys below bounds[b]. */
__kernel void names_begins(__global const uint *keys, uint count, __global const uint *bounds, uint bounds_count,
                           __global uint *begins)
{
	for (each(b, bounds_count))
		begins[b] = names_below(keys, count, bounds[b]);
}

__kernel void names_begins_wide(__global const ulong *keys, uint count, __global const ulong *bounds, uint bounds_count,
                                __global uint *begins)
{
	for (each(b, bounds_count))
		begins[b] = names_below_wide(keys, count, bounds[b]);
}

/* The requests of listed roots: the last name that this rank knows. */
__kernel void names_known(__global const uint *roots, uint count, __global const uint *name, uint first, uint rows,
                          __global uint *known)
{
	for (each(i, count))
		known[i] = names_follow(name, first, rows, name[roots[i]]);
}

/* Answers requests for the names of own roots. */
__kernel void names_answer(__global const uint *ids, uint count, __global const uint *name, uint first, uint rows,
                           __global uint *answers)
{
	for (each(i, count))
		answers[i] = names_follow(name, first, rows, ids[i]);
}

/* Finds the answer about each id. asked[] ascends. */
__kernel void names_look_up(__global const uint *ids, uint count, __global const uint *asked, __global const uint *answers,
                            uint asked_count, __global uint *out)
{
	for (each(i, count))
		out[i] = answers[names_below(asked, asked_count, ids[i])];
}

/* Sets the names of listed roots. A root whose known name was no root is flagged, since its new name may be none. */
__kernel void names_set(__global const uint *roots, uint count, __global uint *name, __global const uint *known,
                        __global const uint *answers, __global uint *flags)
{
	for (each(i, count)) {
		name[roots[i]] = answers[i];
		flags[i] = answers[i] != known[i];
	}
}

/* Flags the own vertices that are no roots any more. */
__kernel void names_moved(__global const uint *name, uint rows, uint first, __global uint *flags)
{
	for (each(row, rows))
		flags[row] = name[row] != first + row;
}

/* Keeps the flagged elements of a list; without a list (from_list 0), the numbers of the flags. */
__kernel void names_keep(__global const uint *list, uint count, uint from_list, __global const uint *places,
                         __global uint *out)
{
	for (each(i, count))
		if (places[i + 1] != places[i])
			out[places[i]] = from_list ? list[i] : i;
}
