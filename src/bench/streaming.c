/* A round scatters and shuffles one part of the stream after another. The vertices are updated after all parts, since a
 * later part reads the values of the previous round. */

#include "bench/streaming.h"

#include "core/memory.h"
#include "core/timer.h"

enum { GROUP = 256, TILE = 1 << 12, SLABS_A_UNIT = 32, WARM_TUPLES = 1 << 12 };

static bool is_search(const gemp_streaming *s)
{
	return s->params.application == GEMP_APPLICATION_BFS || s->params.application == GEMP_APPLICATION_SSSP;
}

/* A kernel of stream.cl with its slabs over `count` elements. */
typedef struct stream_launch {
	cl_kernel kernel;
	size_t group;
	gemp_slabs slabs;
} stream_launch;

static gemp_code stream_kernel(gemp_streaming *s, stream_launch *out, const char *name, size_t count)
{
	out->group = gemp_tool_group(s->box, GROUP);
	out->slabs = gemp_tool_slabs(s->box, count, TILE, SLABS_A_UNIT);
	return gemp_tool_kernel(s->box, &out->kernel, "stream.cl", name, out->group, " ");
}

static gemp_code fill(gemp_streaming *s, const gemp_buffer *numbers, cl_uint value)
{
	stream_launch on;
	GEMP_TRY(stream_kernel(s, &on, "stream_fill", numbers->size / sizeof(cl_uint)));
	return gemp_tool_launch(s->box, on.kernel, on.slabs.slabs, on.group, GEMP_ARG(&numbers->mem),
	                        GEMP_ARG(&on.slabs.count), GEMP_ARG(&on.slabs.slab), GEMP_ARG(&value));
}

/* The layout of all tuples: destinations and values in columns of 4 bytes. */
static gemp_shuffle shuffle_of(const gemp_streaming *s, const gemp_edge_stream_part *part)
{
	return (gemp_shuffle){ .layout = GEMP_SHUFFLE_SOA,
		                   .size = 2 * sizeof(cl_uint),
		                   .bits = s->stream->bits,
		                   .shift = s->stream->shift,
		                   .reduction = is_search(s) ? GEMP_SHUFFLE_MIN : GEMP_SHUFFLE_ADD_FLOATS,
		                   .used = part->used };
}

/* Writes the values of the first `count` tuples of a part. */
static gemp_code scatter(gemp_streaming *s, const gemp_edge_stream_part *part, size_t count)
{
	static const char *const names[GEMP_APPLICATIONS] = { [GEMP_APPLICATION_PAGERANK] = "stream_values",
		                                                  [GEMP_APPLICATION_BFS] = "stream_steps",
		                                                  [GEMP_APPLICATION_SSSP] = "stream_lengths",
		                                                  [GEMP_APPLICATION_SPMV] = "stream_products" };
	static const char *const unweighted[GEMP_APPLICATIONS] = {
		[GEMP_APPLICATION_SSSP] = "stream_steps", [GEMP_APPLICATION_SPMV] = "stream_values"
	};
	const gemp_application application = s->params.application;
	const bool weights = part->weight.mem != NULL;
	stream_launch on;
	GEMP_TRY(stream_kernel(s, &on, !weights && unweighted[application] ? unweighted[application] : names[application],
	                       count));
	return gemp_tool_launch(s->box, on.kernel, on.slabs.slabs, on.group, GEMP_ARG(&part->source.mem),
	                        GEMP_ARG(weights ? &part->weight.mem : &part->source.mem), GEMP_ARG(&s->value.mem),
	                        GEMP_ARG(&on.slabs.count), GEMP_ARG(&on.slabs.slab), GEMP_ARG(&s->tuple.mem));
}

/* Adds the seconds of the launches since the last call to *seconds, if it is not NULL. */
static gemp_code add_seconds(gemp_streaming *s, double *seconds)
{
	double more;
	GEMP_TRY(gemp_toolbox_seconds(s->box, &more));
	if (seconds)
		*seconds += more;
	return GEMP_OK;
}

/* Reduces the first `count` tuples of part p. */
static gemp_code shuffle_part(gemp_streaming *s, gemp_shuffle_method method, size_t p, size_t count,
                              gemp_streaming_result *r)
{
	const gemp_edge_stream_part *part = &s->stream->parts[p];
	const gemp_shuffle how = shuffle_of(s, part);
	const gemp_tuples in = { &part->destination, &s->tuple, count, NULL };
	const gemp_tuples out = { &s->destination_out, &s->out, count, NULL };
	if (method != GEMP_SHUFFLE_DECODE) {
		GEMP_TRY(gemp_shuffle_accumulate(s->box, method, &how, &in, &s->sums[p]));
		return add_seconds(s, &r->shuffle);
	}
	GEMP_TRY(gemp_shuffle_decode(s->box, &how, &in, &out, &s->begin));
	GEMP_TRY(add_seconds(s, &r->shuffle));
	GEMP_TRY(gemp_shuffle_gather(s->box, &how, &out, &s->begin, &s->sums[p]));
	return add_seconds(s, &r->gather);
}

/* Updates the vertices of part p. */
static gemp_code apply(gemp_streaming *s, size_t p, uint32_t round)
{
	const gemp_edge_stream_part *part = &s->stream->parts[p];
	const char *name = is_search(s)                                         ? "stream_min"
	                   : s->params.application == GEMP_APPLICATION_PAGERANK ? "stream_pagerank"
	                                                                        : "stream_spmv";
	const double damping = s->params.damping, vertices = s->stream->vertices;
	cl_float start = (cl_float)((1 - damping) / vertices), jump = (cl_float)(damping / vertices),
			 factor = (cl_float)damping;
	cl_uint from = round % 2, to = 1 - from, first = part->first;
	stream_launch on;
	GEMP_TRY(stream_kernel(s, &on, name, part->vertices));
	return gemp_tool_launch(s->box, on.kernel, on.slabs.slabs, on.group, GEMP_ARG(&s->sums[p].mem),
	                        GEMP_ARG(&s->value.mem), GEMP_ARG(&s->result.mem), GEMP_ARG(&s->degree.mem),
	                        GEMP_ARG(&s->numbers.mem), GEMP_ARG(&from), GEMP_ARG(&to), GEMP_ARG(&first),
	                        GEMP_ARG(&on.slabs.count), GEMP_ARG(&on.slabs.slab), GEMP_ARG(&start), GEMP_ARG(&jump),
	                        GEMP_ARG(&factor));
}

/* One round over at most `max` tuples of each part. */
static gemp_code run_round(gemp_streaming *s, gemp_shuffle_method method, uint32_t round, size_t max,
                           gemp_streaming_result *r)
{
	GEMP_TRY(gemp_buffer_zero(s->box->device, &s->numbers, (1 - round % 2) * sizeof(cl_uint), sizeof(cl_uint)));
	for (size_t p = 0; p < s->stream->part_count; p++) {
		const gemp_edge_stream_part *part = &s->stream->parts[p];
		const size_t count = gemp_min(part->edges, max);
		if (count == 0)
			continue;
		GEMP_TRY(scatter(s, part, count));
		GEMP_TRY(add_seconds(s, &r->scatter));
		GEMP_TRY(shuffle_part(s, method, p, count, r));
	}
	for (size_t p = 0; p < s->stream->part_count; p++)
		GEMP_TRY(apply(s, p, round));
	return add_seconds(s, &r->apply);
}

/* Sets ranks to 1 / vertices, and the first of `numbers` to the rank of the vertices without edges. */
static gemp_code begin_pagerank(gemp_streaming *s)
{
	const gemp_edge_stream *stream = s->stream;
	const float rank = 1.0f / (float)stream->vertices;
	GEMP_OWNED float *value = NULL;
	uint32_t sinks = 0;
	GEMP_TRY(GEMP_NEW(value, stream->vertices));
	for (uint32_t v = 0; v < stream->vertices; v++) {
		value[v] = stream->degree[v] ? rank / (float)stream->degree[v] : 0;
		sinks += stream->degree[v] == 0;
	}
	const float numbers[2] = { (float)((double)sinks / stream->vertices), 0 };
	GEMP_TRY(gemp_buffer_write(s->box->device, &s->numbers, 0, sizeof numbers, numbers));
	return gemp_buffer_write(s->box->device, &s->value, 0, stream->vertices * sizeof *value, value);
}

/* Sets the values of all vertices to those before the first round, and all sums to the identity. */
static gemp_code begin(gemp_streaming *s)
{
	gemp_device *device = s->box->device;
	const cl_uint zero = 0;
	for (size_t p = 0; p < s->stream->part_count; p++)
		GEMP_TRY(fill(s, &s->sums[p], is_search(s) ? GEMP_STREAM_UNREACHED : 0));
	if (s->params.application == GEMP_APPLICATION_PAGERANK)
		return begin_pagerank(s);
	if (s->params.application == GEMP_APPLICATION_SPMV)
		return gemp_buffer_write(device, &s->value, 0, s->stream->vertices * sizeof(float), s->params.x);
	GEMP_TRY(fill(s, &s->value, GEMP_STREAM_UNREACHED));
	return gemp_buffer_write(device, &s->value, s->params.source * sizeof zero, sizeof zero, &zero);
}

/* Builds and launches all kernels. decode and atomic take a whole round, since decode allocates its scratch memory in
 * the first one; the other methods may need very long for a round, and get few tuples. */
static gemp_code warm_up(gemp_streaming *s, gemp_shuffle_method method)
{
	const bool whole = method == GEMP_SHUFFLE_DECODE || method == GEMP_SHUFFLE_ATOMIC;
	gemp_streaming_result none = { 0 };
	if (method == GEMP_SHUFFLE_DECODE && !s->out.mem) {
		const size_t bytes = s->stream->max_part * sizeof(cl_uint), ranges = (size_t)1 << s->stream->bits;
		GEMP_TRY(gemp_buffer_new(&s->destination_out, s->box->device, bytes, NULL));
		GEMP_TRY(gemp_buffer_new(&s->out, s->box->device, bytes, NULL));
		GEMP_TRY(gemp_buffer_new(&s->begin, s->box->device, (ranges + 1) * sizeof(cl_uint), NULL));
	}
	GEMP_TRY(begin(s));
	return run_round(s, method, 0, whole ? SIZE_MAX : WARM_TUPLES, &none);
}

/* A search ends when a round has changed nothing. */
static gemp_code is_last(gemp_streaming *s, uint32_t rounds, bool *last)
{
	cl_uint changed = 0;
	*last = rounds == s->params.iterations;
	if (!is_search(s))
		return GEMP_OK;
	GEMP_TRY(gemp_buffer_read(s->box->device, &s->numbers, (rounds % 2) * sizeof changed, sizeof changed, &changed));
	*last = !changed;
	return GEMP_OK;
}

gemp_code gemp_streaming_run(gemp_streaming *s, gemp_shuffle_method method, gemp_streaming_result *result)
{
	*result = (gemp_streaming_result){ 0 };
	GEMP_TRY(warm_up(s, method));
	GEMP_TRY(begin(s));
	GEMP_TRY(add_seconds(s, NULL));
	const double since = gemp_now();
	while (!result->complete) {
		GEMP_TRY(run_round(s, method, result->rounds, SIZE_MAX, result));
		result->rounds++;
		GEMP_TRY(is_last(s, result->rounds, &result->complete));
		result->seconds = gemp_now() - since;
		if (result->seconds > s->params.seconds)
			break;
	}
	return GEMP_OK;
}

gemp_code gemp_streaming_read(gemp_streaming *s, void *numbers)
{
	const gemp_buffer *from = is_search(s) ? &s->value : &s->result;
	return gemp_buffer_read(s->box->device, from, 0, s->stream->vertices * sizeof(cl_uint), numbers);
}

gemp_code gemp_streaming_new(gemp_streaming *out, gemp_toolbox *box, const gemp_edge_stream *stream,
                             const gemp_streaming_params *params)
{
	const size_t bytes = stream->vertices * sizeof(cl_uint);
	gemp_device *device = box->device;
	*out = (gemp_streaming){ .box = box, .stream = stream, .params = *params };
	GEMP_TRY(gemp_tool_check(box, stream->max_part));
	GEMP_TRY(GEMP_NEW(out->sums, stream->part_count));
	for (size_t p = 0; p < stream->part_count; p++)
		GEMP_TRY(gemp_buffer_new(&out->sums[p], device, sizeof(cl_uint) << (stream->bits + stream->shift), NULL));
	GEMP_TRY(gemp_buffer_new(&out->value, device, bytes, NULL));
	GEMP_TRY(gemp_buffer_new(&out->result, device, is_search(out) ? sizeof(cl_uint) : bytes, NULL));
	GEMP_TRY(gemp_buffer_new(&out->degree, device, bytes, stream->degree));
	GEMP_TRY(gemp_buffer_new(&out->numbers, device, 2 * sizeof(cl_uint), NULL));
	return gemp_buffer_new(&out->tuple, device, stream->max_part * sizeof(cl_uint), NULL);
}

void gemp_streaming_free(gemp_streaming *s)
{
	gemp_device *device = s->box ? s->box->device : NULL;
	for (size_t p = 0; s->sums && p < s->stream->part_count; p++)
		gemp_buffer_free(&s->sums[p], device);
	if (device)
		gemp_buffers_free(device, &s->value, &s->result, &s->degree, &s->numbers, &s->tuple, &s->destination_out,
		                  &s->out, &s->begin);
	gemp_free(s->sums);
	*s = (gemp_streaming){ 0 };
}
