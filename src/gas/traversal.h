/* traversal: what bfs and sssp have in common beside the frontier: what a run costs, and where its results lie. */
#ifndef GEMP_GAS_TRAVERSAL_H
#define GEMP_GAS_TRAVERSAL_H

#include "comm/exchange.h"
#include "gas/frontier_tuples.h"

typedef struct gemp_traversal_cost {
	double device;    /* seconds of the search's launches by the device's clock */
	double wall;      /* of the search, from its begin until the host knows that it is over */
	double settle;    /* wall, of the stage that names parents */
	double download;  /* of results */
	double exchange;  /* in wall: the host waited for other ranks */
	uint64_t rounds;
	uint64_t edges;   /* gone along, of all ranks: bfs: edges that leave reached vertices */
	gemp_traffic traffic; /* of this rank */
} gemp_traversal_cost;

/* What mail has sent since. */
static inline gemp_traffic gemp_traversal_traffic(const gemp_gas_mail *mail, const gemp_traffic *before)
{
	const gemp_traffic *now = gemp_gas_mail_traffic(mail);
	return (gemp_traffic){ now->bytes - before->bytes, now->messages - before->messages, now->rounds - before->rounds };
}

#endif
