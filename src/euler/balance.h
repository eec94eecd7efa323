/* balance: why a graph has no Euler circuit: which vertices have unequal in- and out-degree (for undirected edges:
 * odd degree), how many components the edges form, and whether there is a path instead (Euler 1736). */

#ifndef GEMP_EULER_BALANCE_H
#define GEMP_EULER_BALANCE_H

#include "euler/euler.h"

enum { GEMP_EULER_SHOWN = 10 };

typedef struct gemp_euler_unbalanced {
	gemp_vertex vertex;
	uint32_t key_rank;
	uint64_t in, out;
} gemp_euler_unbalanced;

typedef struct gemp_euler_balance {
	gemp_count unbalanced; /* vertices of all ranks; of undirected edges those where an odd number ends */
	size_t example_count;
	gemp_euler_unbalanced examples[GEMP_EULER_SHOWN]; /* the first by key */
	gemp_count components;                            /* with edges */
	bool path;                                        /* there is one, */
	gemp_vertex start, end; /* from here to there; GEMP_NO_VERTEX: degrees are not those of a path */
} gemp_euler_balance;

/* Collective. key_rank[own rows]: the order of keys; NULL: that of ids. */
gemp_code gemp_euler_balance_find(gemp_euler_balance *out, const gemp_comm *comm, const gemp_euler_edges *edges,
                                  const uint32_t *key_rank);

#endif
