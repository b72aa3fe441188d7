package technical

import (
	"slices"
	"strings"

	"confab/internal/names"
)

const (
	// minListed is the number of endpoints, or of functions of one object, from which the context counts as their list.
	minListed = 3
	maxListed = 512 // of each kind that are read
	callCost  = 4   // per listed name that is compared, in units of [detectors.Work]
)

// listedNames are the endpoints and functions that the context names.
type listedNames struct {
	read      bool
	endpoints []string
	calls     []string
}

// listed reads the names of the context on first use.
func (c *mentionChecker) listed() *listedNames {
	l := c.names
	if l.read {
		return l
	}
	l.read = true
	for _, text := range c.known.texts {
		if !c.known.work.Spend(1 + len(text)/foldedBytes) {
			return l
		}
		for start, end := range EndpointsIn(text) {
			l.endpoints = appendNew(l.endpoints, text[start:end])
		}
		for start, end := range CallsIn(text) {
			l.calls = appendNew(l.calls, text[start:end])
		}
	}
	return l
}

func appendNew(list []string, name string) []string {
	if len(list) == maxListed || slices.Contains(list, name) {
		return list
	}
	return append(list, name)
}

// endpoint assesses an endpoint such as "GET /v1/users" if the context lists endpoints.
func (c *mentionChecker) endpoint(words string) assessment {
	list := c.listed().endpoints
	if len(list) < minListed || !c.known.work.Spend(callCost*len(list)) {
		return assessment{fault: faultUndecided}
	}
	method, path, _ := strings.Cut(words, " ")
	v := assessment{faultNotInContext, weightNoEndpoint, "the context lists other endpoints"}
	for _, other := range list {
		otherMethod, otherPath, _ := strings.Cut(other, " ")
		if !samePath(path, otherPath) {
			continue
		}
		if method == otherMethod {
			return assessment{}
		}
		v.weight, v.note = weightOtherMethod, "the context has "+other
	}
	return v
}

// samePath reports whether the paths have equal segments from their end on. A placeholder or a number equals any segment.
func samePath(a, b string) bool {
	for {
		i, k := strings.LastIndexByte(a, '/'), strings.LastIndexByte(b, '/')
		if i < 0 || k < 0 {
			return true
		}
		x, y := a[i+1:], b[k+1:]
		if x != y && !isPlaceholder(x) && !isPlaceholder(y) || isVerbFor(y, x) {
			return false
		}
		a, b = a[:i], b[:k]
		if a == "" || b == "" {
			return true
		}
	}
}

// isVerbFor reports a segment such as list_all for a placeholder of an id.
func isVerbFor(placeholder, segment string) bool {
	name := strings.Trim(placeholder, "{}:<>$[]")
	return name != placeholder && (strings.EqualFold(name, "id") || strings.HasSuffix(name, "_id") || strings.HasSuffix(name, "Id")) &&
		strings.IndexByte(segment, '_') > 0 && !strings.ContainsAny(segment, "{:<$[0123456789") && segment == strings.ToLower(segment)
}

// isPlaceholder reports whether a segment of a path stands for a value.
func isPlaceholder(segment string) bool {
	return segment != "" && (strings.IndexByte("{:<$[", segment[0]) >= 0 || strings.ContainsAny(segment, "0123456789") && len(segment) > 8 || AllDigits(segment))
}

// call assesses a function such as client.list_users if the context lists functions of the same object.
func (c *mentionChecker) call(words string) assessment {
	list := c.listed().calls
	if len(list) < minListed || !c.known.work.Spend(callCost*len(list)) {
		return assessment{fault: faultUndecided}
	}
	object, name := splitCall(words)
	siblings, near := 0, ""
	for _, other := range list {
		owner, sibling := splitCall(other)
		if sibling == name {
			return assessment{}
		}
		if owner != object {
			continue
		}
		siblings++
		if near == "" && names.Resemble(sibling, name) {
			near = sibling
		}
	}
	if siblings < minListed || c.known.contains(name) || c.defines(name) {
		return assessment{fault: faultUndecided}
	}
	if near != "" {
		return assessment{faultNotInContext, weightCallTypo, "the context has " + near}
	}
	return assessment{faultNotInContext, weightNoCall, "the context describes other functions"}
}

// splitCall splits a name at its last dot.
func splitCall(words string) (object, name string) {
	at := strings.LastIndexByte(words, '.')
	return words[:max(at, 0)], words[at+1:]
}

// defines reports whether the answer defines the function itself.
func (c *mentionChecker) defines(name string) bool {
	for _, key := range [...]string{"def ", "function ", "func ", "fn ", "const ", "let ", "var "} {
		if c.declares(key+name, "") {
			return true
		}
	}
	return false
}
