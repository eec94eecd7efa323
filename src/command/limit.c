#include "command/limit.h"

static gemp_code limit_take(void *self, const gemp_batch *batch)
{
	gemp_limit *limit = self;
	limit->taken += batch->rows;
	return limit->next ? limit->next->take(limit->next->self, batch) : GEMP_OK;
}

static gemp_code limit_turn(void *self, bool last, bool *enough, bool *again)
{
	gemp_limit *limit = self;
	bool reached = gemp_comm_sum1(limit->comm, limit->taken) >= limit->limit;
	*enough |= reached;
	return limit->next ? limit->next->turn(limit->next->self, last || reached, enough, again) : GEMP_OK;
}

gemp_sink gemp_limit_sink(gemp_limit *limit)
{
	return (gemp_sink){ .self = limit, .take = limit_take, .turn = limit_turn };
}
