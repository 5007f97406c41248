package analysthttp

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// files are uploaded files. Each has a second file beside it, which says whose it is.
type files struct {
	folder string
	maxAge time.Duration
}

type owner struct {
	Tenant string `json:"tenant"`
	User   string `json:"user"`
}

// errNoSession is returned for a session that does not exist, or is another caller's.
var errNoSession = errors.New("there is no such session: upload a file")

// sessionID is the form of the ids, which are names of files.
var sessionID = regexp.MustCompile(`^[A-Z2-7]{26}$`)

const (
	dataSuffix  = ".data"
	ownerSuffix = ".json"
)

// add stores a file and returns its session.
func (f *files) add(r io.Reader, o owner) (session string, err error) {
	f.sweep()
	id := rand.Text()
	whose, err := json.Marshal(o)
	if err != nil {
		return "", fmt.Errorf("analysthttp: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.remove(id))
		}
	}()
	file, err := os.OpenFile(f.path(id, dataSuffix), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return "", fmt.Errorf("analysthttp: %w", err)
	}
	_, err = io.Copy(file, r)
	if err = errors.Join(err, file.Close()); err != nil {
		return "", err
	}
	// Without it the file belongs to nobody, and is no session.
	return id, os.WriteFile(f.path(id, ownerSuffix), whose, 0o600)
}

// use returns the path of the file of a session.
func (f *files) use(session string, o owner) (path string, err error) {
	if !sessionID.MatchString(session) {
		return "", errNoSession
	}
	text, err := os.ReadFile(f.path(session, ownerSuffix))
	if errors.Is(err, fs.ErrNotExist) {
		return "", errNoSession
	}
	if err != nil {
		return "", fmt.Errorf("analysthttp: %w", err)
	}
	var whose owner
	if err := json.Unmarshal(text, &whose); err != nil || whose != o {
		return "", errNoSession
	}
	now := time.Now()
	path = f.path(session, dataSuffix)
	if err := os.Chtimes(path, now, now); err != nil {
		return "", errNoSession // it is being deleted
	}
	return path, nil
}

// remove deletes a session.
func (f *files) remove(session string) error {
	var all []error
	for _, suffix := range []string{ownerSuffix, dataSuffix} {
		if err := os.Remove(f.path(session, suffix)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			all = append(all, fmt.Errorf("analysthttp: %w", err))
		}
	}
	return errors.Join(all...)
}

// sweep deletes what was not used for MaxAge. What it cannot delete stays for the next
// time.
func (f *files) sweep() {
	entries, err := os.ReadDir(f.folder)
	if err != nil {
		return
	}
	for _, e := range entries {
		session, ok := strings.CutSuffix(e.Name(), dataSuffix)
		if !ok || !sessionID.MatchString(session) {
			continue
		}
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > f.maxAge {
			_ = f.remove(session)
		}
	}
}

func (f *files) path(session, suffix string) string {
	return filepath.Join(f.folder, session+suffix)
}
