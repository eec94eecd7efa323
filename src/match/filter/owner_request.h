/* owner_request: questions about elements of the graph to the ranks that own them, with replies of any length.
 *
 * Questions are records of one size, in the order of the ranks that answer; replies come back in the order of the questions.
 * Two exchanges: the questions, and the replies as bytes.
 */

#ifndef GEMP_MATCH_FILTER_OWNER_REQUEST_H
#define GEMP_MATCH_FILTER_OWNER_REQUEST_H

#include "core/text.h"
#include "partition/runtime.h"

/* Local. Appends the replies to `count` questions of one rank. */
typedef gemp_code gemp_owner_answer(void *self, const void *questions, size_t count, gemp_text *reply);

/* Collective. questions: counts[ranks] for each rank, of `size` bytes. *replies, [*reply_size] bytes, is the caller's to free. */
gemp_code gemp_owner_request(gemp_runtime *context, const void *questions, size_t size, const size_t *counts,
                             gemp_owner_answer *answer, void *self, void **replies, size_t *reply_size);

#endif
