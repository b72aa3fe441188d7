package strictyaml

import "errors"

// SplitJoined returns the errors that errors.Join joined.
func SplitJoined(err error) []error {
	if joined, ok := errors.AsType[interface {
		error
		Unwrap() []error
	}](err); ok {
		return joined.Unwrap()
	}
	if err == nil {
		return nil
	}
	return []error{err}
}
