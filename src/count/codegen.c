#include "count/codegen.h"

#include "core/status.h"
#include "count/expression.h"
#include "kernels/count/count_abi.h"
#include "pattern/model/pattern.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *expression_of(const gemp_sum *sum)
{
	return sum->expression ? sum->expression : "1";
}

static bool mentions(const gemp_sum *sum, const char *symbol)
{
	return gemp_expression_mentions(sum->expression, symbol);
}

/* The buffer `support` has the support of every entry, so t_01 and t_12 read the same parameter. */
static bool reads_support(const gemp_sum *sum)
{
	return mentions(sum, "t_01") || mentions(sum, "t_12");
}

/* Can the sum be evaluated once for each end (WEDGES_BY_END) instead of once for each path? Only if the expression does
 * not depend on the middle vertex. */
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

/* Prints a macro that declares the vertex tables at one place: #define NAME long V0_0 = (long)table0[v]; ... If
 * `support` is not NULL, the macro also declares this symbol, the support of the edge at the entry that leads to v. */
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

/* Prints the buffers that the expression reads: as parameters if `support` and `table` are type names, as arguments if
 * they are empty. gemp_wedges_value_arguments passes the buffers in the same order. */
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

/* An end has weight 1 in PAIRS if any path leads to it, and weight c in WEDGES, its number of paths. */
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

/* More than 2^32 paths of one root need 64-bit atomics, which are an extension. They are used only if the square of the
 * maximum degree demands them. */
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

/* The macros may come in any order, because a macro is expanded only where it is used. */
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
	return count + gemp_count_table_arguments(graph, sum->expression, arguments + count);
}

/* Does the expression mention the symbol NAME_PLACE? */
static bool mentions_place(const char *expression, const char *name, int place)
{
	char symbol[32];
	snprintf(symbol, sizeof symbol, "%s_%d", name, place);
	return gemp_expression_mentions(expression, symbol);
}

/* Prints the kernel parameters for the vertex tables. gemp_count_table_arguments passes the buffers in the same
 * order. */
static void emit_tables(gemp_text *text, const gemp_count_plan *plan, const char *expression)
{
	gemp_text_print(text, "#define COUNT_TABLES");
	for (size_t k = 0; k < plan->table_count; k++)
		if (gemp_expression_reads_table(expression, k))
			gemp_text_print(text, " __global const long *V%zu,", k);
	gemp_text_print(text, "\n");
}

/* Declares V<k>_<i> only if the expression reads it, since each is a scattered read of 8 bytes. */
static void emit_vertex_symbols(gemp_text *text, const gemp_count_plan *plan, const char *expression, int places)
{
	for (size_t k = 0; k < plan->table_count; k++)
		for (int i = 0; i < places; i++)
			if (gemp_expression_mentions_table(expression, k, i))
				gemp_text_print(text, " long V%zu_%d = V%zu[slot_%d];", k, i, k, i);
}

/* Declares the supports t_ij, which are read from the low rows. */
static void emit_edge_symbols(gemp_text *text, const char *expression)
{
	static const char *const edges[] = { "01", "02", "12" };
	for (size_t e = 0; e < 3; e++) {
		char symbol[] = { 't', '_', edges[e][0], edges[e][1], 0 };
		if (gemp_expression_mentions(expression, symbol))
			gemp_text_print(text, " long %s = low_support[at_%s];", symbol, edges[e]);
	}
}

/* low_i costs no memory access beyond the row offsets, because the position at which vertex 0 was found gives it. up_i
 * also reads the degree. Vertices 1 and 2 have vertex 0 itself as a neighbour, hence the - 1. */
static void emit_triangle_symbols(gemp_text *text, const char *expression)
{
	static const char *const end[] = { "low_offsets[slot_0 + 1]", "at_01", "at_02" };
	for (int i = 0; i < 3; i++) {
		bool up = mentions_place(expression, "up", i);
		if (up || mentions_place(expression, "low", i))
			gemp_text_print(text, " long low_%d = (long)(%s - low_offsets[slot_%d]);", i, end[i], i);
		if (up)
			gemp_text_print(text, " long up_%d = V0[slot_%d] - low_%d%s;", i, i, i, i ? " - 1" : "");
	}
}

/* Prints the expression, and its magnitude if the sum of `times` values could exceed 64 bits on this graph. */
static gemp_code emit_value(gemp_text *text, const char *expression, gemp_count_codegen *source, double times)
{
	double maximum = 0;
	gemp_text_print(text, "\n#define COUNT_VALUE (%s)\n", expression);
	GEMP_TRY(gemp_count_bound(source->graph, expression, &maximum));
	if (maximum * times < GEMP_COUNT_LARGEST)
		return GEMP_OK;
	source->checked = true;
	gemp_text_print(text, "#define COUNT_MAGNITUDE (");
	gemp_expression_magnitude(text, expression);
	gemp_text_print(text, ")\n");
	return GEMP_OK;
}

/* Undefines all macros of a kernel, because the next kernel uses the same names. */
static void emit_end(gemp_text *text)
{
	static const char *const names[] = { "KERNEL", "GROUPS",    "TABLES", "SYMBOLS", "VALUE", "MAGNITUDE", "VERTICES",
		                                 "EDGES",  "TRIANGLES", "FOUND",  "KEPT",    "SPACE", "ROOM",      "WORDS" };
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		gemp_text_print(text, "#undef COUNT_%s\n", names[i]);
}

/* Prints the kernel of a vertex table in which a work-item sums a row and, for a GPU, the kernel in which a work-group
 * does. The symbols t_01, `o` and u_01 belong to the entry that is added. */
static gemp_code emit_table(gemp_text *text, const gemp_count_plan *plan, size_t k, gemp_count_codegen *source)
{
	const char *expression = plan->tables[k].expression;
	gemp_text_print(text, "#define COUNT_KERNEL count_table_%zu\n#define COUNT_GROUPS count_rows_%zu\n", k, k);
	emit_tables(text, plan, expression);
	gemp_text_print(text, "#define COUNT_SYMBOLS");
	emit_vertex_symbols(text, plan, expression, 2);
	if (gemp_expression_mentions(expression, "t_01"))
		gemp_text_print(text, " long t_01 = support[entry];");
	if (gemp_expression_mentions(expression, "o"))
		gemp_text_print(text, " long o = slot_1 > slot_0;");
	if (gemp_expression_mentions(expression, "u_01"))
		gemp_text_print(text, " long u_01 = ordered_support[entry];");
	GEMP_TRY(emit_value(text, expression, source, source->graph->max_degree));
	GEMP_TRY(gemp_kernel_append(text, "count_table.cl"));
	emit_end(text);
	return GEMP_OK;
}

/* Prints the kernel of a sum over vertices, edges or triangles. A sum over triangles without an expression is their
 * number. */
static gemp_code emit_sum(gemp_text *text, const gemp_count_plan *plan, size_t i, gemp_count_codegen *source)
{
	static const char *const shapes[] = {
		[GEMP_SUM_VERTICES] = "VERTICES", [GEMP_SUM_EDGES] = "EDGES", [GEMP_SUM_TRIANGLES] = "TRIANGLES"
	};
	const gemp_sum *sum = &plan->sums[i];
	gemp_text_print(text, "#define COUNT_KERNEL count_sum_%zu\n#define COUNT_%s\n", i, shapes[sum->kind]);
	emit_tables(text, plan, sum->expression);
	if (sum->expression) {
		gemp_text_print(text, "#define COUNT_SYMBOLS");
		emit_vertex_symbols(text, plan, sum->expression, 1 + (int)sum->kind);
		emit_edge_symbols(text, sum->expression);
		if (sum->kind == GEMP_SUM_TRIANGLES)
			emit_triangle_symbols(text, sum->expression);
		GEMP_TRY(emit_value(text, sum->expression, source, 1));
	}
	GEMP_TRY(gemp_kernel_append(text, "count_sum.cl"));
	emit_end(text);
	return GEMP_OK;
}

/* Opens the loop over the words of the intersection at this level. The loop begins at the word of the previous vertex,
 * because the vertices of a clique are chosen in ascending order. */
static void emit_words(gemp_text *text, int level)
{
	char from[16] = "j / COUNT_BITS";
	if (level > 2)
		snprintf(from, sizeof from, "t%d", level - 1);
	gemp_text_print(text, " for (uint t%d = %s; t%d < words; t%d++)", level, from, level, level);
}

/* Opens the loop over the set bits of a word. Each set bit is the next vertex of the clique, and r<level> becomes its
 * row. */
static void emit_bits(gemp_text *text, int level, const char *left)
{
	gemp_text_print(text, " for (COUNT_WORD x%d = %s; x%d; x%d &= x%d - 1) {", level, left, level, level, level);
	gemp_text_print(text,
	                " COUNT_SPACE const COUNT_WORD *r%d = bits + (t%d * COUNT_BITS + COUNT_LOWEST(x%d)) * stride;",
	                level, level, level);
}

/* GPU: recomputes the intersection from the rows at each level. This was measured to be faster than storing words in
 * private memory. */
static void emit_intersections(gemp_text *text, int clique)
{
	for (int level = 2; level < clique - 1; level++) {
		char left[32 * GEMP_MAX_PATTERN_VERTICES] = "";
		for (int r = 0; r < level; r++)
			sprintf(left + strlen(left), "%sr%d[t%d]", r ? " & " : "", r, level);
		emit_words(text, level);
		if (level == clique - 2)
			gemp_text_print(text, " found += popcount(%s);", left);
		else
			emit_bits(text, level, left);
	}
}

/* CPU: stores the intersection of each level in an array of words. */
static void emit_kept_words(gemp_text *text, int clique)
{
	int last = clique - 3;
	gemp_text_print(text, " for (uint t = j / COUNT_BITS; t < words; t++) %s r0[t] & r1[t]%s;",
	                last == 1 ? "found += popcount(" : "c1[t] =", last == 1 ? ")" : "");
	for (int level = 2; level <= last; level++) {
		char left[32];
		snprintf(left, sizeof left, "c%d[t%d]", level - 1, level);
		emit_words(text, level);
		emit_bits(text, level, left);
		gemp_text_print(text, " for (uint t = t%d; t < words; t++)", level);
		if (level == last)
			gemp_text_print(text, " found += popcount(c%d[t] & r%d[t]);", level - 1, level);
		else
			gemp_text_print(text, " c%d[t] = c%d[t] & r%d[t];", level, level - 1, level);
	}
}

/* Prints, for each register word, its intersection with row r<level>, or the number of bits in the intersection if
 * `count`. */
static void emit_left_words(gemp_text *text, int level, const char *between, bool count)
{
	for (int w = 0; w < GEMP_NARROW_WORDS; w++)
		if (count)
			gemp_text_print(text, "%s popcount(c%d_%d & r%d[%d])", w ? between : "", level - 1, w, level, w);
		else
			gemp_text_print(text, "%s c%d_%d = c%d_%d & r%d[%d]", w ? between : "", level, w, level - 1, w, level, w);
}

/* GPU with short rows: declares a variable for each word, c1_0, c1_1, ..., so that the words lie in registers. */
static void emit_register_words(gemp_text *text, int clique)
{
	int last = clique - 3;
	gemp_text_print(text, " COUNT_WORD");
	for (int w = 0; w < GEMP_NARROW_WORDS; w++)
		gemp_text_print(text, "%s c1_%d = r0[%d] & r1[%d]", w ? "," : "", w, w, w);
	gemp_text_print(text, ";");
	for (int w = 0; w < GEMP_NARROW_WORDS && last == 1; w++)
		gemp_text_print(text, " found += popcount(c1_%d);", w);
	for (int level = 2; level <= last; level++) {
		char left[32 * GEMP_NARROW_WORDS] = "";
		for (int w = 0; w < GEMP_NARROW_WORDS - 1; w++)
			sprintf(left + strlen(left), "t%d == %d ? c%d_%d : ", level, w, level - 1, w);
		sprintf(left + strlen(left), "c%d_%d", level - 1, GEMP_NARROW_WORDS - 1);
		emit_words(text, level);
		emit_bits(text, level, left);
		gemp_text_print(text, level == last ? " found +=" : " COUNT_WORD");
		emit_left_words(text, level, level == last ? " +" : ",", level == last);
		gemp_text_print(text, ";");
	}
}

/* Prints the nest of loops for cliques of this size as COUNT_FOUND, and the arrays of a CPU's nest as COUNT_KEPT. */
static void emit_count(gemp_text *text, int clique, bool narrow, const gemp_count_codegen *source)
{
	gemp_text_print(text, "#define COUNT_FOUND");
	if (narrow)
		emit_register_words(text, clique);
	else if (source->graph->context->device->gpu)
		emit_intersections(text, clique);
	else
		emit_kept_words(text, clique);
	for (int level = 2; level < clique - 2; level++)
		gemp_text_print(text, " }");
	gemp_text_print(text, "\n#define COUNT_KEPT");
	for (int level = 1; level < clique - 3 && !source->graph->context->device->gpu; level++)
		gemp_text_print(text, " COUNT_WORD c%d[%u];", level,
		                (unsigned)fmin(source->graph->low_bound, GEMP_MAX_LOW_ROW) / 64 + 1);
	gemp_text_print(text, "\n");
}

/* IN_LOCAL and NARROW keep the bitmap in local memory, LARGE and ON_CPU in global memory. NARROW keeps intersections in
 * registers, ON_CPU in arrays; the other two recompute them. */
typedef enum clique_form { IN_LOCAL, NARROW, LARGE, ON_CPU } clique_form;

/* Prints one kernel of cliques. Only the nest of loops and the address space of the bitmap depend on the form. */
static gemp_code emit_clique(gemp_text *text, clique_form form, size_t i, int clique, const gemp_count_codegen *source)
{
	static const char *const names[] = { [IN_LOCAL] = "sum", [NARROW] = "narrow", [LARGE] = "large", [ON_CPU] = "sum" };
	bool local = form == IN_LOCAL || form == NARROW;
	gemp_text_print(text, "#define COUNT_KERNEL count_%s_%zu\n#define COUNT_SPACE %s\n#define COUNT_ROOM (%s)\n",
	                names[form], i, local ? "__local" : "__global",
	                local ? "(__local uint *)room" : "slab + get_group_id(0) * slab_words");
	if (form == NARROW)
		gemp_text_print(text, "#define COUNT_WORDS %d\n", GEMP_NARROW_WORDS);
	emit_count(text, clique, form == NARROW, source);
	gemp_code code = gemp_kernel_append(text, "count_clique.cl");
	emit_end(text);
	return code;
}

/* Prints all forms that a launch may choose from. The choice depends on the longest low row, which is known only after
 * the rows have been split on the device. */
static gemp_code emit_cliques(gemp_text *text, const gemp_sum *sum, size_t i, const gemp_count_codegen *source)
{
	if (!source->graph->context->device->gpu)
		return emit_clique(text, ON_CPU, i, sum->clique, source);
	GEMP_TRY(emit_clique(text, IN_LOCAL, i, sum->clique, source));
	GEMP_TRY(emit_clique(text, NARROW, i, sum->clique, source));
	return source->large_low ? emit_clique(text, LARGE, i, sum->clique, source) : GEMP_OK;
}

static void emit_types(gemp_text *text, const gemp_count_codegen *source)
{
	gemp_text_print(text, "#define OFFSET %s\n#define COUNT_LANES %u\n", source->graph->wide ? "ulong" : "uint",
	                source->lanes);
}

/* The text does not depend on the plan, so the program cache has one program for all plans. */
gemp_code gemp_count_emit_rows(gemp_text *text, const gemp_count_codegen *source)
{
	emit_types(text, source);
	GEMP_TRY(gemp_kernel_append(text, "count_rows.cl"));
	GEMP_TRY(gemp_kernel_append(text, "count_support.cl"));
	return gemp_text_status(text);
}

/* A plan of a star or of an edge needs no kernel. An empty program would still cost the start of the compiler. */
static bool has_kernels(const gemp_count_plan *plan)
{
	bool found = plan->table_count > 1;
	for (size_t i = 0; i < plan->sum_count; i++)
		found |= gemp_sum_has_kernel(&plan->sums[i]);
	return found;
}

/* Sums over wedges and neighbourhoods have programs of their own and are left out here. */
gemp_code gemp_count_emit(gemp_text *text, const gemp_count_plan *plan, gemp_count_codegen *source)
{
	if (!has_kernels(plan))
		return GEMP_OK;
	emit_types(text, source);
	for (size_t k = 1; k < plan->table_count; k++)
		GEMP_TRY(emit_table(text, plan, k, source));
	for (size_t i = 0; i < plan->sum_count; i++) {
		const gemp_sum *sum = &plan->sums[i];
		if (sum->kind == GEMP_SUM_CLIQUES)
			GEMP_TRY(emit_cliques(text, sum, i, source));
		else if (gemp_sum_has_kernel(sum))
			GEMP_TRY(emit_sum(text, plan, i, source));
	}
	return gemp_text_status(text);
}
