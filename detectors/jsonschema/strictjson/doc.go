// Package strictjson reads JSON strictly and finds values in it by their path.
package strictjson
