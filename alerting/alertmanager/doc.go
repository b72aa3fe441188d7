// Package alertmanager sends alerts to Prometheus' Alertmanager (API v2). One message is one alert there; its labels
// identify it, so a repeated post and an edit are the same alert.
package alertmanager
