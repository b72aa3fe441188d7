// Package strictjson parses JSON strictly and locates values by their path.
package strictjson
