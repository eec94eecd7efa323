#include "analytics/halo/halo_message.h"

#include <stdio.h>
#include <string.h>

static inline __attribute__((always_inline)) void sum_words(halo_side *side, uint32_t from, uint32_t end)
{
	for (uint32_t w = from; w < end; w++)
		side->before[w + 1] = side->before[w] + (uint32_t)__builtin_popcount(side->bits[w]);
}

#ifdef __x86_64__
/* The instruction counts several times as fast as what the compiler may assume of all processors. */
__attribute__((target("popcnt"))) static void sum_by_instruction(halo_side *side, uint32_t from, uint32_t end)
{
	sum_words(side, from, end);
}
#endif

void gemp_halo_prefix(halo_side *side, uint32_t from, uint32_t end)
{
#ifdef __x86_64__
	if (__builtin_cpu_supports("popcnt")) {
		sum_by_instruction(side, from, end);
		return;
	}
#endif
	sum_words(side, from, end);
}

void gemp_halo_mark_all(gemp_halo *mail)
{
	halo_side *out = &mail->out;
	for (int r = 0; r < mail->ranks; r++)
		for (uint32_t i = 0, w = out->first[r]; w < out->first[r + 1]; w++, i += 32)
			out->bits[w] = out->count[r] - i < 32 ? (1u << (out->count[r] - i)) - 1 : UINT32_MAX;
	gemp_halo_prefix(out, 0, out->first[mail->ranks]);
}

/* THE ROUND */

void gemp_halo_write_heads(gemp_halo *mail)
{
	const halo_side *out = &mail->out;
	for (int r = 0; r < mail->ranks; r++) {
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

unsigned gemp_halo_few = 1 << 14;
