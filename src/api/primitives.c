#include "gemp/primitives.h"

#include "api/array_engine.h"
#include "api/graph_state.h"
#include "core/memory.h"
#include "topology/reverse.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static_assert((int)GEMP_NUMBER_UINT32 == GEMP_KEY_U32 && (int)GEMP_NUMBER_UINT64 == GEMP_KEY_U64 &&
                  (int)GEMP_NUMBER_INT32 == GEMP_KEY_I32 && (int)GEMP_NUMBER_INT64 == GEMP_KEY_I64 &&
                  (int)GEMP_NUMBER_FLOAT == GEMP_KEY_F32 && (int)GEMP_NUMBER_DOUBLE == GEMP_KEY_F64,
              "the public types are the engine's kinds of keys");

/* Fewer numbers on all ranks are sorted by the host before a device is open. */
enum { DEVICE_MIN = 1 << 16 };

gemp_code gemp_array_engine_open(gemp_arrays *arrays, gemp_runtime **runtime, gemp_context *context, uint64_t total)
{
	gemp_code code = GEMP_OK;
	const bool automatic = arrays->place == GEMP_PLACE_AUTO;
	*runtime = NULL;
	if (arrays->place == GEMP_PLACE_HOST || (automatic && total < DEVICE_MIN))
		return GEMP_OK;
	double since = gemp_now();
	code = gemp_context_runtime(runtime, context, false, NULL);
	if (code == GEMP_ENODEVICE && automatic)
		return GEMP_OK;
	GEMP_TRY(code);
	arrays->device = (*runtime)->device;
	GEMP_TRY(gemp_comm_agree(&context->comm, gemp_toolbox_new(&arrays->box, arrays->device, GEMP_FORM_AUTO)));
	gemp_timers_add(&arrays->timers, GEMP_PHASE_BUILD, since);
done:
	return code;
}

void gemp_array_merge_zeros(gemp_key_kind kind, void *values, size_t count)
{
	float *narrow = values;
	double *real = values;
	for (size_t i = 0; kind == GEMP_KEY_F32 && i < count; i++)
		narrow[i] += 0.0f;
	for (size_t i = 0; kind == GEMP_KEY_F64 && i < count; i++)
		real[i] += 0.0;
}

/* The engines compare bits, of which NaN has many; every NaN becomes the one of C's NAN, which sorts behind infinity. */
static void unify_nans(gemp_key_kind kind, void *values, size_t count)
{
	float *narrow = values;
	double *real = values;
	for (size_t i = 0; kind == GEMP_KEY_F32 && i < count; i++)
		narrow[i] = isnan(narrow[i]) ? NAN : narrow[i];
	for (size_t i = 0; kind == GEMP_KEY_F64 && i < count; i++)
		real[i] = isnan(real[i]) ? (double)NAN : real[i];
}

/* One call on an array of all ranks. */
typedef struct array_call {
	gemp_key_kind kind;
	gemp_arrays arrays;
	void *values; /* [count] a copy of the caller's, since the engines work in place */
} array_call;

/* Collective. After a failure the call is to be ended all the same. */
static gemp_code array_call_begin(array_call *call, gemp_context *context, gemp_number_type type, const void *values,
                                  size_t count)
{
	gemp_code code = GEMP_OK;
	gemp_runtime *runtime;
	*call = (array_call){ .kind = (gemp_key_kind)type };
	if ((unsigned)type > GEMP_NUMBER_DOUBLE)
		return gemp_fail(GEMP_EUSAGE, "type %d is none of gemp_number_type", (int)type);
	call->values = gemp_calloc(count, gemp_key_size(call->kind));
	GEMP_TRY(gemp_comm_agree(&context->comm, call->values ? GEMP_OK : GEMP_ENOMEM));
	if (count)
		memcpy(call->values, values, count * gemp_key_size(call->kind));
	unify_nans(call->kind, call->values, count);
	code = gemp_array_engine_open(&call->arrays, &runtime, context, gemp_comm_sum1(&context->comm, count));
done:
	return code;
}

static void array_call_end(array_call *call)
{
	gemp_toolbox_free(call->arrays.box);
	gemp_free(call->values);
}

gemp_code gemp_array_sort(void **out, size_t *out_count, gemp_context *context, gemp_number_type type,
                          const void *values, size_t count, bool descending)
{
	gemp_code code = GEMP_OK;
	array_call call;
	*out = NULL;
	*out_count = 0;
	GEMP_TRY(array_call_begin(&call, context, type, values, count));
	const gemp_sort sort = { .key = call.kind, .descending = descending };
	GEMP_TRY(gemp_sort_ranks(&context->comm, &call.arrays, &sort, &call.values, NULL, &count));
	*out = call.values;
	*out_count = count;
	call.values = NULL;
done:
	array_call_end(&call);
	return code;
}

gemp_code gemp_array_distinct(void **out, size_t *out_count, gemp_context *context, gemp_number_type type,
                              const void *values, size_t count)
{
	gemp_code code = GEMP_OK;
	array_call call;
	*out = NULL;
	*out_count = 0;
	GEMP_TRY(array_call_begin(&call, context, type, values, count));
	gemp_array_merge_zeros(call.kind, call.values, count);
	code = gemp_distinct_ranks(&context->comm, &call.arrays, call.kind, call.values, count, out, out_count);
done:
	array_call_end(&call);
	return code;
}

void gemp_array_release(void *array)
{
	gemp_free(array);
}

gemp_code gemp_graph_reverse(gemp_graph *graph, const gemp_edge_selection *edges, uint64_t *edge_count)
{
	gemp_code code = GEMP_OK;
	gemp_reverse_stats stats;
	gemp_edge_selection chosen;
	bool *relations = NULL;
	gemp_edge_selection_init(&chosen);
	if (edges)
		gemp_options_copy(&chosen, sizeof chosen, edges);
	GEMP_TRY(gemp_graph_select(&relations, graph, &chosen));
	GEMP_TRY(gemp_shard_load_outgoing(graph->shard));
	GEMP_TRY(gemp_shard_reverse(graph->shard, &graph->context->comm, relations, NULL, GEMP_PLACE_HOST, &stats));
	if (edge_count)
		*edge_count = stats.edges;
done:
	gemp_free(relations);
	return code;
}
