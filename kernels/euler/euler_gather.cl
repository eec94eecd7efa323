/* euler_gather: numbers that move between the device of rank 0 and the devices of the other ranks
 * (src/euler/devices/gathered.h). Numbers below 2^bits take `bits` bits each, without gaps, so a target of a graph of
 * 16 million vertices takes 3 bytes instead of 4. Bits of a word are numbered from the lowest. */
#define each(type, i, count) type i = (type)get_global_id(0); i < (count); i += (type)get_global_size(0)

/* Number i of `count` numbers, of which the first is from[first]; behind from[size - 1] they continue at from[0]. */
static inline uint number_at(__global const uint *restrict from, uint size, uint first, uint i)
{
	return i < size - first ? from[first + i] : from[i - (size - first)];
}

/* Writes `words` words, the first to out[at]. */
__kernel void gather_pack(__global const uint *restrict from, uint size, uint first, uint count, uint bits,
                          __global uint *restrict out, ulong at, uint words)
{
	for (each(uint, w, words)) {
		ulong bit = (ulong)w * 32;
		uint i = (uint)(bit / bits), before = (uint)(bit - (ulong)i * bits);
		uint word = number_at(from, size, first, i) >> before;
		for (uint have = bits - before; have < 32 && ++i < count; have += bits)
			word |= number_at(from, size, first, i) << have;
		out[at + w] = word;
	}
}

/* The inverse: the first word is words[at], and number 0 becomes out[first]. */
__kernel void gather_unpack(__global const uint *restrict words, ulong at, uint bits, __global uint *restrict out,
                            uint first, uint count)
{
	for (each(uint, i, count)) {
		ulong bit = (ulong)i * bits;
		size_t w = at + (bit >> 5);
		uint shift = (uint)bit & 31;
		ulong pair = words[w];
		if (shift + bits > 32)
			pair |= (ulong)words[w + 1] << 32;
		out[(size_t)first + i] = (uint)(pair >> shift) & (~0u >> (32 - bits));
	}
}
