package sqlitestore_test

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/store/sqlitestore"
)

// The test binary is also the other process that uses a file. These variables
// then hold the path of the file and the text of the records.
const (
	childFile = "SQLITESTORE_TEST_FILE"
	childWork = "SQLITESTORE_TEST_WORK"
)

func TestMain(m *testing.M) {
	path := os.Getenv(childFile)
	if path == "" {
		os.Exit(m.Run())
	}
	if err := child(path, os.Getenv(childWork)); err != nil {
		fmt.Println("failed:", err)
		os.Exit(1)
	}
}

// childThreads is the work of a process that appends to many threads at once, for
// ever.
const childThreads = "many threads"

// manyThreads appends to 50 threads at once and prints each confirmed append.
func manyThreads(s store.Store) error {
	failed := make(chan error)
	for i := range 50 {
		go func() {
			thread := fmt.Sprint("thread ", i)
			var after int64
			for rec, err := range s.Records(context.Background(), thread, store.Range{NewestFirst: true, Limit: 1}) {
				if err != nil {
					failed <- err
				}
				after = rec.Seq
			}
			for ; ; after += 2 {
				state := message(thread)
				state.Kind = store.Checkpoint
				if err := s.Append(context.Background(), thread, after, message(thread), state); err != nil {
					failed <- fmt.Errorf("%s after %d: %w", thread, after, err)
				}
				fmt.Println("confirmed", i, after+2)
			}
		}()
	}
	return <-failed
}

// child appends to a thread and prints each confirmed append. It stops after 50
// appends unless its text is "for ever".
func child(path, work string) error {
	s, err := sqlitestore.Open(path, nil)
	if err != nil {
		return err
	}
	if work == childThreads {
		return manyThreads(s)
	}
	for n := 0; work == "for ever" || n < 50; {
		var after int64
		for rec, err := range s.Records(context.Background(), "thread", store.Range{NewestFirst: true, Limit: 1}) {
			if err != nil {
				return err
			}
			after = rec.Seq
		}
		err := s.Append(context.Background(), "thread", after, message(work), message(work))
		switch {
		case err == nil:
			n++
			fmt.Println("confirmed", after+2)
		case !errors.Is(err, store.ErrConflict):
			return err
		}
	}
	return s.Close()
}

func start(t *testing.T, path, work string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childFile+"="+path, childWork+"="+work)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	return cmd, bufio.NewScanner(out)
}

// A process is killed while it appends. Confirmed appends are there, an
// unconfirmed one is there in full or not at all, and the next process continues.
func TestKilled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "conversations.db")
	var confirmed int64
	for round := range 3 {
		cmd, out := start(t, path, "for ever")
		for i := 0; out.Scan(); i++ {
			if i == 0 {
				time.AfterFunc(time.Duration(50+round*37)*time.Millisecond, func() { cmd.Process.Kill() })
			}
			if _, err := fmt.Sscanf(out.Text(), "confirmed %d", &confirmed); err != nil {
				t.Fatal(out.Text())
			}
		}
		cmd.Wait()
		s := open(t, path, nil)
		n := count(t, s, "thread")
		if n != confirmed && n != confirmed+2 {
			t.Errorf("%d records, but %d were confirmed", n, confirmed)
		}
		confirmed = n
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	if confirmed == 0 {
		t.Error("nothing was confirmed")
	}
}

// A process is killed while appends of many threads share transactions. Confirmed
// appends are there, an unconfirmed one is there in full or not at all, and no
// thread has a gap.
func TestKilledInGroups(t *testing.T) {
	path := filepath.Join(t.TempDir(), "conversations.db")
	var confirmed [50]int64
	for round := range 5 {
		cmd, out := start(t, path, childThreads)
		appends := 0
		for out.Scan() {
			if appends == 0 {
				time.AfterFunc(time.Duration(100+round*41)*time.Millisecond, func() { cmd.Process.Kill() })
			}
			var thread int
			var head int64
			if n, _ := fmt.Sscanf(out.Text(), "confirmed %d %d", &thread, &head); n != 2 {
				if strings.HasPrefix(out.Text(), "failed") {
					t.Fatal(out.Text())
				}
				continue // a line that was cut off
			}
			confirmed[thread] = head
			appends++
		}
		cmd.Wait()
		s := open(t, path, nil)
		for i := range confirmed {
			thread := fmt.Sprint("thread ", i)
			n := count(t, s, thread)
			if n != confirmed[i] && n != confirmed[i]+2 {
				t.Errorf("round %d: %s has %d records, but %d were confirmed", round, thread, n, confirmed[i])
			}
			for rec, err := range s.Records(t.Context(), thread, store.Range{}) {
				if err != nil || string(rec.Data) != `"`+thread+`"` {
					t.Fatalf("%s: number %d is %s, %v", thread, rec.Seq, rec.Data, err)
				}
			}
			confirmed[i] = n
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		t.Logf("round %d: %d appends were confirmed", round, appends)
	}
	if slices.Max(confirmed[:]) == 0 {
		t.Error("nothing was confirmed")
	}
}

// Several processes append to one thread: no append is lost, mixed with another or
// made twice.
func TestProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "conversations.db")
	var cmds []*exec.Cmd
	var outs []*bufio.Scanner
	for _, work := range []string{"one", "two", "three"} {
		cmd, out := start(t, path, work)
		cmds, outs = append(cmds, cmd), append(outs, out)
	}
	seen := map[string]bool{}
	for i, out := range outs {
		for out.Scan() {
			if !strings.HasPrefix(out.Text(), "confirmed ") || seen[out.Text()] {
				t.Errorf("a process printed %q", out.Text())
			}
			seen[out.Text()] = true
		}
		if err := cmds[i].Wait(); err != nil {
			t.Error(err)
		}
	}
	s := open(t, path, nil)
	n, by := 0, map[string]int{}
	var before string
	for rec, err := range s.Records(t.Context(), "thread", store.Range{}) {
		if err != nil {
			t.Fatal(err)
		}
		if n++; n%2 == 0 && string(rec.Data) != before {
			t.Errorf("number %d is %s, and the one before is %s", rec.Seq, rec.Data, before)
		}
		before = string(rec.Data)
		by[before]++
	}
	if n != 300 || by[`"one"`] != 100 || by[`"two"`] != 100 || by[`"three"`] != 100 {
		t.Errorf("%d records, of %v", n, by)
	}
}

// counting counts the appends to a store.
type counting struct {
	store.Store
	appends *int
}

func (c counting) Append(ctx context.Context, thread string, after int64, recs ...store.Record) error {
	*c.appends++
	return c.Store.Append(ctx, thread, after, recs...)
}

// Another connection holds the lock of the file, as a process that is paused does. The
// first turn waits for it, and the turns after it hardly do. All of them are answered.
// When the lock is free, turns are saved again.
func TestPausedWriter(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for a lock")
	}
	path := filepath.Join(t.TempDir(), "conversations.db")
	st := open(t, path, nil)
	db, err := sql.Open("sqlite", "file:"+path+"?_txlock=immediate")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	paused, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	appends := 0
	agent := qed.Durable(qed.AgentFunc(func(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
		n, err := qed.Step(ctx, "count", nil, func(context.Context) (int, error) { return len(turn.Text), nil })
		return qed.Answer{Text: fmt.Sprint(n)}, err
	}), counting{st, &appends}, nil)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second) // each turn waited longer than that
	defer cancel()
	for i := range 4 {
		a, err := qed.Ask(ctx, agent, qed.Turn{Thread: fmt.Sprint("t", i), Text: "four"})
		if err != nil || a.Text != "4" || a.Saved {
			t.Errorf("turn %d: %+v, %v", i, a, err)
		}
	}
	if appends != 8 { // the beginning and the end of each turn
		t.Errorf("%d appends wait for the lock", appends)
	}
	if err := paused.Rollback(); err != nil {
		t.Error(err)
	}
	for i := 0; ; i++ {
		a, err := qed.Ask(ctx, agent, qed.Turn{Thread: fmt.Sprint("later ", i), Text: "four"})
		if err != nil || a.Text != "4" {
			t.Fatalf("afterwards: %+v, %v", a, err)
		}
		if a.Saved {
			break
		}
	}
}
