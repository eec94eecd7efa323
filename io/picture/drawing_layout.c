/* drawing_layout: starts with the vertices on a circle, in their order, and moves each to the weighted mean of the
 * places at which the others want it, until the rounds are used up. A weight is 1 / distance^2. */

#include "io/picture/drawing_layout.h"

#include <math.h>

enum { ROUNDS = 300 };

/* distance[count * count] becomes the number of edges between each two vertices (Floyd 1962, Warshall 1962). Vertices
 * that no path joins get a distance beyond the longest path, so that parts lie side by side. */
static void measure(double *distance, size_t count, const int edges[][2], size_t edge_count)
{
	double longest = 0;
	for (size_t i = 0; i < count * count; i++)
		distance[i] = i % (count + 1) == 0 ? 0 : INFINITY;
	for (size_t e = 0; e < edge_count; e++)
		if (edges[e][0] != edges[e][1])
			distance[(size_t)edges[e][0] * count + (size_t)edges[e][1]] =
				distance[(size_t)edges[e][1] * count + (size_t)edges[e][0]] = 1;
	for (size_t k = 0; k < count; k++)
		for (size_t i = 0; i < count; i++)
			for (size_t j = 0; j < count; j++)
				distance[i * count + j] = fmin(distance[i * count + j],
				                               distance[i * count + k] + distance[k * count + j]);
	for (size_t i = 0; i < count * count; i++)
		longest = isfinite(distance[i]) ? fmax(longest, distance[i]) : longest;
	for (size_t i = 0; i < count * count; i++)
		distance[i] = isfinite(distance[i]) ? distance[i] : longest + 1;
}

/* Moves vertex i. Two vertices at the same place are moved apart in the direction of x. */
static void move(double xy[][2], size_t count, const double *distance, size_t i)
{
	double weights = 0, sum[2] = { 0, 0 };
	for (size_t j = 0; j < count; j++) {
		if (j == i)
			continue;
		const double wanted = distance[i * count + j], weight = 1 / (wanted * wanted);
		double away[2] = { xy[i][0] - xy[j][0], xy[i][1] - xy[j][1] }, length = hypot(away[0], away[1]);
		if (length < 1e-9) {
			away[0] = 1;
			length = 1;
		}
		for (int k = 0; k < 2; k++)
			sum[k] += weight * (xy[j][k] + wanted * away[k] / length);
		weights += weight;
	}
	for (int k = 0; k < 2 && weights > 0; k++)
		xy[i][k] = sum[k] / weights;
}

gemp_code gemp_drawing_layout(double xy[][2], size_t count, const int edges[][2], size_t edge_count)
{
	GEMP_OWNED double *distance = NULL;
	GEMP_TRY(GEMP_NEW(distance, count * count + 1));
	measure(distance, count, edges, edge_count);
	/* The circle begins a little off the axis, since in a symmetric start no vertex leaves the axis. */
	const double radius = (double)count / 6, pi = acos(-1);
	for (size_t i = 0; i < count; i++) {
		const double angle = 2 * pi * (double)i / (double)count - .8 * pi;
		xy[i][0] = radius * cos(angle);
		xy[i][1] = radius * sin(angle);
	}
	for (int round = 0; round < ROUNDS; round++)
		for (size_t i = 0; i < count; i++)
			move(xy, count, distance, i);
	return GEMP_OK;
}
