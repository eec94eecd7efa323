/* number_set: an open-addressing hash set of numbers of one or two words of 64 bits, which are stored in the slots
 * themselves.
 *
 * The set consists of leaves, leaf[2^level], and the first bits of a number's tag choose its leaf (extendible
 * hashing, Fagin et al. 1979, but all leaves are split together). A leaf has slots[slot_count][width]; a slot whose
 * first word is 0 is free, so the first word of a number must not be 0. Slots are probed linearly from the begin of a
 * cache line on, and at most seven of eight are used. A leaf fits into the cache of a core, so a caller that adds
 * numbers in the order of their places reads and writes memory in sequence. A split leaves half of the numbers where
 * they are, and needs no second copy of the slots: the first access to a page is the most expensive part of an addition
 * (AMD EPYC, virtual machine of 2 cores, 2026-11-29: 0.2 to 1 s for 1 GiB).
 *
 * A leaf that is full while the others are not becomes larger by itself. When the set is mostly full again, its
 * numbers are put into new leaves of one size. The set has a budget of bytes: an addition that would exceed it is not
 * made, and the caller then forgets some numbers (gemp_number_set_retain). Single numbers are passed as words of 32
 * bits, as in record_table.h. Local. */

#ifndef GEMP_PRIMITIVE_NUMBER_SET_H
#define GEMP_PRIMITIVE_NUMBER_SET_H

#include "primitive/record_table.h"

#include <string.h>

enum {
	GEMP_NUMBER_WORDS = 2,   /* maximum width */
	GEMP_NUMBER_LEVELS = 20, /* maximum level */
	GEMP_NUMBER_PLACE_BITS = 10,
	GEMP_NUMBER_PLACES = 1 << GEMP_NUMBER_PLACE_BITS
};

typedef struct gemp_number_leaf {
	uint64_t *slots; /* [slot_count][width] */
	size_t slot_count, count;
	uint64_t *own; /* the memory of a leaf that has its own; or NULL */
} gemp_number_leaf;

typedef struct gemp_number_set {
	size_t width;       /* words of 64 bits of a number: 1 or 2 */
	uint64_t hash_mask; /* for tests: the bits of the hash that are used */
	size_t budget;      /* maximum bytes of the set */
	size_t expected;    /* the caller's estimate of the final count, which may change; 0: unknown */
	size_t slot_count;  /* slots of all leaves, and of memory that a larger leaf no longer uses */
	size_t leaf_slots;  /* slots of a leaf that can be split, a power of two */
	unsigned level;
	gemp_number_leaf *leaf;                   /* [2^level] */
	uint64_t *shared[GEMP_NUMBER_LEVELS + 1]; /* the slots of the leaves with which level l was reached; or NULL */
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

/* The place of a number with this hash, below GEMP_NUMBER_PLACES. Places ascend with leaves. */
static inline size_t gemp_number_place(uint64_t hash)
{
	return gemp_slot_tag(hash) >> (32 - GEMP_NUMBER_PLACE_BITS);
}

/* The set is empty, and its budget is 0. */
void gemp_number_set_init(gemp_number_set *set, size_t width, uint64_t hash_mask);
void gemp_number_set_free(gemp_number_set *set);
size_t gemp_number_set_count(const gemp_number_set *set);

/* Adds a number. *fits becomes false if that would exceed the budget. A failure leaves the set unchanged. */
gemp_code gemp_number_set_add(gemp_number_set *set, const uint32_t *number, bool *fits);
/* True if the set has this number. */
bool gemp_number_set_has(const gemp_number_set *set, const uint32_t *number);

/* Removes the numbers for which keep returns false. */
void gemp_number_set_retain(gemp_number_set *set, gemp_retain_function *keep, void *context);
void gemp_number_set_clear(gemp_number_set *set); /* keeps the memory */

/* An addition in steps, for several threads. A thread adds the numbers of whole ranges of places, of which there are
 * gemp_number_set_ranges: range r has GEMP_NUMBER_PLACES / ranges places from r * GEMP_NUMBER_PLACES / ranges on.
 * Threads may add to different ranges at the same time, and this cannot fail. It returns how many numbers it has
 * looked at: all, or those in front of a new number whose leaf is full. One thread then makes room for this number. */
size_t gemp_number_set_ranges(const gemp_number_set *set);
size_t gemp_number_set_add_some(gemp_number_set *set, const uint64_t *numbers, size_t count);
/* Makes room for this number, if the budget allows (*fits). A split runs on all threads. */
gemp_code gemp_number_set_grow(gemp_number_set *set, const uint32_t *number, bool *fits);

#endif
