#!/usr/bin/env bash
# What the GitHub Action runs. Annotations go to the log, a summary to the step's page.
set -euo pipefail

command=${CTXAUDIT_COMMAND:-}
if [[ -z $command ]]; then
  python3 -m venv "$RUNNER_TEMP/ctxaudit"
  "$RUNNER_TEMP/ctxaudit/bin/pip" install --quiet --disable-pip-version-check "$GITHUB_ACTION_PATH"
  command=$RUNNER_TEMP/ctxaudit/bin/ctxaudit
fi

paths=()
while IFS= read -r line; do
  [[ -n ${line// /} ]] && paths+=("$line")
done <<<"${CTXAUDIT_PATHS:-}"

if [[ -n ${CTXAUDIT_GOLDEN:-} ]]; then
  arguments=(golden check -- "$CTXAUDIT_GOLDEN")
else
  arguments=(scan --format github)
  [[ -n ${CTXAUDIT_FAIL_ON:-} ]] && arguments+=(--fail-on "$CTXAUDIT_FAIL_ON")
  [[ -n ${CTXAUDIT_MIN_CONFIDENCE:-} ]] && arguments+=(--min-confidence "$CTXAUDIT_MIN_CONFIDENCE")
  [[ -n ${CTXAUDIT_BASELINE:-} ]] && arguments+=(--baseline "$CTXAUDIT_BASELINE")
  [[ -n ${CTXAUDIT_SARIF:-} ]] && arguments+=(--output "sarif=$CTXAUDIT_SARIF")
  [[ -n ${GITHUB_STEP_SUMMARY:-} ]] && arguments+=(--output "markdown=$GITHUB_STEP_SUMMARY")
  arguments+=(-- ${paths[@]+"${paths[@]}"})
fi

code=0
"$command" "${arguments[@]}" || code=$?
echo "exit-code=$code" >>"${GITHUB_OUTPUT:-/dev/null}"
exit "$code"
