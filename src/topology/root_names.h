/* root_names: the roots that have absorbed other roots, on the devices of all ranks.
 *
 * name[row] of an own vertex that was a root is the root that has absorbed it, as an id, or its own id. Only the owner
 * of a root stores and changes its name. Pointers are jumped (Shiloach and Vishkin 1982): each rank requests the names
 * of its roots' names from their owners, each name once, and follows names on its own device before it requests.
 *
 * Every collective function takes `code`, the result of the caller's earlier steps on this rank. Codes that it returns
 * may differ between ranks unless the comment says that they are agreed; the caller passes them on. */

#ifndef GEMP_TOPOLOGY_ROOT_NAMES_H
#define GEMP_TOPOLOGY_ROOT_NAMES_H

#include "core/types.h"
#include "primitive/device_exchange.h"
#include "primitive/toolbox.h"

typedef struct gemp_root_names {
	const gemp_comm *comm; /* borrowed, like box and exchange */
	gemp_toolbox *box;
	gemp_device_exchange *exchange;
	cl_uint first, rows;
	gemp_buffer name;         /* u32 [rows] */
	gemp_buffer bounds;       /* u32 [ranks + 1] first id of each rank */
	uint32_t *begins;         /* [ranks + 1] */
	uint64_t *send, *receive; /* [ranks] elements to and from each rank */
	/* scratch: the distinct ids that this rank requests, those that it answers, its answers, and the replies */
	gemp_buffer asked, ids, answers, replies, begins_buffer;
	gemp_buffer known, found, flags, list; /* scratch of jumps */
} gemp_root_names;

/* Local. Rank r owns the ids bounds[r] .. bounds[r + 1] - 1. The caller fills name[], and frees after a failure. */
gemp_code gemp_root_names_new(gemp_root_names *out, const gemp_comm *comm, gemp_toolbox *box,
                              gemp_device_exchange *exchange, const uint64_t *bounds);
void gemp_root_names_free(gemp_root_names *names);

/* Local. Sets names->send[]: how many of the ascending keys (u32, or u64 if wide) are in each rank's range. bounds has
 * ranks + 1 numbers of the keys' size. */
gemp_code gemp_root_names_count_sends(gemp_root_names *names, bool wide, const gemp_buffer *keys, size_t count,
                                      const gemp_buffer *bounds);

/* Collective. found[count] (u32) becomes the last name that the owner of each id knows. */
gemp_code gemp_root_names_request(gemp_root_names *names, gemp_code code, const gemp_buffer *ids, size_t count,
                                  const gemp_buffer *found);

/* Collective. Jumps pointers until the names of the listed own roots (u32 rows) are roots. The list is overwritten. The
 * codes are agreed. */
gemp_code gemp_root_names_jump(gemp_root_names *names, gemp_code code, gemp_buffer *roots, size_t count);

/* Collective. The same for all own roots that have been absorbed. */
gemp_code gemp_root_names_jump_all(gemp_root_names *names, gemp_code code);

/* Collective. *value becomes the sum over all ranks. The codes are agreed. */
gemp_code gemp_agree_sum(const gemp_comm *comm, gemp_code code, uint64_t *value);

#endif
