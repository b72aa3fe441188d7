package technical

import (
	"strings"

	"confab/detectors"
	"confab/detectors/technical/mentions"
	"confab/internal/names"
)

// Costs of judging mentions, in units of [Work].
const (
	judgeCost   = 10 // of a mention
	nearestCost = 10 // of a well-known name that is compared
	foldedBytes = 8  // bytes a unit of a comparison in either case
)

// judge holds the mentions of one document against what is known.
type judge struct {
	*technical
	doc      *detectors.Document
	known    knownTexts
	mentions []mentions.Mention // of the answer
}

// verdict applies the first rule that has something to say about the mention.
func (j *judge) verdict(m *mentions.Mention) verdict {
	words := j.doc.Answer()[m.Start:m.End]
	switch m.Kind {
	case mentions.URL:
		return j.url(words)
	case mentions.Mail:
		return j.mail(words)
	case mentions.DOI, mentions.ArXiv:
		return j.identifier(m.Kind, words)
	case mentions.Package:
		return j.pack(m.Ecosystem, words)
	case mentions.Python:
		return j.python(m, words)
	case mentions.Script:
		return j.script(words)
	case mentions.Go:
		return j.goImport(words)
	case mentions.RustStd:
		return j.rustStandard(words)
	default:
		return j.rust(words)
	}
}

func (j *judge) sources() bool { return j.doc.Sources() > 0 }

const noteNotInContext = "in neither the prompt nor the sources"

func (j *judge) identifier(kind mentions.Kind, id string) verdict {
	if j.known.holds(id) {
		return verdict{}
	}
	if v := identifier(kind, id, j.doc.Interaction().OccurredAt); v.fault != faultNone {
		return v
	}
	switch {
	case j.sources():
		return verdict{faultNotInContext, weightID, noteNotInContext}
	case kind == mentions.DOI:
		return verdict{faultNotInContext, weightDOIAlone, noteNotInContext}
	default:
		return verdict{faultNotInContext, weightArXivAlone, noteNotInContext}
	}
}

// Notes on names, all fixed but for what they name.
const (
	noteName       = "no package can have this name"
	noteModulePath = "no module path: it begins with a host, as in github.com/owner/name"
)

// pack judges the argument of a command that fetches packages.
func (j *judge) pack(e names.Ecosystem, name string) verdict {
	k := j.ecosystems[e]
	switch {
	case j.known.holds(name) || k.standard.Contains(name):
		return verdict{}
	case !e.Valid(name):
		if e == names.Go {
			return verdict{faultMalformed, weightMalformed, noteModulePath}
		}
		return verdict{faultMalformed, weightMalformed, noteName}
	case e == names.Go:
		return j.modulePath(name)
	}
	if e == names.PyPI && k.index == nil && !k.popular.Contains(name) {
		if distribution, ok := j.modules[name]; ok {
			return verdict{faultNearMiss, weightConflated, "the package of this module is " + distribution}
		}
	}
	return j.wellFormed(k, e, name, weightUnknown)
}

// nearest is the popular name that the name resembles most. It is looked for among all of them.
func (j *judge) nearest(k *knowledge, name string) (string, names.Nearness) {
	if !j.known.work.Spend(k.popular.Len() * nearestCost) {
		return "", names.Unlike
	}
	return k.popular.Nearest(name)
}

// wellFormed judges a well-formed name that the context does not hold. missing is the reliability of "the index lacks it".
func (j *judge) wellFormed(k *knowledge, e names.Ecosystem, name string, missing float64) verdict {
	if k.popular.Contains(name) || k.index != nil && (k.index.Contains(name) || e == names.Go && k.index.ContainsPath(name)) {
		return verdict{}
	}
	near, how := j.nearest(k, name)
	if k.index == nil {
		return resembles(near, how)
	}
	v := verdict{faultUnknownName, missing, "no such package in the " + string(e) + " index"}
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

// resembles judges a name of which nothing is known but that it is like another one.
func resembles(near string, how names.Nearness) verdict {
	v := verdict{fault: faultNearMiss, note: "not the well-known package " + near}
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
		return verdict{fault: faultUnjudged}
	}
	return v
}

// modulePath judges the path of a Go package.
func (j *judge) modulePath(path string) verdict {
	host, rest, _ := strings.Cut(path, "/")
	if v := hostForm(host); v.fault != faultNone {
		return v
	}
	if forge(host) && strings.IndexByte(rest, '/') <= 0 {
		return verdict{faultMalformed, weightMalformed, noteModulePath}
	}
	k := j.ecosystems[names.Go]
	for end := len(path); end > 0; end = strings.LastIndexByte(path[:end], '/') {
		if k.popular.Contains(path[:end]) {
			return verdict{}
		}
	}
	return j.wellFormed(k, names.Go, path, weightUnknown)
}

// forge reports whether modules on the host are named by owner and name.
func forge(host string) bool {
	return host == "github.com" || host == "gitlab.com" || host == "bitbucket.org" || host == "codeberg.org"
}

// fetched reports whether the answer has the package fetched under the very name: then that is judged, once.
func (j *judge) fetched(e names.Ecosystem, name string) bool {
	var a, b [names.MaxName]byte
	if len(name) > names.MaxName {
		return false
	}
	j.known.work.Spend(judgeCost * len(j.mentions))
	want := e.AppendNormal(a[:0], name)
	for i := range j.mentions {
		m := &j.mentions[i]
		if m.Kind == mentions.Package && m.Ecosystem == e && int(m.End-m.Start) <= names.MaxName &&
			string(e.AppendNormal(b[:0], j.doc.Answer()[m.Start:m.End])) == string(want) {
			return true
		}
	}
	return false
}

// declares reports whether the answer has the words, followed by the suffix: a file or a module of its own.
func (j *judge) declares(name, suffix string) bool {
	a := j.doc.Answer()
	j.known.work.Spend(1 + len(a)/detectors.SearchBytes)
	for from := 0; j.known.work.Spend(1); {
		at := strings.Index(a[from:], name)
		if at < 0 {
			return false
		}
		from += at + len(name)
		if strings.HasPrefix(a[from:], suffix) && mentions.StandsAlone(a, from-len(name), from+len(suffix)) {
			return true
		}
	}
	return false
}

const localNames = " app apps main src lib libs core common shared utils util helper helpers config configs settings models model schemas schema views routes router " +
	"routers services service database db api tests test conftest project package module modules components component pages hooks store stores styles assets constants types " +
	"contexts context layouts handlers controllers middleware server client data dataset train network agent agents tools scripts base exceptions errors auth users user "

// local reports whether a name is what parts of one's own project are called.
func local(name string) bool {
	for _, prefix := range [...]string{"my", "your", "example", "sample", "demo", "test_", "foo", "bar", "some_", "./"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	root, _, _ := strings.Cut(name, "/")
	return mentions.Listed(localNames, root) || mentions.Listed(mentions.Placeholders, root)
}
