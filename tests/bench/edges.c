/* edges: writes a table of random edges for tests/bench/import.sh. The table is the same on every machine.
 *     edges EDGES SCALE SEED > EDGES.tsv
 * The edges are R-MAT edges (0.45, 0.22, 0.22, 0.11) between 2^SCALE ids, which are shuffled. Self-loops and parallel
 * edges are kept. The table has a header `src dst` and then two ids on each line, separated by a tab. */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROOM = 1 << 20, LONGEST = 64 };

static uint64_t mix(uint64_t z)
{
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* A bijection of the numbers with `scale` bits: multiplications by odd factors, and shifts. */
static uint64_t shuffle(uint64_t x, int scale)
{
	uint64_t mask = (UINT64_C(1) << scale) - 1;
	for (int round = 0; round < 3; round++) {
		x = x * UINT64_C(0x9e3779b97f4a7c15) & mask;
		x ^= x >> (scale / 2 + 1);
	}
	return x;
}

static char *print(char *at, uint64_t number, char after)
{
	char digits[20];
	int count = 0;
	do
		digits[count++] = (char)('0' + number % 10);
	while (number /= 10);
	while (count)
		*at++ = digits[--count];
	*at++ = after;
	return at;
}

/* For each bit of an id, eight bits of a random number choose a quadrant with weights 115, 56, 56 and 29 of 256. */
static void draw(uint64_t seed, int scale, uint64_t *source, uint64_t *target)
{
	uint64_t bits = 0;
	*source = *target = 0;
	for (int level = 0; level < scale; level++) {
		bits = level % 8 ? bits >> 8 : mix(seed += UINT64_C(0x9e3779b97f4a7c15));
		unsigned r = bits & 255;
		*source = *source << 1 | (r >= 171);
		*target = *target << 1 | ((r >= 115 && r < 171) || r >= 227);
	}
}

int main(int argc, char **argv)
{
	static char text[ROOM + LONGEST];
	if (argc != 4)
		return fprintf(stderr, "usage: edges EDGES SCALE SEED\n"), 2;
	uint64_t edges = strtoull(argv[1], NULL, 10), seed = strtoull(argv[3], NULL, 10);
	int scale = atoi(argv[2]);
	char *at = text + sprintf(text, "src\tdst\n");
	for (uint64_t e = 0; e < edges; e++) {
		uint64_t source, target;
		draw(mix(seed) + e * 64, scale, &source, &target);
		at = print(at, shuffle(source, scale), '\t');
		at = print(at, shuffle(target, scale), '\n');
		if (at >= text + ROOM) {
			fwrite(text, 1, (size_t)(at - text), stdout);
			at = text;
		}
	}
	fwrite(text, 1, (size_t)(at - text), stdout);
	return fflush(stdout) || ferror(stdout) ? (perror("edges"), 74) : 0;
}
