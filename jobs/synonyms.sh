#!/usr/bin/env bash
# Lists likely synonyms in a graph of translations: words of one language that many disjoint paths of translations join.
#
#   gemp-mpi import --format pairs list.txt -o words.h5      or dictionaries (/usr/share/dictd/*.index), or a dump of a Wiktionary
#   jobs/synonyms.sh words.h5 --language DE -o synonyms.tsv
#   jobs/synonyms.sh --help
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
case " $* " in
*' --help '* | *' -h '*) ;;
*) use_gemp ;;
esac
"${GEMP_PYTHON:-python3}" "$top/jobs/synonyms/synonyms.py" "$@"
