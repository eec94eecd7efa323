#include "cypher/clause/update.h"
gemp_code gemp_cypher_merge(gemp_cypher_engine *engine, const gemp_cypher_clause *clause, gemp_cypher_table *in,
                            gemp_cypher_table *out)
{
	(void)engine;
	(void)clause;
	(void)in;
	(void)out;
	return gemp_fail(GEMP_EUSAGE, "MERGE is not executed yet");
}
