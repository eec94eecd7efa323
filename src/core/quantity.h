/* quantity: numbers as people write and read them: sizes with units, counts with commas, and seconds with three
 * decimals. Grouping does not depend on the locale, so the output is the same on every machine. */

#ifndef GEMP_CORE_QUANTITY_H
#define GEMP_CORE_QUANTITY_H

#include <stdbool.h>
#include <stdint.h>

/* Bytes: "4096", "64K", "512MiB", "1.5G". K, M, G, T and KiB, MiB, ... are powers of 1024; KB, MB, ... are powers of
 * 1000. The parse functions return false if the text is not such a number or the number does not fit. */
bool gemp_parse_size(const char *text, uint64_t *bytes);
bool gemp_parse_count(const char *text, uint64_t *count);
bool gemp_parse_real(const char *text, double *real); /* a finite number */

/* Passed by value to printf: printf("%s\n", gemp_grouped(n).text). */
typedef struct gemp_shown {
	char text[48];
} gemp_shown;

gemp_shown gemp_grouped(uint64_t count); /* 17,068,454 */
/* "1 vertex", "17,068,454 vertices", "2 matches". The noun has at most 15 letters. */
gemp_shown gemp_counted(uint64_t count, const char *noun);
gemp_shown gemp_shown_bytes(uint64_t bytes);   /* 1.5 GiB */
gemp_shown gemp_shown_seconds(double seconds); /* 1,234.567; three decimals */

#endif
