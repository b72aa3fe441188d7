#!/usr/bin/env bash
# Builds a Kafka image without pulling one: a jlink-ed JRE, busybox and the jars of pom.xml, imported as a single layer.
# KAFKA_VERSION chooses another version of Kafka.
# Prints the image's name, confab-test/kafka:<hash of the inputs>; when that tag exists nothing is done.
# Needs docker, mvn, jlink (a JDK) and a static busybox. Steps and their times go to standard error.
set -euo pipefail
cd "$(dirname "$0")"

for program in docker mvn jlink busybox; do
  command -v "$program" >/dev/null || {
    echo "build.sh: $program is missing; on Debian: apt-get install docker.io maven openjdk-17-jdk-headless busybox-static" >&2
    exit 1
  }
done

version=${KAFKA_VERSION:-$(sed -n 's:.*<kafka.version>\(.*\)</kafka.version>.*:\1:p' pom.xml)}
hash=$({ cat build.sh entrypoint.sh log4j2.properties pom.xml; echo "$version"; jlink --version; uname -m; } | sha256sum | cut -c1-12)
image=confab-test/kafka:$hash
if docker image inspect "$image" >/dev/null 2>&1; then
  echo "$image"
  exit
fi

work=$(mktemp -d)
container=confab-kafka-cds-$$
trap 'docker rm -f "$container" >/dev/null 2>&1 || true; rm -rf "$work"' EXIT
root=$work/root
step() { printf 'image: %-12s %3d s\n' "$1" "$SECONDS" >&2; }

mkdir -p "$root"/{bin,dev,etc,lib64,proc,root,sys,tmp,usr/lib,var/lib/kafka/data} "$root"/opt/kafka/config
chmod 1777 "$root/tmp"

mvn -B -q -Dstyle.color=never -f pom.xml -Dkafka.version="$version" dependency:copy-dependencies -DincludeScope=runtime -DoutputDirectory="$root/opt/kafka/libs" >&2
step jars

modules=java.base,java.desktop,java.instrument,java.logging,java.management,java.naming,java.net.http,java.rmi
modules+=,java.security.jgss,java.security.sasl,java.sql,java.xml
modules+=,jdk.crypto.ec,jdk.jfr,jdk.management,jdk.naming.dns,jdk.unsupported,jdk.zipfs
jlink --add-modules "$modules" --no-man-pages --no-header-files --strip-java-debug-attributes --output "$root/opt/jre"
"$root/opt/jre/bin/java" -Xshare:dump >/dev/null 2>&1
ln -s /opt/jre/bin/java "$root/bin/java"
step jre

# busybox for the entry point and for people who look inside.
cp "$(command -v busybox)" "$root/bin/busybox"
for applet in awk cat dd echo env grep hostname ip kill ls mkdir nc ps rm sed sh sleep tr; do
  ln -s busybox "$root/bin/$applet"
done

# The shared libraries of the JVM, and those that the jars' native parts open by name: without the stubs of
# libpthread, libdl and librt zstd fails to load and producers see UNKNOWN_SERVER_ERROR.
lib() { mkdir -p "$root$(dirname "$1")" && cp -L "$1" "$root$1"; }
jre=$root/opt/jre
{ ldd "$jre"/bin/java "$jre"/lib/server/libjvm.so "$jre"/lib/lib{java,jli,management,net,nio,zip}.so || true; } |
  awk '$3 ~ "^/" { print $3 } $1 ~ "^/" && $1 !~ ":$" { print $1 }' | { grep -v "^$work" || true; } | sort -u |
  while read -r path; do lib "$path"; done
libc=$(dirname "$(ldd "$jre/bin/java" | awk '$1 ~ "^libc.so" { print $3 }')")
for name in libdl.so.2 libnss_dns.so.2 libnss_files.so.2 libpthread.so.0 libresolv.so.2 librt.so.1; do
  if [ -e "$libc/$name" ]; then lib "$libc/$name"; fi
done
echo 'root:x:0:0:root:/root:/bin/sh' >"$root/etc/passwd"
echo 'hosts: files dns' >"$root/etc/nsswitch.conf"
install -m 755 entrypoint.sh "$root/entrypoint.sh"
install -m 644 log4j2.properties "$root/opt/kafka/log4j2.properties"
step rootfs

import() { # import TAG: packs the root file system as an image
  tar -C "$root" -c . | docker import -c 'ENTRYPOINT ["/entrypoint.sh"]' -c 'ENV PATH=/bin' -c 'EXPOSE 9092' - "$1" >/dev/null
}
case $version in
0.* | 1.* | 2.*) # needs ZooKeeper to start, and no tests wait for it often
  import "$image"
  step done
  echo "$image"
  exit
  ;;
esac
import "$image-plain"
step import

# One throw-away broker writes an archive of its loaded classes at exit, which halves the start of every later one.
docker run -d --name "$container" -e KAFKA_OPTS=-XX:ArchiveClassesAtExit=/opt/kafka/kafka.jsa \
  -e KAFKA_NODE_ID=1 -e KAFKA_PROCESS_ROLES=broker,controller -e KAFKA_LOG_DIRS=/tmp/data \
  -e KAFKA_LISTENERS=PLAINTEXT://127.0.0.1:9092,CONTROLLER://127.0.0.1:9093 \
  -e KAFKA_LISTENER_SECURITY_PROTOCOL_MAP=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT \
  -e KAFKA_CONTROLLER_LISTENER_NAMES=CONTROLLER -e KAFKA_CONTROLLER_QUORUM_VOTERS=1@127.0.0.1:9093 \
  "$image-plain" >/dev/null
for _ in $(seq 300); do
  docker logs "$container" 2>&1 | grep -q 'Kafka Server started' && break
  sleep 0.2
done
docker stop -t 60 "$container" >/dev/null
docker cp "$container:/opt/kafka/kafka.jsa" "$root/opt/kafka/kafka.jsa" >&2 || {
  docker logs "$container" 2>&1 | tail -20 >&2
  echo "build.sh: the throw-away broker left no class archive; its last lines are above" >&2
  exit 1
}
docker rm "$container" >/dev/null
step classes

import "$image"
docker rmi "$image-plain" >/dev/null
step done
echo "$image"
