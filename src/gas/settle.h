/* settle: the stage after a search that names each vertex's parent: the source of least key among all that could be
 * it. */
#ifndef GEMP_GAS_SETTLE_H
#define GEMP_GAS_SETTLE_H

#include "gas/frontier.h"

/* Of kernels/gas_settle.clh and, behind them, gas_settle_equal.clh: in this order among those of the frontier. */
#define GEMP_SETTLE_KERNELS "settle_begin", "settle_rows", "settle_ids"
#define GEMP_SETTLE_EQUAL_KERNELS "settle_steps", "settle_equal"

typedef struct gemp_settle {
	gemp_frontier *frontier; /* borrowed */
	int kernels;             /* where they begin */
	gemp_buffer best, hint;  /* [own], [known] once gemp_settle_least was called */
	gemp_buffer step;
	gemp_buffer name, id;    /* [known] numbers in the order of keys; and by these, ids */
	gemp_gas_mail *mail;     /* of steps, once they were needed on several ranks */
} gemp_settle;

/* Local. The frontier has GEMP_GAS_IN. equal: gemp_settle_equal will be called. To be freed also after a
 * failure. */
gemp_code gemp_settle_new(gemp_settle *out, gemp_frontier *frontier, int kernels, bool equal);
void gemp_settle_free(gemp_settle *settle);

/* Into `best`; does not wait. values [known]: of the vertices, ghosts too. how: to settle_open and settle_sends of
 * the application; send: there are vertices that send. */
gemp_code gemp_settle_least(gemp_settle *settle, const gemp_buffer *values, uint64_t how, bool send);
/* Collective. Those that only edges which add nothing lead to, from local vertex source on (another rank's:
 * UINT32_MAX), into best [own]: settle->best, or values, if they have names. */
gemp_code gemp_settle_equal(gemp_settle *settle, const gemp_buffer *values, const gemp_buffer *best, cl_uint source);
/* parent [own]: becomes ids of the least parents found so. Does not wait. */
gemp_code gemp_settle_name(gemp_settle *settle, const gemp_buffer *best, const gemp_buffer *parent);

#endif
