# Runs the queries of the social network on larger generated networks.
python=${GEMP_PYTHON:-/usr/bin/python3}
for seed in 1 2 3; do
	"$python" "$(dirname "$0")/social_network.py" --seed $seed --ranks $((seed + 1)) --people $((200 * seed)) --data "" || exit 1
done
exec "$python" "$(dirname "$0")/social_network.py" --data example,sf0.003
