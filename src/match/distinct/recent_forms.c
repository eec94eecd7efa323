#include "match/distinct/recent_forms.h"

#include "core/memory.h"
#include "core/threads.h"
#include "core/vector.h"
#include "primitive/number_set.h"

#include <string.h>

enum {
	THREAD_BYTES = 1 << 20, /* maximum bytes of a thread's cache: half of the second-level cache of a core */
	GROUP = 128,            /* forms whose entries are prefetched together */
	TRIAL = 1 << 18,        /* forms after which a thread decides whether it goes on */
	PAUSE = 1 << 23,        /* forms that pass unseen if too few were dropped */
	WORTH = 16 /* one of so many forms must be dropped: a look-up takes 2 to 4 ns, and what follows 30 ns */
};

gemp_code gemp_recent_forms_init(gemp_recent_forms *recent, size_t width, size_t bytes)
{
	const unsigned threads = gemp_threads();
	const size_t limit = gemp_min(bytes / threads, (size_t)THREAD_BYTES) / (width * sizeof *recent->entry);
	size_t entries = limit > 0;
	while (2 * entries <= limit && entries)
		entries *= 2;
	*recent = (gemp_recent_forms){ .width = width, .entries = entries, .threads = threads };
	return gemp_new_all(GEMP_ARRAY(recent->entry, threads * entries * width), GEMP_ARRAY(recent->thread, threads));
}

void gemp_recent_forms_free(gemp_recent_forms *recent)
{
	gemp_free_all(recent->entry, recent->thread);
	*recent = (gemp_recent_forms){ 0 };
}

void gemp_recent_forms_forget(gemp_recent_forms *recent)
{
	if (recent->entry)
		memset(recent->entry, 0, recent->threads * recent->entries * recent->width * sizeof *recent->entry);
}

/* The entries of `count` forms. Middle bits of the hash are used: the first ones choose the pass, the last ones the
 * owner. */
GEMP_VECTOR_BODY void find_positions(const uint64_t *forms, const size_t width, uint64_t mask, size_t count,
                                     uint32_t *at)
{
	for (size_t i = 0; i < count; i++) {
		const uint64_t *form = forms + i * width;
		const uint64_t hash = gemp_number_mix(width == 1 ? form[0] : form[0] ^ gemp_number_mix(form[1]));
		at[i] = (uint32_t)(hash >> 20 & mask);
	}
}

GEMP_VECTOR_BODY void positions_loop(const uint64_t *forms, size_t width, uint64_t mask, size_t count, uint32_t *at)
{
	if (width == 1)
		find_positions(forms, 1, mask, count, at);
	else
		find_positions(forms, 2, mask, count, at);
}

GEMP_VECTOR_LOOP(positions, (const uint64_t *forms, size_t width, uint64_t mask, size_t count, uint32_t *at),
                 (forms, width, mask, count, at))

/* Writes forms that their entries do not have to out[], without a branch, since nobody can predict which these are. */
static inline __attribute__((always_inline)) size_t drop_group(uint64_t *entries, const uint32_t *at,
                                                               const uint64_t *forms, size_t count, uint64_t *out,
                                                               const size_t width)
{
	size_t kept = 0;
	for (size_t i = 0; i < count; i++) {
		uint64_t *entry = entries + at[i] * width;
		const uint64_t *form = forms + i * width;
		const uint64_t first = form[0], last = form[width - 1];
		const bool known = (entry[0] == first) & (entry[width - 1] == last);
		entry[0] = out[kept * width] = first;
		entry[width - 1] = out[kept * width + width - 1] = last;
		kept += !known;
	}
	return kept;
}

/* Counts the forms, and decides at the end of a trial. */
static void evaluate(gemp_recent_thread *t, size_t tried, size_t kept)
{
	t->tried += tried;
	t->dropped += tried - kept;
	if (t->tried < TRIAL)
		return;
	t->unseen = t->dropped < t->tried / WORTH ? PAUSE : 0;
	t->tried = t->dropped = 0;
}

size_t gemp_recent_forms_drop(gemp_recent_forms *recent, unsigned thread, uint64_t *forms, size_t count)
{
	gemp_recent_thread *t = &recent->thread[thread];
	const size_t width = recent->width;
	uint64_t *entries = recent->entry + thread * recent->entries * width;
	uint32_t at[GROUP];
	size_t kept = 0;
	if (t->unseen || !recent->entries) {
		t->unseen -= gemp_min(t->unseen, count);
		return count;
	}
	for (size_t i = 0; i < count; i += GROUP) {
		const size_t some = gemp_min(count - i, (size_t)GROUP);
		positions(forms + i * width, width, recent->entries - 1, some, at);
		for (size_t j = 0; j < some; j++)
			__builtin_prefetch(entries + at[j] * width, 1);
		if (width == 1)
			kept += drop_group(entries, at, forms + i, some, forms + kept, 1);
		else
			kept += drop_group(entries, at, forms + 2 * i, some, forms + 2 * kept, 2);
	}
	evaluate(t, count, kept);
	return kept;
}
