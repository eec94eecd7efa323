/* gas_frontier_abi: what kernels that go over frontiers and their host (src/analytics/traversal/frontier.h) agree on: the control
 * buffer, and by which rules it changes between launches. The last work-group of a launch applies them, or the host
 * does. */
#ifndef GEMP_KERNELS_GAS_FRONTIER_ABI_H
#define GEMP_KERNELS_GAS_FRONTIER_ABI_H

#ifdef __OPENCL_VERSION__
typedef ulong gas_n64;
#else
#include <stdint.h>
#include <string.h>
typedef uint64_t gas_n64;
#endif

/* Words of the control buffer. What work-items add to is on lines of its own. */
#define GAS_MODE 0       /* what the next launch does, one of the modes below; 0: nothing */
#define GAS_DECIDE 1     /* 1: the device decides what follows; 0: the host does */
#define GAS_ROUND 2      /* launches that did something; bfs: the level of the frontier */
#define GAS_ALPHA 3      /* bfs: pull if the frontier has more than 1 / alpha of the edges of vertices not found */
#define GAS_BETA 4       /* bfs: push again if the frontier has fewer than 1 / beta of the vertices */
#define GAS_VERTICES 5
#define GAS_UNSEEN 6     /* bfs: edges of vertices not found */
#define GAS_FOUND 7      /* bfs: vertices found so far; sssp: edges gone along so far */
#define GAS_PULLS 8      /* bfs: rounds in which vertices looked for sources */
#define GAS_LOOK 9       /* bfs: a bit for each level, of those from GAS_LEVELS - 1 on one: whose vertices look for their parents */
#define GAS_BELOW 8      /* sssp: distances below it are near */
#define GAS_BEFORE 9     /* sssp: what GAS_BELOW was before */
#define GAS_DELTA 10     /* sssp: what it grows by */
#define GAS_FLOATING 11  /* sssp: 1: distances are doubles, as their bits */
#define GAS_STATE 12     /* words that the rules read and write, and behind them: */
#define GAS_SUMS 12      /* [3] of what work-items counted */
#define GAS_LEAST 15     /* sssp: complement of the least distance that is far */
#define GAS_RULED 16     /* words that are needed to apply the rules */
#define GAS_OVERFLOW 16  /* sssp: not 0: some distance did not fit */
#define GAS_ENDED 17     /* work-groups that have */
#define GAS_TICKET 24    /* by items: pieces of work taken */
#define GAS_CONTROL 32

/* How a search begins; the rest of the control buffer is 0 then. */
typedef struct gas_start {
	gas_n64 words[GAS_STATE];
} gas_start;

#define GAS_BFS_PUSH 1
#define GAS_BFS_PULL 2

#define GAS_LEVELS 64

#define GAS_SSSP_RELAX 1
#define GAS_SSSP_ADVANCE 2

/* The bit of GAS_LOOK. */
static inline gas_n64 gas_bfs_level(gas_n64 level)
{
	return (gas_n64)1 << (level < GAS_LEVELS ? level : GAS_LEVELS - 1);
}

/* GAS_SUMS of bfs: vertices found, and their edges, which are counted only while frontiers are pushed. */
static inline void gas_bfs_rule(gas_n64 *control)
{
	gas_n64 found = control[GAS_SUMS], edges = control[GAS_SUMS + 1], unseen = control[GAS_UNSEEN];
	unseen = unseen > edges ? unseen - edges : 0;
	control[GAS_UNSEEN] = unseen;
	control[GAS_FOUND] += found;
	gas_n64 pulled = control[GAS_MODE] == GAS_BFS_PULL;
	control[GAS_ROUND]++;
	control[GAS_PULLS] += pulled;
	if (found == 0)
		control[GAS_MODE] = 0;
	else if (control[GAS_MODE] == GAS_BFS_PUSH && edges * control[GAS_ALPHA] > unseen)
		control[GAS_MODE] = GAS_BFS_PULL;
	else if (control[GAS_MODE] == GAS_BFS_PULL && found * control[GAS_BETA] < control[GAS_VERTICES])
		control[GAS_MODE] = GAS_BFS_PUSH;
	/* where the frontier has fewer edges than the vertices not found, sources send to their targets */
	if (control[GAS_MODE] == GAS_BFS_PULL && (pulled || edges >= unseen))
		control[GAS_LOOK] |= gas_bfs_level(control[GAS_ROUND] + 1);
}

/* a + b, at least one more than a; no more than the greatest number. Doubles that are not negative are in the order of
 * their bits. */
static inline gas_n64 gas_sssp_later(gas_n64 a, gas_n64 b, gas_n64 floating)
{
	gas_n64 sum = a + b;
#ifdef __OPENCL_VERSION__
#if GAS_WEIGHTS == 4
	if (floating)
		sum = as_ulong(as_double(a) + as_double(b));
#endif
#else
	double x, y;
	memcpy(&x, &a, sizeof x);
	memcpy(&y, &b, sizeof y);
	x += y;
	if (floating)
		memcpy(&sum, &x, sizeof sum);
#endif
	if (!floating && sum < b)
		return ~(gas_n64)0;
	return sum > a ? sum : a + (a != ~(gas_n64)0);
}

/* GAS_SUMS of sssp: vertices that have become near, words in which some are left that are far, edges gone along.
 * Near vertices are relaxed until there are none; then those that are far are looked through. */
static inline void gas_sssp_rule(gas_n64 *control)
{
	gas_n64 near = control[GAS_SUMS], far = control[GAS_SUMS + 1], least = ~control[GAS_LEAST];
	gas_n64 advance = near == 0 && (control[GAS_MODE] == GAS_SSSP_RELAX || far);
	control[GAS_ROUND]++;
	control[GAS_FOUND] += control[GAS_SUMS + 2];
	if (advance) {
		gas_n64 from = control[GAS_MODE] == GAS_SSSP_RELAX ? control[GAS_BELOW] : least;
		control[GAS_BEFORE] = control[GAS_BELOW];
		control[GAS_BELOW] = gas_sssp_later(from, control[GAS_DELTA], control[GAS_FLOATING]);
	}
	control[GAS_MODE] = near ? GAS_SSSP_RELAX : advance ? GAS_SSSP_ADVANCE : 0;
}

#endif
