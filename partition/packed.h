/* packed: values and short numbers as bytes, for what is sent between ranks. */
#ifndef GEMP_PARTITION_PACKED_H
#define GEMP_PARTITION_PACKED_H

#include "comm/comm.h"
#include "core/text.h"
#include "graph/column.h"

/* gemp_text_status tells of failures. A string's bytes are copied. */
void gemp_pack_value(gemp_text *out, const gemp_value *value);
void gemp_pack_number(gemp_text *out, uint64_t number);
void gemp_pack_bytes(gemp_text *out, const char *bytes, size_t size);

/* In the order in which they were packed; strings and bytes point into what is read, which nobody but gemp_pack_...
 * made. */
gemp_value gemp_unpack_value(const char **at);
uint64_t gemp_unpack_number(const char **at);
const char *gemp_unpack_bytes(const char **at, size_t *size);

/* NULL equals NULL, NaN equals NaN; an integer equals a float of the same value. */
bool gemp_same_value(const gemp_value *a, const gemp_value *b);

/* Collective. texts[ranks], one for each rank, are emptied; what all ranks sent to this one, by source. The caller
 * frees. */
gemp_code gemp_send_texts(const gemp_comm *comm, gemp_text *texts, void **received, size_t *size);

#endif
