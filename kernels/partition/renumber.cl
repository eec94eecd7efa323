/* renumber: rows of ids become ascending rows of other numbers (partition/views/renumber.h). An entry becomes a key:
 * the number of its row within a chunk of rows, and below it, in the low `bits` bits, the number of its vertex. Sorted
 * keys are the entries of the chunk in their final order.
 *
 * Options: RENUMBER_WIDE: offsets of 64 bits. */

#ifdef RENUMBER_WIDE
typedef ulong renumber_offset;
#else
typedef uint renumber_offset;
#endif

#define each(type, i, count) type i = get_global_id(0); i < count; i += get_global_size(0)

/* Returns the last row of [low, high) that begins at or before position `at`. Row `low` does. */
static uint renumber_row_of(__global const renumber_offset *begin, uint low, uint high, ulong at)
{
	while (high - low > 1) {
		uint middle = low + (high - low) / 2;
		if (begin[middle] <= at)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* ids[count]: the entries of the rows [first, end), of which the first entry lies at position `base` of all rows. */
__kernel void renumber_keys(__global const uint *ids, uint count, __global const renumber_offset *begin, uint first,
                            uint end, ulong base, __global const uint *number_of, uint bits, __global ulong *keys)
{
	for (each(uint, i, count))
		keys[i] = (ulong)(renumber_row_of(begin, first, end, base + i) - first) << bits | number_of[ids[i]];
}

__kernel void renumber_take(__global const ulong *keys, uint count, uint bits, __global uint *entries, ulong base)
{
	for (each(uint, i, count))
		entries[base + i] = (uint)(keys[i] & (((ulong)1 << bits) - 1));
}

/* Returns the first position in [low, high) with an entry of at least `wanted`, or `high`. */
static ulong renumber_lower_bound(__global const uint *entries, ulong low, ulong high, ulong wanted)
{
	while (low < high) {
		ulong middle = low + (high - low) / 2;
		if (entries[middle] < wanted)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* longest[0] and longest[1] become the maximum numbers of entries of a row that are less and greater than the row's own
 * number. A row whose parts are no maximum so far needs no atomic operation. */
__kernel void renumber_parts(__global const renumber_offset *begin, __global const uint *entries, uint rows,
                             volatile __global uint *longest)
{
	for (each(uint, row, rows)) {
		ulong from = begin[row], to = begin[row + 1], cut = renumber_lower_bound(entries, from, to, row);
		uint less = (uint)(cut - from), greater = (uint)(to - renumber_lower_bound(entries, cut, to, (ulong)row + 1));
		if (less > longest[0])
			atomic_max(&longest[0], less);
		if (greater > longest[1])
			atomic_max(&longest[1], greater);
	}
}

/* heads[row] becomes the first entry of a row, and `row` if the row is empty. */
__kernel void renumber_heads(__global const renumber_offset *begin, __global const uint *entries, uint rows,
                             __global uint *heads)
{
	for (each(uint, row, rows))
		heads[row] = begin[row] < begin[row + 1] ? entries[begin[row]] : row;
}

/* Moves entries of a rank, which lie at gathered[at .. at + count), to their rows in a view of all rows. They are the
 * rank's entries from number `done` on. Its rows are rows first .. first + rows - 1 of slots[] and starts[]: the row's
 * slot, which is its row in the view, and the number of its first entry. A group takes `tile` consecutive entries,
 * which lie in few rows, so each of its entries is searched for in these rows alone. */
__kernel void renumber_place(__global const uint *gathered, ulong at, ulong count, ulong done,
                             __global const renumber_offset *starts, __global const uint *slots, uint first, uint rows,
                             uint tile, __global const renumber_offset *begin, __global uint *entries)
{
	const ulong tiles = (count + tile - 1) / tile;
	for (ulong t = get_group_id(0); t < tiles; t += get_num_groups(0)) {
		const ulong from = t * tile, to = min(count, from + tile);
		const uint lowest = renumber_row_of(starts, first, first + rows, done + from);
		const uint highest = renumber_row_of(starts, lowest, first + rows, done + to - 1) + 1;
		for (ulong i = from + get_local_id(0); i < to; i += get_local_size(0)) {
			const uint row = renumber_row_of(starts, lowest, highest, done + i);
			entries[begin[slots[row]] + (done + i - starts[row])] = gathered[at + i];
		}
	}
}
