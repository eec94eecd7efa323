/* gemp/report.h: the figures of what was run: counts, seconds by phase, memory, devices, exchange.
 *
 * Functions of the library that take a gemp_report (NULL: none is wanted) set fields of one JSON object, which docs/plans.md
 * describes, and send the lines that people read to a callback. Fields exist on rank 0 alone.
 */

#ifndef GEMP_REPORT_H
#define GEMP_REPORT_H

#include <gemp/context.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gemp_report gemp_report;

/* Text for people, with line ends. Rank 0 only. */
typedef void gemp_text_callback(void *self, const char *text, size_t size);

typedef struct gemp_report_options {
	size_t size;              /* set by gemp_report_options_init */
	gemp_text_callback *text; /* NULL: nobody reads */
	void *text_self;
	bool brief;   /* results only, without tables of phases and devices */
	bool no_rows; /* rows are not shown among the text */
} gemp_report_options;

/* Local. */
GEMP_API void gemp_report_options_init(gemp_report_options *options);

/* Collective. options NULL: defaults. */
GEMP_API gemp_code gemp_report_open(gemp_report **out, gemp_context *context, const gemp_report_options *options);
/* Local. Takes NULL. */
GEMP_API void gemp_report_close(gemp_report *report);

/* Local. The whole object as text, NULL on ranks but 0; gemp_text_release frees it. */
GEMP_API gemp_code gemp_report_json(const gemp_report *report, char **out);

/* Local. A field by its path, as "seconds.kernel.max" or "queries.0.matches". False where there is none of the type, and on
 * ranks but 0. A text lives until the field changes. */
GEMP_API bool gemp_report_count(const gemp_report *report, const char *path, uint64_t *out);
GEMP_API bool gemp_report_real(const gemp_report *report, const char *path, double *out);
GEMP_API bool gemp_report_text(const gemp_report *report, const char *path, const char **out);

/* Local. Sets a field to a value that is given as JSON; a program's own, as its options. Fails where that is no JSON. */
GEMP_API gemp_code gemp_report_set_json(gemp_report *report, const char *name, const char *json);

/* Local. A program's own lines among the text for people, with their line ends; detail: what a brief report leaves out. */
GEMP_API void gemp_report_print(const gemp_report *report, const char *format, ...) GEMP_PRINTF(2, 3);
GEMP_API void gemp_report_detail(const gemp_report *report, const char *format, ...) GEMP_PRINTF(2, 3);

/* Local. Has it all its fields, although the function that filled it has failed? Of a graph without Euler circuit, say. */
GEMP_API bool gemp_report_is_complete(const gemp_report *report);

/* Local. From now on the process records what it does when, until the report is written or closed; one report at a time. */
GEMP_API void gemp_report_trace_begin(gemp_report *report);
/* Collective. Ends the recording and writes `path`: Chrome trace events, a process for each rank, which Perfetto and
 * chrome://tracing show. Sets `trace`, and `overlap`: what was done while devices worked. */
GEMP_API gemp_code gemp_report_trace_write(gemp_report *report, const char *path);

#ifdef __cplusplus
}
#endif

#endif
