// Package corpora reads data for tests and benchmarks, as JSON lines. A public set
// is not part of the repository: the training set of Spider with SQL, and texts
// with references. A small set of our own with SQL is.
package corpora

import (
	"bufio"
	"embed"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// A Corpus is a set of databases with statements and joins. Names are compared
// without case.
type Corpus struct {
	Schemas    []Schema
	Statements []Statement
	Joins      []Join
}

// A Schema describes one database.
type Schema struct {
	DB          string
	Tables      map[string][]string
	ForeignKeys [][4]string         `json:"foreign_keys"` // from table, from column, to table, to column
	PrimaryKeys map[string][]string `json:"primary_keys"`
}

// A Statement is a statement in the dialect of SQLite.
type Statement struct{ DB, SQL string }

// A Join has the tables of a SELECT block and the equalities that join them.
type Join struct {
	DB         string
	Tables     []string
	Conditions [][4]string
	SelfJoin   bool `json:"self_join"`
}

// A Question has the tables of the statement that answers it.
type Question struct {
	DB, Question string
	Tables       []string
}

// A Referring is a German or English text, with the parts of it that refer to
// something and what each of them refers to.
type Referring struct {
	Lang, Tier, Text string
	Expected, Types  []string
}

//go:embed own
var own embed.FS

// Own returns our own set.
func Own(tb testing.TB) *Corpus {
	tb.Helper()
	return read(tb, own, "own/schemas.jsonl", "own/sql.jsonl", "own/joins.jsonl")
}

// Public returns the public set, from the directory in QED_CORPORA, or else from
// ../shared/corpora next to the repository. It returns nil if the default
// directory does not exist, and with -short.
func Public(tb testing.TB) *Corpus {
	tb.Helper()
	files := public()
	if files == nil {
		return nil
	}
	return read(tb, files, "spider_schemas.jsonl", "spider_sql.jsonl", "spider_joins.jsonl")
}

// Questions returns the questions of the public set, or nil as [Public].
func Questions(tb testing.TB) []Question {
	tb.Helper()
	files := public()
	if files == nil {
		return nil
	}
	return lines[Question](tb, files, "spider_questions.jsonl")
}

// NeedReferring returns the texts with references of the public set. Without it
// the test is skipped as by [Need].
func NeedReferring(tb testing.TB) []Referring {
	tb.Helper()
	files := public()
	if files == nil {
		skip(tb)
	}
	return lines[Referring](tb, files, "references.jsonl")
}

func public() fs.FS {
	if testing.Short() {
		return nil
	}
	dir := os.Getenv("QED_CORPORA")
	if dir == "" {
		root, ok := repository()
		if !ok {
			return nil
		}
		dir = filepath.Join(root, "..", "shared", "corpora")
		if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
			return nil
		}
	}
	return os.DirFS(dir)
}

// Need returns the public set. Without it the test is skipped, and the file that
// QED_SKIPPED names gets a line, which make test shows at its end.
func Need(tb testing.TB) *Corpus {
	tb.Helper()
	if c := Public(tb); c != nil {
		return c
	}
	skip(tb)
	return nil
}

// skip skips the test, and reports what is missing.
func skip(tb testing.TB) {
	tb.Helper()
	if testing.Short() {
		tb.Skip("it takes long")
	}
	line := "QED-SKIP the public corpora: they are not part of the repository; " +
		"use the training set of Spider, https://yale-lily.github.io/spider: CONTRIBUTING.md says in which form"
	if path := os.Getenv("QED_SKIPPED"); path != "" {
		f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			tb.Fatal(err)
		}
		_, err = f.WriteString(line + "\n")
		if err := errors.Join(err, f.Close()); err != nil {
			tb.Fatal(err)
		}
	}
	tb.Skip(line)
}

// Find returns the public set, or our own if the public set is not on this machine.
func Find(tb testing.TB) *Corpus {
	tb.Helper()
	if c := Public(tb); c != nil {
		return c
	}
	return Own(tb)
}

// repository returns the root directory of the repository, which has the workspace
// file.
func repository() (string, bool) {
	dir, err := os.Getwd()
	for err == nil {
		if _, err := os.Stat(filepath.Join(dir, "go.work")); err == nil {
			return dir, true
		}
		if dir == filepath.Dir(dir) {
			break
		}
		dir = filepath.Dir(dir)
	}
	return "", false
}

func read(tb testing.TB, files fs.FS, schemas, statements, joins string) *Corpus {
	tb.Helper()
	return &Corpus{
		Schemas:    lines[Schema](tb, files, schemas),
		Statements: lines[Statement](tb, files, statements),
		Joins:      lines[Join](tb, files, joins),
	}
}

// lines reads a file of JSON lines. A file without any fails the test, which would
// check nothing.
func lines[T any](tb testing.TB, files fs.FS, name string) []T {
	tb.Helper()
	f, err := files.Open(name)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	var out []T
	d := json.NewDecoder(bufio.NewReader(f))
	for {
		var entry T
		err := d.Decode(&entry)
		if errors.Is(err, io.EOF) && len(out) > 0 {
			return out
		}
		if err != nil {
			tb.Fatalf("%s: %v", name, err)
		}
		out = append(out, entry)
	}
}
