#ifndef GEMP_ANALYTICS_LAYOUT_LAYOUT_ROWS_H
#define GEMP_ANALYTICS_LAYOUT_LAYOUT_ROWS_H

#include "analytics/layout/layout_state.h"

/* Local. in, in_ghost and in_other; the arcs are forgotten. */
gemp_code gemp_layout_make_in(gemp_layout_state *m);
/* Local. out, of in, in_ghost and in_other. */
gemp_code gemp_layout_make_out(gemp_layout *layout);
/* Collective. out_weight, of out. */
gemp_code gemp_layout_make_out_weight(gemp_layout *layout);

#endif
