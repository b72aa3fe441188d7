// Package doctor checks everything that the worker depends on and reports findings with remedies. It writes no record,
// joins no group and posts nothing.
package doctor
