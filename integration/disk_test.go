//go:build integration

package integration

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/mount"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
)

const (
	diskPath = "/var/lib/kafka"
	filler   = diskPath + "/filler"
)

// smallDisk is a volume of limited size in memory. A container that does nothing keeps it mounted while its broker is down.
type smallDisk struct {
	volume string
	holder testcontainers.Container
}

func (c *Cluster) newDisk(ctx context.Context, img string, size int) (*smallDisk, error) {
	v, err := c.engine.VolumeCreate(ctx, client.VolumeCreateOptions{
		Driver: "local", Labels: OwnerLabels(),
		DriverOpts: map[string]string{"type": "tmpfs", "device": "tmpfs", "o": "size=" + strconv.Itoa(size)},
	})
	if err != nil {
		return nil, fmt.Errorf("create volume: %w", err)
	}
	d := &smallDisk{volume: v.Volume.Name}
	d.holder, err = testcontainers.Run(ctx, img,
		testcontainers.WithEntrypoint("sleep"), testcontainers.WithCmd("86400"), testcontainers.WithLabels(OwnerLabels()),
		testcontainers.WithHostConfigModifier(func(hc *container.HostConfig) { hc.Mounts = []mount.Mount{d.mount()} }))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("hold volume: %w", err), d.close(ctx, c.engine))
	}
	return d, nil
}

func (d *smallDisk) mount() mount.Mount {
	return mount.Mount{Type: mount.TypeVolume, Source: d.volume, Target: diskPath}
}

func (d *smallDisk) close(ctx context.Context, engine *client.Client) error {
	var errs []error
	if d.holder != nil {
		errs = append(errs, d.holder.Terminate(ctx, testcontainers.StopTimeout(0)))
	}
	_, err := engine.VolumeRemove(ctx, d.volume, client.VolumeRemoveOptions{Force: true})
	return errors.Join(append(errs, err)...)
}

// FillDisk fills the disk of the last broker and waits until the broker has ended, which it does at the next write.
func (c *Cluster) FillDisk(ctx context.Context) error {
	last := len(c.brokers) - 1
	gone := c.engine.ContainerWait(ctx, c.id(last), client.ContainerWaitOptions{Condition: container.WaitConditionNotRunning})
	if _, _, err := c.disk.holder.Exec(ctx, []string{"dd", "if=/dev/zero", "of=" + filler, "bs=64k"}); err != nil {
		return fmt.Errorf("fill the disk of %s: %w", brokerAlias(last), err) // dd itself fails: there is no space left
	}
	select {
	case <-gone.Result:
		return nil
	case err := <-gone.Error:
		return fmt.Errorf("wait until %s ends by its full disk: %w", brokerAlias(last), err)
	}
}

// FreeDisk frees the disk and starts the broker again.
func (c *Cluster) FreeDisk(ctx context.Context) error {
	code, _, err := c.disk.holder.Exec(ctx, []string{"rm", filler})
	if err != nil || code != 0 {
		return fmt.Errorf("free the disk: exit %d: %w", code, err)
	}
	return c.Start(ctx, len(c.brokers)-1)
}
