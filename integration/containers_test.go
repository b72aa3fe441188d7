//go:build integration

package integration

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/netip"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/mount"
	dnet "github.com/moby/moby/api/types/network"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/log"
	"github.com/testcontainers/testcontainers-go/network"
)

// ClusterOptions configure a cluster; the zero value is three brokers on the default image.
type ClusterOptions struct {
	Brokers int               // 3 when 0
	Env     map[string]string // added to each broker's environment, or replaces it; KAFKA_FOO_BAR is foo.bar
	Secure  string            // protocol of a further listener SECURE, such as SASL_SSL, which Env configures; "" for none
	Files   map[string]string // text by path, in each broker
	Links   bool              // a further listener, whose clients reach each broker through a proxy; see Link
	Disk    int               // bytes of the last broker's disk; 0: not limited
}

// Cluster is a running set of KRaft nodes, each broker and controller in one, addressed by index from 0. A broker keeps
// its data and its address on 127.0.0.1 over Kill and Start, Pause and Unpause, Disconnect and Reconnect. It is not safe
// for concurrent use.
type Cluster struct {
	engine  *client.Client
	net     *testcontainers.DockerNetwork
	brokers []testcontainers.Container
	ports   []int
	secure  []int // ports of the listener SECURE
	links   []*Link
	disk    *smallDisk
}

// StartCluster returns when every broker lists all of them as alive. After an error nothing is left running.
func StartCluster(ctx context.Context, o ClusterOptions) (_ *Cluster, err error) {
	n := o.Brokers
	if n == 0 {
		n = 3
	}
	img, err := BrokerImage(ctx)
	if err != nil {
		return nil, err
	}
	// The reaper's image may be unavailable; Close and the sweeps clean up instead.
	if err := os.Setenv("TESTCONTAINERS_RYUK_DISABLED", "true"); err != nil {
		return nil, fmt.Errorf("disable the reaper: %w", err)
	}
	log.SetDefault(log.NewNoopLogger()) // it writes five lines per container
	c := &Cluster{}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.Close(context.WithoutCancel(ctx)))
		}
	}()
	if c.engine, err = client.New(client.FromEnv); err != nil {
		return nil, fmt.Errorf("container engine: %w", err)
	}
	if c.net, err = network.New(ctx, network.WithLabels(OwnerLabels())); err != nil {
		return nil, fmt.Errorf("create network: %w", err)
	}
	if err := c.start(ctx, n, img, o); err != nil {
		return nil, err
	}
	if err := c.awaitReady(ctx); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, c.tails(context.WithoutCancel(ctx)))
	}
	return c, nil
}

// start starts n brokers without waiting until they serve.
func (c *Cluster) start(ctx context.Context, n int, img string, o ClusterOptions) error {
	ports, err := freePorts(ctx, 4*n)
	if err != nil {
		return err
	}
	if c.ports = ports[:n]; o.Secure != "" {
		c.secure = ports[n : 2*n]
	}
	if o.Links {
		if c.links, err = startLinks(ports[2*n:3*n], ports[3*n:]); err != nil {
			return err
		}
	}
	if o.Disk > 0 {
		if c.disk, err = c.newDisk(ctx, img, o.Disk); err != nil {
			return err
		}
	}
	for i := range n {
		env := brokerEnv(i, c.ports)
		if o.Secure != "" {
			addListener(env, listener{"SECURE", o.Secure, 9095}, c.secure[i])
		}
		if o.Links {
			addListener(env, listener{"LINK", "PLAINTEXT", 9096}, c.links[i].port)
		}
		maps.Copy(env, o.Env)
		if err := c.run(ctx, img, i, env, o.Files); err != nil {
			return err
		}
	}
	return nil
}

// BrokerImage runs the script that people use, so that both use the same image.
func BrokerImage(ctx context.Context) (string, error) {
	cmd := exec.CommandContext(ctx, "./image.sh")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("integration/image.sh (set KAFKA_IMAGE to skip it): %w", err)
	}
	return string(bytes.TrimSpace(out)), nil
}

func (c *Cluster) run(ctx context.Context, img string, i int, env, texts map[string]string) error {
	ports, exposed := dnet.PortMap{}, []string{"9092/tcp"}
	bind := func(port string, host int) {
		ports[dnet.MustParsePort(port)] = []dnet.PortBinding{{HostIP: netip.MustParseAddr("127.0.0.1"), HostPort: strconv.Itoa(host)}}
	}
	bind("9092/tcp", c.ports[i])
	if c.secure != nil {
		bind("9095/tcp", c.secure[i])
		exposed = append(exposed, "9095/tcp")
	}
	if c.links != nil {
		bind("9096/tcp", c.links[i].upstream)
		exposed = append(exposed, "9096/tcp")
	}
	var mounts []mount.Mount
	if c.disk != nil && i == len(c.ports)-1 {
		mounts = append(mounts, c.disk.mount())
	}
	files := make([]testcontainers.ContainerFile, 0, len(texts))
	for path, text := range texts {
		files = append(files, testcontainers.ContainerFile{Reader: strings.NewReader(text), ContainerFilePath: path, FileMode: 0o644})
	}
	b, err := testcontainers.Run(ctx, img,
		testcontainers.WithEnv(env),
		testcontainers.WithLabels(OwnerLabels()),
		network.WithNetwork([]string{brokerAlias(i)}, c.net),
		testcontainers.WithExposedPorts(exposed...),
		testcontainers.WithFiles(files...),
		testcontainers.WithHostConfigModifier(func(hc *container.HostConfig) { hc.PortBindings, hc.Mounts = ports, mounts }))
	if b != nil {
		c.brokers = append(c.brokers, b)
	}
	if err != nil {
		return fmt.Errorf("start %s: %w", brokerAlias(i), err)
	}
	return nil
}

// Seeds returns the brokers' addresses by index.
func (c *Cluster) Seeds() []string { return addresses(c.ports) }

// SecureSeeds returns the addresses of the listener SECURE.
func (c *Cluster) SecureSeeds() []string { return addresses(c.secure) }

func addresses(ports []int) []string {
	seeds := make([]string, len(ports))
	for i, p := range ports {
		seeds[i] = "127.0.0.1:" + strconv.Itoa(p)
	}
	return seeds
}

// Kill sends SIGKILL to a broker and waits until it has ended: an earlier Start would do nothing.
func (c *Cluster) Kill(ctx context.Context, i int) error {
	gone := c.engine.ContainerWait(ctx, c.id(i), client.ContainerWaitOptions{Condition: container.WaitConditionNextExit})
	if _, err := c.engine.ContainerKill(ctx, c.id(i), client.ContainerKillOptions{Signal: "KILL"}); err != nil {
		return fmt.Errorf("kill %s: %w", brokerAlias(i), err)
	}
	select {
	case <-gone.Result:
		return nil
	case err := <-gone.Error:
		return fmt.Errorf("wait for the end of %s: %w", brokerAlias(i), err)
	}
}

// Start starts a killed broker without waiting until it serves.
func (c *Cluster) Start(ctx context.Context, i int) error {
	_, err := c.engine.ContainerStart(ctx, c.id(i), client.ContainerStartOptions{})
	return wrapBrokerError(err, "start", i)
}

// Pause freezes a broker's processes: its connections stay open without answers. On a busy machine the engine does not always
// manage it at the first attempt.
func (c *Cluster) Pause(ctx context.Context, i int) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	err := Await(ctx, "the engine has frozen it", func(ctx context.Context) (bool, error) {
		_, err := c.engine.ContainerPause(ctx, c.id(i), client.ContainerPauseOptions{})
		return err == nil, err
	})
	return wrapBrokerError(err, "pause", i)
}

// Unpause resumes a paused broker.
func (c *Cluster) Unpause(ctx context.Context, i int) error {
	_, err := c.engine.ContainerUnpause(ctx, c.id(i), client.ContainerUnpauseOptions{})
	return wrapBrokerError(err, "unpause", i)
}

// Disconnect cuts a broker off from the other brokers and from its clients.
func (c *Cluster) Disconnect(ctx context.Context, i int) error {
	_, err := c.engine.NetworkDisconnect(ctx, c.net.Name, client.NetworkDisconnectOptions{Container: c.id(i)})
	return wrapBrokerError(err, "disconnect", i)
}

// Reconnect ends a Disconnect, under the broker's old name.
func (c *Cluster) Reconnect(ctx context.Context, i int) error {
	_, err := c.engine.NetworkConnect(ctx, c.net.Name, client.NetworkConnectOptions{
		Container: c.id(i), EndpointConfig: &dnet.EndpointSettings{Aliases: []string{brokerAlias(i)}},
	})
	return wrapBrokerError(err, "reconnect", i)
}

// Close removes the brokers and their network. It may be called again.
func (c *Cluster) Close(ctx context.Context) error {
	var errs []error
	for _, b := range c.brokers {
		errs = append(errs, b.Terminate(ctx, testcontainers.StopTimeout(0)))
	}
	c.brokers = nil
	for _, l := range c.links {
		l.proxy.Stop()
	}
	c.links = nil
	if c.disk != nil {
		errs = append(errs, c.disk.close(ctx, c.engine))
		c.disk = nil
	}
	if c.net != nil {
		errs = append(errs, c.net.Remove(ctx))
		c.net = nil
	}
	if c.engine != nil {
		errs = append(errs, c.engine.Close())
		c.engine = nil
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("close cluster: %w", err)
	}
	return nil
}

func (c *Cluster) id(i int) string { return c.brokers[i].GetContainerID() }

// tails returns the last lines of every broker's log, for errors.
func (c *Cluster) tails(ctx context.Context) string {
	var out strings.Builder
	for i, b := range c.brokers {
		fmt.Fprintf(&out, "--- %s\n", brokerAlias(i))
		r, err := b.Logs(ctx)
		if err != nil {
			fmt.Fprintln(&out, err)
			continue
		}
		log, _ := io.ReadAll(r)
		r.Close()
		lines := bytes.Split(bytes.TrimSpace(log), []byte("\n"))
		out.Write(bytes.Join(lines[max(0, len(lines)-8):], []byte("\n")))
		out.WriteByte('\n')
	}
	return out.String()
}

func wrapBrokerError(err error, what string, i int) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s %s: %w", what, brokerAlias(i), err)
}
