#include "cli/demo_picture.h"

#include "core/quantity.h"

/* With more ranks the table shows the first ones. The picture leaves out the lines between the ranks. */
enum { MAX_LINES = 32, BAR_CELLS = 8, EIGHTHS = 8 };

double gemp_demo_imbalance(const gemp_demo_rank *ranks, int count)
{
	uint64_t sum = 0, greatest = 0;
	for (int r = 0; r < count; r++) {
		sum += ranks[r].reads;
		greatest = ranks[r].reads > greatest ? ranks[r].reads : greatest;
	}
	return sum ? (double)greatest * count / (double)sum : 1;
}

/* TABLE */

/* The left blocks of UTF-8 divide a cell into eighths. ASCII has whole cells only. */
static void add_bar(gemp_text *out, uint64_t value, uint64_t greatest, bool blocks)
{
	static const char *const parts[EIGHTHS] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
	const double share = greatest ? (double)value / (double)greatest : 0;
	const int eighths = (int)(share * BAR_CELLS * EIGHTHS + 0.5);
	gemp_text_print(out, " ");
	for (int i = 0; i < eighths / EIGHTHS; i++)
		gemp_text_print(out, "%s", blocks ? "█" : "#");
	gemp_text_print(out, "%s", blocks ? parts[eighths % EIGHTHS] : eighths % EIGHTHS >= EIGHTHS / 2 ? "#" : "");
}

static void add_numbers(gemp_text *out, const char *name, const gemp_demo_rank *r)
{
	gemp_text_print(out, "%4s %7s %8s %8s %8s", name, gemp_grouped(r->pivots).text, gemp_grouped(r->launches).text,
	                gemp_grouped(r->sent).text, gemp_grouped(r->received).text);
	gemp_text_print(out, " %10s %9s %10s", gemp_grouped(r->reads).text, gemp_grouped(r->embeddings).text,
	                r->exact ? gemp_grouped(r->duplicates).text : "?");
}

static gemp_demo_rank sum_of(const gemp_demo_rank *ranks, int count)
{
	gemp_demo_rank all = { .exact = true };
	for (int r = 0; r < count; r++) {
		all.pivots += ranks[r].pivots;
		all.launches += ranks[r].launches;
		all.sent += ranks[r].sent;
		all.received += ranks[r].received;
		all.reads += ranks[r].reads;
		all.embeddings += ranks[r].embeddings;
		all.forms_sent += ranks[r].forms_sent;
		all.forms_received += ranks[r].forms_received;
		all.duplicates += ranks[r].duplicates;
		all.matches += ranks[r].matches;
		all.exact &= ranks[r].exact;
	}
	return all;
}

void gemp_demo_table(gemp_text *out, const gemp_demo_rank *ranks, int count, bool blocks)
{
	const gemp_demo_rank all = sum_of(ranks, count);
	uint64_t greatest = 0;
	for (int r = 0; r < count; r++)
		greatest = ranks[r].reads > greatest ? ranks[r].reads : greatest;
	gemp_text_print(out, "%21s %17s\n%4s %7s %8s %8s %8s %10s %9s %10s\n", "", "partial matches", "rank", "pivots",
	                "launches", "sent", "received", "work", "found", "duplicates");
	for (int r = 0; r < count && r < MAX_LINES; r++) {
		char name[16];
		snprintf(name, sizeof name, "%d", r);
		add_numbers(out, name, &ranks[r]);
		add_bar(out, ranks[r].reads, greatest, blocks);
		gemp_text_print(out, "\n");
	}
	if (count > MAX_LINES)
		gemp_text_print(out, " ... (%d more ranks)\n", count - MAX_LINES);
	add_numbers(out, "all", &all);
	gemp_text_print(out, "\n");
}

/* PICTURE: three columns of bars, one for each stage, with a row for each rank. Between the columns, lines show that
 * every rank sends to every other rank. */

enum { WIDTH = 940, TOP = 112, ROW = 26, THICK = 16, BAR = 190, FIRST = 62, STEP = 322, FOOT = 34 };
static const char ink[] = "#1b2028", pale[] = "#8a93a0", pivot_fill[] = "#4d7cbb", work_fill[] = "#d9822b",
				  kept_fill[] = "#74c296", removed_fill[] = "#d5eadd";

static void add_words(gemp_text *out, int x, int y, const char *anchor, const char *fill, const char *words)
{
	gemp_text_print(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"%s\" fill=\"%s\">%s</text>\n", x, y, anchor, fill,
	                words);
}

static void add_box(gemp_text *out, double x, int row, double width, const char *fill)
{
	gemp_text_print(out, "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>\n", x,
	                TOP + row * ROW + (ROW - THICK) / 2, width, THICK, fill);
}

/* A bar is first[0..count) long, followed by second[0..count). Both are scaled so that the longest bar fits. */
typedef struct column {
	int at; /* number of the column */
	const char *title, *subtitle, *fill, *second_fill;
	uint64_t (*first)(const gemp_demo_rank *rank);
	uint64_t (*second)(const gemp_demo_rank *rank); /* NULL: bars have one part */
} column;

static uint64_t pivots_of(const gemp_demo_rank *rank)
{
	return rank->pivots;
}

static uint64_t reads_of(const gemp_demo_rank *rank)
{
	return rank->reads;
}

static uint64_t matches_of(const gemp_demo_rank *rank)
{
	return rank->matches;
}

static uint64_t duplicates_of(const gemp_demo_rank *rank)
{
	return rank->duplicates;
}

static void add_column(gemp_text *out, const column *c, const gemp_demo_rank *ranks, int count)
{
	const int x = FIRST + c->at * STEP;
	uint64_t greatest = 1;
	add_words(out, x, TOP - 30, "start", ink, c->title);
	add_words(out, x, TOP - 12, "start", pale, c->subtitle);
	for (int r = 0; r < count; r++) {
		const uint64_t length = c->first(&ranks[r]) + (c->second ? c->second(&ranks[r]) : 0);
		greatest = length > greatest ? length : greatest;
	}
	for (int r = 0; r < count; r++) {
		const uint64_t first = c->first(&ranks[r]), second = c->second ? c->second(&ranks[r]) : 0;
		const double scale = (double)BAR / (double)greatest;
		add_box(out, x, r, (double)first * scale, c->fill);
		if (second)
			add_box(out, x + (double)first * scale, r, (double)second * scale, c->second_fill);
		add_words(out, x + 5, TOP + r * ROW + ROW / 2 + 4, "start", second ? ink : "#ffffff", gemp_grouped(first).text);
		if (second)
			add_words(out, x + BAR - 5, TOP + r * ROW + ROW / 2 + 4, "end", ink, gemp_grouped(second).text);
	}
}

/* Lines from each rank behind a column to each rank before the next one, and the number of messages' contents. */
static void add_exchange(gemp_text *out, int after, int count, const char *what, uint64_t sent)
{
	const int x = FIRST + after * STEP + BAR + 8, end = FIRST + (after + 1) * STEP - 8;
	for (int from = 0; from < count && count <= MAX_LINES; from++)
		for (int to = 0; to < count; to++)
			if (from != to)
				gemp_text_print(out, "<path d=\"M%d %dL%d %d\" stroke=\"%s\" stroke-opacity=\"0.45\"/>\n", x,
				                TOP + from * ROW + ROW / 2, end, TOP + to * ROW + ROW / 2, pale);
	add_words(out, (x + end) / 2, TOP - 30, "middle", ink, gemp_grouped(sent).text);
	add_words(out, (x + end) / 2, TOP - 12, "middle", pale, what);
}

void gemp_demo_svg(gemp_text *out, const gemp_demo_rank *ranks, int count)
{
	const gemp_demo_rank all = sum_of(ranks, count);
	const column columns[] = {
		{ 0, "1. pivots of its own part", "where each rank begins", pivot_fill, NULL, pivots_of, NULL },
		{ 1, "2. work of its device", "row entries that it read", work_fill, NULL, reads_of, NULL },
		{ 2, "3. distinct by hash", all.exact ? "matches kept, duplicates removed" : "matches kept", kept_fill,
		  removed_fill, matches_of, duplicates_of },
	};
	const int height = TOP + count * ROW + FOOT;
	gemp_text_print(
		out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
		"font-family=\"sans-serif\" font-size=\"13\">\n<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n"
		"<text x=\"16\" y=\"32\" font-size=\"18\" fill=\"%s\">One search on %d rank%s: %s from %s</text>\n",
		WIDTH, height, WIDTH, height, WIDTH, height, ink, count, count == 1 ? "" : "s",
		gemp_counted(all.matches, "match").text, gemp_counted(all.embeddings, "embedding").text);
	for (int r = 0; r < count; r++) {
		char name[24];
		snprintf(name, sizeof name, "rank %d", r);
		add_words(out, FIRST - 8, TOP + r * ROW + ROW / 2 + 4, "end", ink, name);
	}
	add_exchange(out, 0, count, "partial matches", all.sent);
	add_exchange(out, 1, count, "canonical forms", all.forms_sent);
	for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
		add_column(out, &columns[i], ranks, count);
	gemp_text_print(
		out, "<text x=\"%d\" y=\"%d\" fill=\"%s\">The busiest rank has %.2f times the mean work.</text>\n</svg>\n",
		FIRST + STEP, height - 12, pale, gemp_demo_imbalance(ranks, count));
}
