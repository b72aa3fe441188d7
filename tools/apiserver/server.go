package main

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
)

const startTimeout = 2 * time.Minute

// start starts etcd and the API server on loopback addresses, and returns how to reach it once it is ready.
func start(ctx context.Context, dir string) (*rest.Config, error) {
	etcd, err := startEtcd(dir)
	if err != nil {
		return nil, fmt.Errorf("etcd: %w", err)
	}
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return nil, err
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
	keyFile, tokens := filepath.Join(dir, "sa.key"), filepath.Join(dir, "tokens.csv")
	token := rand.Text()
	if err := errors.Join(os.WriteFile(keyFile, text, 0o600), os.WriteFile(tokens, []byte(token+",admin,admin,system:masters\n"), 0o600)); err != nil {
		return nil, err
	}
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	cmd := app.NewAPIServerCommand()
	cmd.SetArgs([]string{
		"--etcd-servers=" + etcd, "--bind-address=127.0.0.1", fmt.Sprintf("--secure-port=%d", port), "--cert-dir=" + filepath.Join(dir, "certs"),
		"--service-account-issuer=https://localhost", "--service-account-key-file=" + keyFile, "--service-account-signing-key-file=" + keyFile,
		"--token-auth-file=" + tokens, "--authorization-mode=RBAC", "--service-cluster-ip-range=10.96.0.0/16", "--profiling=false",
		"--disable-admission-plugins=ServiceAccount", "--v=0", // no controller makes the accounts' default
	})
	cmd.SilenceUsage, cmd.SilenceErrors = true, true
	ended := make(chan error, 1)
	go func() { ended <- cmd.ExecuteContext(ctx) }()
	config := &rest.Config{
		Host: fmt.Sprintf("https://127.0.0.1:%d", port), BearerToken: token, TLSClientConfig: rest.TLSClientConfig{Insecure: true}, QPS: -1,
	}
	return config, awaitReady(ctx, config, ended)
}

func awaitReady(ctx context.Context, config *rest.Config, ended <-chan error) error {
	clients, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	for began := time.Now(); time.Since(began) < startTimeout; {
		if _, err = clients.Discovery().RESTClient().Get().AbsPath("/readyz").DoRaw(ctx); err == nil {
			return nil
		}
		select {
		case failed := <-ended:
			return fmt.Errorf("the API server ended: %w", failed)
		case <-time.After(200 * time.Millisecond):
		}
	}
	return fmt.Errorf("the API server is not ready after %s: %w", startTimeout, err)
}

func startEtcd(dir string) (string, error) {
	cfg := embed.NewConfig()
	cfg.Dir, cfg.LogLevel, cfg.UnsafeNoFsync = filepath.Join(dir, "etcd"), "error", true
	urls := make([]url.URL, 2)
	for i := range urls {
		port, err := freePort()
		if err != nil {
			return "", err
		}
		urls[i] = url.URL{Scheme: "http", Host: fmt.Sprintf("127.0.0.1:%d", port)}
	}
	cfg.ListenClientUrls, cfg.AdvertiseClientUrls = urls[:1], urls[:1]
	cfg.ListenPeerUrls, cfg.AdvertisePeerUrls = urls[1:], urls[1:]
	cfg.InitialCluster = cfg.InitialClusterFromName(cfg.Name)
	etcd, err := embed.StartEtcd(cfg)
	if err != nil {
		return "", err
	}
	select {
	case <-etcd.Server.ReadyNotify():
		return urls[0].String(), nil
	case <-time.After(startTimeout):
		return "", errors.New("is not ready")
	}
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}
