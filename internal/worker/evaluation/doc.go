// Package evaluation makes evaluators and suites from the configuration.
package evaluation
