//go:build unix

package tempdir

import (
	"errors"
	"os"
	"syscall"
)

// tryLock locks a file until it is closed or the process ends, and reports whether
// it did.
func tryLock(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}

func openLock(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDWR|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
}

// removeLock removes the file before its lock ends, so that no process locks a file
// that is about to be removed.
func removeLock(f *os.File) error { return errors.Join(os.Remove(f.Name()), f.Close()) }
