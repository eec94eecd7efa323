# Eight ranks start with an empty kernel cache, 20 times.
. "$(dirname "$0")/../harness/harness.sh"
cd "$work" || exit 1
printf 'src\tdst\ttype\n1\t2\tT\n2\t3\tT\n1\t3\tT\n' >e.tsv
expect 0 1 import --edges e.tsv --undirected -o g.h5
for i in $(seq 20); do
	export GEMP_CACHE_DIR=$work/cache$i POCL_CACHE_DIR=$work/pocl$i
	mkdir -p "$GEMP_CACHE_DIR" "$POCL_CACHE_DIR"
	expect 0 8 match g.h5 --pattern triangle --count --on device --json -
	[ "$code" -eq 0 ] && equal "$(field matches)" 1 "start $i"
	rm -rf "$GEMP_CACHE_DIR" "$POCL_CACHE_DIR"
done
finish
