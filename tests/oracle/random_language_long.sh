# Runs the property test of the whole language for up to half an hour.
exec "${GEMP_PYTHON:-/usr/bin/python3}" "$(dirname "$0")/random_language.py" --seconds 1800 --shrink 60
