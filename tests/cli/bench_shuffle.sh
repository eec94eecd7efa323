# bench shuffle: all methods on one rank and decode on several ranks give right results; the figures are consistent; bad
# options are refused.
. "$(dirname "$0")/../harness/harness.sh"
cd "$work" || exit 1

# rows SIZES METHODS: the report in `out` has these rows, and their figures are consistent
rows() {
	"$GEMP_PYTHON" - "$@" <<-'END' || fail "wrong rows of the report: $*"
		import json, sys
		report = json.load(open("out"))
		rows, copy = report["shuffles"], report["copy_bytes_per_second"]
		assert {str(r["tuple_size"]) for r in rows} == set(sys.argv[1].split()), rows
		assert {r["method"] for r in rows} == set(sys.argv[2].split()), rows
		kernels = {k["kernel"]: k for k in report["kernels"]}
		assert kernels["shuffle_gather"]["local_memory"] >= 4 * 8192 and not any(k.startswith("trial") for k in kernels)
		assert all(k["registers"] is None or k["registers"] > 0 for k in report["kernels"]), kernels
		for r in rows:
		    assert abs(r["tuples_per_second"] * r["seconds"] / r["tuples"] - 1) < 1e-6, r
		    assert ("shuffle_seconds" in r) == (r["method"] == "decode"), r
		    if "shuffle_seconds" in r:
		        assert 0 < r["shuffle_seconds"] < r["seconds"], r
		        bound = r["shuffle_seconds"] * copy / (2 * r["tuple_size"] + 4)
		        assert abs(r["fraction_of_copy_over_2w_plus_4"] * bound / r["tuples"] - 1) < 1e-6, r
	END
}

device=$("$GEMP_MPI" devices | grep -c GPU)
tables=$([ "$device" -gt 0 ] || echo tables)
expect 0 1 bench shuffle --tuples 5000 --tuple-size 8 --ranges 16 --destinations uniform --json - -q
rows 8 "decode polling converge atomic $tables"
expect 0 1 bench shuffle --tuples 5000 --tuple-size 4 --ranges 16 --method decode --destinations skewed
grep -q '^ *4 *16 *skewed *tuple *decode *5000 ' out || fail 'the table lacks the line of decode with 5000 tuples'
expect 0 3 bench shuffle --tuples 3000 --tuple-size 8 --ranges 16 --destinations uniform --json - -q
rows 8 decode
"$GEMP_PYTHON" -c 'import json
for r in json.load(open("out"))["shuffles"]:
    assert r["tuples"] == 9000
    assert abs(r["bytes_sent"] / (9000 * 8 * 2 / 3) - 1) < .1, r
    assert abs(r["bytes_sent_per_second"] * r["exchange_seconds"] / r["bytes_sent"] - 1) < 1e-6, r
    assert abs(r["tuples_per_second_of_a_rank"] * 3 / r["tuples_per_second"] - 1) < 1e-6, r
    assert r["network_bytes_per_second"] > 1e6, r' || fail 'wrong figures of 3 ranks'

expect 2 1 bench shuffle --tuple-size 4,12
says "--tuple-size: '4,12' is not a list of up to 8 powers of 2 from 4 to 64"
expect 2 1 bench shuffle --ranges 4096
says "--ranges: '4096'"
expect 2 1 bench shuffle --ranges ,
says "--ranges: ','"
expect 2 2 bench shuffle --method polling
says 'run the others with one rank'
expect 2 1 bench shuffle --method gather
says 'all|decode|polling|converge|atomic|tables'
expect 2 1 bench shuffle more
says 'bench needs match G.h5 QUERY'
finish
