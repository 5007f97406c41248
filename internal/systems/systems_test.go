//go:build !race

// Package systems tests that the library and its examples compile for systems other than
// this one. Only the types are checked: to compile for a system takes minutes, because
// of what is imported.
package systems

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func TestOtherSystems(t *testing.T) {
	if testing.Short() {
		t.Skip("reads the sources of everything that is imported, three times")
	}
	for _, system := range [][2]string{{"windows", "amd64"}, {"darwin", "arm64"}, {"linux", "386"}} {
		t.Run(system[0]+" "+system[1], func(t *testing.T) { check(t, system[0], system[1]) })
	}
}

// A listed package is one of go list, or one with its tests.
type listed struct {
	ImportPath, Dir, ForTest string
	GoFiles                  []string
	ImportMap                map[string]string
	Module                   *struct {
		Main      bool
		GoVersion string
	}
	Error *struct{ Err string }
}

func check(t *testing.T, system, processor string) {
	c := &checker{
		files:    token.NewFileSet(),
		sizes:    types.SizesFor("gc", processor),
		packages: map[string]*types.Package{"unsafe": types.Unsafe},
	}
	ours := 0
	for _, p := range list(t, system, processor) {
		if p.Error != nil {
			t.Errorf("%s: %s", p.ImportPath, p.Error.Err)
		}
		if p.ImportPath == "unsafe" || strings.HasSuffix(p.ImportPath, ".test") { // the main package that go test makes
			continue
		}
		if p.Module != nil && p.Module.Main {
			ours++
		}
		if err := c.check(p); err != nil {
			t.Errorf("%s: %v", p.ImportPath, err)
		}
	}
	if ours < 100 {
		t.Errorf("only %d packages are of this repository", ours)
	}
}

// list returns the packages with all that they import. A package comes after its imports.
func list(t *testing.T, system, processor string) []listed {
	t.Helper()
	cmd := exec.Command("go", "list", "-e", "-deps", "-test", "-json=ImportPath,Dir,ForTest,GoFiles,ImportMap,Module,Error",
		"./...", "./examples/...")
	cmd.Dir = filepath.Join("..", "..")
	cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+processor, "CGO_ENABLED=0")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var all []listed
	for d := json.NewDecoder(out); ; {
		var p listed
		err := d.Decode(&p)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	return all
}

// A checker has the types of the packages that it has checked, by their import path.
type checker struct {
	files    *token.FileSet
	sizes    types.Sizes
	packages map[string]*types.Package
}

// check checks the types of a package. The bodies of functions are read only if the
// package is of this repository.
func (c *checker) check(p listed) error {
	files, err := c.parse(p)
	if err != nil {
		return err
	}
	var errs []error
	conf := types.Config{
		Sizes:            c.sizes,
		Error:            func(err error) { errs = append(errs, err) }, // the others are found too
		IgnoreFuncBodies: p.Module == nil || !p.Module.Main,
		Importer: importer(func(path string) (*types.Package, error) {
			if mapped, ok := p.ImportMap[path]; ok {
				path = mapped
			}
			if found := c.packages[path]; found != nil {
				return found, nil
			}
			return nil, fmt.Errorf("%s is not listed", path)
		}),
	}
	if p.Module != nil && p.Module.GoVersion != "" {
		conf.GoVersion = "go" + p.Module.GoVersion
	}
	path, _, _ := strings.Cut(p.ImportPath, " ") // without the name of the test
	c.packages[p.ImportPath], _ = conf.Check(path, c.files, files, nil)
	return errors.Join(errs...)
}

func (c *checker) parse(p listed) ([]*ast.File, error) {
	files, errs := make([]*ast.File, len(p.GoFiles)), make([]error, len(p.GoFiles))
	var all sync.WaitGroup
	for i, name := range p.GoFiles {
		all.Go(func() {
			files[i], errs[i] = parser.ParseFile(c.files, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		})
	}
	all.Wait()
	return files, errors.Join(errs...)
}

type importer func(path string) (*types.Package, error)

func (f importer) Import(path string) (*types.Package, error) { return f(path) }
