package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// resource is the name of a custom resource, which tools/helm/kubeschemas writes into its schema.
type resource struct {
	Group, Version, Kind, Plural string
}

// createCustom creates a definition for every schema of a custom resource in the folder, and waits until it is served.
func (c *client) createCustom(ctx context.Context, dir string) error {
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return err
	}
	crds := c.objects.Resource(schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"})
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		var custom struct {
			Resource *resource `json:"x-confab-resource"`
		}
		var root map[string]any
		if json.Unmarshal(text, &custom) != nil || custom.Resource == nil {
			continue
		}
		if err := json.Unmarshal(text, &root); err != nil {
			return err
		}
		delete(root, "x-confab-resource")
		delete(root, "$schema")
		if _, err := crds.Create(ctx, definition(*custom.Resource, structural(root)), metav1.CreateOptions{}); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if err := c.awaitServed(ctx, *custom.Resource); err != nil {
			return err
		}
	}
	return nil
}

func definition(r resource, root any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{
			"name":        r.Plural + "." + r.Group,
			"annotations": map[string]any{"api-approved.kubernetes.io": "unapproved, for tests"},
		},
		"spec": map[string]any{
			"group": r.Group, "scope": "Namespaced",
			"names": map[string]any{"plural": r.Plural, "singular": strings.ToLower(r.Kind), "kind": r.Kind, "listKind": r.Kind + "List"},
			"versions": []any{map[string]any{
				"name": r.Version, "served": true, "storage": true, "schema": map[string]any{"openAPIV3Schema": root},
			}},
		},
	}}
}

// structural is a closed JSON schema as a definition's: the server itself refuses unknown fields.
func structural(value any) any {
	switch v := value.(type) {
	case map[string]any:
		if v["additionalProperties"] == false {
			delete(v, "additionalProperties")
		}
		for key := range v {
			v[key] = structural(v[key])
		}
	case []any:
		for i := range v {
			v[i] = structural(v[i])
		}
	}
	return value
}

func (c *client) awaitServed(ctx context.Context, r resource) error {
	at := c.objects.Resource(schema.GroupVersionResource{Group: r.Group, Version: r.Version, Resource: r.Plural}).Namespace("default")
	var err error
	for began := time.Now(); time.Since(began) < startTimeout; time.Sleep(100 * time.Millisecond) {
		if _, err = at.List(ctx, metav1.ListOptions{}); err == nil {
			c.mapper.Reset()
			return nil
		}
	}
	return fmt.Errorf("%s.%s is not served: %w", r.Plural, r.Group, err)
}
