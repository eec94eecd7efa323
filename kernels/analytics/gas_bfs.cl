/* gas_bfs: one level of a direction-optimising breadth-first search (src/analytics/traversal/bfs.h). A push level
 * follows the out-edges of the frontier. In a pull level unvisited vertices search their in-edges for a source in the
 * frontier. */
#include "gas_frontier_types.clh"

#define BFS_NONE UINT_MAX

typedef uint gas_value; /* not used, since the level of a round is known */

#ifdef GAS_SHUFFLE
#include "gas_tuples.clh"
#endif

typedef struct gas_state {
	__global const gas_place *begin; /* rows of out-edges, whose lengths are the degrees */
	__global const uint *end;
	__global uint *visited;
	volatile __global uint *next;
	__global uint *level;
	uint depth;
	__global const uint *mark_begin, *mark_place;
	volatile __global uint *marks;
	gas_count found, edges, along;
#ifdef GAS_SHUFFLE
	gas_tuples tuples;
#endif
} gas_state;

static inline gas_value gas_leave(gas_state *s, uint source)
{
	return 0;
}

/* On several ranks this also sets the bits of the vertex in messages to other ranks (gemp_halo_marks). */
static inline void gas_found(gas_state *s, uint vertex)
{
	s->level[vertex] = s->depth;
	s->found++;
#ifdef GAS_GHOSTS
	if (s->marks)
		for (uint i = s->mark_begin[vertex], last = s->mark_begin[vertex + 1]; i < last; i++)
			gas_set(s->marks, s->mark_place[i]);
#endif
}

/* seen: a copy of the target's word of `visited`. Other work-items may have set bits since it was read. */
static inline void bfs_visit(gas_state *s, uint target, uint seen)
{
	uint bit = 1u << (target & 31);
	if (seen & bit || atomic_or((volatile __global uint *)&s->visited[target >> 5], bit) & bit)
		return;
	atomic_or(&s->next[target >> 5], bit);
	gas_found(s, target);
	s->edges += s->begin[target + 1] - s->begin[target];
}

#ifdef GAS_SHUFFLE

typedef uint gas_seen;
#define gas_look(s, edge) ((s)->end[edge])

static inline void gas_arrive(gas_state *s, uint source, gas_value value, gas_seen target)
{
	gas_send(&s->tuples, target, value);
}

static inline void gas_apply(gas_state *s, uint target, gas_value value)
{
	bfs_visit(s, target, s->visited[target >> 5]);
}

#else

typedef struct gas_seen {
	uint target, visited;
} gas_seen;

static inline gas_seen gas_look(const gas_state *s, gas_place edge)
{
	uint target = s->end[edge];
	return (gas_seen){ target, s->visited[target >> 5] };
}

static inline void gas_arrive(gas_state *s, uint source, gas_value value, gas_seen seen)
{
	bfs_visit(s, seen.target, seen.visited);
}

#endif

#include "gas_bottom_up.clh"

/* closed: a bitmap of the vertices without in-edges. These vertices count as visited from the start and get no level,
 * except the source. All own vertices from `open` on are closed. `source`, and `before` (the source of the previous
 * search), are UINT_MAX if another rank owns the vertex or there is none. */
GAS_KERNEL void bfs_begin(uint open, uint own, uint known, uint source, uint before,
                          __global const uint *restrict closed, __global uint *restrict visited,
                          __global uint *restrict level, __global uint *restrict frontier, __global uint *restrict next,
                          __global uint *restrict clear, volatile __global ulong *control, gas_start start,
                          __global const uint *restrict mark_begin, __global const uint *restrict mark_place,
                          volatile __global uint *marks, __global uint *restrict forget, uint mark_words)
{
	for (gas_each(w, 0, mark_words)) {
		uint bits = 0;
		for (uint i = source != BFS_NONE ? mark_begin[source] : 0, last = source != BFS_NONE ? mark_begin[source + 1] : 0;
		     i < last; i++)
			bits |= mark_place[i] >> 5 == w ? 1u << (mark_place[i] & 31) : 0;
		marks[w] = bits;
		forget[w] = 0;
	}
	if (get_global_id(0) == 0) {
		gas_begin(control, start);
		if (before != BFS_NONE && before >= open)
			level[before] = BFS_NONE;
		if (source != BFS_NONE && source >= open)
			level[source] = 0;
	}
	for (gas_each(v, 0, open))
		level[v] = v == source ? 0 : BFS_NONE;
	for (gas_each(v, own, known))
		level[v] = BFS_NONE;
	for (gas_each(w, 0, known / 32 + 1)) {
		uint bit = source != BFS_NONE && w == source / 32 ? 1u << source % 32 : 0;
		visited[w] = closed[w] | bit;
		frontier[w] = bit;
		next[w] = clear[w] = 0;
	}
}

/* Sets the level of ghosts that are in the frontier. */
static inline void bfs_take_in(__global const uint *frontier, uint first, uint last, __global uint *restrict level,
                               uint depth)
{
	for (gas_each(w, first / 32, (last + 31) / 32))
		for (uint bits = frontier[w] & gas_within(w, first, last); bits; bits &= bits - 1)
			level[w * 32 + gas_lowest(bits)] = depth;
}

/* The parameters hold the rows of out-edges, and the rows of in-edges with the prefix in_, or ghost_ if the sources are
 * ghosts. Local vertices from `own` on belong to other ranks, and vertices from `open` on have no in-edges. clear: the
 * bitmap of the frontier after the next one, which this launch zeroes. mark_begin, mark_place, marks: the bits of
 * messages to other ranks (gemp_halo_marks), in whose lead the counters are copied; forget: the other bitmap of these
 * bits, which this launch zeroes; without such bits mark_words is 0, and the others are NULL. A pull sets no bits: where
 * many vertices are found, another kernel sets them faster. */
GAS_KERNEL void bfs_level(GAS_ROWS_PARAMETERS, GAS_SPAN_PARAMETERS, __global const gas_place *restrict in_begin,
                          __global const uint *restrict in_end, __global const uint2 *restrict in_slices,
                          uint in_slice_count, __global const uint *restrict in_heads,
                          __global const gas_place *restrict ghost_begin, __global const uint *restrict ghost_end,
                          __global const uint2 *restrict ghost_slices, uint ghost_slice_count,
                          __global const uint *restrict ghost_heads, uint open, uint own,
                          __global uint *visited, __global uint *restrict level, __global const uint *frontier, volatile __global uint *next,
                          __global uint *restrict clear, uint words, __global const uint *restrict mark_begin,
                          __global const uint *restrict mark_place, volatile __global uint *marks,
                          __global uint *restrict forget, uint mark_words,
                          volatile __global ulong *control GAS_TUPLES_PARAMETERS)
{
	GEMP_GROUP_DECLARE
	GAS_LOCAL_DECLARE
	const uint mode = (uint)control[GAS_MODE];
	if (mode == 0)
		return;
	const bool push = mode == GAS_BFS_PUSH;
	gas_state s = { begin, end, visited, next, level, (uint)control[GAS_ROUND] + 1, mark_begin, mark_place,
	                push ? marks : 0, 0, 0, 0 GAS_TUPLES };
	/* push or pull: the step that is not taken gets no slices */
	const gas_rows out = { begin, end, slices, push ? slice_count : 0 };
	const gas_rows in = { in_begin, in_end, in_slices, push ? 0 : in_slice_count };
	const gas_rows ghost = { ghost_begin, ghost_end, ghost_slices, push ? 0 : ghost_slice_count };
	const gas_span span = { pieces, push ? piece_count : 0, light, push ? known : 0 };
	for (gas_each(w, 0, words))
		clear[w] = 0;
	for (gas_each(w, 0, mark_words))
		forget[w] = 0;
	if (own < known)
		bfs_take_in(frontier, own, known, level, s.depth - 1);
	gas_push(GEMP_GROUP_PASS &s, out, span, frontier, room, control);
	gas_pull(GEMP_GROUP_PASS &s, in, in_heads, ghost, ghost_heads, push ? 0 : open, frontier, visited, next, room, control);
	const bool last_one = gas_end(control, room, s.found, s.edges, 0);
#ifndef GAS_SHUFFLE
	if (last_one && control[GAS_DECIDE])
		gas_decide(control, gas_bfs_rule);
#endif
#ifdef GAS_GHOSTS
	if (last_one && s.marks)
		for (uint i = GAS_SUMS; i < GAS_RULED; i++)
			((__global ulong *)marks)[i] = control[i];
#endif
}

#ifdef GAS_SHUFFLE
/* Visits the targets of the level's tuples. The tuples of a range of targets begin at range_begin[range]. */
GAS_KERNEL void bfs_gather(__global const uint *restrict range_begin, uint ranges, __global const uint *restrict target,
                           __global const gas_value *restrict value, __global const gas_place *restrict begin,
                           __global uint *visited, __global uint *restrict level,
                           volatile __global uint *next, volatile __global ulong *control)
{
	__local gas_value sums[GAS_RANGE];
	GAS_LOCAL_DECLARE
	if (control[GAS_MODE] == 0)
		return;
	gas_state s = { begin, 0, visited, next, level, (uint)control[GAS_ROUND] + 1, 0, 0, 0, 0, 0, 0,
	                { 0, 0, 0, 0 } };
	gas_gather(&s, range_begin, ranges, target, value, sums);
	if (gas_end(control, room, s.found, s.edges, 0) && control[GAS_DECIDE])
		gas_decide(control, gas_bfs_rule);
}
#endif

typedef uint parents_value; /* the level of a vertex */

/* The argument `how` of the parents_ functions is the word GAS_LOOK of the control buffer. */
#define PARENTS_SENDS 1
#define PARENTS_HINTS 0

static inline bool parents_open(parents_value level, ulong how)
{
	return level != BFS_NONE && level != 0 && how & gas_bfs_level(level);
}

static inline bool parents_sends(parents_value level, ulong how)
{
	return level != BFS_NONE && !(how & gas_bfs_level(level + 1ul));
}

static inline uint parents_tag(parents_value level)
{
	return level;
}

static inline uint parents_sent(parents_value level)
{
	return level + 1;
}

static inline bool parents_tight(parents_value from, gas_weight weight, parents_value level)
{
	return from + 1 == level;
}

#include "gas_parents.clh"
