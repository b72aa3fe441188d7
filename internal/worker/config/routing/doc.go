// Package routing has the settings of receivers of alerts.
package routing
