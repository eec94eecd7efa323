#include "match/codegen/emit_step.h"

#include "match/codegen/emit_tests.h"
#include "match/codegen/kernel_text.h"

#include <stdio.h>

/* What the functions below share. In a step's test its own vertex and edge are the lane's: c and ce. */
typedef struct step_emitter {
	gemp_text *t;
	const gemp_plan *plan;
	const gemp_item_layout *layout;
	const gemp_emit_options *options;
	int s;
	const gemp_step *step;
	bool root, last, edges;
	bool sliced;     /* a task may have every so manieth candidate (lanes of them) only */
	char single[48]; /* expression: the step's vertex came with the task */
} step_emitter;

/* A vertex in a step's test: the candidate is c. */
static gemp_variable vertex(const step_emitter *e, int v)
{
	bool candidate = v == e->step->vertex && e->step->kind != GEMP_BIND_EDGE;
	return candidate ? (gemp_variable){ "c" } : gemp_variable_of('v', v);
}

/* Stages are few enough for a search, and this runs on the host. */
static uint32_t stage_of(const step_emitter *e, int step, bool verify)
{
	for (size_t k = 0; k < e->layout->stage_count; k++)
		if (e->layout->stages[k].step == step && e->layout->stages[k].verify == verify)
			return (uint32_t)k;
	return 0;
}

/* Do all sources of the step lie in one view? Then the row is chosen without choosing a pointer. */
static bool one_view(const gemp_step *step)
{
	for (size_t j = 1; j < step->sources; j++)
		if (step->checks[j].view != step->checks[0].view)
			return false;
	return true;
}

/* Writes `from_S == 0 ? x0 : from_S == 1 ? x1 : ...`, where the format takes the view of check j, or its vertex. */
static void emit_by_view(const step_emitter *e, const char *format, bool by_view)
{
	const gemp_step *step = e->step;
	size_t sources = step->kind == GEMP_BIND_EDGE || (by_view && one_view(step)) ? 1 : step->sources;
	for (size_t j = 0; j < sources; j++) {
		if (j + 1 < sources)
			gemp_text_print(e->t, "from_%d == %zu ? ", e->s, j);
		gemp_text_print(e->t, format, by_view ? step->checks[j].view : step->checks[j].from);
		if (j + 1 < sources)
			gemp_text_print(e->t, " : ");
	}
}

/* The row was chosen when the step was entered; its pointers are not kept, as they would take registers in every case. */
static void emit_pointers(const step_emitter *e)
{
	gemp_text_print(e->t, "\t\t\t__global const uint *near = ");
	emit_by_view(e, "near_%d", true);
	gemp_text_print(e->t, ";\n");
	if (e->edges) {
		gemp_text_print(e->t, "\t\t\t__global const ulong *edge = ");
		emit_by_view(e, "edge_%d", true);
		gemp_text_print(e->t, ";\n");
	}
}

/* Restrictions on slots cut the row at both ends by binary search. */
static void emit_trim(const step_emitter *e)
{
	for (int v = 0; v < e->plan->vertex_count; v++) {
		if (e->step->less >> v & 1)
			gemp_kernel_print(e->t, e->s, "\t\t\t\tend_$ = gemp_lower(near, cur_$, end_$, v_%d);\n", v);
		if (e->step->greater >> v & 1)
			gemp_kernel_print(e->t, e->s, "\t\t\t\tcur_$ = gemp_lower(near, cur_$, end_$, v_%d + 1);\n", v);
	}
	if (e->step->kind == GEMP_BIND_EDGE)
		gemp_kernel_print(e->t, e->s,
		                  "\t\t\t\tcur_$ = gemp_lower(near, cur_$, end_$, v_%d);\n"
		                  "\t\t\t\tend_$ = gemp_lower(near, cur_$, end_$, v_%d + 1);\n",
		                  e->step->vertex, e->step->vertex);
}

/* Runs once for each partial match that enters the step: chooses the row, reads its range, and makes the first lanes
 * ready. */
static void emit_enter(const step_emitter *e)
{
	gemp_text_print(e->t, "\t\t\tif (fresh) {\n\t\t\t\tfresh = 0;\n");
	if (e->step->kind == GEMP_EXTEND && e->step->sources > 1) {
		gemp_text_print(e->t, "\t\t\t\tuint best = 0;\n");
		for (size_t j = 0; j < e->step->sources; j++) {
			int v = e->step->checks[j].from;
			gemp_text_print(e->t, "\t\t\t\tif (resident(v_%d) && v_%d >= best) { best = v_%d; from_%d = %zu; }\n", v, v,
			                v, e->s, j);
		}
	}
	gemp_text_print(e->t, "\t\t\t\tuint a = ");
	emit_by_view(e, "v_%d", false);
	gemp_text_print(
		e->t,
		";\n\t\t\t\tif (a >= p.vertices || !resident(a)) {\n"
		"\t\t\t\t\tcontrol[GEMP_CONTROL_ERROR] = a >= p.vertices ? GEMP_MATCH_BAD_SLOT : GEMP_MATCH_BAD_ROW;\n"
		"\t\t\t\t\tcontrol[GEMP_CONTROL_PLACE] = %d; control[GEMP_CONTROL_VALUE] = a; stop = 1; break;\n\t\t\t\t}\n",
		e->s);
	emit_pointers(e);
	gemp_text_print(e->t, "\t\t\t\t__global const OFFSET *begin = ");
	emit_by_view(e, "begin_%d", true);
	gemp_kernel_print(e->t, e->s, ";\n\t\t\t\tcur_$ = begin[row(a)]; end_$ = begin[row(a) + 1];\n");
	emit_trim(e);
	if (e->options->profile)
		gemp_kernel_print(e->t, e->s, "\t\t\t\tif (lane == 0 && cur_$ < end_$%s) mine[%zu] += end_$ - cur_$;\n",
		                  e->sliced ? " && slice == 0" : "", e->plan->step_count + (size_t)e->s);
	if (e->sliced)
		gemp_kernel_print(e->t, e->s, "\t\t\t\tcur_$ += min((OFFSET)slice * GEMP_LANES, end_$ - cur_$);\n");
	gemp_kernel_print(e->t, e->s, "\t\t\t\ttodo_$ = gemp_lanes(cur_$, end_$); mask_$ = 0;\n\t\t\t}\n");
}

/* FILTERS need no row. */
static void emit_filters(const step_emitter *e)
{
	static const gemp_rejection failed = { "left != FAILED && ", "left = FAILED;" };
	for (int s = 0; e->root && s < e->s; s++)
		gemp_emit_vertex_filters(e->t, e->plan, &e->plan->steps[s], vertex(e, e->plan->steps[s].vertex).text, &failed);
	if (e->step->kind != GEMP_BIND_EDGE)
		gemp_emit_vertex_filters(e->t, e->plan, e->step, vertex(e, e->step->vertex).text, &failed);
	gemp_emit_edge_filters(e->t, e->plan, e->step, "ce", &failed);
}

bool gemp_emit_keeps_offsets(const gemp_plan *plan, const gemp_emit_options *options)
{
	return !options->all_resident && options->lanes == 1 && plan->step_count <= GEMP_MAX_STEPS_IN_REGISTERS;
}

/* Clears bit `bit` of left if check j holds for its ends, by the row of either end that is here; where neither is, the
 * bit stays and the partial match travels. */
static void emit_test_of(const step_emitter *e, size_t j, const char *bit, const char *from, const char *to)
{
	const gemp_check *check = &e->step->checks[j];
	const char *good = check->absent ? "!" : "";
	int back = gemp_opposite_view(e->plan, check->view);
	gemp_text_print(e->t, "\t\t\t\tif (left != FAILED && left & %s) {\n", bit);
	if (e->options->profile)
		gemp_text_print(e->t, "\t\t\t\t\tmine[%zu]++;\n", 2 * e->plan->step_count + (size_t)e->s);
	gemp_text_print(e->t, "\t\t\t\t\tif (resident(%s))\n\t\t\t\t\t\tleft = %s", from, good);
	if (gemp_emit_keeps_offsets(e->plan, e->options) && check->to == e->step->vertex)
		gemp_text_print(e->t, "has_near(%d, %s, %s, last_%d_%zu)", check->view, from, to, e->s, j);
	else
		gemp_text_print(e->t, "has(%d, %s, %s)", check->view, from, to);
	gemp_text_print(e->t, " ? left & ~%s : FAILED;\n", bit);
	if (back >= 0 && !e->options->all_resident)
		gemp_text_print(e->t,
		                "\t\t\t\t\telse if (resident(%s))\n"
		                "\t\t\t\t\t\tleft = %shas(%d, %s, %s) ? left & ~%s : FAILED;\n",
		                to, good, back, to, from, bit);
	gemp_text_print(e->t, "\t\t\t\t}\n");
}

/* Does check k differ from check j in nothing but the bound vertex that it comes from? */
static bool alike(const step_emitter *e, size_t j, size_t k)
{
	const gemp_check *a = &e->step->checks[j], *b = &e->step->checks[k];
	return a->view == b->view && a->absent == b->absent && a->to == b->to && b->from != e->step->vertex;
}

/* Long plans test checks that are alike in a loop: written out, those of induced patterns and cliques are hundreds of
 * lines. */
static void emit_check_loop(const step_emitter *e, size_t first, size_t end)
{
	gemp_variable to = vertex(e, e->step->checks[first].to);
	gemp_text_print(e->t, "#pragma unroll 1\n\t\t\t\tfor (uint j = 0; j < %zu; j++) {\n\t\t\t\tconst uchar ends[] = { ",
	                end - first);
	for (size_t j = first; j < end; j++)
		gemp_text_print(e->t, "%d, ", e->step->checks[j].from);
	gemp_text_print(e->t, "};\n\t\t\t\tuint from = VERTEX(ends[j]);\n");
	char bit[48];
	snprintf(bit, sizeof bit, "(1ul << (%zu + j))", first);
	emit_test_of(e, first, bit, "from", to.text);
	gemp_text_print(e->t, "\t\t\t\t}\n");
}

/* The check that gave the candidates needs no test; bits of `left` say which checks are still open. */
static void emit_checks(const step_emitter *e, size_t first)
{
	bool loops = e->plan->step_count > GEMP_MAX_STEPS_IN_REGISTERS;
	for (size_t j = first, end; j < e->step->check_count; j = end) {
		const gemp_check *check = &e->step->checks[j];
		for (end = j + 1; loops && end < e->step->check_count && alike(e, j, end); end++)
			;
		if (check->from != e->step->vertex && end - j > 2) {
			emit_check_loop(e, j, end);
			continue;
		}
		char bit[48];
		snprintf(bit, sizeof bit, "%#llxul", 1ull << j);
		emit_test_of(e, j, bit, vertex(e, check->from).text, vertex(e, check->to).text);
		end = j + 1;
	}
}

/* Each lane reads one candidate and tests it, or, for an item that came from another rank, the vertex of that item. */
static void emit_lane_test(const step_emitter *e)
{
	bool verifiable = !e->root && e->step->kind == GEMP_EXTEND && !e->options->all_resident;
	if (e->root) {
		gemp_text_print(e->t, "\t\t\t\tc = v_%d; left = left_in;\n", e->step->vertex);
		emit_filters(e);
	} else {
		if (verifiable)
			gemp_text_print(e->t, "\t\t\t\tif (%s) { c = v_%d; left = left_in;%s } else {\n", e->single,
			                e->step->vertex, e->step->edge >= 0 ? " ce = e;" : "");
		gemp_text_print(e->t, "\t\t\t\tc = near[cur_%d + lane];\n", e->s);
		if (e->step->edge >= 0)
			gemp_text_print(e->t, "\t\t\t\tce = edge[cur_%d + lane];\n", e->s);
		gemp_text_print(e->t, "\t\t\t\tleft = %#llxul", gemp_check_bits(e->step));
		if (e->step->kind == GEMP_EXTEND)
			gemp_text_print(e->t, " & ~(1ul << from_%d)", e->s);
		gemp_text_print(e->t, ";\n");
		if (verifiable) /* its owner is looked up before its row is entered */
			gemp_text_print(e->t,
			                "\t\t\t\tif (c >= p.vertices) {\n"
			                "\t\t\t\t\tcontrol[GEMP_CONTROL_ERROR] = GEMP_MATCH_BAD_SLOT; left = FAILED;\n"
			                "\t\t\t\t\tcontrol[GEMP_CONTROL_PLACE] = %d; control[GEMP_CONTROL_VALUE] = c;\n\t\t\t\t}\n",
			                e->s);
		emit_filters(e);
		if (verifiable)
			gemp_text_print(e->t, "\t\t\t\t}\n");
	}
	if (e->step->kind != GEMP_BIND_EDGE)
		emit_checks(e, e->root || e->step->sources == 1 ? e->step->sources : 0);
}

/* Writes an item behind `item`: header, open checks (VERIFY), then vertices and edges in the order they were bound. */
static void emit_item(const step_emitter *e, int until, bool verify, const char *header)
{
	uint32_t word = 0;
	gemp_text_print(e->t, "\t\t\t\t\titem[%u] = %s;\n", word++, header);
	if (verify) {
		gemp_text_print(e->t, "\t\t\t\t\titem[%u] = (uint)left; item[%u] = (uint)(left >> 32);\n", word, word + 1);
		word += 2;
	}
	for (int s = 0; s < until; s++)
		if (e->plan->steps[s].kind != GEMP_BIND_EDGE)
			gemp_text_print(e->t, "\t\t\t\t\titem[%u] = %s;\n", word++, vertex(e, e->plan->steps[s].vertex).text);
	for (int s = 0; s < until; s++)
		if (e->plan->steps[s].edge >= 0) {
			char edge[16];
			snprintf(edge, sizeof edge, s == e->s ? "ce" : "e_%d", e->plan->steps[s].edge);
			gemp_text_print(e->t, "\t\t\t\t\titem[%u] = (uint)%s; item[%u] = (uint)(%s >> 32);\n", word, edge, word + 1,
			                edge);
			word += 2;
		}
}

/* A lane with open checks sends its partial match to the owner of the first row that it lacks. */
static void emit_send_verify(const step_emitter *e)
{
	uint32_t stage = stage_of(e, e->s, true);
	size_t most = e->step->check_count -
	              (e->step->kind == GEMP_ARGUMENT ? 0 : 1); /* checks left at the first of the stages */
	gemp_text_print(e->t, "\t\t\tif (left != 0 && left != FAILED) {\n\t\t\t\tuint far = ");
	for (size_t j = 0; j + 1 < e->step->check_count; j++)
		gemp_text_print(e->t, "left & %#llxul ? %s : ", 1ull << j, vertex(e, e->step->checks[j].from).text);
	gemp_text_print(e->t, "%s;\n", vertex(e, e->step->checks[e->step->check_count - 1].from).text);
	gemp_text_print(e->t,
	                "\t\t\t\t__global uint *item = room(%u + %zu - (uint)popcount(left), owner(far), %u);\n"
	                "\t\t\t\tif (item) {\n",
	                stage, most, e->layout->item_words[stage]);
	emit_item(e, e->s + 1, true, "1");
	gemp_text_print(e->t, "\t\t\t\t} else\n\t\t\t\t\tblocked = 1;\n\t\t\t}\n");
}

/* A partial match whose next rows are all elsewhere goes to the owner of the one with the greatest slot, the shortest
 * row. */
static void emit_send_enter(const step_emitter *e)
{
	const gemp_step *next = &e->plan->steps[e->s + 1];
	size_t sources = next->kind == GEMP_BIND_EDGE ? 1 : next->sources;
	uint32_t stage = stage_of(e, e->s + 1, false);
	gemp_text_print(e->t, "\t\t\tif (pass && !(");
	for (size_t j = 0; j < sources; j++)
		gemp_text_print(e->t, "%sresident(%s)", j ? " || " : "", vertex(e, next->checks[j].from).text);
	gemp_text_print(e->t, ")) {\n\t\t\t\tuint far = %s;\n", vertex(e, next->checks[0].from).text);
	for (size_t j = 1; j < sources; j++)
		gemp_text_print(e->t, "\t\t\t\tfar = max(far, %s);\n", vertex(e, next->checks[j].from).text);
	gemp_text_print(e->t,
	                "\t\t\t\t__global uint *item = room(%u, owner(far), %u);\n\t\t\t\tpass = 0;\n\t\t\t\tif (item) {\n",
	                stage, e->layout->item_words[stage]);
	emit_item(e, e->s + 1, false, "1");
	gemp_text_print(e->t, "\t\t\t\t} else\n\t\t\t\t\tblocked = 1;\n\t\t\t}\n");
}

/* A partial match may become a task of its own on this rank, so that workers share hubs. Without room for it the
 * worker simply goes on with it. */
static void emit_split(const step_emitter *e)
{
	uint32_t stage = stage_of(e, e->s + 1, false);
	gemp_text_print(e->t,
	                "\t\t\tif (pass && p.split >> %d & 1) {\n"
	                "\t\t\t\t__global uint *item = room(%u, p.ranks, %u);\n\t\t\t\tif (item) {\n\t\t\t\t\tpass = 0;\n",
	                e->s + 1, stage, e->layout->item_words[stage]);
	emit_item(e, e->s + 1, false, "crossed");
	gemp_text_print(e->t, "\t\t\t\t}\n\t\t\t}\n");
}

/* Tests the lanes that are ready; a lane that found no room in the outbox stays ready and the worker stops. */
static void emit_test(const step_emitter *e)
{
	bool spread = !e->options->all_resident;
	gemp_kernel_print(e->t, e->s,
	                  "\t\t\tif (todo_$) {\n"
	                  "\t\t\tuint c = 0; ulong ce = 0, left = FAILED; int blocked = 0; (void)ce;\n"
	                  "\t\t\tif (todo_$ >> lane & 1) {\n");
	if (e->step->edge >= 0 && spread && e->step->kind == GEMP_EXTEND)
		gemp_text_print(e->t, "\t\t\t\tulong e = e_%d;\n", e->step->edge);
	emit_lane_test(e);
	gemp_text_print(e->t, "\t\t\t}\n\t\t\tint pass = left == 0;\n");
	if (e->options->profile)
		gemp_text_print(e->t, "\t\t\tconst int good = pass;\n");
	/* May checks of this step be left for another rank? Those of a pivot need only its own row. */
	size_t own_checks = e->step->kind == GEMP_ARGUMENT ? 0 : e->step->kind == GEMP_EXTEND ? 1 : SIZE_MAX;
	if (spread && e->step->check_count > own_checks)
		emit_send_verify(e);
	if (spread && !e->last)
		emit_send_enter(e);
	if (!e->last && e->s < 31)
		emit_split(e);
	if (e->options->profile)
		gemp_text_print(e->t, "\t\t\tmine[%d] += good && !blocked%s;\n", e->s,
		                e->root && e->options->sliced ? " && slice == 0" : "");
	gemp_kernel_print(e->t, e->s, "\t\t\ttodo_$ = gemp_ballot(blocked);\n\t\t\tmask_$ |= gemp_ballot(pass);\n");
	gemp_text_print(e->t, "\t\t\tif (todo_%d) { stop = 1; break; }\n\t\t\t}\n", e->s);
}

/* Reads the candidate of a lane again, since registers for all lanes' candidates would cost more than the load. */
static void emit_take(const step_emitter *e, const char *lane)
{
	if (e->root)
		return;
	gemp_text_print(e->t, "\t\t\t\tif (!(%s)) {\n", e->single);
	if (e->step->kind == GEMP_EXTEND)
		gemp_text_print(e->t, "\t\t\t\t\tv_%d = near[cur_%d + %s];\n", e->step->vertex, e->s, lane);
	if (e->step->edge >= 0)
		gemp_text_print(e->t, "\t\t\t\t\te_%d = edge[cur_%d + %s];\n", e->step->edge, e->s, lane);
	gemp_text_print(e->t, "\t\t\t\t}\n");
}

/* Descends to the next step with one of the lanes that passed. */
static void emit_visit(const step_emitter *e)
{
	gemp_kernel_print(e->t, e->s, "\t\t\tif (mask_$) {\n\t\t\t\tuint b = lowest(mask_$); (void)b;\n");
	emit_take(e, "b");
	gemp_kernel_print(e->t, e->s, "\t\t\t\tmask_$ &= mask_$ - 1; level = %d; fresh = 1; break;\n\t\t\t}\n", e->s + 1);
}

/* Adds a match of each lane that passed to the counters of its vertices. */
static void emit_count_at(const step_emitter *e)
{
	if (!e->options->per)
		return;
	gemp_text_print(e->t, "\t\t\tif (mask_%d >> lane & 1) {\n", e->s);
	emit_take(e, "lane");
	for (int v = 0; v < e->plan->vertex_count; v++)
		if (e->options->per >> v & 1)
			gemp_text_print(e->t, "\t\t\t\tatom_inc(&per[v_%d]);\n", v);
	gemp_text_print(e->t, "\t\t\t}\n");
}

/* All n matches of the loop have every vertex in common but the last. */
static void emit_loop_counts_at(const step_emitter *e)
{
	for (int v = 0; v < e->plan->vertex_count; v++)
		if (e->options->per >> v & 1 && v != e->step->vertex)
			gemp_text_print(e->t, "\t\t\tif (n) atom_add(&per[v_%d], n);\n", v);
}

/* Matches whose partial match has crossed ranks are counted apart, for the report. */
static void emit_count(const step_emitter *e)
{
	emit_count_at(e);
	gemp_kernel_print(e->t, e->s,
	                  "\t\t\tif (lane == 0 && crossed) found_crossed += popcount(mask_$);\n"
	                  "\t\t\tif (lane == 0 && !crossed) found_local += popcount(mask_$);\n"
	                  "\t\t\tmask_$ = 0;\n");
}

/* A row of the result buffer: ids as sinks take them, and edges in an array behind all rows. */
static void emit_row(const step_emitter *e)
{
	int vertices = e->plan->vertex_count, edges = e->edges ? e->plan->edge_count : 0;
	gemp_text_print(e->t, "\t\t\t\t\t__global uint *r = result + (ulong)at * %d;\n", vertices);
	for (int v = 0; v < vertices; v++)
		gemp_text_print(e->t, "\t\t\t\t\tr[%d] = id_of[v_%d];\n", v, v);
	if (edges)
		gemp_text_print(
			e->t,
			"\t\t\t\t\t__global ulong *edges_of = (__global ulong *)result + ((ulong)p.result_capacity * %d + 1) / 2 + (ulong)at * %d;\n",
			vertices, edges);
	for (int f = 0; f < edges; f++)
		gemp_text_print(e->t, "\t\t\t\t\tedges_of[%d] = e_%d;\n", f, f);
}

/* Lanes that passed reserve their rows together. What has no room keeps its lane, and the worker stops. */
static void emit_result(const step_emitter *e)
{
	gemp_text_print(e->t, "\t\t\tif (mask_%d) {\n", e->s);
	if (e->options->first_only)
		gemp_kernel_print(e->t, e->s, "\t\t\t\tmask_$ &= -mask_$;\n");
	gemp_kernel_print(e->t, e->s,
	                  "\t\t\t\tuint n = popcount(mask_$), at = 0;\n"
	                  "\t\t\t\tif (lane == 0)\n\t\t\t\t\tat = atomic_add(&control[GEMP_CONTROL_RESULTS], n);\n"
	                  "\t\t\t\tat = gemp_shuffle(at, 0) + popcount(mask_$ & ((1u << lane) - 1));\n"
	                  "\t\t\t\tint mine = mask_$ >> lane & 1, fits = mine && at < p.result_capacity;\n"
	                  "\t\t\t\tif (fits) {\n");
	emit_take(e, "lane");
	emit_row(e);
	gemp_kernel_print(e->t, e->s,
	                  "\t\t\t\t}\n\t\t\t\tmask_$ = gemp_ballot(mine && !fits);\n"
	                  "\t\t\t\tn -= popcount(mask_$);\n"
	                  "\t\t\t\tif (lane == 0 && crossed) found_crossed += n;\n"
	                  "\t\t\t\tif (lane == 0 && !crossed) found_local += n;\n"
	                  "\t\t\t\tif (mask_$) { stop = 1; break; }\n");
	if (e->options->first_only)
		gemp_text_print(e->t, "\t\t\t\tactive = 0; break;\n");
	gemp_text_print(e->t, "\t\t\t}\n");
}

/* The next lanes of the row; at its end the worker backtracks, or has finished its task. */
static void emit_advance(const step_emitter *e)
{
	gemp_text_print(e->t, "\t\t\tif (%s) { active = 0; break; }\n", e->single);
	if (e->root)
		return;
	if (e->sliced)
		gemp_kernel_print(e->t, e->s, "\t\t\tcur_$ += min((OFFSET)slices * GEMP_LANES, end_$ - cur_$);\n");
	else
		gemp_text_print(e->t, "\t\t\tcur_%d += GEMP_LANES;\n", e->s);
	gemp_kernel_print(e->t, e->s,
	                  "\t\t\ttodo_$ = gemp_lanes(cur_$, end_$);\n"
	                  "\t\t\tif (!todo_$) { if (level == base) active = 0; else level = %d; break; }\n",
	                  e->s - 1);
}

/* The last step of a count whose rows are all here needs no state: each lane goes through its entries in a plain loop. */
static void emit_count_loop(const step_emitter *e)
{
	gemp_kernel_print(e->t, e->s,
	                  "\t\t\tulong n = 0;\n"
	                  "\t\t\tfor (OFFSET i = cur_$ + lane; i < end_$; i += GEMP_LANES) {\n"
	                  "\t\t\t\tuint c = near[i]; ulong left = %#llxul",
	                  gemp_check_bits(e->step));
	if (e->step->kind == GEMP_EXTEND)
		gemp_text_print(e->t, " & ~(1ul << from_%d)", e->s);
	gemp_text_print(e->t, "; (void)c;\n");
	if (e->step->edge >= 0)
		gemp_text_print(e->t, "\t\t\t\tulong ce = edge[i]; (void)ce;\n");
	emit_filters(e);
	if (e->step->kind == GEMP_EXTEND)
		emit_checks(e, e->step->sources == 1);
	if (e->options->profile)
		gemp_text_print(e->t, "\t\t\t\tmine[%d] += left == 0;\n", e->s);
	if (e->plan->two_paths) {
		gemp_text_print(e->t, "\t\t\t\tif (left == 0) {\n");
		gemp_emit_leaf(e->t, e->plan, NULL, "c");
		gemp_text_print(e->t, "\t\t\t\tn += w;\n\t\t\t\t}\n");
	} else
		gemp_text_print(e->t, "\t\t\t\tn += left == 0;\n");
	if (e->options->per >> e->step->vertex & 1)
		gemp_text_print(e->t, "\t\t\t\tif (left == 0) atom_inc(&per[c]);\n");
	gemp_text_print(e->t, "\t\t\t}\n");
	emit_loop_counts_at(e);
	if (e->options->profile && e->plan->two_paths)
		gemp_text_print(e->t, "\t\t\tmine[%d] += n;\n", e->s + 1);
	gemp_text_print(e->t,
	                "\t\t\tif (crossed) found_crossed += n; else found_local += n;\n"
	                "\t\t\tif (level == base) active = 0; else level = %d;\n",
	                e->s - 1);
}

/* The root's case has no row of its own: its vertex came with the task. The last step of a count with all rows here is
 * a plain loop. */
void gemp_emit_step(gemp_text *text, const gemp_plan *plan, const gemp_item_layout *layout,
                    const gemp_emit_options *options, int s)
{
	step_emitter e = { .t = text,
		               .plan = plan,
		               .layout = layout,
		               .options = options,
		               .s = s,
		               .step = &plan->steps[s],
		               .root = s == plan->root,
		               .last = s + 1 + plan->two_paths == (int)plan->step_count,
		               .edges = plan->live_edges != 0,
		               .sliced = options->sliced && s == plan->root + 1,
		               .single = "0" };
	if (e.root)
		snprintf(e.single, sizeof e.single, "1");
	else if (!options->all_resident && e.step->kind == GEMP_EXTEND)
		snprintf(e.single, sizeof e.single, "verifies && base == %d", s);
	gemp_text_print(text, "\t\tcase %d: for (;;) {\n", s);
	if (!e.root) {
		emit_enter(&e);
		emit_pointers(&e);
	}
	if (!e.root && e.last && !options->listed && options->all_resident) {
		emit_count_loop(&e);
		gemp_text_print(text, "\t\t\tbreak;\n\t\t\t} break;\n");
		return;
	}
	emit_test(&e);
	if (!e.last)
		emit_visit(&e);
	else if (options->listed)
		emit_result(&e);
	else
		emit_count(&e);
	emit_advance(&e);
	gemp_text_print(text, "\t\t} break;\n");
}
