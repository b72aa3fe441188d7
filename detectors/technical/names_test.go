package technical

import (
	"testing"

	"confab/schemas"
)

var namesPrompt = schemas.Interaction{
	Messages: []schemas.Message{{Role: "user", Content: "How do I use acme_private with mycorp/tools?"}},
	Sources:  []schemas.Source{{Text: "Our package is called warehouse-sync; see github.com/acme/secret/v2."}},
}

// TestTechnicalInstalls knows an index of every ecosystem.
func TestTechnicalInstalls(t *testing.T) {
	runTechnical(t, technicalDetector(t, true), namesPrompt, []technicalCase{
		{name: "pip", answer: bash("pip install requests")},
		{name: "pip with extras and version", answer: bash(`pip3 install -U "Requests[socks]>=2.0,<3" numpy==1.26`)},
		{name: "another spelling", answer: bash("pip install Acme_Billing internal.tools")},
		{name: "of the prompt", answer: bash("pip install acme_private")},
		{name: "of a source", answer: bash("pip install warehouse-sync")},
		{name: "unknown", answer: bash("pip install acme-nonsense"), want: "acme-nonsense | no such package in the pypi index", above: .8},
		{name: "behind a known one", answer: bash("python -m pip install --upgrade requests acme-nonsense"), want: "acme-nonsense | pypi", above: .8},
		{name: "a typo", answer: bash("pip install reqeusts"), want: "reqeusts | nearest: requests", above: .9},
		{name: "a conflation", answer: bash("pip install python-requests"), want: "python-requests | nearest: requests", above: .8},
		{name: "in a line of prose", answer: "Install it with `pip install acme-nonsense` first.", want: "acme-nonsense | pypi", above: .8},
		{name: "as a line", answer: "First:\n\n    $ pip install acme-nonsense\n\nThen go on.", want: "acme-nonsense | pypi", above: .8},
		{name: "in a list", answer: "1. pip install acme-nonsense\n2. Start it.", want: "acme-nonsense | pypi", above: .8},
		{name: "in a notebook", answer: code("python", "!pip install acme-nonsense"), want: "acme-nonsense | pypi", above: .8},
		{name: "in a Dockerfile", answer: code("dockerfile", "RUN pip install --no-cache-dir acme-nonsense && rm -rf /tmp/x"), want: "acme-nonsense | pypi", above: .8},
		{name: "over two lines", answer: bash("pip install \\\n  requests \\\n  acme-nonsense"), want: "acme-nonsense | pypi", above: .8},
		{name: "uv", answer: bash("uv add acme-nonsense"), want: "acme-nonsense | pypi", above: .8},
		{name: "uv pip", answer: bash("uv pip install acme-nonsense"), want: "acme-nonsense | pypi", above: .8},
		{name: "uv tool", answer: bash("uv tool install acme-nonsense"), want: "acme-nonsense | pypi", above: .8},
		{name: "uvx", answer: bash("uvx acme-nonsense serve"), want: "acme-nonsense | pypi", above: .8},
		{name: "poetry", answer: bash("poetry add --group dev acme-nonsense@^1.0"), want: "acme-nonsense | pypi", above: .8},
		{name: "no name", answer: bash("pip install requests-"), want: "requests- | can have this name", above: .8},
		{name: "a file of requirements", answer: bash("pip install -r requirements.txt"), want: unknown},
		{name: "the project itself", answer: bash("pip install -e .[dev] ./plugin ../other"), want: unknown},
		{name: "an address", answer: bash("pip install git+ssh://git@forge/x.git dist/x-1.0-py3-none-any.whl"), want: unknown},
		{name: "another registry", answer: bash("pip install --index-url simple acme-nonsense"), want: unknown},
		{name: "a stand-in", answer: bash("pip install <package> your-package PACKAGE $NAME {name}"), want: unknown},
		{name: "prose about it", answer: "`pip install` is a command.\npip install is the command that fetches packages.", want: unknown},
		{name: "prose in a block", answer: bash("echo run pip install to start"), want: unknown},
		{name: "a comment behind", answer: bash("pip install requests # acme-nonsense is gone")},
		{name: "an operator behind", answer: bash("pip install requests && acme-nonsense --help")},
		{name: "a flag with a value", answer: bash("pip install --target vendored-dir requests")},

		{name: "npm", answer: bash("npm install react lodash@4.17.21 --save-dev")},
		{name: "npm of a scope", answer: bash("npm i @acme/ui@latest")},
		{name: "npm unknown", answer: bash("npm install react-nonsense-hooks"), want: "react-nonsense-hooks | npm index", above: .8},
		{name: "npm unknown of a scope", answer: bash("npm i -D @acme/nonsense@^1.0.0"), want: "@acme/nonsense | npm index", above: .8},
		{name: "npm scope alone", answer: bash("npm i @acme"), want: "@acme | can have this name", above: .8},
		{name: "npm typo", answer: bash("yarn add expres"), want: "expres | nearest: express", above: .9},
		{name: "yarn global", answer: bash("yarn global add acme-nonsense"), want: "acme-nonsense | npm", above: .8},
		{name: "pnpm", answer: bash("pnpm add -w acme-nonsense"), want: "acme-nonsense | npm", above: .8},
		{name: "pnpm dlx", answer: bash("pnpm dlx acme-nonsense react-x"), want: "acme-nonsense | npm", above: .8},
		{name: "npx", answer: bash("npx --yes acme-nonsense@latest init react-x"), want: "acme-nonsense | npm", above: .8},
		{name: "npm without names", answer: bash("npm install\nnpm ci\nnpm run add"), want: unknown},
		{name: "npm of a forge", answer: bash("npm install acme/ui ./local file:../x"), want: unknown},
		{name: "npm of another registry", answer: bash("npm install --registry local acme-nonsense"), want: unknown},
		{name: "Node's own", answer: bash("npm install fs")},

		{name: "go get", answer: bash("go get golang.org/x/net/html@latest")},
		{name: "go install", answer: bash("go install github.com/acme/billing/cmd/bill@v1.2.3")},
		{name: "go major version", answer: bash("go get github.com/jackc/pgx/v5")},
		{name: "go of a source", answer: bash("go get github.com/acme/secret/v2")},
		{name: "go unknown", answer: bash("go get -u github.com/acme/nonsense"), want: "github.com/acme/nonsense | go index", above: .8},
		{name: "go typo", answer: bash("go get github.com/stretchr/testfy"), want: "github.com/stretchr/testfy | nearest: github.com/stretchr/testify", above: .9},
		{name: "go no path", answer: bash("go get requests"), want: "requests | no module path", above: .8},
		{name: "go owner alone", answer: bash("go get github.com/nobody"), want: "github.com/nobody | no module path", above: .8},
		{name: "go no domain", answer: bash("go get acme.lolcat/x"), want: "acme.lolcat/x | top-level domain", above: .7},
		{name: "go here", answer: bash("go install ./...\ngo get .\ngo run main.go"), want: unknown},

		{name: "cargo", answer: bash("cargo add serde_json tokio --features full")},
		{name: "cargo install", answer: bash("cargo install --locked acme-nonsense --version 1.0"), want: "acme-nonsense | crates index", above: .8},
		{name: "cargo typo", answer: bash("cargo add sedre"), want: "sedre | nearest: serde", above: .9},
		{name: "cargo of a path", answer: bash("cargo add --path ../x acme-nonsense"), want: unknown},
		{name: "gem", answer: bash("gem install nokogiri -v 1.15.0")},
		{name: "gem unknown", answer: bash("sudo gem install acme-nonsense"), want: "acme-nonsense | rubygems index", above: .8},
		{name: "bundle", answer: bash("bundle add nokogirri"), want: "nokogirri | nearest: nokogiri", above: .9},
		{name: "another tool", answer: bash("apt install acme-nonsense\nbrew install acme-nonsense\nconda install acme-nonsense"), want: unknown},
	})
}

func TestTechnicalImports(t *testing.T) {
	runTechnical(t, technicalDetector(t, true), namesPrompt, []technicalCase{
		{name: "Python's own", answer: code("python", "import os, sys\nimport xml.etree.ElementTree as ET\nfrom collections import deque\nfrom __future__ import annotations")},
		{name: "Python known", answer: code("py", "import numpy as np\nfrom flask import Flask")},
		{name: "Python by another name", answer: code("python", "import yaml\nfrom PIL import Image\nimport cv2\nfrom sklearn.svm import SVC")},
		{name: "Python of the prompt", answer: code("python", "import acme_private")},
		{name: "Python unknown", answer: code("python", "import acme_nonsense.client"), want: "acme_nonsense | pypi index", above: .4},
		{name: "Python in a shell", answer: code("pycon", ">>> import acme_nonsense"), want: "acme_nonsense | pypi index", above: .4},
		{name: "Python typo", answer: code("python", "import requestss"), want: "requestss | nearest: requests", above: .7},
		{name: "Python second of a line", answer: code("python", "import os, acme_nonsense as n"), want: "acme_nonsense | pypi index", above: .4},
		{name: "Python indented", answer: code("python", "try:\n    import acme_nonsense\nexcept ImportError: pass"), want: "acme_nonsense | pypi index", above: .4},
		{name: "Python has no such part", answer: code("python", "import os.path, os.download\nimport xml.dom.minidom"), want: "os.download | standard library of Python", above: .8},
		{name: "Python has no part at all", answer: code("python", "from re.matcher import match"), want: "re.matcher | standard library of Python", above: .8},
		{name: "Python parts", answer: code("python", "import os.path, concurrent.futures as f\nfrom urllib.request import urlopen\nfrom importlib._bootstrap import x")},
		{name: "Python relative", answer: code("python", "from . import x\nfrom .acme_nonsense import y\nfrom ..z import w"), want: unknown},
		{name: "Python local", answer: code("python", "from utils import x\nimport my_module\nfrom app.models import User"), want: unknown},
		{name: "Python file of the answer", answer: "Save this as `acme_nonsense.py`.\n" + code("python", "import acme_nonsense"), want: unknown},
		{name: "Python words", answer: code("python", "x = 'import acme_nonsense'\nimporting = 1\nfrom_ = 2\n# from here on\nfrom now on we go"), want: unknown},
		{name: "no code", answer: "You import acme_nonsense and from acme_nonsense import x.", want: unknown},
		{name: "no language", answer: code("", "import acme_nonsense"), want: unknown},

		{name: "Node's own", answer: code("js", "const fs = require('fs');\nimport { readFile } from 'node:fs/promises';")},
		{name: "JavaScript known", answer: code("tsx", "import React from 'react';\nimport get from \"lodash/get\";\nimport { Button } from '@acme/ui/button';")},
		{name: "JavaScript unknown", answer: code("js", "import x from 'acme-nonsense/lib/x';"), want: "acme-nonsense | npm index", above: .8},
		{name: "JavaScript effects", answer: code("js", "import 'acme-nonsense';"), want: "acme-nonsense | npm index", above: .8},
		{name: "JavaScript over lines", answer: code("ts", "import {\n  a,\n  b,\n} from \"@acme/nonsense\";"), want: "@acme/nonsense | npm index", above: .8},
		{name: "JavaScript lazily", answer: code("js", "const m = await import('acme-nonsense');"), want: "acme-nonsense | npm index", above: .8},
		{name: "JavaScript required", answer: code("javascript", "const x = require(\"acme-nonsense\");"), want: "acme-nonsense | npm index", above: .8},
		{name: "JavaScript exported", answer: code("js", "export * from 'acme-nonsense';"), want: "acme-nonsense | npm index", above: .8},
		{name: "JavaScript typo", answer: code("js", "import l from 'lodahs'"), want: "lodahs | nearest: lodash", above: .9},
		{name: "Node has no such", answer: code("js", "import x from 'node:sockets';"), want: "node:sockets | Node.js has no", above: .8},
		{name: "JavaScript relative", answer: code("js", "import a from './a';\nimport b from '../b';\nimport c from '@/c';\nimport d from '~/d';\nimport e from '$lib/e';\nimport f from '/f.js'"), want: unknown},
		{name: "JavaScript aliases", answer: code("ts", "import a from 'components/A';\nimport b from 'src/b';\nimport c from 'virtual:pwa';\nimport d from 'npm:chalk';"), want: unknown},
		{name: "JavaScript words", answer: code("js", "// import x from 'acme-nonsense'\nArray.from('acme-nonsense');\nconst s = transform('x');"), want: unknown},

		{name: "Go's own", answer: code("go", "package main\n\nimport (\n\t\"fmt\"\n\t\"net/http\"\n\t_ \"embed\"\n)\n\nvar x = \"acme.lolcat/x\"")},
		{name: "Go known", answer: code("go", "import \"golang.org/x/net/html\"\nimport pgx \"github.com/jackc/pgx/v5\"")},
		{name: "Go popular", answer: code("go", "import \"github.com/spf13/cobra\"\n")},
		{name: "Go unknown", answer: code("go", "import (\n\t\"fmt\"\n\tn \"github.com/acme/nonsense/pkg/x\"\n)"), want: "github.com/acme/nonsense/pkg/x | go index", above: .8},
		{name: "Go has no such", answer: code("golang", "import \"encoding/yaml\""), want: "encoding/yaml | standard library of Go", above: .8},
		{name: "Go odd", answer: code("go", "import \"websocket\""), want: "websocket | neither", above: .3},
		{name: "Go owner alone", answer: code("go", "import \"github.com/nobody\""), want: "github.com/nobody | no module path", above: .8},
		{name: "Go no domain", answer: code("go", "import \"acme.lolcat/x\""), want: "acme.lolcat/x | top-level domain", above: .7},
		{name: "Go local", answer: code("go", "import (\n\t\"acme/internal/db\"\n\t\"myapp/handlers\"\n\t\"./x\"\n\t\"example.com/shop/cart\"\n)"), want: unknown},
		{name: "Go words", answer: code("go", "// import \"github.com/acme/nonsense\"\nfmt.Println(\"github.com/acme/nonsense\")\nimported := \"x.y/z\""), want: unknown},

		{name: "Rust's own", answer: code("rust", "use std::collections::HashMap;\nuse core::fmt::Display;\nuse std::{io, fs};\nuse std::fmt;")},
		{name: "Rust known", answer: code("rs", "use serde::{Deserialize, Serialize};\npub use tokio::spawn;\nextern crate acme_core;\nuse ::rand::Rng;")},
		{name: "Rust unknown", answer: code("rust", "use acme_nonsense::Client;"), want: "acme_nonsense | crates index", above: .4},
		{name: "Rust typo", answer: code("rust", "use serd_json::Value;"), want: "serd_json | nearest: serde-json", above: .7},
		{name: "Rust has no such", answer: code("rust", "use std::websocket::Client;"), want: "websocket | standard library of Rust", above: .8},
		{name: "Rust local", answer: code("rust", "mod shapes;\nuse shapes::Circle;\nuse crate::x::Y;\nuse super::*;\nuse self::z;\nuse Direction::*;"), want: unknown},
		{name: "Rust words", answer: code("rust", "// use acme_nonsense::Client;\nlet s = \"use acme_nonsense::x\";\nused::x();"), want: unknown},

		{name: "installed and imported", answer: bash("pip install acme-nonsense") + code("python", "import acme_nonsense"), want: "acme-nonsense | pypi", above: .8},
		{name: "block not closed", answer: "```python\nimport acme_nonsense", want: "acme_nonsense | pypi index", above: .4},
		{name: "two blocks", answer: code("python", "import os") + "\n" + code("js", "import 'acme-nonsense'"), want: "acme-nonsense | npm", above: .8},
	})
}

// TestTechnicalWithoutIndex: likeness to popular names is all that there is.
func TestTechnicalWithoutIndex(t *testing.T) {
	runTechnical(t, technicalDetector(t, false), schemas.Interaction{}, []technicalCase{
		{name: "popular", answer: bash("pip install requests\nnpm i express\ncargo add serde\ngem install rails\ngo get github.com/gin-gonic/gin")},
		{name: "popular with a version in its path", answer: bash("go get github.com/labstack/echo/v4/middleware")},
		{name: "typo", answer: bash("pip install reqeusts"), want: "reqeusts | not the well-known package requests", above: .6},
		{name: "typo of a short name", answer: bash("pip install nunpy"), want: "nunpy | numpy", above: .5},
		{name: "two edits", answer: bash("pip install beautifulsop44"), want: "beautifulsop44 | beautifulsoup4", above: .3},
		{name: "conflation", answer: bash("pip install python-requests"), want: "python-requests | requests", above: .35},
		{name: "the name of the module", answer: bash("pip install cv2"), want: "cv2 | the package of this module is opencv-python", above: .35},
		{name: "typo of an import", answer: code("python", "import pandsa as pd"), want: "pandsa | pandas", above: .6},
		{name: "typo of a module", answer: code("js", "import x from 'expresss'"), want: "expresss | express", above: .45}, //nolint:misspell // the point
		{name: "no standard module", answer: code("go", "import \"net/websocket\""), want: "net/websocket | standard library", above: .8},
		{name: "unheard of", answer: bash("pip install acme-billing-sdk\nnpm i acme-ui\ngo get github.com/acme/billing\ncargo add acme"), want: unknown},
		{name: "unheard of import", answer: code("python", "import acme_billing") + code("js", "import x from 'acme-ui'") + code("rust", "use acme::X;"), want: unknown},
		{name: "affixes of modules", answer: code("python", "import pyrequests") + code("rust", "use serde_rs::X;"), want: unknown},
		{name: "versions in names", answer: bash("pip install jinja3 pydantic1"), want: unknown},
		{name: "one known, one not", answer: bash("pip install requests acme-billing-sdk")},
	})
}
