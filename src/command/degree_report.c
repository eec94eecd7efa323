#include "command/degree_report.h"

#include "command/quantity.h"

#include <stdio.h>

void gemp_degrees_range(char *out, size_t size, int class)
{
	uint64_t from = class ? (uint64_t)1 << (class - 1) : 0, to = class ? from + (from - 1) : 0;
	if (from == to)
		snprintf(out, size, "%s", gemp_grouped(from).text);
	else
		snprintf(out, size, "%s to %s", gemp_grouped(from).text, gemp_grouped(to).text);
}

json_t *gemp_degrees_report(gemp_report *report, const gemp_degrees *degrees)
{
	const gemp_degree_kinds *kinds = &degrees->kinds;
	json_t *list = json_array();
	uint64_t most = kinds->most_out > kinds->most_in ? kinds->most_out : kinds->most_in;
	gemp_report_print(report, "\n  %-23s %13s %13s   (vertices, edges with a direction)\n", "degree", "out", "in");
	for (int k = 0; k <= gemp_degrees_class(most); k++) {
		char range[100];
		gemp_degrees_range(range, sizeof range, k);
		if (degrees->out[k] || degrees->in[k])
			gemp_report_print(report, "  %-23s %13s %13s\n", range, gemp_grouped(degrees->out[k]).text,
			                  gemp_grouped(degrees->in[k]).text);
		json_array_append_new(list, json_pack("{s:I, s:o, s:o}", "class", (json_int_t)k, "out",
		                                      gemp_json_count(degrees->out[k]), "in",
		                                      gemp_json_count(degrees->in[k])));
	}
	gemp_report_print(report, "\n  %-11s %s sources, %s sinks, %s isolated; %s as many in as out, %s more out, "
	                  "%s more in\n", "vertices", gemp_grouped(kinds->sources).text,
	                  gemp_grouped(kinds->sinks).text, gemp_grouped(kinds->isolated).text,
	                  gemp_grouped(kinds->balanced).text, gemp_grouped(kinds->more_out).text,
	                  gemp_grouped(kinds->more_in).text);
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "classes", list, "sources",
	                 gemp_json_count(kinds->sources), "sinks", gemp_json_count(kinds->sinks), "isolated",
	                 gemp_json_count(kinds->isolated), "balanced", gemp_json_count(kinds->balanced), "more_out",
	                 gemp_json_count(kinds->more_out), "more_in", gemp_json_count(kinds->more_in), "max_out",
	                 gemp_json_count(kinds->most_out), "max_in", gemp_json_count(kinds->most_in));
}
