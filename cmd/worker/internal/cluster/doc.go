// Package cluster connects commands to a Kafka cluster, so that they fail at once and say why.
package cluster
