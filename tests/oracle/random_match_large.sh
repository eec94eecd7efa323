# Runs the property test on graphs with hundreds and thousands of vertices.
exec "${GEMP_PYTHON:-/usr/bin/python3}" "$(dirname "$0")/random_match.py" --large --seconds 15
