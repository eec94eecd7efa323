/* pass: one stable pass over an array on the host: every element goes to its bucket. For sort and split.
 *
 * The array is cut into slabs, one or more a thread. Each counts its elements by bucket, then it is known where those of each
 * slab begin in each bucket, then each slab moves its elements.
 */
#ifndef GEMP_PRIMITIVE_PASS_H
#define GEMP_PRIMITIVE_PASS_H

#include "core/status.h"
#include "primitive/key.h"

typedef struct gemp_pass {
	gemp_key_map map;
	uint64_t least;
	unsigned shift, bits; /* bucket = ((code - least) >> shift) & (2^bits - 1) */
	unsigned value_size;
	size_t count;
	void *keys, *values; /* only read */
	void *out_keys, *out_values;
	/* its own */
	size_t slabs;
	size_t *places; /* [slabs][2^bits]: counts, then places */
} gemp_pass;

/* Room for passes of up to `bits` over `count` elements. Free also after a failure. */
gemp_code gemp_pass_new(gemp_pass *pass, unsigned bits, size_t count);
void gemp_pass_free(gemp_pass *pass);

/* Counts; begin[2^bits + 1] or NULL. */
void gemp_pass_count(gemp_pass *pass, uint64_t *begin);
/* Moves, once after each count. */
void gemp_pass_move(gemp_pass *pass);

#endif
