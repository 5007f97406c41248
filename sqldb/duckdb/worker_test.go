package duckdb_test

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/sqldb"
	"github.com/qedkit/qed/sqldb/duckdb"
	"github.com/qedkit/qed/sqldb/duckdb/dialect"
)

// workerEnv is set in a process that executes statements for a test, so that a crash
// of DuckDB ends that process only.
const workerEnv = "QED_DUCKDB_WORKER"

func TestMain(m *testing.M) {
	if path := os.Getenv(workerEnv); path != "" {
		if err := work(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

const (
	workerTimeout = time.Second
	workerMemory  = 256 << 20

	// workerSlack is how long a statement may run after its time limit. A statement
	// that nothing stops runs for minutes, and the machine of a test may be busy.
	workerSlack = 15 * time.Second

	// workerPeak is how much memory a worker may use. DuckDB does not count all that
	// it allocates for one batch of rows.
	workerPeak = 1 << 30
)

const workerRows = `CREATE TABLE t AS SELECT i::INTEGER AS n, i * 1000003 AS b, i / 7 AS d, repeat('a', 200) AS s,
	['x', 'y', NULL] AS l, DATE '2024-01-01' + (i % 900)::INTEGER AS day, json('{"a": [1, {"b": "x"}]}') AS j FROM range(5000) r(i)`

var workerPolicy = &secureview.Policy{Dialect: "duckdb", Tables: map[string][]string{"t": {"n", "b", "d", "s", "l", "day", "j"}}}

// An outcome is what became of a statement.
type outcome struct {
	Refused string // by the guard
	Error   string
	Kind    sqldb.Kind
	Dead    string // why the database cannot be used afterwards
	Took    time.Duration
	Peak    int64
	crashed bool
}

// work executes the statements of standard input, one a line.
func work(path string) error {
	g, err := secureview.New(workerPolicy, dialect.Dialect{})
	if err != nil {
		return err
	}
	db, err := duckdb.Open(context.Background(), path, &duckdb.Options{MemoryLimit: workerMemory, MaxTempBytes: 64 << 20, Threads: 2,
		Options: sqldb.Options{Timeout: workerTimeout, MaxBytes: 4 << 20}})
	if err != nil {
		return err
	}
	defer db.Close()
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20)
	out := json.NewEncoder(os.Stdout)
	for in.Scan() {
		os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // the peak begins again, where the system has that
		start := time.Now()
		var o outcome
		var e *sqldb.Error
		stmt, err := g.Rewrite(context.Background(), in.Text())
		if err != nil {
			o.Refused = err.Error()
		} else if _, err = db.Query(context.Background(), stmt); err != nil {
			o.Error = err.Error()
			if errors.As(err, &e) {
				o.Kind = e.Kind
			}
		}
		o.Took, o.Peak = time.Since(start), peak()
		if o.Error != "" {
			if _, err := ask(db, g, "SELECT count(*) FROM t"); err != nil {
				o.Dead = err.Error()
			}
		}
		if err := out.Encode(o); err != nil {
			return err
		}
	}
	return in.Err()
}

// peak returns the most memory that the process used, or 0 where that is not known.
func peak() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range bytes.Lines(status) {
		if rest, ok := bytes.CutPrefix(line, []byte("VmHWM:")); ok {
			n, _ := strconv.ParseInt(strings.Fields(string(rest))[0], 10, 64)
			return n << 10
		}
	}
	return 0
}

// A worker is a process that executes statements. It is started again after a crash.
type worker struct {
	t       testing.TB
	path    string
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	stderr  bytes.Buffer
	refused int
	ran     int
}

func newWorker(t testing.TB) *worker {
	path := filepath.Join(t.TempDir(), "t.duckdb")
	db, err := sql.Open("duckdb", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(workerRows); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	w := &worker{t: t, path: path}
	t.Cleanup(w.stop)
	return w
}

func (w *worker) start() {
	w.stderr.Reset()
	w.cmd = exec.Command(os.Args[0])
	w.cmd.Env = append(os.Environ(), workerEnv+"="+w.path, "TMPDIR="+w.t.TempDir())
	w.cmd.Stderr = &w.stderr
	out, err := w.cmd.StdoutPipe()
	if err == nil {
		w.in, err = w.cmd.StdinPipe()
	}
	if err == nil {
		err = w.cmd.Start()
	}
	if err != nil {
		w.t.Fatal(err)
	}
	w.out = bufio.NewReader(out)
}

func (w *worker) stop() {
	if w.cmd == nil {
		return
	}
	w.in.Close()
	timer := time.AfterFunc(workerSlack, func() { w.cmd.Process.Kill() })
	w.cmd.Wait()
	timer.Stop()
	w.cmd = nil
}

// do executes a statement. A worker that does not answer in time is ended.
func (w *worker) do(query string) outcome {
	if w.cmd == nil {
		w.start()
	}
	timer := time.AfterFunc(workerTimeout+workerSlack, func() { w.cmd.Process.Kill() })
	defer timer.Stop()
	start := time.Now()
	var o outcome
	_, err := fmt.Fprintln(w.in, strings.ReplaceAll(query, "\n", " "))
	if err == nil {
		var line []byte
		if line, err = w.out.ReadBytes('\n'); err == nil {
			err = json.Unmarshal(line, &o)
		}
	}
	if err != nil {
		o.Took = time.Since(start)
		o.crashed = true
		w.stop()
		o.Error = fmt.Sprintf("the process ended: %v %.300s", err, w.stderr.String())
	}
	return o
}

// check executes a statement, and fails the test for what no accepted statement may
// do.
func (w *worker) check(query string) outcome {
	o := w.do(query)
	switch {
	case o.crashed:
		w.t.Errorf("%s\nends the process after %v: %s", query, o.Took, o.Error)
	case o.Dead != "":
		w.t.Errorf("%s\nerror %s\nthe database cannot be used afterwards: %s", query, o.Error, o.Dead)
		w.stop()
	case o.Refused != "":
		w.refused++
		return o
	case o.Peak > workerPeak:
		w.t.Errorf("%s\nuses %d MB", query, o.Peak>>20)
		w.stop()
	case o.Took > workerTimeout+workerSlack:
		w.t.Errorf("%s\nruns for %v", query, o.Took)
	}
	w.ran++
	return o
}
