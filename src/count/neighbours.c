#include "count/neighbours_parts.h"

#include "count/sweep_bound.h"

#include "core/memory.h"
#include "core/text.h"

#include <stdio.h>

enum { GROUP = 256, SELECT_LANES = 32, FILL_LANES = 8, SUM_LANES = 32, MEMORY_SHARE = 4 };
static const double largest = 4.0e18; /* COUNT_LARGEST of kernels/count.clh */

bool gemp_neighbours_codegrees(const gemp_device *device, uint64_t vertices)
{
	uint64_t bytes = vertices < 2 ? 0 : vertices * (vertices - 1) / 2 * sizeof(uint32_t);
	if (!device->gpu)
		return true;
	return vertices < UINT32_MAX / 4 && bytes <= device->memory / MEMORY_SHARE && bytes <= device->largest;
}

bool gemp_around_mentions(const gemp_around *a, const char *symbol)
{
	return gemp_sum_mentions(a->sum->expression, symbol);
}

gemp_code gemp_around_lap(gemp_around *a)
{
	a->result->launches++;
	return gemp_laps_add(&a->laps, a->device);
}

/* SOURCE */
static bool mentions_table(const gemp_around *a, int table, int place)
{
	char symbol[32];
	snprintf(symbol, sizeof symbol, "V%d_%d", table, place);
	return gemp_around_mentions(a, symbol);
}

bool gemp_around_table(const gemp_around *a, int table)
{
	return mentions_table(a, table, 0) || mentions_table(a, table, 1) || mentions_table(a, table, 2);
}

static void emit_tables(const gemp_around *a, gemp_text *text)
{
	gemp_text_print(text, "#define AROUND_TABLES");
	for (int k = 0; k < GEMP_MAX_VERTEX_TABLES; k++)
		if (gemp_around_table(a, k))
			gemp_text_print(text, " __global const long *V%d,", k);
	gemp_text_print(text, "\n%s", gemp_around_mentions(a, "g") ? "#define AROUND_CODEGREES\n" : "");
}

static void emit_places(const gemp_around *a, gemp_text *text, int least, int most)
{
	for (int place = least; place <= most; place++)
		for (int k = 0; k < GEMP_MAX_VERTEX_TABLES; k++)
			if (mentions_table(a, k, place))
				gemp_text_print(text, " long V%d_%d = V%d[slot_%d];", k, place, k, place);
}

/* AROUND_A and so on are defined by the kernels, in the ways that their form has. */
static void emit_symbols(const gemp_around *a, gemp_text *text)
{
	static const char *const inner[][2] = { { "t_12", "AROUND_T" }, { "a", "AROUND_A" }, { "g", "AROUND_G" } };
	gemp_text_print(text, "#define AROUND_OUTER");
	emit_places(a, text, 0, 1);
	if (gemp_around_mentions(a, "t_01"))
		gemp_text_print(text, " long t_01 = support[e];");
	gemp_text_print(text, "\n#define AROUND_INNER");
	emit_places(a, text, 2, 2);
	for (size_t i = 0; i < sizeof inner / sizeof *inner; i++)
		if (gemp_around_mentions(a, inner[i][0]))
			gemp_text_print(text, " long %s = %s;", inner[i][0], inner[i][1]);
	gemp_text_print(text, "\n#define AROUND_VALUE (%s)\n", a->sum->expression ? a->sum->expression : "1");
}

static double symbol_bound(void *self, const char *symbol)
{
	const gemp_around *a = self;
	if (symbol[0] == 'V')
		return a->graph->table_bound[symbol[1] - '0'];
	return symbol[0] == 'a' ? 1 : a->graph->longest; /* c, g, t */
}

static gemp_code emit_check(gemp_around *a, gemp_text *text)
{
	gemp_code code = GEMP_OK;
	double bound = 1;
	if (a->sum->expression)
		GEMP_TRY(gemp_expression_bound(a->sum->expression, symbol_bound, a, &bound));
	if (2 * bound * a->graph->longest < largest)
		gemp_text_print(text, "#define AROUND_SMALL\n");
	gemp_text_print(text, "#define AROUND_CHECK");
	if (bound >= largest) {
		gemp_text_print(text, " count_check(");
		gemp_expression_magnitude(text, a->sum->expression);
		gemp_text_print(text, ", control);");
	}
	gemp_text_print(text, "\n");
done:
	return code;
}

/* Every term of such a sum has c; if none has it twice, common neighbours can be taken one by one. */
static bool linear(const gemp_around *a)
{
	return a->sum->power == 1;
}

/* Does it tell vertex 1 from one of the common neighbours? */
static bool speaks_of_centre(const gemp_around *a)
{
	bool speaks = gemp_around_mentions(a, "t_01") || gemp_around_mentions(a, "t_12");
	for (int k = 0; k < GEMP_MAX_VERTEX_TABLES; k++)
		speaks |= mentions_table(a, k, 1);
	return speaks;
}

static gemp_code emit(gemp_around *a, bool lists, gemp_text *text)
{
	gemp_code code = GEMP_OK;
	char *fixed = NULL;
	GEMP_TRY(gemp_kernel_source(&fixed, lists ? "count_neighbours_lists.cl" : "count_neighbours.cl"));
	gemp_text_print(text, "#define OFFSET %s\n#define GEMP_LANES %d\n#define FILL_LANES %d\n#define SUM_LANES %d\n%s%s",
	                a->graph->wide ? "ulong" : "uint", a->device->nvidia ? SELECT_LANES : 1,
	                a->device->gpu ? FILL_LANES : 1, a->device->gpu ? SUM_LANES : 1,
	                linear(a) ? "#define AROUND_LINEAR\n" : "",
	                linear(a) && !speaks_of_centre(a) ? "#define AROUND_BOTH\n" : "");
	emit_tables(a, text);
	emit_symbols(a, text);
	GEMP_TRY(emit_check(a, text));
	gemp_text_print(text, "%s", fixed);
	GEMP_TRY(gemp_text_status(text));
done:
	gemp_free(fixed);
	return code;
}

/* RUNNING */
static gemp_code run(gemp_around *a, bool lists, uint64_t most)
{
	gemp_code code = GEMP_OK;
	a->most = a->device->memory / MEMORY_SHARE;
	if (a->most > a->device->largest)
		a->most = a->device->largest;
	if (most && a->most > most)
		a->most = most;
	if (a->graph->entries == 0)
		return GEMP_OK;
	GEMP_TRY(gemp_partials_new(&a->partials, a->device, a->items / a->group));
	GEMP_TRY(lists ? gemp_around_lists(a) : gemp_around_bits(a));
	GEMP_TRY(gemp_laps_seconds(&a->laps, &a->result->seconds));
	if (!a->program.cached)
		code = gemp_program_store(a->device, &a->program);
done:
	return code;
}

gemp_code gemp_neighbours_sum_shaped(const gemp_count_graph *graph, const gemp_sum *sum, bool lists, uint64_t most,
                                     gemp_sum_result *result)
{
	gemp_code code = GEMP_OK;
	gemp_device *device = graph->context->device;
	gemp_around a = { .graph = graph, .sum = sum, .device = device, .result = result };
	gemp_text source = { 0 };
	const gemp_comm *comm = graph->context->comm;
	a.items = device->gpu ? (size_t)device->units * 2048 : device->units;
	a.group = device->gpu ? GROUP : 1;
	*result = (gemp_sum_result){ 0 };
	GEMP_TRY(gemp_comm_agree(comm, emit(&a, lists, &source)));
	GEMP_TRY(gemp_context_program(graph->context, &a.program, source.data, NULL));
	GEMP_TRY(gemp_comm_agree(comm, run(&a, lists, most)));
done:
	gemp_partials_free(&a.partials, device);
	gemp_laps_free(&a.laps);
	gemp_program_free(&a.program);
	gemp_text_free(&source);
	return code;
}

gemp_code gemp_neighbours_sum(const gemp_count_graph *graph, const gemp_sum *sum, gemp_sum_result *result)
{
	return gemp_neighbours_sum_shaped(graph, sum, !graph->context->device->gpu, 0, result);
}
