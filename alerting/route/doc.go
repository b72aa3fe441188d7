// Package route decides which receivers get an alert, by routes and matchers as Alertmanager has them.
package route
