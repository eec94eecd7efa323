#include "primitive/select.h"

#include "core/memory.h"

enum { TRIED = 255 }; /* codes for each bound in a round */

/* The bound of rank r lies in low[r] .. high[r]: the least code up to which there are at least wanted[r] keys. */
typedef struct selecting {
	const gemp_comm *comm;
	const void *keys;
	size_t count;
	gemp_key_map map;
	int bounds;        /* ranks - 1 */
	uint64_t *wanted;  /* [bounds] */
	uint64_t *low, *high;
	uint64_t *counts;  /* [bounds * TRIED] keys up to each tried code, of all ranks */
} selecting;

static void free_selecting(selecting *s)
{
	gemp_free(s->wanted);
	gemp_free(s->low);
	gemp_free(s->high);
	gemp_free(s->counts);
}

static gemp_code new_selecting(selecting *s)
{
	gemp_code code = GEMP_OK;
	size_t bounds = (size_t)s->bounds;
	GEMP_TRY(GEMP_NEW(s->wanted, bounds));
	GEMP_TRY(GEMP_NEW(s->low, bounds));
	GEMP_TRY(GEMP_NEW(s->high, bounds));
	code = GEMP_NEW(s->counts, bounds * TRIED);
done:
	return code;
}

static uint64_t code_at(const selecting *s, size_t i)
{
	return gemp_key_code(gemp_key_get(s->keys, i, s->map.size), s->map);
}

/* Keys of this rank whose codes are below this one, or no more than it. */
static size_t keys_to(const selecting *s, uint64_t code, bool included)
{
	size_t low = 0, high = s->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		uint64_t there = code_at(s, middle);
		if (there < code || (included && there == code))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The t-th of TRIED codes that part low .. high evenly: high itself is never one, low is where few are left. */
static uint64_t tried(const selecting *s, int bound, int t)
{
	uint64_t reach = s->high[bound] - s->low[bound];
	return s->low[bound] + (uint64_t)((unsigned __int128)reach * (unsigned)t / TRIED);
}

static void begin(selecting *s)
{
	uint64_t ends[2] = { s->count ? ~code_at(s, 0) : 0, s->count ? code_at(s, s->count - 1) : 0 };
	uint64_t all = gemp_comm_sum1(s->comm, s->count);
	gemp_comm_max(s->comm, ends, 2);
	for (int b = 0; b < s->bounds; b++) {
		s->wanted[b] = (uint64_t)((unsigned __int128)all * (unsigned)(b + 1) / (unsigned)s->comm->size);
		s->low[b] = all ? ~ends[0] : 0;
		s->high[b] = all ? ends[1] : 0;
	}
}

static bool narrow(selecting *s)
{
	bool open = false;
	for (int b = 0; b < s->bounds; b++)
		for (int t = 0; t < TRIED; t++)
			s->counts[b * TRIED + t] = keys_to(s, tried(s, b, t), true);
	gemp_comm_sum(s->comm, s->counts, s->bounds * TRIED);
	for (int b = 0; b < s->bounds; b++) {
		uint64_t low = s->low[b], high = s->high[b];
		for (int t = TRIED - 1; t >= 0; t--)
			if (s->counts[b * TRIED + t] >= s->wanted[b]) {
				high = tried(s, b, t);
			} else {
				low = tried(s, b, t) + 1;
				break;
			}
		s->low[b] = low;
		s->high[b] = high;
		open |= low < high;
	}
	return open;
}

/* Of keys that are as the bound, this rank's share of those that still go below it. */
static void share_equal(selecting *s, size_t *cut)
{
	uint64_t *below = s->counts, *equal = below + s->bounds, *before = equal + s->bounds;
	for (int b = 0; b < s->bounds; b++) {
		below[b] = keys_to(s, s->high[b], false);
		equal[b] = keys_to(s, s->high[b], true) - below[b];
		cut[b + 1] = below[b];
	}
	GEMP_MPI(MPI_Exscan(equal, before, s->bounds, MPI_UINT64_T, MPI_SUM, s->comm->world));
	gemp_comm_sum(s->comm, below, s->bounds);
	for (int b = 0; b < s->bounds; b++) {
		uint64_t earlier = s->comm->rank ? before[b] : 0, wanted = s->wanted[b] - below[b];
		uint64_t left = wanted > earlier ? wanted - earlier : 0;
		cut[b + 1] += left < equal[b] ? left : equal[b];
	}
}

gemp_code gemp_select_cuts(const gemp_comm *comm, const void *keys, size_t count, gemp_key_map map, bool together, size_t *cut)
{
	selecting s = { .comm = comm, .keys = keys, .count = count, .map = map, .bounds = comm->size - 1 };
	gemp_code code = gemp_comm_agree(comm, new_selecting(&s));
	cut[0] = 0;
	cut[comm->size] = count;
	if (code == GEMP_OK && s.bounds) {
		begin(&s);
		while (narrow(&s))
			;
		if (!together)
			share_equal(&s, cut);
		for (int b = 0; b < s.bounds && together; b++)
			cut[b + 1] = keys_to(&s, s.high[b], true);
	}
	free_selecting(&s);
	return code;
}
