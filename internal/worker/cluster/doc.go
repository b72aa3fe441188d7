// Package cluster connects commands to a Kafka cluster and reports at once why it cannot.
package cluster
