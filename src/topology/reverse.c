#include "topology/reverse.h"

#include "core/memory.h"
#include "topology/reverse_device.h"
#include "topology/reverse_host.h"

void gemp_reversed_free(gemp_reversed *reversed)
{
	gemp_free(reversed->begin);
	gemp_free(reversed->source);
	gemp_free(reversed->edge);
	*reversed = (gemp_reversed){ 0 };
}

gemp_code gemp_reversed_new(gemp_reversed *out, size_t rows, size_t edges, bool places)
{
	gemp_code code = GEMP_OK;
	*out = (gemp_reversed){ .rows = rows };
	GEMP_TRY(GEMP_NEW(out->begin, rows + 1));
	GEMP_TRY(GEMP_NEW(out->source, edges));
	if (places)
		GEMP_TRY(GEMP_NEW(out->edge, edges));
done:
	return code;
}

gemp_code gemp_reverse(gemp_reversed *out, const gemp_csr *csr, gemp_device *device, gemp_where place, bool edges)
{
	gemp_code code = GEMP_OK;
	size_t count = (size_t)gemp_csr_edges(csr);
	GEMP_TRY(gemp_reversed_new(out, csr->rows, count, edges));
	if (count == 0)
		goto done;
	if (gemp_reverse_choose_device(device, csr, place))
		GEMP_TRY(gemp_reverse_on_device(out, csr, device));
	else
		GEMP_TRY(gemp_reverse_on_host(out, &(gemp_targets){ .first = csr->first, .rows = csr->rows,
		                                                    .count = count, .target = csr->target,
		                                                    .csr = csr }));
done:
	if (code != GEMP_OK)
		gemp_reversed_free(out);
	return code;
}
