#include "command/som_shade.h"

#include <math.h>

static const gemp_colour nothing = { 224, 224, 224 };

/* Nine colours of viridis (van der Walt, Smith 2015), and between them their means. */
static gemp_colour viridis(double share)
{
	static const uint8_t at[9][3] = { { 68, 1, 84 }, { 71, 45, 123 }, { 59, 82, 139 }, { 44, 114, 142 },
	                                  { 33, 145, 140 }, { 40, 174, 128 }, { 94, 201, 98 }, { 173, 220, 48 },
	                                  { 253, 231, 37 } };
	double place = fmin(fmax(share, 0), 1) * 8;
	int below = place < 8 ? (int)place : 7;
	double more = place - below;
	uint8_t mixed[3];
	for (int k = 0; k < 3; k++)
		mixed[k] = (uint8_t)lround(at[below][k] * (1 - more) + at[below + 1][k] * more);
	return (gemp_colour){ mixed[0], mixed[1], mixed[2] };
}

static double share_of(const gemp_som_panel *panel, const gemp_som_range *range, int which, uint32_t unit)
{
	const double least = range->least[which], most = range->most[which];
	return most > least ? (panel->values[which][unit] - least) / (most - least) : 0;
}

/* But for the rounding of means. */
static bool within(const gemp_som_range *range, double most)
{
	const double beyond = 1e-5 * most;
	bool all = true;
	for (int k = 0; k < 3; k++)
		all &= range->least[k] >= -beyond && range->most[k] <= most + beyond;
	return all;
}

gemp_som_range gemp_som_range_of(const gemp_som_panel *panel, uint32_t units)
{
	gemp_som_range range;
	const bool colours = panel->shade == GEMP_SOM_SHADE_COLOURS;
	for (int k = 0; k < (colours ? 3 : 1); k++) {
		range.least[k] = INFINITY;
		range.most[k] = -INFINITY;
		for (uint32_t u = 0; u < units; u++) {
			range.least[k] = fmin(range.least[k], panel->values[k][u]);
			range.most[k] = fmax(range.most[k], panel->values[k][u]);
		}
	}
	if (panel->shade == GEMP_SOM_SHADE_COUNTS) {
		range.least[0] = fmax(range.least[0], 1);
		range.most[0] = fmax(range.most[0], 1);
	}
	if (colours && within(&range, 255)) {
		const double most = within(&range, 1) ? 1 : 255;
		range = (gemp_som_range){ .most = { most, most, most } };
	}
	return range;
}

static uint8_t level(double share)
{
	return (uint8_t)lround(255 * fmin(fmax(share, 0), 1));
}

gemp_colour gemp_som_colour(const gemp_som_panel *panel, const gemp_som_range *range, uint32_t unit)
{
	if (panel->shade == GEMP_SOM_SHADE_COUNTS && !(panel->values[0][unit] > 0))
		return nothing;
	if (panel->shade != GEMP_SOM_SHADE_COLOURS)
		return viridis(share_of(panel, range, 0, unit));
	return (gemp_colour){ level(share_of(panel, range, 0, unit)), level(share_of(panel, range, 1, unit)),
	                      level(share_of(panel, range, 2, unit)) };
}

gemp_colour gemp_som_bar_colour(const gemp_som_panel *panel, int bar, double share)
{
	if (panel->shade != GEMP_SOM_SHADE_COLOURS)
		return viridis(share);
	return (gemp_colour){ bar == 0 ? level(share) : 0, bar == 1 ? level(share) : 0, bar == 2 ? level(share) : 0 };
}
