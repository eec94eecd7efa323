#include "count/wedges_codegen.h"

#include "count/expression.h"

#include <stdio.h>

static const char *expression_of(const gemp_sum *sum)
{
	return sum->expression ? sum->expression : "1";
}

static bool mentions(const gemp_sum *sum, const char *symbol)
{
	return gemp_expression_mentions(sum->expression, symbol);
}

/* Both supports lie in one buffer, so one parameter serves both. */
static bool reads_support(const gemp_sum *sum)
{
	return mentions(sum, "t_01") || mentions(sum, "t_12");
}

/* Is each end worth something by itself (WEDGES_BY_END)? Only if the expression depends on no middle vertex: then
 * one evaluation per end replaces one per path. */
static bool counts_by_end(const gemp_sum *sum)
{
	if (sum->kind == GEMP_SUM_PAIRS)
		return true;
	if (sum->kind != GEMP_SUM_WEDGES || reads_support(sum))
		return false;
	for (int k = 0; k < GEMP_MAX_VERTEX_TABLES; k++)
		if (gemp_expression_mentions_table(sum->expression, (size_t)k, 1))
			return false;
	return true;
}

/* #define NAME long V0_0 = (long)table0[v]; ... The support is read at the entry that leads to the vertex. */
static void emit_values(gemp_text *text, const gemp_sum *sum, const char *name, int place, const char *support)
{
	gemp_text_print(text, "#define %s", name);
	for (int k = 0; k < GEMP_MAX_VERTEX_TABLES; k++)
		if (gemp_expression_mentions_table(sum->expression, (size_t)k, place))
			gemp_text_print(text, " long V%d_%d = (long)table%d[v];", k, place, k);
	if (support && mentions(sum, support))
		gemp_text_print(text, " long %s = support[entry];", support);
	gemp_text_print(text, "\n");
}

/* Parameters (with types) or arguments (without) for the buffers that the expression reads;
 * gemp_wedges_value_arguments has the same order. */
static void emit_buffers(gemp_text *text, const gemp_sum *sum, const char *name, const char *support, const char *table)
{
	gemp_text_print(text, "#define %s", name);
	if (reads_support(sum))
		gemp_text_print(text, ", %ssupport", support);
	for (int k = 0; k < GEMP_MAX_VERTEX_TABLES; k++)
		if (gemp_expression_reads_table(sum->expression, (size_t)k))
			gemp_text_print(text, ", %stable%d", table, k);
	gemp_text_print(text, "\n");
}

/* A root has at most degree^2 paths. */
bool gemp_wedges_few_paths(const gemp_count_graph *graph)
{
	return (uint64_t)graph->max_degree * graph->max_degree <= UINT32_MAX;
}

/* PAIRS weighs an end once if it has any path, WEDGES once for each path. */
static void emit_kind(gemp_text *text, const gemp_sum *sum)
{
	if (counts_by_end(sum))
		gemp_text_print(text, "#define WEDGES_BY_END\n");
	else
		gemp_text_print(text, "#define WEDGES_%s\n",
		                sum->kind == GEMP_SUM_JOINED       ? "JOINED"
		                : sum->kind == GEMP_SUM_PATH_PAIRS ? "PATH_PAIRS"
		                                                   : "BY_PATH");
	if (mentions(sum, "a"))
		gemp_text_print(text, "#define HAS_ADJACENCY\n");
	gemp_text_print(text, "#define END_WEIGHT %s\n", sum->kind == GEMP_SUM_PAIRS ? "(c > 0)" : "c");
}

bool gemp_wedges_narrow_counters(const gemp_count_graph *graph, const gemp_sum *sum)
{
	return counts_by_end(sum) && graph->max_degree <= UINT16_MAX;
}

/* Counts of paths beyond 32 bits need atomics on 64 bits, an extension, so they are used only where a degree's
 * square demands it. */
gemp_code gemp_wedges_emit_types(gemp_text *text, const gemp_count_graph *graph, const gemp_sum *sum)
{
	const char *offset = graph->wide ? "ulong" : "uint";
	bool gpu = graph->context->device->gpu, pairs = sum->kind == GEMP_SUM_PAIRS;
	gemp_text_print(text, "typedef %s OFFSET;\ntypedef %s2 ROW;\n", offset, offset);
	gemp_text_print(text, "#define SHUFFLE_OFFSET(value, lane) gemp_shuffle%s((value), (lane))\n",
	                graph->wide ? "64" : "");
	gemp_text_print(text, "#define GROUP_SYNC %s\n",
	                gpu ? "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)" : "((void)0)");
	gemp_text_print(text, "typedef %s COUNTER;\n", gemp_wedges_narrow_counters(graph, sum) ? "ushort" : "uint");
	gemp_text_print(text, "#define FETCH(place) %s\n",
	                gpu ? "((void)0)" : "__builtin_prefetch((const void *)(size_t)(place))");
	gemp_text_print(text, gemp_wedges_few_paths(graph)
	                          ? "typedef uint PATHS;\n#define ADD_PATHS(to, more) atomic_add((to), (more))\n"
	                          : "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\ntypedef ulong PATHS;\n"
	                            "#define ADD_PATHS(to, more) atom_add((to), (ulong)(more))\n");
	gemp_text_print(text, "#define IS_MIDDLE(r, x) (%s)\n#define MIDDLES_FROM(r) %s[r]\n", pairs ? "true" : "(x) > (r)",
	                pairs ? "row_offsets" : "upper_offsets");
	return gemp_text_status(text);
}

gemp_code gemp_wedges_emit_value(gemp_text *text, const gemp_sum *sum, bool watched)
{
	emit_kind(text, sum);
	emit_values(text, sum, "AT_ROOT(v)", 0, NULL);
	emit_values(text, sum, "AT_MIDDLE(v, entry)", 1, "t_01");
	emit_values(text, sum, "AT_END(v)", 2, NULL);
	gemp_text_print(text, "#define AT_END_ENTRY(entry)%s\n",
	                mentions(sum, "t_12") ? " long t_12 = support[entry];" : "");
	emit_buffers(text, sum, "VALUE_PARAMETERS", "__global const uint *restrict ", "__global const ulong *restrict ");
	emit_buffers(text, sum, "VALUE_ARGUMENTS", "", "");
	gemp_text_print(text, "#define VALUE (%s)\n#define MAGNITUDE (", expression_of(sum));
	gemp_expression_magnitude(text, expression_of(sum));
	gemp_text_print(text, ")\n");
	gemp_text_print(text,
	                "typedef struct wedges_sum {\n\tlong value;\n\tdouble magnitude;\n} wedges_sum;\n"
	                "#define ADD_MAGNITUDE(sum, m)%s\n",
	                watched ? " (sum)->magnitude += (m);" : "");
	return gemp_text_status(text);
}

size_t gemp_wedges_value_arguments(const gemp_count_graph *graph, const gemp_sum *sum, gemp_argument *arguments)
{
	size_t count = 0;
	if (reads_support(sum))
		arguments[count++] = GEMP_ARG(&graph->support.mem);
	for (int k = 0; k < GEMP_MAX_VERTEX_TABLES; k++)
		if (gemp_expression_reads_table(sum->expression, (size_t)k))
			arguments[count++] = GEMP_ARG(&graph->tables[k].mem);
	return count;
}
