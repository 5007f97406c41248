package integration_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/module"
	modzip "golang.org/x/mod/zip"
)

// A release can be installed: the commands, and a program that imports the library and
// its module for DuckDB, are built from a proxy that has nothing but the files of a
// release, without this checkout.
func TestInstall(t *testing.T) {
	if testing.Short() {
		t.Skip("builds all commands")
	}
	t.Parallel()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	r := &release{version: fmt.Sprintf("v0.0.0-test.%d", time.Now().UnixNano()), proxy: t.TempDir(), cache: goEnv(t, "GOMODCACHE")}
	r.add(t, library, root)
	r.add(t, library+"/sqldb/duckdb", filepath.Join(root, "sqldb", "duckdb"))

	bin := t.TempDir()
	install := []string{"install", "-ldflags=-s -w"}
	for _, name := range []string{"qed-guard", "qed-esguard", "qed-joingraph", "qed-serve", "qed-ask"} {
		install = append(install, library+"/cmd/"+name+"@latest")
	}
	r.run(t, t.TempDir(), bin, install...)
	r.program(t)

	policy := filepath.Join(t.TempDir(), "policy.json")
	if err := os.WriteFile(policy, []byte(`{"dialect":"sqlite","tables":{"boat":["id"]}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	guard := exec.CommandContext(t.Context(), filepath.Join(bin, "qed-guard"), "-policy", policy)
	guard.Stdin = strings.NewReader(`{"id": 1, "sql": "SELECT id FROM boat"}` + "\n" + `{"id": 2, "sql": "SELECT id FROM crew"}`)
	if out := output(t, guard); strings.Count(out, "\n") != 2 || !strings.Contains(out, `"id":1,"ok":true`) || !strings.Contains(out, `"id":2,"ok":false`) {
		t.Errorf("qed-guard answers %s", out)
	}
	for _, name := range []string{"qed-esguard", "qed-joingraph", "qed-serve", "qed-ask"} {
		output(t, exec.CommandContext(t.Context(), filepath.Join(bin, name), "-h"))
	}
}

const library = "github.com/qedkit/qed"

// A release is a version of the modules in a proxy of files.
type release struct {
	version, proxy string
	cache          string // of modules
}

// add adds a module. A module that requires the library gets this version of it in
// place of the one that is released next.
func (r *release) add(t *testing.T, path, dir string) {
	t.Helper()
	folder := filepath.Join(r.proxy, filepath.FromSlash(path), "@v")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	if path != library {
		next := library + " " + released(t)
		if !strings.Contains(string(mod), "\t"+next+"\n") {
			t.Fatalf("%s does not require %s, the first version in CHANGELOG.md", path, next)
		}
		mod = []byte(strings.Replace(string(mod), next, library+" "+r.version, 1))
	}
	listed, err := modzip.CheckDir(dir)
	if err == nil {
		err = listed.Err()
	}
	if err != nil {
		t.Fatal(err)
	}
	var files []modzip.File
	for _, path := range listed.Valid {
		name, err := filepath.Rel(dir, path)
		if err != nil {
			t.Fatal(err)
		}
		f := file{name: filepath.ToSlash(name), path: path}
		if name == "go.mod" {
			f.path = filepath.Join(folder, r.version+".mod")
		}
		files = append(files, f)
	}
	write := func(name string, data []byte) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(folder, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("list", []byte(r.version+"\n"))
	write(r.version+".info", fmt.Appendf(nil, `{"Version":%q}`, r.version))
	write(r.version+".mod", mod)
	var archive bytes.Buffer
	if err := modzip.Create(&archive, module.Version{Path: path, Version: r.version}, files); err != nil {
		t.Fatal(err)
	}
	write(r.version+".zip", archive.Bytes())
	t.Cleanup(func() {
		for _, part := range []string{
			filepath.Join(r.cache, path+"@"+r.version),
			filepath.Join(r.cache, "cache", "download", path),
		} {
			_ = filepath.WalkDir(part, func(path string, d os.DirEntry, err error) error {
				if err == nil && d.IsDir() {
					_ = os.Chmod(path, 0o700) // modules are read-only
				}
				return nil
			})
			if err := os.RemoveAll(part); err != nil {
				t.Error(err)
			}
		}
	})
}

// A file is a file of a module.
type file struct{ name, path string }

func (f file) Path() string                 { return f.name }
func (f file) Lstat() (os.FileInfo, error)  { return os.Lstat(f.path) }
func (f file) Open() (io.ReadCloser, error) { return os.Open(f.path) }

// released returns the newest version in CHANGELOG.md.
func released(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "CHANGELOG.md"))
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^## \[(\d+\.\d+\.\d+)\]`).FindSubmatch(text)
	if found == nil {
		t.Fatal("CHANGELOG.md has no version")
	}
	return "v" + string(found[1])
}

// run runs a command of go that sees nothing but the release and other modules.
func (r *release) run(t *testing.T, dir, bin string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(),
		"GOPROXY=file://"+r.proxy+",file://"+filepath.Join(r.cache, "cache", "download")+","+goEnv(t, "GOPROXY"),
		"GOSUMDB=off", "GOWORK=off", "GOBIN="+bin)
	return output(t, cmd)
}

// program runs a user's program.
func (r *release) program(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"boats.csv": "name,crew\nAda,3\nBo,4\n",
		"go.mod":    "module example.com/boats\n\ngo 1.26.0\n",
		"main.go": `package main

import (
	"context"
	"fmt"
	"log"

	"github.com/qedkit/qed/sqldb/duckdb"
	"github.com/qedkit/qed/sqldb/duckdb/dialect"
	"github.com/qedkit/qed/secureview"
)

func main() {
	db, _, err := duckdb.Load(context.Background(), []duckdb.File{{Path: "boats.csv"}}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	guard, err := secureview.New(&secureview.Policy{
		Dialect: "duckdb", Tables: map[string][]string{duckdb.DefaultTable: {"name", "crew"}},
	}, dialect.Dialect{})
	if err != nil {
		log.Fatal(err)
	}
	table, err := db.QueryText(context.Background(), guard, "SELECT sum(crew) FROM t_parsed")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(table.Rows[0][0])
}
`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r.run(t, dir, "", "get", library+"/sqldb/duckdb@latest")
	if got := r.run(t, dir, "", "run", "-ldflags=-s -w", "."); strings.TrimSpace(got) != "7" {
		t.Errorf("the program prints %q", got)
	}
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	return strings.TrimSpace(output(t, exec.CommandContext(t.Context(), "go", "env", name)))
}

// output runs a command and returns what it prints.
func output(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, errs.String())
	}
	return string(out)
}
