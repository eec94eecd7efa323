#include "match/codegen/emit_step.h"

#include <stdio.h>

/* The arguments of the functions below. In the tests of a step, the step's own vertex and edge are the variables c and
 * ce of a lane. */
typedef struct step_emitter {
	const gemp_match_emitter *m;
	const gemp_plan *plan;
	const gemp_emit_options *options;
	int s;
	const gemp_step *step;
	bool root, last, edges;
	bool sliced;     /* the task may be a slice, which takes only every n-th chunk of `lanes` candidates */
	char single[48]; /* expression that is true if the vertex of the step came with the task */
} step_emitter;

/* Writes text; `$` becomes the number of the step of emitter e. */
#define PUT(...) gemp_put(e->m->w, e->s, __VA_ARGS__)

/* The name of vertex v in a test of the step. Each lane tests another candidate, so the step's own vertex is the
 * variable c of a lane. */
static gemp_expression vertex(const step_emitter *e, int v)
{
	bool candidate = v == e->step->vertex && e->step->kind != GEMP_BIND_EDGE;
	return candidate ? (gemp_expression){ "c" } : gemp_variable("v", v);
}

/* The index of the stage that begins at a step. A linear search suffices, because a plan has few stages. */
static uint32_t stage_of(const step_emitter *e, int step, bool verify)
{
	const gemp_item_layout *layout = e->m->layout;
	for (size_t k = 0; k < layout->stage_count; k++)
		if (layout->stages[k].step == step && layout->stages[k].verify == verify)
			return (uint32_t)k;
	return 0;
}

/* True if all sources of the step lie in one view. The kernel then chooses a row without choosing pointers. */
static bool one_view(const gemp_step *step)
{
	for (size_t j = 1; j < step->sources; j++)
		if (step->checks[j].view != step->checks[0].view)
			return false;
	return true;
}

/* Declares `declaration = from_S == 0 ? x_0 : from_S == 1 ? x_1 : ...;`. Here x_j is a variable of the view of check j
 * or, without by_view, of the vertex from which check j starts. */
static void put_choice(const step_emitter *e, const char *declaration, const char *kind, bool by_view)
{
	const gemp_step *step = e->step;
	size_t sources = step->kind == GEMP_BIND_EDGE || (by_view && one_view(step)) ? 1 : step->sources;
	PUT("%s = ", declaration);
	for (size_t j = 0; j < sources; j++) {
		if (j + 1 < sources)
			PUT("from_$ == %zu ? ", j);
		PUT("%s%s", gemp_variable(kind, by_view ? step->checks[j].view : step->checks[j].from).text,
		    j + 1 < sources ? " : " : ";\n");
	}
}

/* Declares the pointers of the row that put_enter has chosen. The pointers are computed again in each case, because
 * keeping them would take registers in every case. */
static void put_pointers(const step_emitter *e)
{
	put_choice(e, "__global const uint *near", "near", true);
	if (e->edges)
		put_choice(e, "__global const ulong *edge", "edge", true);
}

/* Entries ascend, so restrictions on slots cut the row at both ends by binary search. */
static void put_cuts(const step_emitter *e)
{
	for (int v = 0; v < e->plan->vertex_count; v++) {
		if (e->step->less >> v & 1)
			PUT("end_$ = gemp_lower(near, cur_$, end_$, v_%d);\n", v);
		if (e->step->greater >> v & 1)
			PUT("cur_$ = gemp_lower(near, cur_$, end_$, v_%d + 1);\n", v);
	}
	if (e->step->kind == GEMP_BIND_EDGE)
		PUT("cur_$ = gemp_lower(near, cur_$, end_$, v_%d);\n"
		    "end_$ = gemp_lower(near, cur_$, end_$, v_%d + 1);\n",
		    e->step->vertex, e->step->vertex);
}

/* This text runs once for each partial match that enters the step. It chooses the row, reads the row's range, and opens
 * the first lanes. If several rows are resident, the kernel walks the row of the greatest slot, since degrees descend
 * with slots. */
static void put_enter(const step_emitter *e)
{
	PUT("if (fresh) {\nfresh = 0;\n");
	if (e->step->kind == GEMP_EXTEND && e->step->sources > 1) {
		PUT("uint best = 0;\n");
		for (size_t j = 0; j < e->step->sources; j++) {
			int v = e->step->checks[j].from;
			PUT("if (resident(v_%d) && v_%d >= best) { best = v_%d; from_$ = %zu; }\n", v, v, v, j);
		}
	}
	put_choice(e, "uint a", "v", false);
	PUT("if (a >= p.vertices || !resident(a)) {\n"
	    "control[GEMP_CONTROL_ERROR] = a >= p.vertices ? GEMP_MATCH_BAD_SLOT : GEMP_MATCH_BAD_ROW;\n"
	    "control[GEMP_CONTROL_PLACE] = $; control[GEMP_CONTROL_VALUE] = a; stop = 1; break;\n"
	    "}\n");
	put_pointers(e);
	put_choice(e, "__global const OFFSET *begin", "begin", true);
	PUT("cur_$ = begin[row(a)]; end_$ = begin[row(a) + 1];\n");
	put_cuts(e);
	if (e->options->profile)
		PUT("if (lane == 0 && cur_$ < end_$%s) mine[%zu] += end_$ - cur_$;\n", e->sliced ? " && slice == 0" : "",
		    e->plan->step_count + (size_t)e->s);
	if (e->sliced)
		PUT("cur_$ += min((OFFSET)slice * GEMP_LANES, end_$ - cur_$);\n");
	PUT("todo_$ = gemp_lanes(cur_$, end_$); mask_$ = 0;\n}\n");
}

/* The tests that read no row. The root also tests the given vertices, which have no case of their own. */
static void put_filters(const step_emitter *e)
{
	static const gemp_rejection failed = { "left != FAILED && ", "left = FAILED;" };
	for (int s = e->root ? 0 : e->s; s <= e->s; s++)
		if (e->plan->steps[s].kind != GEMP_BIND_EDGE)
			gemp_put_vertex_filters(e->m, &e->plan->steps[s], vertex(e, e->plan->steps[s].vertex).text, &failed);
	gemp_put_edge_filters(e->m, e->step, "ce", &failed);
}

/* A lane of several sees only every n-th candidate of a row. Long plans would need too many variables. */
bool gemp_emit_keeps_offsets(const gemp_plan *plan, const gemp_emit_options *options)
{
	return !options->all_resident && options->lanes == 1 && plan->step_count <= GEMP_MAX_STEPS_IN_REGISTERS;
}

/* Clears bit `bit` of `left` if check j holds, and sets `left` to FAILED if the check fails. The row of `to` serves in
 * place of the row of `from` if the plan has the opposite view. If no row that serves is resident, the bit stays set
 * and the partial match travels. */
static void put_check(const step_emitter *e, size_t j, const char *bit, const char *from, const char *to)
{
	const gemp_check *check = &e->step->checks[j];
	const char *good = check->absent ? "!" : "";
	int back = gemp_opposite_view(e->plan, check->view);
	PUT("if (left != FAILED && left & %s) {\n", bit);
	if (e->options->profile)
		PUT("mine[%zu]++;\n", 2 * e->plan->step_count + (size_t)e->s);
	if (gemp_emit_keeps_offsets(e->plan, e->options) && check->to == e->step->vertex)
		PUT("if (resident(%s))\n\tleft = %shas_near(%d, %s, %s, last_$_%zu) ? left & ~%s : FAILED;\n", from, good,
		    check->view, from, to, j, bit);
	else
		PUT("if (resident(%s))\n\tleft = %shas(%d, %s, %s) ? left & ~%s : FAILED;\n", from, good, check->view, from, to,
		    bit);
	if (back >= 0 && !e->options->all_resident)
		PUT("else if (resident(%s))\n\tleft = %shas(%d, %s, %s) ? left & ~%s : FAILED;\n", to, good, back, to, from,
		    bit);
	PUT("}\n");
}

/* True if checks j and k differ only in the bound vertex from which they start. */
static bool alike(const step_emitter *e, size_t j, size_t k)
{
	const gemp_check *a = &e->step->checks[j], *b = &e->step->checks[k];
	return a->view == b->view && a->absent == b->absent && a->to == b->to && b->from != e->step->vertex;
}

/* Long plans test similar checks in a loop. Without the loop, the checks of induced patterns and cliques would fill
 * hundreds of lines. */
static void put_check_loop(const step_emitter *e, size_t first, size_t end)
{
	char bit[48];
	snprintf(bit, sizeof bit, "(1ul << (%zu + j))", first);
	PUT("#pragma unroll 1\nfor (uint j = 0; j < %zu; j++) {\nconst uchar ends[] = { ", end - first);
	for (size_t j = first; j < end; j++)
		PUT("%d, ", e->step->checks[j].from);
	PUT("};\nuint from = VERTEX(ends[j]);\n");
	put_check(e, first, bit, "from", vertex(e, e->step->checks[first].to).text);
	PUT("}\n");
}

/* Writes the checks from `first` on. The bits of `left` say which checks are open, so the check whose row gave the
 * candidate is skipped. */
static void put_checks(const step_emitter *e, size_t first)
{
	bool loops = e->plan->step_count > GEMP_MAX_STEPS_IN_REGISTERS;
	for (size_t j = first, end; j < e->step->check_count; j = end) {
		const gemp_check *check = &e->step->checks[j];
		for (end = j + 1; loops && end < e->step->check_count && alike(e, j, end); end++)
			;
		if (check->from != e->step->vertex && end - j > 2) {
			put_check_loop(e, j, end);
			continue;
		}
		char bit[48];
		snprintf(bit, sizeof bit, "%#llxul", 1ull << j);
		put_check(e, j, bit, vertex(e, check->from).text, vertex(e, check->to).text);
		end = j + 1;
	}
}

/* Sets `left` before any check. The row that gave the candidate need not be searched. */
static void put_open_checks(const step_emitter *e)
{
	if (e->step->kind == GEMP_EXTEND)
		PUT("left = %#llxul & ~(1ul << from_$);\n", gemp_check_bits(e->step));
	else
		PUT("left = %#llxul;\n", gemp_check_bits(e->step));
}

/* Each lane reads one candidate and tests it. If the task is an item of a VERIFY stage, the lane tests the vertex of
 * the item instead. If matches travel, the kernel looks up a candidate's owner before it enters the candidate's row, so
 * the slot is checked here. */
static void put_lane_test(const step_emitter *e)
{
	bool verifiable = !e->root && e->step->kind == GEMP_EXTEND && !e->options->all_resident;
	if (e->root) {
		PUT("c = v_%d; left = left_in;\n", e->step->vertex);
		put_filters(e);
	} else {
		if (verifiable)
			PUT("if (%s) { c = v_%d; left = left_in;%s } else {\n", e->single, e->step->vertex,
			    e->step->edge >= 0 ? " ce = e;" : "");
		PUT("c = near[cur_$ + lane];\n");
		if (e->step->edge >= 0)
			PUT("ce = edge[cur_$ + lane];\n");
		put_open_checks(e);
		if (verifiable)
			PUT("if (c >= p.vertices) {\n"
			    "control[GEMP_CONTROL_ERROR] = GEMP_MATCH_BAD_SLOT; left = FAILED;\n"
			    "control[GEMP_CONTROL_PLACE] = $; control[GEMP_CONTROL_VALUE] = c;\n"
			    "}\n");
		put_filters(e);
		if (verifiable)
			PUT("}\n");
	}
	if (e->step->kind != GEMP_BIND_EDGE)
		put_checks(e, e->root || e->step->sources == 1 ? e->step->sources : 0);
}

/* Writes the words of an item: header, open checks (VERIFY), then the vertices and the edges of the steps before
 * `until` in the order they were bound. */
static void put_item(const step_emitter *e, int until, bool verify, const char *header)
{
	const gemp_step *steps = e->plan->steps;
	uint32_t word = verify ? 3 : 1;
	PUT("item[0] = %s;\n", header);
	if (verify)
		PUT("item[1] = (uint)left; item[2] = (uint)(left >> 32);\n");
	for (int s = 0; s < until; s++)
		if (steps[s].kind != GEMP_BIND_EDGE)
			PUT("item[%u] = %s;\n", word++, vertex(e, steps[s].vertex).text);
	for (int s = 0; s < until; s++)
		if (steps[s].edge >= 0) {
			gemp_expression edge = s == e->s ? (gemp_expression){ "ce" } : gemp_variable("e", steps[s].edge);
			PUT("item[%u] = (uint)%s; item[%u] = (uint)(%s >> 32);\n", word, edge.text, word + 1, edge.text);
			word += 2;
		}
}

/* A lane with open checks sends its partial match to the owner of the row that the first open check needs. The number
 * of open checks determines the stage of the item. */
static void put_send_verify(const step_emitter *e)
{
	const gemp_check *checks = e->step->checks;
	uint32_t stage = stage_of(e, e->s, true);
	size_t count = e->step->check_count, first_stage_checks = count - (e->step->kind == GEMP_ARGUMENT ? 0 : 1);
	PUT("if (left != 0 && left != FAILED) {\nuint far = ");
	for (size_t j = 0; j + 1 < count; j++)
		PUT("left & %#llxul ? %s : ", 1ull << j, vertex(e, checks[j].from).text);
	PUT("%s;\n", vertex(e, checks[count - 1].from).text);
	PUT("__global uint *item = room(%u + %zu - (uint)popcount(left), owner(far), %u);\nif (item) {\n", stage,
	    first_stage_checks, e->m->layout->item_words[stage]);
	put_item(e, e->s + 1, true, "1");
	PUT("} else\nblocked = 1;\n}\n");
}

/* If all rows of the next step are on other ranks, the partial match goes to the owner of the row with the greatest
 * slot, which is the shortest row. */
static void put_send_enter(const step_emitter *e)
{
	const gemp_step *next = &e->plan->steps[e->s + 1];
	size_t sources = next->kind == GEMP_BIND_EDGE ? 1 : next->sources;
	uint32_t stage = stage_of(e, e->s + 1, false);
	PUT("if (pass && !(");
	for (size_t j = 0; j < sources; j++)
		PUT("%sresident(%s)", j ? " || " : "", vertex(e, next->checks[j].from).text);
	PUT(")) {\nuint far = %s;\n", vertex(e, next->checks[0].from).text);
	for (size_t j = 1; j < sources; j++)
		PUT("far = max(far, %s);\n", vertex(e, next->checks[j].from).text);
	PUT("__global uint *item = room(%u, owner(far), %u);\npass = 0;\nif (item) {\n", stage,
	    e->m->layout->item_words[stage]);
	put_item(e, e->s + 1, false, "1");
	PUT("} else\nblocked = 1;\n}\n");
}

/* A partial match may become a task of its own on this rank, so that several workers share the work of a hub. If the
 * outbox has no place for the task, the worker continues with the partial match itself. */
static void put_split(const step_emitter *e)
{
	uint32_t stage = stage_of(e, e->s + 1, false);
	PUT("if (pass && p.split >> %d & 1) {\n__global uint *item = room(%u, p.ranks, %u);\nif (item) {\npass = 0;\n",
	    e->s + 1, stage, e->m->layout->item_words[stage]);
	put_item(e, e->s + 1, false, "crossed");
	PUT("}\n}\n");
}

/* Tests the open lanes. A lane that finds no place in the outbox stays open, and the worker stops. Two kinds of checks
 * are never left to another rank: the check that the walked row answers, and the checks of a pivot, which need the
 * pivot's own row. */
static void put_test(const step_emitter *e)
{
	bool travels = !e->options->all_resident;
	size_t own_checks = e->step->kind == GEMP_ARGUMENT ? 0 : e->step->kind == GEMP_EXTEND ? 1 : SIZE_MAX;
	PUT("if (todo_$) {\n"
	    "uint c = 0; ulong ce = 0, left = FAILED; int blocked = 0; (void)ce;\n"
	    "if (todo_$ >> lane & 1) {\n");
	if (e->step->edge >= 0 && travels && e->step->kind == GEMP_EXTEND)
		PUT("ulong e = e_%d;\n", e->step->edge);
	put_lane_test(e);
	PUT("}\nint pass = left == 0;\n");
	if (e->options->profile)
		PUT("const int good = pass;\n");
	if (travels && e->step->check_count > own_checks)
		put_send_verify(e);
	if (travels && !e->last)
		put_send_enter(e);
	if (!e->last && e->s < 31)
		put_split(e);
	if (e->options->profile)
		PUT("mine[$] += good && !blocked%s;\n", e->root && e->options->sliced ? " && slice == 0" : "");
	PUT("todo_$ = gemp_ballot(blocked);\n"
	    "mask_$ |= gemp_ballot(pass);\n"
	    "if (todo_$) { stop = 1; break; }\n"
	    "}\n");
}

/* Reads the candidate of a lane again. Registers for the candidates of all lanes would cost more than this load. */
static void put_take(const step_emitter *e, const char *lane)
{
	if (e->root)
		return;
	PUT("if (!(%s)) {\n", e->single);
	if (e->step->kind == GEMP_EXTEND)
		PUT("v_%d = near[cur_$ + %s];\n", e->step->vertex, lane);
	if (e->step->edge >= 0)
		PUT("e_%d = edge[cur_$ + %s];\n", e->step->edge, lane);
	PUT("}\n");
}

/* Descends to the next step with the candidate of one of the lanes that passed. */
static void put_visit(const step_emitter *e)
{
	PUT("if (mask_$) {\nuint b = lowest(mask_$); (void)b;\n");
	put_take(e, "b");
	PUT("mask_$ &= mask_$ - 1; level = %d; fresh = 1; break;\n}\n", e->s + 1);
}

/* Counts the matches of the lanes that passed, and counts them at vertices if options->per says so. Matches whose
 * partial match has crossed ranks have a counter of their own, for the report. */
static void put_count(const step_emitter *e)
{
	if (e->options->per) {
		PUT("if (mask_$ >> lane & 1) {\n");
		put_take(e, "lane");
		for (uint64_t left = e->options->per; left; left &= left - 1)
			PUT("atom_inc(&per[v_%d]);\n", __builtin_ctzll(left));
		PUT("}\n");
	}
	PUT("if (lane == 0 && crossed) found_crossed += popcount(mask_$);\n"
	    "if (lane == 0 && !crossed) found_local += popcount(mask_$);\n"
	    "mask_$ = 0;\n");
}

/* Writes one row of the result buffer: the vertex ids, and the edges in an array behind the vertices of all rows. */
static void put_row(const step_emitter *e)
{
	int vertices = e->plan->vertex_count, edges = e->edges ? e->plan->edge_count : 0;
	PUT("__global uint *r = result + (ulong)at * %d;\n", vertices);
	for (int v = 0; v < vertices; v++)
		PUT("r[%d] = id_of[v_%d];\n", v, v);
	if (edges)
		PUT("__global ulong *edges_of =\n"
		    "\t(__global ulong *)result + ((ulong)p.result_capacity * %d + 1) / 2 + (ulong)at * %d;\n",
		    vertices, edges);
	for (int f = 0; f < edges; f++)
		PUT("edges_of[%d] = e_%d;\n", f, f);
}

/* All lanes that passed reserve their rows by one atomic addition. If a match gets no row, its lane keeps its bit in
 * mask_S and the worker stops. */
static void put_result(const step_emitter *e)
{
	PUT("if (mask_$) {\n");
	if (e->options->first_only)
		PUT("mask_$ &= -mask_$;\n");
	PUT("uint n = popcount(mask_$), at = 0;\n"
	    "if (lane == 0)\n"
	    "\tat = atomic_add(&control[GEMP_CONTROL_RESULTS], n);\n"
	    "at = gemp_shuffle(at, 0) + popcount(mask_$ & ((1u << lane) - 1));\n"
	    "int mine = mask_$ >> lane & 1, fits = mine && at < p.result_capacity;\n"
	    "if (fits) {\n");
	put_take(e, "lane");
	put_row(e);
	PUT("}\n"
	    "mask_$ = gemp_ballot(mine && !fits);\n"
	    "n -= popcount(mask_$);\n"
	    "if (lane == 0 && crossed) found_crossed += n;\n"
	    "if (lane == 0 && !crossed) found_local += n;\n"
	    "if (mask_$) { stop = 1; break; }\n");
	if (e->options->first_only)
		PUT("active = 0; break;\n");
	PUT("}\n");
}

/* Goes to the next lanes of the row. At the end of the row the worker backtracks; if its task began at this step, the
 * task is finished. */
static void put_advance(const step_emitter *e)
{
	PUT("if (%s) { active = 0; break; }\n", e->single);
	if (e->root)
		return;
	if (e->sliced)
		PUT("cur_$ += min((OFFSET)slices * GEMP_LANES, end_$ - cur_$);\n");
	else
		PUT("cur_$ += GEMP_LANES;\n");
	PUT("todo_$ = gemp_lanes(cur_$, end_$);\n"
	    "if (!todo_$) { if (level == base) active = 0; else level = %d; break; }\n",
	    e->s - 1);
}

/* If all rows are resident, the last step of a count needs no state: each lane goes through its entries in a plain
 * loop. The n matches of this loop differ only in the last vertex. */
static void put_count_loop(const step_emitter *e)
{
	int last = e->step->vertex;
	uint64_t per = e->options->per;
	PUT("ulong n = 0;\n"
	    "for (OFFSET i = cur_$ + lane; i < end_$; i += GEMP_LANES) {\n"
	    "uint c = near[i]; ulong ");
	put_open_checks(e);
	PUT("(void)c;\n");
	if (e->step->edge >= 0)
		PUT("ulong ce = edge[i]; (void)ce;\n");
	put_filters(e);
	if (e->step->kind == GEMP_EXTEND)
		put_checks(e, e->step->sources == 1);
	if (e->options->profile)
		PUT("mine[$] += left == 0;\n");
	if (e->plan->two_paths) {
		PUT("if (left == 0) {\n");
		gemp_put_leaf(e->m, "c");
		PUT("n += w;\n}\n");
	} else
		PUT("n += left == 0;\n");
	if (per >> last & 1)
		PUT("if (left == 0) atom_inc(&per[c]);\n");
	PUT("}\n");
	for (uint64_t left = per & ~(UINT64_C(1) << last); left; left &= left - 1)
		PUT("if (n) atom_add(&per[v_%d], n);\n", __builtin_ctzll(left));
	if (e->options->profile && e->plan->two_paths)
		PUT("mine[%d] += n;\n", e->s + 1);
	PUT("if (crossed) found_crossed += n; else found_local += n;\n"
	    "if (level == base) active = 0; else level = %d;\n",
	    e->s - 1);
}

/* The root reads no row, because its vertex came with the task. The last step of a count is a plain loop if all rows
 * are resident. */
void gemp_emit_step(const gemp_match_emitter *m, int s)
{
	step_emitter emitter = { .m = m,
		                     .plan = m->plan,
		                     .options = m->options,
		                     .s = s,
		                     .step = &m->plan->steps[s],
		                     .root = s == m->plan->root,
		                     .last = s == m->last,
		                     .edges = m->plan->live_edges != 0,
		                     .sliced = m->options->sliced && s == m->plan->root + 1 };
	const step_emitter *e = &emitter;
	if (e->root || m->options->all_resident || e->step->kind != GEMP_EXTEND)
		snprintf(emitter.single, sizeof emitter.single, "%d", e->root);
	else
		snprintf(emitter.single, sizeof emitter.single, "verifies && base == %d", s);
	PUT("case $: for (;;) {\n");
	if (!e->root) {
		put_enter(e);
		put_pointers(e);
	}
	if (!e->root && e->last && !m->options->listed && m->options->all_resident) {
		put_count_loop(e);
		PUT("break;\n} break;\n");
		return;
	}
	put_test(e);
	if (!e->last)
		put_visit(e);
	else if (m->options->listed)
		put_result(e);
	else
		put_count(e);
	put_advance(e);
	PUT("} break;\n");
}
