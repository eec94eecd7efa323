/* What checks share: a sweep over all edges as they lead, values of all vertices, and the first fault. Of verify
 * alone. */
#ifndef GEMP_GAS_VERIFY_PARTS_H
#define GEMP_GAS_VERIFY_PARTS_H

#include "gas/verify.h"

#include <stdatomic.h>

typedef struct verify_fault {
	atomic_bool taken;
	const char *what;   /* stands between the keys of a and b */
	uint64_t a, b;      /* ids */
} verify_fault;

/* Collective. Has this node room for so many bytes for each vertex of the graph, on each of its ranks? */
gemp_code gemp_verify_room(const gemp_gas_edges *edges, unsigned bytes);

/* Several threads may see faults; one is kept. */
void gemp_verify_fault(verify_fault *fault, const char *what, uint64_t a, uint64_t b);
/* Collective. Any rank's fault is a failure of all. */
gemp_code gemp_verify_agree(const gemp_gas_edges *edges, const verify_fault *fault);

/* An edge leads from a to b; its weight is in a row of a column, NULL: 1. Several threads call it. */
typedef void gemp_verify_visit(void *self, uint64_t a, uint64_t b, const gemp_column *weight, uint64_t row);
/* Collective: loads keys and edges. Each edge of this rank, as often as it leads. */
gemp_code gemp_verify_sweep(const gemp_gas_edges *edges, gemp_verify_visit *visit, void *self);

static inline double verify_weight(const gemp_column *weight, uint64_t row)
{
	return !weight ? 1 : weight->integers ? (double)weight->integers[row] : weight->floats[row];
}

/* Collective. Of all vertices by id: gemp_free. */
gemp_code gemp_verify_gather(const gemp_gas_edges *edges, const void *own, size_t size, void **all);

/* Collective. Numbers of all ranks become their sum, or bits of any. */
void gemp_verify_sum(const gemp_comm *comm, double *sums, uint64_t count);
void gemp_verify_or(const gemp_comm *comm, uint64_t *words, uint64_t count);

/* Several threads. */
static inline void verify_add(double *sum, double value)
{
	double before = *sum, after;
	do
		after = before + value;
	while (!__atomic_compare_exchange(sum, &before, &after, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

static inline void verify_raise(double *greatest, double value)
{
	double before = *greatest;
	while (value > before &&
	       !__atomic_compare_exchange(greatest, &before, &value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

#endif
