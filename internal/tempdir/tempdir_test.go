package tempdir_test

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/internal/tempdir"
)

// holderEnv is set in a process that makes a directory and waits until it is killed.
const holderEnv = "QED_TEMPDIR_HOLDER"

func TestMain(m *testing.M) {
	if parent := os.Getenv(holderEnv); parent != "" {
		d, err := tempdir.New(parent, "a-")
		if err != nil {
			panic(err)
		}
		os.Stdout.WriteString(d.Path + "\n")
		io.Copy(io.Discard, os.Stdin)
		return
	}
	os.Exit(m.Run())
}

// The next process removes the directory of one that was killed, and none of one that
// lives or of another prefix.
func TestStale(t *testing.T) {
	parent := t.TempDir()
	hold := func() (path string, kill func()) {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), holderEnv+"="+parent)
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
		line, err := bufio.NewReader(out).ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		path = line[:len(line)-1]
		if err := os.WriteFile(filepath.Join(path, "data"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		return path, func() { cmd.Process.Kill(); cmd.Wait() }
	}
	killed, kill := hold()
	alive, end := hold()
	defer end()
	kill()
	other, err := tempdir.New(parent, "b-")
	if err != nil {
		t.Fatal(err)
	}
	want(t, parent, killed, alive, other.Path)
	mine, err := tempdir.New(parent, "a-")
	if err != nil {
		t.Fatal(err)
	}
	want(t, parent, alive, other.Path, mine.Path)
	for range 2 {
		if err := mine.Remove(); err != nil {
			t.Error(err)
		}
	}
	want(t, parent, alive, other.Path)
	if _, err := tempdir.New(filepath.Join(parent, "none"), "a-"); !os.IsNotExist(err) {
		t.Errorf("a parent that is not there: %v", err)
	}
}

// Links of somebody else lead to nothing that is removed.
func TestLinks(t *testing.T) {
	parent := t.TempDir()
	victim := filepath.Join(t.TempDir(), "file")
	for _, path := range []string{victim, filepath.Join(parent, "a-2.lock")} {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{
		"a-1.lock": victim, "a-1": filepath.Dir(victim), "a-2": filepath.Dir(victim), "b.lock": victim,
	} {
		if err := os.Symlink(target, filepath.Join(parent, name)); err != nil {
			t.Fatal(err)
		}
	}
	d, err := tempdir.New(parent, "a-")
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Remove(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(victim); err != nil {
		t.Errorf("the target of a link: %v", err)
	}
	if _, err := os.Lstat(filepath.Join(parent, "a-2")); !os.IsNotExist(err) {
		t.Errorf("a link in place of a directory: %v", err)
	}
}

// want compares the directories in parent, each of which has a lock.
func want(t *testing.T, parent string, paths ...string) {
	t.Helper()
	entries, err := os.ReadDir(parent)
	if err != nil {
		t.Fatal(err)
	}
	wanted, got := map[string]bool{}, map[string]bool{}
	for _, p := range paths {
		wanted[filepath.Base(p)], wanted[filepath.Base(p)+".lock"] = true, true
	}
	for _, e := range entries {
		got[e.Name()] = true
	}
	if diff := cmp.Diff(wanted, got); diff != "" {
		t.Errorf("directories (-want +got)\n%s", diff)
	}
}
