// Package resources lists the Kafka topics, permissions and schemas that a configuration needs.
package resources
