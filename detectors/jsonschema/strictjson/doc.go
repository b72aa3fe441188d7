// Package strictjson parses JSON strictly, into values or onto a tape of places, and locates values by their path.
package strictjson
