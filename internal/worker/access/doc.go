// Package access says who sent an HTTP request, and for which tenants the sender may ask.
package access
