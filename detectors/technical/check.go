package technical

import (
	"strings"

	"confab/detectors"
	"confab/internal/names"
)

// Costs of assessing mentions, in units of [detectors.Work].
const (
	mentionCost = 10 // of a mention
	nearestCost = 10 // of a well-known name that is compared
	foldedBytes = 8  // bytes per unit of a case-insensitive comparison
)

// mentionChecker assesses the mentions of one document.
type mentionChecker struct {
	*technical
	doc      *detectors.Document
	known    contextTexts
	names    *listedNames // of the context
	mentions []Mention    // of the answer
}

// assess applies the first rule that matches the mention.
func (c *mentionChecker) assess(m *Mention) assessment {
	words := c.doc.Answer()[m.Start:m.End]
	switch m.Kind {
	case URL:
		return c.url(words)
	case Mail:
		return c.mail(words)
	case DOI, ArXiv:
		return c.identifier(m.Kind, words)
	case Package:
		return c.installedPackage(m.Ecosystem, words)
	case Python:
		return c.python(m, words)
	case Script:
		return c.script(m, words)
	case Go:
		return c.goImport(words)
	case RustStd:
		return c.rustStandard(words)
	case Rust:
		return c.rust(words)
	default:
		return c.use(m, words)
	}
}

// use assesses what the answer uses of a module or of an interface.
func (c *mentionChecker) use(m *Mention, words string) assessment {
	switch m.Kind {
	case Endpoint:
		return c.endpoint(words)
	case Call:
		return c.call(words)
	default:
		return c.member(m, words)
	}
}

// sources reports whether there are sources that were read in full, which a mention should occur in.
func (c *mentionChecker) sources() bool { return c.doc.Sources() > 0 && !c.doc.SourcesTruncated() }

const noteNotInContext = "in neither the prompt nor the sources"

func (c *mentionChecker) identifier(kind Kind, id string) assessment {
	if c.known.contains(id) {
		return assessment{}
	}
	if v := identifier(kind, id, c.doc.Interaction().OccurredAt); v.fault != faultNone {
		return v
	}
	switch {
	case c.sources():
		return assessment{faultNotInContext, weightID, noteNotInContext}
	case kind == DOI:
		return assessment{faultNotInContext, weightDOIAlone, noteNotInContext}
	default:
		return assessment{faultNotInContext, weightArXivAlone, noteNotInContext}
	}
}

const (
	noteName       = "no package can have this name"
	noteModulePath = "not a module path: one begins with a host, as in github.com/owner/name"
)

// installedPackage assesses an argument of a command that installs packages.
func (c *mentionChecker) installedPackage(e names.Ecosystem, name string) assessment {
	k := c.ecosystems[e]
	switch {
	case c.known.contains(name) || k.standard.Contains(name):
		return assessment{}
	case !e.Valid(name):
		if e == names.Go {
			return assessment{faultMalformed, weightMalformed, noteModulePath}
		}
		return assessment{faultMalformed, weightMalformed, noteName}
	case e == names.Go:
		return c.modulePath(name)
	}
	if e == names.PyPI && k.index == nil && !k.popular.Contains(name) {
		if distribution, ok := c.modules[name]; ok {
			return assessment{faultNearMiss, weightConflated, "the package of this module is " + distribution}
		}
	}
	return c.wellFormed(k, e, name, weightUnknown)
}

// nearest returns the popular name that the name resembles most.
func (c *mentionChecker) nearest(k *ecosystemNames, name string) (string, names.Nearness) {
	if !c.known.work.Spend(k.popular.Len() * nearestCost) {
		return "", names.Unlike
	}
	return k.popular.Nearest(name)
}

// wellFormed assesses a well-formed name that the context lacks. missing is the weight when the index lacks it.
func (c *mentionChecker) wellFormed(k *ecosystemNames, e names.Ecosystem, name string, missing float64) assessment {
	if k.popular.Contains(name) || k.index != nil && (k.index.Contains(name) || e == names.Go && k.index.ContainsPath(name)) {
		return assessment{}
	}
	near, how := c.nearest(k, name)
	if k.index == nil {
		return assessResemblance(near, how)
	}
	v := assessment{faultUnknownName, missing, "no such package in the " + string(e) + " index"}
	if how != names.Unlike {
		v.note += "; nearest: " + near
	}
	switch {
	case how == names.Typo && missing < weightUnknown:
		v.weight = weightModuleTypo
	case how == names.Typo:
		v.weight = weightUnknownTypo
	}
	return v
}

const shortName = 5

// assessResemblance assesses a name without an index, by its resemblance to a popular one.
func assessResemblance(near string, how names.Nearness) assessment {
	v := assessment{fault: faultNearMiss, note: "not the well-known package " + near}
	switch how {
	case names.Typo:
		v.weight = weightTypo
		if len(near) <= shortName {
			v.weight = weightShortTypo
		}
	case names.Close:
		v.weight = weightClose
	case names.Conflated:
		v.weight = weightConflated
	default:
		return assessment{fault: faultUndecided}
	}
	return v
}

// modulePath assesses the path of a Go package.
func (c *mentionChecker) modulePath(path string) assessment {
	host, rest, _ := strings.Cut(path, "/")
	if v := hostForm(host); v.fault != faultNone {
		return v
	}
	if isForge(host) && strings.IndexByte(rest, '/') <= 0 {
		return assessment{faultMalformed, weightMalformed, noteModulePath}
	}
	k := c.ecosystems[names.Go]
	for end := len(path); end > 0; end = strings.LastIndexByte(path[:end], '/') {
		if k.popular.Contains(path[:end]) {
			return assessment{}
		}
	}
	return c.wellFormed(k, names.Go, path, weightUnknown)
}

// isForge reports whether modules on the host are named by owner and name.
func isForge(host string) bool {
	return host == "github.com" || host == "gitlab.com" || host == "bitbucket.org" || host == "codeberg.org"
}

// fetched reports whether the answer installs a package of this name, which is then assessed instead of the import.
func (c *mentionChecker) fetched(e names.Ecosystem, name string) bool {
	var a, b [names.MaxName]byte
	if len(name) > names.MaxName {
		return false
	}
	c.known.work.Spend(mentionCost * len(c.mentions))
	want := e.AppendNormal(a[:0], name)
	for i := range c.mentions {
		m := &c.mentions[i]
		if m.Kind == Package && m.Ecosystem == e && int(m.End-m.Start) <= names.MaxName &&
			string(e.AppendNormal(b[:0], c.doc.Answer()[m.Start:m.End])) == string(want) {
			return true
		}
	}
	return false
}

// declares reports whether the answer contains the name followed by the suffix: a file or module of its own.
func (c *mentionChecker) declares(name, suffix string) bool {
	a := c.doc.Answer()
	c.known.work.Spend(1 + len(a)/detectors.SearchBytes)
	for from := 0; c.known.work.Spend(1); {
		at := strings.Index(a[from:], name)
		if at < 0 {
			return false
		}
		from += at + len(name)
		if strings.HasPrefix(a[from:], suffix) && StandsAlone(a, from-len(name), from+len(suffix)) {
			return true
		}
	}
	return false
}

const localNames = " app apps main src lib libs core common shared utils util helper helpers config configs settings models model schemas schema views routes router " +
	"routers services service database db api tests test conftest project package module modules components component pages hooks store stores styles assets constants types " +
	"contexts context layouts handlers controllers middleware server client data dataset train network agent agents tools scripts base exceptions errors auth users user "

// isLocalName reports whether the name is a usual one for a part of the user's own project.
func isLocalName(name string) bool {
	for _, prefix := range [...]string{"my", "your", "example", "sample", "demo", "test_", "foo", "bar", "some_", "./"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	root, _, _ := strings.Cut(name, "/")
	return InList(localNames, root) || InList(Placeholders, root)
}
