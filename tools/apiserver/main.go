// Command apiserver starts a real Kubernetes API server with its etcd in one process, and applies rendered manifests to
// it: `apiserver -schemas DIR -released DIR FILE...`. Each file gets a namespace of its own with the Pod Security Standard
// "restricted". Where the folder of an older release has a file of the same name, that one is applied first.
//
// `apiserver -schemas DIR -exec COMMAND` runs a shell command with KUBECONFIG instead. No controller runs, except one that
// completes Jobs and pods of Confab's commands, which Helm waits for.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

func main() {
	schemas := flag.String("schemas", "", "folder with the schemas of custom resources")
	released := flag.String("released", "", "folder with renderings of an older release")
	command := flag.String("exec", "", "shell command to run with KUBECONFIG")
	flag.Parse()
	if err := run(*schemas, *released, *command, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "apiserver:", err)
		os.Exit(1)
	}
}

func run(schemas, released, command string, manifests []string) error {
	dir, err := os.MkdirTemp("", "apiserver")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	began := time.Now()
	config, err := start(ctx, dir)
	if err != nil {
		return err
	}
	c, err := newClient(config)
	if err != nil {
		return err
	}
	if err := c.createCustom(ctx, schemas); err != nil {
		return err
	}
	if err := c.createClasses(ctx); err != nil {
		return err
	}
	version, err := c.discovery.ServerVersion()
	if err != nil {
		return err
	}
	fmt.Printf("apiserver: %s ready after %.1f s\n", version.GitVersion, time.Since(began).Seconds())
	if command != "" {
		go c.complete(ctx)
		kubeconfig := filepath.Join(dir, "kubeconfig")
		if err := writeKubeconfig(kubeconfig, config.Host, config.BearerToken); err != nil {
			return err
		}
		sh := exec.Command("bash", "-euc", command)
		sh.Env = append(os.Environ(), "KUBECONFIG="+kubeconfig)
		sh.Stdout, sh.Stderr = os.Stdout, os.Stderr
		return sh.Run()
	}
	return c.applyAll(ctx, released, manifests)
}

func (c *client) applyAll(ctx context.Context, released string, manifests []string) error {
	var problems []error
	for _, file := range manifests {
		ns, err := c.namespace(ctx, file)
		if err != nil {
			return err
		}
		older := filepath.Join(released, filepath.Base(file))
		if _, err := os.Stat(older); err == nil && released != "" {
			problems = append(problems, c.apply(ctx, older, ns))
		}
		problems = append(problems, c.apply(ctx, file, ns))
	}
	if len(manifests) > 0 {
		problems = append(problems, c.refusesMisspelt(ctx, manifests[0]))
	}
	for _, w := range c.warnings.all() {
		problems = append(problems, fmt.Errorf("warning: %s", w))
	}
	fmt.Printf("apiserver: %d objects of %d files applied with strict validation, %d of them over an older release\n", c.applied, len(manifests), c.upgraded)
	return errors.Join(problems...)
}

func writeKubeconfig(path, host, token string) error {
	k := clientcmdapi.NewConfig()
	k.Clusters["own"] = &clientcmdapi.Cluster{Server: host, InsecureSkipTLSVerify: true}
	k.AuthInfos["own"] = &clientcmdapi.AuthInfo{Token: token}
	k.Contexts["own"] = &clientcmdapi.Context{Cluster: "own", AuthInfo: "own"}
	k.CurrentContext = "own"
	return clientcmd.WriteToFile(*k, path)
}
