package integration

import (
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// programs are the compiled programs of this project. Tests share them.
var programs struct {
	mu  sync.Mutex
	dir string
}

// Program compiles a program of this project, the first time that it is asked for, and
// returns its path.
func Program(tb testing.TB, name string) string {
	tb.Helper()
	programs.mu.Lock()
	defer programs.mu.Unlock()
	if programs.dir == "" {
		dir, err := os.MkdirTemp("", "qed-programs-")
		if err != nil {
			tb.Fatal(err)
		}
		programs.dir = dir
		running.add(func() { os.RemoveAll(dir) })
	}
	path := filepath.Join(programs.dir, filepath.FromSlash(name))
	if _, err := os.Stat(path); err == nil {
		return path
	}
	build := exec.Command("go", "build", "-ldflags=-s -w", "-o", path, "github.com/qedkit/qed/"+name)
	if out, err := build.CombinedOutput(); err != nil {
		tb.Fatalf("%v\n%s", err, out)
	}
	return path
}
