/* rows_merge: rows on a device get few new entries (partition/views/view_growth.h). keys[count] are the new entries,
 * row << 32 | entry, ascending. The place of an old entry moves by the number of keys before it, and the place of a
 * new entry follows from the old entries of its row that precede it (a merge by ranks: Cole 1988), so every entry is
 * written by itself.
 *
 * Options: MERGE_WIDE: offsets of 64 bits. */

#ifdef MERGE_WIDE
typedef ulong merge_offset;
#else
typedef uint merge_offset;
#endif

#define each(i, count) ulong i = get_global_id(0); i < count; i += get_global_size(0)

/* Returns the number of keys that are less than `wanted`. */
static uint merge_keys_before(__global const ulong *keys, uint count, ulong wanted)
{
	uint low = 0, high = count;
	while (low < high) {
		uint middle = low + (high - low) / 2;
		if (keys[middle] < wanted)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Rows from old_rows on are new and have no old entries. */
__kernel void merge_begin(__global const merge_offset *old_begin, ulong old_rows, __global const ulong *keys, uint count,
                          ulong rows, __global merge_offset *begin)
{
	for (each(row, rows + 1))
		begin[row] = old_begin[min(row, old_rows)] + merge_keys_before(keys, count, row << 32);
}

/* Old entries precede equal new ones. */
__kernel void merge_old(__global const merge_offset *old_begin, ulong old_rows, __global const uint *old,
                        ulong old_count, __global const ulong *keys, uint count, __global uint *to)
{
	for (each(at, old_count)) {
		ulong low = 0, high = old_rows;
		while (high - low > 1) {
			ulong middle = low + (high - low) / 2;
			if (old_begin[middle] <= at)
				low = middle;
			else
				high = middle;
		}
		to[at + merge_keys_before(keys, count, low << 32 | old[at])] = old[at];
	}
}

__kernel void merge_new(__global const merge_offset *old_begin, ulong old_rows, __global const uint *old,
                        __global const ulong *keys, uint count, __global uint *to)
{
	for (each(i, count)) {
		ulong row = keys[i] >> 32, low = old_begin[min(row, old_rows)], high = old_begin[min(row + 1, old_rows)];
		uint entry = (uint)keys[i];
		while (low < high) {
			ulong middle = low + (high - low) / 2;
			if (old[middle] <= entry)
				low = middle + 1;
			else
				high = middle;
		}
		to[low + i] = entry;
	}
}
