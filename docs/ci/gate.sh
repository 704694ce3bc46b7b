#!/bin/sh
# A gate for any shell and any CI: verifies what is named, keeps the JSON report, and lets only status 0 through.
#
#   AUDIT_TRUST=trust.json AUDIT_REQUIRE=integrity,records sh gate.sh sessions/
#
# AUDIT         the program (default: audit)
# AUDIT_TRUST   a trust file
# AUDIT_REQUIRE claims that must be verified, in place of the defaults
# AUDIT_REPORT  where the JSON report goes (default: audit-report.json)
set -u

"${AUDIT:-audit}" verify \
  ${AUDIT_TRUST:+--trust "$AUDIT_TRUST"} \
  ${AUDIT_REQUIRE:+--require "$AUDIT_REQUIRE"} \
  --format text --format "json=${AUDIT_REPORT:-audit-report.json}" -- "$@"
status=$?

case $status in
  0) says='open: every input was read, and everything required was checked again and holds' ;;
  1) says='shut: something in an input does not hold' ;;
  2) says='shut: the command line is wrong, nothing was read' ;;
  3) says='shut: nothing is known to be wrong, but something required could not be decided' ;;
  4) says='shut: an input could not be used' ;;
  *) says="shut: the program did not run to its end (status $status)" ;;
esac
echo "gate $says" >&2
exit "$status"
