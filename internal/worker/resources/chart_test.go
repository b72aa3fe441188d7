package resources

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"confab/internal/kafka"
	"confab/internal/worker/config"
)

// strimziObject holds the fields of Strimzi's objects that the test reads.
type strimziObject struct {
	Kind     string
	Metadata struct{ Name string }
	Data     map[string]string
	Spec     struct {
		TopicName            string `yaml:"topicName"`
		Partitions, Replicas int
		Config               map[string]string
		Authorization        struct {
			ACLs []struct {
				Resource struct {
					Type, Name  string
					PatternType string `yaml:"patternType"`
				}
				Operations []string
			} `yaml:"acls"`
		}
	}
}

// The chart's KafkaTopics are those of `confab topics apply`, at least as large, and its KafkaUser may do what the roles need,
// and touches no other topic.
func TestChartStrimzi(t *testing.T) {
	objects := strimziObjects(t)
	cfg := loadChartFile(t, objects, "confab.yaml")
	topics := map[string]strimziObject{}
	for _, o := range objects["KafkaTopic"] {
		topics[o.Spec.TopicName] = o
	}
	specs := TopicSpecs(cfg, Sizing{Partitions: 6, ReplicationFactor: 3})
	require.Len(t, topics, len(specs))
	for _, s := range specs {
		got := topics[s.Name].Spec
		require.Equal(t, s.Partitions, got.Partitions, s.Name)
		require.Equal(t, s.ReplicationFactor, got.Replicas, s.Name)
		for key, want := range s.Configs {
			if key != "max.message.bytes" {
				require.Equal(t, want, got.Config[key], "%s of %s", key, s.Name)
				continue
			}
			least, err := strconv.Atoi(want)
			require.NoError(t, err)
			have, err := strconv.Atoi(got.Config[key])
			require.NoError(t, err, s.Name)
			require.GreaterOrEqual(t, have, least, "%s of %s", key, s.Name)
			require.LessOrEqual(t, have, least+1<<20, "%s of %s", key, s.Name)
		}
	}

	needed := map[string]bool{}
	grants := Grants(cfg, config.RoleDetect, config.RoleSample, config.RoleAlert, config.RoleExport)
	grants = append(grants, Grants(loadChartFile(t, objects, "serve.yaml"), config.RoleServe)...)
	grants = append(grants, Grants(loadChartFile(t, objects, "ui.yaml"), config.RoleUI)...)
	for _, need := range grants {
		needed[need.Name] = true
		for _, op := range need.Operations {
			require.True(t, mayDo(objects["KafkaUser"][0], need, op), "%s: %s of %s %s", need.Role, op, need.Resource, need.Name)
		}
	}
	for _, acl := range objects["KafkaUser"][0].Spec.Authorization.ACLs {
		if acl.Resource.PatternType != "prefix" {
			require.True(t, needed[acl.Resource.Name], "no role needs %s", acl.Resource.Name)
		}
	}
}

// loadChartFile loads a file of the rendered ConfigMap.
func loadChartFile(t *testing.T, objects map[string][]strimziObject, name string) *config.Config {
	t.Helper()
	dir := t.TempDir()
	path, salt := filepath.Join(dir, name), filepath.Join(dir, "salt")
	text := objects["ConfigMap"][0].Data[name]
	require.NotEmpty(t, text)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	require.NoError(t, os.WriteFile(salt, []byte("0123456789abcdef"), 0o600))
	cfg, err := config.Load(config.LoadOptions{File: path, Env: []string{"CONFAB_SAMPLING_SALT_FILE=" + salt, "CONFAB_KAFKA_SASL_PASSWORD=x"}})
	require.NoError(t, err)
	return cfg
}

// mayDo reports whether the user's rules allow the operation.
func mayDo(user strimziObject, need kafka.ACL, op string) bool {
	kind := map[string]string{kafka.ResourceTopic: "topic", kafka.ResourceGroup: "group", kafka.ResourceTransactionalID: "transactionalId"}[need.Resource]
	for _, acl := range user.Spec.Authorization.ACLs {
		r := acl.Resource
		covers := r.Name == need.Name && (r.PatternType == "prefix") == need.Prefix || r.PatternType == "prefix" && strings.HasPrefix(need.Name, r.Name)
		if r.Type == kind && covers && slices.ContainsFunc(acl.Operations, func(o string) bool {
			return strings.EqualFold(o, strings.ReplaceAll(op, "_", ""))
		}) {
			return true
		}
	}
	return false
}

func strimziObjects(t *testing.T) map[string][]strimziObject {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "helm", "golden", "strimzi.yaml"))
	require.NoError(t, err)
	objects := map[string][]strimziObject{}
	for dec := yaml.NewDecoder(bytes.NewReader(text)); ; {
		var o strimziObject
		if err = dec.Decode(&o); errors.Is(err, io.EOF) {
			return objects
		}
		require.NoError(t, err)
		objects[o.Kind] = append(objects[o.Kind], o)
	}
}
