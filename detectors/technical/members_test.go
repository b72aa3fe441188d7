package technical

import (
	"strings"
	"testing"

	"confab/schemas"
)

// TestTechnicalMembers uses the embedded lists of members.
func TestTechnicalMembers(t *testing.T) {
	py := func(lines ...string) string { return fenced("python", strings.Join(lines, "\n")) }
	js := func(lines ...string) string { return fenced("js", strings.Join(lines, "\n")) }
	runTechnical(t, technicalDetector(t, false), schemas.Interaction{Messages: []schemas.Message{{Role: "user", Content: "Our pandas fork has read_ledger."}}}, []technicalCase{
		{name: "known", answer: py("import pandas as pd", "df = pd.read_csv('a.csv')", "print(df.shape)")},
		{name: "unknown", answer: py("import pandas as pd", "df = pd.load_spreadsheet_magic('a.xlsx')"), want: "pd.load_spreadsheet_magic | pandas has no load_spreadsheet_magic", above: .59},
		{name: "near", answer: py("import pandas as pd", "df = pd.read_exel('a.xlsx')"), want: "pd.read_exel | nearest: read_excel", above: .69},
		{name: "of the prompt", answer: py("import pandas as pd", "df = pd.read_ledger('a')")},
		{name: "from", answer: py("from json import parse, dumps as d"), want: "parse | json has no parse", above: .59},
		{name: "from, known", answer: py("from json import (loads, dumps)", "from os.path import join")},
		{name: "standard library", answer: py("import json", "x = json.parse(text)"), want: "json.parse | json has no parse", above: .59},
		{name: "shadowed", answer: py("import json", "json = load()", "x = json.parse(text)"), want: ""},
		{name: "in a comment", answer: py("import json", "# json.parse is JavaScript", "x = json.loads(text)")},
		{name: "in a string", answer: py("import json", "open('json.parse')")},
		{name: "private", answer: py("import json", "print(json.__version__)"), want: ""},
		{name: "another block", answer: py("import requests") + "\nThen:\n" + py("r = requests.fetch_json(url)"), want: "requests.fetch_json | requests has no", above: .59},
		{name: "part", answer: py("import boto3.uploader"), want: "boto3.uploader | boto3 has no uploader", above: .59},
		{name: "known part", answer: py("import boto3.session", "from azure.storage.blob import BlobServiceClient", "from google.cloud import storage"), want: ""},
		{name: "unknown part", answer: py("from azure.s3 import Client"), want: "azure.s3 | azure has no s3", above: .59},
		{name: "attribute of a value", answer: py("import numpy as np", "x = np.zeros(3)", "x.frobnicate()")},

		{name: "Node known", answer: js("const fs = require('fs');", "fs.readFileSync('a'); JSON.parse('{}'); Math.max(1, 2);")},
		{name: "Node unknown", answer: js("const fs = require('fs');", "fs.readFileNow('a');"), want: "fs.readFileNow | fs has no readFileNow", above: .59},
		{name: "Node part", answer: js("import x from 'fs/magic';"), want: "fs/magic | Node.js has no such module", above: .79},
		{name: "Node part, known", answer: js("import { readFile } from 'fs/promises';", "import { join } from 'node:path';")},
		{name: "destructured", answer: js("const { readFile, slurp } = require('fs');"), want: "slurp | fs has no slurp", above: .59},
		{name: "global", answer: js("const x = JSON.prase(text);"), want: "JSON.prase | nearest: parse", above: .69},
		{name: "React", answer: js("import React, { useState, useMagic as m } from 'react';"), want: "useMagic | react has no useMagic", above: .59},

		{name: "Go known", answer: fenced("go", "import (\n\t\"strings\"\n)\n\nfunc f() bool { return strings.Contains(a, b) }")},
		{name: "Go unknown", answer: fenced("go", "import \"strings\"\n\nvar ok = strings.ContainsFold(a, b)"), want: "strings.ContainsFold | strings has no ContainsFold", above: .59},
		{name: "Go alias", answer: fenced("go", "import str \"strings\"\n\nvar ok = str.Titel(a)"), want: "str.Titel | nearest: Title", above: .69},
		{name: "Go variable", answer: fenced("go", "import \"net/url\"\n\nfunc f(url *Address) string { return url.Nonsense }"), want: ""},
	})
}

const listedDocs = "Endpoints: GET /v2/users, POST /v2/users, GET /v2/users/{id}, DELETE /v2/users/{id}. " +
	"The client has `client.list_users(limit)`, `client.create_user(name)`, `client.delete_user(id)` and `client.close()`."

// What the context lists is the whole of it: endpoints, and functions of one object.
func TestTechnicalListedNames(t *testing.T) {
	in := schemas.Interaction{Sources: []schemas.Source{{ID: "1", Text: listedDocs}}}
	runTechnical(t, technicalDetector(t, false), in, []technicalCase{
		{name: "listed endpoint", answer: "Call GET /v2/users first."},
		{name: "with a value", answer: "Call `GET /v2/users/42`, then `DELETE /v2/users/:id`."},
		{name: "with an id", answer: "Call `GET /v2/users/usr_42`."},
		{name: "verb for an id", answer: "Call `GET /v2/users/list_all`.", want: "GET /v2/users/list_all | lists other endpoints", above: .59},
		{name: "with a base path", answer: "Call `GET /api/v2/users?limit=3`."},
		{name: "not listed", answer: "Call `GET /v3/users/list_all`.", want: "GET /v3/users/list_all | lists other endpoints", above: .59},
		{name: "another method", answer: "Call `PATCH /v2/users/7`.", want: "PATCH /v2/users/7 | the context has", above: .49},
		{name: "listed function", answer: "Use `client.list_users(10)` and `client.close()`."},
		{name: "function not listed", answer: "Use `client.export_everything()`.", want: "client.export_everything | describes other functions", above: .49},
		{name: "near", answer: "Use `client.list_user()`.", want: "client.list_user | the context has list_users", above: .59},
		{name: "of another object", answer: "Use `json.dumps(x)` on `client.list_users(3)`."},
		{name: "defined here", answer: fenced("python", "def show_all():\n    pass\n\nclient.show_all()\nclient.list_users(1)")},
	})
	runTechnical(t, technicalDetector(t, false), schemas.Interaction{Sources: []schemas.Source{{ID: "1", Text: "The service has users."}}}, []technicalCase{
		{name: "no list", answer: "Call `GET /v3/users/list_all` or `client.export_everything()`.", want: notCheckable},
		{name: "invented host", answer: "Send it to https://fake-endpoint.com/v999/data.", want: "https://fake-endpoint.com/v999/data | placeholder", above: .59},
	})
}
