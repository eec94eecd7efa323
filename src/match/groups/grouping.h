/* grouping: the first sink of a search whose rows are grouped on the devices. It replaces rows that agree in the
 * vertices of gemp_match_options.groups by one row with a multiplicity.
 *
 * Each device has a table of groups (device_groups.h). The rows of its launches go there and not to a sink. Rows that
 * come from threads of the host are uploaded. After the last round the groups are passed on in batches: each once on a
 * rank, though several ranks may have rows of one group, and a group that found no place in its table may come in
 * several parts. The next sinks put these together.
 *
 * If the sink needs the rows of groups with many rows, and not only their numbers, the search is repeated, and devices
 * look its rows up in their tables.
 *
 * If only groups with many rows are wanted, groups must be whole before any is left out. The tables of a rank's devices
 * are then put together, ranks send groups to their owners, and the owners pass on the groups that have enough rows,
 * and perhaps some more. If a group found no place in a table, no group is left out. The number of rows that are left
 * out is gemp_batch.left_out. */

#ifndef GEMP_MATCH_GROUPS_GROUPING_H
#define GEMP_MATCH_GROUPS_GROUPING_H

#include "graph/batch.h"
#include "match/match_state.h"

typedef struct gemp_grouping gemp_grouping;

/* Local, and equal on all ranks. True if the sink takes rows with multiplicities in place of matches, so that a search,
 * also of the host, may group them. */
bool gemp_grouping_allowed(const gemp_match *match);
/* Local, and equal on all ranks but for their devices. True if the options, the plan and the pattern allow groups on
 * devices, and if groups are fewer than rows or not all groups are wanted. */
bool gemp_grouping_suits(const gemp_match *match);
/* Collective. *out becomes NULL if the match does not suit, or if the device of some rank does not. Otherwise the
 * searches of the match have tables of groups until gemp_grouping_free. `next` is borrowed. */
gemp_code gemp_grouping_new(gemp_grouping **out, gemp_match *match, gemp_sink *next);
void gemp_grouping_free(gemp_grouping *grouping);
GEMP_RELEASE(gemp_grouping_free, gemp_grouping *)
/* Returns the sink, which the grouping owns. */
gemp_sink *gemp_grouping_sink(gemp_grouping *grouping);
/* After the last round: adds the numbers of this rank's grouped rows, and of the groups that were passed on. */
void gemp_grouping_figures(const gemp_grouping *grouping, gemp_group_figures *figures);
/* Appends a line of --explain. */
void gemp_grouping_explain(const gemp_match *match, gemp_text *out);

#endif
