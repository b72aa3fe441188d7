package rate

import (
	"fmt"
	"slices"
	"strings"
)

// AttributePrefix begins the dimension of a member of attributes, such as a version of a prompt.
const AttributePrefix = "attributes."

// Dimensions are the fields that figures may be split by, besides attributes.NAME.
func Dimensions() []string { return []string{"model", "service", "operation", "tenant", "provider"} }

// CheckDimension refuses a name that is no dimension.
func CheckDimension(name string) error {
	if slices.Contains(Dimensions(), name) || strings.HasPrefix(name, AttributePrefix) && len(name) > len(AttributePrefix) {
		return nil
	}
	return fmt.Errorf("unknown dimension %q: known are %s and attributes.NAME", name, strings.Join(Dimensions(), ", "))
}

// Labels are the values of an interaction that it may be split by.
type Labels struct {
	Model, Service, Operation, Tenant, Provider string
	Attributes                                  map[string]string
}

// Value is that of a dimension, "" without one.
func (l *Labels) Value(dimension string) string {
	switch dimension {
	case "model":
		return l.Model
	case "service":
		return l.Service
	case "operation":
		return l.Operation
	case "tenant":
		return l.Tenant
	case "provider":
		return l.Provider
	}
	return l.Attributes[strings.TrimPrefix(dimension, AttributePrefix)]
}
