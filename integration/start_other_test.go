//go:build !linux

package integration

import "syscall"

// endWithParent: only Linux ends a server whose test binary was killed.
func endWithParent() *syscall.SysProcAttr { return nil }
