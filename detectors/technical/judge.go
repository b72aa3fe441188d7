package technical

import (
	"strings"

	"confab/detectors"
	"confab/detectors/technical/mentions"
	"confab/internal/names"
)

// Costs of judging mentions, in units of [Work].
const (
	mentionCost = 10 // of a mention
	nearestCost = 10 // of a well-known name that is compared
	foldedBytes = 8  // bytes a unit of a comparison in either case
)

// mentionChecker holds the mentions of one document against what is known.
type mentionChecker struct {
	*technical
	doc      *detectors.Document
	known    contextTexts
	mentions []mentions.Mention // of the answer
}

// assess applies the first rule that has something to say about the mention.
func (j *mentionChecker) assess(m *mentions.Mention) assessment {
	words := j.doc.Answer()[m.Start:m.End]
	switch m.Kind {
	case mentions.URL:
		return j.url(words)
	case mentions.Mail:
		return j.mail(words)
	case mentions.DOI, mentions.ArXiv:
		return j.identifier(m.Kind, words)
	case mentions.Package:
		return j.installedPackage(m.Ecosystem, words)
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

func (j *mentionChecker) sources() bool { return j.doc.Sources() > 0 }

const noteNotInContext = "in neither the prompt nor the sources"

func (j *mentionChecker) identifier(kind mentions.Kind, id string) assessment {
	if j.known.contains(id) {
		return assessment{}
	}
	if v := identifier(kind, id, j.doc.Interaction().OccurredAt); v.fault != faultNone {
		return v
	}
	switch {
	case j.sources():
		return assessment{faultNotInContext, weightID, noteNotInContext}
	case kind == mentions.DOI:
		return assessment{faultNotInContext, weightDOIAlone, noteNotInContext}
	default:
		return assessment{faultNotInContext, weightArXivAlone, noteNotInContext}
	}
}

// Notes on names, all fixed but for what they name.
const (
	noteName       = "no package can have this name"
	noteModulePath = "no module path: it begins with a host, as in github.com/owner/name"
)

// installedPackage judges the argument of a command that fetches packages.
func (j *mentionChecker) installedPackage(e names.Ecosystem, name string) assessment {
	k := j.ecosystems[e]
	switch {
	case j.known.contains(name) || k.standard.Contains(name):
		return assessment{}
	case !e.Valid(name):
		if e == names.Go {
			return assessment{faultMalformed, weightMalformed, noteModulePath}
		}
		return assessment{faultMalformed, weightMalformed, noteName}
	case e == names.Go:
		return j.modulePath(name)
	}
	if e == names.PyPI && k.index == nil && !k.popular.Contains(name) {
		if distribution, ok := j.modules[name]; ok {
			return assessment{faultNearMiss, weightConflated, "the package of this module is " + distribution}
		}
	}
	return j.wellFormed(k, e, name, weightUnknown)
}

// nearest is the popular name that the name resembles most. It is looked for among all of them.
func (j *mentionChecker) nearest(k *ecosystemNames, name string) (string, names.Nearness) {
	if !j.known.work.Spend(k.popular.Len() * nearestCost) {
		return "", names.Unlike
	}
	return k.popular.Nearest(name)
}

// wellFormed judges a well-formed name that the context does not hold. missing is the reliability of "the index lacks it".
func (j *mentionChecker) wellFormed(k *ecosystemNames, e names.Ecosystem, name string, missing float64) assessment {
	if k.popular.Contains(name) || k.index != nil && (k.index.Contains(name) || e == names.Go && k.index.ContainsPath(name)) {
		return assessment{}
	}
	near, how := j.nearest(k, name)
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

// assessResemblance judges a name of which nothing is known but that it is like another one.
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
		return assessment{fault: faultUnknown}
	}
	return v
}

// modulePath judges the path of a Go package.
func (j *mentionChecker) modulePath(path string) assessment {
	host, rest, _ := strings.Cut(path, "/")
	if v := hostForm(host); v.fault != faultNone {
		return v
	}
	if isForge(host) && strings.IndexByte(rest, '/') <= 0 {
		return assessment{faultMalformed, weightMalformed, noteModulePath}
	}
	k := j.ecosystems[names.Go]
	for end := len(path); end > 0; end = strings.LastIndexByte(path[:end], '/') {
		if k.popular.Contains(path[:end]) {
			return assessment{}
		}
	}
	return j.wellFormed(k, names.Go, path, weightUnknown)
}

// isForge reports whether modules on the host are named by owner and name.
func isForge(host string) bool {
	return host == "github.com" || host == "gitlab.com" || host == "bitbucket.org" || host == "codeberg.org"
}

// fetched reports whether the answer has the package fetched under the very name: then that is judged, once.
func (j *mentionChecker) fetched(e names.Ecosystem, name string) bool {
	var a, b [names.MaxName]byte
	if len(name) > names.MaxName {
		return false
	}
	j.known.work.Spend(mentionCost * len(j.mentions))
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
func (j *mentionChecker) declares(name, suffix string) bool {
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

// isLocalName reports whether a name is what parts of one's own project are called.
func isLocalName(name string) bool {
	for _, prefix := range [...]string{"my", "your", "example", "sample", "demo", "test_", "foo", "bar", "some_", "./"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	root, _, _ := strings.Cut(name, "/")
	return mentions.InList(localNames, root) || mentions.InList(mentions.Placeholders, root)
}
