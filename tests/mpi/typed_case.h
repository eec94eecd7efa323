/* Shared by tests of typed counting: options, and the elements of random patterns. */
#ifndef GEMP_TESTS_TYPED_CASE_H
#define GEMP_TESTS_TYPED_CASE_H

#include "match_case.h"

#include "core/text.h"
#include "query/typed_counting.h"

static inline gemp_match_options options_of(gemp_semantics semantics)
{
	return (gemp_match_options){ .semantics = semantics,
		                         .distinct = GEMP_BY_NOTHING,
		                         .place = GEMP_PLACE_HOST,
		                         .count_by_formula = true,
		                         .replicate = GEMP_REPLICATE_AUTO,
		                         .limit = UINT64_MAX };
}

static inline void put_label(gemp_text *text, uint64_t *random)
{
	static const char *const labels[] = { "", "", "", ":Person", ":Film", ":Actor", ":Person|Film" };
	gemp_text_print(text, "%s", labels[gemp_random_below(random, 7)]);
}

/* The edge has a name unless `name` is "". */
static inline void put_edge(gemp_text *text, const char *name, uint64_t *random)
{
	static const char *const types[] = { "", ":KNOWS", ":KNOWS", ":ACTS_IN", ":KNOWS|ACTS_IN" };
	static const char *const begins[] = { "-[", "<-[", "-[" }, *const ends[] = { "]->", "]-", "]-" };
	const size_t direction = gemp_random_below(random, 3);
	gemp_text_print(text, "%s%s%s%s", begins[direction], name, types[gemp_random_below(random, 5)], ends[direction]);
}

/* A condition on vertices a and b, which differ. */
static inline void put_condition(gemp_text *text, const char *a, const char *b, bool first, uint64_t *random)
{
	gemp_text_print(text, first ? " WHERE " : " AND ");
	switch (gemp_random_below(random, 4)) {
	case 0: gemp_text_print(text, "%s <> %s", a, b); break;
	case 1: gemp_text_print(text, "id(%s) <> id(%s)", a, b); break;
	case 2: gemp_text_print(text, "%s.number > 0", a); break;
	default:
		gemp_text_print(text, "%s(%s)", gemp_random_below(random, 3) ? "NOT " : "", a);
		put_edge(text, "", random);
		gemp_text_print(text, "(%s)", b);
		break;
	}
}

#endif
