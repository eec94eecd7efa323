/* mail: values of own vertices to the ranks that have them as ghosts, while work on what is here goes on.
 *
 *   begin -> kernels over own sources are enqueued, nobody waits for them -> end -> kernels over ghosts
 *
 * For each rank and round the sender takes what is smallest: all values, those that have changed with a bitmap of
 * them, or with their places. One rank has nothing to send.
 */
#ifndef GEMP_GAS_MAIL_H
#define GEMP_GAS_MAIL_H

#include "comm/exchange.h"
#include "gas/device_layout.h"

typedef struct gemp_gas_mail gemp_gas_mail;

/* Collective. value_size: 4 or 8, or 0: who has changed is all there is to tell. */
gemp_code gemp_gas_mail_new(gemp_gas_mail **out, const gemp_gas_layout *layout, gemp_device *device, size_t value_size);
void gemp_gas_mail_free(gemp_gas_mail *mail);

/* All ranks call both in turn, also where one has failed: what has failed is sent as nothing, so that nobody waits
 * for it, and the ranks are to agree on their codes at the end of the round (gemp_gas_round).
 * values[known], of value_size; NULL if that is 0. changed: a bitmap of local vertices, of which bits of own ones are
 * read; NULL: all have changed. Waits for kernels before it. */
gemp_code gemp_gas_mail_begin(gemp_gas_mail *mail, const gemp_buffer *values, const gemp_buffer *changed);
/* Values of ghosts have come, their bits are set in arrived (which may be `changed`; NULL: not asked for) and no
 * others are cleared. Does not wait for kernels on a GPU. */
gemp_code gemp_gas_mail_end(gemp_gas_mail *mail, const gemp_buffer *values, const gemp_buffer *arrived);

const gemp_traffic *gemp_gas_mail_traffic(const gemp_gas_mail *mail); /* of this rank so far */

/* Collective. The end of a round: a failure of any rank is one of all; else sums[count] become those of all ranks. */
enum { GEMP_GAS_MOST_SUMS = 8 };
gemp_code gemp_gas_round(const gemp_comm *comm, gemp_code mine, double *sums, int count);

/* By kernels, which is how it is done on a GPU, or by the host's threads: 1, 0; -1: as the device is. For tests. */
extern int gemp_gas_mail_kernels;

#endif
