// Package evaluation makes evaluators and suites as the configuration says.
package evaluation
