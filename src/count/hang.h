/* hang: what the vertices outside of a core contribute: those that hang on it as trees, as triangles on edges, and on all of
 * a core of two or three vertices. */
#ifndef GEMP_COUNT_HANG_H
#define GEMP_COUNT_HANG_H

#include "count/derive.h"

/* Factors of a core's vertices and edges. */
typedef struct gemp_hung {
	uint8_t table[GEMP_MAX_TERM][GEMP_TABLES];     /* powers */
	uint8_t support[GEMP_MAX_TERM][GEMP_MAX_TERM]; /* symmetric */
	uint8_t over[GEMP_MAX_TERM];                   /* of the edge between the root and another, where the root is the core */
	uint8_t low[GEMP_MAX_TERM], up[GEMP_MAX_TERM]; /* of rooted terms */
	int common;    /* vertices that hang on both of a core of two that are not adjacent, or on all of a core round a centre */
	int codegree;  /* those that hang on a centre's two neighbours */
} gemp_hung;

/* False if some vertex does not hang so, or there are too many tables. Tables that are not there yet are added. Pairs that
 * are held apart are not looked at. centre: of a core of three that NEIGHBOURS sums over; -1: none. */
bool gemp_hang(gemp_hung *out, gemp_derivation *derivation, const gemp_term *term, unsigned core, int centre);

#endif
