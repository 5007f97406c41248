package sqlitestore_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"modernc.org/sqlite"

	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/store/sqlitestore"
	"github.com/qedkit/qed/store/sqlstore"
	"github.com/qedkit/qed/store/storetest"
)

func open(tb testing.TB, path string, opt *sqlstore.Options) *sqlstore.Store {
	tb.Helper()
	s, err := sqlitestore.Open(path, opt)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Error(err)
		}
	})
	return s
}

func message(text string) store.Record {
	return store.Record{Time: time.Now(), Kind: store.Message, Data: []byte(`"` + text + `"`)}
}

func count(tb testing.TB, s store.Store, thread string) (n int64) {
	tb.Helper()
	for rec, err := range s.Records(context.Background(), thread, store.Range{}) {
		if n++; err != nil || rec.Seq != n {
			tb.Fatalf("record %d is number %d, %v", n, rec.Seq, err)
		}
	}
	return n
}

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store {
		return open(t, filepath.Join(t.TempDir(), "conversations.db"), nil)
	})
}

// Any path names a file, and its records are there when it is opened again.
func TestPaths(t *testing.T) {
	for _, name := range []string{
		"plain.db", "no extension", "with spaces .db", "question?mark.db", "hash#tag.db", "per%cent.db", "per%20cent.db",
		"a&b=c;d.db",
		"file:x.db", "file:x.db?mode=memory", ":memory:.db", "?", "#", "%", "%00", "'quotes'\"",
		"ünï\u0301 日本 👍.db", "+plus+", "back\\slash", "new\nline",
		"_pragma=synchronous(off)", "x.db?_pragma=synchronous(off)&_txlock=deferred",
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, name)
			for n := range int64(2) {
				s := open(t, path, nil)
				if err := s.Append(t.Context(), "thread", n, message("text")); err != nil {
					t.Fatal(err)
				}
				if got := count(t, s, "thread"); got != n+1 {
					t.Errorf("%d records, want %d", got, n+1)
				}
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
			}
			entries, err := os.ReadDir(dir)
			if err != nil || len(entries) != 1 || entries[0].Name() != name {
				t.Errorf("the directory has %v, %v", entries, err)
			}
		})
	}
	t.Run("relative", func(t *testing.T) {
		t.Chdir(t.TempDir())
		s := open(t, "conversations.db", nil)
		t.Chdir("/")
		for n := range int64(20) { // so that more connections are opened
			if err := s.Append(t.Context(), "thread", n, message("text")); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// A new file is readable only by its owner. The mode of an existing file stays.
func TestMode(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files have no mode")
	}
	dir := t.TempDir()
	s := open(t, filepath.Join(dir, "new.db"), nil)
	if err := s.Append(t.Context(), "thread", 0, message("text")); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 3 {
		t.Fatalf("the directory has %v, %v", entries, err)
	}
	for _, entry := range entries {
		if info, err := entry.Info(); err != nil || info.Mode() != 0o600 {
			t.Errorf("%s has mode %v, %v", entry.Name(), info.Mode(), err)
		}
	}

	shared := filepath.Join(t.TempDir(), "shared.db")
	if err := os.WriteFile(shared, nil, 0o660); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(shared, 0o660); err != nil {
		t.Fatal(err)
	}
	open(t, shared, nil)
	if info, err := os.Stat(shared); err != nil || info.Mode() != 0o660 {
		t.Errorf("the existing file has mode %v, %v", info.Mode(), err)
	}
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text.db")
	if err := os.WriteFile(text, []byte(strings.Repeat("this is no database ", 500)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, path string
		opt        *sqlstore.Options
		contains   string // in the error's text
		is         error
	}{
		{"nothing", "", nil, "InMemory", nil},
		{"memory", ":memory:", nil, "InMemory", nil},
		{"memory as a URI", "file::memory:?cache=shared", nil, "InMemory", nil},
		{"a NUL", "a\x00b", nil, "NUL", nil},
		{"no directory", filepath.Join(dir, "missing", "x.db"), nil, "x.db", fs.ErrNotExist},
		{"a directory", dir, nil, filepath.Base(dir), nil},
		{"no database", text, nil, "not an SQLite database", nil},
		{"a wrong option", filepath.Join(dir, "y.db"), &sqlstore.Options{TablePrefix: "no prefix"}, "TablePrefix", nil},
	} {
		s, err := sqlitestore.Open(test.path, test.opt)
		if s != nil || err == nil || !strings.HasPrefix(err.Error(), "sqlitestore: ") ||
			!strings.Contains(err.Error(), test.contains) {
			t.Errorf("%s: %v, %v", test.name, s, err)
			continue
		}
		if test.is != nil && !errors.Is(err, test.is) {
			t.Errorf("%s: %v does not match %v", test.name, err, test.is)
		}
		if strings.Contains(err.Error(), dir+string(filepath.Separator)) || strings.Contains(err.Error(), "_pragma") {
			t.Errorf("%s: the error shows the directory or settings: %v", test.name, err)
		}
	}
	_, err := sqlitestore.Open(text, nil)
	if cause, ok := errors.AsType[*sqlite.Error](err); !ok || cause.Code() != 26 {
		t.Errorf("the driver's error is lost: %v", err)
	}
}

// Several goroutines open a file at once that does not exist yet, and use it.
func TestOpenAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "conversations.db")
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			s, err := sqlitestore.Open(path, nil)
			if err != nil {
				t.Error(err)
				return
			}
			defer s.Close()
			if err := s.Append(t.Context(), "thread "+string(rune('0'+i)), 0, message("text")); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	s := open(t, path, nil)
	for i := range 8 {
		if n := count(t, s, "thread "+string(rune('0'+i))); n != 1 {
			t.Errorf("thread %d has %d records", i, n)
		}
	}
}
