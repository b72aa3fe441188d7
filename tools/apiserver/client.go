package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
)

// client applies objects of any kind.
type client struct {
	objects   dynamic.Interface
	discovery discovery.DiscoveryInterface
	mapper    *restmapper.DeferredDiscoveryRESTMapper
	warnings  *warnings
	applied   int
	upgraded  int // of them, objects that existed
}

// warnings collects what the server warns about, such as violations of the Pod Security Standard.
type warnings struct {
	mu    sync.Mutex
	texts []string
}

// HandleWarningHeader implements rest.WarningHandler.
func (w *warnings) HandleWarningHeader(_ int, _, text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !strings.Contains(text, "SessionAffinity is ignored for headless") { // the server's own default, applied a second time
		w.texts = append(w.texts, text)
	}
}

func (w *warnings) all() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Compact(slices.Sorted(slices.Values(w.texts)))
}

func newClient(config *rest.Config) (*client, error) {
	c := &client{warnings: &warnings{}}
	config.WarningHandler = c.warnings
	found, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, err
	}
	c.discovery = found
	c.mapper = restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(found))
	c.objects, err = dynamic.NewForConfig(config)
	return c, err
}

// namespace creates one for the file, where pods must meet the standard "restricted".
func (c *client) namespace(ctx context.Context, file string) (string, error) {
	name := "check-" + strings.TrimSuffix(filepath.Base(file), ".yaml")
	ns := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Namespace",
		"metadata": map[string]any{"name": name, "labels": map[string]any{
			"pod-security.kubernetes.io/enforce": "restricted", "pod-security.kubernetes.io/warn": "restricted",
		}},
	}}
	_, err := c.objects.Resource(corev1.SchemeGroupVersion.WithResource("namespaces")).Create(ctx, ns, metav1.CreateOptions{})
	return name, err
}

// createClasses creates the classes that renderings name.
func (c *client) createClasses(ctx context.Context) error {
	priority := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": map[string]any{"name": "stream"}, "value": int64(1),
	}}
	runtime := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": map[string]any{"name": "gvisor"}, "handler": "runsc",
	}}
	_, err := c.objects.Resource(schema.GroupVersionResource{Group: "scheduling.k8s.io", Version: "v1", Resource: "priorityclasses"}).Create(ctx, priority, metav1.CreateOptions{})
	_, err2 := c.objects.Resource(schema.GroupVersionResource{Group: "node.k8s.io", Version: "v1", Resource: "runtimeclasses"}).Create(ctx, runtime, metav1.CreateOptions{})
	return errors.Join(err, err2)
}

// apply applies the objects of a file to the namespace, all of them, and returns their errors.
func (c *client) apply(ctx context.Context, file, namespace string) error {
	objects, err := readObjects(file)
	if err != nil {
		return err
	}
	var problems []error
	for _, o := range objects {
		if err := c.applyOne(ctx, o, namespace); err != nil {
			problems = append(problems, fmt.Errorf("%s: %s %s: %w", file, o.GetKind(), o.GetName(), err))
		}
	}
	return errors.Join(problems...)
}

func (c *client) applyOne(ctx context.Context, o *unstructured.Unstructured, namespace string) error {
	gvk := o.GroupVersionKind()
	mapping, err := c.mapper.RESTMapping(gvk.GroupKind(), gvk.Version)
	if err != nil {
		return err
	}
	if mapping.Scope.Name() != meta.RESTScopeNameNamespace {
		return errors.New("is not namespaced: the chart needs no cluster rights")
	}
	o.SetNamespace(namespace)
	at := c.objects.Resource(mapping.Resource).Namespace(namespace)
	if strings.Contains(o.GetAnnotations()["helm.sh/hook-delete-policy"], "before-hook-creation") {
		now, policy := int64(0), metav1.DeletePropagationBackground
		err = at.Delete(ctx, o.GetName(), metav1.DeleteOptions{GracePeriodSeconds: &now, PropagationPolicy: &policy})
		if err != nil && !apierrors.IsNotFound(err) {
			return err
		}
	}
	_, missing := at.Get(ctx, o.GetName(), metav1.GetOptions{})
	body, err := o.MarshalJSON()
	if err != nil {
		return err
	}
	_, err = at.Patch(ctx, o.GetName(), types.ApplyPatchType, body, metav1.PatchOptions{FieldManager: "chart", FieldValidation: metav1.FieldValidationStrict})
	if err == nil {
		c.applied++
		if missing == nil {
			c.upgraded++
		}
	}
	return err
}

// refusesMisspelt returns an error if the server takes a Deployment with a field that does not exist.
func (c *client) refusesMisspelt(ctx context.Context, file string) error {
	objects, err := readObjects(file)
	if err != nil {
		return err
	}
	for _, o := range objects {
		if o.GetKind() != "Deployment" {
			continue
		}
		if err := unstructured.SetNestedField(o.Object, int64(1), "spec", "replica"); err != nil {
			return err
		}
		before := c.applied
		if err := c.applyOne(ctx, o, "default"); err == nil || !strings.Contains(err.Error(), "replica") || c.applied != before {
			return fmt.Errorf("a misspelt field was accepted: %w", err)
		}
		return nil
	}
	return fmt.Errorf("%s has no Deployment", file)
}

func readObjects(file string) ([]*unstructured.Unstructured, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var all []*unstructured.Unstructured
	for dec := yaml.NewYAMLOrJSONDecoder(f, 4096); ; {
		o := &unstructured.Unstructured{}
		if err := dec.Decode(&o.Object); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if len(o.Object) > 0 {
			all = append(all, o)
		}
	}
}

// complete marks Jobs and pods of Confab's commands as done, in place of the controllers and the kubelet.
func (c *client) complete(ctx context.Context) {
	jobs := schema.GroupVersionResource{Group: "batch", Version: "v1", Resource: "jobs"}
	pods := corev1.SchemeGroupVersion.WithResource("pods")
	now := func() string { return time.Now().UTC().Format(time.RFC3339) }
	for ctx.Err() == nil {
		c.setStatus(ctx, jobs, func() map[string]any {
			at := now()
			condition := func(kind string) map[string]any {
				return map[string]any{"type": kind, "status": "True", "lastProbeTime": at, "lastTransitionTime": at}
			}
			return map[string]any{
				"startTime": at, "completionTime": at, "succeeded": 1,
				"conditions": []any{condition("SuccessCriteriaMet"), condition("Complete")},
			}
		})
		c.setStatus(ctx, pods, func() map[string]any { return map[string]any{"phase": "Succeeded"} })
		time.Sleep(200 * time.Millisecond)
	}
}

// setStatus sets the status of objects that have none yet.
func (c *client) setStatus(ctx context.Context, resource schema.GroupVersionResource, status func() map[string]any) {
	list, err := c.objects.Resource(resource).List(ctx, metav1.ListOptions{})
	if err != nil {
		return
	}
	for i := range list.Items {
		o := &list.Items[i]
		phase, _, _ := unstructured.NestedString(o.Object, "status", "phase")
		done, _, _ := unstructured.NestedString(o.Object, "status", "completionTime")
		if done != "" || phase == "Succeeded" {
			continue
		}
		body, err := json.Marshal(map[string]any{"status": status()})
		if err != nil {
			return
		}
		_, err = c.objects.Resource(resource).Namespace(o.GetNamespace()).
			Patch(ctx, o.GetName(), types.MergePatchType, body, metav1.PatchOptions{}, "status")
		if err != nil {
			fmt.Fprintln(os.Stderr, "apiserver: complete", o.GetName(), err)
		}
	}
}
