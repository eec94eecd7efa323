#ifndef GEMP_ANALYTICS_LAYOUT_VERTEX_ORDER_H
#define GEMP_ANALYTICS_LAYOUT_VERTEX_ORDER_H

#include "analytics/layout/layout_state.h"

/* Collective. Degrees, the order of own vertices, ghosts, links. */
gemp_code gemp_layout_make_order(gemp_layout_state *m);

#endif
