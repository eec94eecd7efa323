/* count_wedges_grouped: wedge counting on GPUs. A path leads from a root over a middle to an end. The host puts the
 * macros that src/count/codegen.h lists, and those of src/count/wedges_grouped.c, in front of this file.
 *
 * A worker is GEMP_LANES work-items (group.clh): a warp, a part of a warp or a single work-item. A work-group
 * processes a root with many paths, a worker a root with few. The lanes of a worker are divided into teams of
 * ROW_LANES, and each team reads the row of one middle. A long row is read by all lanes of the worker. */

#include "count_wedges.clh"
#include "count_wedges_counter.clh"
#include "group.clh"

/* a row of at least this length is read by all lanes of a worker */
#define LONG_ROW 128u
/* teams of a worker, each of which reads one row */
#define TEAMS ((uint)(GEMP_LANES / ROW_LANES))

enum { TO_COUNT, TO_VALUE };

/* Counts one more path to w. The increase of w's summand is added at once, so no second pass over the ends is
 * needed. */
static inline void count_path(const wedges *s, wedges_sum *sum, uint w VALUE_PARAMETERS)
{
	uint old = counter_add(s, w);
#ifdef WEDGES_BY_END
	sum->value += worth(sum, s->root, w, old + 1, 0 VALUE_ARGUMENTS) - worth(sum, s->root, w, old, 0 VALUE_ARGUMENTS);
#elif defined WEDGES_JOINED
	if (s->where == IN_WINDOW && old == 0)
		s->touched[atomic_inc(s->found)] = w;
#endif
}

/* Visits positions at, at + stride, ... of the row of the middle that `entry` leads to. Four loads are issued together,
 * to overlap their latencies. */
static inline void along_row(const wedges *s, wedges_sum *sum, int what, OFFSET entry, OFFSET at, OFFSET end,
                             uint stride VALUE_PARAMETERS)
{
	if (what == TO_COUNT) {
		for (; at + 3 * stride < end; at += 4 * stride) {
			uint4 w = (uint4)(s->column_indices[at], s->column_indices[at + stride], s->column_indices[at + 2 * stride],
			                  s->column_indices[at + 3 * stride]);
			count_path(s, sum, w.x VALUE_ARGUMENTS);
			count_path(s, sum, w.y VALUE_ARGUMENTS);
			count_path(s, sum, w.z VALUE_ARGUMENTS);
			count_path(s, sum, w.w VALUE_ARGUMENTS);
		}
		for (; at < end; at += stride)
			count_path(s, sum, s->column_indices[at] VALUE_ARGUMENTS);
	}
#ifdef WEDGES_BY_PATH
	if (what == TO_VALUE && at < end) {
		AT_ROOT(s->root)
		AT_MIDDLE(s->column_indices[entry], entry)
		for (; at < end; at += stride) {
			uint w = s->column_indices[at];
			long c = counter_get(s, w);
			AT_END(w)
			AT_END_ENTRY(at)
			sum->value += VALUE;
			ADD_MAGNITUDE(sum, fabs(MAGNITUDE))
		}
	}
#endif
}

static inline ROW row_in_task(const wedges *s, OFFSET entry)
{
	ROW row = s->rows[entry];
#ifdef WINDOWS
	if (s->where == IN_WINDOW) {
		if (s->low > s->root + 1)
			row.x = first_not_below(s->column_indices, row.x, row.y, s->low);
		row.y = first_not_below(s->column_indices, row.x, row.y, s->high);
	}
#endif
	return row;
}

/* Visits all paths from the root to ends of this task. No branch around a vote depends on the lane: a compiler that
 * threads jumps would duplicate the vote, and the lanes would vote in two places. */
static inline void walk(const wedges *s, wedges_sum *sum, int what VALUE_PARAMETERS)
{
	uint lane = gemp_lane();
	for (OFFSET first = s->from + s->worker * TEAMS; first < s->to; first += s->workers * TEAMS) {
		OFFSET entry = first + lane / ROW_LANES;
		ROW row = row_in_task(s, min(entry, s->to - 1));
		row.y = entry < s->to ? row.y : row.x;
		uint longer = gemp_ballot(row.y - row.x >= LONG_ROW);
		if (longer == 0)
			along_row(s, sum, what, entry, row.x + lane % ROW_LANES, row.y, ROW_LANES VALUE_ARGUMENTS);
		else
			for (uint k = 0; k < GEMP_LANES; k += ROW_LANES) {
				OFFSET from = SHUFFLE_OFFSET(row.x, k), to = SHUFFLE_OFFSET(row.y, k);
				along_row(s, sum, what, first + k / ROW_LANES, from + lane, to, GEMP_LANES VALUE_ARGUMENTS);
			}
	}
}

#ifdef HAS_ADJACENCY
/* Adds the correction for ends that are neighbours of the root: their value with a = 1 minus their value with a = 0,
 * which count_path has added for every end. */
static inline void walk_neighbours(const wedges *s, wedges_sum *sum VALUE_PARAMETERS)
{
	OFFSET end = s->row_offsets[s->root + 1];
	for (OFFSET at = s->upper_offsets[s->root] + s->worker * GEMP_LANES + gemp_lane(); at < end;
	     at += s->workers * GEMP_LANES) {
		uint w = s->column_indices[at];
		if (w < s->low || w >= s->high)
			continue;
		uint count = counter_get(s, w);
		sum->value += worth(sum, s->root, w, count, 1 VALUE_ARGUMENTS) -
		              worth(sum, s->root, w, count, 0 VALUE_ARGUMENTS);
	}
}
#endif

#ifdef WEDGES_JOINED
/* Adds count * counter for the neighbours of an end at positions at, at + stride, ... of its row. */
static inline void join_row(const wedges *s, wedges_sum *sum, uint count, OFFSET at, OFFSET end, uint stride)
{
	PATHS others = 0;
	for (; at < end; at += stride)
		others += counter_get(s, s->column_indices[at]);
	sum->value += (long)count * (long)others;
	ADD_MAGNITUDE(sum, (double)count * (double)others)
}

/* Joins one end for each team: `row` is the part of its row to read, `count` its counter, equal on all lanes of a
 * team. */
static inline void join_rows(const wedges *s, wedges_sum *sum, ROW row, uint count)
{
	uint lane = gemp_lane(), longer = gemp_ballot(row.y - row.x >= LONG_ROW);
	if (longer == 0)
		join_row(s, sum, count, row.x + lane % ROW_LANES, row.y, ROW_LANES);
	else
		for (uint k = 0; k < GEMP_LANES; k += ROW_LANES) {
			OFFSET from = SHUFFLE_OFFSET(row.x, k), to = SHUFFLE_OFFSET(row.y, k);
			join_row(s, sum, gemp_shuffle(count, k), from + lane, to, GEMP_LANES);
		}
}

/* Joins the ends that count_path has listed. */
static inline void join_touched(const wedges *s, wedges_sum *sum)
{
	uint all = *s->found;
	for (uint first = s->worker * TEAMS; first < all; first += s->workers * TEAMS) {
		uint i = first + gemp_lane() / ROW_LANES, w = s->touched[min(i, all - 1)];
		ROW row = (ROW)(s->upper_offsets[w], s->row_offsets[w + 1]);
		row.y = i < all ? row.y : row.x;
		join_rows(s, sum, row, counter_get(s, w));
	}
}

static inline uint clear_lowest(uint bits, uint count)
{
	for (uint k = 0; k < count; k++)
		bits &= bits - 1;
	return bits;
}

/* Joins the ends in the table. Each lane reads one place of the table, and the places that hold an end are distributed
 * over the teams. */
static inline void join_table(const wedges *s, wedges_sum *sum)
{
	for (uint first = s->worker * GEMP_LANES; first <= s->mask; first += s->workers * GEMP_LANES) {
		uint place = first + gemp_lane(), w = s->counter[place], count = s->counter[s->mask + 1 + place];
		ROW own = (ROW)(s->upper_offsets[w], s->row_offsets[w + 1]);
		own.y = w ? own.y : own.x;
		for (uint left = gemp_ballot(own.y > own.x); left; left = clear_lowest(left, TEAMS)) {
			uint rest = clear_lowest(left, gemp_lane() / ROW_LANES), lane = popcount((rest & -rest) - 1) % GEMP_LANES;
			ROW row = (ROW)(SHUFFLE_OFFSET(own.x, lane), SHUFFLE_OFFSET(own.y, lane));
			row.y = rest ? row.y : row.x;
			join_rows(s, sum, row, gemp_shuffle(count, lane));
		}
	}
}

static inline void join(const wedges *s, wedges_sum *sum)
{
	if (s->where == IN_TABLE)
		join_table(s, sum);
	else
		join_touched(s, sum);
}
#endif

/* The second pass. All counters are final when the caller has synchronised the work-items that share them. */
static inline void after_counting(const wedges *s, wedges_sum *sum VALUE_PARAMETERS)
{
#ifdef HAS_ADJACENCY
	walk_neighbours(s, sum VALUE_ARGUMENTS);
#endif
#ifdef WEDGES_BY_PATH
	walk(s, sum, TO_VALUE VALUE_ARGUMENTS);
#endif
#ifdef WEDGES_JOINED
	join(s, sum);
#endif
}

/* Is after_counting more than an empty function? */
#if defined HAS_ADJACENCY || defined WEDGES_BY_PATH || defined WEDGES_JOINED
#define HAS_SECOND_PASS 1
#else
#define HAS_SECOND_PASS 0
#endif

static inline void take_root(wedges *s, uint root)
{
	__global const OFFSET *row_offsets = s->row_offsets, *upper_offsets = s->upper_offsets;
	s->root = root;
	s->from = MIDDLES_FROM(root);
	s->to = row_offsets[root + 1];
}

/* WORK-GROUPS WITH WINDOWS */

static inline void clear_window(const wedges *s)
{
	uint first = field_of(s, max(s->low, s->root + 1)).word, behind = field_of(s, s->high - 1).word + 1;
#ifdef SPILLS
	for (uint i = (uint)get_local_id(0); i < *s->found; i += (uint)get_local_size(0)) {
		uint word = field_of(s, s->touched[i]).word;
		if (word >= WINDOW_WORDS)
			s->spilt[word - WINDOW_WORDS] = 0;
	}
	behind = min(behind, (uint)WINDOW_WORDS);
#endif
	for (uint i = first + (uint)get_local_id(0); i < behind; i += (uint)get_local_size(0))
		s->counter[i] = 0;
}

static inline void window_task(wedges *s, wedges_sum *sum VALUE_PARAMETERS)
{
	walk(s, sum, TO_COUNT VALUE_ARGUMENTS);
	GROUP_SYNC;
	if (HAS_SECOND_PASS) {
		after_counting(s, sum VALUE_ARGUMENTS);
		GROUP_SYNC;
	}
	clear_window(s);
#ifdef WEDGES_JOINED
	GROUP_SYNC;
	if (get_local_id(0) == 0)
		*s->found = 0;
#endif
}

/* TABLES */

/* Returns the number of places of a table for this number of paths: a power of 2, of which at most 3 in 4 are used. */
static inline uint table_places(ulong paths)
{
	uint places = 32;
	while (places * 3ul < paths * 4)
		places *= 2;
	return places;
}

static inline void clear_table(const wedges *s, uint item, uint items)
{
	for (uint i = item; i < 2 * (s->mask + 1); i += items)
		s->counter[i] = 0;
}

/* Reads the counter before adding: when no task is left, the atomic additions of all workers would queue up. */
static inline uint next_of(volatile __global uint *next, uint tasks)
{
	return *next < tasks ? atomic_inc(next) : tasks;
}

/* The loop of a worker over roots with few paths. The table of a root lies in the worker's part of the local memory. */
static inline void small_roots(wedges *s, wedges_sum *sum, __global const uint *list, uint roots, __global uint *next,
                               __global const PATHS *paths VALUE_PARAMETERS)
{
	s->where = IN_TABLE;
	s->worker = 0;
	s->workers = 1;
	for (;;) {
		uint task = gemp_lane() == 0 ? next_of(next, roots) : 0;
		task = gemp_shuffle(task, 0);
		if (task >= roots)
			return;
		take_root(s, list[task]);
		s->mask = table_places(paths[s->root]) - 1;
		walk(s, sum, TO_COUNT VALUE_ARGUMENTS);
		gemp_sync();
		after_counting(s, sum VALUE_ARGUMENTS);
		gemp_sync();
		clear_table(s, gemp_lane(), GEMP_LANES);
		gemp_sync();
	}
}

static inline uint next_task(__local uint *task, __global uint *next)
{
	GROUP_SYNC;
	if (get_local_id(0) == 0)
		*task = atomic_inc(next);
	GROUP_SYNC;
	return *task;
}

/* words has two elements for each work-item. Its elements are aligned to 32 bits, so 64 bits are stored as two
 * halves. */
static inline void lay_down(__local uint *words, ulong bits)
{
	words[get_local_id(0)] = (uint)bits;
	words[get_local_size(0) + get_local_id(0)] = (uint)(bits >> 32);
}

static inline ulong laid_down(__local const uint *words, uint item)
{
	return (ulong)words[get_local_size(0) + item] << 32 | words[item];
}

/* Writes the sums of the group. The size of the group is a power of 2. */
static inline void leave(__local uint *words, const wedges_sum *sum, __global long *values, __global double *magnitudes)
{
	uint item = (uint)get_local_id(0);
	long value = sum->value;
	double magnitude = sum->magnitude;
	for (uint step = (uint)get_local_size(0) / 2; step; step /= 2) {
		GROUP_SYNC;
		lay_down(words, (ulong)value);
		GROUP_SYNC;
		value += item < step ? (long)laid_down(words, item + step) : 0;
		GROUP_SYNC;
		lay_down(words, as_ulong(magnitude));
		GROUP_SYNC;
		magnitude += item < step ? as_double(laid_down(words, item + step)) : 0;
	}
	if (item == 0) {
		values[get_group_id(0)] = value;
		magnitudes[get_group_id(0)] = magnitude;
	}
}

static inline wedges new_wedges(__global const OFFSET *row_offsets, __global const OFFSET *upper_offsets,
                              __global const uint *column_indices, __global const ROW *rows,
                              __global const uint *layouts, uint ends, __local uint *words)
{
	wedges s = { .row_offsets = row_offsets,
		        .upper_offsets = upper_offsets,
		        .column_indices = column_indices,
		        .rows = rows,
		        .low = 0,
		        .high = ends,
		        .counter = words,
		        .worker = (uint)get_local_id(0) / GEMP_LANES,
		        .workers = (uint)get_local_size(0) / GEMP_LANES };
	for (uint i = 0; i < 4; i++) {
		s.fields.from[i] = layouts[i];
		s.fields.base[i] = layouts[4 + i];
	}
	return s;
}

/* First, the groups process the `many` roots at the front of the list; a task is a root and one of the windows. Then
 * workers process `few` roots, which begin at list[many + between]. window[] has the first slot of each window,
 * followed by `ends`; next has two words. The size of a group is a power of 2. */
__kernel void wedges_windows(__global const OFFSET *restrict row_offsets, __global const OFFSET *restrict upper_offsets,
                             __global const uint *restrict column_indices, __global const ROW *restrict rows,
                             __global const PATHS *restrict paths, __global const uint *restrict list, uint many,
                             uint between, uint few, uint windows, __global const uint *restrict window,
                             __global const uint *restrict layouts, uint ends, uint worker_words, uint local_words,
                             __global uint *next, __global uint *spilt, uint spilt_words, __global uint *touched,
                             __global long *values, __global double *magnitudes, __local uint *words VALUE_PARAMETERS)
{
	__local uint task, found;
	wedges_sum sum = { 0 };
	wedges s = new_wedges(row_offsets, upper_offsets, column_indices, rows, layouts, ends, words);
	s.where = IN_WINDOW;
	s.found = &found;
	s.spilt = spilt + (ulong)get_group_id(0) * spilt_words;
	s.touched = touched + (ulong)get_group_id(0) * ends;
	for (uint i = (uint)get_local_id(0); i < local_words; i += (uint)get_local_size(0))
		words[i] = 0;
	if (get_local_id(0) == 0)
		found = 0;
	for (uint t = next_task(&task, &next[0]); t < many * windows; t = next_task(&task, &next[0])) {
		uint w = t % windows;
		take_root(&s, list[t / windows]);
		s.low = window[w];
		s.high = window[w + 1];
		s.word = w * WINDOW_WORDS;
		if (s.root + 1 < s.high)
			window_task(&s, &sum VALUE_ARGUMENTS);
	}
	GROUP_SYNC;
	s.low = 0;
	s.high = ends;
	s.counter = words + s.worker * worker_words;
	small_roots(&s, &sum, list + many + between, few, &next[1], paths VALUE_ARGUMENTS);
	leave(words, &sum, values, magnitudes);
}

/* A task is one of list[skipped .. skipped + roots), and a group takes one at a time with a table in local memory. The
 * sums of the groups are written from values[sums] and magnitudes[sums] on. */
__kernel void wedges_tables(__global const OFFSET *restrict row_offsets, __global const OFFSET *restrict upper_offsets,
                            __global const uint *restrict column_indices, __global const ROW *restrict rows,
                            __global const PATHS *restrict paths, __global const uint *restrict list, uint skipped,
                            uint roots, __global const uint *restrict layouts, uint ends, __global uint *next,
                            uint next_word, uint table_words, uint sums, __global long *values,
                            __global double *magnitudes, __local uint *words VALUE_PARAMETERS)
{
	__local uint task;
	wedges_sum sum = { 0 };
	wedges s = new_wedges(row_offsets, upper_offsets, column_indices, rows, layouts, ends, words);
	s.where = IN_TABLE;
	for (uint i = (uint)get_local_id(0); i < table_words; i += (uint)get_local_size(0))
		words[i] = 0;
	for (uint t = next_task(&task, &next[next_word]); t < roots; t = next_task(&task, &next[next_word])) {
		take_root(&s, list[skipped + t]);
		s.mask = table_places(paths[s.root]) - 1;
		walk(&s, &sum, TO_COUNT VALUE_ARGUMENTS);
		GROUP_SYNC;
		if (HAS_SECOND_PASS) {
			after_counting(&s, &sum VALUE_ARGUMENTS);
			GROUP_SYNC;
		}
		clear_table(&s, (uint)get_local_id(0), (uint)get_local_size(0));
	}
	leave(words, &sum, values + sums, magnitudes + sums);
}
