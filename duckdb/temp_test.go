package duckdb_test

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/duckdb"
)

// holderEnv is set in a process that loads a file and waits until it is killed.
const holderEnv = "QED_DUCKDB_HOLDER"

// The next process removes the temporary directory of one that was killed, and none of
// one that lives.
func TestStaleDirectories(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	file := write(t, "x.csv", "a,b\n1,x\n")
	hold := func() (dir string, kill func()) {
		before := directories(t, temp)
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), holderEnv+"="+file)
		out, err := cmd.StdoutPipe()
		if err == nil {
			_, err = cmd.StdinPipe() // it ends with this process
		}
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		if line, err := bufio.NewReader(out).ReadString('\n'); err != nil {
			t.Fatalf("%q, %v", line, err)
		}
		for name := range directories(t, temp) {
			if !before[name] {
				dir = name
			}
		}
		return dir, func() { cmd.Process.Kill(); cmd.Wait() }
	}
	killed, kill := hold()
	alive, end := hold()
	defer end()
	kill()
	victim := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(victim, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"qed-duckdb-link.lock": victim, "qed-duckdb-link": filepath.Dir(victim), "other.lock": victim} {
		if err := os.Symlink(target, filepath.Join(temp, name)); err != nil {
			t.Fatal(err)
		}
	}
	if got := directories(t, temp); !got[killed] || !got[alive] {
		t.Fatalf("%v lacks %s or %s", got, killed, alive)
	}
	db, err := duckdb.Load(t.Context(), []duckdb.File{{Path: file}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]bool{alive: true}, directories(t, temp)); diff != "" {
		t.Errorf("directories (-want +got)\n%s", diff)
	}
	if _, err := os.Stat(victim); err != nil {
		t.Errorf("the target of a link: %v", err)
	}
}

// directories returns the temporary directories. Each has a lock, and each lock one.
func directories(t *testing.T, temp string) map[string]bool {
	t.Helper()
	entries, err := os.ReadDir(temp)
	if err != nil {
		t.Fatal(err)
	}
	found, locks := map[string]bool{}, map[string]bool{}
	for _, e := range entries {
		switch name, isLock := strings.CutSuffix(e.Name(), ".lock"); {
		case isLock && e.Type().IsRegular():
			locks[name] = true
		case e.IsDir():
			found[name] = true
		}
	}
	if diff := cmp.Diff(found, locks); diff != "" {
		t.Errorf("directories (-) and locks (+)\n%s", diff)
	}
	return found
}
