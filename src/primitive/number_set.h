/* number_set: an open-addressing hash set of numbers of one or two words of 64 bits, which are stored in the slots
 * themselves.
 *
 * slots[slot_count][width]; a slot whose first word is 0 is free, so the first word of a number must not be 0. Slots are
 * probed linearly, and at most three of four are used. The set has a budget of bytes: an addition that would exceed it
 * is not made, and the caller then forgets some numbers (gemp_number_set_retain). Numbers are passed as words of 32
 * bits, as in record_table.h. Local. */

#ifndef GEMP_PRIMITIVE_NUMBER_SET_H
#define GEMP_PRIMITIVE_NUMBER_SET_H

#include "primitive/record_table.h"

#include <string.h>

enum { GEMP_NUMBER_WORDS = 2 }; /* maximum width */

typedef struct gemp_number_set {
	size_t width;       /* words of 64 bits of a number: 1 or 2 */
	uint64_t hash_mask; /* for tests: the bits of the hash that are used */
	size_t budget;      /* maximum bytes of the set */
	size_t count, slot_count;
	uint64_t *slots;
	size_t old_count;
	uint64_t *old; /* [old_count][width] the slots before the set grew, until it is trimmed */
} gemp_number_set;

/* The finaliser of MurmurHash3 (Appleby 2011), a bijection of 64-bit numbers; here it can be inlined. */
static inline uint64_t gemp_number_mix(uint64_t x)
{
	x = (x ^ x >> 33) * UINT64_C(0xff51afd7ed558ccd);
	x = (x ^ x >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
	return x ^ x >> 33;
}

static inline uint64_t gemp_number_hash(const uint32_t *number, size_t width)
{
	uint64_t words[GEMP_NUMBER_WORDS] = { 0 };
	memcpy(words, number, width * sizeof *words);
	return gemp_number_mix(width == 1 ? words[0] : words[0] ^ gemp_number_mix(words[1]));
}

/* The set is empty, and its budget is 0. */
void gemp_number_set_init(gemp_number_set *set, size_t width, uint64_t hash_mask);
void gemp_number_set_free(gemp_number_set *set);

/* Adds a number. *fits becomes false if that would exceed the budget. A failure leaves the set unchanged. */
gemp_code gemp_number_set_add(gemp_number_set *set, const uint32_t *number, bool *fits);
/* True if the set has this number. */
bool gemp_number_set_has(const gemp_number_set *set, const uint32_t *number);

/* Removes the numbers for which keep returns false. */
void gemp_number_set_retain(gemp_number_set *set, gemp_retain_function *keep, void *context);
void gemp_number_set_clear(gemp_number_set *set); /* keeps the memory */

/* An addition in steps, for several threads that each work on one set. One thread reserves memory for `extra`
 * additions, if the budget allows (*fits). Any thread adds, which cannot fail. One thread trims, which frees the old
 * slots. */
gemp_code gemp_number_set_reserve(gemp_number_set *set, size_t extra, bool *fits);
/* Returns how many of the numbers it has looked at: all, if their number was reserved. If most numbers are known
 * already, the slots that are left hold more than was reserved, so a caller may reserve little and call again. */
size_t gemp_number_set_add_reserved(gemp_number_set *set, const uint32_t *numbers, size_t count);
void gemp_number_set_trim(gemp_number_set *set);

#endif
