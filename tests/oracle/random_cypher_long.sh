# Runs the property test of openCypher on 5,000 cases.
exec "${GEMP_PYTHON:-/usr/bin/python3}" "$(dirname "$0")/random_cypher.py" --cases 5000 --shrink 60
