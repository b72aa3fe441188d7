package route

import (
	"fmt"
	"slices"

	"confab/schemas"
)

// Options say which receivers get which alerts. Names are those of Alertmanager.
type Options struct {
	// The receiver of alerts that no route of the list takes. Empty: every receiver gets every alert, if there are no routes.
	Receiver string `yaml:"receiver"`
	// Routes in order. The first one whose matchers all match takes the alert.
	Routes []Branch `yaml:"routes"`
}

// Branch is one route.
type Branch struct {
	// The receiver's name.
	Receiver string `yaml:"receiver"`
	// Conditions that must all hold, such as severity="high" or tenant=~"bank|insurer". Labels: severity (high, normal), tenant, service, operation, provider, model. Operators: =, !=, =~, !~. Regular expressions match whole values. An empty list matches every alert.
	Matchers []string `yaml:"matchers"`
	// Try the following routes as well, so that several receivers get the alert.
	Continue bool `yaml:"continue"`
}

// Router decides which receivers get an alert. It is immutable.
type Router struct {
	all      []string // of every alert; nil with routes
	fallback string
	routes   []compiledRoute
}

type compiledRoute struct {
	receiver string
	matchers []matcher
	next     bool
}

// Problem is an error of one option. Path starts behind the path of Options.
type Problem struct{ Path, Message string }

// New compiles routes between the receivers of the given names. It returns all problems.
func New(o Options, receivers []string) (*Router, []Problem) {
	var problems []Problem
	known := func(path, name string) {
		if !slices.Contains(receivers, name) {
			problems = append(problems, Problem{path, fmt.Sprintf("names no receiver: %q is not one of %q", name, receivers)})
		}
	}
	if o.Receiver == "" && len(o.Routes) == 0 {
		return &Router{all: slices.Clone(receivers)}, nil
	}
	r := &Router{fallback: o.Receiver}
	if o.Receiver == "" {
		problems = append(problems, Problem{".receiver", "is missing: name the receiver of alerts that no route takes"})
	} else {
		known(".receiver", o.Receiver)
	}
	for i, options := range o.Routes {
		path := fmt.Sprintf(".routes[%d]", i)
		known(path+".receiver", options.Receiver)
		c := compiledRoute{receiver: options.Receiver, next: options.Continue}
		for j, text := range options.Matchers {
			m, err := parseMatcher(text)
			if err != nil {
				problems = append(problems, Problem{fmt.Sprintf("%s.matchers[%d]", path, j), err.Error()})
				continue
			}
			c.matchers = append(c.matchers, m)
		}
		r.routes = append(r.routes, c)
	}
	return r, problems
}

// Receivers are the names of those that get an alert, each once, in the order of the routes.
func (r *Router) Receivers(l Labels) []string {
	if r.all != nil {
		return r.all
	}
	var names []string
	for i := range r.routes {
		c := &r.routes[i]
		if !c.matches(&l) {
			continue
		}
		if !slices.Contains(names, c.receiver) {
			names = append(names, c.receiver)
		}
		if !c.next {
			return names
		}
	}
	if len(names) == 0 {
		return []string{r.fallback}
	}
	return names
}

// Routes reports whether the receiver gets a flag's alert of a severity.
func (r *Router) Routes(receiver string, f *schemas.Flag, severity schemas.Severity) bool {
	return slices.Contains(r.Receivers(Labels{
		Severity: string(severity), Tenant: f.Tenant, Service: f.Service, Operation: f.Operation, Provider: f.Provider, Model: f.Model,
	}), receiver)
}

func (c *compiledRoute) matches(l *Labels) bool {
	for i := range c.matchers {
		if !c.matchers[i].matches(l) {
			return false
		}
	}
	return true
}
