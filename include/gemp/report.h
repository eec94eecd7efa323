/* gemp/report.h: figures of a run: counts, seconds by phase, memory, devices, exchange.
 *
 * A function that takes a gemp_report sets fields of its JSON object (`gemp-mpi help --as markdown` lists them) and
 * sends text for people to its callback. For NULL the function makes no report. Only rank 0 has fields and text.
 */

#ifndef GEMP_REPORT_H
#define GEMP_REPORT_H

#include <gemp/context.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gemp_report gemp_report;

/* Takes text for people: text[size], with line ends, not ended by 0. Called on rank 0 only. */
typedef void gemp_text_callback(void *self, const char *text, size_t size);

typedef struct gemp_report_options {
	size_t size;              /* set by gemp_report_options_init */
	gemp_text_callback *text; /* NULL: no text is wanted */
	void *text_self;          /* passed to the callback */
	bool brief;               /* the text has only results, no tables of phases and devices */
	bool no_rows;             /* the text shows no rows */
} gemp_report_options;

/* Local. Sets all defaults. */
GEMP_API void gemp_report_options_init(gemp_report_options *options);

/* Collective. options NULL: defaults. The context must outlive the report; gemp_report_close frees *out. */
GEMP_API gemp_code gemp_report_open(gemp_report **out, gemp_context *context, const gemp_report_options *options);
/* Local. Frees the report; does nothing for NULL. */
GEMP_API void gemp_report_close(gemp_report *report);

/* Local. *out becomes the whole object as JSON text, which gemp_text_release frees; NULL on ranks other than 0. */
GEMP_API gemp_code gemp_report_json(const gemp_report *report, char **out);

/* Local. Reads a field by its path, such as "seconds.kernel.max" or "queries.0.matches". False if there is no field of
 * that type, and on ranks other than 0. A text is valid until the field changes. */
GEMP_API bool gemp_report_count(const gemp_report *report, const char *path, uint64_t *out);
GEMP_API bool gemp_report_real(const gemp_report *report, const char *path, double *out);
GEMP_API bool gemp_report_text(const gemp_report *report, const char *path, const char **out);

/* Local. Sets a field of the program's own, such as its options, to a value that is given as JSON text. GEMP_EUSAGE:
 * the text is not JSON. */
GEMP_API gemp_code gemp_report_set_json(gemp_report *report, const char *name, const char *json);

/* Local. Adds text of the program, with line ends, to the text for people. A brief report leaves out _detail. */
GEMP_API void gemp_report_print(const gemp_report *report, const char *format, ...) GEMP_PRINTF(2, 3);
GEMP_API void gemp_report_detail(const gemp_report *report, const char *format, ...) GEMP_PRINTF(2, 3);

/* Local. True if the report has all its fields although it tells of no success, as for a graph without an Euler
 * circuit. */
GEMP_API bool gemp_report_is_complete(const gemp_report *report);

/* Local. Starts to record a timeline of this process's work, until the trace is written or the report is closed. Only
 * one report at a time can have a trace. */
GEMP_API void gemp_report_trace_begin(gemp_report *report);
/* Collective. Ends the recording and writes the timelines of all ranks to `path` as Chrome trace events, which Perfetto
 * and chrome://tracing show. Sets the fields `trace` and `overlap`, the time of other work while devices were busy. */
GEMP_API gemp_code gemp_report_trace_write(gemp_report *report, const char *path);

#ifdef __cplusplus
}
#endif

#endif
