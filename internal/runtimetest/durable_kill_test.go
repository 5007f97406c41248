package runtimetest_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/qedtest"
	"github.com/qedkit/qed/store"
)

// fileStore saves one thread as lines in a file, for one process at a time.
type fileStore struct {
	path string
	mu   sync.Mutex
	memo store.InMemory // what the file has

	appended func(records int) // called after every append
}

// openFile reads the store in a file, which may not exist. A last line that was
// cut off is dropped.
func openFile(path string) (*fileStore, error) {
	s := &fileStore{path: path, appended: func(int) {}}
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	whole := text[:bytes.LastIndexByte(text, '\n')+1]
	if len(whole) < len(text) {
		if err := os.WriteFile(path, whole, 0o600); err != nil {
			return nil, err
		}
	}
	for line := range bytes.Lines(whole) {
		var recs []store.Record
		if err := json.Unmarshal(line, &recs); err != nil {
			return nil, err
		}
		if err := s.memo.Append(context.Background(), "t", recs[0].Seq-1, recs...); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s *fileStore) Append(ctx context.Context, thread string, after int64, recs ...store.Record) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.memo.Append(ctx, thread, after, recs...); err != nil {
		return err
	}
	var added []store.Record
	for rec := range s.memo.Records(ctx, thread, store.Range{From: after + 1}) {
		added = append(added, rec)
	}
	line, err := json.Marshal(added)
	if err != nil {
		return err
	}
	if err := appendLine(s.path, string(line)); err != nil {
		return err
	}
	s.appended(len(recs))
	return nil
}

func (s *fileStore) Records(ctx context.Context, thread string, r store.Range) iter.Seq2[store.Record, error] {
	return s.memo.Records(ctx, thread, r)
}

func (s *fileStore) Trim(ctx context.Context, thread string, before int64, kinds ...store.Kind) error {
	return errors.ErrUnsupported
}

func (s *fileStore) Delete(ctx context.Context, thread string) error { return errors.ErrUnsupported }

// appendLine writes a line in one call, which a kill does not interrupt.
func appendLine(path, line string) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.WriteString(f, line+"\n")
	return errors.Join(err, f.Close())
}

// TestMain is the process that is killed, if its environment says so.
func TestMain(m *testing.M) {
	if dir := os.Getenv("QED_KILLED_IN"); dir != "" {
		fmt.Println(beKilled(dir, os.Getenv("QED_KILLED_AFTER")))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// beKilled runs the journey in this process, which kills itself after the append
// of a record.
func beKilled(dir, after string) error {
	left, err := strconv.Atoi(after)
	if err != nil {
		return err
	}
	st, err := openFile(filepath.Join(dir, "log"))
	if err != nil {
		return err
	}
	st.appended = func(records int) {
		if left -= records; left <= 0 {
			if self, err := os.FindProcess(os.Getpid()); err == nil {
				self.Kill()
			}
			select {}
		}
	}
	t := &outside{}
	s := scriptNamed(t, "journey")
	l := fileLedger(t, dir)
	c := &talk{t, slowly(context.Background()), qed.Durable(s.agent(t, l), st, nil), st, "t"}
	for _, text := range s.says {
		a, err := c.try(qed.Turn{Text: text})
		if _, err = s.answer(c, a, err); err != nil {
			return err
		}
	}
	return errors.New("the conversation was over before")
}

// outside is the testing.TB of a process that is no test.
type outside struct{ testing.TB }

func (*outside) Helper() {}

func (*outside) Fatal(args ...any) { panic(fmt.Sprint(args...)) }

func (*outside) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

func scriptNamed(t testing.TB, name string) conversation {
	for _, s := range conversations() {
		if s.name == name {
			return s
		}
	}
	t.Fatalf("no conversation %q", name)
	return conversation{}
}

// fileLedger is a Ledger that continues one in a file.
func fileLedger(t testing.TB, dir string) *qedtest.Ledger {
	path := filepath.Join(dir, "done")
	l := &qedtest.Ledger{}
	f, err := os.Open(path)
	if err == nil {
		defer f.Close()
		for lines := bufio.NewScanner(f); lines.Scan(); {
			l.Do(lines.Text())
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	l.Note = func(what string) {
		if err := appendLine(path, what); err != nil {
			t.Fatal(err)
		}
	}
	return l
}

// A process dies by SIGKILL after any record, and another one resumes its run.
func TestResumeAfterAKill(t *testing.T) {
	s := scriptNamed(t, "journey")
	want := s.tell(t, t.Context())
	for n := 1; n <= len(want.moments[len(want.moments)-1].Log); n++ {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			child := exec.CommandContext(t.Context(), os.Args[0])
			child.Env = append(os.Environ(), "QED_KILLED_IN="+dir, fmt.Sprint("QED_KILLED_AFTER=", n))
			out, err := child.CombinedOutput()
			if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
				t.Fatalf("the process ended with %v: %s", err, out)
			}
			st, err := openFile(filepath.Join(dir, "log"))
			if err != nil {
				t.Fatal(err)
			}
			l := fileLedger(t, dir)
			c := converse(t, s.agent(t, l), st, nil)
			c.ctx = qed.WithClock(t.Context(), func() time.Time { return time.Now().Add(time.Hour) })
			s.resume(c, qedtest.Log(t, st, "t"), 0, l, want)
		})
	}
}
