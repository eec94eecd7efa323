/* count_sweep_dense: sweeps on CPU devices, one work-item a worker, each with a counter for every vertex in global memory.
 * Written behind what src/count/wedges_codegen.h puts in front.
 *
 * A worker takes roots in ascending order, so in each row that it enters the place of the root only moves forward: for long
 * rows, which are the first ones, it is kept, and hardly searched for. */

#include "count_wedges.clh"

/* Roots that a worker takes at a time. */
#define CHUNK 16u
/* A place is looked for entry by entry so far, then by halves. */
#define NEARBY 16u
/* Rows are fetched into the cache so many entries ahead of their use, where they begin twice as many. */
#define AHEAD 6u
/* The same for the first rows of other roots. */
#define ROOTS_AHEAD 16u

/* JOINED has no further use of where rows go on. */
#ifdef SWEEP_PATH_PAIRS
#define KEEP_PLACE(put) put;
#else
#define KEEP_PLACE(put)
#endif

typedef struct sweep {
	__global const OFFSET *begin;
	__global const uint *near;
	__global OFFSET *kept;   /* [kept_rows] of this worker: where the row goes on behind the root before */
	__global ROW *place;     /* [longest] of this worker: where the row of each middle goes on behind the root; its end */
	__global COUNTER *counter;  /* [ends] of this worker, all 0 between roots */
	OFFSET from, to;         /* the root's entries that lead to middles */
	uint root, kept_rows;
	__global PATHS *paths;   /* PATH_PAIRS: [ends] of this worker, all 0 between roots */
	__global uint *met;      /* PATH_PAIRS: [ends + 1] of this worker */
} sweep;

/* Row x holds the root: the entry behind it, and the end. */
static inline ROW behind_root(const sweep *s, uint x)
{
	OFFSET at = s->begin[x], end = s->begin[x + 1];
	if (end - at == 1)
		return (ROW)(end, end);
	if (x < s->kept_rows)
		at = s->kept[x];
	for (uint i = 0; s->near[at] < s->root; i++)
		at = i < NEARBY ? at + 1 : first_not_below(s->near, at, end, s->root);
	at++;
	if (x < s->kept_rows)
		s->kept[x] = at;
	return (ROW)(at, end);
}

static inline void fetch_ahead(const sweep *s, OFFSET entry)
{
	if (entry + 2 * AHEAD < s->to) {
		FETCH(&s->begin[s->near[entry + 2 * AHEAD]]);
		FETCH(&s->near[s->begin[s->near[entry + AHEAD]]]);
	}
}

/* The same for the first middles of a root to come: where their rows begin, or the rows themselves. */
static inline void fetch_root(const sweep *s, __global const OFFSET *mid, uint root, int rows)
{
	__global const OFFSET *begin = s->begin;
	OFFSET from = MIDDLES_FROM(root), to = min(begin[root + 1], from + 4);
	for (; from < to; from++)
		if (rows)
			FETCH(&s->near[begin[s->near[from]]]);
		else
			FETCH(&begin[s->near[from]]);
}

/* Counts paths from the root to each end; how many there are. */
static inline ulong count_paths(const sweep *s)
{
	ulong paths = 0;
	for (OFFSET entry = s->from; entry < s->to; entry++) {
		fetch_ahead(s, entry);
		ROW row = behind_root(s, s->near[entry]);
		s->place[entry - s->from] = row;
		paths += row.y - row.x;
		for (OFFSET at = row.x; at < row.y; at++)
			s->counter[s->near[at]]++;
	}
	return paths;
}

/* Where counters are few beside the paths, it is cheaper to go through all of them than once more along the paths. */
static inline int many_paths(const sweep *s, ulong paths, uint ends)
{
	return paths > (ends - s->root) / 4;
}

static inline void clear_paths(const sweep *s)
{
	for (OFFSET entry = s->from; entry < s->to; entry++) {
		ROW row = s->place[entry - s->from];
		for (OFFSET at = row.x; at < row.y; at++)
			s->counter[s->near[at]] = 0;
	}
}

static inline void clear_counters(const sweep *s, ulong paths, uint ends)
{
	if (many_paths(s, paths, ends))
		for (uint w = s->root + 1; w < ends; w++)
			s->counter[w] = 0;
	else
		clear_paths(s);
}

#ifdef SWEEP_BY_END

#ifdef HAS_ADJACENCY
/* Ends that are neighbours of the root, on top of what they were taken to be worth. */
static inline long worth_of_neighbours(const sweep *s, sweep_sum *sum, OFFSET from, OFFSET to VALUE_PARAMETERS)
{
	long more = 0;
	for (OFFSET entry = from; entry < to; entry++) {
		uint w = s->near[entry], count = s->counter[w];
		more += worth(sum, s->root, w, count, 1 VALUE_ARGUMENTS) - worth(sum, s->root, w, count, 0 VALUE_ARGUMENTS);
	}
	return more;
}
#endif

static inline long ends_in_order(const sweep *s, sweep_sum *sum, uint ends VALUE_PARAMETERS)
{
	long value = 0;
	for (uint w = s->root + 1; w < ends; w++) {
		value += worth(sum, s->root, w, s->counter[w], 0 VALUE_ARGUMENTS);
		s->counter[w] = 0;
	}
	return value;
}

static inline long ends_along_paths(const sweep *s, sweep_sum *sum VALUE_PARAMETERS)
{
	long value = 0;
	for (OFFSET entry = s->from; entry < s->to; entry++) {
		ROW row = s->place[entry - s->from];
		for (OFFSET at = row.x; at < row.y; at++) {
			uint w = s->near[at];
			value += worth(sum, s->root, w, s->counter[w], 0 VALUE_ARGUMENTS);
			s->counter[w] = 0;
		}
	}
	return value;
}

static inline void sweep_root(const sweep *s, sweep_sum *sum, __global uint *touched, __global const OFFSET *begin,
                              __global const OFFSET *mid, uint ends VALUE_PARAMETERS)
{
	ulong paths = count_paths(s);
#ifdef HAS_ADJACENCY
	sum->value += worth_of_neighbours(s, sum, mid[s->root], begin[s->root + 1] VALUE_ARGUMENTS);
#endif
	sum->value += many_paths(s, paths, ends) ? ends_in_order(s, sum, ends VALUE_ARGUMENTS)
	                                         : ends_along_paths(s, sum VALUE_ARGUMENTS);
}

#elif defined SWEEP_BY_PATH

static inline void sweep_root(const sweep *s, sweep_sum *sum, __global uint *touched, __global const OFFSET *begin,
                              __global const OFFSET *mid, uint ends VALUE_PARAMETERS)
{
	ulong paths = count_paths(s);
	long value = 0;
	AT_ROOT(s->root)
	for (OFFSET entry = s->from; entry < s->to; entry++) {
		uint x = s->near[entry];
		ROW row = s->place[entry - s->from];
		AT_MIDDLE(x, entry)
		for (OFFSET at = row.x; at < row.y; at++) {
			uint w = s->near[at];
			long c = s->counter[w];
			AT_END(w)
			AT_END_ENTRY(at)
			value += VALUE;
			ADD_MAGNITUDE(sum, fabs(MAGNITUDE))
		}
	}
	sum->value += value;
	clear_counters(s, paths, ends);
}

#elif defined SWEEP_JOINED || defined SWEEP_PATH_PAIRS

/* As count_paths; ends go to `touched` when they are met for the first time. How many they are. */
static inline uint count_and_list(const sweep *s, __global uint *touched)
{
	uint found = 0;
	for (OFFSET entry = s->from; entry < s->to; entry++) {
		fetch_ahead(s, entry);
		ROW row = behind_root(s, s->near[entry]);
		KEEP_PLACE(s->place[entry - s->from] = row)
		for (OFFSET at = row.x; at < row.y; at++) {
			uint w = s->near[at], count = s->counter[w];
			touched[found] = w;
			found += count == 0;
			s->counter[w] = (COUNTER)(count + 1);
		}
	}
	return found;
}

#ifdef SWEEP_JOINED

static inline void sweep_root(const sweep *s, sweep_sum *sum, __global uint *touched, __global const OFFSET *begin,
                              __global const OFFSET *mid, uint ends VALUE_PARAMETERS)
{
	uint found = count_and_list(s, touched);
	long value = 0;
	for (uint i = 0; i < found; i++) {
		uint w = touched[i];
		PATHS others = 0;
		OFFSET end = begin[w + 1];
		for (OFFSET at = mid[w]; at < end; at++)
			others += s->counter[s->near[at]];
		value += (long)s->counter[w] * (long)others;
		ADD_MAGNITUDE(sum, (double)s->counter[w] * (double)others)
	}
	sum->value += value;
	for (uint i = 0; i < found; i++)
		s->counter[touched[i]] = 0;
}

#else

static inline long pairs_of(long n)
{
	return n * (n - 1) / 2;
}

/* Where row w, which need not hold the root, goes on behind it. */
static inline OFFSET behind_slot(const sweep *s, uint w)
{
	OFFSET at = w < s->kept_rows ? s->kept[w] : s->begin[w], end = s->begin[w + 1];
	for (uint i = 0; at < end && s->near[at] <= s->root; i++)
		at = i < NEARBY ? at + 1 : first_not_below(s->near, at, end, s->root + 1);
	if (w < s->kept_rows)
		s->kept[w] = at;
	return at;
}

/* Pairs of paths root-a-b-y, root-a-d-y are 4-cycles with a root that hangs on one of their vertices and comes before them.
 * They are not counted here at this root, but at the least vertex of the 4-cycle, which is the root here; its own two
 * neighbours as a. */
static inline long hung_on_middles(const sweep *s)
{
	long found = 0;
	for (OFFSET entry = s->from; entry < s->to; entry++) {
		ROW row = s->place[entry - s->from];
		long before = (long)(row.x - s->begin[s->near[entry]]) - 1, cycles = 0;
		for (OFFSET at = row.x; at < row.y; at++)
			cycles += s->counter[s->near[at]] - 1;
		found += before * cycles;
	}
	return found;
}

/* Paths go on from the ends of two-paths; `more` is what pairs of them are to be less for what they share. How many vertices
 * are met. */
static inline uint go_on(const sweep *s, __global const uint *touched, uint found, __global const OFFSET *mid, long *more)
{
	uint met = 0;
	long before_root = (long)(mid[s->root] - s->begin[s->root]), shared = 0;
	for (uint i = 0; i < found; i++) {
		if (i + 2 * AHEAD < found)
			FETCH(&s->begin[touched[i + 2 * AHEAD]]);
		if (i + AHEAD < found)
			FETCH(&s->near[s->begin[touched[i + AHEAD]]]);
		uint b = touched[i];
		OFFSET begin = s->begin[b], at = behind_slot(s, b), end = s->begin[b + 1];
		long count = s->counter[b], before = (long)(at - begin) - (at > begin && s->near[at - 1] == s->root);
		/* Two with the same b: `count` vertices behind it are one of their own a. */
		shared += ((long)(end - at) - count) * pairs_of(count) + count * pairs_of(count - 1);
		shared += pairs_of(count) * (before_root + before);
		for (; at < end; at++) {
			uint y = s->near[at];
			PATHS paths = s->paths[y];
			s->met[met] = y;
			met += paths == 0;
			s->paths[y] = paths + (PATHS)count;
		}
	}
	*more = shared;
	return met;
}

static inline void sweep_root(const sweep *s, sweep_sum *sum, __global uint *touched, __global const OFFSET *begin,
                              __global const OFFSET *mid, uint ends VALUE_PARAMETERS)
{
	uint found = count_and_list(s, touched);
	long less = 0, value = 0;
	uint met = go_on(s, touched, found, mid, &less);
	less += hung_on_middles(s);
	for (OFFSET entry = s->from; entry < s->to; entry++) { /* root-a-b-a */
		ROW row = s->place[entry - s->from];
		s->paths[s->near[entry]] -= (PATHS)(row.y - row.x);
	}
	for (uint i = 0; i < met; i++) {
		long paths = (long)s->paths[s->met[i]];
		value += pairs_of(paths);
		ADD_MAGNITUDE(sum, (double)paths * (double)paths)
		s->paths[s->met[i]] = 0;
	}
	sum->value += value - less;
	for (uint i = 0; i < found; i++)
		s->counter[touched[i]] = 0;
}

#endif
#endif

/* Roots first, first + step, ... (`roots` of them). */
__kernel void count_sweep_dense(__global const OFFSET *restrict begin, __global const OFFSET *restrict mid,
                                __global const uint *restrict near, uint first, uint step, uint roots, uint ends,
                                uint kept_rows, uint longest, __global uint *next, __global OFFSET *restrict kept,
                                __global ROW *restrict places, __global COUNTER *restrict counters,
                                __global uint *restrict touched, __global PATHS *restrict paths,
                                __global uint *restrict met, __global long *values,
                                __global double *magnitudes VALUE_PARAMETERS)
{
	ulong worker = get_global_id(0);
	sweep_sum sum = { 0 };
	sweep s = { .begin = begin, .near = near, .kept = kept + worker * kept_rows, .place = places + worker * longest,
		.counter = counters + worker * ends, .kept_rows = kept_rows, .paths = paths + worker * ends,
		.met = met + worker * (ends + 1ul) };
	touched += worker * (ends + 1ul); /* one more than there are ends */
	for (uint v = 0; v < kept_rows; v++)
		s.kept[v] = begin[v];
	for (uint task = atomic_add(next, CHUNK); task < roots; task = atomic_add(next, CHUNK))
		for (uint i = task; i < min(task + CHUNK, roots); i++) {
			s.root = first + i * step;
			s.from = MIDDLES_FROM(s.root);
			s.to = begin[s.root + 1];
			if (s.from == s.to)
				continue;
			if (i + ROOTS_AHEAD < roots) {
				fetch_root(&s, mid, s.root + ROOTS_AHEAD * step, 0);
				fetch_root(&s, mid, s.root + ROOTS_AHEAD / 2 * step, 1);
			}
			sweep_root(&s, &sum, touched, begin, mid, ends VALUE_ARGUMENTS);
		}
	values[worker] = sum.value;
	magnitudes[worker] = sum.magnitude;
}
