/* count_graph: what the sums of a count plan read, on one device: the rows of a simple undirected view, and what is made of
 * them once on the device (supports, vertex tables). Every rank holds all of it and takes its share of the tasks.
 */
#ifndef GEMP_COUNT_COUNT_GRAPH_H
#define GEMP_COUNT_COUNT_GRAPH_H

#include "count/count_plan.h"
#include "partition/context.h"
#include "partition/view.h"

typedef struct gemp_count_graph {
	gemp_context *context;   /* borrowed */
	uint32_t vertices;
	uint64_t entries;        /* 2 * edges */
	bool wide;               /* offsets are ulong, else uint */
	uint32_t longest, longest_prefix; /* of the rows; of their parts before `mid` */
	gemp_buffer begin;       /* [vertices + 1] OFFSET */
	gemp_buffer mid;         /* [vertices] OFFSET: first entry of row v whose slot is greater than v */
	gemp_buffer near;        /* [entries] uint slots, ascending in a row */
	gemp_buffer support;     /* [entries] uint: triangles on the edge of this entry (both its entries); none if not asked for */
	gemp_buffer over;        /* [entries] uint: of those the ones whose third vertex comes after the vertex whose row it is, if
	                            the neighbour does, else 0; none if not asked for */
	gemp_buffer tables[GEMP_MAX_VERTEX_TABLES]; /* [vertices] long; [0] are degrees */
	double table_bound[GEMP_MAX_VERTEX_TABLES]; /* no value of the table is further from 0 */
	const uint64_t *host_begin, *host_mid; /* on the host, for task lists; borrowed from the owner of the graph */
	const gemp_vertex *host_near;

	/* Low rows: the neighbours of smaller slot, each edge once. None of these if the plan has no need of them. */
	gemp_buffer low_begin;   /* [vertices + 1] OFFSET */
	gemp_buffer low_near;    /* [entries / 2] uint slots, ascending in a row */
	gemp_buffer low_source;  /* [entries / 2] uint: whose row this is; GPUs only */
	gemp_buffer low_support; /* [entries / 2] uint: triangles on this edge; none if not asked for */
} gemp_count_graph;

/* An exact sum of one rank: lo and hi are a signed 128-bit number. `seconds` of kernels, `preparation` of kernels that make
 * task lists and the like. */
typedef struct gemp_sum_result {
	__int128 total;
	double seconds, preparation;
	uint64_t launches;
} gemp_sum_result;

/* A sum of WEDGES, PAIRS, JOINED or PATH_PAIRS, with all that is made for it once: programs, task lists, memory (sweep.c). */
typedef struct gemp_sweep gemp_sweep;
/* Collective. Sum and graph, with its supports and tables, are to outlive it. */
gemp_code gemp_sweep_new(gemp_sweep **out, const gemp_count_graph *graph, const gemp_sum *sum);
/* Seconds of the kernels that prepared it, and how many they were. */
double gemp_sweep_preparation(const gemp_sweep *sweep, uint64_t *launches);
/* Collective. This rank's share of the sum, without its factor; again and again. result->preparation is 0. */
gemp_code gemp_sweep_run(gemp_sweep *sweep, gemp_sum_result *result);
void gemp_sweep_free(gemp_sweep *sweep); /* takes NULL */

/* Collective: this rank's share of a sum of NEIGHBOURS, without its factor (neighbours.c). Others are the engine's own
 * (count_parts.h). */
gemp_code gemp_neighbours_sum(const gemp_count_graph *graph, const gemp_sum *sum, gemp_sum_result *result);

#endif
