// Package tempdir makes temporary directories. If a process is killed, the next process
// removes its directories.
package tempdir

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

const lockSuffix = ".lock"

// A Dir is a temporary directory. While the process runs, it holds a lock on a file
// next to the directory. Another process that gets the lock knows that this one has
// ended.
type Dir struct {
	Path string
	lock *os.File

	removed sync.Once
	err     error
}

// swept has the parents and prefixes for which this process has called removeStale: a
// server with thousands of directories does not try all their locks for each new one.
var swept sync.Map

// New makes a directory in parent, whose name begins with prefix. An empty parent means
// [os.TempDir]. The first call of a process for a parent and prefix removes the
// directories of processes that were killed.
func New(parent, prefix string) (*Dir, error) {
	parent = cmp.Or(parent, os.TempDir())
	if _, again := swept.LoadOrStore([2]string{parent, prefix}, true); !again {
		if err := removeStale(parent, prefix); err != nil {
			return nil, err
		}
	}
	for {
		lock, err := os.CreateTemp(parent, prefix+"*"+lockSuffix)
		if err != nil {
			return nil, err
		}
		d := &Dir{Path: strings.TrimSuffix(lock.Name(), lockSuffix), lock: lock}
		if !tryLock(lock) || !isAt(lock) { // another process removed it as stale
			lock.Close()
			continue
		}
		if err := os.Mkdir(d.Path, 0o700); err != nil {
			return nil, errors.Join(err, d.Remove())
		}
		return d, nil
	}
}

// isAt reports whether an open file is still there under its name.
func isAt(f *os.File) bool {
	opened, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Lstat(f.Name())
	return err == nil && os.SameFile(opened, named)
}

// Remove removes the directory with what it contains, and its lock. Later calls return
// the result of the first.
func (d *Dir) Remove() error {
	d.removed.Do(func() { d.err = errors.Join(os.RemoveAll(d.Path), removeLock(d.lock)) })
	return d.err
}

// removeStale removes the directories whose lock no process holds. What another user
// owns stays.
func removeStale(parent, prefix string) error {
	entries, err := os.ReadDir(parent)
	if err != nil {
		return err
	}
	for _, e := range entries {
		name, isLock := strings.CutSuffix(e.Name(), lockSuffix)
		if !isLock || !strings.HasPrefix(name, prefix) || !e.Type().IsRegular() {
			continue
		}
		lock, err := openLock(filepath.Join(parent, e.Name()))
		if err != nil {
			continue
		}
		if !tryLock(lock) || !isAt(lock) || os.RemoveAll(filepath.Join(parent, name)) != nil {
			lock.Close()
			continue
		}
		removeLock(lock) // a lock that stays is removed by the next process
	}
	return nil
}
