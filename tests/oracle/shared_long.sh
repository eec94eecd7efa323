# All of the real graphs' questions.
exec "${GEMP_PYTHON:-/usr/bin/python3}" "$(dirname "$0")/shared.py" --full
