/* list_rows: the rows of a view that reads one list (view_lists.h), by id, of all ranks of a job on one node.
 *
 * The ranks' lists follow each other, and a rank's rows are in the order of ids. So each rank copies its offsets and
 * its entries as they are to their place in memory that the ranks share: no row is sized, sorted or merged. A step of a
 * rule on several ranks makes such rows anew if it changes the relation. */

#ifndef GEMP_PARTITION_VIEWS_LIST_ROWS_H
#define GEMP_PARTITION_VIEWS_LIST_ROWS_H

#include "partition/views/view.h"

/* Collective. The view stays {0} if the view merges or drops entries, or if there is no
 * memory that all ranks share. The rows of the view are loaded. */
gemp_code gemp_list_rows_new(gemp_view *out, const gemp_comm *comm, const gemp_shard *graph, const gemp_view_key *key);

#endif
