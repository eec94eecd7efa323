# Runs analytics.py on the real graphs.
python=${GEMP_PYTHON:-/usr/bin/python3}
exec "$python" "$(dirname "$0")/analytics.py" --shared
