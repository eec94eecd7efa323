/* reach: which rows the next tasks can read, and how many tasks fit together into a budget. Host only.
 *
 *     gemp_reach_begin -> (gemp_reach_to depth 0 -> rows are fetched -> to depth 1 -> ...) -> need[] are all rows that the
 *     tasks can read
 */
#ifndef GEMP_MATCH_REACH_H
#define GEMP_MATCH_REACH_H

#include "match/candidates.h"
#include "match/closure.h"

/* Tasks in order: slots of the roots' images, root_count each. Of pivots: ascending. */
typedef struct gemp_reach_tasks {
	const gemp_vertex *slots;
	size_t count;
} gemp_reach_tasks;

typedef struct gemp_reach {
	const gemp_closure *closure;
	const gemp_fetch *fetch;
	uint32_t *const *candidates;  /* [pattern vertices] bits by slot, or NULL */
	bool pivots;                  /* tasks are pivots */
	size_t words;                 /* of bits for all slots */
	uint32_t *seen[GEMP_MOST_PLACES];  /* [words] images of a place */
	uint32_t *need[GEMP_MAX_VIEWS];    /* [words] rows */
	uint64_t bytes;               /* of them on a device, at most */
	int depth;
	uint64_t budget;
	gemp_vertex first, last;      /* pivots of these tasks are not beyond */
	size_t noted, note_capacity;
	uint64_t *notes;              /* what the present task has added: place or view, and slot */
	bool full, failed;            /* it passed the budget; it found no memory */
} gemp_reach;

/* Local. All is borrowed. */
gemp_code gemp_reach_new(gemp_reach **out, const gemp_closure *closure, const gemp_fetch *fetch,
                         uint32_t *const *candidates, bool pivots);
void gemp_reach_free(gemp_reach *reach);

/* Local. Of the tasks [*begin, *end) those which fit, in order, as far as rows down to `depth` tell; those of less depth
 * are at hand or held. The first may take `most` bytes, the others have to fit into `budget` with it. *begin passes over
 * tasks that alone pass `most`: they are put to alone[*alone_count], in which there is room for all. */
gemp_code gemp_reach_to(gemp_reach *reach, const gemp_reach_tasks *tasks, size_t *begin, size_t *end, int depth,
                        uint64_t budget, uint64_t most, size_t *alone, size_t *alone_count);

/* Local. The same for all of the tasks [begin, end), whatever it takes. */
void gemp_reach_all(gemp_reach *reach, const gemp_reach_tasks *tasks, size_t begin, size_t end, int depth);

#endif
