/* rounding: rounds a float to decimal places, as a person would: 1.005 to two places is 1.01.
 *
 * A float is seldom a short decimal number: 1.005 is 1.00499999999999989... So the shortest decimal digits that read
 * back as the float are rounded, as digits, and the result is read as a float again. */

#ifndef GEMP_CYPHER_FUNCTION_ROUNDING_H
#define GEMP_CYPHER_FUNCTION_ROUNDING_H

#include <stdbool.h>
#include <stdint.h>

typedef enum gemp_rounding {
	GEMP_ROUND_UP,   /* away from 0 */
	GEMP_ROUND_DOWN, /* towards 0 */
	GEMP_ROUND_CEILING,
	GEMP_ROUND_FLOOR,
	GEMP_ROUND_HALF_UP, /* to the nearest; of two, away from 0 */
	GEMP_ROUND_HALF_DOWN,
	GEMP_ROUND_HALF_EVEN,
	GEMP_ROUNDINGS
} gemp_rounding;

extern const char *const gemp_rounding_name[GEMP_ROUNDINGS]; /* "UP", "HALF_EVEN", ... */

/* places >= 0. NaN and infinities stay as they are. */
double gemp_round_decimal(double value, int64_t places, gemp_rounding rounding);

#endif
