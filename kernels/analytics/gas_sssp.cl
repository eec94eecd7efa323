/* gas_sssp: one round of single-source shortest paths with near and far worklists (Davidson, Baxter, Garland and Owens
 * 2014; src/analytics/traversal/sssp.h). A round either relaxes the edges of near vertices, or scans the far vertices
 * for vertices that a new bound has made near.
 *
 * Distances are uint, ulong (SSSP_WIDE) or, with weights in double, the bits of non-negative doubles, which have the
 * order of the numbers. A distance that does not fit is not stored, and GAS_OVERFLOW reports it.
 *
 * A vertex has one word. The word is its distance or, with SSSP_NAMES, a 32-bit distance in the upper half, and in the
 * lower half the name (gas_parents.clh) of the source from which the distance came. When the search ends, each
 * predecessor has relaxed its edges with its final distance, so the smallest word has the smallest name. */
#include "gas_frontier_types.clh"

#if GAS_WEIGHTS == 2 || GAS_WEIGHTS == 4
#define SSSP_WIDE
#endif

#ifdef SSSP_WIDE
typedef ulong sssp_distance;
#define SSSP_NONE ULONG_MAX
#else
typedef uint sssp_distance;
#define SSSP_NONE UINT_MAX
#endif

#ifdef SSSP_NAMES
typedef ulong sssp_word;
#define sssp_of(word) ((uint)((word) >> 32))
#define sssp_word_of(distance, name) ((ulong)(distance) << 32 | (name))
#else
typedef sssp_distance sssp_word;
#define sssp_of(word) (word)
#define sssp_word_of(distance, name) (distance)
#endif
#if defined SSSP_NAMES || defined SSSP_WIDE
#define GAS_VALUE64
#endif
#define SSSP_NOBODY UINT_MAX /* no name; the word of SSSP_NONE and SSSP_NOBODY is the largest word */

typedef sssp_word gas_value;

#ifdef GAS_SHUFFLE
#include "gas_tuples.clh"
#endif

typedef struct gas_state {
	__global const uint *end;
	__global const gas_weight *weight;
	__global sssp_word *word;
	__global const uint *name;
	volatile __global uint *next, *far;
	volatile __global uint *sent; /* near vertices since the last exchange; NULL on one rank */
	sssp_distance below;
	uint overflow;
	gas_count near, left, along; /* vertices that became near; vertices (later: words) that are far; edges */
#ifdef GAS_SHUFFLE
	gas_tuples tuples;
#endif
} gas_state;

/* The sum, or SSSP_NONE if it does not fit. */
static inline sssp_distance sssp_sum(sssp_distance distance, gas_weight weight)
{
#if GAS_WEIGHTS == 4
	double sum = as_double(distance) + weight;
	return isinf(sum) ? SSSP_NONE : as_ulong(sum);
#else
	sssp_distance sum = distance + weight;
	return sum < distance ? SSSP_NONE : sum;
#endif
}

/* Atomic minimum. Returns the old word. */
static inline sssp_word sssp_lower(volatile __global sssp_word *place, sssp_word value)
{
#if !defined GAS_VALUE64
	return atomic_min(place, value);
#elif defined cl_khr_int64_extended_atomics
	return atom_min(place, value);
#else
	sssp_word there = *place, before;
	while (there > value && (before = atom_cmpxchg(place, there, value)) != there)
		there = before;
	return there;
#endif
}

static inline gas_value gas_leave(gas_state *s, uint source)
{
	return sssp_word_of(sssp_of(s->word[source]), s->name[source]);
}

/* there: a copy of the target's word. The word can only have decreased since it was read. */
static inline void sssp_reach(gas_state *s, uint target, sssp_word word, sssp_word there)
{
	const sssp_distance distance = sssp_of(word);
	if (word >= there || distance >= sssp_of(sssp_lower(&s->word[target], word)))
		return;
	gas_set(distance < s->below ? s->next : s->far, target);
	if (s->sent && distance < s->below)
		gas_set(s->sent, target);
	s->near += distance < s->below;
	s->left += distance >= s->below;
}

typedef struct gas_seen {
	uint target;
	gas_weight weight;
#ifndef GAS_SHUFFLE
	sssp_word there;
#endif
} gas_seen;

static inline gas_seen gas_look(const gas_state *s, gas_place edge)
{
	gas_seen seen;
	seen.target = s->end[edge];
	seen.weight = gas_weight_of(s->weight, edge);
#ifndef GAS_SHUFFLE
	seen.there = s->word[seen.target];
#endif
	return seen;
}

static inline void gas_arrive(gas_state *s, uint source, gas_value value, gas_seen seen)
{
	const sssp_distance distance = sssp_sum(sssp_of(value), seen.weight);
	if (distance == SSSP_NONE)
		s->overflow = 1;
	/* an edge that adds nothing gives no name; parents_equal assigns the name later */
	const bool named = distance != SSSP_NONE && distance > sssp_of(value);
	const sssp_word word = sssp_word_of(distance, named ? (uint)value : SSSP_NOBODY);
#ifdef GAS_SHUFFLE
	gas_send(&s->tuples, seen.target, word);
#else
	sssp_reach(s, seen.target, word, seen.there);
#endif
}

#ifdef GAS_SHUFFLE
static inline void gas_apply(gas_state *s, uint target, gas_value word)
{
	sssp_reach(s, target, word, s->word[target]);
}
#endif

#include "gas_frontier.clh"

/* source is UINT_MAX if another rank owns it. */
GAS_KERNEL void sssp_begin(uint known, uint source, __global sssp_word *restrict word,
                           __global uint *restrict frontier, __global uint *restrict next, __global uint *restrict clear,
                           __global uint *restrict far, __global uint *restrict sent, volatile __global ulong *control,
                           gas_start start)
{
	if (get_global_id(0) == 0)
		gas_begin(control, start);
	for (gas_each(v, 0, known))
		word[v] = sssp_word_of(v == source ? 0 : SSSP_NONE, SSSP_NOBODY);
	for (gas_each(w, 0, known / 32 + 1)) {
		const uint first = source != UINT_MAX && w == source / 32 ? 1u << source % 32 : 0;
		frontier[w] = first;
		next[w] = clear[w] = far[w] = 0;
		if (sent)
			sent[w] = first;
	}
}

#define sssp_bound(word) ((sssp_distance)min((word), (ulong)SSSP_NONE))

/* Scans the far vertices of word w. A vertex below `before`, the previous bound, has already been relaxed and is
 * dropped. A vertex below the new bound becomes near. Returns the complement of the smallest distance that stays far,
 * or 0 if no vertex stays far. Other work-items may relax edges meanwhile, so words change by atomic operations. */
static inline ulong sssp_advance(gas_state *s, uint w, sssp_distance before)
{
	const uint there = s->far[w];
	uint near = 0, far = 0;
	ulong least = 0;
	for (uint bits = there; bits; bits &= bits - 1) {
		uint bit = bits & -bits;
		sssp_distance distance = sssp_of(s->word[w * 32 + gas_lowest(bits)]);
		if (distance < before)
			continue;
		near |= distance < s->below ? bit : 0;
		far |= distance < s->below ? 0 : bit;
		least = max(least, distance < s->below ? 0 : ~(ulong)distance);
	}
	if (far != there)
		atomic_and(&s->far[w], ~(there & ~far));
	s->left += far != 0;
	if (near) {
		atomic_or(&s->next[w], near);
		if (s->sent)
			atomic_or(&s->sent[w], near);
		s->near += popcount(near);
	}
	return least;
}

static inline void sssp_advance_all(gas_state *s, uint own, sssp_distance before, volatile __global ulong *control)
{
	const uint words = (own + 31) / 32;
	ulong least = 0;
#if GAS_LANES == 1
	for (uint w; (w = (uint)atom_inc(&control[GAS_SCAN]) * GAS_CHUNK) < words;)
		for (uint last = min(w + GAS_CHUNK, words); w < last; w++)
#else
	for (gas_each(w, 0, words))
#endif
			if (s->far[w])
				least = max(least, sssp_advance(s, w, before));
	if (least)
		gas_raise(&control[GAS_LEAST], least);
}

/* What the launch that ends last decides about the next launch. */
static inline void sssp_decide(volatile __global ulong *control)
{
	if (control[GAS_DECIDE] == GAS_LOCAL)
		gas_sssp_local(control);
	else if (control[GAS_DECIDE])
		gas_decide(control, gas_sssp_rule);
}

/* sent: a bitmap of the vertices that this launch makes near, beside `next`; forget: a bitmap that it clears. Both are
 * NULL on one rank. */
GAS_KERNEL void sssp_round(GAS_ROWS_PARAMETERS, GAS_SPAN_PARAMETERS, __global const gas_weight *restrict weight, uint own,
                           __global sssp_word *word, __global const uint *restrict name, __global const uint *frontier,
                           volatile __global uint *next, __global uint *restrict clear, uint words,
                           volatile __global uint *far, volatile __global uint *sent, __global uint *restrict forget,
                           volatile __global ulong *control GAS_TUPLES_PARAMETERS)
{
	GEMP_GROUP_DECLARE
	GAS_LOCAL_DECLARE
	const uint mode = (uint)control[GAS_MODE];
	if (mode == 0)
		return;
	for (gas_each(w, 0, words)) {
		clear[w] = 0;
		if (forget)
			forget[w] = 0;
	}
	if (mode == GAS_SSSP_IDLE)
		return;
	gas_state s = { end, weight, word, name, next, far, sent, sssp_bound(control[GAS_BELOW]), 0, 0, 0, 0 GAS_TUPLES };
	/* when far vertices are only scanned, gas_push gets no slices, pieces or vertices */
	const bool relax = mode & GAS_SSSP_RELAX;
	const gas_rows out = { begin, end, slices, relax ? slice_count : 0 };
	const gas_span span = { pieces, relax ? piece_count : 0, light, relax ? known : 0 };
	gas_push(GEMP_GROUP_PASS &s, out, span, frontier, room, control);
	if (mode & GAS_SSSP_ADVANCE)
		sssp_advance_all(&s, own, sssp_bound(control[GAS_BEFORE]), control);
	if (s.overflow)
		control[GAS_OVERFLOW] = 1;
	const bool last_one = gas_end(control, room, s.near, s.left, s.along);
#ifndef GAS_SHUFFLE
	if (last_one)
		sssp_decide(control);
#endif
}

#ifdef GAS_SHUFFLE
/* Applies the round's tuples. The tuples of a range of targets begin at range_begin[range]. */
GAS_KERNEL void sssp_gather(__global const uint *restrict range_begin, uint ranges, __global const uint *restrict target,
                            __global const gas_value *restrict value, __global sssp_word *word,
                            volatile __global uint *next, volatile __global uint *far, volatile __global uint *sent,
                            volatile __global ulong *control)
{
	__local gas_value sums[GAS_RANGE];
	GAS_LOCAL_DECLARE
	if (control[GAS_MODE] == 0 || control[GAS_MODE] == GAS_SSSP_IDLE)
		return;
	gas_state s = { 0, 0, word, 0, next, far, sent, sssp_bound(control[GAS_BELOW]), 0, 0, 0, 0, { 0, 0, 0, 0 } };
	gas_gather(&s, range_begin, ranges, target, value, sums);
	if (gas_end(control, room, s.near, s.left, 0))
		sssp_decide(control);
}
#endif

/* Does an edge lead from a vertex with a distance to a vertex without one? Then the distance of the target did not
 * fit. */
GAS_KERNEL void sssp_lost(__global const gas_place *restrict begin, __global const uint *restrict end, uint rows,
                          __global const sssp_word *restrict word, volatile __global ulong *control)
{
	for (gas_each(u, 0, rows))
		for (gas_place e = begin[u]; sssp_of(word[u]) != SSSP_NONE && e < begin[u + 1]; e++)
			if (sssp_of(word[end[e]]) == SSSP_NONE)
				control[GAS_OVERFLOW] = 2;
}

typedef sssp_word parents_value;

static inline bool parents_reached(parents_value word)
{
	return sssp_of(word) != SSSP_NONE;
}

#define PARENTS_SENDS 0
#if GAS_WEIGHTS == 4 || defined SSSP_NAMES
#define PARENTS_HINTS 0
#else
#define PARENTS_HINTS 1
#endif
#define parents_sends(word, how) false
#define parents_sent(word) 0u

static inline bool parents_open(parents_value word, ulong how)
{
	return parents_reached(word) && sssp_of(word) != 0;
}

/* With SSSP_NAMES words[] also serves as best[], so the tag must be the distance. */
static inline uint parents_tag(parents_value word)
{
#ifdef SSSP_NAMES
	return sssp_of(word);
#else
	return 0;
#endif
}

/* Edges that add nothing may form a cycle of parents, so parents_equal processes them. */
static inline bool parents_tight(parents_value from, gas_weight weight, parents_value word)
{
	return sssp_of(from) < sssp_of(word) && sssp_sum(sssp_of(from), weight) == sssp_of(word);
}

static inline bool parents_level(parents_value from, gas_weight weight, parents_value word)
{
	return sssp_of(from) == sssp_of(word) && parents_reached(word) && sssp_sum(sssp_of(from), weight) == sssp_of(word);
}

#include "gas_parents_equal.clh"
