/* All ranks narrow the code ranges of all bounds together. A rank whose device fails goes on with counts of zero, and
 * the number of failed ranks is part of each reduction, so that all ranks stop in the same round. */

#include "primitive/cuts.h"

#include "core/memory.h"
#include "core/search.h"

#include <string.h>

enum { PROBES = 255, GROUP = 256 }; /* PROBES: codes that are probed for each bound in a round */

/* Bound b is the least code such that at least wanted[b] keys have a code <= bound b. It lies in low[b] .. high[b]. */
typedef struct cut_search {
	const gemp_comm *comm;
	const gemp_sorted_keys *keys;
	int bounds;       /* ranks - 1 */
	uint64_t *wanted; /* [bounds] */
	uint64_t *low, *high;
	uint64_t *codes;  /* [bounds * PROBES] the probed codes */
	uint64_t *counts; /* [bounds * PROBES + 1] number of keys of all ranks up to each code, number of failed ranks */
	void *words;      /* [bounds * PROBES] numbers on their way to and from the device */
	gemp_buffer on_device[2]; /* the codes and their counts */
	gemp_code code;           /* the first failure of this rank's device */
} cut_search;

static void free_cut_search(cut_search *s)
{
	gemp_free_all(s->wanted, s->low, s->high, s->codes, s->counts, s->words);
	for (int i = 0; i < 2; i++)
		if (s->on_device[i].mem)
			gemp_buffer_release(&s->on_device[i]);
}

/* The arrays have the probes of all bounds, so a round needs one reduction. */
static gemp_code new_cut_search(cut_search *s)
{
	const size_t bounds = (size_t)s->bounds, probes = bounds * PROBES;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(s->wanted, bounds), GEMP_ARRAY(s->low, bounds), GEMP_ARRAY(s->high, bounds),
	                      GEMP_ARRAY(s->codes, probes), GEMP_ARRAY(s->counts, probes + 1)));
	if (!s->keys->box || !bounds)
		return GEMP_OK;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY_OF(s->words, probes, sizeof(uint64_t))));
	GEMP_TRY(gemp_buffer_new(&s->on_device[0], s->keys->box->device, probes * s->keys->map.size, NULL));
	return gemp_buffer_new(&s->on_device[1], s->keys->box->device, probes * sizeof(cl_uint), NULL);
}

/* Codes are compared as unsigned numbers for every kind of keys. */
static uint64_t code_at(const gemp_sorted_keys *keys, size_t i)
{
	return gemp_key_code(gemp_key_get(keys->host, i, keys->map.size), keys->map);
}

/* counts[i] becomes the number of this rank's keys with codes up to codes[i]. */
static void count_on_host(const gemp_sorted_keys *keys, const uint64_t *codes, int probes, uint64_t *counts)
{
	for (int i = 0; i < probes; i++) {
		size_t end;
		GEMP_PARTITION_POINT(end, 0, keys->count, code_at(keys, end) <= codes[i]);
		counts[i] = end;
	}
}

/* The same by a kernel. */
static gemp_code count_on_device(cut_search *s, const uint64_t *codes, int probes, uint64_t *counts)
{
	const gemp_sorted_keys *keys = s->keys;
	gemp_toolbox *box = keys->box;
	const cl_ulong flip = keys->map.flip, spread = keys->map.spread;
	const cl_uint count = (cl_uint)keys->count, n = (cl_uint)probes;
	const size_t group = gemp_tool_group(box, GROUP);
	cl_kernel kernel;
	for (int i = 0; i < probes; i++)
		gemp_key_put(s->words, (size_t)i, keys->map.size, codes[i]);
	GEMP_TRY(gemp_buffer_write(box->device, &s->on_device[0], 0, n * keys->map.size, s->words));
	GEMP_TRY(
		gemp_tool_kernel(box, &kernel, "key_count.cl", "key_count", group, "-DGEMP_KEY_BITS=%u", 8 * keys->map.size));
	GEMP_TRY(gemp_tool_launch(box, kernel, group ? (n + group - 1) / group : n, group, GEMP_ARG(&keys->buffer->mem),
	                          GEMP_ARG(&count), GEMP_KEY_ARG(&flip, keys->map.size),
	                          GEMP_KEY_ARG(&spread, keys->map.size), GEMP_ARG(&s->on_device[0].mem), GEMP_ARG(&n),
	                          GEMP_ARG(&s->on_device[1].mem)));
	GEMP_TRY(gemp_buffer_read(box->device, &s->on_device[1], 0, n * sizeof(cl_uint), s->words));
	for (int i = 0; i < probes; i++)
		counts[i] = gemp_key_get(s->words, (size_t)i, sizeof(cl_uint));
	return GEMP_OK;
}

/* Counts zeros after a failure. */
static void count_keys(cut_search *s, const uint64_t *codes, int probes, uint64_t *counts)
{
	memset(counts, 0, (size_t)probes * sizeof *counts);
	if (!s->keys->box)
		count_on_host(s->keys, codes, probes, counts);
	else if (s->code == GEMP_OK && s->keys->count)
		s->code = count_on_device(s, codes, probes, counts);
}

/* The codes of this rank's first and last key. */
static void read_ends(cut_search *s, uint64_t ends[2])
{
	const gemp_sorted_keys *keys = s->keys;
	uint64_t key = 0;
	for (int i = 0; i < 2 && s->code == GEMP_OK; i++) {
		const size_t at = i ? keys->count - 1 : 0;
		if (keys->box)
			s->code = gemp_buffer_read(keys->box->device, keys->buffer, at * keys->map.size, keys->map.size, &key);
		else
			key = gemp_key_get(keys->host, at, keys->map.size);
		ends[i] = gemp_key_code(key, keys->map);
	}
}

/* Returns probe t of PROBES, which divide low .. high evenly. The first probe is low, and no probe is high unless low
 * equals high. */
static uint64_t probe_code(const cut_search *s, int bound, int t)
{
	uint64_t width = s->high[bound] - s->low[bound];
	return s->low[bound] + (uint64_t)((unsigned __int128)width * (unsigned)t / PROBES);
}

/* Each range begins as the range of all codes of all ranks. The complement turns the minimum into a maximum, so one
 * reduction finds both. */
static void init_ranges(cut_search *s)
{
	uint64_t ends[2] = { 0, 0 }, all = gemp_comm_sum1(s->comm, s->keys->count);
	if (s->keys->count) {
		read_ends(s, ends);
		ends[0] = ~ends[0];
	}
	gemp_comm_max(s->comm, ends, 2);
	for (int b = 0; b < s->bounds; b++) {
		s->wanted[b] = (uint64_t)((unsigned __int128)all * (unsigned)(b + 1) / (unsigned)s->comm->size);
		s->low[b] = all ? ~ends[0] : 0;
		s->high[b] = all ? ends[1] : 0;
	}
}

/* Collective. One round. Returns true while some range has more than one code and no rank has failed. */
static bool narrow_ranges(cut_search *s)
{
	const int probes = s->bounds * PROBES;
	bool unfinished = false;
	for (int i = 0; i < probes; i++)
		s->codes[i] = probe_code(s, i / PROBES, i % PROBES);
	count_keys(s, s->codes, probes, s->counts);
	s->counts[probes] = s->code != GEMP_OK;
	gemp_comm_sum(s->comm, s->counts, probes + 1);
	for (int b = 0; b < s->bounds; b++) {
		uint64_t low = s->low[b], high = s->high[b];
		for (int t = PROBES - 1; t >= 0; t--)
			if (s->counts[b * PROBES + t] >= s->wanted[b]) {
				high = s->codes[b * PROBES + t];
			} else {
				low = s->codes[b * PROBES + t] + 1;
				break;
			}
		s->low[b] = low;
		s->high[b] = high;
		unfinished |= low < high;
	}
	return unfinished && s->counts[probes] == 0;
}

/* Sets cut[1 .. bounds] behind the keys up to the bounds, and below[bounds] to the numbers of keys below them. */
static void count_bounds(cut_search *s, size_t *cut, uint64_t *below)
{
	uint64_t *up_to = s->counts + s->bounds;
	count_keys(s, s->high, s->bounds, up_to);
	for (int b = 0; b < s->bounds; b++) {
		cut[b + 1] = up_to[b];
		s->codes[b] = s->high[b] ? s->high[b] - 1 : 0;
	}
	count_keys(s, s->codes, s->bounds, below);
	for (int b = 0; b < s->bounds; b++)
		below[b] = s->high[b] ? below[b] : 0;
}

/* Collective. Divides the keys equal to a bound: the lower part gets as many as it still needs, first those of lower
 * ranks. */
static void divide_equal_keys(cut_search *s, size_t *cut, uint64_t *below)
{
	uint64_t *equal = below + s->bounds, *before = equal + s->bounds;
	for (int b = 0; b < s->bounds; b++) {
		equal[b] = cut[b + 1] - below[b];
		cut[b + 1] = below[b];
	}
	GEMP_MPI(MPI_Exscan(equal, before, s->bounds, MPI_UINT64_T, MPI_SUM, s->comm->world));
	gemp_comm_sum(s->comm, below, s->bounds);
	for (int b = 0; b < s->bounds; b++) {
		uint64_t lower_ranks = s->comm->rank ? before[b] : 0, wanted = s->wanted[b] - below[b];
		uint64_t left = wanted > lower_ranks ? wanted - lower_ranks : 0;
		cut[b + 1] += gemp_min(left, equal[b]);
	}
}

/* Each round narrows the code range of every bound to a 255th. The ranks agree before keys are divided, since failed
 * ranks have no counts. */
gemp_code gemp_cuts_find(const gemp_comm *comm, const gemp_sorted_keys *keys, bool together, size_t **cut)
{
	GEMP_OWNED_BY(free_cut_search) cut_search s = { .comm = comm, .keys = keys, .bounds = comm->size - 1 };
	gemp_code code = GEMP_NEW(*cut, (size_t)comm->size + 1);
	GEMP_THEN(new_cut_search(&s));
	GEMP_TRY(gemp_comm_agree(comm, code));
	(*cut)[comm->size] = keys->count;
	if (s.bounds == 0)
		return GEMP_OK;
	init_ranges(&s);
	while (narrow_ranges(&s))
		;
	count_bounds(&s, *cut, s.counts);
	GEMP_TRY(gemp_comm_agree(comm, s.code));
	if (!together)
		divide_equal_keys(&s, *cut, s.counts);
	return GEMP_OK;
}
