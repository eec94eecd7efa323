/* What generators share: streams of random numbers that depend on what they are drawn for and not on who
 * draws, permutations without tables, and the splitting of numbers among ranks and threads. The
 * permutation is a Feistel network with cycle walking (Black and Rogaway 2002). */

#include "generate/generator.h"

#include "core/random.h"
#include "partition/build/builder.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

uint64_t gemp_generator_state(uint64_t seed, gemp_generator_stream purpose, uint64_t number)
{
	return gemp_mix(gemp_mix(gemp_mix(seed) + (uint64_t)purpose) + number);
}

enum { ROUNDS = 8 }; /* with 4 the walk below is visibly uneven for small n */

/* A Feistel network over the smallest even number of bits that holds n, walked until it falls below n. */
uint64_t gemp_generator_permute(uint64_t seed, uint64_t n, uint64_t x)
{
	unsigned half = 1;
	while (2 * half < 64 && (n - 1) >> (2 * half) != 0)
		half++;
	uint64_t mask = (UINT64_C(1) << half) - 1;
	do {
		uint64_t left = x >> half, right = x & mask;
		for (uint64_t round = 0; round < ROUNDS; round++) {
			uint64_t next = left ^ (gemp_mix(seed + round * UINT64_C(0x9e3779b97f4a7c15) + right) & mask);
			left = right;
			right = next;
		}
		x = left << half | right;
	} while (x >= n);
	return x;
}

/* An octave is drawn, then a number within it: chances fall about as 1 / k, as Zipf's law has it, without
 * a table. */
uint64_t gemp_generator_zipf(uint64_t *state, uint64_t n)
{
	uint64_t octaves = 64 - (uint64_t)__builtin_clzll(n), k;
	do {
		uint64_t first = UINT64_C(1) << gemp_random_below(state, octaves);
		k = first + gemp_random_below(state, first);
	} while (k > n);
	return k;
}

/* Ranks take blocks, and their threads blocks of these. */
gemp_block_range gemp_generator_range(const gemp_generator_run *making, uint64_t count)
{
	gemp_block_range all = gemp_comm_block(making->comm, count);
	uint64_t each = (all.end - all.begin) / making->threads, more = (all.end - all.begin) % making->threads;
	uint64_t thread = making->thread, begin = all.begin + thread * each + (thread < more ? thread : more);
	return (gemp_block_range){ begin, begin + each + (thread < more) };
}

static gemp_value number_key(uint64_t id)
{
	return (gemp_value){ .type = GEMP_INTEGER, .integer = (int64_t)id };
}

/* Vertices without attributes have their number as key. */
gemp_code gemp_generator_vertices(const gemp_generator_run *making, uint64_t count)
{
	gemp_code code = GEMP_OK;
	gemp_block_range span = gemp_generator_range(making, count);
	for (uint64_t id = span.begin; id < span.end && code == GEMP_OK; id++) {
		gemp_value key = number_key(id);
		code = gemp_builder_vertex(making->builder, &key, "", 0, (gemp_place){ making->file, id + 1 });
	}
	return code;
}

/* Labels are spread by a hash of the id, so that they do not depend on ranks. */
gemp_code gemp_generator_labelled(const gemp_generator_run *making, uint64_t count, uint64_t labels)
{
	gemp_code code = GEMP_OK;
	gemp_block_range span = gemp_generator_range(making, count);
	for (uint64_t id = span.begin; id < span.end && code == GEMP_OK; id++) {
		char label[24];
		gemp_value key = number_key(id);
		uint64_t which = gemp_mix(id + UINT64_C(0x9e3779b97f4a7c15)) % labels;
		int size = snprintf(label, sizeof label, "L%llu", (unsigned long long)which);
		code = gemp_builder_vertex(making->builder, &key, label, (size_t)size, (gemp_place){ making->file, id + 1 });
	}
	return code;
}

/* Vertices are numbers here; the builder knows them by key. */
gemp_code gemp_generator_edge(const gemp_generator_run *making, uint64_t source, uint64_t target, const char *type,
                              uint64_t number)
{
	gemp_value from = number_key(source), to = number_key(target);
	return gemp_builder_edge(making->builder, &from, &to, type, strlen(type), (gemp_place){ making->file, number + 1 });
}

gemp_code gemp_generator_declare_weights(gemp_builder *builder, double max)
{
	size_t column;
	return max > 0 ? gemp_builder_edge_column(builder, "weight", GEMP_INTEGER, &column) : GEMP_OK;
}

/* The two ends give the stream, so that parallel edges weigh alike. */
gemp_code gemp_generator_weight(const gemp_generator_run *making, uint64_t source, uint64_t target, double max)
{
	if (max == 0)
		return GEMP_OK;
	uint64_t state = gemp_generator_state(making->seed, GEMP_FOR_WEIGHT, source << 32 | target);
	gemp_value weight = { .type = GEMP_INTEGER, .integer = 1 + (int64_t)gemp_random_below(&state, (uint64_t)max) };
	return gemp_builder_edge_value(making->builder, 0, &weight);
}
