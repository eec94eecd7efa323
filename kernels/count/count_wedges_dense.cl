/* count_wedges_dense: wedge counting on CPU devices. Each work-item is a worker with a counter in global memory for
 * every vertex. A path leads from a root over a middle to an end, and the counter of an end is the number of paths from
 * the root to the end. The host puts the macros that src/count/codegen.h lists in front of this file.
 *
 * A worker takes roots in ascending order, so the position of the root in each row that contains it only moves forward.
 * For the rows of slots less than kept_rows, which are the long ones, the worker stores this position, and the next
 * search begins there. */

#include "count_wedges.clh"

/* roots that a worker takes at a time */
#define CHUNK 16u
/* A search for a position is linear over this number of entries, then binary. */
#define NEARBY 16u
/* The begin of a row is prefetched this number of entries ahead of its use; the row's offset, twice as many entries
 * ahead. */
#define AHEAD 6u
/* The offsets of a root's first rows are prefetched this number of roots ahead; the rows, half as many roots ahead. */
#define ROOTS_AHEAD 16u

/* PATH_PAIRS needs the part of each middle's row behind the root again (hung_on_middles); JOINED does not. */
#ifdef WEDGES_PATH_PAIRS
#define KEEP_PLACE(put) put;
#else
#define KEEP_PLACE(put)
#endif

typedef struct wedges {
	__global const OFFSET *row_offsets;
	__global const uint *column_indices;
	__global OFFSET *kept; /* [kept_rows] of this worker: the position behind the last root in each long row */
	/* [longest] of this worker, by middle: begin and end of the part of its row behind the root */
	__global ROW *place;
	__global COUNTER *counter; /* [ends] of this worker, all 0 between roots */
	OFFSET from, to;           /* the root's entries that lead to middles */
	uint root, kept_rows;
	/* PATH_PAIRS: [ends] of this worker, all 0 between roots: the number of three-paths to each end */
	__global PATHS *paths;
	__global uint *met;    /* PATH_PAIRS: [ends + 1] of this worker: the ends of three-paths */
} wedges;

/* Returns the part of row x behind the root. Row x contains the root. */
static inline ROW behind_root(const wedges *s, uint x)
{
	OFFSET at = s->row_offsets[x], end = s->row_offsets[x + 1];
	if (end - at == 1)
		return (ROW)(end, end);
	if (x < s->kept_rows)
		at = s->kept[x];
	for (uint i = 0; s->column_indices[at] < s->root; i++)
		at = i < NEARBY ? at + 1 : first_not_below(s->column_indices, at, end, s->root);
	at++;
	if (x < s->kept_rows)
		s->kept[x] = at;
	return (ROW)(at, end);
}

static inline void fetch_ahead(const wedges *s, OFFSET entry)
{
	if (entry + 2 * AHEAD < s->to) {
		FETCH(&s->row_offsets[s->column_indices[entry + 2 * AHEAD]]);
		FETCH(&s->column_indices[s->row_offsets[s->column_indices[entry + AHEAD]]]);
	}
}

/* Prefetches for the first four middles of a later root: their rows, or the offsets of their rows. */
static inline void fetch_root(const wedges *s, __global const OFFSET *upper_offsets, uint root, int rows)
{
	__global const OFFSET *row_offsets = s->row_offsets;
	OFFSET from = MIDDLES_FROM(root), to = min(row_offsets[root + 1], from + 4);
	for (; from < to; from++)
		if (rows)
			FETCH(&s->column_indices[row_offsets[s->column_indices[from]]]);
		else
			FETCH(&row_offsets[s->column_indices[from]]);
}

/* Counts the paths from the root to each end. Returns the number of paths. */
static inline ulong count_paths(const wedges *s)
{
	ulong paths = 0;
	for (OFFSET entry = s->from; entry < s->to; entry++) {
		fetch_ahead(s, entry);
		ROW row = behind_root(s, s->column_indices[entry]);
		s->place[entry - s->from] = row;
		paths += row.y - row.x;
		for (OFFSET at = row.x; at < row.y; at++)
			s->counter[s->column_indices[at]]++;
	}
	return paths;
}

/* With many paths, a pass over all counters costs less than a second walk along the paths. */
static inline int many_paths(const wedges *s, ulong paths, uint ends)
{
	return paths > (ends - s->root) / 4;
}

static inline void clear_paths(const wedges *s)
{
	for (OFFSET entry = s->from; entry < s->to; entry++) {
		ROW row = s->place[entry - s->from];
		for (OFFSET at = row.x; at < row.y; at++)
			s->counter[s->column_indices[at]] = 0;
	}
}

static inline void clear_counters(const wedges *s, ulong paths, uint ends)
{
	if (many_paths(s, paths, ends))
		for (uint w = s->root + 1; w < ends; w++)
			s->counter[w] = 0;
	else
		clear_paths(s);
}

#ifdef WEDGES_BY_END

#ifdef HAS_ADJACENCY
/* The correction for ends that are neighbours of the root: their value with a = 1 minus their value with a = 0, which
 * is counted for every end. */
static inline long worth_of_neighbours(const wedges *s, wedges_sum *sum, OFFSET from, OFFSET to VALUE_PARAMETERS)
{
	long more = 0;
	for (OFFSET entry = from; entry < to; entry++) {
		uint w = s->column_indices[entry], count = s->counter[w];
		more += worth(sum, s->root, w, count, 1 VALUE_ARGUMENTS) - worth(sum, s->root, w, count, 0 VALUE_ARGUMENTS);
	}
	return more;
}
#endif

static inline long ends_in_order(const wedges *s, wedges_sum *sum, uint ends VALUE_PARAMETERS)
{
	long value = 0;
	for (uint w = s->root + 1; w < ends; w++) {
		value += worth(sum, s->root, w, s->counter[w], 0 VALUE_ARGUMENTS);
		s->counter[w] = 0;
	}
	return value;
}

static inline long ends_along_paths(const wedges *s, wedges_sum *sum VALUE_PARAMETERS)
{
	long value = 0;
	for (OFFSET entry = s->from; entry < s->to; entry++) {
		ROW row = s->place[entry - s->from];
		for (OFFSET at = row.x; at < row.y; at++) {
			uint w = s->column_indices[at];
			value += worth(sum, s->root, w, s->counter[w], 0 VALUE_ARGUMENTS);
			s->counter[w] = 0;
		}
	}
	return value;
}

static inline void wedges_root(const wedges *s, wedges_sum *sum, __global uint *touched,
                               __global const OFFSET *row_offsets, __global const OFFSET *upper_offsets,
                               uint ends VALUE_PARAMETERS)
{
	ulong paths = count_paths(s);
#ifdef HAS_ADJACENCY
	sum->value += worth_of_neighbours(s, sum, upper_offsets[s->root], row_offsets[s->root + 1] VALUE_ARGUMENTS);
#endif
	sum->value += many_paths(s, paths, ends) ? ends_in_order(s, sum, ends VALUE_ARGUMENTS)
	                                         : ends_along_paths(s, sum VALUE_ARGUMENTS);
}

#elif defined WEDGES_BY_PATH

static inline void wedges_root(const wedges *s, wedges_sum *sum, __global uint *touched,
                               __global const OFFSET *row_offsets, __global const OFFSET *upper_offsets,
                               uint ends VALUE_PARAMETERS)
{
	ulong paths = count_paths(s);
	long value = 0;
	AT_ROOT(s->root)
	for (OFFSET entry = s->from; entry < s->to; entry++) {
		uint x = s->column_indices[entry];
		ROW row = s->place[entry - s->from];
		AT_MIDDLE(x, entry)
		for (OFFSET at = row.x; at < row.y; at++) {
			uint w = s->column_indices[at];
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

#elif defined WEDGES_JOINED || defined WEDGES_PATH_PAIRS

/* Counts the paths from the root to each end, and lists the ends in `touched`. Returns the number of ends. */
static inline uint count_and_list(const wedges *s, __global uint *touched)
{
	uint found = 0;
	for (OFFSET entry = s->from; entry < s->to; entry++) {
		fetch_ahead(s, entry);
		ROW row = behind_root(s, s->column_indices[entry]);
		KEEP_PLACE(s->place[entry - s->from] = row)
		for (OFFSET at = row.x; at < row.y; at++) {
			uint w = s->column_indices[at], count = s->counter[w];
			touched[found] = w;
			found += count == 0;
			s->counter[w] = (COUNTER)(count + 1);
		}
	}
	return found;
}

#ifdef WEDGES_JOINED

static inline void wedges_root(const wedges *s, wedges_sum *sum, __global uint *touched,
                               __global const OFFSET *row_offsets, __global const OFFSET *upper_offsets,
                               uint ends VALUE_PARAMETERS)
{
	uint found = count_and_list(s, touched);
	long value = 0;
	for (uint i = 0; i < found; i++) {
		uint w = touched[i];
		PATHS others = 0;
		OFFSET end = row_offsets[w + 1];
		for (OFFSET at = upper_offsets[w]; at < end; at++)
			others += s->counter[s->column_indices[at]];
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

/* Returns the first position behind the root in row w, which need not contain the root. */
static inline OFFSET behind_slot(const wedges *s, uint w)
{
	OFFSET at = w < s->kept_rows ? s->kept[w] : s->row_offsets[w], end = s->row_offsets[w + 1];
	for (uint i = 0; at < end && s->column_indices[at] <= s->root; i++)
		at = i < NEARBY ? at + 1 : first_not_below(s->column_indices, at, end, s->root + 1);
	if (w < s->kept_rows)
		s->kept[w] = at;
	return at;
}

/* Three-paths p-a-b-y and p-a-d-y with the same a are a 4-cycle a-b-y-d with a vertex p attached to a, where p comes
 * before the cycle. Such pairs are not two halves of a 6-cycle. They are subtracted at the least vertex of the 4-cycle,
 * which is the root here, and not at p. This function counts the pairs whose a is a neighbour of the root in the
 * 4-cycle; `before` is the number of vertices p for one a. */
static inline long hung_on_middles(const wedges *s)
{
	long found = 0;
	for (OFFSET entry = s->from; entry < s->to; entry++) {
		ROW row = s->place[entry - s->from];
		long before = (long)(row.x - s->row_offsets[s->column_indices[entry]]) - 1, cycles = 0;
		for (OFFSET at = row.x; at < row.y; at++)
			cycles += s->counter[s->column_indices[at]] - 1;
		found += before * cycles;
	}
	return found;
}

/* Extends two-paths root-a-b to three-paths root-a-b-y, and returns the number of vertices y. *more becomes the number
 * of pairs that the caller subtracts: pairs of three-paths with the same b and y, and 4-cycles with a vertex attached
 * to the root or to the vertex opposite to the root (hung_on_middles counts the attachments to the other two). */
static inline uint go_on(const wedges *s, __global const uint *touched, uint found, __global const OFFSET *upper_offsets,
                         long *more)
{
	uint met = 0;
	long before_root = (long)(upper_offsets[s->root] - s->row_offsets[s->root]), shared = 0;
	for (uint i = 0; i < found; i++) {
		if (i + 2 * AHEAD < found)
			FETCH(&s->row_offsets[touched[i + 2 * AHEAD]]);
		if (i + AHEAD < found)
			FETCH(&s->column_indices[s->row_offsets[touched[i + AHEAD]]]);
		uint b = touched[i];
		OFFSET row_offsets = s->row_offsets[b], at = behind_slot(s, b), end = s->row_offsets[b + 1];
		long count = s->counter[b],
			 before = (long)(at - row_offsets) - (at > row_offsets && s->column_indices[at - 1] == s->root);
		/* pairs with the same b; `count` of the vertices y behind b are middles themselves, and root-y-b-y is no
		 * path */
		shared += ((long)(end - at) - count) * pairs_of(count) + count * pairs_of(count - 1);
		shared += pairs_of(count) * (before_root + before);
		for (; at < end; at++) {
			uint y = s->column_indices[at];
			PATHS paths = s->paths[y];
			s->met[met] = y;
			met += paths == 0;
			s->paths[y] = paths + (PATHS)count;
		}
	}
	*more = shared;
	return met;
}

static inline void wedges_root(const wedges *s, wedges_sum *sum, __global uint *touched,
                               __global const OFFSET *row_offsets, __global const OFFSET *upper_offsets,
                               uint ends VALUE_PARAMETERS)
{
	uint found = count_and_list(s, touched);
	long less = 0, value = 0;
	uint met = go_on(s, touched, found, upper_offsets, &less);
	less += hung_on_middles(s);
	for (OFFSET entry = s->from; entry < s->to; entry++) { /* removes the walks root-a-b-a */
		ROW row = s->place[entry - s->from];
		s->paths[s->column_indices[entry]] -= (PATHS)(row.y - row.x);
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

/* The roots are first, first + step, ..., `roots` of them. */
__kernel void count_wedges_dense(__global const OFFSET *restrict row_offsets,
                                 __global const OFFSET *restrict upper_offsets,
                                 __global const uint *restrict column_indices, uint first, uint step, uint roots,
                                 uint ends, uint kept_rows, uint longest, __global uint *next,
                                 __global OFFSET *restrict kept, __global ROW *restrict places,
                                 __global COUNTER *restrict counters, __global uint *restrict touched,
                                 __global PATHS *restrict paths, __global uint *restrict met, __global long *values,
                                 __global double *magnitudes VALUE_PARAMETERS)
{
	ulong worker = get_global_id(0);
	wedges_sum sum = { 0 };
	wedges s = { .row_offsets = row_offsets,
		        .column_indices = column_indices,
		        .kept = kept + worker * kept_rows,
		        .place = places + worker * longest,
		        .counter = counters + worker * ends,
		        .kept_rows = kept_rows,
		        .paths = paths + worker * ends,
		        .met = met + worker * (ends + 1ul) };
	touched += worker * (ends + 1ul); /* count_and_list writes one element behind the last end */
	for (uint v = 0; v < kept_rows; v++)
		s.kept[v] = row_offsets[v];
	for (uint task = atomic_add(next, CHUNK); task < roots; task = atomic_add(next, CHUNK))
		for (uint i = task; i < min(task + CHUNK, roots); i++) {
			s.root = first + i * step;
			s.from = MIDDLES_FROM(s.root);
			s.to = row_offsets[s.root + 1];
			if (s.from == s.to)
				continue;
			if (i + ROOTS_AHEAD < roots) {
				fetch_root(&s, upper_offsets, s.root + ROOTS_AHEAD * step, 0);
				fetch_root(&s, upper_offsets, s.root + ROOTS_AHEAD / 2 * step, 1);
			}
			wedges_root(&s, &sum, touched, row_offsets, upper_offsets, ends VALUE_ARGUMENTS);
		}
	values[worker] = sum.value;
	magnitudes[worker] = sum.magnitude;
}
