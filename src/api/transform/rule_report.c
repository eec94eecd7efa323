#include "api/transform/rule_report.h"

#include <string.h>

/* Returns where conflicts were resolved, or NULL if there was no match. */
static const char *resolved_on(const gemp_select_report *s)
{
	return s->on_device && s->on_host ? "both" : s->on_device ? "device" : s->on_host ? "host" : NULL;
}

void gemp_select_json(json_t *object, const gemp_select_report *s)
{
	const char *on = resolved_on(s);
	gemp_json_set_counts(object, { "matches", s->matches }, { "applied", s->applied }, { "conflicts", s->conflicts },
	                     { "blocked", s->inapplicable }, { "rounds", s->rounds });
	json_object_set_new(object, "resolved_on", on ? json_string(on) : json_null());
}

void gemp_effects_json(json_t *object, const gemp_effects *e)
{
	json_object_set_new(object, "created",
	                    gemp_json_counts({ "vertices", e->created_vertices }, { "edges", e->created_edges }));
	json_object_set_new(object, "deleted",
	                    gemp_json_counts({ "vertices", e->deleted_vertices }, { "edges", e->deleted_edges }));
	json_object_set_new(object, "set", gemp_json_count(e->set));
}

void gemp_resolution_report(gemp_report *report, const gemp_select_report *sum)
{
	const char *on = resolved_on(sum);
	if (on)
		gemp_report_detail(report, "  %-10s resolved on %s\n", "conflicts",
		                   strcmp(on, "both") ? on : "host and device");
	if (report->comm->size > 1)
		gemp_report_traffic(report, &sum->traffic);
}
