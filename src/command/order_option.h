/* order_option: --order as vertices of a pattern. */
#ifndef GEMP_COMMAND_ORDER_OPTION_H
#define GEMP_COMMAND_ORDER_OPTION_H

#include "pattern/pattern.h"

/* The vertex that `name` (of `size` bytes) is: a variable, or a number from 0; GEMP_EUSAGE names the option. */
gemp_code gemp_vertex_option(int *out, const gemp_pattern *pattern, const char *option, const char *name, size_t size);

/* order[*count]: every vertex of the pattern once, else GEMP_EUSAGE. */
gemp_code gemp_order_option(int *order, int *count, const gemp_pattern *pattern, const char *text);

#endif
