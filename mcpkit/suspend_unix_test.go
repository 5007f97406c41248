//go:build unix

package mcpkit_test

import (
	"os"
	"syscall"
)

// suspend stops this process until it is killed.
func suspend() { syscall.Kill(os.Getpid(), syscall.SIGSTOP) }
