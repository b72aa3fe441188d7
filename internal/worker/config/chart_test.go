package config

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
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
		chartPod `yaml:",inline"` // a pod's own
		Selector any
		Template struct {
			Spec chartPod
		}
	}
}

// pod is the pod that the object makes, if any.
func (o *chartObject) pod() chartPod {
	switch o.Kind {
	case "Deployment", "StatefulSet", "Job":
		return o.Spec.Template.Spec
	case "Pod":
		return o.Spec.chartPod
	default:
		return chartPod{}
	}
}

type chartPod struct {
	TerminationGracePeriodSeconds int `yaml:"terminationGracePeriodSeconds"`
	Containers                    []struct {
		Args []string
		Env  []struct {
			Name, Value string
			ValueFrom   map[string]any `yaml:"valueFrom"`
		}
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
		ConfigMap struct{ Name string } `yaml:"configMap"`
	}
}

// The chart's golden renderings load as in their pods: the ConfigMap is the file, with the container's environment, roles
// and secret volumes. `make chart` compares the renderings with the templates.
func TestChartLoads(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	type loaded struct {
		Roles                                                           []Role
		Password, Webhook, BotToken, Salt, Cert, Registry, Key, Headers bool
		Listens                                                         string
		Clicks                                                          bool
		Grace                                                           time.Duration
		Signed, Token                                                   bool
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
				Roles: []Role{RoleDetect, RoleSample, RoleAlert, RoleExport}, Headers: true, Key: true, Password: true, BotToken: true, Clicks: true, Salt: true, Cert: true, Registry: true,
				Grace: 90 * time.Second, Workers: 2, LogFormat: "text",
			},
		},
		"roles": {
			"confab-detect": {Roles: []Role{RoleDetect}, Grace: 30 * time.Second, LogFormat: "auto"},
			"confab-sample": {Roles: []Role{RoleSample}, Grace: 30 * time.Second, LogFormat: "auto"},
			"confab-alert":  {Roles: []Role{RoleAlert}, BotToken: true, Clicks: true, Grace: 30 * time.Second, LogFormat: "auto"},
			"confab-export": {Roles: []Role{RoleExport}, Grace: 30 * time.Second, LogFormat: "auto"},
			"confab-serve":  {Roles: []Role{RoleServe}, Listens: "0.0.0.0:9470 ", Grace: 30 * time.Second, LogFormat: "auto"},
			"confab-ui":     {Roles: []Role{RoleUI}, Listens: " 0.0.0.0:9471", Grace: 30 * time.Second, LogFormat: "auto"},
		},
		"production": {
			"confab-detect": {Roles: []Role{RoleDetect}, Grace: 30 * time.Second, LogFormat: "auto"},
			"confab-alert":  {Roles: []Role{RoleAlert}, Webhook: true, Grace: 30 * time.Second, LogFormat: "auto"},
			"confab-export": {Roles: []Role{RoleExport}, Grace: 30 * time.Second, LogFormat: "auto"},
		},
		"webhook": {
			"confab-detect": {Roles: []Role{RoleDetect}, Token: true, Grace: 30 * time.Second, LogFormat: "auto"},
			"confab-alert":  {Roles: []Role{RoleAlert}, Signed: true, Token: true, Grace: 30 * time.Second, LogFormat: "auto"},
			"confab-ui":     {Roles: []Role{RoleUI}, Token: true, Listens: " 0.0.0.0:9471", Grace: 30 * time.Second, LogFormat: "auto"},
		},
		"keda-sasl": {
			"confab-detect": {Roles: []Role{RoleDetect}, Password: true, Salt: true, Cert: true, Grace: 30 * time.Second, LogFormat: "auto"},
			"confab-sample": {Roles: []Role{RoleSample}, Password: true, Salt: true, Cert: true, Grace: 30 * time.Second, LogFormat: "auto"},
		},
		"strimzi": {
			"confab-detect": {Roles: []Role{RoleDetect}, Password: true, Salt: true, Grace: 30 * time.Second, LogFormat: "auto"},
			"confab-sample": {Roles: []Role{RoleSample}, Password: true, Salt: true, Grace: 30 * time.Second, LogFormat: "auto"},
			"confab-alert":  {Roles: []Role{RoleAlert}, Password: true, Salt: true, Grace: 30 * time.Second, LogFormat: "auto"},
			"confab-export": {Roles: []Role{RoleExport}, Password: true, Salt: true, Grace: 30 * time.Second, LogFormat: "auto"},
			"confab-serve":  {Roles: []Role{RoleServe}, Password: true, Salt: true, Listens: "0.0.0.0:9470 ", Grace: 30 * time.Second, LogFormat: "auto"},
			"confab-ui":     {Roles: []Role{RoleUI}, Password: true, Salt: true, Listens: " 0.0.0.0:9471", Grace: 30 * time.Second, LogFormat: "auto"},
		},
	} {
		t.Run(file, func(t *testing.T) {
			objects := renderedChart(t, file)
			got := map[string]loaded{}
			for _, o := range append(objects["Deployment"], objects["StatefulSet"]...) {
				pod := o.pod()
				cfg := loadAsPod(t, objects["ConfigMap"], o.Metadata.Name, pod)
				got[o.Metadata.Name] = loaded{
					Roles: cfg.ActiveRoles(), Password: cfg.Kafka.SASL.Password != "", Webhook: cfg.Alerting.Slack.WebhookURL != "",
					BotToken: cfg.Alerting.Slack.BotToken != "", Salt: cfg.SamplingEnabled(), Cert: cfg.Kafka.TLS.CertFile != "" && cfg.Kafka.TLS.Enabled,
					Grace: cfg.ShutdownGrace, Registry: cfg.SchemaRegistry.Password != "" && cfg.SchemaRegistry.CAFile != "",
					Clicks: cfg.Alerting.Slack.AppToken != "",
					Key:    cfg.LLM.Sampler.APIKey != "", Headers: cfg.Export.Traces.Headers != "", Workers: cfg.Workers, LogFormat: cfg.Log.Format,
					Listens: listening(cfg), Signed: cfg.Alerting.Webhook.Secrets != "", Token: cfg.Admin.Token != "",
				}
				require.Equal(t, "0.0.0.0:"+pod.Containers[0].Ports[0].ContainerPort, cfg.Admin.Listen, "where the probes ask")
				require.Greater(t, time.Duration(pod.TerminationGracePeriodSeconds)*time.Second, cfg.ShutdownGrace)
				require.NotEqual(t, Default().Kafka.SeedBrokers, cfg.Kafka.SeedBrokers)
				if listening(cfg) == "" {
					require.Equal(t, o.Metadata.Name+"-0", cfg.Kafka.InstanceID, "the name of the pod")
					require.True(t, cfg.Kafka.LeaveOnExit, "a scaler or a Deployment removes pods for good")
				}
			}
			require.Equal(t, want, got)
			for _, o := range append(objects["Job"], objects["Pod"]...) { // topics apply, doctor
				loadAsPod(t, objects["ConfigMap"], o.Metadata.Name, o.pod())
			}
		})
	}
}

// listening is where the roles serve and ui listen for others than this pod.
func listening(c *Config) string {
	if c.Serve.Listen == Default().Serve.Listen && c.UI.Listen == Default().UI.Listen {
		return ""
	}
	return strings.TrimPrefix(c.Serve.Listen, Default().Serve.Listen) + " " + strings.TrimPrefix(c.UI.Listen, Default().UI.Listen)
}

// renderedChart are the objects of a golden rendering, by kind.
func renderedChart(t *testing.T, name string) map[string][]chartObject {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "helm", "golden", name+".yaml"))
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

// ofOthers are variables that the Go runtime and the values of a golden rendering read.
var ofOthers = regexp.MustCompile(`^(GO[A-Z]+|SAMPLING_RATE)$`)

// loadAsPod writes the pod's files to a directory and loads the configuration with the container's arguments.
func loadAsPod(t *testing.T, configs []chartObject, name string, pod chartPod) *Config {
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
	secrets, text := map[string]bool{}, map[string]string(nil)
	for _, v := range pod.Volumes {
		secrets[v.Name] = v.Secret.SecretName != ""
		for _, o := range configs {
			if v.Name == "config" && o.Metadata.Name == v.ConfigMap.Name {
				text = o.Data
			}
		}
	}
	write := func(at, content string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(at), 0o700))
		require.NoError(t, os.WriteFile(at, []byte(content), 0o600))
	}
	opts := LoadOptions{}
	for _, e := range container.Env {
		if ofOthers.MatchString(e.Name) {
			continue
		}
		require.True(t, known[e.Name], "%s sets no key", e.Name)
		if e.ValueFrom != nil { // the pod's name
			require.Equal(t, map[string]any{"fieldRef": map[string]any{"fieldPath": "metadata.name"}}, e.ValueFrom)
			e.Value = name + "-0"
		}
		local := strings.Replace(e.Value, root, dir, 1)
		opts.Env = append(opts.Env, e.Name+"="+local)
		switch {
		case e.Name == "CONFAB_CONFIG":
			opts.File = local
			require.Equal(t, "config", mounts[filepath.Dir(e.Value)])
			require.Contains(t, text, filepath.Base(e.Value))
			content := text[filepath.Base(e.Value)]
			for _, file := range regexp.MustCompile(root+`/secrets/\S+`).FindAllString(content, -1) {
				require.True(t, secrets[mounts[filepath.Dir(file)]], "%s is on no mounted secret", file)
				write(strings.Replace(file, root, dir, 1), "0123456789abcdef")
			}
			write(local, strings.ReplaceAll(content, root, dir))
		case strings.HasPrefix(e.Value, root):
			require.True(t, secrets[mounts[filepath.Dir(e.Value)]], "%s is on no mounted secret", e.Value)
			content := "https://hooks.example.com/services/x"
			if strings.HasSuffix(e.Name, "_HEADERS_FILE") {
				content = "api-key=x"
			} else if strings.HasSuffix(e.Name, "_SECRETS_FILE") {
				content = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
			}
			write(local, content)
		}
	}
	if container.Args[0] == "run" {
		opts.Flags = chartFlags(t, container.Args[1:])
	}
	cfg, err := Load(opts)
	require.NoError(t, err, name)
	return cfg
}

// chartFlags are the settings of arguments of `confab run`.
func chartFlags(t *testing.T, args []string) (flags []strictyaml.Setting) {
	t.Helper()
	for _, arg := range args {
		flag, value, _ := strings.Cut(arg, "=")
		setting := strictyaml.Setting{Path: "roles", Value: value, Source: flag}
		if flag == "--set" {
			setting.Path, setting.Value, _ = strings.Cut(value, "=")
		} else {
			require.Equal(t, "--roles", flag, "not among the flags that the chart gives")
		}
		flags = append(flags, setting)
	}
	return flags
}
