package integration

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// Run runs the tests of a binary and then stops the servers that they started.
// TestMain calls it.
func Run(m *testing.M) int {
	defer running.stop()
	return m.Run()
}

// running has the functions that stop the servers.
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

// missing skips a test whose engine is not installed, with the command that
// installs it. It also appends the line to the file that QED_SKIPPED names,
// which make test shows at its end. With QED_REQUIRE_ENGINES=1 the test fails
// instead.
func missing(tb testing.TB, engine string, reason error, install string) {
	tb.Helper()
	if os.Getenv("QED_REQUIRE_ENGINES") == "1" {
		tb.Fatal(skipLine(engine, reason, install))
	}
	absent(tb, engine, reason, install)
}

func skipLine(engine string, reason error, install string) string {
	why := strings.ReplaceAll(reason.Error(), "\n", ", ") // of joined errors
	return fmt.Sprintf("QED-SKIP %s: %s; install with: %s", engine, why, install)
}

// absent is like missing for what cannot be installed everywhere: the test is skipped
// and reported even if engines are required.
func absent(tb testing.TB, engine string, reason error, install string) {
	tb.Helper()
	line := skipLine(engine, reason, install)
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

// noEngines reports whether the tests behave as on a machine without engines:
// QED_ENGINES is "none".
func noEngines() bool { return os.Getenv("QED_ENGINES") == "none" }

// program returns the path of a program in PATH or in the directories of
// servers.
func program(name string) (string, error) {
	path, err := exec.LookPath(name)
	if err == nil || noEngines() {
		return path, err
	}
	for _, dir := range []string{"/usr/sbin", "/usr/local/sbin", "/usr/libexec"} {
		if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return path, nil
		}
	}
	return "", err
}

// cached returns the path at which .ci/engines keeps an unpacked server.
func cached(name string) string {
	if noEngines() {
		return filepath.Join(os.DevNull, name) // does not exist
	}
	cache := "/var/cache" // a server that does not run as root cannot read root's home
	if os.Geteuid() != 0 {
		cache, _ = os.UserCacheDir()
	}
	return filepath.Join(cache, "qed", name)
}

// freePort returns a port of the loopback interface that is not in use.
func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// A process is a running server.
type process struct {
	cmd  *exec.Cmd
	log  string // the file with its output
	done chan struct{}
}

// start starts a server, which ends with the test binary, even if that is
// killed.
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

// maxStart is how long a server may take to start. One in Java needs minutes if
// the machine is busy.
const maxStart = 4 * time.Minute

// wait calls ready until it returns nil.
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

// stop interrupts the server, and kills it if that does not end it.
func (p *process) stop() {
	p.cmd.Process.Signal(os.Interrupt)
	select {
	case <-p.done:
	case <-time.After(5 * time.Second):
		p.cmd.Process.Kill()
		<-p.done
	}
}
