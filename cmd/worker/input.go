package main

import (
	"fmt"
	"io"
	"os"
)

// openInput opens the file that the first argument names, or standard input. The size of standard input is 0.
func (c *cli) openInput(args []string) (io.ReadCloser, int64, error) {
	if len(args) == 0 || args[0] == "-" {
		return io.NopCloser(c.in), 0, nil
	}
	f, err := os.Open(args[0])
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		err = fmt.Errorf("%s is a folder: name a file in it", args[0])
	}
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, info.Size(), nil
}
