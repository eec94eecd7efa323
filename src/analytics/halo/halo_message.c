#include "analytics/halo/halo_message.h"

#include <stdio.h>
#include <string.h>

static inline __attribute__((always_inline)) void prefix_words(halo_direction *direction, uint32_t from, uint32_t end)
{
	for (uint32_t w = from; w < end; w++)
		direction->before[w + 1] = direction->before[w] + (uint32_t)__builtin_popcount(direction->bits[w]);
}

#ifdef __x86_64__
/* The popcnt instruction counts several times as fast as the code that the compiler may assume for all processors. */
__attribute__((target("popcnt"))) static void prefix_popcnt(halo_direction *direction, uint32_t from, uint32_t end)
{
	prefix_words(direction, from, end);
}
#endif

void gemp_halo_prefix(halo_direction *direction, uint32_t from, uint32_t end)
{
#ifdef __x86_64__
	if (__builtin_cpu_supports("popcnt")) {
		prefix_popcnt(direction, from, end);
		return;
	}
#endif
	prefix_words(direction, from, end);
}

/* All places are set, but for the bits behind the last place of a rank. */
void gemp_halo_mark_all(gemp_halo *halo)
{
	halo_direction *out = &halo->out;
	for (int r = 0; r < halo->ranks; r++)
		for (uint32_t i = 0, w = out->first[r]; w < out->first[r + 1]; w++, i += 32)
			out->bits[w] = out->count[r] - i < 32 ? (1u << (out->count[r] - i)) - 1 : UINT32_MAX;
	gemp_halo_prefix(out, 0, out->first[halo->ranks]);
}

/* The form of each message is the smallest for its count of changes. */
void gemp_halo_write_heads(gemp_halo *halo)
{
	const halo_direction *out = &halo->out;
	for (int r = 0; r < halo->ranks; r++) {
		uint32_t count = halo_count(out, r), words = out->first[r + 1] - out->first[r], *to;
		if (!out->count[r])
			continue;
		halo_head *head = (halo_head *)(void *)halo_message_of(out, r);
		*head = (halo_head){ halo_form_of(out->count[r], count), count };
		to = (uint32_t *)(head + 1);
		if (head->form == HALO_BITS)
			memcpy(to, out->bits + out->first[r], words * sizeof *to);
		for (uint32_t w = 0; head->form == HALO_PAIRS && w < words; w++)
			for (uint32_t bits = out->bits[out->first[r] + w]; bits; bits &= bits - 1)
				*to++ = w * 32 + (uint32_t)__builtin_ctz(bits);
	}
}
