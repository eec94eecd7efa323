#include "pattern/bind/unknown_name.h"

#include "core/log.h"
#include "core/memory.h"
#include "core/text.h"

enum { LISTED = 12 }; /* names of the graph in a message */

gemp_code gemp_unknown_name(const gemp_name_place *place, gemp_name_kind what, const char *name,
                            const char *const *names, size_t count, bool lenient)
{
	static const char *const kinds[] = { "label", "edge type", "attribute", "edge attribute" };
	const char *suggestion = gemp_text_nearest(name, names, count);
	GEMP_OWNED_BY(gemp_text_free) gemp_text text = { 0 };
	gemp_text_print(&text, "unknown %s '%s'", kinds[what], name);
	if (suggestion)
		gemp_text_print(&text, "; did you mean '%s'?", suggestion);
	else
		gemp_text_print(&text, "; the %s %s", what == GEMP_NAME_EDGE_ATTRIBUTE ? "edges here have" : "graph has",
		                count ? "" : "none");
	for (size_t i = 0; !suggestion && i < count && i < LISTED; i++)
		gemp_text_print(&text, "%s%s", i ? ", " : "", names[i]);
	if (!suggestion && count > LISTED)
		gemp_text_print(&text, " and %zu more", count - LISTED);
	GEMP_TRY(gemp_text_status(&text));
	if (!lenient)
		return gemp_source_fail_at(place->source, place->line, place->column, "%s", text.data);
	gemp_warn("%s:%d:%d: %s", place->source->file ? place->source->file : "query", place->line, place->column,
	          text.data);
	return GEMP_OK;
}
