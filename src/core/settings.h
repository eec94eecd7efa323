/* settings: parses texts of `name = value` lines; # begins a comment at the start of a line or after a blank.
 * The caller passes the text; reading the file, and what a name means, are the caller's.
 */

#ifndef GEMP_CORE_SETTINGS_H
#define GEMP_CORE_SETTINGS_H

#include "core/status.h"

/* Takes one setting, neither part empty; place: "path:line", for messages. Both texts may be written to. */
typedef gemp_code (*gemp_settings_handler)(void *self, const char *place, char *name, char *value);

/* Stops at the first failure; GEMP_EUSAGE for a line of another form. kind: what a name is called in messages. */
gemp_code gemp_settings_parse(const char *path, const char *text, const char *kind, gemp_settings_handler take,
                              void *self);

#endif
