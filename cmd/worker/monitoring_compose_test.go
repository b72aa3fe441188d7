package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

type composeService struct {
	Image       string
	Build       any
	Environment map[string]string
	Volumes     []string
	Ports       []string
	Command     []string
	DependsOn   any `yaml:"depends_on"`
}

func readYAML(t *testing.T, file string, into any) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(text, into), file)
}

// TestMonitoringCompose: what examples/monitoring/compose.yaml mounts exists, Prometheus scrapes services that listen and
// reads the rules, and Grafana finds its data source and the dashboards. Neither is started.
func TestMonitoringCompose(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	const examples = "../../examples"
	files := []string{filepath.Join(examples, "compose.yaml"), filepath.Join(examples, "monitoring", "compose.yaml")}
	services := map[string]composeService{}
	for _, file := range files {
		var compose struct{ Services map[string]composeService }
		readYAML(t, file, &compose)
		for name, s := range compose.Services {
			if old, ok := services[name]; ok { // the second file adds to it
				old.Environment["CONFAB_ADMIN_LISTEN"] = s.Environment["CONFAB_ADMIN_LISTEN"]
				continue
			}
			services[name] = s
		}
	}
	mounts := map[string]string{} // files here by their paths in a container
	for _, name := range []string{"prometheus", "grafana"} {
		s := services[name]
		require.Regexp(t, `^\$\{[A-Z]+_IMAGE:-[a-z/]+:v?[0-9]+\.[0-9]+\.[0-9]+\}$`, s.Image, "one version")
		for _, port := range s.Ports {
			require.True(t, strings.HasPrefix(port, "127.0.0.1:"), "%s is for this machine: %s", name, port)
		}
		for _, volume := range s.Volumes {
			parts := strings.Split(volume, ":")
			require.Len(t, parts, 3, volume)
			require.Equal(t, "ro", parts[2])
			here := filepath.Join(examples, parts[0])
			_, err := os.Stat(here)
			require.NoError(t, err)
			mounts[parts[1]] = here
		}
	}
	require.Contains(t, services["prometheus"].Command, "--config.file=/etc/prometheus/prometheus.yml")
	checkGrafana(t, mounts)
	if command := "docker-compose"; exec.CommandContext(t.Context(), command, "version").Run() == nil {
		out, err := exec.CommandContext(t.Context(), command, "-f", files[0], "-f", files[1], "config", "--quiet").CombinedOutput()
		require.NoError(t, err, string(out))
	}
	checkScrapes(t, mounts, services)
}

func checkScrapes(t *testing.T, mounts map[string]string, services map[string]composeService) {
	t.Helper()
	file := mounts["/etc/prometheus/prometheus.yml"]
	var config struct {
		RuleFiles     []string `yaml:"rule_files"`
		ScrapeConfigs []struct {
			StaticConfigs []struct{ Targets []string } `yaml:"static_configs"`
		} `yaml:"scrape_configs"`
	}
	readYAML(t, file, &config)
	var targets []string
	for _, target := range config.ScrapeConfigs[0].StaticConfigs[0].Targets {
		service, port, _ := strings.Cut(target, ":")
		require.Equal(t, "0.0.0.0:"+port, services[service].Environment["CONFAB_ADMIN_LISTEN"], target)
		targets = append(targets, service)
	}
	slices.Sort(targets)
	require.Equal(t, []string{"alerts", "worker"}, targets, "the services that run roles")
	require.Len(t, config.RuleFiles, 1)
	rules := mounts[config.RuleFiles[0]]
	require.Equal(t, filepath.Clean(monitoringDir), filepath.Dir(rules))

	tool := prometheusTool(t, "promtool")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	absolute, err := filepath.Abs(rules)
	require.NoError(t, err)
	local := filepath.Join(t.TempDir(), "prometheus.yml")
	require.NoError(t, os.WriteFile(local, []byte(strings.ReplaceAll(string(text), config.RuleFiles[0], absolute)), 0o600))
	out, err := exec.CommandContext(t.Context(), tool, "check", "config", local).CombinedOutput()
	require.NoError(t, err, string(out))
}

func checkGrafana(t *testing.T, mounts map[string]string) {
	t.Helper()
	const provisioning = "/etc/grafana/provisioning/"
	var sources struct {
		APIVersion  int `yaml:"apiVersion"`
		Datasources []struct {
			Type, URL string
			IsDefault bool `yaml:"isDefault"`
		}
	}
	readYAML(t, filepath.Join(mounts[provisioning+"datasources"], "prometheus.yaml"), &sources)
	require.Equal(t, 1, sources.APIVersion)
	require.Len(t, sources.Datasources, 1)
	require.Equal(t, "http://prometheus:9090", sources.Datasources[0].URL)
	require.True(t, sources.Datasources[0].IsDefault, "dashboards choose the default one")
	var dashboards struct {
		APIVersion int `yaml:"apiVersion"`
		Providers  []struct {
			Type    string
			Options struct{ Path string }
		}
	}
	readYAML(t, filepath.Join(mounts[provisioning+"dashboards"], "confab.yaml"), &dashboards)
	require.Equal(t, 1, dashboards.APIVersion)
	require.Equal(t, "file", dashboards.Providers[0].Type)
	folder := mounts[dashboards.Providers[0].Options.Path]
	found, err := filepath.Glob(filepath.Join(folder, "*.json"))
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(found), 3)
	for _, file := range found {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Contains(t, string(text), `"query": "`+sources.Datasources[0].Type+`"`, "the variable of the data source")
	}
}
