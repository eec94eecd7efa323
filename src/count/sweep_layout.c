#include "count/sweep_layout.h"

enum { PACKED = GEMP_SWEEP_WIDTHS - 1 };

static uint32_t width_of(size_t k)
{
	return 16u >> k;
}

/* First slots from which on no degree needs more. */
static void find_widths(gemp_sweep_layout *out, const uint64_t *begin)
{
	static const uint64_t most[PACKED] = { 65535, 255, 15, 3 };
	size_t k = PACKED;
	for (uint32_t v = out->ends; v > 0 && k > 0; v--)
		for (; k > 0 && begin[v] - begin[v - 1] > most[k - 1]; k--)
			out->from[k - 1] = v;
}

void gemp_sweep_layout_new(gemp_sweep_layout *out, const uint64_t *begin, uint32_t ends, bool pack)
{
	*out = (gemp_sweep_layout){ .words = ends, .ends = ends };
	if (!pack)
		return;
	find_widths(out, begin);
	uint64_t bits = (uint64_t)out->from[0] * 32;
	for (size_t k = 0; k < PACKED; k++) {
		uint64_t to = k + 1 < PACKED ? out->from[k + 1] : ends;
		out->base[k] = (cl_uint)(bits - (uint64_t)out->from[k] * width_of(k));
		bits += ((to - out->from[k]) * width_of(k) + 31) / 32 * 32;
	}
	out->packed = bits <= UINT32_MAX;
	if (out->packed)
		out->words = bits / 32;
}

uint32_t gemp_sweep_slot_at(const gemp_sweep_layout *layout, uint64_t word)
{
	if (word >= layout->words)
		return layout->ends;
	if (!layout->packed)
		return (uint32_t)word;
	uint32_t bit = (uint32_t)(word * 32);
	for (size_t k = PACKED; k-- > 0;) {
		uint32_t first = layout->base[k] + layout->from[k] * width_of(k);
		if (bit < first)
			continue;
		uint32_t slot = (bit - layout->base[k]) / width_of(k), behind = k + 1 < PACKED ? layout->from[k + 1] : layout->ends;
		return slot < behind ? slot : behind;
	}
	return bit / 32;
}
