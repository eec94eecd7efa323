/* exchange_rate: what ranks exchange a second, all with all: what figures across ranks are measured against. */
#ifndef GEMP_COMM_EXCHANGE_RATE_H
#define GEMP_COMM_EXCHANGE_RATE_H

#include "comm/comm.h"

/* Collective. Bytes a second that all ranks together send to others when each sends the others about `bytes` in all, alike, from
 * memory that is in use to memory that is: the best of some tries. One rank: 0. GEMP_ENOMEM on all ranks alike. */
gemp_code gemp_exchange_rate(const gemp_comm *comm, size_t bytes, double *rate);

#endif
