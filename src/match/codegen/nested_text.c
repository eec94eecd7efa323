#include "match/codegen/nested_text.h"

#include <stdarg.h>
#include <stdio.h>

enum { FIRST = 2, LAST = 3 }; /* levels at which parts are cut */

bool gemp_nested_shares_level(int level)
{
	return level == FIRST || level == LAST;
}

/* The deepest level that has loops of its own, above the last. */
static int deepest_shared(const gemp_nested_emitter *e)
{
	return e->nested->levels - 2;
}

void gemp_nested_emit_part(gemp_nested_emitter *e)
{
	if (deepest_shared(e) < FIRST)
		return;
	gemp_emit_line(e, "const uint low_%d = gemp_shuffle(part.low, 0), high_%d = gemp_shuffle(part.high, 0);", FIRST,
	               FIRST);
	if (deepest_shared(e) >= LAST)
		gemp_emit_line(e,
		               "const uint low_%d = gemp_shuffle(part.low_next, 0), high_%d = gemp_shuffle(part.high_next, 0);",
		               LAST, LAST);
}

void gemp_nested_emit_bounds(gemp_nested_emitter *e, int level)
{
	if (!gemp_nested_shares_level(level)) {
		gemp_emit_line(e, "const uint start_%d = cur_%d, stop_%d = end_%d;", level, level, level, level);
		return;
	}
	gemp_emit_line(e, "const uint start_%d = cur_%d + min(low_%d, end_%d - cur_%d);", level, level, level, level,
	               level);
	gemp_emit_line(e, "uint stop_%d = cur_%d + min(high_%d, end_%d - cur_%d);", level, level, level, level, level);
}

/* Candidates left on a level, and in how many parts of the least size these can go. */
static void emit_left(gemp_nested_emitter *e, int level, const char *next)
{
	gemp_emit_line(e, "const uint left_%d = stop_%d - min(stop_%d, (uint)(%s));", level, level, level, next);
	gemp_emit_line(e, "const uint parts_%d = left_%d%s;", level, level, level == deepest_shared(e) ? " / GRAIN" : "");
}

/* The giver keeps a part, and what does not divide. */
static void emit_sizes(gemp_nested_emitter *e, int level)
{
	gemp_emit_line(e, "const uint size_%d = max(left_%d / (given + 1), 1u);", level, level);
	gemp_emit_line(e, "const uint until_%d = stop_%d - cur_%d - nth * size_%d;", level, level, level, level);
}

static void emit_filling(gemp_nested_emitter *e, int level)
{
	gemp_emit_line(e, "if (takers >> lane & 1) {");
	gemp_emit_line(e, "\tgemp_nested_part part = { entry + which, 0, ~0u, 0, ~0u, 0 };");
	gemp_emit_line(e, "\tif (todo) {");
	gemp_emit_line(e, "\t\tpart.entry = entry + gemp_nth_highest(todo, nth);");
	gemp_emit_line(e, "\t} else if (parts_%d) {", FIRST);
	gemp_emit_line(e, "\t\tpart.low = until_%d - size_%d;", FIRST, FIRST);
	gemp_emit_line(e, "\t\tpart.high = until_%d;", FIRST);
	if (level == LAST) {
		gemp_emit_line(e, "\t} else {");
		gemp_emit_line(e, "\t\tpart.low = next_%d - 1 - cur_%d;", FIRST, FIRST);
		gemp_emit_line(e, "\t\tpart.high = next_%d - cur_%d;", FIRST, FIRST);
		gemp_emit_line(e, "\t\tpart.low_next = until_%d - size_%d;", LAST, LAST);
		gemp_emit_line(e, "\t\tpart.high_next = until_%d;", LAST);
	}
	gemp_emit_line(e, "\t}");
	gemp_emit_line(e, "\tgemp_fill(parts, place, part);");
	gemp_emit_line(e, "}");
}

/* What is no longer this worker's. */
static void emit_given(gemp_nested_emitter *e, int level)
{
	gemp_emit_line(e, "if (todo)");
	gemp_emit_line(e, "\tfor (uint i = 0; i < given; i++)");
	gemp_emit_line(e, "\t\ttodo &= ~(1u << (31 - clz(todo)));");
	gemp_emit_line(e, level == LAST ? "else if (parts_%d)" : "else", FIRST);
	gemp_emit_line(e, "\tstop_%d -= given * size_%d;", FIRST, FIRST);
	if (level == LAST) {
		gemp_emit_line(e, "else");
		gemp_emit_line(e, "\tstop_%d -= given * size_%d;", LAST, LAST);
	}
}

void gemp_nested_emit_donation(gemp_nested_emitter *e, int level, const char *next)
{
	gemp_emit_line(e, "if (p.queue && NOW - rested >= REST) { /* looking costs a way to memory */");
	e->depth++;
	gemp_emit_line(e, "rested = NOW;");
	emit_left(e, FIRST, level == FIRST ? next : "next_2");
	if (level == LAST)
		emit_left(e, LAST, next);
	gemp_emit_line(e, "const uint most = todo ? popcount(todo) : %s;",
	               level == LAST ? "parts_2 ? parts_2 : parts_3" : "parts_2");
	gemp_emit_line(e, "uint place = 0;");
	gemp_emit_line(
		e,
		"const uint takers = gemp_reserve(GEMP_GROUP_PASS control, parts, p.queue, min(most, (uint)GEMP_LANES), &place);");
	gemp_emit_line(e, "const uint given = popcount(takers), nth = popcount(takers & LANES_BELOW);");
	gemp_emit_line(e, "if (given) {");
	e->depth++;
	emit_sizes(e, FIRST);
	if (level == LAST)
		emit_sizes(e, LAST);
	emit_filling(e, level);
	emit_given(e, level);
	e->depth--;
	gemp_emit_line(e, "}");
	e->depth--;
	gemp_emit_line(e, "}");
}

const char *gemp_nested_vertex_name(char name[16], int vertex)
{
	snprintf(name, 16, "v_%d", vertex);
	return name;
}
