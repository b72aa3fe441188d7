// Command kubeschemas writes a closed JSON Schema for each Kubernetes kind that the chart makes, from the OpenAPI files
// of the k8s.io/kubernetes module: `go run ./kubeschemas DIR schemas [CRD.yaml...]`, where DIR is that module's
// api/openapi-spec/v3. The definitions of custom resources are those of KEDA, the Prometheus operator and Strimzi.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"sigs.k8s.io/yaml"
)

// kinds by the name that kubeconform asks for: the OpenAPI file and the definition in it.
var kinds = map[string][2]string{
	"configmap-v1":                {"api__v1_openapi.json", "io.k8s.api.core.v1.ConfigMap"},
	"service-v1":                  {"api__v1_openapi.json", "io.k8s.api.core.v1.Service"},
	"serviceaccount-v1":           {"api__v1_openapi.json", "io.k8s.api.core.v1.ServiceAccount"},
	"pod-v1":                      {"api__v1_openapi.json", "io.k8s.api.core.v1.Pod"},
	"job-batch-v1":                {"apis__batch__v1_openapi.json", "io.k8s.api.batch.v1.Job"},
	"statefulset-apps-v1":         {"apis__apps__v1_openapi.json", "io.k8s.api.apps.v1.StatefulSet"},
	"networkpolicy-networking-v1": {"apis__networking.k8s.io__v1_openapi.json", "io.k8s.api.networking.v1.NetworkPolicy"},
	"horizontalpodautoscaler-autoscaling-v2": {
		"apis__autoscaling__v2_openapi.json", "io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler",
	},
	"deployment-apps-v1":            {"apis__apps__v1_openapi.json", "io.k8s.api.apps.v1.Deployment"},
	"poddisruptionbudget-policy-v1": {"apis__policy__v1_openapi.json", "io.k8s.api.policy.v1.PodDisruptionBudget"},
}

// structural extensions say what else a value may be.
var structural = map[string]bool{"x-kubernetes-int-or-string": true, "x-kubernetes-preserve-unknown-fields": true}

const openapiRef, ownRef = "#/components/schemas/", "#/definitions/"

func main() {
	if len(os.Args) < 3 {
		fail(fmt.Errorf("expected the OpenAPI directory, the directory to write to, and files of custom resources"))
	}
	for _, file := range os.Args[3:] {
		if err := writeCustom(os.Args[2], file); err != nil {
			fail(fmt.Errorf("%s: %w", file, err))
		}
	}
	for name, k := range kinds {
		if err := write(filepath.Join(os.Args[2], name+".json"), filepath.Join(os.Args[1], k[0]), k[1]); err != nil {
			fail(fmt.Errorf("%s: %w", name, err))
		}
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func write(target, source, root string) error {
	text, err := os.ReadFile(source)
	if err != nil {
		return err
	}
	var file struct {
		Components struct {
			Schemas map[string]map[string]any `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal(text, &file); err != nil {
		return err
	}
	definitions := map[string]any{}
	if err := collect(root, file.Components.Schemas, definitions); err != nil {
		return err
	}
	return save(target, map[string]any{
		"$schema": "http://json-schema.org/draft-07/schema#", "$ref": ownRef + root, "definitions": definitions,
	})
}

func save(target string, schema map[string]any) error {
	out, err := json.Marshal(schema)
	if err != nil {
		return err
	}
	return os.WriteFile(target, append(out, '\n'), 0o644)
}

// writeCustom writes the schema of the served and stored version of a custom resource.
func writeCustom(dir, source string) error {
	text, err := os.ReadFile(source)
	if err != nil {
		return err
	}
	var crd struct {
		Spec struct {
			Group    string
			Names    struct{ Kind, Plural string }
			Versions []struct {
				Name    string
				Storage bool
				Schema  struct {
					OpenAPIV3Schema map[string]any `json:"openAPIV3Schema"`
				}
			}
		}
	}
	if err := yaml.Unmarshal(text, &crd); err != nil {
		return err
	}
	group, _, _ := strings.Cut(crd.Spec.Group, ".")
	for _, v := range crd.Spec.Versions {
		if !v.Storage {
			continue
		}
		schema := v.Schema.OpenAPIV3Schema
		closed(schema)
		properties, ok := schema["properties"].(map[string]any)
		if !ok {
			return fmt.Errorf("the schema of version %s has no properties", v.Name)
		}
		properties["metadata"] = map[string]any{"type": "object"}
		schema["$schema"] = "http://json-schema.org/draft-07/schema#"
		name := strings.ToLower(crd.Spec.Names.Kind) + "-" + group + "-" + v.Name + ".json"
		return save(filepath.Join(dir, name), schema)
	}
	return fmt.Errorf("no version is stored")
}

// collect adds a definition, closed and without its prose, and everything that it refers to.
func collect(name string, all map[string]map[string]any, into map[string]any) error {
	if into[name] != nil {
		return nil
	}
	schema, ok := all[name]
	if !ok {
		return fmt.Errorf("no definition of %s", name)
	}
	into[name] = schema
	for _, ref := range closed(schema) {
		if err := collect(ref, all, into); err != nil {
			return err
		}
	}
	return nil
}

// closed strips a schema of prose, forbids properties that it does not know, and returns the definitions it refers to.
func closed(schema map[string]any) (refs []string) {
	for key, value := range schema {
		switch v := value.(type) {
		case string:
			if name, ok := strings.CutPrefix(v, openapiRef); key == "$ref" && ok {
				schema[key] = ownRef + name
				refs = append(refs, name)
			}
		case map[string]any:
			if key == "properties" {
				for _, p := range v {
					refs = append(refs, closed(p.(map[string]any))...)
				}
				if schema["x-kubernetes-preserve-unknown-fields"] != true {
					schema["additionalProperties"] = false
				}
			} else if key == "items" || key == "additionalProperties" {
				refs = append(refs, closed(v)...)
			}
		case []any:
			for _, s := range v {
				if sub, ok := s.(map[string]any); ok && (key == "allOf" || key == "oneOf" || key == "anyOf") {
					refs = append(refs, closed(sub)...)
				}
			}
		}
		if key == "description" || key == "default" || key == "format" || strings.HasPrefix(key, "x-kubernetes") && !structural[key] {
			if _, text := value.(map[string]any); !text {
				delete(schema, key)
			}
		}
	}
	return refs
}
