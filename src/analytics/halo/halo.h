/* halo: the halo exchange of vertex values: each rank sends values of own vertices to the ranks that have them as ghosts,
 * while the device goes on with work that needs no ghosts.
 *
 *   begin -> kernels over own sources are enqueued, nobody waits for them -> round -> end -> kernels over ghosts
 *
 * For each rank and round the sender takes the smallest of three forms: all values; the changed values with a bitmap of
 * them; or the changed values with their places. Ranks of one node write messages into shared memory and post the numbers of
 * a round with them (comm/shared.h); other ranks receive messages by MPI. One rank has nothing to send.
 *
 * begin, round and end are collective: all ranks call them in turn, also after a failure.
 */

#ifndef GEMP_ANALYTICS_HALO_HALO_H
#define GEMP_ANALYTICS_HALO_HALO_H

#include "analytics/halo/halo_message.h"

/* Collective. value_size: 4 or 8, or 0: who has changed is all there is to tell. comm and links are borrowed. */
gemp_code gemp_halo_new_links(gemp_halo **out, const gemp_comm *comm, const gemp_layout_links *links,
                              gemp_device *device, size_t value_size);
gemp_code gemp_halo_new(gemp_halo **out, const gemp_layout *layout, gemp_device *device, size_t value_size);
/* Collective. NULL is nothing on all ranks. */
void gemp_halo_free(gemp_halo *halo);

/* Packs this round's messages. A rank that has failed calls the rest all the same: what it cannot pack is sent as empty messages,
 * and the ranks agree on their codes at the end of the round.
 *
 * values[known], of value_size bytes; NULL if that is 0. changed: a bitmap of local vertices, of which bits of own vertices are
 * read; kernels enqueued before have ended on return. NULL: all have changed; then it does not wait on a GPU, and until `end`
 * kernels may read own values, but neither write them nor read those of ghosts. read: what comes to the host with the bitmap,
 * or NULL. */
gemp_code gemp_halo_begin(gemp_halo *halo, const gemp_buffer *values, const gemp_buffer *changed,
                          const gemp_halo_read *read);

/* Collective. Messages of this round, if `begin` was called, travel. A failure of any rank is a failure of all; else sums become
 * those of all ranks, modulo 2^64, and greatest[] the maxima. */
enum { GEMP_HALO_MAX_SUMS = 8 };
gemp_code gemp_halo_round(gemp_halo *halo, gemp_code mine, uint64_t *sums, int sum_count, uint64_t *greatest,
                          int greatest_count);

/* Received values go to their ghosts, for kernels that are launched from now on, and bits of these ghosts are set in `arrived`
 * (which may be `changed`; NULL: not wanted); no bits are cleared. Does not wait for kernels on a GPU. Without a round since
 * `begin` the messages travel now. */
gemp_code gemp_halo_end(gemp_halo *halo, const gemp_buffer *values, const gemp_buffer *arrived);

const gemp_traffic *gemp_halo_traffic(const gemp_halo *halo); /* of this rank so far */
/* Since the traffic was `before`; nothing for NULL. */
gemp_traffic gemp_halo_traffic_since(const gemp_halo *halo, const gemp_traffic *before);

/* Collective. Agrees without messages: a failure of any rank is a failure of all; else sums[count] become those of all ranks. */
gemp_code gemp_halo_agree(const gemp_comm *comm, gemp_code mine, double *sums, int count);

#endif
