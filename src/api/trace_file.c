/* trace_file: writes the spans of all ranks (core/timer.h) to one file of Chrome trace events. The file has a process
 * for each rank and a thread for each lane.
 *
 * The times in the file are times of rank 0's clock. Ranks of one node have the same clock. A rank on another node
 * measures by messages how far rank 0's clock is ahead of its own. Of TRIES answers it takes the one that needed the
 * least time (Cristian 1989). Rank 0 receives the spans of one rank after the other, so it never holds more than its
 * own spans and the spans of one other rank. */

#include "api/report.h"

#include "core/limits.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/quantity.h"
#include "device/launch.h"
#include "io/file/output.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

enum { HOST = 256, TRIES = 16, SHARES = GEMP_LANE_DEVICE };

static const char *const lane_name[] = {
	[GEMP_LANE_HOST] = "host",     [GEMP_LANE_EXCHANGE] = "exchange", [GEMP_LANE_RANKS] = "ranks",
	[GEMP_LANE_OUTPUT] = "output", [GEMP_LANE_COMPILER] = "compiler", [GEMP_LANE_DOWNLOAD] = "download",
	[GEMP_LANE_WIRE] = "wire",     [GEMP_LANE_UPLOAD] = "upload",     [GEMP_LANE_DEVICE] = "device",
};

/* The data that rank 0 needs about a rank in addition to its spans. */
typedef struct trace_head {
	char host[HOST];
	uint64_t count, dropped;
	int64_t offset; /* nanoseconds by which rank 0's clock is ahead of this rank's clock */
	int64_t first;  /* beginning of the first span, by this rank's clock */
	unsigned devices;
	char names[GEMP_TRACE_NAMES][GEMP_TRACE_NAME];
	gemp_lane_times shares[SHARES];
} trace_head;

typedef struct event_writer {
	FILE *file;
	int64_t origin; /* time 0 of the file, by rank 0's clock */
	bool begun;     /* an event has been written, so the next one needs a comma before it */
} event_writer;

/* CLOCKS */

static int64_t nanoseconds_now(void)
{
	return llround(gemp_now() * 1e9);
}

static bool on_first_node(const gemp_comm *comm)
{
	int first = comm->rank;
	GEMP_MPI(MPI_Bcast(&first, 1, MPI_INT, 0, comm->node));
	return first == 0;
}

/* On rank 0. Answers the requests of one rank. */
static void send_time(const gemp_comm *comm, int rank)
{
	int64_t time;
	for (int i = 0; i < TRIES; i++) {
		GEMP_MPI(MPI_Recv(NULL, 0, MPI_BYTE, rank, GEMP_TAG_TRACE, comm->world, MPI_STATUS_IGNORE));
		time = nanoseconds_now();
		GEMP_MPI(MPI_Send(&time, 1, MPI_INT64_T, rank, GEMP_TAG_TRACE, comm->world));
	}
}

/* Returns how far rank 0's clock is ahead. The time in the answer is taken as the time in the middle between request
 * and arrival. The error is at most half of the messages' time. */
static int64_t request_time(const gemp_comm *comm)
{
	int64_t offset = 0, min = INT64_MAX, time;
	for (int i = 0; i < TRIES; i++) {
		int64_t before = nanoseconds_now();
		GEMP_MPI(MPI_Send(NULL, 0, MPI_BYTE, 0, GEMP_TAG_TRACE, comm->world));
		GEMP_MPI(MPI_Recv(&time, 1, MPI_INT64_T, 0, GEMP_TAG_TRACE, comm->world, MPI_STATUS_IGNORE));
		int64_t took = nanoseconds_now() - before;
		if (took < min) {
			offset = time - before - took / 2;
			min = took;
		}
	}
	return offset;
}

/* Collective. Every rank tells rank 0 whether it is on another node; such a rank then requests the time. Returns how
 * far rank 0's clock is ahead. */
static int64_t compare_clocks(const gemp_comm *comm)
{
	uint8_t far = !on_first_node(comm);
	if (comm->rank != 0) {
		GEMP_MPI(MPI_Send(&far, 1, MPI_BYTE, 0, GEMP_TAG_TRACE, comm->world));
		return far ? request_time(comm) : 0;
	}
	for (int r = 1; r < comm->size; r++) {
		GEMP_MPI(MPI_Recv(&far, 1, MPI_BYTE, r, GEMP_TAG_TRACE, comm->world, MPI_STATUS_IGNORE));
		if (far)
			send_time(comm, r);
	}
	return 0;
}

/* WRITING */

/* Returns the file, positioned for the next event. */
static FILE *next_event(event_writer *w)
{
	fputs(w->begun ? ",\n" : "\n", w->file);
	w->begun = true;
	return w->file;
}

/* Writes the name of a process or of a thread, and its position in the display. `what` is "process" or "thread". */
static void write_name(event_writer *w, int rank, int lane, const char *what, const char *name, int place)
{
	static const char head[] = "{\"ph\":\"M\",\"pid\":%d,\"tid\":%d,\"name\":\"%s_%s\",\"args\":{";
	fprintf(next_event(w), head, rank, lane, what, "name");
	fprintf(w->file, "\"name\":\"%s\"}}", name);
	fprintf(next_event(w), head, rank, lane, what, "sort_index");
	fprintf(w->file, "\"sort_index\":%d}}", place);
}

/* Names the process of a rank and its threads, one for each lane. The last lanes belong to the rank's devices. */
static void write_names(event_writer *w, int rank, const trace_head *h)
{
	char name[HOST + 32];
	snprintf(name, sizeof name, "rank %d %s", rank, h->host);
	write_name(w, rank, 0, "process", name, rank);
	for (int lane = 0; lane < GEMP_LANE_DEVICE + (int)h->devices; lane++) {
		snprintf(name, sizeof name, "device %d", lane - GEMP_LANE_DEVICE + 1);
		write_name(w, rank, lane, "thread", lane > GEMP_LANE_DEVICE ? name : lane_name[lane], lane);
	}
}

/* Times are microseconds with three decimal digits, since spans are measured in nanoseconds. */
static void write_spans(event_writer *w, int rank, const trace_head *h, const gemp_span *spans)
{
	for (size_t i = 0; i < h->count; i++) {
		int64_t begin = spans[i].begin + h->offset - w->origin, took = spans[i].end - spans[i].begin;
		fprintf(next_event(w),
		        "{\"ph\":\"X\",\"pid\":%d,\"tid\":%d,\"ts\":%" PRId64 ".%03d,\"dur\":%" PRId64 ".%03d,\"name\":\"%s\"}",
		        rank, spans[i].lane, begin / 1000, (int)(begin % 1000), took / 1000, (int)(took % 1000),
		        h->names[spans[i].name]);
	}
}

/* On rank 0. `others` is memory for the spans of one other rank at a time. */
static void write_all(event_writer *w, const gemp_comm *comm, const trace_head *heads, const gemp_span *own,
                      gemp_span *others)
{
	uint64_t dropped = 0;
	fputs("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[", w->file);
	for (int r = 0; r < comm->size; r++) {
		if (r)
			GEMP_MPI(MPI_Recv(others, (int)(heads[r].count * sizeof *others), MPI_BYTE, r, GEMP_TAG_TRACE, comm->world,
			                  MPI_STATUS_IGNORE));
		write_names(w, r, &heads[r]);
		write_spans(w, r, &heads[r], r ? others : own);
		dropped += heads[r].dropped;
	}
	fprintf(w->file,
	        "\n],\n\"otherData\":{\"program\":\"gemp-mpi\",\"version\":\"%s\",\"ranks\":%d,\"dropped\":%" PRIu64 "}}\n",
	        GEMP_VERSION, comm->size, dropped);
}

/* GATHERING */

/* Writes the machine's name into out[size]. Characters that JSON would have to escape become question marks. */
static void host_name(char *out, size_t size)
{
	gethostname(out, size - 1);
	for (char *c = out; *c; c++)
		*c = isalnum((unsigned char)*c) || strchr(".-_", *c) ? *c : '?';
}

/* Collective. Returns the head of this rank's trace. */
static trace_head trace_head_of(const gemp_comm *comm, const gemp_trace *trace)
{
	trace_head own = {
		.count = trace->count, .dropped = trace->dropped, .devices = trace->devices, .first = nanoseconds_now()
	};
	host_name(own.host, sizeof own.host);
	memcpy(own.names, trace->names, sizeof own.names);
	for (size_t i = 0; i < trace->count; i++)
		own.first = trace->spans[i].begin < own.first ? trace->spans[i].begin : own.first;
	for (int lane = 0; lane < SHARES; lane++)
		own.shares[lane] = gemp_trace_lane_times(trace, (gemp_lane)lane);
	own.offset = compare_clocks(comm);
	return own;
}

/* On rank 0. Reports how many seconds of each kind of work were hidden behind the work of devices, as an average over
 * the ranks. */
static void report_overlap(gemp_report *report, const trace_head *heads)
{
	static const gemp_lane shown[] = { GEMP_LANE_EXCHANGE, GEMP_LANE_HOST, GEMP_LANE_OUTPUT };
	json_t *object = json_object();
	const char *between = "";
	for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
		gemp_lane_times mean = { 0 };
		for (int r = 0; r < report->comm->size; r++) {
			mean.seconds += heads[r].shares[shown[i]].seconds / report->comm->size;
			mean.overlapped += heads[r].shares[shown[i]].overlapped / report->comm->size;
		}
		json_object_set_new(object, lane_name[shown[i]],
		                    json_pack("{s:f,s:f}", "seconds", mean.seconds, "hidden", mean.overlapped));
		gemp_report_detail(report, "%s%s %s of %s", between, lane_name[shown[i]],
		                   gemp_shown_seconds(mean.overlapped).text, gemp_shown_seconds(mean.seconds).text);
		between = ", ";
	}
	gemp_report_detail(report, " s a rank\n");
	gemp_report_set(report, "overlap", object);
}

/* On rank 0. Reports the file, the number of its spans, and the number of spans that were left out. */
static void report_trace(gemp_report *report, const trace_head *heads, const char *path)
{
	uint64_t spans = 0, dropped = 0;
	for (int r = 0; r < report->comm->size; r++) {
		spans += heads[r].count;
		dropped += heads[r].dropped;
	}
	if (dropped)
		gemp_warn("trace %s: %s of %s spans are left out; a rank keeps its first %s", path, gemp_grouped(dropped).text,
		          gemp_grouped(spans + dropped).text, gemp_grouped(gemp_limits_now()->trace_spans).text);
	gemp_report_set(
		report, "trace",
		json_pack("{s:s,s:o,s:o}", "file", path, "spans", gemp_json_count(spans), "dropped", gemp_json_count(dropped)));
	gemp_report_detail(report, "  %-10s %s in %s; while devices worked: ", "trace", gemp_counted(spans, "span").text,
	                   path);
	report_overlap(report, heads);
}

/* On rank 0. Allocates memory for the spans of the other rank with the most spans. */
static gemp_code allocate_spans(gemp_span **out, const gemp_comm *comm, const trace_head *heads)
{
	uint64_t max = 0;
	for (int r = 1; r < comm->size; r++)
		max = gemp_max(max, heads[r].count);
	return GEMP_NEW(*out, max);
}

/* Launches become spans when their events are read. Events that were not read yet are read here. */
static void record_launches(const gemp_runtime *runtime)
{
	if (!runtime || !runtime->device)
		return;
	gemp_launch_trace_free(runtime->device);
	for (size_t i = 0; i < runtime->other_count; i++)
		gemp_launch_trace_free(runtime->others[i]->device);
}

void gemp_report_trace_begin(gemp_report *report)
{
	report->traces = true;
	gemp_trace_start(gemp_limits_now()->trace_spans);
	if (report->start > 0)
		gemp_trace_between("start", GEMP_LANE_HOST, llround((report->began - report->start) * 1e9),
		                   llround(report->began * 1e9));
}

/* Time 0 of the file is the beginning of the earliest span of all ranks, by rank 0's clock, so no event has a negative
 * time. Every other rank sends its spans in one message. Rank 0 receives the message after it has written the spans of
 * the previous rank. */
gemp_code gemp_report_trace_write(gemp_report *report, const char *path)
{
	const gemp_comm *comm = report->comm;
	record_launches(report->context->runtime);
	const gemp_trace *trace = gemp_trace_end();
	gemp_file_writer file = { 0 };
	GEMP_OWNED gemp_span *others = NULL;
	trace_head own = trace_head_of(comm, trace);
	GEMP_OWNED trace_head *heads = NULL;
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(heads, comm->rank ? 1 : (size_t)comm->size)));
	GEMP_MPI(MPI_Gather(&own, sizeof own, MPI_BYTE, heads, sizeof own, MPI_BYTE, 0, comm->world));
	gemp_code code = comm->rank == 0 ? allocate_spans(&others, comm, heads) : GEMP_OK;
	if (comm->rank == 0)
		GEMP_THEN(gemp_file_writer_open(&file, path));
	GEMP_TRY(gemp_comm_agree(comm, code));
	if (comm->rank == 0) {
		event_writer w = { .file = file.file, .origin = INT64_MAX };
		for (int r = 0; r < comm->size; r++)
			if (heads[r].first + heads[r].offset < w.origin)
				w.origin = heads[r].first + heads[r].offset;
		write_all(&w, comm, heads, trace->spans, others);
		code = gemp_file_writer_close(&file, true);
		if (code == GEMP_OK)
			report_trace(report, heads, path);
	} else {
		GEMP_MPI(MPI_Send(trace->spans, (int)(trace->count * sizeof *trace->spans), MPI_BYTE, 0, GEMP_TAG_TRACE,
		                  comm->world));
	}
	return gemp_comm_agree(comm, code);
}
