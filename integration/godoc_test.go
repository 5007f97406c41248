package integration_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/doc"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// A shown is an example as the documentation of its package shows it.
type shown struct {
	name    string // of the package and the example
	dir     string // of the package, from the root
	program string // the whole program, or "" if the example is a fragment
	linked  string // programs with the same text are linked together
	example *doc.Example
}

// shownExamples returns the examples of the public packages.
func shownExamples(t *testing.T) (all []shown) {
	t.Helper()
	tests := map[string][]string{}
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		name := entry.Name()
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (slices.Contains([]string{"testdata", "internal", "integration", "examples", "cmd"}, name) ||
			strings.HasPrefix(name, ".") && name != ".."):
			return fs.SkipDir
		case strings.HasSuffix(name, "_test.go"):
			tests[filepath.Dir(path)] = append(tests[filepath.Dir(path)], path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for dir, paths := range tests {
		fset := token.NewFileSet()
		var files []*ast.File
		for _, path := range paths {
			file, err := parser.ParseFile(fset, path, nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, file)
		}
		for _, e := range doc.Examples(files...) {
			from, err := filepath.Rel("..", dir)
			if err != nil {
				t.Fatal(err)
			}
			s := shown{name: filepath.ToSlash(from) + ".Example" + e.Name, dir: filepath.ToSlash(from), example: e}
			if e.Play != nil {
				var text bytes.Buffer
				if err := format.Node(&text, fset, e.Play); err != nil {
					t.Fatal(err)
				}
				s.program = text.String()
				if s.linked = "none"; strings.Contains(s.program, `"database/sql"`) {
					s.linked = cmp.Or(strings.Join(blankImport.FindAllString(s.program, -1), ""), s.name)
				}
			}
			all = append(all, s)
		}
	}
	return all
}

// TestShownExamples builds and runs the examples of all public packages as somebody does
// who copies them from the documentation into a module of his own: each is a whole
// program, needs no file and no server, and prints what the documentation says. An
// example without an output is only built.
func TestShownExamples(t *testing.T) {
	if testing.Short() {
		t.Skip("builds all examples")
	}
	t.Parallel()
	var library, duckdb []shown
	for _, s := range shownExamples(t) {
		switch {
		case s.program == "":
			t.Errorf("%s is a fragment on its page: it uses what another file declares", s.name)
		case strings.HasPrefix(s.dir, "sqldb/duckdb"):
			duckdb = append(duckdb, s)
		default:
			library = append(library, s)
		}
	}
	if len(library) < 150 || len(duckdb) == 0 {
		t.Errorf("there are %d and %d examples", len(library), len(duckdb))
	}
	t.Run("library", func(t *testing.T) { runShown(t, library, "") })
	t.Run("duckdb", func(t *testing.T) { runShown(t, duckdb, "sqldb/duckdb") })
}

// blankImport is the import of a driver.
var blankImport = regexp.MustCompile(`(?m)^\s+_ ".*\n`)

// runShown builds the programs in a module that has nothing of this checkout but the
// library and, if it is given, another module. Programs that open no drivers are linked
// together, and so are those that import the same ones, so that none has a driver that
// another one registered. Each runs in a process and a folder of its own.
func runShown(t *testing.T, examples []shown, module string) {
	t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	// A workspace shares what is compiled with this checkout; a module in which others are
	// replaced does not.
	used := "\t.\n\t" + root + "\n"
	if module != "" {
		used += "\t" + filepath.Join(root, module) + "\n"
	}
	write("go.mod", "module example.com/shown\n\ngo 1.26\n")
	write("go.work", "go 1.26.0\n\nuse (\n"+used+")\n")

	groups := map[string]int{}
	imports, calls := map[int]string{}, map[int]string{}
	for i, s := range examples {
		if _, ok := groups[s.linked]; !ok {
			groups[s.linked] = len(groups)
		}
		group, name := groups[s.linked], fmt.Sprintf("e%d", i)
		text := strings.Replace(s.program, "package main", "package "+name, 1)
		write(name+"/example.go", strings.Replace(text, "\nfunc main() {", "\nfunc Main() {", 1))
		imports[group] += fmt.Sprintf("\t%q\n", "example.com/shown/"+name)
		calls[group] += fmt.Sprintf("\tcase %q:\n\t\t%s.Main()\n", name, name)
	}
	for group, text := range imports {
		write(fmt.Sprintf("group%d/main.go", group), "package main\n\nimport (\n\t\"os\"\n"+text+
			")\n\nfunc main() {\n\tswitch os.Args[1] {\n"+calls[group]+"\t}\n}\n")
	}
	bin := t.TempDir()
	build := exec.CommandContext(t.Context(), "go", "build", "-ldflags=-s -w", "-o", bin+string(filepath.Separator), "./...")
	build.Dir = dir
	build.Env = append(os.Environ(), "GOWORK="+filepath.Join(dir, "go.work"))
	if out, err := build.CombinedOutput(); err != nil {
		names := ""
		for i, s := range examples {
			names += fmt.Sprintf("e%d is %s\n", i, s.name)
		}
		t.Fatalf("the examples do not build: %v\n%s\n%s", err, out, names)
	}
	for i, s := range examples {
		if s.example.Output == "" && !s.example.EmptyOutput {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, filepath.Join(bin, fmt.Sprintf("group%d", groups[s.linked])), fmt.Sprintf("e%d", i))
			cmd.Dir = t.TempDir()
			var errs bytes.Buffer
			cmd.Stderr = &errs
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("the program fails: %v\n%s\n%s", err, errs.Bytes(), s.program)
			}
			got, want := strings.TrimSpace(string(out)), strings.TrimSpace(s.example.Output)
			if s.example.Unordered {
				got, want = sortedLines(got), sortedLines(want)
			}
			if got != want {
				t.Errorf("the program prints\n%s\nits page says\n%s", got, want)
			}
		})
	}
}

func sortedLines(text string) string {
	return strings.Join(slices.Sorted(strings.SplitSeq(text, "\n")), "\n")
}

var (
	mention    = regexp.MustCompile(`[Pp]ackages? \[?([a-z]+(?:/[a-z]+)*)\b(\]?)`)
	definition = regexp.MustCompile(`(?m)^\[([^\]]+)\]: (\S+)$`)
)

// TestOverviews reads the overviews of the public packages: the first sentence, which
// lists of packages show as it is written, has no brackets; packages of this module that
// an overview names are links; and links lead to packages and examples that exist.
func TestOverviews(t *testing.T) {
	examples := map[string]bool{}
	for _, s := range shownExamples(t) {
		anchor := "package"
		if name := s.example.Name; name != "" {
			of, suffix, hasSuffix := strings.Cut(name, "_")
			if hasSuffix && suffix[0] >= 'A' && suffix[0] <= 'Z' { // a method
				method, rest, more := strings.Cut(suffix, "_")
				of, suffix, hasSuffix = of+"."+method, rest, more
			}
			if anchor = of; hasSuffix {
				anchor += "-" + strings.ToUpper(suffix[:1]) + suffix[1:]
			}
		}
		examples[s.dir+"#example-"+anchor] = true
	}
	overviews := map[string]string{}
	folders := map[string]bool{} // of packages, by the last part of the path
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		name := entry.Name()
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (slices.Contains([]string{"testdata", "internal", "integration", "examples", "cmd"}, name) ||
			strings.HasPrefix(name, ".") && name != ".."):
			return fs.SkipDir
		case filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.PackageClauseOnly)
		if err != nil {
			return err
		}
		dir := strings.TrimPrefix(filepath.ToSlash(filepath.Dir(path)), "../")
		folders[filepath.Base(dir)] = true
		if file.Doc != nil {
			overviews[dir] += file.Doc.Text()
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(overviews) < 60 {
		t.Errorf("there are %d overviews", len(overviews))
	}
	for dir, text := range overviews {
		first, rest, _ := strings.Cut(text, ".\n")
		if before, _, found := strings.Cut(first, ". "); found {
			first = before
		}
		if strings.Contains(first, "[") {
			t.Errorf("the first sentence of %s has brackets: %s", dir, first)
		}
		rest = strings.ReplaceAll(rest, "\n", " ")
		for _, m := range mention.FindAllStringSubmatch(rest, -1) {
			if name := filepath.Base(m[1]); m[2] == "" && folders[name] && name != filepath.Base(dir) {
				t.Errorf("the overview of %s names package %s without a link", dir, m[1])
			}
		}
		for _, m := range definition.FindAllStringSubmatch(text, -1) {
			page := pageOf.FindStringSubmatch(m[2])
			if page == nil {
				continue
			}
			to := cmp.Or(page[1], "..")
			if _, ok := overviews[to]; !ok {
				t.Errorf("%s links to %s, which is no package", dir, m[2])
			}
			if _, anchor, ok := strings.Cut(m[2], "#"); ok && !examples[cmp.Or(page[1], ".")+"#"+anchor] {
				t.Errorf("%s links to %s, which is no example", dir, m[2])
			}
		}
	}
}
