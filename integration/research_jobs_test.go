package integration_test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// researchWorker is a process that runs researches.
type researchWorker struct {
	cmd   *exec.Cmd
	mu    sync.Mutex
	lines []string
	ready chan struct{}
	read  chan struct{} // closed at the end of the output
}

func startResearchWorker(t *testing.T, e *example, address string, lease time.Duration, flags ...string) *researchWorker {
	t.Helper()
	w := &researchWorker{ready: make(chan struct{}), read: make(chan struct{})}
	w.cmd = exec.Command(e.path, append([]string{"-worker", "-store", address, "-lease", lease.String(), "-think", "100ms"}, flags...)...)
	w.cmd.Dir = t.TempDir()
	w.cmd.Env = withoutModel()
	w.cmd.Stderr = os.Stderr
	out, err := w.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := w.cmd.Start(); err != nil {
		t.Fatal(err)
	}
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
		t.Fatal("the worker does not run")
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

const liegegeld = "Wie viel Liegegeld zahlt ein Schiff mit Landstrom für drei Nächte?"
