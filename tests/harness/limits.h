/* limits: changes one member of gemp_limits (core/limits.h), and restores it. */
#ifndef GEMP_TESTS_LIMITS_H
#define GEMP_TESTS_LIMITS_H

#include "core/limits.h"

/* TEST_LIMIT(fetch_round, 64) sets one member; the other members keep their values. */
#define TEST_LIMIT(member, value)                         \
	do {                                                  \
		gemp_limits test_limits_now = *gemp_limits_now(); \
		test_limits_now.member = (value);                 \
		gemp_limits_override(test_limits_now);            \
	} while (0)
#define TEST_LIMIT_DEFAULT(member) TEST_LIMIT(member, gemp_limits_default.member)

#endif
