#!/usr/bin/env bash
# Applies the bugs of *.patch in a copy of HEAD, one at a time, and expects its test to go red for the reason that the
# patch names. The same tests must be green without a patch. A patch that no longer applies or builds is a failure: move
# it along with the code. Arguments name patches; none means all.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
git -C "$here/../.." archive HEAD | tar x -C "$copy"
git -C "$copy" init -q # so that patches are applied here, wherever temporary files are kept
cd "$copy"
unset CONFAB_BIN

declare -A seen
field() { sed -n "s/^$1: //p" "$2" | head -n 1; }
check() { # package test
  local args=()
  [ "$2" = TestLedger ] && args=(-args -ledger.seed=1 -ledger.events=6000 -ledger.kills=6 -ledger.zombies=0)
  [ "$2" = TestBudget ] && args=(-args -ledger.seed=1 -budget.events=2000 -budget.kills=8 -budget.zombies=2)
  go test "$1" -run "^$2\$" -count=1 -v "${args[@]}" >out.log 2>&1
}
fail() { echo "FAILED  $1"; failed=1; }

[ $# -gt 0 ] && patches=("${@/%/.patch}") || patches=($(cd "$here" && ls ./*.patch))
failed=0 caught=0
for patch in "${patches[@]}"; do
  patch=$here/${patch#./}
  name=$(basename "$patch" .patch) red=$(field Red "$patch")
  read -r pkg test <<<"$(field Test "$patch")"
  if [ -z "${seen[$pkg $test]:-}" ]; then
    check "$pkg" "$test" || { tail -n 40 out.log; fail "$pkg $test is red without any bug"; exit 1; }
    grep -q "^--- PASS: $test" out.log || { fail "$pkg has no $test"; exit 1; }
    seen[$pkg $test]=1
  fi
  if ! git apply "$patch"; then fail "$name: the patch no longer applies"; continue; fi
  if ! go build ./... 2>out.log; then cat out.log; fail "$name: the patched code does not build"
  elif check "$pkg" "$test"; then fail "$name: $test stays green"
  elif ! grep -q -- "$red" out.log; then tail -n 40 out.log; fail "$name: $test is red, but not by \"$red\""
  else echo "caught  $name, by $test: $(grep -m 1 -o -- "$red.*" out.log | cut -c 1-150)"; caught=$((caught + 1)); fi
  git apply -R "$patch"
done
echo "mutations: $caught of ${#patches[@]} caught"
exit $failed
