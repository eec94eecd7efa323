/* fetch_cut: which pieces of others' rows a fetch holds. Inside partition/. */
#ifndef GEMP_PARTITION_FETCH_CUT_H
#define GEMP_PARTITION_FETCH_CUT_H

#include "partition/fetch.h"

/* Local. From now on these (NULL: whole rows). Of what is held, that stays of which the same pieces are wanted. */
gemp_code gemp_fetch_cut(gemp_fetch *fetch, const gemp_tiles *tiles);

/* In how many pieces a row comes. */
size_t gemp_fetch_pieces(const gemp_tiles *tiles, size_t view, gemp_vertex slot);

#endif
