/* gas_frontier_abi: the control buffer that the kernels of a frontier search share with the host
 * (src/analytics/traversal/frontier.h), and the rules that change the buffer between launches. On one rank the
 * work-group that ends last applies the rule. With several ranks the host applies the rule to the sums of all ranks. */
#ifndef GEMP_KERNELS_GAS_FRONTIER_ABI_H
#define GEMP_KERNELS_GAS_FRONTIER_ABI_H

#ifdef __OPENCL_VERSION__
typedef ulong gas_n64;
#else
#include <stdint.h>
#include <string.h>
typedef uint64_t gas_n64;
#endif

/* Words of the control buffer. BFS and SSSP use words 3, 6, 8 and 9 for different numbers. The counters to which work-items
 * add begin at word 12, and the ticket counter is word 24. "Found" means visited. */
#define GAS_MODE 0       /* mode of the next launch, one of the modes below; 0: the launch does nothing */
#define GAS_DECIDE 1     /* 1: the device applies the rule (one rank); 0: the host; GAS_LOCAL: see gas_sssp_local */
#define GAS_ROUND 2      /* number of launches whose mode was not 0; several ranks: of exchanges; bfs: level of the frontier */
#define GAS_ALPHA 3      /* bfs: alpha: pull if the frontier has more than 1 / alpha of the edges of vertices not found */
#define GAS_LAST 3       /* sssp, several ranks: number of vertices that became near, at the exchange before the last one */
#define GAS_BETA 4       /* bfs: beta: push again if the frontier has fewer than 1 / beta of the vertices */
#define GAS_VERTICES 5
#define GAS_UNSEEN 6     /* bfs: number of edges of vertices not found */
#define GAS_MOST 6       /* sssp, several ranks: the largest number of vertices that became near before an exchange */
#define GAS_FOUND 7      /* bfs: number of vertices found so far; sssp: number of edges relaxed so far */
#define GAS_PULLS 8      /* bfs: number of rounds that pulled */
#define GAS_LOOK 9       /* bfs: bit l is set if vertices of level l search for their parents; the last bit also stands for later levels */
#define GAS_BELOW 8      /* sssp: the bound; a distance below the bound is near, any other is far */
#define GAS_BEFORE 9     /* sssp: the previous bound */
#define GAS_DELTA 10     /* sssp: the amount by which the bound moves */
#define GAS_FLOATING 11  /* sssp: 1 if distances are the bits of doubles */
#define GAS_STATE 12     /* number of words of gas_start */
#define GAS_SUMS 12      /* [3] counters of the round (see the rules below) */
#define GAS_LEAST 15     /* sssp: complement of the smallest far distance, so an atomic maximum finds it */
#define GAS_RULED 16     /* number of words that the rules read or write */
#define GAS_OVERFLOW 16  /* sssp: 1 if a sum did not fit; 2 if sssp_lost found a vertex without a distance for this reason */
#define GAS_ENDED 17     /* number of work-groups that have ended */
#define GAS_COUNTED 18   /* sssp, several ranks: the value of GAS_SUMS before the last launch */
#define GAS_FAR 19       /* sssp, several ranks: not 0 if some vertex may be far */
#define GAS_SCANNED 20   /* sssp, several ranks: 1 if the first launch after the last exchange scans the far vertices */
#define GAS_TICKET 24    /* CPUs: the next ticket for a slice or a chunk of words */
#define GAS_SCAN 25      /* sssp, CPUs: the next ticket for a chunk of words in which far vertices are scanned */
#define GAS_CONTROL 32

/* Words of 32 bits before the bits of messages (gemp_halo_marks): a copy of the control buffer, and space for the head of
 * a message. */
#define GAS_MARKS_LEAD (2 * GAS_CONTROL + 2)

/* The first words of the control buffer when a search begins; the other words are 0. */
typedef struct gas_start {
	gas_n64 words[GAS_STATE];
} gas_start;

#define GAS_BFS_PUSH 1
#define GAS_BFS_PULL 2

#define GAS_LEVELS 64

#define GAS_LOCAL 2 /* a value of GAS_DECIDE */

/* A launch with both bits relaxes and scans at once, which only several ranks do. */
#define GAS_SSSP_RELAX 1
#define GAS_SSSP_ADVANCE 2
#define GAS_SSSP_IDLE 4 /* only clears a bitmap */

/* The bit of the word GAS_LOOK that stands for a level. */
static inline gas_n64 gas_bfs_level(gas_n64 level)
{
	return (gas_n64)1 << (level < GAS_LEVELS ? level : GAS_LEVELS - 1);
}

/* The rule of a BFS (direction-optimising search, Beamer, Asanović and Patterson 2012). GAS_SUMS holds the number of
 * vertices found in this round, and the number of their edges, which is counted only while frontiers are pushed. */
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
	/* In a pulled level the new vertices search for their parents, with one exception: if the previous level was pushed
	 * and its new vertices have fewer edges than the vertices not found, the new vertices of the previous level send
	 * their names. */
	if (control[GAS_MODE] == GAS_BFS_PULL && (pulled || edges >= unseen))
		control[GAS_LOOK] |= gas_bfs_level(control[GAS_ROUND] + 1);
}

/* Returns a + b, but at least a + 1 and at most the greatest number. Adding 1 to the bits of a non-negative double
 * gives the next larger double, so the bound moves even if b is lost in rounding. */
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

/* The rule of SSSP on one rank. GAS_SUMS holds the number of vertices that became near in this round, the number of
 * bitmap words that still have far vertices, and the number of relaxed edges. Near vertices are relaxed until no near vertex is
 * left. Then the bound moves, and the far vertices are scanned. */
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

/* The device's rule between two exchanges of several ranks: it relaxes while own vertices become near. GAS_SUMS grows
 * until the host has read it. */
#define gas_sssp_local(control)                                                                               \
	do {                                                                                                  \
		const gas_n64 near_ = (control)[GAS_SUMS];                                                    \
		(control)[GAS_MODE] = near_ != (control)[GAS_COUNTED] ? GAS_SSSP_RELAX : GAS_SSSP_IDLE;       \
		(control)[GAS_COUNTED] = near_;                                                               \
	} while (0)

/* The host's rule after an exchange of several ranks, with the sums of all ranks. While many vertices change, the bound
 * stays. If at most 1 / GAS_FEW_PART of all vertices have changed, and their number falls or is below 1 / GAS_LOW_PART of
 * the largest number so far, the bound moves although not all ranks have relaxed them: an exchange costs more than the
 * work that is done twice. On two ranks a part of 1 / 256 takes 106 exchanges instead of 90 for a grid of 2^14 vertices,
 * and 1 / 16 takes twice the relaxations (2026-11-29). The number also is small, but grows, when a search begins. If the
 * bound moved then, all vertices of a uniform graph would soon be near: with 2^18 vertices a search would relax 3.9
 * times all edges instead of 1.4, in 26 exchanges (2026-11-30). A search ends when a round has made no vertex near and
 * no vertex can be far. */
#define GAS_FEW_PART 64
#define GAS_LOW_PART 16
static inline void gas_sssp_ranks_rule(gas_n64 *control)
{
	gas_n64 near = control[GAS_SUMS], scanned = control[GAS_SCANNED], from = control[GAS_BELOW];
	gas_n64 first = control[GAS_ROUND]++ == 0; /* the source has changed, too */
	control[GAS_FOUND] += control[GAS_SUMS + 2];
	control[GAS_FAR] = (scanned ? 0 : control[GAS_FAR]) | control[GAS_SUMS + 1];
	gas_n64 falls = near < control[GAS_LAST] || near < control[GAS_MOST] / GAS_LOW_PART;
	gas_n64 early = near <= control[GAS_VERTICES] / GAS_FEW_PART && falls;
	control[GAS_LAST] = near;
	control[GAS_MOST] = near > control[GAS_MOST] ? near : control[GAS_MOST];
	control[GAS_SCANNED] = (near == 0 || early) && control[GAS_FAR] && !first;
	control[GAS_MODE] = near || first ? GAS_SSSP_RELAX : 0;
	if (!control[GAS_SCANNED])
		return;
	if (near == 0 && scanned && control[GAS_LEAST])
		from = ~control[GAS_LEAST];
	control[GAS_BEFORE] = control[GAS_BELOW];
	control[GAS_BELOW] = gas_sssp_later(from, control[GAS_DELTA], control[GAS_FLOATING]);
	control[GAS_MODE] = GAS_SSSP_RELAX | GAS_SSSP_ADVANCE;
}

#endif
