// Package integration starts the real engines that the project is tested
// against. Its tests are the point; the code serves them alone.
//
// An engine starts when the first test asks for it, on a free port of the
// loopback and in a folder of its own, and stops when the test binary ends.
package integration

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"
)

// Run runs the tests of a binary and then stops the engines that they started.
// TestMain calls it.
func Run(m *testing.M) int {
	defer running.stop()
	return m.Run()
}

// running holds what stops each engine that was started.
var running engines

type engines struct {
	mu    sync.Mutex
	stops []func()
}

func (e *engines) add(stop func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.stops = append(e.stops, stop)
}

func (e *engines) stop() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, stop := range slices.Backward(e.stops) {
		stop()
	}
	e.stops = nil
}

// missing skips a test whose engine is not on this machine, and says what brings
// it: also in the file that QED_SKIPPED names, which make test shows at its end.
// With QED_REQUIRE_ENGINES=1 the test fails instead.
func missing(tb testing.TB, engine string, reason error, install string) {
	tb.Helper()
	line := fmt.Sprintf("QED-SKIP %s: %v; install with: %s", engine, reason, install)
	if os.Getenv("QED_REQUIRE_ENGINES") == "1" {
		tb.Fatal(line)
	}
	if path := os.Getenv("QED_SKIPPED"); path != "" {
		if err := appendLine(path, line); err != nil {
			tb.Error(err)
		}
	}
	tb.Skip(line)
}

func appendLine(path, line string) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(f, line)
	return errors.Join(err, f.Close())
}

// program finds a program on the path, or where servers lie that are not meant to
// be called by users.
func program(name string) (string, error) {
	path, err := exec.LookPath(name)
	if err == nil {
		return path, nil
	}
	for _, dir := range []string{"/usr/sbin", "/usr/local/sbin", "/usr/libexec"} {
		if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return path, nil
		}
	}
	return "", err
}

// freePort returns a port of the loopback that nobody listens on.
func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// process is a server that runs.
type process struct {
	cmd  *exec.Cmd
	log  string // the file that holds its output
	done chan struct{}
}

// start starts a server. It ends with the test binary, however that ends.
func start(log, path string, args ...string) (*process, error) {
	out, err := os.Create(log)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	cmd := exec.Command(path, args...)
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr = endWithParent()
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &process{cmd: cmd, log: log, done: make(chan struct{})}
	go func() {
		cmd.Wait()
		close(p.done)
	}()
	return p, nil
}

// maxStart is how long a server may take to start: one in Java needs minutes where the
// machine is busy.
const maxStart = 4 * time.Minute

// wait asks ready again and again, until it answers nil.
func (p *process) wait(ready func() error) error {
	deadline := time.After(maxStart)
	for {
		err := ready()
		if err == nil {
			return nil
		}
		select {
		case <-p.done:
			err = errors.New("the server ended")
		case <-deadline:
			err = fmt.Errorf("the server is not ready: %w", err)
		case <-time.After(20 * time.Millisecond):
			continue
		}
		text, _ := os.ReadFile(p.log)
		return fmt.Errorf("%w; it wrote:\n%s", err, text)
	}
}

// stop ends the server: politely first.
func (p *process) stop() {
	p.cmd.Process.Signal(os.Interrupt)
	select {
	case <-p.done:
	case <-time.After(5 * time.Second):
		p.cmd.Process.Kill()
		<-p.done
	}
}
