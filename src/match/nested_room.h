/* nested_room: how long the lists of a nested search can be. Host only. */
#ifndef GEMP_MATCH_NESTED_ROOM_H
#define GEMP_MATCH_NESTED_ROOM_H

#include "match/nested_shape.h"
#include "partition/view.h"

/* Entries of the longest list, where the views hold all rows, by slot: a list lies in a row, and where the order of its
 * vertex and of the row's is given, in the part before or after that. The longest row is `longest`. */
uint64_t gemp_nested_room(const gemp_nested *nested, const gemp_view *views, size_t view_count, uint64_t longest);

#endif
