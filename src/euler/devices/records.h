/* records: sends the records that a kernel has staged (kernels/euler/euler_ranks.cl) to their ranks. */

#ifndef GEMP_EULER_DEVICES_RECORDS_H
#define GEMP_EULER_DEVICES_RECORDS_H

#include "euler/devices/state.h"

/* Local. Makes room for `count` staged records. */
gemp_code gemp_euler_stage_records(gemp_euler_state *e, size_t count);
/* Collective. Sends the first `words` words of the records among stage[staged]. e->arrivals records then lie in
 * e->on.inbox, and e->received has their numbers by source rank. tagged: the second word is not sent but kept in
 * e->on.tags, in the order of the e->sent records and their answers. code: of the local steps before. */
gemp_code gemp_euler_send_records(gemp_euler_state *e, gemp_code code, size_t staged, cl_uint words, bool tagged);
/* Collective. Sends a word of e->on.answers for each record that arrived. The answers to own records then lie in
 * e->on.grouped. */
gemp_code gemp_euler_reply_words(gemp_euler_state *e, gemp_code code);
/* Collective. Sends elements of `size` bytes that lie in `from` in the order of their ranks, e->send[r] for rank r. */
gemp_code gemp_euler_deliver(gemp_euler_state *e, gemp_code code, const gemp_buffer *from, size_t size,
                             gemp_buffer *to);

#endif
