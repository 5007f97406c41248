package main

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/command"
	"github.com/qedkit/qed/internal/command/chattest"
	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/store/sqlitestore"
)

// makeDatabase makes an SQLite file.
func makeDatabase(t *testing.T, path, schema string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(schema); err != nil {
		t.Fatal(err)
	}
}

// TestMain runs the program itself where a test asks for it, with a clock that is
// ahead by some minutes: so a process need not wait for the lease of the one before.
func TestMain(m *testing.M) {
	ahead := os.Getenv("ORCHESTRATOR_MAIN_AHEAD")
	if ahead == "" {
		os.Exit(m.Run())
	}
	minutes, err := strconv.Atoi(ahead)
	if err != nil {
		panic(err)
	}
	command.Main("orchestrator", func(ctx context.Context, args []string, in io.Reader, out io.Writer) error {
		now := func() time.Time { return time.Now().Add(time.Duration(minutes) * time.Minute) }
		return run(qed.WithClock(ctx, now), args, in, out)
	})
}

// program is the program as a process of its own, the nth in the folder.
func program(t *testing.T, folder string, n int, args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), fmt.Sprintf("ORCHESTRATOR_MAIN_AHEAD=%d", n), "TMPDIR="+t.TempDir())
	return cmd
}

// TestKilled kills the program at many moments, and starts it again until the
// conversation is over: it is the same, nothing was said twice, and nothing that was
// recorded was done again.
func TestKilled(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a killed process cannot be distinguished from a failed one")
	}
	chattest.Isolate(t, nil)
	if _, err := orchestrate(t, "", "-store", "whole.db"); err != nil {
		t.Fatal(err)
	}
	whole := messages(t, "whole.db", "chat-1")

	for name, start := range map[string]func(t *testing.T, folder string, n int) error{
		"after records": func(t *testing.T, folder string, n int) error {
			return program(t, folder, n, "-crash-at", strconv.Itoa(n+2)).Run()
		},
		"after lines": func(t *testing.T, folder string, n int) error {
			return killAfterLines(t, program(t, folder, n), 9+n*n)
		},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			killed := 0
			for n := 1; ; n++ {
				err := start(t, folder, n)
				if err == nil {
					break
				}
				var died *exec.ExitError
				if !errors.As(err, &died) || died.Exited() {
					t.Fatalf("start %d: %v %s", n, err, died.Stderr)
				}
				if killed++; n == 60 {
					t.Fatal("the conversation does not come to an end")
				}
			}
			if killed < 3 {
				t.Errorf("the program was killed %d times only", killed)
			}
			file := filepath.Join(folder, "data", "conversations.db")
			if diff := cmp.Diff(whole, messages(t, file, "chat-1")); diff != "" {
				t.Errorf("after %d kills another conversation is stored (-whole +killed):\n%s", killed, diff)
			}
			onceOnly(t, file)
		})
	}
}

// killAfterLines kills a process once it has written so many lines.
func killAfterLines(t *testing.T, cmd *exec.Cmd, lines int) error {
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for s := bufio.NewScanner(out); s.Scan(); {
		if lines--; lines == 0 {
			cmd.Process.Kill()
		}
	}
	return cmd.Wait()
}

// onceOnly checks that no call returned twice.
func onceOnly(t *testing.T, file string) {
	t.Helper()
	st, err := sqlitestore.Open(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	type call struct {
		run     int64
		address string
	}
	seen := map[call]bool{}
	for rec, err := range st.Records(t.Context(), "chat-1", store.Range{Kinds: []store.Kind{store.Returned}}) {
		if err != nil {
			t.Fatal(err)
		}
		if c := (call{rec.Run, rec.Address}); seen[c] {
			t.Errorf("a call was made twice: %+v", c)
		} else {
			seen[c] = true
		}
	}
	if len(seen) == 0 {
		t.Error("no call is recorded")
	}
}
