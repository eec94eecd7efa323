/* gas_sssp: one round of a search for shortest paths (src/gas/sssp.h): edges of near vertices are relaxed, or those that are
 * far are looked through for what is near by now.
 *
 * Distances are uint, ulong (SSSP_WIDE) or, with weights in double, the bits of doubles, which are not negative and so in the
 * order of their bits. One that does not fit is not taken, and GAS_OVERFLOW tells. */
#include "gas_frontier_types.clh"

#if GAS_WEIGHTS == 2 || GAS_WEIGHTS == 4
#define SSSP_WIDE
#endif

#ifdef SSSP_WIDE
typedef ulong sssp_distance;
#define SSSP_NONE ULONG_MAX
#define GAS_VALUE64
#else
typedef uint sssp_distance;
#define SSSP_NONE UINT_MAX
#endif

typedef struct gas_state {
	__global const uint *end;
	__global const gas_weight *weight;
	__global sssp_distance *distance;
	volatile __global uint *next, *far;
	sssp_distance below;
	uint overflow;
	gas_count near, along;
} gas_state;

typedef sssp_distance gas_value;

typedef struct gas_seen {
	uint target;
	gas_weight weight;
	sssp_distance there; /* some time ago: no less than now */
} gas_seen;

/* SSSP_NONE: it does not fit. */
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

/* What was there before. */
static inline sssp_distance sssp_lower(volatile __global sssp_distance *place, sssp_distance value)
{
#if !defined SSSP_WIDE
	return atomic_min(place, value);
#elif defined cl_khr_int64_extended_atomics
	return atom_min(place, value);
#else
	sssp_distance there = *place, before;
	while (there > value && (before = atom_cmpxchg(place, there, value)) != there)
		there = before;
	return there;
#endif
}

static inline gas_value gas_leave(gas_state *s, uint source)
{
	return s->distance[source];
}

static inline gas_seen gas_look(const gas_state *s, gas_place edge)
{
	uint target = s->end[edge];
	return (gas_seen){ target, gas_weight_of(s->weight, edge), s->distance[target] };
}

static inline void gas_arrive(gas_state *s, uint source, gas_value value, gas_seen seen)
{
	sssp_distance distance = sssp_sum(value, seen.weight);
	if (distance == SSSP_NONE)
		s->overflow = 1;
	if (distance >= seen.there || distance >= sssp_lower(&s->distance[seen.target], distance))
		return;
	gas_set(distance < s->below ? s->next : s->far, seen.target);
	s->near += distance < s->below;
}

#include "gas_frontier.clh"

/* source UINT_MAX: another rank's. */
GAS_KERNEL void sssp_begin(uint known, uint source, __global sssp_distance *restrict distance,
                           __global uint *restrict frontier, __global uint *restrict next, __global uint *restrict clear,
                           __global uint *restrict far, volatile __global ulong *control, gas_start start)
{
	if (get_global_id(0) == 0)
		gas_begin(control, start);
	for (gas_each(v, 0, known))
		distance[v] = v == source ? 0 : SSSP_NONE;
	for (gas_each(w, 0, known / 32 + 1)) {
		frontier[w] = source != UINT_MAX && w == source / 32 ? 1u << source % 32 : 0;
		next[w] = clear[w] = far[w] = 0;
	}
}

/* Far vertices of word w: those nearer than `before` have been relaxed since, those below are near by now. The least of the
 * others, as its complement. */
static inline ulong sssp_advance(gas_state *s, uint w, sssp_distance before, gas_count *left)
{
	uint near = 0, far = 0;
	ulong least = 0;
	for (uint bits = s->far[w]; bits; bits &= bits - 1) {
		uint bit = bits & -bits;
		sssp_distance distance = s->distance[w * 32 + gas_lowest(bits)];
		if (distance < before)
			continue;
		near |= distance < s->below ? bit : 0;
		far |= distance < s->below ? 0 : bit;
		least = max(least, distance < s->below ? 0 : ~(ulong)distance);
	}
	s->far[w] = far;
	*left += far != 0;
	if (near) {
		s->next[w] = near;
		s->near++;
	}
	return least;
}

static inline void sssp_advance_all(gas_state *s, uint own, sssp_distance before, gas_count *left, volatile __global ulong *control)
{
	const uint words = (own + 31) / 32;
	ulong least = 0;
#if GAS_LANES == 1
	for (uint w; (w = (uint)atom_inc(&control[GAS_TICKET]) * GAS_CHUNK) < words;)
		for (uint last = min(w + GAS_CHUNK, words); w < last; w++)
#else
	for (gas_each(w, 0, words))
#endif
			if (s->far[w])
				least = max(least, sssp_advance(s, w, before, left));
	if (least)
		gas_raise(&control[GAS_LEAST], least);
}

GAS_KERNEL void sssp_round(GAS_ROWS_PARAMETERS, GAS_SPAN_PARAMETERS, __global const gas_weight *restrict weight, uint own,
                           __global sssp_distance *distance, __global const uint *frontier, volatile __global uint *next,
                           __global uint *restrict clear, uint words, volatile __global uint *far,
                           volatile __global ulong *control)
{
	GEMP_GROUP_DECLARE
	GAS_LOCAL_DECLARE
	const uint mode = (uint)control[GAS_MODE];
	if (mode == 0)
		return;
	gas_state s = { end, weight, distance, next, far, (sssp_distance)min(control[GAS_BELOW], (ulong)SSSP_NONE), 0, 0, 0 };
	const bool relax = mode == GAS_SSSP_RELAX; /* what is not to be done has nothing to do */
	const gas_rows out = { begin, end, slices, slice_first, relax ? slice_end : slice_first };
	const gas_span span = { pieces, piece_first, relax ? piece_end : piece_first, light, first, relax ? last : first };
	gas_count left = 0;
	for (gas_each(w, 0, words))
		clear[w] = 0;
	gas_push(GEMP_GROUP_PASS &s, out, span, frontier, room, control);
	if (!relax)
		sssp_advance_all(&s, words ? own : 0, (sssp_distance)min(control[GAS_BEFORE], (ulong)SSSP_NONE), &left, control);
	if (s.overflow)
		control[GAS_OVERFLOW] = 1;
	if (gas_end(control, room, s.near, left, s.along) && control[GAS_DECIDE])
		gas_decide(control, gas_sssp_rule);
}

/* Does an edge lead from a vertex that has a distance to one that has none, because it would not fit? */
GAS_KERNEL void sssp_lost(__global const gas_place *restrict begin, __global const uint *restrict end, uint rows,
                          __global const sssp_distance *restrict distance, volatile __global ulong *control)
{
	for (gas_each(u, 0, rows))
		for (gas_place e = begin[u]; distance[u] != SSSP_NONE && e < begin[u + 1]; e++)
			if (distance[end[e]] == SSSP_NONE)
				control[GAS_OVERFLOW] = 2;
}

typedef sssp_distance settle_value;

static inline bool settle_reached(settle_value distance)
{
	return distance != SSSP_NONE;
}

static inline bool settle_open(settle_value distance)
{
	return distance != SSSP_NONE && distance != 0;
}

/* Edges without length are left to settle_equal: along them a vertex might lead back to itself. */
static inline bool settle_tight(settle_value from, gas_weight weight, settle_value distance)
{
	return from < distance && sssp_sum(from, weight) == distance;
}

static inline bool settle_level(settle_value from, gas_weight weight, settle_value distance)
{
	return from == distance && distance != SSSP_NONE && sssp_sum(from, weight) == distance;
}

#include "gas_settle_equal.clh"
