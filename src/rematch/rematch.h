/* rematch: the rows of a rule's matches are kept from one of its steps to the next, and only those near what has
 * changed meanwhile are looked for again. The rows are those of gemp_matches_rows, in another order.
 */
#ifndef GEMP_REMATCH_REMATCH_H
#define GEMP_REMATCH_REMATCH_H

#include "match/match.h"
#include "partition/edge_places.h"
#include "partition/patch.h"
#include "pattern/rule.h"
#include "query/frame.h"
#include "rematch/matches.h"

typedef struct gemp_rematch gemp_rematch;

/* Of one search, all ranks. */
typedef struct gemp_rematch_report {
	bool incremental;     /* rows were kept; else all were looked for */
	uint64_t kept;        /* rows */
	uint64_t places;      /* vertices near changes, where rows were looked for */
} gemp_rematch_report;

/* Local. Rules that their control runs once are not kept. */
gemp_code gemp_rematch_new(gemp_rematch **out, const gemp_rules *rules, const gemp_graph *graph);
void gemp_rematch_free(gemp_rematch *memory); /* takes NULL */

/* Collective. As gemp_matches_rows; rules->rules[index] is bound to the graph. */
gemp_code gemp_rematch_rows(gemp_rematch *memory, gemp_frame *out, gemp_context *context, gemp_graph *graph,
                            const gemp_rules *rules, size_t index, const gemp_match_options *options,
                            uint64_t combinations, gemp_kept_order *order, gemp_rematch_report *report);
/* Local. The rows that were found, for the next step of this rule, which may empty the frame. */
void gemp_rematch_keep(gemp_rematch *memory, size_t index, gemp_frame *frame);
/* Is it worth while to follow a step of this rule that touches so many vertices? Alike on all ranks. */
bool gemp_rematch_survives(const gemp_rematch *memory, size_t index, uint64_t touched, const gemp_graph *graph);
/* Local. All is forgotten: the graph is another one. */
gemp_code gemp_rematch_restart(gemp_rematch *memory, const gemp_graph *graph);
/* Collective. What is kept follows the graph that a step of this rule has changed; owners: of the edges before. */
gemp_code gemp_rematch_follow(gemp_rematch *memory, size_t index, const gemp_comm *comm, const gemp_edge_places *owners,
                              const gemp_patched *patched, const gemp_graph *graph);

#endif
