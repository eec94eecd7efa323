/* hang: what the vertices outside of a core contribute, where they hang on it as trees and as triangles on edges. */
#ifndef GEMP_COUNT_HANG_H
#define GEMP_COUNT_HANG_H

#include "count/derive.h"

/* Factors of a core's vertices and edges. */
typedef struct gemp_hung {
	uint8_t table[GEMP_MAX_TERM][GEMP_TABLES];     /* powers */
	uint8_t support[GEMP_MAX_TERM][GEMP_MAX_TERM]; /* symmetric */
	uint8_t low[GEMP_MAX_TERM], up[GEMP_MAX_TERM]; /* of rooted terms */
	int common;                                    /* vertices that hang on both vertices of a core of two that are not adjacent */
} gemp_hung;

/* False if some vertex does not hang so, or there are too many tables. Tables that are not there yet are added. Pairs that
 * are held apart are not looked at. */
bool gemp_hang(gemp_hung *out, gemp_derivation *derivation, const gemp_term *term, unsigned core);

#endif
