package sqlitedb_test

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	"github.com/qedkit/qed/sqldb"
	"github.com/qedkit/qed/sqldb/sqlitedb"
)

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good := create(t, company)
	image, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, path string
		opt        *sqlitedb.Options
		want       error
	}{
		{"a database", good, nil, nil},
		{"an immutable one", good, &sqlitedb.Options{Immutable: true}, nil},
		{"a URI", "file:" + filepath.ToSlash(good), nil, nil},
		{"a name with signs of a URI", write("a?b#c%41.db", string(image)), &sqlitedb.Options{Immutable: true}, nil},
		{"missing", filepath.Join(dir, "no.db"), nil, sqldb.ErrMissing},
		{"in a missing folder", filepath.Join(dir, "no", "no.db"), nil, sqldb.ErrMissing},
		{"a missing one by URI", "file:" + filepath.ToSlash(filepath.Join(dir, "no.db")) + "?password=hunter2", nil, sqldb.ErrUnreadable},
		{"a URI that asks to write", "file:" + filepath.ToSlash(good) + "?mode=rwc&password=hunter2", nil, sqldb.ErrUnreadable},
		{"a folder", dir, nil, sqldb.ErrUnreadable},
		{"a text file", write("text.db", strings.Repeat("no database ", 1000)), nil, sqldb.ErrNotDatabase},
		{"a damaged one", write("damaged.db", string(image[:2000])+strings.Repeat("\xff", len(image)-2000)), nil, sqldb.ErrNotDatabase},
		{"cut short", write("short.db", string(image[:5000])), nil, sqldb.ErrNotDatabase},
		{"an empty file", write("empty.db", ""), nil, sqldb.ErrEmpty},
		{"no path", "", nil, sqldb.ErrArgument},
		{"private memory", ":memory:", nil, sqldb.ErrArgument},
		{"a NUL byte", "a\x00b", nil, sqldb.ErrArgument},
		{"a negative limit", good, &sqlitedb.Options{Options: sqldb.Options{MaxRows: -1}}, sqldb.ErrArgument},
		{"replicas", good, &sqlitedb.Options{Options: sqldb.Options{Replicas: []*sql.DB{nil}}}, sqldb.ErrArgument},
		{"negative connections", good, &sqlitedb.Options{Options: sqldb.Options{MaxOpenConns: -1}}, sqldb.ErrArgument},
	} {
		t.Run(test.name, func(t *testing.T) {
			db, err := sqlitedb.Open(test.path, test.opt)
			if err == nil {
				defer db.Close()
				err = db.Check(t.Context(), nil)
			}
			if test.want == nil && err != nil || !errors.Is(err, test.want) {
				t.Fatalf("got %v, want %v", err, test.want)
			}
			var typed *sqldb.Error
			if err != nil && !errors.As(err, &typed) {
				t.Errorf("an untyped error: %v", err)
			}
			if err != nil && (strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), dir)) {
				t.Errorf("too much in the error: %v", err)
			}
			if err == nil {
				guard(t, db, 0, nil)
			}
		})
	}
	if _, err := os.Stat(filepath.Join(dir, "no.db")); err == nil {
		t.Error("a missing file was created")
	}
}

// Open reports what the path and the first bytes of the file show.
func TestOpenReportsAtOnce(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text.db")
	if err := os.WriteFile(text, []byte("root:x:0:0:"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		path string
		want error
		says string
	}{
		{text, sqldb.ErrNotDatabase, "text.db"},
		{filepath.Join(dir, "no.db"), sqldb.ErrMissing, "there is no file no.db: "},
		{filepath.Join(dir, "no", "no.db"), sqldb.ErrMissing, "directory"},
		{"mysql://root:hunter2@localhost/app", sqldb.ErrArgument, "URL"},
		{"", sqldb.ErrArgument, "empty"},
		{":memory:", sqldb.ErrArgument, "always empty"},
	} {
		_, err := sqlitedb.Open(test.path, nil)
		if !errors.Is(err, test.want) || !strings.Contains(err.Error(), test.says) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: %v, want %v with %q", test.path, err, test.want, test.says)
		}
	}
}

func TestSharedMemory(t *testing.T) {
	host, err := sql.Open("sqlite", "file:/TestSharedMemory?vfs=memdb")
	if err != nil {
		t.Fatal(err)
	}
	defer host.Close()
	if _, err := host.Exec(company); err != nil {
		t.Fatal(err)
	}
	db := open(t, "file:/TestSharedMemory?vfs=memdb", nil)
	if err := db.Check(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	got, err := db.Query(t.Context(), rewrite(t, guard(t, db, 0, nil), `SELECT count(*) AS c FROM n`))
	if err != nil || got.Rows[0][0] != int64(1000) {
		t.Errorf("%v, %v", got, err)
	}
}
