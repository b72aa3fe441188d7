package technical

import (
	"slices"
	"strings"

	"confab/detectors"
	"confab/internal/names"
)

const nearestCost = 10 // of a well-known name that is compared, in units of [detectors.Work]

// checker assesses the mentions of one document.
type checker struct {
	*technical
	*scratch
	doc *detectors.Document
}

// assessors apply the first rule that matches a mention of their kind.
var assessors = [...]func(c *checker, m *mention, words string) verdict{ //nolint:gochecknoglobals // a read-only table
	url:  func(c *checker, _ *mention, words string) verdict { return verdict{c.address(words), ""} },
	mail: func(c *checker, _ *mention, words string) verdict { return verdict{c.mailbox(words), ""} },
	doi:  (*checker).identifier, arXiv: (*checker).identifier,
	packageName: (*checker).installed,
	python:      (*checker).python, script: (*checker).script, golang: (*checker).goImport, rust: (*checker).rust, rustStd: (*checker).rustStandard,
	member: (*checker).member, endpoint: (*checker).endpoint, call: (*checker).call, keyword: (*checker).keyword,
}

// sources reports whether there are sources that were read in full, which a mention should occur in.
func (c *checker) sources() bool { return c.doc.Sources() > 0 && !c.doc.SourcesTruncated() }

// twins are names in use for packages of other names, beyond the modules that names.Imports has. Somebody else holds some.
var twins = map[names.Ecosystem]map[string]string{ //nolint:gochecknoglobals // a read-only table
	names.PyPI: {
		"pytorch": "torch", "huggingface-cli": "huggingface-hub", "beautifulsoup": "beautifulsoup4", "opencv": "opencv-python",
		"dotenv":   "python-dotenv",
		"psycopg2": "psycopg2", "discord": "discord", "faiss": "faiss", // packages of their own
	},
	names.NPM: {"crossenv": "cross-env", "reactjs": "react", "expressjs": "express", "vuejs": "vue", "nodejs": "node"},
}

// backports are modules of a standard library that are also packages to install.
const backports = " dataclasses typing contextvars argparse asyncio buffer events util assert process punycode url path stream string_decoder querystring readline " +
	"constants timers console module v8 tty vm "

// installed assesses an argument of a command that installs packages.
func (c *checker) installed(m *mention, name string) verdict {
	e, k := m.ecosystem, c.ecosystems[m.ecosystem]
	switch {
	case c.known.contains(name):
		return verdict{sound, ""}
	case e == names.Go:
		return c.modulePath(name)
	case !e.Valid(name):
		return verdict{packageForm, ""}
	case k.standard.Contains(name) && !k.popular.Contains(name):
		if e == names.Crates || inList(backports, name) {
			return verdict{sound, ""}
		}
		return verdict{packageStandard, ""}
	}
	return c.namedPackage(m, k, name)
}

func (c *checker) namedPackage(m *mention, k *ecosystemNames, name string) verdict {
	e := m.ecosystem
	twin := twins[e][name]
	if twin == "" && e == names.PyPI {
		twin = c.modules[name]
	}
	missing := packageUnknown
	switch {
	case twin != "" && !k.popular.Contains(name) && !sameName(twin, name):
		return verdict{packageTwin, twin}
	case hasWord(inventedWords, name) && !k.has(name):
		return verdict{packageFake, ""}
	case m.loose:
		missing = nameUnknown
	}
	return c.wellFormed(k, e, name, missing)
}

// has reports whether the popular names or the index have the name.
func (k *ecosystemNames) has(name string) bool {
	return k.popular.Contains(name) || k.index != nil && (k.index.Contains(name) || k.index.Ecosystem() == names.Go && k.index.ContainsPath(name))
}

// wellFormed assesses a well-formed name that the context lacks. missing is the rule when the index lacks it.
func (c *checker) wellFormed(k *ecosystemNames, e names.Ecosystem, name string, missing *rule) verdict {
	if k.has(name) {
		return verdict{sound, ""}
	}
	c.work.Spend(k.popular.Len() * nearestCost)
	near := k.popular.Typo(name)
	switch {
	case k.index == nil && near == "":
		return verdict{undecided, ""}
	case k.index == nil && len(near) <= shortName:
		return verdict{nearShort, near}
	case k.index == nil:
		return verdict{nearTypo, near}
	case near == "":
		return verdict{missing, string(e) + " index"}
	case missing == nameUnknown:
		missing = nameTypo
	default:
		missing = packageTypo
	}
	return verdict{missing, string(e) + " index; nearest: " + near}
}

const shortName = 5 // characters of a name that has many neighbors

// modulePath assesses the path of a Go package.
func (c *checker) modulePath(path string) verdict {
	if !names.Go.Valid(path) {
		return verdict{modulePath, ""}
	}
	host, rest, _ := strings.Cut(path, "/")
	if r := hostFault(host); r != sound {
		return verdict{r, ""}
	}
	if inList(" github.com gitlab.com bitbucket.org codeberg.org ", host) && strings.IndexByte(rest, '/') <= 0 {
		return verdict{modulePath, ""}
	}
	k := c.ecosystems[names.Go]
	for end := len(path); end > 0; end = strings.LastIndexByte(path[:end], '/') {
		if k.popular.Contains(path[:end]) {
			return verdict{sound, ""}
		}
	}
	return c.wellFormed(k, names.Go, path, packageUnknown)
}

// fetched reports whether the answer installs a package of this name.
func (c *checker) fetched(e names.Ecosystem, name string) bool {
	c.work.Spend(mentionCost * len(c.answer.mentions))
	return slices.ContainsFunc(c.answer.mentions, func(m mention) bool {
		return m.kind == packageName && m.ecosystem == e && sameName(c.doc.Answer()[m.start:m.end], name)
	})
}

func sameName(a, b string) bool { return strings.EqualFold(hyphens.Replace(a), hyphens.Replace(b)) }

var hyphens = strings.NewReplacer("_", "-", ".", "-") //nolint:gochecknoglobals // read-only

// declares reports whether the answer contains the words, not as part of a longer name: a file or module of its own.
func (c *checker) declares(words string) bool {
	a := c.doc.Answer()
	c.work.Spend(1 + len(a)/detectors.SearchBytes)
	for from := 0; c.work.Spend(1); {
		at := strings.Index(a[from:], words)
		if at < 0 {
			return false
		}
		if from += at + len(words); standsAlone(a, from-len(words), from) {
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
	return inList(localNames, root) || inList(placeholders, root)
}

// python assesses an imported module by its first name, or as a part of the standard library.
func (c *checker) python(m *mention, path string) verdict {
	k := c.ecosystems[names.PyPI]
	module, below, found := strings.Cut(path, ".")
	part, _, _ := strings.Cut(below, ".")
	switch {
	case k.standard.Contains(module) && found && !c.partOfPython(module, path):
		return verdict{noModule, "Python has no such module"}
	case k.standard.Contains(module):
		return verdict{sound, ""}
	case part != "" && part[0] != '_' && k.members.Lists(module) && !k.members.Contains(module, part) && !c.known.contains(path):
		return c.noMember(k, module, part)
	}
	m.end = m.start + len(module) // the rest of the path belongs to the package
	if c.modules[module] != "" {
		return verdict{sound, ""}
	}
	return c.module(names.PyPI, module, module+".py")
}

// partOfPython reports whether the standard library has the part, or may have it: private parts, and packages whose parts are
// not listed.
func (c *checker) partOfPython(root, path string) bool {
	return c.ecosystems[names.PyPI].standard.Contains(path) || strings.Contains(path, "._") || c.known.contains(path) ||
		inList(" idlelib lib2to3 test turtledemo pydoc_data encodings distutils ensurepip msilib lib tkinter ", root)
}

// script assesses the package of a module specifier, or a module of Node.js.
func (c *checker) script(m *mention, spec string) verdict {
	k := c.ecosystems[names.NPM]
	module, node := strings.CutPrefix(spec, "node:")
	end := m.end + cutAny(c.doc.Answer()[m.end:], "\"'`\n")
	switch whole := c.doc.Answer()[m.start+len(spec)-len(module) : end]; {
	case (node || k.standard.Contains(spec)) && !k.standard.Contains(whole) && !c.known.contains(whole):
		m.end = end
		return verdict{noModule, "Node.js has no such module"}
	case node, k.standard.Contains(spec):
		return verdict{sound, ""}
	case !names.NPM.Valid(spec):
		return verdict{undecided, ""}
	}
	return c.module(names.NPM, spec, spec+".js")
}

// goImport assesses an import path. Without a host as first element it belongs to the standard library or the project.
func (c *checker) goImport(_ *mention, path string) verdict {
	k := c.ecosystems[names.Go]
	root, _, below := strings.Cut(path, "/")
	hosted := strings.Contains(root, ".")
	switch {
	case k.standard.Contains(path), c.known.contains(path):
		return verdict{sound, ""}
	case hosted && isReserved(root):
		return verdict{undecided, ""}
	case hosted:
		return c.modulePath(path)
	case below && k.standard.Contains(root) && root != "internal":
		return verdict{noModule, "Go has no such package"}
	case !below && !isLocalName(root):
		return verdict{oddModule, ""}
	default:
		return verdict{undecided, ""}
	}
}

// module assesses a module by the packages of its ecosystem. A part of the user's project is undecided: by its usual name, by the
// words with which the answer declares it, or because the answer installs a package that is assessed instead.
func (c *checker) module(e names.Ecosystem, module, declaration string) verdict {
	k, missing := c.ecosystems[e], nameUnknown
	switch {
	case k.popular.Contains(module) || c.known.contains(module):
		return verdict{sound, ""}
	case isLocalName(module) || c.declares(declaration) || c.fetched(e, module):
		return verdict{undecided, ""}
	case e == names.NPM:
		missing = packageUnknown // elsewhere, names of modules and packages may differ
	}
	return c.wellFormed(k, e, module, missing)
}

// rust assesses the first name of a path.
func (c *checker) rust(_ *mention, crate string) verdict {
	switch {
	case inList(" crate self super ", crate) || isUpper(crate[0]):
		return verdict{undecided, ""}
	case inList(" std core alloc proc_macro test ", crate):
		return verdict{sound, ""}
	}
	return c.module(names.Crates, crate, "mod "+crate)
}

// rustStandard assesses a module of std, core or alloc.
func (c *checker) rustStandard(_ *mention, module string) verdict {
	if isUpper(module[0]) || module == "self" || c.ecosystems[names.Crates].standard.Contains(module) || c.known.contains(module) {
		return verdict{sound, ""}
	}
	return verdict{noModule, "Rust has no such module"}
}
