#include "command/bench_places.h"

#include "core/memory.h"
#include "core/random.h"
#include "primitive/arrays.h"
#include "topology/components.h"
#include "topology/edge_pairs.h"
#include "topology/reverse.h"
#include "topology/vertex_degrees.h"

#include <stdio.h>
#include <string.h>

/* EACH: edges of a row; SURE: further sizes that must agree. */
enum { LEAST = 1 << 10, EACH = 16, TRIES = 3, SURE = 2 };

/* Keys, and a graph of as many rows and edges; both are used up to a size. */
typedef struct subject {
	gemp_context *context;
	gemp_arrays arrays;
	size_t items;
	uint32_t *keys, *sorted;
	uint64_t *begin;
	gemp_vertex *target;
	gemp_edge_pair *pairs;
	gemp_csr csr;
	uint64_t bounds[2];
} subject;

/* PRIMITIVES: each from the host's memory to the host's memory. */

static gemp_code run_sort(subject *s)
{
	static const gemp_sort by_key = { .key = GEMP_KEY_U32 };
	return gemp_arrays_sort(&s->arrays, &by_key, s->sorted, NULL, s->items);
}

static gemp_code run_distinct(subject *s)
{
	void *out = NULL;
	size_t distinct;
	gemp_code code = gemp_arrays_distinct(&s->arrays, GEMP_KEY_U32, s->keys, s->items, &out, &distinct);
	gemp_free(out);
	return code;
}

static gemp_code run_edges(subject *s)
{
	gemp_edge_pairs_figures figures;
	return gemp_edge_pairs(&s->csr, s->context->device, s->arrays.place, s->pairs, &figures);
}

static gemp_code run_degrees(subject *s)
{
	gemp_vertex_degrees out;
	gemp_code code = gemp_vertex_degrees_new(&out, s->context->comm, s->context->device, s->arrays.place, s->bounds,
	                                         &s->csr, 1);
	if (code == GEMP_OK)
		gemp_vertex_degrees_free(&out);
	return code;
}

static gemp_code run_reverse(subject *s)
{
	gemp_reversed out;
	gemp_code code = gemp_reverse(&out, &s->csr, s->context->device, s->arrays.place, false);
	if (code == GEMP_OK)
		gemp_reversed_free(&out);
	return code;
}

static gemp_code run_components(subject *s)
{
	gemp_components out;
	const gemp_components_options how = { .place = s->arrays.place };
	gemp_code code = gemp_components_find(&out, s->context->comm, s->context->device, s->bounds, &s->csr, 1, &how);
	if (code == GEMP_OK)
		gemp_components_free(&out);
	return code;
}

static const struct {
	const char *tuning;
	gemp_code (*run)(subject *s);
} primitives[] = {
	{ "sort.host_below", run_sort },       { "distinct.host_below", run_distinct },
	{ "edges.host_below", run_edges },     { "degrees.host_below", run_degrees },
	{ "reverse.host_below", run_reverse }, { "components.host_below", run_components },
};

/* SUBJECT */

static void subject_free(subject *s)
{
	gemp_toolbox_free(s->arrays.box);
	gemp_free(s->keys);
	gemp_free(s->sorted);
	gemp_free(s->begin);
	gemp_free(s->target);
	gemp_free(s->pairs);
}

static gemp_code subject_new(subject *s, gemp_context *context, size_t most)
{
	gemp_code code = GEMP_OK;
	*s = (subject){ .context = context, .arrays.device = context->device };
	GEMP_TRY(gemp_toolbox_new(&s->arrays.box, context->device, GEMP_FORM_AUTO));
	GEMP_TRY(GEMP_NEW(s->keys, most));
	GEMP_TRY(GEMP_NEW(s->sorted, most));
	GEMP_TRY(GEMP_NEW(s->begin, most / EACH + 2));
	GEMP_TRY(GEMP_NEW(s->target, most));
	GEMP_TRY(GEMP_NEW(s->pairs, most));
	for (size_t i = 0; i < most; i++)
		s->keys[i] = (uint32_t)gemp_mix(i);
done:
	return code;
}

/* The first `items` keys, and a graph of rows of equal length; their targets are at random. */
static void resize(subject *s, size_t items)
{
	size_t rows = items / (EACH + 1);
	s->items = items;
	for (size_t row = 0; row <= rows; row++)
		s->begin[row] = row * EACH;
	for (size_t e = 0; e < rows * EACH; e++)
		s->target[e] = (gemp_vertex)(((uint64_t)s->keys[e] * rows) >> 32);
	s->bounds[1] = rows;
	s->csr = (gemp_csr){ rows, 0, rows, s->begin, s->target };
}

/* Least seconds. */
static gemp_code time_at(subject *s, size_t primitive, gemp_where place, double *seconds)
{
	gemp_code code = GEMP_OK;
	s->arrays.place = place;
	*seconds = 1e9;
	for (int i = 0; i <= TRIES; i++) { /* the first one builds kernels, and is not counted */
		memcpy(s->sorted, s->keys, s->items * sizeof *s->keys);
		double since = gemp_now(), took;
		GEMP_TRY(primitives[primitive].run(s));
		took = gemp_now() - since;
		*seconds = i && took < *seconds ? took : *seconds;
	}
done:
	return code;
}

/* *below: the size from which the device is faster, also at further ones; 0: none up to `most`. */
static gemp_code measure(subject *s, gemp_report *report, size_t primitive, size_t most, uint32_t *below)
{
	gemp_code code = GEMP_OK;
	json_t *list = json_array();
	unsigned faster = 0;
	double host = 0, device = 0;
	*below = 0;
	for (size_t items = LEAST; items <= most && faster <= SURE; items *= 2) {
		resize(s, items);
		GEMP_TRY(time_at(s, primitive, GEMP_PLACE_HOST, &host));
		GEMP_TRY(time_at(s, primitive, GEMP_PLACE_DEVICE, &device));
		faster = device < host ? faster + 1 : 0;
		*below = faster ? (uint32_t)(items >> (faster - 1)) : 0;
		json_array_append_new(list, json_pack("{s:I, s:f, s:f}", "items", (json_int_t)items, "host_ms",
		                                      1e3 * host, "device_ms", 1e3 * device));
	}
	gemp_report_print(report, "  %-24s %8" PRIu32 " %12.4f %12.4f   host and device, at the largest size\n",
	                  primitives[primitive].tuning, *below, 1e3 * host, 1e3 * device);
	gemp_report_set(report, primitives[primitive].tuning, json_pack("{s:I, s:O}", "below", (json_int_t)*below,
	                                                                "sizes", list));
done:
	json_decref(list);
	return code;
}

gemp_code gemp_bench_places(gemp_report *report, gemp_context *context, size_t most)
{
	gemp_code code = GEMP_OK;
	subject s;
	GEMP_TRY(subject_new(&s, context, most));
	for (size_t p = 0; p < sizeof primitives / sizeof *primitives; p++) {
		uint32_t below;
		GEMP_TRY(measure(&s, report, p, most, &below));
		if (context->device->gpu)
			gemp_tuning_set(context->device, primitives[p].tuning, below ? below : (uint32_t)1 << 31);
	}
done:
	subject_free(&s);
	return code;
}
