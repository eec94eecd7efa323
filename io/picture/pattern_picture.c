/* pattern_picture: a description of the picture (boxes with lines of text, arrows, and notes below), which is the same
 * for all formats, and its drawing on a canvas or as text for Graphviz.
 *
 * A short condition on one vertex stands in its box, one on an edge at its arrow, and every other condition in the
 * notes. Elements of OPTIONAL MATCH are grey. */

#include "io/picture/pattern_picture.h"

#include "io/file/output.h"
#include "io/picture/canvas.h"
#include "io/picture/drawing_layout.h"
#include "io/text/cells.h"
#include "pattern/condition/expr_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct box {
	gemp_text text; /* lines, each ends with \n */
	int number;     /* place in the order of the search, from 1; 0: unknown */
	bool optional;
	double x, y, width, height; /* x, y: the centre */
} box;

typedef struct arrow {
	gemp_text text; /* lines */
	bool directed, optional;
} arrow;

typedef struct picture {
	size_t box_count, arrow_count;
	box *boxes;     /* [box_count] vertices of a row */
	arrow *arrows;  /* [arrow_count] edges of a row */
	int (*ends)[2]; /* [arrow_count] */
	gemp_text notes;
} picture;

static void free_picture(picture *p)
{
	for (size_t i = 0; p->boxes && i < p->box_count; i++)
		gemp_text_free(&p->boxes[i].text);
	for (size_t i = 0; p->arrows && i < p->arrow_count; i++)
		gemp_text_free(&p->arrows[i].text);
	gemp_text_free(&p->notes);
	gemp_free_all(p->boxes, p->arrows, p->ends);
}

/* DESCRIPTION */

/* Appends ":A|B" for each test of labels of the vertex. */
static void add_labels(gemp_text *out, const gemp_pattern *pattern, int vertex)
{
	for (size_t c = 0; c < pattern->condition_count; c++) {
		const gemp_expr *expr = pattern->conditions[c].expr;
		if (expr->kind != GEMP_HAS_LABEL || expr->of_edge || expr->variable != vertex)
			continue;
		for (size_t i = 0; i < expr->name_count; i++)
			gemp_text_print(out, "%s%s", i ? "|" : ":", expr->names[i]);
	}
}

/* Appends "r:A|B*1..3". */
static void add_edge_name(gemp_text *out, const gemp_pattern_edge *edge)
{
	gemp_text_print(out, "%s", edge->name ? edge->name : "");
	for (size_t i = 0; i < edge->type_count; i++)
		gemp_text_print(out, "%s%s", i ? "|" : ":", edge->types[i]);
	if (edge->path && edge->max_hops == UINT32_MAX)
		gemp_text_print(out, "*%u..", edge->min_hops);
	else if (edge->path)
		gemp_text_print(out, "*%u..%u", edge->min_hops, edge->max_hops);
	if (out->size)
		gemp_text_print(out, "\n");
}

/* Appends each condition to the text of the element that it is about, if it is short enough for a box. Conditions of an
 * OPTIONAL MATCH on a vertex of the main pattern stand in the notes, since a row that fails them is kept. map[v]: the
 * box of vertex v. */
static void add_conditions(picture *p, const gemp_pattern *pattern, const int *map, size_t first_edge, bool optional)
{
	enum { SHORT = 44 }; /* bytes */
	GEMP_OWNED_BY(gemp_text_free) gemp_text text = { 0 };
	for (size_t c = 0; c < pattern->condition_count; c++) {
		const gemp_condition *condition = &pattern->conditions[c];
		const uint64_t vertices = condition->vertices, edges = condition->edges;
		const bool of_argument = !edges && !(vertices >> pattern->arguments);
		if (condition->expr->kind == GEMP_HAS_LABEL && !condition->expr->of_edge && !of_argument)
			continue;
		gemp_text_clear(&text);
		gemp_expr_print(condition->expr, pattern, &text);
		const bool of_edge = edges && !(edges & (edges - 1)) && text.size <= SHORT;
		const bool of_vertex = !edges && !of_argument && !(vertices & (vertices - 1)) && text.size <= SHORT;
		gemp_text *out = of_edge     ? &p->arrows[first_edge + (size_t)__builtin_ctzll(edges)].text
		                 : of_vertex ? &p->boxes[map[__builtin_ctzll(vertices)]].text
		                             : &p->notes;
		if (out == &p->notes)
			gemp_text_print(out, "%s", optional ? "OPTIONAL MATCH ... WHERE " : "WHERE ");
		gemp_text_add(out, text.data, text.size);
		gemp_text_print(out, "\n");
		out->failed |= text.failed;
	}
}

/* Adds the vertices that are not arguments, and the edges. An anonymous vertex has its number, by which --order and
 * --count-per call it. */
static void add_pattern(picture *p, const gemp_pattern *pattern, const int *map, size_t first_edge, bool optional)
{
	for (size_t v = pattern->arguments; v < pattern->vertex_count; v++) {
		box *b = &p->boxes[map[v]];
		b->optional = optional;
		if (pattern->vertices[v].name)
			gemp_text_print(&b->text, "%s", pattern->vertices[v].name);
		else
			gemp_text_print(&b->text, "%d", map[v]);
		add_labels(&b->text, pattern, (int)v);
		gemp_text_print(&b->text, "\n");
	}
	for (size_t e = 0; e < pattern->edge_count; e++) {
		const gemp_pattern_edge *edge = &pattern->edges[e];
		arrow *a = &p->arrows[first_edge + e];
		a->directed = edge->direction == GEMP_OUT;
		a->optional = optional;
		p->ends[first_edge + e][0] = map[edge->from];
		p->ends[first_edge + e][1] = map[edge->to];
		add_edge_name(&a->text, edge);
	}
	add_conditions(p, pattern, map, first_edge, optional);
}

static void add_notes(picture *p, const gemp_pattern *pattern, size_t order_count)
{
	if (order_count)
		gemp_text_print(&p->notes, "Numbers: the order of the search, from the pivot.\n");
	if (pattern->optional_count)
		gemp_text_print(&p->notes, "Grey: OPTIONAL MATCH.\n");
	if (pattern->simple)
		gemp_text_print(&p->notes, "In the simple undirected graph.\n");
}

static gemp_code describe(picture *p, const gemp_pattern *pattern, const int *order, size_t order_count)
{
	int map[2 * GEMP_MAX_PATTERN_VERTICES];
	p->box_count = gemp_pattern_row_vertices(pattern);
	p->arrow_count = gemp_pattern_row_edges(pattern);
	GEMP_TRY(GEMP_NEW(p->boxes, p->box_count));
	GEMP_TRY(GEMP_NEW(p->arrows, p->arrow_count + 1));
	GEMP_TRY(GEMP_NEW(p->ends, p->arrow_count + 1));
	for (size_t v = 0; v < pattern->vertex_count; v++)
		map[v] = (int)v;
	add_pattern(p, pattern, map, 0, false);
	for (size_t i = 0; i < pattern->optional_count; i++) {
		const gemp_optional *one = &pattern->optionals[i];
		for (size_t v = 0; v < one->pattern->vertex_count; v++)
			map[v] = v < one->pattern->arguments ? one->outer[v]
			                                     : one->first_vertex + (int)(v - one->pattern->arguments);
		add_pattern(p, one->pattern, map, (size_t)one->first_edge, true);
	}
	for (size_t i = 0; i < order_count; i++)
		p->boxes[order[i]].number = (int)i + 1;
	add_notes(p, pattern, order_count);
	return GEMP_OK;
}

/* GRAPHVIZ */

/* Appends the lines as the value of an attribute, with quotes. */
static void add_dot_text(gemp_text *out, const char *name, const gemp_text *lines)
{
	gemp_text_print(out, "%s=", name);
	gemp_escape_dot(out, lines->data, lines->size);
}

static gemp_code write_dot(const picture *p, const char *path)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text out = { 0 };
	gemp_text_print(&out, "digraph pattern {\n\tgraph [fontname=\"sans-serif\", labelloc=b, ");
	add_dot_text(&out, "label", &p->notes);
	gemp_text_print(&out, "];\n\tnode [shape=box, style=filled, fillcolor=\"#dbe9f6\", fontname=\"sans-serif\"];\n"
	                      "\tedge [fontname=\"sans-serif\"];\n");
	for (size_t v = 0; v < p->box_count; v++) {
		const box *b = &p->boxes[v];
		gemp_text_print(&out, "\tv%zu [", v);
		add_dot_text(&out, "label", &b->text);
		if (b->number)
			gemp_text_print(&out, ", xlabel=\"%d\"", b->number);
		if (b->number == 1 || b->optional)
			gemp_text_print(&out, ", fillcolor=\"%s\"", b->optional ? "#e6e6e6" : "#ffd97a");
		gemp_text_print(&out, "];\n");
	}
	for (size_t e = 0; e < p->arrow_count; e++) {
		const arrow *a = &p->arrows[e];
		gemp_text_print(&out, "\tv%d -> v%d [", p->ends[e][0], p->ends[e][1]);
		add_dot_text(&out, "label", &a->text);
		gemp_text_print(&out, "%s%s];\n", a->directed ? "" : ", dir=none", a->optional ? ", color=\"#999999\"" : "");
	}
	gemp_text_print(&out, "}\n");
	GEMP_TRY(gemp_text_status(&out));
	return gemp_file_replace(path, out.data, out.size);
}

/* CANVAS. Lengths are in units of an SVG. */

enum { LETTER = 9, LINE = 17, PAD = 9, MARGIN = 24, GAP_X = 120, GAP_Y = 96, LONGEST = 300, PARALLEL = 30 };

static const gemp_colour plain_fill = { 0xdb, 0xe9, 0xf6 }, pivot_fill = { 0xff, 0xd9, 0x7a },
						 optional_fill = { 0xe6, 0xe6, 0xe6 }, ink = { 0x33, 0x33, 0x33 },
						 grey_ink = { 0x99, 0x99, 0x99 }, white = { 0xff, 0xff, 0xff };

enum { WORDS = 512 };

/* Copies the line at `at`, or its first letters, with space for an ellipsis. No letter of UTF-8 is cut. */
static void copy_line(char words[WORDS], const char *at)
{
	size_t whole = strcspn(at, "\n"),
		   size = whole < WORDS - GEMP_CANVAS_ELLIPSIS ? whole : WORDS - GEMP_CANVAS_ELLIPSIS - 1;
	while (size && size < whole && ((unsigned char)at[size] & 0xc0) == 0x80)
		size--;
	memcpy(words, at, size);
	words[size] = '\0';
}

/* Calls `draw` for each line, which is cut to LONGEST units. Returns the number of lines, and the widest in *width. */
typedef void line_visitor(void *self, int line, const char *words);

static int visit_lines(const gemp_canvas *canvas, const gemp_text *text, double *width, line_visitor *draw, void *self)
{
	char words[WORDS];
	int lines = 0;
	*width = 0;
	for (const char *at = text->data; at && *at; at += strcspn(at, "\n") + 1, lines++) {
		copy_line(words, at);
		gemp_canvas_fit(canvas, LETTER, LONGEST, words);
		*width = fmax(*width, gemp_canvas_width(canvas, LETTER, words));
		if (draw)
			draw(self, lines, words);
	}
	return lines;
}

typedef struct label_place {
	gemp_canvas *canvas;
	double x, y; /* the centre of the first line */
	gemp_colour on;
} label_place;

static void draw_line(void *self, int line, const char *words)
{
	const label_place *place = self;
	gemp_canvas_label(place->canvas, place->x, place->y + LINE * line, LETTER, place->on, words);
}

/* Draws lines of text that are centred at (x, y), on a box of the colour. */
static void draw_text(gemp_canvas *canvas, double x, double y, gemp_colour on, const gemp_text *text)
{
	double width;
	const int lines = visit_lines(canvas, text, &width, NULL, NULL);
	label_place place = { canvas, x, y - LINE * (lines - 1) / 2., on };
	if (lines)
		gemp_canvas_box(canvas, x - width / 2 - 3, y - LINE * lines / 2., width + 6, LINE * lines, on);
	visit_lines(canvas, text, &width, draw_line, &place);
}

/* Sizes and places of the boxes. All boxes have the distances that the largest needs. */
static gemp_code place_boxes(picture *p, const gemp_canvas *canvas)
{
	GEMP_OWNED double(*xy)[2] = NULL;
	double width = 0, height = 0;
	GEMP_TRY(GEMP_NEW(xy, p->box_count));
	GEMP_TRY(gemp_drawing_layout(xy, p->box_count, (const int(*)[2])p->ends, p->arrow_count));
	for (size_t v = 0; v < p->box_count; v++) {
		box *b = &p->boxes[v];
		b->height = LINE * visit_lines(canvas, &b->text, &b->width, NULL, NULL) + PAD;
		b->width = fmax(b->width, 2 * LINE) + 2 * PAD;
		width = fmax(width, b->width);
		height = fmax(height, b->height);
	}
	for (size_t v = 0; v < p->box_count; v++) {
		p->boxes[v].x = xy[v][0] * (width + GAP_X);
		p->boxes[v].y = xy[v][1] * (height + GAP_Y);
	}
	return GEMP_OK;
}

/* Moves (x, y) from the centre of a box along the direction to its border. */
static void to_border(const box *b, const double direction[2], double *x, double *y)
{
	const double across = fabs(direction[0]) > 1e-9 ? b->width / 2 / fabs(direction[0]) : INFINITY;
	const double down = fabs(direction[1]) > 1e-9 ? b->height / 2 / fabs(direction[1]) : INFINITY;
	const double step = fmin(across, down);
	*x += step * direction[0];
	*y += step * direction[1];
}

/* Returns the distance by which an arrow is moved aside, if several join the same two boxes. */
static double aside(const picture *p, size_t e)
{
	size_t same = 0, before = 0;
	const int *own = p->ends[e];
	for (size_t i = 0; i < p->arrow_count; i++) {
		const int *other = p->ends[i];
		if ((other[0] == own[0] && other[1] == own[1]) || (other[0] == own[1] && other[1] == own[0])) {
			same++;
			before += i < e;
		}
	}
	const double shift = PARALLEL * ((double)before - (double)(same - 1) / 2);
	return own[0] < own[1] ? shift : -shift; /* both directions count from the same side */
}

/* A loop is a line and its text above the box. */
static void draw_loop(gemp_canvas *canvas, const box *b, const arrow *a, double shift)
{
	const double y = b->y - b->height / 2 - 14, x = b->x + shift;
	const gemp_colour colour = a->optional ? grey_ink : ink;
	gemp_canvas_box(canvas, x - 24, y, 48, 1.5, colour);
	gemp_canvas_box(canvas, x - 24, y, 1.5, 14, colour);
	gemp_canvas_box(canvas, x + 24, y, 1.5, 14, colour);
	draw_text(canvas, x, y - 6, white, &a->text);
}

static void draw_arrow(gemp_canvas *canvas, const picture *p, size_t e)
{
	const arrow *a = &p->arrows[e];
	const box *from = &p->boxes[p->ends[e][0]], *to = &p->boxes[p->ends[e][1]];
	const double length = hypot(to->x - from->x, to->y - from->y), shift = aside(p, e);
	if (from == to || length < 1) {
		draw_loop(canvas, from, a, shift);
		return;
	}
	const double u[2] = { (to->x - from->x) / length, (to->y - from->y) / length }, n[2] = { -u[1], u[0] };
	double x = from->x, y = from->y, tip_x = to->x, tip_y = to->y;
	to_border(from, u, &x, &y);
	to_border(to, (const double[2]){ -u[0], -u[1] }, &tip_x, &tip_y);
	x += n[0] * shift;
	y += n[1] * shift;
	tip_x += n[0] * shift;
	tip_y += n[1] * shift;
	const double half = .75, wing = 5, back = a->directed ? 11 : 0;
	const double end_x = tip_x - back * u[0], end_y = tip_y - back * u[1];
	const gemp_colour colour = a->optional ? grey_ink : ink;
	const double line[4][2] = { { x + half * n[0], y + half * n[1] },
		                        { end_x + half * n[0], end_y + half * n[1] },
		                        { end_x - half * n[0], end_y - half * n[1] },
		                        { x - half * n[0], y - half * n[1] } };
	const double head[3][2] = { { tip_x, tip_y },
		                        { end_x + wing * n[0], end_y + wing * n[1] },
		                        { end_x - wing * n[0], end_y - wing * n[1] } };
	gemp_canvas_polygon(canvas, line, 4, colour, NULL);
	if (a->directed)
		gemp_canvas_polygon(canvas, head, 3, colour, NULL);
	draw_text(canvas, (x + tip_x) / 2, (y + tip_y) / 2, white, &a->text);
}

static void draw_box(gemp_canvas *canvas, const box *b)
{
	const double x = b->x - b->width / 2, y = b->y - b->height / 2;
	const gemp_colour fill = b->optional ? optional_fill : b->number == 1 ? pivot_fill : plain_fill;
	char number[12];
	gemp_canvas_box(canvas, x - 1, y - 1, b->width + 2, b->height + 2, b->optional ? grey_ink : ink);
	gemp_canvas_box(canvas, x, y, b->width, b->height, fill);
	draw_text(canvas, b->x, b->y, fill, &b->text);
	if (!b->number)
		return;
	snprintf(number, sizeof number, "%d", b->number);
	gemp_canvas_box(canvas, x - 9, y - 9, 18, 16, ink);
	gemp_canvas_label(canvas, x, y - 1, LETTER - 1, ink, number);
}

/* Moves the boxes so that all of them, the texts of arrows beside them and the notes fit, and sets the size. */
static void fit(picture *p, const gemp_canvas *canvas, double size[2], double *notes_y)
{
	double low[2] = { INFINITY, INFINITY }, high[2] = { -INFINITY, -INFINITY }, width, around = 0;
	for (size_t e = 0; e < p->arrow_count; e++) {
		visit_lines(canvas, &p->arrows[e].text, &width, NULL, NULL);
		around = fmax(around, width / 2 + PARALLEL);
	}
	for (size_t v = 0; v < p->box_count; v++) {
		const box *b = &p->boxes[v];
		low[0] = fmin(low[0], b->x - fmax(b->width / 2, around));
		high[0] = fmax(high[0], b->x + fmax(b->width / 2, around));
		low[1] = fmin(low[1], b->y - b->height / 2 - 2 * LINE);
		high[1] = fmax(high[1], b->y + b->height / 2);
	}
	size[0] = high[0] - low[0];
	for (const char *at = p->notes.data; at && *at; at += strcspn(at, "\n") + 1) {
		char words[WORDS];
		copy_line(words, at);
		size[0] = fmax(size[0], gemp_canvas_width(canvas, LETTER, words));
		size[1] += LINE;
	}
	for (size_t v = 0; v < p->box_count; v++) {
		p->boxes[v].x += MARGIN + size[0] / 2 - (low[0] + high[0]) / 2;
		p->boxes[v].y += MARGIN - low[1];
	}
	*notes_y = high[1] - low[1] + 2 * MARGIN;
	size[0] += 2 * MARGIN;
	size[1] += *notes_y + MARGIN;
}

static gemp_code write_canvas(picture *p, const char *path)
{
	const bool pixels = gemp_file_ends_in(path, ".png");
	GEMP_OWNED_BY(gemp_canvas_free) gemp_canvas ruler = { 0 };
	GEMP_OWNED_BY(gemp_canvas_free) gemp_canvas canvas = { 0 };
	double size[2] = { 0, 0 }, y;
	GEMP_TRY(gemp_canvas_new(&ruler, 1, 1, pixels)); /* the width of texts depends on the format */
	GEMP_TRY(place_boxes(p, &ruler));
	fit(p, &ruler, size, &y);
	GEMP_TRY(gemp_canvas_new(&canvas, (uint32_t)ceil(size[0]), (uint32_t)ceil(size[1]), pixels));
	for (size_t e = 0; e < p->arrow_count; e++)
		draw_arrow(&canvas, p, e);
	for (size_t v = 0; v < p->box_count; v++)
		draw_box(&canvas, &p->boxes[v]);
	for (const char *at = p->notes.data; at && *at; at += strcspn(at, "\n") + 1, y += LINE) {
		char words[WORDS];
		copy_line(words, at);
		gemp_canvas_words(&canvas, MARGIN, y, LETTER, GEMP_ANCHOR_START, words);
	}
	return gemp_canvas_write(&canvas, path);
}

gemp_code gemp_pattern_picture_check(const char *path)
{
	if (gemp_file_ends_in(path, ".svg") || gemp_file_ends_in(path, ".png") || gemp_file_ends_in(path, ".dot"))
		return GEMP_OK;
	return gemp_fail(GEMP_EUSAGE, "draw %s: the ending must be .svg, .png or .dot (for Graphviz)", path);
}

gemp_code gemp_pattern_picture_write(const gemp_pattern *pattern, const int *order, size_t order_count,
                                     const char *path)
{
	GEMP_OWNED_BY(free_picture) picture p = { 0 };
	GEMP_TRY(describe(&p, pattern, order, order_count));
	for (size_t v = 0; v < p.box_count; v++)
		GEMP_TRY(gemp_text_status(&p.boxes[v].text));
	for (size_t e = 0; e < p.arrow_count; e++)
		GEMP_TRY(gemp_text_status(&p.arrows[e].text));
	GEMP_TRY(gemp_text_status(&p.notes));
	return gemp_file_ends_in(path, ".dot") ? write_dot(&p, path) : write_canvas(&p, path);
}
