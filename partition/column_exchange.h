/* column_exchange: the values of a column to the ranks that want them. */
#ifndef GEMP_PARTITION_COLUMN_EXCHANGE_H
#define GEMP_PARTITION_COLUMN_EXCHANGE_H

#include "comm/comm.h"
#include "graph/column.h"

/* Collective. Row i goes to rank owner[i]. out, which is initialised here, gets what comes, in the order in which
 * gemp_exchange_records brings records: by source, then by row. */
gemp_code gemp_column_exchange(gemp_column *out, const gemp_comm *comm, const gemp_column *column, const int *owner);

#endif
