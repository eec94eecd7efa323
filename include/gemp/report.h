/* gemp/report.h: figures of a run: counts, seconds by phase, memory, devices, exchange.
 *
 * A function that takes a gemp_report sets fields of one JSON object (`gemp-mpi help --as markdown` lists them) and sends text for
 * people to a callback; NULL: no report is wanted. Only rank 0 has fields and text.
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
	gemp_text_callback *text; /* NULL: no text is wanted */
	void *text_self;
	bool brief;   /* the text has only results, no tables of phases and devices */
	bool no_rows; /* the text shows no rows */
} gemp_report_options;

/* Local. */
GEMP_API void gemp_report_options_init(gemp_report_options *options);

/* Collective. options NULL: defaults. */
GEMP_API gemp_code gemp_report_open(gemp_report **out, gemp_context *context, const gemp_report_options *options);
/* Local. Takes NULL. */
GEMP_API void gemp_report_close(gemp_report *report);

/* Local. *out: the whole object as text, which gemp_text_release frees; NULL on other ranks than 0. */
GEMP_API gemp_code gemp_report_json(const gemp_report *report, char **out);

/* Local. Reads a field by its path, as "seconds.kernel.max" or "queries.0.matches". False if there is no field of that type, and on
 * other ranks than 0. A text is valid until the field changes. */
GEMP_API bool gemp_report_count(const gemp_report *report, const char *path, uint64_t *out);
GEMP_API bool gemp_report_real(const gemp_report *report, const char *path, double *out);
GEMP_API bool gemp_report_text(const gemp_report *report, const char *path, const char **out);

/* Local. Sets a field of the program's own, as its options, to a value in JSON. GEMP_EUSAGE: the text is not JSON. */
GEMP_API gemp_code gemp_report_set_json(gemp_report *report, const char *name, const char *json);

/* Local. Adds the program's own text, with line ends, to the text for people; a brief report leaves out details. */
GEMP_API void gemp_report_print(const gemp_report *report, const char *format, ...) GEMP_PRINTF(2, 3);
GEMP_API void gemp_report_detail(const gemp_report *report, const char *format, ...) GEMP_PRINTF(2, 3);

/* Local. True if the report has all its fields although the function that filled it failed, as for a graph without Euler circuit. */
GEMP_API bool gemp_report_is_complete(const gemp_report *report);

/* Local. From now on this process records a timeline of its work, until the trace is written or the report closed. Only one report
 * at a time can have a trace. */
GEMP_API void gemp_report_trace_begin(gemp_report *report);
/* Collective. Ends the recording and writes the timelines of all ranks to `path` as Chrome trace events, which Perfetto and
 * chrome://tracing show. Sets `trace`, and `overlap`: the time of other work while devices were busy. */
GEMP_API gemp_code gemp_report_trace_write(gemp_report *report, const char *path);

#ifdef __cplusplus
}
#endif

#endif
