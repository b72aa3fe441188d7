//go:build integration

package integration

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	toxiproxy "github.com/Shopify/toxiproxy/v2"
	"github.com/rs/zerolog"
)

// Link is the network between a broker and the clients of its listener LINK: a proxy that fails on command. The broker
// advertises the proxy, so that no client bypasses it.
type Link struct {
	name           string
	port, upstream int // on 127.0.0.1
	server         *toxiproxy.ApiServer
	proxy          *toxiproxy.Proxy
}

// startLinks starts a proxy at each port for the upstream port at the same index.
func startLinks(ports, upstreams []int) ([]*Link, error) {
	zerolog.SetGlobalLevel(zerolog.Disabled) // some of its loggers have no other setting
	server := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop())
	links := make([]*Link, len(ports))
	for i, port := range ports {
		links[i] = &Link{name: brokerAlias(i), port: port, upstream: upstreams[i], server: server}
		if err := links[i].start(); err != nil {
			return nil, err
		}
	}
	return links, nil
}

// start starts a proxy without toxics.
func (l *Link) start() error {
	address := func(port int) string { return "127.0.0.1:" + strconv.Itoa(port) }
	l.proxy = toxiproxy.NewProxy(l.server, l.name, address(l.port), address(l.upstream))
	if err := l.proxy.Start(); err != nil {
		return fmt.Errorf("proxy of %s: %w", l.name, err)
	}
	return nil
}

// LinkSeeds returns the addresses of the listener LINK.
func (c *Cluster) LinkSeeds() []string {
	ports := make([]int, len(c.links))
	for i, l := range c.links {
		ports[i] = l.port
	}
	return addresses(ports)
}

// Link returns a broker's link.
func (c *Cluster) Link(i int) *Link { return c.links[i] }

// Cut closes every connection and refuses new ones, until Restore.
func (l *Link) Cut(context.Context) error {
	l.proxy.Stop()
	return nil
}

// Slow delays what clients and the broker send by 0 to 400 ms each way and limits it to 256 kB/s, until Restore.
func (l *Link) Slow(context.Context) error {
	var errs []error
	for _, stream := range []string{"upstream", "downstream"} {
		errs = append(errs,
			l.add(`{"name":"latency-%[1]s","type":"latency","stream":%[1]q,"attributes":{"latency":200,"jitter":200}}`, stream),
			l.add(`{"name":"bandwidth-%[1]s","type":"bandwidth","stream":%[1]q,"attributes":{"rate":256}}`, stream))
	}
	return errors.Join(errs...)
}

// Mute drops what the broker sends and keeps the connections open, until Restore.
func (l *Link) Mute(context.Context) error {
	return l.add(`{"name":"mute","type":"timeout","stream":%q,"attributes":{"timeout":0}}`, "downstream")
}

// Slice cuts what the broker sends into pieces of about 16 bytes, until Restore.
func (l *Link) Slice(context.Context) error {
	return l.add(`{"name":"slice","type":"slicer","stream":%q,"attributes":{"average_size":16,"size_variation":8,"delay":10}}`, "downstream")
}

func (l *Link) add(format, stream string) error {
	if _, err := l.proxy.Toxics.AddToxicJson(strings.NewReader(fmt.Sprintf(format, stream))); err != nil {
		return fmt.Errorf("toxic %s: %w", stream, err)
	}
	return nil
}

// Restore ends what the other methods began, and closes all connections. The proxy is replaced: toxiproxy 2.5.0 can wait forever
// when it removes a toxic from a connection that ends at the same time.
func (l *Link) Restore(context.Context) error {
	l.proxy.Stop()
	return l.start()
}
