package config

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"confab/internal/strictyaml"
)

// chartObject holds the fields of a rendered Kubernetes object that the tests read.
type chartObject struct {
	Kind     string
	Metadata struct{ Name string }
	Data     map[string]string
	Spec     struct {
		Template struct {
			Spec chartPod
		}
	}
}

type chartPod struct {
	TerminationGracePeriodSeconds int `yaml:"terminationGracePeriodSeconds"`
	Containers                    []struct {
		Args  []string
		Env   []struct{ Name, Value string }
		Ports []struct {
			ContainerPort string `yaml:"containerPort"`
		}
		VolumeMounts []struct {
			Name      string
			MountPath string `yaml:"mountPath"`
		} `yaml:"volumeMounts"`
	}
	Volumes []struct {
		Name   string
		Secret struct {
			SecretName string `yaml:"secretName"`
		}
	}
}

// The chart's golden renderings load as in their pods: the ConfigMap is the file, with the container's environment, roles
// and secret volumes. `make chart` compares the renderings with the templates.
func TestChartLoads(t *testing.T) {
	type loaded struct {
		Roles                                                           []Role
		Password, Webhook, BotToken, Salt, Cert, Registry, Key, Headers bool
		Clicks                                                          string // where they come to
		Grace                                                           time.Duration
		Workers                                                         int
		LogFormat                                                       string
	}
	for file, want := range map[string]map[string]loaded{
		"minimal": {
			"confab-detect": {Roles: []Role{RoleDetect}, Grace: 30 * time.Second, LogFormat: "auto"},
		},
		"two-roles": {
			"confab-detect": {Roles: []Role{RoleDetect}, Grace: 30 * time.Second, LogFormat: "auto"},
			"confab-alert":  {Roles: []Role{RoleAlert}, Webhook: true, Grace: 30 * time.Second, LogFormat: "auto"},
		},
		"everything": {
			"judge-worker": {
				Roles: []Role{RoleDetect, RoleSample, RoleAlert, RoleExport}, Headers: true, Key: true, Password: true, BotToken: true, Clicks: "0.0.0.0:8081", Salt: true, Cert: true, Registry: true,
				Grace: 90 * time.Second, Workers: 2, LogFormat: "text",
			},
		},
	} {
		t.Run(file, func(t *testing.T) {
			objects := renderedChart(t, file)
			got := map[string]loaded{}
			for _, o := range objects["Deployment"] {
				cfg := loadAsPod(t, objects["ConfigMap"][0].Data["confab.yaml"], o.Spec.Template.Spec)
				got[o.Metadata.Name] = loaded{
					Roles: cfg.ActiveRoles(), Password: cfg.Kafka.SASL.Password != "", Webhook: cfg.Alerting.Slack.WebhookURL != "",
					BotToken: cfg.Alerting.Slack.BotToken != "", Salt: cfg.SamplingEnabled(), Cert: cfg.Kafka.TLS.CertFile != "" && cfg.Kafka.TLS.Enabled,
					Grace: cfg.ShutdownGrace, Registry: cfg.SchemaRegistry.Password != "" && cfg.SchemaRegistry.CAFile != "",
					Clicks: cfg.Alerting.Slack.InteractionsListen,
					Key:    cfg.LLM.Sampler.APIKey != "", Headers: cfg.Export.Traces.Headers != "", Workers: cfg.Workers, LogFormat: cfg.Log.Format,
				}
				pod := o.Spec.Template.Spec
				require.Equal(t, "0.0.0.0:"+pod.Containers[0].Ports[0].ContainerPort, cfg.Admin.Listen, "where the probes ask")
				require.Greater(t, time.Duration(pod.TerminationGracePeriodSeconds)*time.Second, cfg.ShutdownGrace)
				require.NotEqual(t, Default().Kafka.SeedBrokers, cfg.Kafka.SeedBrokers)
			}
			require.Equal(t, want, got)
		})
	}
}

// renderedChart are the objects of a golden rendering, by kind.
func renderedChart(t *testing.T, name string) map[string][]chartObject {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "helm", "golden", name+".yaml"))
	require.NoError(t, err)
	objects := map[string][]chartObject{}
	for dec := yaml.NewDecoder(bytes.NewReader(text)); ; {
		var o chartObject
		if err = dec.Decode(&o); errors.Is(err, io.EOF) {
			return objects
		}
		require.NoError(t, err)
		objects[o.Kind] = append(objects[o.Kind], o)
	}
}

// loadAsPod writes the pod's files to a directory and loads the configuration with the container's arguments.
func loadAsPod(t *testing.T, text string, pod chartPod) *Config {
	t.Helper()
	const root = "/etc/confab"
	dir, container := t.TempDir(), pod.Containers[0]
	known := map[string]bool{"CONFAB_CONFIG": true}
	for _, s := range Reference(Default()) {
		known[s.Env] = true
	}
	mounts := map[string]string{} // volume by path
	for _, m := range container.VolumeMounts {
		mounts[m.MountPath] = m.Name
	}
	secrets := map[string]bool{}
	for _, v := range pod.Volumes {
		secrets[v.Name] = v.Secret.SecretName != ""
	}
	opts := LoadOptions{}
	for _, e := range container.Env {
		require.True(t, known[e.Name], "%s sets no key", e.Name)
		local := strings.Replace(e.Value, root, dir, 1)
		opts.Env = append(opts.Env, e.Name+"="+local)
		content := "https://hooks.example.com/services/x"
		switch {
		case e.Name == "CONFAB_CONFIG":
			opts.File, content = local, text
			require.Equal(t, "config", mounts[filepath.Dir(e.Value)])
		case strings.HasPrefix(e.Value, root):
			require.True(t, secrets[mounts[filepath.Dir(e.Value)]], "%s is on no mounted secret", e.Value)
			if strings.HasSuffix(e.Name, "_HEADERS_FILE") {
				content = "api-key=x"
			}
		default:
			continue
		}
		require.NoError(t, os.MkdirAll(filepath.Dir(local), 0o700))
		require.NoError(t, os.WriteFile(local, []byte(content), 0o600))
	}
	require.Equal(t, "run", container.Args[0])
	for _, arg := range container.Args[1:] {
		flag, value, _ := strings.Cut(arg, "=")
		setting := strictyaml.Setting{Path: "roles", Value: value, Source: flag}
		if flag == "--set" {
			setting.Path, setting.Value, _ = strings.Cut(value, "=")
		} else {
			require.Equal(t, "--roles", flag, "not among the flags that the chart gives")
		}
		opts.Flags = append(opts.Flags, setting)
	}
	cfg, err := Load(opts)
	require.NoError(t, err)
	return cfg
}
