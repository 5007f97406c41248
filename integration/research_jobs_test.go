package integration_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// researchWorker is a process that runs researches.
type researchWorker struct {
	cmd   *exec.Cmd
	out   io.Closer // the reader of its output
	log   lockedBuffer
	mu    sync.Mutex
	lines []string
	ready chan struct{}
	read  chan struct{} // closed at the end of the output
}

func startResearchWorker(t *testing.T, e *example, address string, lease time.Duration, flags ...string) *researchWorker {
	t.Helper()
	w := &researchWorker{ready: make(chan struct{}), read: make(chan struct{})}
	if !slices.Contains(flags, "-think") {
		flags = append(flags, "-think", "100ms")
	}
	w.cmd = exec.Command(e.path, append([]string{"-worker", "-store", address, "-lease", lease.String()}, flags...)...)
	w.cmd.Dir = t.TempDir()
	w.cmd.Env = withoutModel()
	w.cmd.Stderr = &w.log
	out, err := w.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := w.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.out = out
	go func() {
		defer close(w.read)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if strings.Contains(lines.Text(), "The worker runs.") {
				close(w.ready)
			}
			w.mu.Lock()
			w.lines = append(w.lines, lines.Text())
			w.mu.Unlock()
		}
	}()
	t.Cleanup(func() { w.kill() })
	select {
	case <-w.ready:
	case <-time.After(30 * time.Second):
		t.Fatalf("the worker does not run: %s", &w.log)
	}
	return w
}

// kill ends the process at once, and returns the time.
func (w *researchWorker) kill() time.Time {
	_ = w.cmd.Process.Kill()
	at := time.Now()
	<-w.read
	_ = w.cmd.Wait()
	return at
}

// stop asks the process to end, and returns its exit status and what it has logged.
func (w *researchWorker) stop(t *testing.T) (status int, log string) {
	t.Helper()
	if err := w.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatalf("the worker has ended already: %v\n%s", err, &w.log)
	}
	timer := time.AfterFunc(time.Minute, func() { _ = w.cmd.Process.Kill() })
	defer timer.Stop()
	<-w.read
	_ = w.cmd.Wait()
	return w.cmd.ProcessState.ExitCode(), w.log.String()
}

// calls returns the lines of model calls that begin with a word.
func (w *researchWorker) calls(word string) (found []researchCall) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, line := range w.lines {
		var c researchCall
		if n, _ := fmt.Sscanf(line, word+" %s %s %s %d", &c.thread, &c.name, &c.hash, &c.millis); n == 4 {
			found = append(found, c)
		}
	}
	return found
}

type researchCall struct {
	thread, name, hash string
	millis             int64
}

func withoutModel() (env []string) {
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); !strings.HasPrefix(name, "OPENAI_") && !strings.HasPrefix(name, "ANTHROPIC_") && !strings.HasPrefix(name, "DB_") {
			env = append(env, v)
		}
	}
	return env
}

// Twenty researches run on two workers, and one of these is killed. The other one ends
// them all, begins no later than two leases, and makes no call again that was recorded.
func TestResearchJobs(t *testing.T) {
	server := postgreSQLExample(t, "research_jobs")
	address := server.url(server.root, "", server.database) + "?sslmode=disable"
	e := buildExample(t, "research")

	const lease = 4 * time.Second
	killed := startResearchWorker(t, e, address, lease)
	other := startResearchWorker(t, e, address, lease)
	const researches = 20
	for range researches {
		out, ok := e.run(t, nil, "-submit", "-store", address, liegegeld)
		if !ok {
			t.Fatal(out)
		}
	}
	for len(killed.calls("got")) < 25 {
		select {
		case <-time.After(20 * time.Millisecond):
		case <-killed.read:
			t.Fatal("the worker ended")
		}
	}
	died := killed.kill()
	done := func() (n int) {
		row := server.admin.QueryRow("SELECT count(DISTINCT args->>'thread') FROM river_job WHERE state = 'completed'")
		if err := row.Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	for deadline := died.Add(2 * time.Minute); done() < researches; time.Sleep(100 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d of %d researches were done", done(), researches)
		}
	}

	// What the killed worker had begun is taken over within two leases.
	first := map[string]int64{} // by thread of the killed worker: its first call elsewhere after the kill
	mine := map[string]bool{}
	for _, c := range killed.calls("asks") {
		mine[c.thread] = true
	}
	for _, c := range other.calls("asks") {
		if mine[c.thread] && first[c.thread] == 0 && c.millis > died.UnixMilli() {
			first[c.thread] = c.millis
		}
	}
	if len(first) == 0 {
		t.Fatal("the killed worker had no research that another one could take over")
	}
	for thread, at := range first {
		if late := time.UnixMilli(at).Sub(died); late > 2*lease+2*time.Second {
			t.Errorf("research %s was taken over after %v, and two leases are %v", thread, late, 2*lease)
		}
	}

	// A thread with one worker makes each call so often. What is made more often was
	// in flight when the worker died, or was recorded by nobody yet.
	type key struct{ name, hash string }
	whole, each := map[key]int{}, map[string]map[key]int{}
	for _, w := range []*researchWorker{killed, other} {
		for _, c := range w.calls("got") {
			if each[c.thread] == nil {
				each[c.thread] = map[key]int{}
			}
			each[c.thread][key{c.name, c.hash}]++
		}
	}
	for thread, calls := range each {
		if !mine[thread] {
			whole = calls
		}
	}
	if len(each) != researches || len(whole) == 0 {
		t.Fatalf("%d researches called the model, and %d calls are those of a whole one", len(each), len(whole))
	}
	again := 0
	for _, calls := range each {
		for k, n := range calls {
			again += max(0, n-max(1, whole[k]))
		}
	}
	inFlight := len(killed.calls("asks")) - len(killed.calls("got"))
	unsaved := 0
	for _, c := range killed.calls("got") {
		if c.millis > died.Add(-200*time.Millisecond).UnixMilli() {
			unsaved++
		}
	}
	t.Logf("taken over: %d; in flight: %d; not yet saved: at most %d; made again: %d", len(first), inFlight, unsaved, again)
	if again > unsaved {
		t.Errorf("%d calls that had returned were made again, and at most %d were not saved", again, unsaved)
	}
	for id := 1; id <= 2; id++ {
		out, ok := e.run(t, nil, "-watch", strconv.Itoa(id), "-store", address)
		if !ok || !strings.Contains(out, "120 Euro Liegegeld [1]") {
			t.Errorf("report of job %d: %s", id, out)
		}
	}
}

// An account whose rights are taken away gets no further, and a cancelled job ends.
func TestResearchJobsStop(t *testing.T) {
	server := postgreSQLExample(t, "research_stop")
	address := server.url(server.root, "", server.database) + "?sslmode=disable"
	e := buildExample(t, "research")
	accounts := filepath.Join(t.TempDir(), "accounts.json")
	allow := func(text string) {
		t.Helper()
		if err := errors.Join(os.WriteFile(accounts+".new", []byte(text), 0o600), os.Rename(accounts+".new", accounts)); err != nil {
			t.Fatal(err)
		}
	}
	allow(`{"ann": ["de"]}`)
	w := startResearchWorker(t, e, address, 4*time.Second, "-accounts", accounts)
	submit := func(account string) string {
		t.Helper()
		out, ok := e.run(t, nil, "-submit", "-account", account, "-store", address, liegegeld)
		if !ok {
			t.Fatal(out)
		}
		return strings.TrimSpace(out)
	}
	ends := func(job, want string) {
		t.Helper()
		out, ok := e.run(t, nil, "-watch", job, "-store", address)
		if ok || !strings.Contains(out, want) {
			t.Errorf("job %s: ok %v: %s", job, ok, out)
		}
	}
	ends(submit("eve"), "cancelled")
	revoked := submit("ann")
	for len(w.calls("got")) < 3 {
		time.Sleep(10 * time.Millisecond)
	}
	allow(`{}`)
	ends(revoked, "cancelled")

	allow(`{"ann": ["de"]}`)
	before := len(w.calls("got"))
	stopped := submit("ann")
	for len(w.calls("got")) < before+3 {
		time.Sleep(10 * time.Millisecond)
	}
	if out, ok := e.run(t, nil, "-cancel", stopped, "-store", address); !ok {
		t.Error(out)
	}
	ends(stopped, "cancelled")
}

// A cancelled research makes no call after the cancellation was seen, in each order of
// kills, cancellations, starts and takeovers. The number that -submit printed cancels it.
func TestResearchJobsAreCancelled(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for the leases of workers that are killed")
	}
	e := buildExample(t, "research")
	for i, steps := range [][]string{
		{"cancel"},
		{"cancel", "kill", "start"},
		{"pause", "cancel", "kill", "start"}, // the worker does not see the cancellation
		{"kill", "cancel", "start"},
		{"kill", "start", "cancel"}, // at once: the job is not replaced yet
		{"kill", "start", "takeover", "cancel"},
		{"kill", "start", "takeover", "pause", "cancel", "kill", "start"},
		{"kill", "start", "takeover", "kill", "cancel", "start"},
		{"kill", "start", "takeover", "kill", "start", "takeover", "cancel", "kill", "start"},
		{"stop", "cancel", "start"},
		{"stop", "start", "takeover", "cancel"},
	} {
		t.Run(strings.Join(steps, " "), func(t *testing.T) {
			t.Parallel()
			server := postgreSQLExample(t, fmt.Sprintf("research_cancel_%d", i))
			c := &cancelledResearch{e: e, address: server.url(server.root, "", server.database) + "?sslmode=disable"}
			c.start(t)
			c.job = c.command(t, "-submit", liegegeld)
			c.takeover(t)
			for _, step := range steps {
				switch step {
				case "start":
					c.start(t)
				case "takeover":
					c.takeover(t)
				case "cancel":
					c.command(t, "-cancel", c.job)
					c.cancelled = time.Now()
				default:
					c.end(t, step)
				}
			}
			time.Sleep(3 * researchLease) // a takeover needs two at most
			c.start(t)                    // another one may see the dead job, too
			time.Sleep(3 * researchLease)
			late := 0
			for _, w := range c.workers {
				for _, call := range w.calls("asks") {
					// The call in flight ends when the cancellation reaches its worker.
					if time.UnixMilli(call.millis).After(c.cancelled.Add(researchLease / 2)) {
						late++
					}
				}
			}
			if late > 0 {
				t.Errorf("%d calls were made after the cancellation", late)
			}
			if out, ok := e.run(t, nil, "-watch", c.job, "-store", c.address); ok || !strings.Contains(out, "cancelled") {
				t.Errorf("ok %v: %s", ok, out)
			}
		})
	}
}

const researchLease = 2 * time.Second

// A cancelledResearch is a research whose workers are killed and which is cancelled.
type cancelledResearch struct {
	e            *example
	address, job string
	workers      []*researchWorker
	cancelled    time.Time
}

func (c *cancelledResearch) start(t *testing.T) {
	t.Helper()
	// A whole research has about twenty calls: none ends before it is cancelled.
	c.workers = append(c.workers, startResearchWorker(t, c.e, c.address, researchLease, "-think", "700ms"))
}

// takeover waits until the last worker has called the model.
func (c *cancelledResearch) takeover(t *testing.T) {
	t.Helper()
	w := c.workers[len(c.workers)-1]
	for deadline := time.Now().Add(time.Minute); len(w.calls("asks")) < 2; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the worker has no research")
		}
	}
}

// end kills, stops or pauses the last worker.
func (c *cancelledResearch) end(t *testing.T, how string) {
	t.Helper()
	w := c.workers[len(c.workers)-1]
	switch how {
	case "kill":
		w.kill()
	case "stop":
		if status, log := w.stop(t); status != 0 || !strings.Contains(log, "terminated") {
			t.Errorf("status %d, and the log does not say why: %s", status, log)
		}
	case "pause":
		if err := w.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
	}
}

func (c *cancelledResearch) command(t *testing.T, args ...string) string {
	t.Helper()
	out, ok := c.e.run(t, nil, append([]string{"-store", c.address}, args...)...)
	if !ok {
		t.Fatal(out)
	}
	return strings.TrimSpace(out)
}

// A worker stays up when its connections to the database break, one after the other and
// all together, and when the reader of its output leaves.
func TestResearchWorkerStaysUp(t *testing.T) {
	server := postgreSQLExample(t, "research_stays")
	address := server.url(server.root, "", server.database) + "?sslmode=disable"
	e := buildExample(t, "research")
	w := startResearchWorker(t, e, address, 2*time.Second)
	for range 50 {
		mustExec(t, server.admin, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
		time.Sleep(20 * time.Millisecond)
	}
	w.out.Close()
	job, ok := e.run(t, nil, "-submit", "-store", address, liegegeld)
	if !ok {
		t.Fatal(job)
	}
	out, ok := e.run(t, nil, "-watch", strings.TrimSpace(job), "-store", address)
	if !ok || !strings.Contains(out, "120 Euro Liegegeld [1]") {
		t.Errorf("the report: %s\n%s", out, &w.log)
	}
	if status, log := w.stop(t); status != 0 || !strings.Contains(log, "terminated") {
		t.Errorf("status %d, and the log does not say why: %s", status, log)
	}
}

const liegegeld = "Wie viel Liegegeld zahlt ein Schiff mit Landstrom für drei Nächte?"
