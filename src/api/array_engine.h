/* array_engine: sorts and distinct numbers of arrays with the context's device, for gemp/primitives.h and the commands on files of
 * numbers. */

#ifndef GEMP_API_ARRAY_ENGINE_H
#define GEMP_API_ARRAY_ENGINE_H

#include "api/context_state.h"
#include "primitive/arrays.h"

/* Collective. Sets the device and the toolbox of arrays, whose place is chosen, if the device may be used; below 65,536 numbers
 * on all ranks GEMP_PLACE_AUTO opens none, since opening it takes longer than sorting on the host. *runtime: NULL if no
 * device was opened. The caller frees arrays->box (gemp_toolbox_free). */
gemp_code gemp_array_engine_open(gemp_arrays *arrays, gemp_runtime **runtime, gemp_context *context, uint64_t total);

/* Local. Every -0.0 becomes 0.0: the same number, though not the same bits. Integers stay as they are. */
void gemp_array_merge_zeros(gemp_key_kind kind, void *values, size_t count);

#endif
