/* record_lines: the text of the lines of a round. */

#ifndef GEMP_TRANSFORM_CHANGELOG_RECORD_LINES_H
#define GEMP_TRANSFORM_CHANGELOG_RECORD_LINES_H

#include "transform/changelog/record_events.h"

/* Local. Of events, of edges in `edges`, of what own matches create: those of matches [first, end). */
gemp_code gemp_record_lines(gemp_record_state *r);

#endif
