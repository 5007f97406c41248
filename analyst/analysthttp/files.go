package analysthttp

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/qedkit/qed/analyst/tabular"
)

// files are uploaded files. The name of a file has its session and whose it is.
type files struct {
	folder string
	maxAge time.Duration
	limit  int // of the files of an owner

	adding sync.Mutex // held while a file is counted and made
}

type owner struct {
	Tenant string `json:"tenant"`
	User   string `json:"user"`
}

var (
	// errNoSession is returned for a session that does not exist, or is another
	// caller's.
	errNoSession = errors.New("there is no such session: upload a file")

	errTooManyFiles = errors.New("there are too many files: end a session first")
)

var (
	sessionID = regexp.MustCompile(`^[A-Z2-7]{26}$`)
	fileName  = regexp.MustCompile(`^[A-Z2-7]{26}-[0-9a-f]{64}\.data$`)
)

// add stores a file, and how it is to be read, and returns its session.
func (f *files) add(r io.Reader, opt tabular.Options, o owner) (session string, err error) {
	id := rand.Text()
	file, err := f.create(id, o)
	if err != nil {
		return "", err
	}
	_, err = io.Copy(file, r)
	if err = errors.Join(err, file.Close()); err == nil && opt != (tabular.Options{}) {
		err = writeOptions(f.path(id, o), opt)
	}
	if err != nil {
		return "", errors.Join(err, f.remove(id, o))
	}
	return id, nil
}

// optionsFile ends the name of the file that says how another one is to be read.
const optionsFile = ".options"

func writeOptions(path string, opt tabular.Options) error {
	raw, err := json.Marshal(opt)
	if err == nil {
		err = os.WriteFile(path+optionsFile, raw, 0o600)
	}
	if err != nil {
		return fmt.Errorf("analysthttp: %w", err)
	}
	return nil
}

func readOptions(path string) (opt tabular.Options, err error) {
	raw, err := os.ReadFile(path + optionsFile)
	if errors.Is(err, fs.ErrNotExist) {
		return opt, nil
	}
	if err == nil {
		err = json.Unmarshal(raw, &opt)
	}
	if err != nil {
		return opt, fmt.Errorf("analysthttp: %w", err)
	}
	return opt, nil
}

// create makes the file of a session, unless the owner has too many.
func (f *files) create(session string, o owner) (*os.File, error) {
	f.adding.Lock()
	defer f.adding.Unlock()
	if f.sweep(o) >= f.limit {
		return nil, errTooManyFiles
	}
	file, err := os.OpenFile(f.path(session, o), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("analysthttp: %w", err)
	}
	return file, nil
}

// use returns the path of the file of a session.
func (f *files) use(session string, o owner) (path string, err error) {
	if !sessionID.MatchString(session) {
		return "", errNoSession
	}
	now := time.Now()
	path = f.path(session, o)
	switch err := os.Chtimes(path, now, now); {
	case errors.Is(err, fs.ErrNotExist):
		return "", errNoSession
	case err != nil:
		return "", fmt.Errorf("analysthttp: %w", err)
	}
	return path, nil
}

// remove deletes the file of a session.
func (f *files) remove(session string, o owner) error {
	if err := removeFile(f.path(session, o)); err != nil {
		return fmt.Errorf("analysthttp: %w", err)
	}
	return nil
}

// removeFile deletes a file and its options, which may be missing.
func removeFile(path string) error {
	for _, name := range []string{path + optionsFile, path} {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// sweep deletes what was not used for MaxAge, and returns how many files the owner has
// then. What it cannot delete stays for the next time.
func (f *files) sweep(o owner) (count int) {
	entries, err := os.ReadDir(f.folder)
	if err != nil {
		return 0 // making a file fails then
	}
	for _, e := range entries {
		if !fileName.MatchString(e.Name()) {
			continue
		}
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > f.maxAge {
			if removeFile(filepath.Join(f.folder, e.Name())) == nil {
				continue
			}
		}
		if strings.HasSuffix(e.Name(), suffix(o)) {
			count++
		}
	}
	return count
}

func (f *files) path(session string, o owner) string {
	return filepath.Join(f.folder, session+suffix(o))
}

// suffix ends the names of the files of an owner.
func suffix(o owner) string {
	whose, _ := json.Marshal(o) // never fails
	return fmt.Sprintf("-%x.data", sha256.Sum256(whose))
}
