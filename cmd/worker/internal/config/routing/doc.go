// Package routing has the settings of receivers of alerts, and of the routes to them.
package routing
