#include "match/nested_parts.h"

enum { FIRST = 2, LAST = 3 }; /* levels at which parts are cut */

bool gemp_splits(int level)
{
	return level == FIRST || level == LAST;
}

/* The deepest level that has loops of its own, above the last. */
static int deepest(const gemp_emitter *e)
{
	return e->nested->levels - 2;
}

void gemp_emit_part(gemp_emitter *e)
{
	if (deepest(e) < FIRST)
		return;
	gemp_put(e, "const uint low_%d = gemp_shuffle(part.low, 0), high_%d = gemp_shuffle(part.high, 0);", FIRST, FIRST);
	if (deepest(e) >= LAST)
		gemp_put(e, "const uint low_%d = gemp_shuffle(part.low_next, 0), high_%d = gemp_shuffle(part.high_next, 0);", LAST,
		         LAST);
}

void gemp_emit_bounds(gemp_emitter *e, int level)
{
	if (!gemp_splits(level)) {
		gemp_put(e, "const uint start_%d = cur_%d, stop_%d = end_%d;", level, level, level, level);
		return;
	}
	gemp_put(e, "const uint start_%d = cur_%d + min(low_%d, end_%d - cur_%d);", level, level, level, level, level);
	gemp_put(e, "uint stop_%d = cur_%d + min(high_%d, end_%d - cur_%d);", level, level, level, level, level);
}

/* Candidates left on a level, and in how many parts of the least size these can go. */
static void emit_left(gemp_emitter *e, int level, const char *next)
{
	gemp_put(e, "const uint left_%d = stop_%d - min(stop_%d, (uint)(%s));", level, level, level, next);
	gemp_put(e, "const uint parts_%d = left_%d%s;", level, level, level == deepest(e) ? " / GRAIN" : "");
}

/* The giver keeps a part, and what does not divide. */
static void emit_sizes(gemp_emitter *e, int level)
{
	gemp_put(e, "const uint size_%d = max(left_%d / (given + 1), 1u);", level, level);
	gemp_put(e, "const uint until_%d = stop_%d - cur_%d - nth * size_%d;", level, level, level, level);
}

static void emit_filling(gemp_emitter *e, int level)
{
	gemp_put(e, "if (takers >> lane & 1) {");
	gemp_put(e, "\tgemp_nested_part part = { entry + which, 0, ~0u, 0, ~0u, 0 };");
	gemp_put(e, "\tif (todo) {");
	gemp_put(e, "\t\tpart.entry = entry + gemp_nth_highest(todo, nth);");
	gemp_put(e, "\t} else if (parts_%d) {", FIRST);
	gemp_put(e, "\t\tpart.low = until_%d - size_%d;", FIRST, FIRST);
	gemp_put(e, "\t\tpart.high = until_%d;", FIRST);
	if (level == LAST) {
		gemp_put(e, "\t} else {");
		gemp_put(e, "\t\tpart.low = next_%d - 1 - cur_%d;", FIRST, FIRST);
		gemp_put(e, "\t\tpart.high = next_%d - cur_%d;", FIRST, FIRST);
		gemp_put(e, "\t\tpart.low_next = until_%d - size_%d;", LAST, LAST);
		gemp_put(e, "\t\tpart.high_next = until_%d;", LAST);
	}
	gemp_put(e, "\t}");
	gemp_put(e, "\tgemp_fill(parts, place, part);");
	gemp_put(e, "}");
}

/* What is no longer this worker's. */
static void emit_given(gemp_emitter *e, int level)
{
	gemp_put(e, "if (todo)");
	gemp_put(e, "\tfor (uint i = 0; i < given; i++)");
	gemp_put(e, "\t\ttodo &= ~(1u << (31 - clz(todo)));");
	gemp_put(e, level == LAST ? "else if (parts_%d)" : "else", FIRST);
	gemp_put(e, "\tstop_%d -= given * size_%d;", FIRST, FIRST);
	if (level == LAST) {
		gemp_put(e, "else");
		gemp_put(e, "\tstop_%d -= given * size_%d;", LAST, LAST);
	}
}

void gemp_emit_giving(gemp_emitter *e, int level, const char *next)
{
	gemp_put(e, "if (p.queue && NOW - rested >= REST) { /* looking costs a way to memory */");
	e->depth++;
	gemp_put(e, "rested = NOW;");
	emit_left(e, FIRST, level == FIRST ? next : "next_2");
	if (level == LAST)
		emit_left(e, LAST, next);
	gemp_put(e, "const uint most = todo ? popcount(todo) : %s;",
	         level == LAST ? "parts_2 ? parts_2 : parts_3" : "parts_2");
	gemp_put(e, "uint place = 0;");
	gemp_put(e, "const uint takers = gemp_reserve(GEMP_GROUP_PASS control, parts, p.queue, min(most, (uint)GEMP_LANES), &place);");
	gemp_put(e, "const uint given = popcount(takers), nth = popcount(takers & LANES_BELOW);");
	gemp_put(e, "if (given) {");
	e->depth++;
	emit_sizes(e, FIRST);
	if (level == LAST)
		emit_sizes(e, LAST);
	emit_filling(e, level);
	emit_given(e, level);
	e->depth--;
	gemp_put(e, "}");
	e->depth--;
	gemp_put(e, "}");
}
