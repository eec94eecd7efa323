# Runs the Train Benchmark on other generated data and on the large sizes.
python=${GEMP_PYTHON:-/usr/bin/python3}
for seed in 1 2 3; do
	"$python" "$(dirname "$0")/train_benchmark.py" --seed $seed --ranks $((seed + 1)) --sizes "" || exit 1
done
exec "$python" "$(dirname "$0")/train_benchmark.py" --sizes 1,16,128,512
