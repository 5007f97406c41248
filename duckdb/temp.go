package duckdb

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
)

const (
	tempPrefix = "qed-duckdb-"
	lockSuffix = ".lock"
)

// A tempDir is the directory for temporary files of one database. While the
// process runs, it holds a lock on a file next to the directory. Another process that
// gets the lock knows that this one has ended.
type tempDir struct {
	path string
	lock *os.File
}

// newTempDir makes a directory, and removes those of processes that were killed.
func newTempDir() (*tempDir, error) {
	if err := removeStale(os.TempDir()); err != nil {
		return nil, err
	}
	for {
		lock, err := os.CreateTemp("", tempPrefix+"*"+lockSuffix)
		if err != nil {
			return nil, err
		}
		d := &tempDir{path: strings.TrimSuffix(lock.Name(), lockSuffix), lock: lock}
		if !tryLock(lock) || !isAt(lock) { // another process removed it as stale
			lock.Close()
			continue
		}
		if err := os.Mkdir(d.path, 0o700); err != nil {
			return nil, errors.Join(err, d.remove())
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

// remove removes the directory and its lock.
func (d *tempDir) remove() error {
	return errors.Join(os.RemoveAll(d.path), removeLock(d.lock))
}

// removeStale removes the directories whose lock no process holds. What another user
// owns stays.
func removeStale(parent string) error {
	entries, err := os.ReadDir(parent)
	if err != nil {
		return err
	}
	for _, e := range entries {
		name, isLock := strings.CutSuffix(e.Name(), lockSuffix)
		if !isLock || !strings.HasPrefix(name, tempPrefix) || !e.Type().IsRegular() {
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
