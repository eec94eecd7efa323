#include "core/random.h"

#include <xxhash.h>

static const uint64_t golden = UINT64_C(0x9e3779b97f4a7c15);

uint64_t gemp_mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

uint64_t gemp_random(uint64_t *state)
{
	return gemp_mix(*state += golden);
}

double gemp_random_unit(uint64_t *state)
{
	return (double)(gemp_random(state) >> 11) * 0x1p-53;
}

uint64_t gemp_random_below(uint64_t *state, uint64_t bound)
{
	uint64_t threshold = -bound % bound, x;
	do
		x = gemp_random(state);
	while (x < threshold);
	return x % bound;
}

uint64_t gemp_hash(const void *bytes, size_t size, uint64_t seed)
{
	return XXH3_64bits_withSeed(bytes, size, seed);
}
