#!/bin/sh
# Replaces or deletes the line that an anchor names, if it is still that line; else exit status 5 with a diff on
# stderr, and nothing is written. New content may hold line breaks.
# usage: edit-by-hash.sh FILE ANCHOR NEW-CONTENT
#        edit-by-hash.sh FILE ANCHOR [NEW-CONTENT] --delete
set -eu

usage() {
  echo "usage: edit-by-hash.sh FILE ANCHOR NEW-CONTENT [--delete]" >&2
  exit 2
}

# Replaces this shell, so that the calling agent is the parent of kedge: that is how it is told from others.
run_kedge() {
  if [ -n "${KEDGE:-}" ]; then exec "$KEDGE" "$@"; fi
  if command -v kedge >/dev/null 2>&1; then exec kedge "$@"; fi
  beside="$(dirname "$0")/../../../dist/bin.cjs"
  if [ -f "$beside" ]; then exec node "$beside" "$@"; fi
  echo "kedge is not on the PATH: install it, or set KEDGE to its path" >&2
  exit 1
}

case $# in
  3 | 4) ;;
  *) usage ;;
esac
file=$1
anchor=$2
content=$3
if [ $# -eq 4 ]; then
  [ "$4" = --delete ] || usage
  content=--delete
fi

if [ "$content" = --delete ]; then
  run_kedge edit --gate off --unmoved --delete -- "$file" "$anchor"
elif [ "$content" = - ]; then
  # As an argument it would mean stdin.
  run_kedge edit --gate off --unmoved --from - -- "$file" "$anchor" <<'END'
-
END
else
  run_kedge edit --gate off --unmoved -- "$file" "$anchor" "$content"
fi
