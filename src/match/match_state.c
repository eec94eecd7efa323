#include "match/match_state.h"

/* Bytes of the bitmaps of candidates. Every rank has these bitmaps for all vertices of the graph. */
static uint64_t bitmap_bytes(const gemp_candidates *candidates, int vertices)
{
	uint64_t bytes = 0;
	for (int v = 0; v < vertices; v++)
		bytes += candidates->bits[v] ? candidates->words * sizeof(uint32_t) : 0;
	return bytes;
}

/* Collective. Each number is the maximum over all ranks. `device_buffers` is all device memory except the rows. With
 * pull, the rows of a round are not on the device yet. Without pull, the rows are the views that are on the device
 * now. */
void gemp_memory_report_measure(gemp_memory_report *out, const gemp_search *search, const gemp_resident *rows,
                                const gemp_candidates *candidates, const gemp_pull *pull)
{
	const gemp_device *device = search->context->device;
	uint64_t vertices = search->graph->vertex_count, here = 0,
			 maps = bitmap_bytes(candidates, search->plan->vertex_count);
	for (size_t v = 0; v < rows->view_count && !pull; v++)
		here += rows->views[v].device_begin.counted + rows->views[v].device_neighbours.counted +
		        rows->views[v].device_edges.counted;
	uint64_t round = pull ? gemp_pull_round(pull) : 0;
	uint64_t begins = pull ? rows->view_count * (vertices + 1) * sizeof(uint32_t) : 0;
	uint64_t numbers = rows->order.shared.bytes ? rows->order.shared.own_bytes : 2 * vertices * sizeof(gemp_vertex);
	uint64_t greatest[] = {
		rows->bytes, rows->replica_bytes,          numbers + maps + (pull ? rows->view_count * vertices + maps : 0),
		round,       pull ? round + begins : here, device->buffer_bytes - here
	};
	gemp_comm_max(search->context->comm, greatest, sizeof greatest / sizeof *greatest);
	*out = (gemp_memory_report){ .rows = greatest[0],
		                         .replicas = search->ranks > 1 ? greatest[1] : 0,
		                         .numbering = greatest[2],
		                         .round = greatest[3],
		                         .device_rows = greatest[4],
		                         .device_buffers = greatest[5],
		                         .hot = rows->residency.hot,
		                         .pushes = !search->emit.all_resident,
		                         .sharers = gemp_resident_sharers(rows) };
}

/* Prints bytes in units of powers of 1,024, like the options for memory. */
static void print_bytes(gemp_text *out, const char *before, uint64_t bytes)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	double shown = (double)bytes;
	size_t unit = 0;
	for (; shown >= 1024 && unit < 4; unit++)
		shown /= 1024;
	gemp_text_print(out, unit ? "%s%.1f %s" : "%s%.0f %s", before, shown, units[unit]);
}

/* Prints the maximum over all ranks, so that a user sees before a run whether the job fits. */
void gemp_memory_report_print(const gemp_memory_report *h, const gemp_search *search, gemp_text *out)
{
	print_bytes(out, "  each rank holds at most: on the host rows of ", h->rows);
	if (search->ranks > 1)
		print_bytes(out, ", replicas among them ", h->replicas);
	if (h->sharers > 1)
		gemp_text_print(out, " (its part of what %d ranks of a node share)", h->sharers);
	print_bytes(out, ", numbering ", h->numbering);
	if (h->round)
		print_bytes(out, search->ranks > 1 ? ", rows of rounds four times " : ", rows of rounds twice ", h->round);
	print_bytes(out, "; on the device rows of ", h->device_rows);
	print_bytes(out, h->round ? " a round, buffers " : ", buffers ", h->device_buffers);
	gemp_text_print(out, "\n  exchange: %s",
	                h->round    ? "pull, in rounds"
	                : h->pushes ? "push"
	                            : "none, every row is there");
	if (h->exchange.made) {
		print_bytes(out, "; expected: rows of ", h->exchange.pull_bytes);
		print_bytes(out, ", or partial matches of ", h->exchange.push_bytes);
	}
	gemp_text_print(out, "\n");
}
