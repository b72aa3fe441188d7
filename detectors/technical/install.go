package technical

import (
	"regexp"
	"slices"
	"strings"

	"confab/internal/names"
)

// installers are the commands that install packages, one group of installForm each.
var installers = [...]struct { //nolint:gochecknoglobals // a read-only table
	ecosystem names.Ecosystem
	one       bool // only the first argument is a package
}{{names.PyPI, false}, {names.PyPI, true}, {names.NPM, false}, {names.NPM, true}, {names.Go, false}, {names.Crates, false}, {names.RubyGems, false}}

var (
	installForm = regexp.MustCompile("(?:^|[\\s\"'`$(\\[!%{])(?:" +
		`(pip3? install|pipenv install|uv (?:pip |tool )?(?:add|install)|poetry add|pdm add)|(pipx (?:install|run)|uvx)|` +
		`(p?npm (?:install|i|add)|yarn (?:global )?add|bun (?:install|i|add))|(npx|bunx|pnpm dlx|yarn dlx)|` +
		`(go (?:get|install))|(cargo (?:install|add))|((?:gem install|bundle add)))[ \t]`)
	bulletForm   = regexp.MustCompile(`^[\s\d*>$%#.)-]*`)
	argumentForm = regexp.MustCompile(`\S+`)
)

// Every command contains one of the tools and one of the verbs.
var (
	tools = [...]string{"npm ", "pip", "npx ", "uv", "yarn ", "bun", "poetry ", "pdm ", "cargo ", "gem ", "go "} //nolint:gochecknoglobals // a read-only table
	verbs = [...]string{"install", " add ", " get ", " i ", "npx ", "dlx ", "uvx ", "bunx ", "pipx "}            //nolint:gochecknoglobals // a read-only table
)

// Flags between spaces: those whose next word is their value, and those that install packages from elsewhere.
var (
	valueFlags = map[names.Ecosystem]string{ //nolint:gochecknoglobals // a read-only table
		names.PyPI: " -r --requirement -c --constraint -t --target -e --editable --platform --python-version --python -p --prefix --root " +
			"--group -G --extra --extras -E --optional --with --tag --branch --rev --only-binary --no-binary --timeout --retries --proxy --cert --trusted-host --suffix ",
		names.NPM:      " --prefix --workspace --tag --loglevel --filter -C --dir --cwd ",
		names.Go:       " -tags -ldflags -o -C -mod -modfile ",
		names.Crates:   " --version --vers --features -F --target --bin --example -p --package --rename --manifest-path --profile -j --jobs --target-dir --root ",
		names.RubyGems: " -v --version --platform -P --install-dir -i -n --bindir --group -g ",
	}
	elsewhereFlags = map[names.Ecosystem]string{ //nolint:gochecknoglobals // a read-only table
		names.PyPI:     " -i --index-url --extra-index-url -f --find-links --index --default-index --source --git --path --no-index ",
		names.NPM:      " --registry -p --package ",
		names.Crates:   " --git --path --registry --index ",
		names.RubyGems: " -s --source --git --github --path -l --local ",
	}
	// targets are the forms of arguments that name packages: the name is the group. Paths, addresses and variables have none.
	targets = map[names.Ecosystem]*regexp.Regexp{ //nolint:gochecknoglobals // a read-only table
		names.PyPI:     regexp.MustCompile(`^([\w.-]+)(?:[\[<>=!~;@].*)?$`),
		names.NPM:      regexp.MustCompile(`^(@[\w.-]+(?:/[\w.-]+)?|\w[\w.-]*)(?:@[^:/]*)?$`),
		names.Go:       regexp.MustCompile(`^(\w[\w.~/-]*?)(?:/\.\.\.)?(?:@.*)?$`),
		names.Crates:   regexp.MustCompile(`^([\w./-]+)(?:[@:].*)?$`),
		names.RubyGems: regexp.MustCompile(`^([\w./-]+)(?:[@:].*)?$`),
	}
	filePath = regexp.MustCompile(`^[.~/]|://|\.(?:whl|txt|zip|tgz|gz|go|gem)$`)
)

// proseWords do not occur in commands: a line of code with one of them after its verb is prose.
const proseWords = " the a an and or to for with is are was it its this that these then from your our in of on using if will command commands " +
	"can via by any all each both again instead inside globally locally first before after new other some which you we "

// placeholders are words that stand for the name of a package.
const placeholders = " package packages package-name package_name packagename your-package your-package-name your_package my-package my_package mypackage " +
	"some-package library library-name module module-name dependency foo bar baz qux example name pkg pkg-name my-lib mylib your-lib crate-name crate_name gem-name " +
	"tool toolchain all "

// installs finds commands in code, on lines that begin with the command, and in prose.
func (s *scanner) installs() {
	if !containsAny(s.answer, verbs[:]) || !containsAny(s.answer, tools[:]) {
		return
	}
	at := 0
	for _, c := range s.code {
		s.proseInstalls(at, c.start)
		for m := range s.matches(installForm, c.start, c.end) {
			s.command(m, c.end, false)
		}
		at = c.end
	}
	s.proseInstalls(at, len(s.answer))
}

// proseInstalls reads text outside code. Inside a line only the first argument is sure to be meant as a package.
func (s *scanner) proseInstalls(at, end int) {
	stop := at
	for line := range strings.Lines(s.answer[at:end]) {
		start, begin := stop, -1
		stop += len(line)
		if !containsAny(line, verbs[:]) || !containsAny(line, tools[:]) {
			continue
		}
		if start == 0 || s.answer[start-1] == '\n' {
			begin = start + len(bulletForm.FindString(s.answer[start:stop]))
		}
		for m := range s.matches(installForm, max(begin, start), stop) {
			golang := m[10] >= 0
			switch {
			case m[0] == begin:
				s.command(m, stop, false)
			case !golang && strings.Contains(s.answer[m[0]:m[1]], " install"):
				s.command(m, stop, true)
			}
		}
	}
}

// command records the packages among the arguments of the command that m matches.
func (s *scanner) command(m []int, end int, loose bool) {
	c := installers[slices.IndexFunc(m[2:], func(at int) bool { return at >= 0 })/2]
	before, skip := len(s.mentions), false
	for from := range s.matches(argumentForm, m[1], commandEnd(s.answer, m[1], end)) {
		raw := s.answer[from[0]:from[1]]
		word := strings.TrimRight(strings.TrimLeft(raw, "\"'`$([!%{"), "\"'`),;.:")
		start := from[0] + strings.Index(raw, word)
		switch {
		case skip:
			skip = false
			continue
		case inList(proseWords, word), inList(elsewhereFlags[c.ecosystem], word[:cutAny(word, "=")]):
			s.mentions = s.mentions[:before]
			return
		case inList(valueFlags[c.ecosystem], word):
			skip = true
			continue
		case word == "" || word[0] == '-':
			continue
		}
		known := len(s.mentions)
		s.add(packageName, start, start+nameLength(c.ecosystem, word), c.ecosystem, "") // length 0 is not recorded
		if loose && len(s.mentions) > known {
			s.mentions[known].loose = true
		}
		if c.one || loose || strings.HasSuffix(raw, ";") {
			return
		}
	}
}

// commandEnd returns the end of the command: a line feed without a backslash before it, an operator or a comment.
func commandEnd(a string, at, end int) int {
	for i := at; i < end; i++ {
		if a[i] == '\n' && a[i-1] != '\\' || strings.IndexByte("#&|;<>", a[i]) >= 0 && (a[i-1] == ' ' || a[i-1] == '\t') {
			return i
		}
	}
	return end
}

// nameLength returns the number of bytes of an argument that name the package, without version and extras; 0 for paths,
// addresses, variables and placeholders.
func nameLength(e names.Ecosystem, word string) int {
	m := targets[e].FindStringSubmatch(word)
	if m == nil || filePath.MatchString(word) || inList(placeholders, strings.ToLower(m[1])) {
		return 0
	}
	return len(m[1])
}
