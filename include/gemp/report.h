/* gemp/report.h: the figures of a run, such as counts, seconds by phase, memory, devices and exchange.
 *
 * A function that takes a gemp_report sets fields of the report's JSON object and sends text for people to the report's
 * callback. `gemp-mpi help --as markdown` lists the fields. If the argument is NULL, the function makes no report. Only
 * rank 0 has fields and text. */

#ifndef GEMP_REPORT_H
#define GEMP_REPORT_H

#include <gemp/context.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gemp_report gemp_report;

/* Receives text for people: text[size] with line ends, and without a 0 byte at its end. Called on rank 0 only. */
typedef void gemp_text_callback(void *self, const char *text, size_t size);

typedef struct gemp_report_options {
	size_t size;              /* set by gemp_report_options_init */
	gemp_text_callback *text; /* NULL: the report has no text */
	void *text_self;          /* the first argument of the callback */
	bool brief;               /* the text has only results, without tables of phases and devices */
	bool no_rows;             /* the text has no rows of results */
	bool whole_run;           /* gemp_report_finish reports the seconds, with those of closing */
} gemp_report_options;

/* Local. Sets all defaults. */
GEMP_API void gemp_report_options_init(gemp_report_options *options);

/* Collective. Opens an empty report. If `options` is NULL, the defaults apply. The context must outlive the report.
 * gemp_report_close frees *out. */
GEMP_API gemp_code gemp_report_open(gemp_report **out, gemp_context *context, const gemp_report_options *options);
/* Local. Frees the report; does nothing for NULL. */
GEMP_API void gemp_report_close(gemp_report *report);

/* Collective. Ends a report with `whole_run`, after the program has closed its graphs. Closes the devices of the
 * context, which a later function opens again, and reports the seconds of all phases. Does nothing for a report without
 * seconds. */
GEMP_API void gemp_report_finish(gemp_report *report);

/* Local. *out becomes the whole object as JSON text, or NULL on ranks other than 0. gemp_text_release frees the
 * text. */
GEMP_API gemp_code gemp_report_json(const gemp_report *report, char **out);

/* Local. Reads the field at a path such as "seconds.kernel.max" or "queries.0.matches". Returns false if there is no
 * field of the function's type at this path, and on ranks other than 0. A text is valid until the field changes. */
GEMP_API bool gemp_report_count(const gemp_report *report, const char *path, uint64_t *out);
GEMP_API bool gemp_report_real(const gemp_report *report, const char *path, double *out);
GEMP_API bool gemp_report_text(const gemp_report *report, const char *path, const char **out);

/* Local. Sets a field that the program adds, such as its options. `json` is the value as JSON text. GEMP_EUSAGE if
 * `json` is not valid JSON. */
GEMP_API gemp_code gemp_report_set_json(gemp_report *report, const char *name, const char *json);

/* Local. Both functions add text of the program, with line ends, to the text for people. A brief report omits the text
 * of gemp_report_detail. */
GEMP_API void gemp_report_print(const gemp_report *report, const char *format, ...) GEMP_PRINTF(2, 3);
GEMP_API void gemp_report_detail(const gemp_report *report, const char *format, ...) GEMP_PRINTF(2, 3);

/* Local. Returns true if the report has all its fields although the result is negative, such as a graph without an
 * Euler circuit. gemp-mpi then writes the report although it exits with an error code. */
GEMP_API bool gemp_report_is_complete(const gemp_report *report);

/* Local. Starts to record a timeline of this process's work. Recording ends when the trace is written or the report is
 * closed. Only one report at a time can have a trace. */
GEMP_API void gemp_report_trace_begin(gemp_report *report);
/* Collective. Ends the recording and writes the timelines of all ranks to `path` as Chrome trace events, which Perfetto
 * and chrome://tracing show. Sets the fields `trace` and `overlap`. `overlap` is the time of other work while devices
 * were busy. */
GEMP_API gemp_code gemp_report_trace_write(gemp_report *report, const char *path);

#ifdef __cplusplus
}
#endif

#endif
