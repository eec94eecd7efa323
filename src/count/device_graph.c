#include "count/device_graph.h"

#include "core/memory.h"
#include "core/status.h"
#include "count/expression.h"
#include "device/program.h"
#include "kernels/count/count_abi.h"

/* A table has its own bound, the symbols `a` and `o` are 0 or 1, and every other symbol is at most the maximum
 * degree. */
static void find_bounds(const gemp_count_graph *graph, double bounds[GEMP_SYMBOLS])
{
	for (int s = 0; s < GEMP_SYMBOLS; s++)
		bounds[s] = s < GEMP_SYMBOL_SUPPORT ? graph->table_bound[s % GEMP_TABLES] : graph->max_degree;
	for (int i = 0; i < GEMP_PLACES; i++)
		bounds[GEMP_SYMBOL_LOW + i] = graph->low_bound;
	bounds[GEMP_SYMBOL_ADJACENT] = bounds[GEMP_SYMBOL_ORDER] = 1;
}

/* The bound holds for every vertex of the graph, so it is checked once, before the kernels are built. */
gemp_code gemp_count_bound(const gemp_count_graph *graph, const char *expression, double *bound)
{
	gemp_compiled program;
	double bounds[GEMP_SYMBOLS];
	GEMP_TRY(gemp_expression_compile(&program, expression));
	find_bounds(graph, bounds);
	*bound = gemp_expression_bound(&program, bounds);
	return GEMP_OK;
}

/* The kernels declare the tables in this order. */
size_t gemp_count_table_arguments(const gemp_count_graph *graph, const char *expression, gemp_argument *arguments)
{
	size_t count = 0;
	for (size_t k = 0; k < GEMP_MAX_VERTEX_TABLES; k++)
		if (gemp_expression_reads_table(expression, k))
			arguments[count++] = GEMP_ARG(&graph->tables[k].mem);
	return count;
}

/* A kernel may be released directly after its launch, since OpenCL keeps it until the launch has ended. */
gemp_code gemp_count_launch_once_with(gemp_timings *timings, gemp_device *device, const gemp_program *program,
                                      const char *name, size_t items, size_t group, const gemp_argument *arguments,
                                      size_t count)
{
	cl_kernel kernel;
	GEMP_TRY(gemp_kernel_new(&kernel, program, name));
	gemp_code code = gemp_launch_timed_with(timings, device, kernel, items, group, arguments, count);
	gemp_kernels_free(&kernel);
	return code;
}

/* The control words begin as zero, as every launch expects them. */
gemp_code gemp_partials_new(gemp_partials *out, gemp_device *device, size_t capacity)
{
	static const uint32_t zero[GEMP_COUNT_CONTROL_WORDS];
	*out = (gemp_partials){ .capacity = capacity, .checked = true };
	GEMP_TRY(GEMP_NEW(out->words, 2 * capacity));
	GEMP_TRY(gemp_buffer_new(&out->out, device, 2 * capacity * sizeof *out->words, NULL));
	return gemp_buffer_new(&out->control, device, sizeof zero, zero);
}

void gemp_partials_free(gemp_partials *partials, gemp_device *device)
{
	gemp_buffers_free(device, &partials->control, &partials->out);
	gemp_free(partials->words);
	*partials = (gemp_partials){ 0 };
}

/* Fails if a kernel has set the overflow word. The word is cleared, so that it does not affect later runs of the
 * engine. */
static gemp_code check_overflow(const gemp_partials *partials, gemp_device *device)
{
	uint32_t passed = 0;
	size_t at = GEMP_COUNT_OVERFLOW * sizeof passed;
	GEMP_TRY(gemp_buffer_read(device, &partials->control, at, sizeof passed, &passed));
	if (!passed)
		return GEMP_OK;
	GEMP_TRY(gemp_buffer_zero(device, &partials->control, at, sizeof passed));
	return gemp_fail(GEMP_EDATA, "what is counted here passes what sums of 64 bits hold; count-by enumerate does not "
	                             "sum, and remains");
}

gemp_code gemp_partials_read(gemp_partials *partials, gemp_device *device, size_t groups)
{
	GEMP_CHECK(groups <= partials->capacity);
	GEMP_TRY(gemp_buffer_read(device, &partials->out, 0, 2 * groups * sizeof *partials->words, partials->words));
	return partials->checked ? check_overflow(partials, device) : GEMP_OK;
}

/* Adds the upper and the lower halves separately. A half is the sum of 32-bit halves of values, so 128 bits suffice. */
__int128 gemp_partials_total(const gemp_partials *partials, size_t first, size_t groups)
{
	__int128 low = 0, high = 0;
	GEMP_CHECK(first + groups <= partials->capacity);
	for (size_t g = first; g < first + groups; g++) {
		low += partials->words[2 * g];
		high += partials->words[2 * g + 1];
	}
	return low + high * ((__int128)1 << 32);
}

gemp_code gemp_vertex_sum_overflows(const gemp_count_graph *graph, const gemp_sum *sum, bool *passes)
{
	double bound = 0;
	if (sum->kind == GEMP_SUM_VERTICES && sum->expression)
		GEMP_TRY(gemp_count_bound(graph, sum->expression, &bound));
	*passes = sum->leaves > 0 || bound >= GEMP_COUNT_LARGEST;
	return GEMP_OK;
}

/* Reads the tables that the sum mentions from the device. A star needs only the degrees, table 0. */
static gemp_code read_tables(const gemp_count_graph *graph, const gemp_sum *sum, int64_t **tables)
{
	for (int k = 0; k < GEMP_TABLES; k++) {
		if (sum->leaves ? k > 0 : !gemp_polynomial_mentions(sum->polynomial, gemp_symbol_table(0, k)))
			continue;
		GEMP_TRY(GEMP_NEW(tables[k], graph->vertices));
		GEMP_TRY(gemp_buffer_read(graph->context->device, &graph->tables[k], 0, graph->vertices * sizeof *tables[k],
		                          tables[k]));
	}
	return GEMP_OK;
}

/* Adds the polynomial's value at one vertex. Returns false if the value does not fit into 128 bits. */
static bool add_vertex(const gemp_polynomial *p, int64_t *const *tables, size_t v, __int128 *total)
{
	bool fits = true;
	for (size_t i = 0; i < p->count; i++) {
		__int128 value = p->terms[i].factor;
		for (int k = 0; k < GEMP_TABLES; k++)
			for (int n = 0; n < p->terms[i].monomial.power[gemp_symbol_table(0, k)]; n++)
				fits &= !__builtin_mul_overflow(value, tables[k][v], &value);
		fits &= !__builtin_add_overflow(*total, value, total);
	}
	return fits;
}

/* Each rank takes every size-th vertex. Hubs, which have the smallest slots, are thus spread over the ranks. */
gemp_code gemp_vertex_sum(const gemp_count_graph *graph, const gemp_sum *sum, __int128 *total)
{
	gemp_code code = GEMP_OK;
	int64_t *tables[GEMP_TABLES] = { 0 };
	const gemp_comm *comm = graph->context->comm;
	bool fits = true;
	*total = 0;
	GEMP_TRY_DONE(read_tables(graph, sum, tables));
	for (size_t v = (size_t)comm->rank; v < graph->vertices && fits; v += (size_t)comm->size)
		if (sum->leaves)
			*total += gemp_sum_star(sum, tables[0][v]);
		else
			fits = add_vertex(sum->polynomial, tables, v, total);
	if (!fits)
		code = gemp_fail(GEMP_EDATA, "a sum over vertices does not fit into 128 bits; count by enumeration");
done:
	for (int k = 0; k < GEMP_TABLES; k++)
		gemp_free(tables[k]);
	return code;
}
