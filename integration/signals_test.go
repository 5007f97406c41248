package integration_test

import (
	"bufio"
	"bytes"
	"cmp"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/qedkit/qed/integration"
	"github.com/qedkit/qed/internal/poll"
)

// An httpProgram is a program of this project that serves HTTP, as a process.
type httpProgram struct {
	cmd     *exec.Cmd
	address string
	out     io.Closer // the reader of its output
	log     lockedBuffer
	ask     func(conversation string) string // a request with a question, as it is sent
	answer  string                           // part of the answer
	upload  string                           // the path of an upload
}

// launch starts the program and waits for its address.
func (p *httpProgram) launch(t *testing.T, path string, env []string, args ...string) {
	t.Helper()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer write.Close()
	t.Cleanup(func() { read.Close() })
	p.out = read
	p.cmd = exec.Command(path, args...)
	p.cmd.Dir, p.cmd.Env = t.TempDir(), append(withoutModel(), env...)
	p.cmd.Stdout, p.cmd.Stderr = write, &p.log
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // both fail if it has ended
		_ = p.cmd.Process.Kill()
		_ = p.cmd.Wait()
	})
	for lines := bufio.NewScanner(read); lines.Scan(); {
		if _, rest, ok := strings.Cut(lines.Text(), "http://"); ok {
			p.address = strings.FieldsFunc(rest, func(r rune) bool { return r == ' ' || r == '/' })[0]
			return
		}
	}
	t.Fatalf("the program does not serve: %s", &p.log)
}

// end sends a signal, and returns the exit status and what the program has logged.
func (p *httpProgram) end(t *testing.T, signal os.Signal) (status int, log string) {
	t.Helper()
	if err := p.cmd.Process.Signal(signal); err != nil {
		t.Fatalf("the program has ended already: %v\n%s", err, &p.log)
	}
	timer := time.AfterFunc(time.Minute, func() { _ = p.cmd.Process.Kill() })
	defer timer.Stop()
	_ = p.cmd.Wait()
	return p.cmd.ProcessState.ExitCode(), p.log.String()
}

// check asks a question in a new conversation and reads the answer.
func (p *httpProgram) check(t *testing.T, conversation string) {
	t.Helper()
	conn, err := net.Dial("tcp", p.address)
	if err != nil {
		t.Fatalf("the program does not serve any more: %v\n%s", err, &p.log)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(2 * time.Minute))
	if _, err := io.WriteString(conn, p.ask(conversation)); err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, &p.log)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || !bytes.Contains(body, []byte(p.answer)) {
		t.Fatalf("the answer lacks %q: %s %v %s", p.answer, resp.Status, err, body)
	}
}

// aborted are what clients do before they leave.
var aborted = map[string]func(p *httpProgram, conn net.Conn, n int) error{
	"before the answer": func(p *httpProgram, conn net.Conn, n int) error {
		_, err := io.WriteString(conn, p.ask(fmt.Sprint("before ", n)))
		return err
	},
	"in a stream": func(p *httpProgram, conn net.Conn, n int) error {
		if _, err := io.WriteString(conn, p.ask(fmt.Sprint("stream ", n))); err != nil {
			return err
		}
		for lines := bufio.NewScanner(conn); lines.Scan(); {
			if strings.HasPrefix(lines.Text(), "data:") {
				return nil
			}
		}
		return errors.New("there is no stream")
	},
	"in an upload": func(p *httpProgram, conn net.Conn, _ int) error {
		_, err := fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Length: 1000000\r\n"+
			"Content-Type: application/json\r\n\r\n%s", p.upload, p.address, strings.Repeat("a,b\n", 100_000))
		if errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET) {
			return nil // the program has refused it already
		}
		return err
	},
	"with requests in a row": func(p *httpProgram, conn net.Conn, _ int) error {
		_, err := io.WriteString(conn, strings.Repeat("GET /v1/models HTTP/1.1\r\nHost: "+p.address+"\r\n\r\n", 20))
		return err
	},
}

// abort makes connections that do the same, and closes them together: one half with a
// reset.
func (p *httpProgram) abort(t *testing.T, act func(*httpProgram, net.Conn, int) error) {
	t.Helper()
	const clients = 50
	conns := make([]*net.TCPConn, clients)
	var ready sync.WaitGroup
	for i := range conns {
		conn, err := net.Dial("tcp", p.address)
		if err != nil {
			t.Fatalf("client %d: %v\n%s", i, err, &p.log)
		}
		conns[i] = conn.(*net.TCPConn)
		_ = conn.SetDeadline(time.Now().Add(2 * time.Minute))
		ready.Go(func() {
			if err := act(p, conn, i); err != nil {
				t.Errorf("client %d: %v", i, err)
			}
		})
	}
	ready.Wait()
	for i, conn := range conns {
		if i%2 == 0 {
			_ = conn.SetLinger(0)
		}
		_ = conn.Close() // the program may have closed it
	}
}

// sockets returns how many sockets the program has open, or 0 on a system that does not say.
func (p *httpProgram) sockets() (n int) {
	folder := fmt.Sprintf("/proc/%d/fd", p.cmd.Process.Pid)
	open, _ := os.ReadDir(folder)
	for _, file := range open {
		if link, err := os.Readlink(filepath.Join(folder, file.Name())); err == nil && strings.HasPrefix(link, "socket:") {
			n++
		}
	}
	return n
}

// Clients leave in each state of a request, and the program serves the next ones. It
// says why it ends.
func TestServersStayUp(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process gets no signals")
	}
	t.Parallel()
	for name, start := range map[string]func(*testing.T) func(*testing.T) *httpProgram{
		"qed-serve": serveProgram, "web": webProgram,
	} {
		t.Run(name, func(t *testing.T) {
			launch := start(t)
			t.Run("clients leave", func(t *testing.T) {
				p := launch(t)
				for state, act := range aborted {
					p.abort(t, act)
					p.check(t, "after "+state)
				}
				// The runtime prints all goroutines. Turns may go on without their readers, for as
				// long as they take; connections may not, once the program has seen their end.
				poll.Until(t, "the connections of the clients are closed", func() bool { return p.sockets() < 10 })
				status, log := p.end(t, syscall.SIGQUIT)
				n := strings.Count(log, "created by net/http.(*Server).Serve ")
				if status == 0 || !strings.Contains(log, "\ngoroutine ") || n > 10 {
					t.Errorf("status %d; %d connections are left:\n%s", status, n, log)
				}
			})
			t.Run("the reader of the log leaves", func(t *testing.T) {
				p := launch(t)
				if err := p.out.Close(); err != nil {
					t.Fatal(err)
				}
				p.check(t, "first")
				p.check(t, "second")
				status, log := p.end(t, syscall.SIGTERM)
				if status != 0 || !strings.Contains(log, "the server ends") || !strings.Contains(log, "terminated") {
					t.Errorf("status %d, and the log does not say why: %s", status, log)
				}
			})
			t.Run("its address is taken", func(t *testing.T) {
				p := launch(t)
				args := slices.Clone(p.cmd.Args[1:])
				args[slices.Index(args, flagOf[name])+1] = p.address
				second := exec.CommandContext(t.Context(), p.cmd.Path, args...)
				second.Dir, second.Env = t.TempDir(), p.cmd.Env
				out, err := second.CombinedOutput()
				if err == nil || second.ProcessState.ExitCode() != 1 || !strings.Contains(string(out), name+": listen tcp") {
					t.Errorf("the program ended with %v and %s", err, out)
				}
			})
		})
	}
}

// flagOf has the flag of each program's address.
var flagOf = map[string]string{"qed-serve": "-listen", "web": "-address"}

func serveProgram(t *testing.T) func(*testing.T) *httpProgram {
	path := integration.Program(t, "cmd/qed-serve")
	return func(t *testing.T) *httpProgram {
		db := filepath.Join(t.TempDir(), "boats.db")
		makeBoats(t, db)
		const token = "right"
		p := &httpProgram{answer: `{"n":2}`, upload: "/internal/chat/stream"}
		p.launch(t, path, []string{"OPENAI_API_KEY=key", "OPENAI_BASE_URL=" + boatModel(t), "QED_SERVE_TOKEN=" + token},
			"-dsn", db, "-all-tables", "-listen", "127.0.0.1:0")
		p.ask = func(conversation string) string { // of a user of its own: turns are limited
			return p.post("/internal/chat/stream", "Bearer "+token, map[string]any{
				"input":        map[string]any{"message": "How many boats are late?"},
				"conversation": map[string]any{"id": conversation, "user_id": conversation},
			})
		}
		return p
	}
}

func webProgram(t *testing.T) func(*testing.T) *httpProgram {
	e := buildExample(t, "web")
	return func(t *testing.T) *httpProgram {
		p := &httpProgram{answer: `"event":"complete"`, upload: "/api/datasets"}
		p.launch(t, e.path, nil, "-address", "127.0.0.1:0", "-pause", "50ms", "-store", "conversations.db")
		resp, err := http.Get("http://" + p.address + "/questions")
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		var questions [][]string
		if err := json.NewDecoder(resp.Body).Decode(&questions); err != nil {
			t.Fatal(err)
		}
		p.ask = func(conversation string) string {
			return p.post("/internal/chat/stream", "", map[string]any{
				"input": map[string]any{"message": questions[0][0]}, "conversation": map[string]any{"id": conversation},
			})
		}
		return p
	}
}

// post returns a request as it is sent.
func (p *httpProgram) post(path, authorization string, body any) string {
	text, err := json.Marshal(body)
	if err != nil {
		panic(err) // not reached: texts have a JSON form
	}
	return fmt.Sprintf("POST %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\nAuthorization: %s\r\n"+
		"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", path, p.address, cmp.Or(authorization, "-"), len(text), text)
}

func makeBoats(t *testing.T, path string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	mustExec(t, db, "CREATE TABLE boat(id INTEGER PRIMARY KEY, late INTEGER)")
	mustExec(t, db, "INSERT INTO boat(late) VALUES (1), (0), (1)")
}

// boatModel serves a model of OpenAI's protocol that counts the boats, and returns its
// address. It thinks for a moment, so that clients can leave before it answers.
func boatModel(t *testing.T) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the program has ended
		}
		time.Sleep(50 * time.Millisecond)
		says := `{"sql":"SELECT count(*) AS n FROM boat WHERE late = 1"}`
		switch {
		case bytes.Contains(body, []byte("You decide who answers")):
			says = `{"route":"sql"}`
		case bytes.Contains(body, []byte("[2]")):
			says = "Two boats are late."
		}
		content, err := json.Marshal(says)
		if err != nil {
			panic(err) // not reached
		}
		if bytes.Contains(body, []byte(`"stream":true`)) {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, `data: {"id":"1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"role":"assistant","content":%s},"finish_reason":"stop"}]}`+
				"\n\ndata: [DONE]\n\n", content)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"id":"1","object":"chat.completion","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":%s}}]}`, content)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// A filter ends when the reader of its output leaves, and when it is interrupted,
// although there is more to read.
func TestFiltersEnd(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process gets no signals")
	}
	folder := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	policy := write("policy.json", `{"dialect":"sqlite","tables":{"boat":["id"]}}`)
	mapping := write("mapping.json", `{"boats":{"mappings":{"properties":{"name":{"type":"keyword"}}}}}`)
	for name, tt := range map[string]struct {
		args []string
		line string
	}{
		"qed-guard":   {[]string{"-policy", policy}, `{"sql": "SELECT id FROM boat"}` + "\n"},
		"qed-esguard": {[]string{"-mapping", mapping}, `{"body": {"query": {"term": {"name": "x"}}}}` + "\n"},
	} {
		t.Run(name, func(t *testing.T) {
			path := integration.Program(t, "cmd/"+name)
			t.Run("the reader leaves", func(t *testing.T) {
				f := startFilter(t, path, tt.args)
				f.answers(t, tt.line)
				f.out.Close()
				for range 100 { // it ends with one of its next writes
					if _, err := io.WriteString(f.in, tt.line); err != nil {
						break
					}
				}
				if err := f.wait(); err == nil || f.log.String() != "" {
					t.Errorf("it ended with %v and wrote %q", err, &f.log)
				}
			})
			t.Run("it is interrupted", func(t *testing.T) {
				f := startFilter(t, path, tt.args)
				f.answers(t, tt.line)
				if err := f.cmd.Process.Signal(os.Interrupt); err != nil {
					t.Fatal(err)
				}
				if err := f.wait(); err == nil {
					t.Error("it ended with success")
				}
			})
		})
	}
}

// A filter is a process that answers lines.
type filter struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out io.ReadCloser
	log lockedBuffer
}

func startFilter(t *testing.T, path string, args []string) *filter {
	t.Helper()
	f := &filter{cmd: exec.Command(path, args...)}
	var err1, err2 error
	f.in, err1 = f.cmd.StdinPipe()
	f.out, err2 = f.cmd.StdoutPipe()
	f.cmd.Stderr = &f.log
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	if err := f.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.cmd.Process.Kill() }) // it has ended
	return f
}

func (f *filter) answers(t *testing.T, line string) {
	t.Helper()
	if _, err := io.WriteString(f.in, line); err != nil {
		t.Fatal(err)
	}
	if text, err := bufio.NewReader(f.out).ReadString('\n'); err != nil {
		t.Fatalf("it answers %q, %v: %s", text, err, &f.log)
	}
}

// wait returns how the filter ended. Its input stays open.
func (f *filter) wait() error {
	timer := time.AfterFunc(time.Minute, func() { f.in.Close() }) // then it ends with status 0
	defer timer.Stop()
	return f.cmd.Wait()
}

// A lockedBuffer is a text that a process writes while a test reads it.
type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}
