// Package redrive sends dead letters back to the topics that they came from: `confab redrive`. It says first which reasons they
// have and whether sending them again can help.
package redrive
