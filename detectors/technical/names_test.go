package technical

import (
	"testing"

	"confab/schemas"
)

var namesPrompt = schemas.Interaction{
	Messages: []schemas.Message{{Role: "user", Content: "How do I use acme_private with mycorp/tools?"}},
	Sources:  []schemas.Source{{Text: "Our package is called warehouse-sync; see github.com/acme/secret/v2."}},
}

// TestTechnicalInstalls uses an index of every ecosystem.
func TestTechnicalInstalls(t *testing.T) {
	runTechnical(t, technicalDetector(t, true), namesPrompt, []technicalCase{
		{name: "pip", answer: bashBlock("pip install requests")},
		{name: "pip with extras and version", answer: bashBlock(`pip3 install -U "Requests[socks]>=2.0,<3" numpy==1.26`)},
		{name: "another spelling", answer: bashBlock("pip install Acme_Billing internal.tools")},
		{name: "of the prompt", answer: bashBlock("pip install acme_private")},
		{name: "of a source", answer: bashBlock("pip install warehouse-sync")},
		{name: "unknown", answer: bashBlock("pip install acme-nonsense"), want: "acme-nonsense | no such package in the pypi index", above: .8},
		{name: "behind a known one", answer: bashBlock("python -m pip install --upgrade requests acme-nonsense"), want: "acme-nonsense | pypi", above: .8},
		{name: "a typo", answer: bashBlock("pip install reqeusts"), want: "reqeusts | nearest: requests", above: .9},
		{name: "a conflation", answer: bashBlock("pip install python-requests"), want: "python-requests | pypi index", above: .8},
		{name: "in a line of prose", answer: "Install it with `pip install acme-nonsense` first.", want: "acme-nonsense | pypi", above: .8},
		{name: "as a line", answer: "First:\n\n    $ pip install acme-nonsense\n\nThen go on.", want: "acme-nonsense | pypi", above: .8},
		{name: "in a list", answer: "1. pip install acme-nonsense\n2. Start it.", want: "acme-nonsense | pypi", above: .8},
		{name: "in a notebook", answer: fenced("python", "!pip install acme-nonsense"), want: "acme-nonsense | pypi", above: .8},
		{name: "in a Dockerfile", answer: fenced("dockerfile", "RUN pip install --no-cache-dir acme-nonsense && rm -rf /tmp/x"), want: "acme-nonsense | pypi", above: .8},
		{name: "over two lines", answer: bashBlock("pip install \\\n  requests \\\n  acme-nonsense"), want: "acme-nonsense | pypi", above: .8},
		{name: "uv", answer: bashBlock("uv add acme-nonsense"), want: "acme-nonsense | pypi", above: .8},
		{name: "uv pip", answer: bashBlock("uv pip install acme-nonsense"), want: "acme-nonsense | pypi", above: .8},
		{name: "uv tool", answer: bashBlock("uv tool install acme-nonsense"), want: "acme-nonsense | pypi", above: .8},
		{name: "uvx", answer: bashBlock("uvx acme-nonsense serve"), want: "acme-nonsense | pypi", above: .8},
		{name: "poetry", answer: bashBlock("poetry add --group dev acme-nonsense@^1.0"), want: "acme-nonsense | pypi", above: .8},
		{name: "no name", answer: bashBlock("pip install requests-"), want: "requests- | can have this name", above: .8},
		{name: "a file of requirements", answer: bashBlock("pip install -r requirements.txt"), want: notCheckable},
		{name: "the project itself", answer: bashBlock("pip install -e .[dev] ./plugin ../other"), want: notCheckable},
		{name: "an address", answer: bashBlock("pip install git+ssh://git@forge/x.git dist/x-1.0-py3-none-any.whl"), want: notCheckable},
		{name: "another registry", answer: bashBlock("pip install --index-url simple acme-nonsense"), want: notCheckable},
		{name: "a stand-in", answer: bashBlock("pip install <package> your-package PACKAGE $NAME {name}"), want: notCheckable},
		{name: "prose about it", answer: "`pip install` is a command.\npip install is the command that fetches packages.", want: notCheckable},
		{name: "prose in a block", answer: bashBlock("echo run pip install to start"), want: notCheckable},
		{name: "a comment behind", answer: bashBlock("pip install requests # acme-nonsense is gone")},
		{name: "an operator behind", answer: bashBlock("pip install requests && acme-nonsense --help")},
		{name: "a flag with a value", answer: bashBlock("pip install --target vendored-dir requests")},

		{name: "npm", answer: bashBlock("npm install react lodash@4.17.21 --save-dev")},
		{name: "npm of a scope", answer: bashBlock("npm i @acme/ui@latest")},
		{name: "npm unknown", answer: bashBlock("npm install react-nonsense-hooks"), want: "react-nonsense-hooks | npm index", above: .8},
		{name: "npm unknown of a scope", answer: bashBlock("npm i -D @acme/nonsense@^1.0.0"), want: "@acme/nonsense | npm index", above: .8},
		{name: "npm scope alone", answer: bashBlock("npm i @acme"), want: "@acme | can have this name", above: .8},
		{name: "npm typo", answer: bashBlock("yarn add expres"), want: "expres | nearest: express", above: .9},
		{name: "yarn global", answer: bashBlock("yarn global add acme-nonsense"), want: "acme-nonsense | npm", above: .8},
		{name: "pnpm", answer: bashBlock("pnpm add -w acme-nonsense"), want: "acme-nonsense | npm", above: .8},
		{name: "pnpm dlx", answer: bashBlock("pnpm dlx acme-nonsense react-x"), want: "acme-nonsense | npm", above: .8},
		{name: "npx", answer: bashBlock("npx --yes acme-nonsense@latest init react-x"), want: "acme-nonsense | npm", above: .8},
		{name: "npm without names", answer: bashBlock("npm install\nnpm ci\nnpm run add"), want: notCheckable},
		{name: "npm of a forge", answer: bashBlock("npm install acme/ui ./local file:../x"), want: notCheckable},
		{name: "npm of another registry", answer: bashBlock("npm install --registry local acme-nonsense"), want: notCheckable},
		{name: "Node's own", answer: bashBlock("npm install fs"), want: "fs | standard library", above: .6},
		{name: "Node's own, to install in browsers", answer: bashBlock("npm install buffer events")},
		{name: "Python's own", answer: bashBlock("pip install curses==2.2 time==1.8"), want: "curses | standard library", above: .8},
		{name: "Python's own, for old versions", answer: bashBlock("pip install dataclasses")},
		{name: "in prose", answer: "Run pip install reqeusts to start.", want: "reqeusts | nearest: requests", above: .7},
		{name: "in prose, unknown", answer: "Run pip install acme-nonsense to start.", want: "acme-nonsense | pypi", above: .4},
		{name: "in prose, known", answer: "Run pip install requests, then start."},
		{name: "in prose, no name", answer: "The pip install command and go get both work.", want: notCheckable},
		{name: "in prose, after code", answer: "In `setup` we npm install expres.", want: "expres | nearest: express", above: .7},

		{name: "go get", answer: bashBlock("go get golang.org/x/net/html@latest")},
		{name: "go install", answer: bashBlock("go install github.com/acme/billing/cmd/bill@v1.2.3")},
		{name: "go major version", answer: bashBlock("go get github.com/jackc/pgx/v5")},
		{name: "go of a source", answer: bashBlock("go get github.com/acme/secret/v2")},
		{name: "go unknown", answer: bashBlock("go get -u github.com/acme/nonsense"), want: "github.com/acme/nonsense | go index", above: .8},
		{name: "go typo", answer: bashBlock("go get github.com/stretchr/testfy"), want: "github.com/stretchr/testfy | nearest: github.com/stretchr/testify", above: .9},
		{name: "go no path", answer: bashBlock("go get requests"), want: "requests | not a module path", above: .8},
		{name: "go owner alone", answer: bashBlock("go get github.com/nobody"), want: "github.com/nobody | not a module path", above: .8},
		{name: "go no domain", answer: bashBlock("go get acme.lolcat/x"), want: "acme.lolcat/x | top-level domain", above: .7},
		{name: "go here", answer: bashBlock("go install ./...\ngo get .\ngo run main.go"), want: notCheckable},

		{name: "cargo", answer: bashBlock("cargo add serde_json tokio --features full")},
		{name: "cargo install", answer: bashBlock("cargo install --locked acme-nonsense --version 1.0"), want: "acme-nonsense | crates index", above: .8},
		{name: "cargo typo", answer: bashBlock("cargo add sedre"), want: "sedre | nearest: serde", above: .9},
		{name: "cargo of a path", answer: bashBlock("cargo add --path ../x acme-nonsense"), want: notCheckable},
		{name: "gem", answer: bashBlock("gem install nokogiri -v 1.15.0")},
		{name: "gem unknown", answer: bashBlock("sudo gem install acme-nonsense"), want: "acme-nonsense | rubygems index", above: .8},
		{name: "bundle", answer: bashBlock("bundle add nokogirri"), want: "nokogirri | nearest: nokogiri", above: .9},
		{name: "another tool", answer: bashBlock("apt install acme-nonsense\nbrew install acme-nonsense\nconda install acme-nonsense"), want: notCheckable},
	})
}

func TestTechnicalImports(t *testing.T) {
	runTechnical(t, technicalDetector(t, true), namesPrompt, []technicalCase{
		{name: "Python's own", answer: fenced("python", "import os, sys\nimport xml.etree.ElementTree as ET\nfrom collections import deque\nfrom __future__ import annotations")},
		{name: "Python known", answer: fenced("py", "import numpy as np\nfrom flask import Flask")},
		{name: "Python by another name", answer: fenced("python", "import yaml\nfrom PIL import Image\nimport cv2\nfrom sklearn.svm import SVC")},
		{name: "Python of the prompt", answer: fenced("python", "import acme_private")},
		{name: "Python unknown", answer: fenced("python", "import acme_nonsense.client"), want: "acme_nonsense | pypi index", above: .4},
		{name: "Python in a shell", answer: fenced("pycon", ">>> import acme_nonsense"), want: "acme_nonsense | pypi index", above: .4},
		{name: "Python typo", answer: fenced("python", "import requestss"), want: "requestss | nearest: requests", above: .7},
		{name: "Python second of a line", answer: fenced("python", "import os, acme_nonsense as n"), want: "acme_nonsense | pypi index", above: .4},
		{name: "Python indented", answer: fenced("python", "try:\n    import acme_nonsense\nexcept ImportError: pass"), want: "acme_nonsense | pypi index", above: .4},
		{name: "Python has no such part", answer: fenced("python", "import os.path, os.download\nimport xml.dom.minidom"), want: "os.download | standard library of Python", above: .8},
		{name: "Python has no part at all", answer: fenced("python", "from re.matcher import match"), want: "re.matcher | standard library of Python", above: .8},
		{name: "Python parts", answer: fenced("python", "import os.path, concurrent.futures as f\nfrom urllib.request import urlopen\nfrom importlib._bootstrap import x")},
		{name: "Python relative", answer: fenced("python", "from . import x\nfrom .acme_nonsense import y\nfrom ..z import w"), want: notCheckable},
		{name: "Python local", answer: fenced("python", "from utils import x\nimport my_module\nfrom app.models import User"), want: notCheckable},
		{name: "Python file of the answer", answer: "Save this as `acme_nonsense.py`.\n" + fenced("python", "import acme_nonsense"), want: notCheckable},
		{name: "Python words", answer: fenced("python", "x = 'import acme_nonsense'\nimporting = 1\nfrom_ = 2\n# from here on\nfrom now on we go"), want: notCheckable},
		{name: "no code", answer: "You import acme_nonsense and from acme_nonsense import x.", want: notCheckable},
		{name: "no language", answer: fenced("", "import acme_nonsense"), want: notCheckable},

		{name: "Node's own", answer: fenced("js", "const fs = require('fs');\nimport { readFile } from 'node:fs/promises';")},
		{name: "JavaScript known", answer: fenced("tsx", "import React from 'react';\nimport get from \"lodash/get\";\nimport { Button } from '@acme/ui/button';")},
		{name: "JavaScript unknown", answer: fenced("js", "import x from 'acme-nonsense/lib/x';"), want: "acme-nonsense | npm index", above: .8},
		{name: "JavaScript effects", answer: fenced("js", "import 'acme-nonsense';"), want: "acme-nonsense | npm index", above: .8},
		{name: "JavaScript over lines", answer: fenced("ts", "import {\n  a,\n  b,\n} from \"@acme/nonsense\";"), want: "@acme/nonsense | npm index", above: .8},
		{name: "JavaScript lazily", answer: fenced("js", "const m = await import('acme-nonsense');"), want: "acme-nonsense | npm index", above: .8},
		{name: "JavaScript required", answer: fenced("javascript", "const x = require(\"acme-nonsense\");"), want: "acme-nonsense | npm index", above: .8},
		{name: "JavaScript exported", answer: fenced("js", "export * from 'acme-nonsense';"), want: "acme-nonsense | npm index", above: .8},
		{name: "JavaScript typo", answer: fenced("js", "import l from 'lodahs'"), want: "lodahs | nearest: lodash", above: .9},
		{name: "Node has no such", answer: fenced("js", "import x from 'node:sockets';"), want: "node:sockets | Node.js has no", above: .8},
		{name: "JavaScript relative", answer: fenced("js", "import a from './a';\nimport b from '../b';\nimport c from '@/c';\nimport d from '~/d';\nimport e from '$lib/e';\nimport f from '/f.js'"), want: notCheckable},
		{name: "JavaScript aliases", answer: fenced("ts", "import a from 'components/A';\nimport b from 'src/b';\nimport c from 'virtual:pwa';\nimport d from 'npm:chalk';"), want: notCheckable},
		{name: "JavaScript words", answer: fenced("js", "// import x from 'acme-nonsense'\nArray.from('acme-nonsense');\nconst s = transform('x');")},

		{name: "Go's own", answer: fenced("go", "package main\n\nimport (\n\t\"fmt\"\n\t\"net/http\"\n\t_ \"embed\"\n)\n\nvar x = \"acme.lolcat/x\"")},
		{name: "Go known", answer: fenced("go", "import \"golang.org/x/net/html\"\nimport pgx \"github.com/jackc/pgx/v5\"")},
		{name: "Go popular", answer: fenced("go", "import \"github.com/spf13/cobra\"\n")},
		{name: "Go unknown", answer: fenced("go", "import (\n\t\"fmt\"\n\tn \"github.com/acme/nonsense/pkg/x\"\n)"), want: "github.com/acme/nonsense/pkg/x | go index", above: .8},
		{name: "Go has no such", answer: fenced("golang", "import \"encoding/yaml\""), want: "encoding/yaml | standard library of Go", above: .8},
		{name: "Go odd", answer: fenced("go", "import \"websocket\""), want: "websocket | neither", above: .3},
		{name: "Go owner alone", answer: fenced("go", "import \"github.com/nobody\""), want: "github.com/nobody | not a module path", above: .8},
		{name: "Go no domain", answer: fenced("go", "import \"acme.lolcat/x\""), want: "acme.lolcat/x | top-level domain", above: .7},
		{name: "Go local", answer: fenced("go", "import (\n\t\"acme/internal/db\"\n\t\"myapp/handlers\"\n\t\"./x\"\n\t\"example.com/shop/cart\"\n)"), want: notCheckable},
		{name: "Go words", answer: fenced("go", "// import \"github.com/acme/nonsense\"\nfmt.Println(\"github.com/acme/nonsense\")\nimported := \"x.y/z\""), want: notCheckable},

		{name: "Rust's own", answer: fenced("rust", "use std::collections::HashMap;\nuse core::fmt::Display;\nuse std::{io, fs};\nuse std::fmt;")},
		{name: "Rust known", answer: fenced("rs", "use serde::{Deserialize, Serialize};\npub use tokio::spawn;\nextern crate acme_core;\nuse ::rand::Rng;")},
		{name: "Rust unknown", answer: fenced("rust", "use acme_nonsense::Client;"), want: "acme_nonsense | crates index", above: .4},
		{name: "Rust typo", answer: fenced("rust", "use serd_json::Value;"), want: "serd_json | nearest: serde-json", above: .7},
		{name: "Rust has no such", answer: fenced("rust", "use std::websocket::Client;"), want: "websocket | standard library of Rust", above: .8},
		{name: "Rust local", answer: fenced("rust", "mod shapes;\nuse shapes::Circle;\nuse crate::x::Y;\nuse super::*;\nuse self::z;\nuse Direction::*;"), want: notCheckable},
		{name: "Rust words", answer: fenced("rust", "// use acme_nonsense::Client;\nlet s = \"use acme_nonsense::x\";\nused::x();"), want: notCheckable},

		{name: "installed and imported", answer: bashBlock("pip install acme-nonsense") + fenced("python", "import acme_nonsense"), want: "acme-nonsense | pypi", above: .8},
		{name: "block not closed", answer: "```python\nimport acme_nonsense", want: "acme_nonsense | pypi index", above: .4},
		{name: "two blocks", answer: fenced("python", "import os") + "\n" + fenced("js", "import 'acme-nonsense'"), want: "acme-nonsense | npm", above: .8},
	})
}

// TestTechnicalWithoutIndex compares with popular names only.
func TestTechnicalWithoutIndex(t *testing.T) {
	runTechnical(t, technicalDetector(t, false), schemas.Interaction{}, []technicalCase{
		{name: "popular", answer: bashBlock("pip install requests\nnpm i express\ncargo add serde\ngem install rails\ngo get github.com/gin-gonic/gin")},
		{name: "popular with a version in its path", answer: bashBlock("go get github.com/labstack/echo/v4/middleware")},
		{name: "typo", answer: bashBlock("pip install reqeusts"), want: "reqeusts | not the well-known package requests", above: .6},
		{name: "typo of a short name", answer: bashBlock("pip install nunpy"), want: "nunpy | numpy", above: .5},
		{name: "two edits", answer: bashBlock("pip install beautifulsop44"), want: notCheckable},
		{name: "the name of the module", answer: bashBlock("pip install cv2"), want: "cv2 | the package is called opencv-python", above: .6},
		{name: "the name of the project", answer: bashBlock("pip install pytorch sklearn"), want: "pytorch | the package is called torch", above: .8},
		{name: "a squatted name", answer: bashBlock("pip install huggingface-cli"), want: "huggingface-cli | huggingface-hub", above: .6},
		{name: "an invented name", answer: "pip install nonexistent-pkg", want: "nonexistent-pkg | placeholder", above: .6},
		{name: "typo of an import", answer: fenced("python", "import pandsa as pd"), want: "pandsa | pandas", above: .6},
		{name: "typo of a module", answer: fenced("js", "import x from 'expresss'"), want: "expresss | express", above: .45}, //nolint:misspell // the point
		{name: "no standard module", answer: fenced("go", "import \"net/websocket\""), want: "net/websocket | standard library", above: .8},
		{name: "unheard of", answer: bashBlock("pip install acme-billing-sdk\nnpm i acme-ui\ngo get github.com/acme/billing\ncargo add acme"), want: notCheckable},
		{name: "unheard of import", answer: fenced("python", "import acme_billing") + fenced("js", "import x from 'acme-ui'") + fenced("rust", "use acme::X;"), want: notCheckable},
		{name: "affixes of modules", answer: fenced("python", "import pyrequests") + fenced("rust", "use serde_rs::X;"), want: notCheckable},
		{name: "versions in names", answer: bashBlock("pip install jinja3 pydantic1"), want: notCheckable},
		{name: "one known, one not", answer: bashBlock("pip install requests acme-billing-sdk")},
	})
}
