#include "euler/euler.h"

/* Numbers have 4 bytes there, and slots bitmaps; a sixteenth of them is in the sample. */
double gemp_euler_stage_bytes(gemp_euler_stage stage, uint64_t vertices, uint64_t edges, uint64_t splitters)
{
	double n = (double)vertices, m = (double)edges, s = (double)splitters;
	switch (stage) {
	case GEMP_EULER_FILL: /* begins become cursors; bitmaps, the sample */
		return 8 * n + 4 * m / 8 + m / 4;
	case GEMP_EULER_PAIR: /* targets, successors, cursors, which are checked then */
		return 8 * m + 16 * n;
	case GEMP_EULER_WALK: /* successors, chunks, segments */
		return 8 * m + 8 * s;
	case GEMP_EULER_CIRCUITS: /* segments become a list, that becomes parents and roots */
		return 32 * s;
	case GEMP_EULER_ORPHANS: /* chunks, visited twice, the sample */
		return 4 * m + m / 4 + m / 4;
	case GEMP_EULER_UNION: /* the sample, labelled, row starts, roots */
		return m / 4 + m / 8 + m / 8 + 8 * s;
	case GEMP_EULER_ROTATE: /* chunks, marks, visited */
		return 4 * m + m / 8 + m / 8;
	case GEMP_EULER_REWALK:
		return s;
	case GEMP_EULER_RANK: /* segments become a list */
		return 16 * s;
	case GEMP_EULER_EMIT: /* chunks, the list, the order */
		return 8 * m + 9 * s;
	default:
		return 0;
	}
}

const char *const gemp_euler_stage_name[GEMP_EULER_STAGES] = { "fill", "pair", "walk", "circuits", "orphans", "union",
	"rotate", "rewalk", "rank", "emit" };
