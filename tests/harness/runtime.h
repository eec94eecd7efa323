/* Shared by tests that use the devices of a runtime without an engine, or that compare the memory before and after an
 * engine: a runtime whose devices are open. */
#ifndef GEMP_TESTS_RUNTIME_H
#define GEMP_TESTS_RUNTIME_H

#include "partition/runtime.h"

/* Collective. After a failure *out is NULL. */
static inline gemp_code runtime_with_devices(gemp_runtime **out, gemp_comm *comm, const char *devices,
                                             const gemp_budgets *budgets)
{
	GEMP_OWNED_BY(gemp_runtime_free_at) gemp_runtime *context = NULL;
	*out = NULL;
	GEMP_TRY(gemp_runtime_new(&context, comm, devices, budgets));
	GEMP_TRY(gemp_runtime_open_devices(context));
	*out = context;
	context = NULL;
	return GEMP_OK;
}

#endif
