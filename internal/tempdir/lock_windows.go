package tempdir

import (
	"errors"
	"os"
	"syscall"
)

// tryLock reports whether f is open: openLock opens no file that is open already.
func tryLock(*os.File) bool { return true }

// openLock opens a file that no process has open. CreateTemp shares a file with
// those that read or write it, and this asks for no sharing.
func openLock(path string) (*os.File, error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	h, err := syscall.CreateFile(name, syscall.GENERIC_READ, 0, nil, syscall.OPEN_EXISTING, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(h), path), nil
}

// removeLock closes the file first: Windows removes no file that is open.
func removeLock(f *os.File) error { return errors.Join(f.Close(), os.Remove(f.Name())) }
