#!/bin/sh
# Starts one Kafka node configured by the environment, with the names that the public image uses:
# KAFKA_FOO_BAR becomes foo.bar, a double underscore _ and a triple one -.
set -eu
home=/opt/kafka
conf=$home/config/server.properties

env | awk '
  /^KAFKA_(HEAP_OPTS|OPTS|JVM_PERFORMANCE_OPTS|LOG4J_|GC_LOG|JMX_|VERSION)/ { next }
  /^KAFKA_[A-Z0-9_]+=/ {
    at = index($0, "="); key = substr($0, 7, at - 7); value = substr($0, at + 1)
    gsub(/___/, "\001", key); gsub(/__/, "\002", key); gsub(/_/, ".", key)
    gsub(/\001/, "-", key); gsub(/\002/, "_", key)
    print tolower(key) "=" value
  }' >"$conf"

data=$(sed -n 's/^log\.dirs=//p' "$conf")
if [ -z "$data" ]; then
  data=/var/lib/kafka/data
  echo "log.dirs=$data" >>"$conf"
fi

set -- ${KAFKA_HEAP_OPTS:--Xms128m -Xmx384m} \
  ${KAFKA_JVM_PERFORMANCE_OPTS:--XX:+UseSerialGC -XX:TieredStopAtLevel=1} \
  -Xshare:auto -XX:+ExitOnOutOfMemoryError -Djava.awt.headless=true \
  -Dlog4j2.configurationFile=$home/log4j2.properties ${KAFKA_OPTS:-}
if [ -f $home/kafka.jsa ]; then
  set -- "$@" -XX:SharedArchiveFile=$home/kafka.jsa
fi
set -- "$@" -cp "$(echo $home/libs/*.jar | tr ' ' ':')"

if grep -q '^zookeeper\.connect=' "$conf"; then # before Kafka 3: node 1 also runs ZooKeeper
  if grep -qx 'node\.id=1' "$conf"; then
    printf 'dataDir=/tmp/zookeeper\nclientPort=2181\nadmin.enableServer=false\n' >/tmp/zookeeper.properties
    java "$@" org.apache.zookeeper.server.quorum.QuorumPeerMain /tmp/zookeeper.properties &
  fi
elif [ ! -f "${data%%,*}/meta.properties" ]; then
  java "$@" kafka.tools.StorageTool format --ignore-formatted -t "${CLUSTER_ID:-5L6g3nShT-eMCtK--X86sw}" -c "$conf"
fi
exec java "$@" kafka.Kafka "$conf"
