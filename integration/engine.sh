#!/usr/bin/env bash
# engine.sh start|stop: a container engine for machines without a service manager. start does nothing when one answers;
# otherwise it starts dockerd and remembers its pid. stop ends that dockerd, and never one that was running before.
set -euo pipefail
state=$(cd "$(dirname "$0")/.." && pwd)/bin/engine # ignored by git
pidfile=$state/dockerd.pid
log=$state/dockerd.log

start() {
  if docker version >/dev/null 2>&1; then
    echo "engine: one is running already" >&2
    return
  fi
  command -v dockerd >/dev/null || {
    echo "engine: no dockerd here; on Debian: apt-get install docker.io" >&2
    return 1
  }
  mkdir -p "$state"
  setsid dockerd --host unix:///var/run/docker.sock --pidfile "$state/engine.pid" >"$log" 2>&1 </dev/null &
  local pid=$!
  echo "$pid" >"$pidfile"
  for _ in $(seq 150); do
    if docker version >/dev/null 2>&1; then
      echo "engine: started dockerd, pid $pid" >&2
      return
    fi
    kill -0 "$pid" 2>/dev/null || break
    sleep 0.2
  done
  echo "engine: dockerd did not come up; its last lines:" >&2
  tail -20 "$log" >&2
  stop
  return 1
}

stop() {
  [ -s "$pidfile" ] || return 0
  local pid
  pid=$(cat "$pidfile")
  kill "$pid" 2>/dev/null || true
  for _ in $(seq 150); do
    kill -0 "$pid" 2>/dev/null || break
    sleep 0.2
  done
  if kill -0 "$pid" 2>/dev/null; then
    echo "engine: dockerd, pid $pid, ignored SIGTERM for 30 s" >&2
    return 1
  fi
  rm -f "$pidfile"
  echo "engine: stopped dockerd, pid $pid" >&2
}

case ${1:-} in
start) start ;;
stop) stop ;;
*)
  echo "usage: engine.sh start|stop" >&2
  exit 2
  ;;
esac
