// Package pagerduty sends alerts to PagerDuty (Events API v2). The alerts of a group share a dedup_key, so they are one
// incident there, which ends with the group.
package pagerduty
