# Confab: `make demo` runs the pipeline on samples, `make check` is what a change must pass.
GO        ?= go
TOOL      := $(GO) tool -modfile=tools/go.mod
VERSION   ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
GOTESTSUM := $(TOOL) gotestsum
PKG       ?= ./...
FUZZTIME  ?= 10s

.PHONY: help build container-files container release-check demo test test-short test-full examples race lint fmt pictures report-picture oauth-server ui-picture gateways api-test bench bench-versions soak cost fuzz golden image integration integration-oldest otel otel-record ledger chaos-campaign chaos-gate recovery rates budget cardinality chain mutations storm chart lab tuning quality ablation rewrite-table prompt-sources hostile vuln monitoring check module tidy

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

LDFLAGS := -s -w -X confab/internal/worker/buildinfo.version=$(VERSION)

build: ## build bin/confab, a static binary
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '$(LDFLAGS)' -o bin/confab ./cmd/worker

ARCH     ?= amd64
CA_FILE  ?= /etc/ssl/certs/ca-certificates.crt
IMAGE    ?= confab:$(VERSION)
REVISION := $(shell git rev-parse HEAD 2>/dev/null || echo unknown)

container-files: ## what the image of the worker holds, in bin/image/ARCH: binary, certificate authorities, licences
	rm -rf bin/image/$(ARCH) && mkdir -p bin/image/$(ARCH)/etc/ssl/certs bin/image/$(ARCH)/usr/local/bin bin/image/$(ARCH)/usr/share/doc/confab
	CGO_ENABLED=0 GOOS=linux GOARCH=$(ARCH) $(GO) build -trimpath -ldflags '$(LDFLAGS)' -o bin/image/$(ARCH)/usr/local/bin/confab ./cmd/worker
	cp $(CA_FILE) bin/image/$(ARCH)/etc/ssl/certs/
	cp LICENSE NOTICE bin/image/$(ARCH)/usr/share/doc/confab/

container: container-files ## the image of the worker, by the container engine: IMAGE=name:tag ARCH=amd64|arm64
	docker build --target prebuilt --build-arg TARGETARCH=$(ARCH) --build-arg VERSION=$(VERSION) --build-arg REVISION=$(REVISION) -t $(IMAGE) .

GORELEASER := github.com/goreleaser/goreleaser/v2@v2.13.0
ACTIONLINT := github.com/rhysd/actionlint/cmd/actionlint@v1.7.12

release-check: ## the configuration of releases, by its own linters; the first run builds them, five minutes
	rm -rf bin/release && git init -q bin/release && git -C bin/release remote add origin https://github.com/example/confab.git # it asks for one
	cp .goreleaser.yaml bin/release
	cd bin/release && IMAGE_REPOSITORY=registry.example.com/confab MAINTAINER='Releases <releases@example.com>' $(GO) run $(GORELEASER) check
	$(GO) run $(ACTIONLINT)

demo: build ## the whole pipeline in one process on sample interactions
	bin/confab demo --once

test: ## fast tier: needs nothing but Go
	$(GOTESTSUM) --format standard-quiet -- $(PKG)

test-short: ## what a change needs while one works on it: the fast tier without tests that take seconds
	$(GO) test -short $(PKG)

test-full: ## the fast tier with ten times the random cases and sizes
	FULL_COUNTS=1 $(GOTESTSUM) --format standard-quiet -- $(PKG)

examples: ## the examples for producers, consumers, notebooks and gateways, with Python, kcat and Maven
	REQUIRE_EXAMPLES=1 $(GO) test . ./cmd/worker -run '^(TestExample|TestModulePath)' -count=1

race: ## fast tier under the race detector (needs a C compiler)
	$(GOTESTSUM) --format standard-quiet -- -race $(PKG)

lint: ## formatting and every linter of .golangci.yml
	$(TOOL) golangci-lint run $(PKG)

fmt: ## format the code
	$(TOOL) golangci-lint fmt $(PKG)

pictures: report-picture ui-picture ## every picture of the docs: terminal, Slack message, report, page
	$(GO) test ./cmd/worker ./alerting/slack -run '^TestPicture' -update

report-picture: build ## the picture of docs/check.md, by a headless Chromium
	sed '$$d' internal/cli/demo/samples/samples.jsonl > bin/interactions.jsonl # the last one cannot be read
	cd bin && ./confab check interactions.jsonl --now 2026-11-22T12:00:00Z --report report.html --json > report.jsonl
	CONFAB_REPORT=$(CURDIR)/bin/report.html CONFAB_PICTURES=$(CURDIR)/bin $(GO) test ./internal/cli/check -run '^TestLook$$' -count=1
	cp bin/picture.png docs/check-report.png

oauth-server: ## oidc-provider, the token server of the real tier
	npm install --prefix bin/oauth --no-save --no-audit --no-fund --silent oidc-provider@8.8.1

ui-picture: ## the picture of docs/ui.md, by a headless Chromium
	CONFAB_PICTURES=$(CURDIR)/bin $(GO) test ./internal/worker/ui -run '^TestPictures$$' -count=1
	cp bin/ui-incident.png docs/ui-incident.png

gateways: ## the examples for gateways, with LiteLLM's proxy (800 MB)
	python3 -m venv bin/gateways
	bin/gateways/bin/pip install -q --disable-pip-version-check openai==2.54.0 'litellm[proxy]==1.106.2'
	REQUIRE_EXAMPLES=1 REQUIRE_LITELLM=1 CONFAB_TEST_PYTHON=$(CURDIR)/bin/gateways/bin/python $(GO) test ./cmd/worker -run '^TestExampleGateways$$' -count=1

api-test: build ## requests generated from the API's description, against confab serve
	python3 -m venv bin/schemathesis
	bin/schemathesis/bin/pip install -q --disable-pip-version-check schemathesis==4.32.5
	internal/worker/serve/api-test.sh

cost: ## CPU time of an event against its size
	$(GO) test . -count=1 -run '^TestCostIsLinear$$' -v -linear

VERSIONS ?= 15af0abd HEAD

bench-versions: ## CPU time of an event in the commits VERSIONS, in five alternating rounds; nine minutes
	@mkdir -p bin/versions && for v in $(VERSIONS); do \
	  c=$$(git rev-parse --short $$v) && rm -rf bin/versions/src && mkdir bin/versions/src && git archive $$c | tar x -C bin/versions/src && \
	  (cd bin/versions/src && CGO_ENABLED=0 $(GO) build -buildvcs=false -o ../$$c ./cmd/worker) && programs="$$programs $(CURDIR)/bin/versions/$$c" || exit 1; done; \
	rm -rf bin/versions/src; $(GO) test ./internal/worker -count=1 -run '^TestVersions$$' -v -timeout 120m -versions "$$programs" -rounds 5

soak: build ## the worker under a steady load for HOURS (1) at RATE (1500) events/s: slopes of memory, goroutines, descriptors
	$(GO) test ./internal/worker -count=1 -run '^TestSoak$$' -v -timeout 50h -soak $(or $(HOURS),1)h -soak.rate $(or $(RATE),1500)

bench: ## benchmarks with allocations; PKG=./detectors narrows them
	$(GO) test -run '^$$' -bench . -benchmem $(PKG)

fuzz: ## every fuzz target for FUZZTIME
	@$(GO) test -list '^Fuzz' $(PKG) | awk '/^Fuzz/ { t[n++] = $$1 } /^ok/ { for (i = 0; i < n; i++) print $$2, t[i]; n = 0 }' | \
	while read -r pkg target; do \
		echo "$$pkg $$target"; $(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 1s "$$pkg" || exit 1; \
	done

golden: ## rewrite golden files; read the diff before you commit
	$(GO) test $$(grep -rl --include='*_test.go' '"confab/internal/golden"' . | xargs -n 1 dirname | sort -u) -update

image: ## print the Kafka image of the real tier, building it where none can be pulled
	@integration/image.sh

integration: ## real tier: three Kafka brokers in containers; skips without an engine unless REQUIRE_DOCKER=1; make test has the ledgers
	$(GOTESTSUM) --format standard-verbose -- -tags integration -count=1 -p 1 -timeout 45m -skip '^Test(Ledger|Budget)$$' ./integration/...

OLDEST_KAFKA := 2.5.0

integration-oldest: ## the pipeline and doctor on three brokers of the oldest supported Kafka, with ZooKeeper
	image=$$(KAFKA_VERSION=$(OLDEST_KAFKA) integration/image/build.sh) && KAFKA_IMAGE=$$image OLDEST_KAFKA=$(OLDEST_KAFKA) REQUIRE_DOCKER=1 \
	  $(GO) test -tags integration ./integration -run '^TestOldestBroker$$' -count=1 -v -timeout 10m

otel: ## spans of real instrumentations through a real Collector and three brokers to flags, the compose file, a real Phoenix; the first run takes four minutes
	$(GO) test -tags integration ./integration -run '^(TestSpans|TestCollectorToServe|TestOtelCompose|TestPhoenix|TestPhoenixExport)$$' -count=1 -v -timeout 10m

ledger: ## delivery audit: 20,000 records while workers are killed; SEED=n repeats a run, docs/testing/delivery.md
	$(GO) test ./integration -run '^TestLedger$$' -count=1 -v -timeout 30m -args -ledger.seed=$(or $(SEED),0) \
		-ledger.events=20000 -ledger.kills=10 -ledger.zombies=2 $(LEDGER)

chaos-campaign: ## delivery audit on three real brokers: ROUNDS (14) of 150,000 records, an hour and more; SEED=n continues an earlier run
	REQUIRE_DOCKER=1 $(GO) test -tags integration ./integration -run '^TestChaos$$' -count=1 -v -timeout 0 -args -ledger.seed=$(or $(SEED),0) \
		-chaos.rounds=$(or $(ROUNDS),14) -chaos.state=$(CURDIR)/bin/chaos -chaos.report=$(CURDIR)/docs/testing/chaos.md

chaos-gate: ## a small round in each mode, four minutes; part of make integration
	REQUIRE_DOCKER=1 $(GO) test -tags integration ./integration -run '^TestChaosGate$$' -count=1 -v -timeout 15m -args -ledger.seed=$(or $(SEED),0)

recovery: ## seconds until a group goes on after a SIGKILL, by kind of member and protocol, real brokers; ten minutes
	$(GO) test -tags integration ./integration -run '^TestRealRecovery$$' -count=1 -v -timeout 30m -args -ledger.recovery=3

rates: ## records per second in both modes of delivery, real brokers; two minutes
	$(GO) test -tags integration ./integration -run '^TestRealThroughput$$' -count=1 -v -timeout 30m -args -ledger.rates=3 -ledger.events=40000

budget: ## 10,000 deep evaluations while workers are killed and a server counts tokens; SEED=n repeats the faults
	$(GO) test ./integration -run '^TestBudget$$' -count=1 -v -timeout 10m -args -ledger.seed=$(or $(SEED),0) \
		-budget.events=10000 -budget.kills=20 -budget.zombies=5 $(BUDGET)

chain: ## alert delivery to Slack and clicks back while the alert worker is SIGKILLed KILLS times (40); docs/testing/delivery.md
	CONFAB_CHAIN_KILLS=$(or $(KILLS),40) $(GO) test -tags integration ./integration -run '^TestChain$$' -count=1 -v -timeout 30m

cardinality: ## alert under 100,000 distinct tenants, models and services, and a restart: RSS, flags/s, delays; NAMES=n for fewer
	$(GO) test ./integration -run '^TestCardinality$$' -count=1 -v -timeout 30m -args -cardinality.names=$(or $(NAMES),100000)

storm: ## eight members join and leave a group for a minute, dynamic and static
	$(GO) test ./consumer -run '^TestRebalanceStorm$$' -count=1 -v -timeout 10m -args -storm=60s

mutations: ## inserts bugs into a copy of HEAD, one at a time, and expects a delivery test to find each
	integration/mutations/run.sh

bin/helm/helm: tools/helm/go.mod tools/helm/go.sum
	mkdir -p $(@D)
	cd tools/helm && CGO_ENABLED=0 $(GO) build -o ../../bin/helm/ tool
	touch $@

chart: bin/helm/helm ## the Helm chart: lint, render, schemas, unit tests; the first run builds the tools. UPDATE=1 rewrites helm/golden
	tools/helm/check.sh

GRAFANA_SCHEMA := 13.2.3
TYPESCRIPT     := 5.9.3

monitoring: ## alerting rules and dashboards: promtool, a real Prometheus, the types of Grafana's dashboards
	REQUIRE_PROMETHEUS=1 $(GO) test ./cmd/worker -run '^Test(Rules|Dashboards|Queries|Alertmanager)' -count=1
	npm install --prefix bin/monitoring --no-save --no-audit --no-fund --silent @grafana/schema@$(GRAFANA_SCHEMA) typescript@$(TYPESCRIPT)
	for d in helm/confab/monitoring/dashboards/*.json; do \
	  printf "import type { Dashboard } from './node_modules/@grafana/schema/dist/types/raw/dashboard/x/types.gen.d.ts';\nexport const d: Dashboard = " >bin/monitoring/$$(basename $$d .json).ts; \
	  cat $$d >>bin/monitoring/$$(basename $$d .json).ts; done
	cd bin/monitoring && node_modules/.bin/tsc --noEmit --strict --skipLibCheck --module nodenext --moduleResolution nodenext --allowImportingTsExtensions *.ts

# The labelled rows that tests and tables read: docs/tuning.md.
DATA ?= ../shared/data

lab: build ## learn the claim model of grounding and make the calibration from DATA: calibration/lab/README.md; fifteen minutes
	python3 -m venv bin/lab/python
	bin/lab/python/bin/pip install -q --disable-pip-version-check -r calibration/lab/requirements.txt
	bin/lab/python/bin/python calibration/lab/lab.py --data $(DATA) --date $$(date +%F)

# A test that fails fails the target, whatever reads its output.
tuning ablation prompt-sources: SHELL := bash
tuning ablation prompt-sources: .SHELLFLAGS := -o pipefail -c

tuning: ## the table of docs/tuning.md: what few labels are worth, 1,000 draws of each kind; five minutes
	@$(GO) test ./calibration/tune -count=1 -run '^TestFewLabelsHelp$$' -v -timeout 5h -draws 1000 | sed -n -e 's/.*go:[0-9]*: \(| .* |\)$$/\1/p' -e '/FAIL/p' -e '/Error:/,/Messages:/p'

quality: ## docs/quality.md and README's table of it: sets never learned from, then the sets near training; two minutes
	UPDATE=1 REQUIRE_DATA=1 CONFAB_DATA=$(abspath $(DATA)) $(GO) test . -run '^TestQualityPage$$' -count=1 -timeout 60m

ablation: ## what changes on training rows without each part of the judgement
	@REQUIRE_DATA=1 CONFAB_DATA=$(abspath $(DATA)) $(GO) test . -run '^TestAblation$$' -count=1 -v -timeout 120m -ablation | grep -o -e '| .* |$$' -e '^.*FAIL.*'

rewrite-table: ## the tables of docs/rewriting.md: flagged answers of DATA, rewritten
	UPDATE=1 REQUIRE_DATA=1 CONFAB_DATA=$(abspath $(DATA)) $(GO) test ./detectors/rewrite -run '^TestFigures$$' -count=1

prompt-sources: ## AUROC of the risk with the sources of RAGTruth in prompts, by shape; docs/prompt-sources.md
	@CONFAB_ALL_ROWS=1 REQUIRE_DATA=1 $(GO) test -count=1 -run '^TestSourcesInPrompts$$' -v ./internal/promptsources | grep -o -e '| .* |$$' -e '^FAIL.*'

otel-record: ## what real instrumentations export, recorded anew to examples/presets/otlp; 1 GB of Python packages, two minutes
	examples/presets/record/otlp.sh

vuln: ## known vulnerabilities in linked code; asks vuln.go.dev
	$(TOOL) govulncheck ./...

hostile: ## cost of hostile records: CPU and memory of each, throughput with them; docs/testing/hostile.md
	$(GO) test ./internal/worker -run '^TestHostileCost$$' -count=1 -v -timeout 120m -args -hostile $(HOSTILE)
	$(GO) test ./internal/worker -run '^$$' -bench '^BenchmarkHostileMix$$' -benchtime 20000x -timeout 60m -args -hostile.mix='$(or $(MIXED),wide spaces,address within sources@1)'

check: lint test integration chart ## what a change must pass; CI runs it by .ci/run, which installs what the tests need

module: ## change the path of the module: MODULE=github.com/you/confab
	tools/module.sh $(MODULE)

tidy: ## tidy the go.mod files
	$(GO) mod tidy
	cd tools && $(GO) mod tidy
	cd tools/helm && $(GO) mod tidy
	cd integration/otelcol && $(GO) mod tidy
