/* mail: values of own vertices to the ranks that have them as ghosts, while work on what is here goes on.
 *
 *   begin -> kernels over own sources are enqueued, nobody waits for them -> round -> end -> kernels over ghosts
 *
 * For each rank and round the sender takes what is smallest: all values, those that have changed with a bitmap of
 * them, or with their places. One rank has nothing to send.
 *
 * Ranks of one node put messages where all of them see them, and post the sums of a round with them (comm/node_barrier.h);
 * others are sent what is theirs by MPI.
 */

#ifndef GEMP_ANALYTICS_HALO_HALO_H
#define GEMP_ANALYTICS_HALO_HALO_H

#include "analytics/halo/halo_message.h"

/* Collective. value_size: 4 or 8, or 0: who has changed is all there is to tell. comm and links are borrowed. */
gemp_code gemp_halo_new_links(gemp_halo **out, const gemp_comm *comm, const gemp_layout_links *links,
                              gemp_device *device, size_t value_size);
gemp_code gemp_halo_new(gemp_halo **out, const gemp_layout *layout, gemp_device *device, size_t value_size);
/* Collective. NULL is nothing on all ranks. */
void gemp_halo_free(gemp_halo *mail);

/* All ranks call all in turn, also where one has failed: what has failed is sent as nothing, so that nobody waits
 * for it, and the ranks are to agree on their codes at the end of the round.
 * values[known], of value_size; NULL if that is 0. changed: a bitmap of local vertices, of which bits of own ones are
 * read; what was enqueued before has ended on return. NULL: all have changed; does not wait on a GPU, and until `end`
 * kernels may read own values, but neither write to them nor read those of ghosts. */
gemp_code gemp_halo_begin(gemp_halo *mail, const gemp_buffer *values, const gemp_buffer *changed);

gemp_code gemp_halo_begin_with(gemp_halo *mail, const gemp_buffer *values, const gemp_buffer *changed,
                               const gemp_halo_read *look);

/* Collective. What was begun, if anything was, goes to the other ranks, and what they have sent has come. A failure
 * of any rank is one of all; else sums become those of all ranks, modulo 2^64, and greatest the greatest of all. */
enum { GEMP_HALO_MAX_SUMS = 8 };
gemp_code gemp_halo_round(gemp_halo *mail, gemp_code mine, uint64_t *sums, int sum_count, uint64_t *greatest,
                          int greatest_count);

/* Values of ghosts are put where kernels launched from now on find them, their bits are set in arrived (which may be
 * `changed`; NULL: not asked for) and no others are cleared. Does not wait for kernels on a GPU. Without a round
 * since `begin` it is one, of nothing but mail. */
gemp_code gemp_halo_end(gemp_halo *mail, const gemp_buffer *values, const gemp_buffer *arrived);

const gemp_traffic *gemp_halo_traffic(const gemp_halo *mail); /* of this rank so far */

/* Collective. A round without mail: a failure of any rank is one of all; else sums[count] become those of all ranks. */
gemp_code gemp_halo_agree(const gemp_comm *comm, gemp_code mine, double *sums, int count);

/* For tests; -1: as is best. By kernels, which is how it is done on a GPU, or by the host's threads: 1, 0. In memory
 * that the ranks of a node have in common, if there is any: 0: not. */
extern int gemp_halo_kernels, gemp_halo_shared;

#endif
