package main

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"flag"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"github.com/qedkit/qed/internal/command/chattest"
	"github.com/qedkit/qed/internal/command/settings"
	"github.com/qedkit/qed/llm/llmtest"
)

// openAI is a server with the API of OpenAI. It writes the statement when it is
// asked for one, and puts what the statement found into words.
func openAI(t *testing.T) string {
	return chattest.Provider(t, func(sent string) string {
		switch {
		case !strings.Contains(sent, "How many boats are late?"):
			return "I do not know."
		case strings.Contains(sent, "You decide who answers"):
			return `{"route":"sql"}`
		case strings.Contains(sent, "[2]"):
			return "Two boats are late."
		}
		return `{"sql":"SELECT count(*) AS n FROM boat WHERE late = 1"}`
	})
}

// start runs the program on a database of boats, and returns its address and a
// function that interrupts it and returns its error.
func start(t *testing.T, env map[string]string) (address string, stop func() error) {
	t.Helper()
	folder := chattest.Isolate(t, env)
	path := filepath.Join(folder, "boats.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("CREATE TABLE boat(id INTEGER PRIMARY KEY, late INTEGER); INSERT INTO boat(late) VALUES (1), (0), (1)"); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	out, in := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := run(ctx, []string{"-dsn", path, "-all-tables", "-listen", "127.0.0.1:0", "-wait", "10s"}, nil, in)
		in.CloseWithError(errors.Join(err, io.EOF))
		ended <- err
	}()
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if _, rest, ok := strings.Cut(lines.Text(), "http://"); ok {
			address, _, _ = strings.Cut(rest, " ")
		}
		if strings.HasPrefix(lines.Text(), "GET  /conversations ") { // the last line of the start
			break
		}
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	stop = func() error {
		cancel()
		return <-ended
	}
	t.Cleanup(cancel)
	return address, stop
}

func ask(t *testing.T, address, token string) (status int, body string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+address+"/internal/chat/stream",
		strings.NewReader(`{"input": {"message": "How many boats are late?"}, "conversation": {"id": "c1"}}`))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := (&http.Client{Timeout: time.Minute}).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text)
}

func TestServe(t *testing.T) {
	address, stop := start(t, map[string]string{"OPENAI_BASE_URL": openAI(t)})
	status, body := ask(t, address, "")
	if status != http.StatusOK || !strings.Contains(body, `"event":"complete"`) ||
		!strings.Contains(body, "Two boats are late.") || !strings.Contains(body, `{"n":2}`) {
		t.Errorf("status %d: %s", status, body)
	}
	if err := stop(); err != nil {
		t.Errorf("the program ended with %v", err)
	}
	if _, err := os.Stat(filepath.Join("data", "conversations.db")); err != nil {
		t.Error(err)
	}
}

func TestToken(t *testing.T) {
	address, stop := start(t, map[string]string{"OPENAI_BASE_URL": openAI(t), "QED_SERVE_TOKEN": "right"})
	for token, want := range map[string]int{"": http.StatusUnauthorized, "wrong": http.StatusUnauthorized, "right": http.StatusOK} {
		if status, body := ask(t, address, token); status != want {
			t.Errorf("token %q: status %d, want %d: %s", token, status, want, body)
		}
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}

func TestNoModel(t *testing.T) {
	_, stop := start(t, nil)
	if err := stop(); !errors.Is(err, settings.ErrNoModel) {
		t.Errorf("%v, want %v", err, settings.ErrNoModel)
	}
}

// TestStart checks that / and the log say what is served, and what the model answered.
func TestStart(t *testing.T) {
	var log lockedBuffer
	old := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	t.Cleanup(func() { slog.SetDefault(old) })
	address, stop := start(t, map[string]string{"OPENAI_BASE_URL": openAI(t)})
	get := func(method, path string) (int, string) {
		request, err := http.NewRequestWithContext(t.Context(), method, "http://"+address+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return response.StatusCode, string(text)
	}
	status, text := get(http.MethodGet, "/")
	if status != http.StatusOK || !strings.Contains(text, paths) || strings.Contains(text, "boat") {
		t.Errorf("status %d: %s", status, text)
	}
	for line := range strings.Lines(paths) {
		fields := strings.Fields(line)
		if status, _ := get(fields[0], fields[1]); status == http.StatusNotFound || status == http.StatusMethodNotAllowed {
			t.Errorf("%s: status %d", line, status)
		}
	}
	for deadline := time.Now().Add(30 * time.Second); !strings.Contains(log.String(), "the model answers"); {
		if time.Now().After(deadline) {
			t.Fatalf("the log does not say what the model answered: %s", log.String())
		}
		time.Sleep(10 * time.Millisecond)
	}
	if !strings.Contains(log.String(), "I do not know.") {
		t.Errorf("the log: %s", log.String())
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}

// A lockedBuffer is written by the log while a test reads it.
type lockedBuffer struct {
	mu sync.Mutex
	b  strings.Builder
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

func TestModelThatDoesNotAnswer(t *testing.T) {
	var log lockedBuffer
	old := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	t.Cleanup(func() { slog.SetDefault(old) })
	try(t.Context(), llmtest.New(), "none")
	if got := log.String(); !strings.Contains(got, "the model does not answer") || !strings.Contains(got, "model=none") {
		t.Errorf("the log: %s", got)
	}
}

// TestPolicy checks what is said about a policy that is missing or wrong.
func TestPolicy(t *testing.T) {
	folder := chattest.Isolate(t, map[string]string{"OPENAI_BASE_URL": openAI(t)})
	path := filepath.Join(folder, "boats.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("CREATE TABLE boat(id INTEGER PRIMARY KEY, late INTEGER)"); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string][]string{
		"":                                {"-policy", "-all-tables"},
		"{":                               {"policy.json"},
		`{"tables":{"boats":["id"]}}`:     {"policy.json", "does not fit the database"},
		`{"tables":{"boat":["later"]}}`:   {"policy.json", "does not fit the database"},
		`{"tables":{"boat":["late",""]}}`: {"policy.json"},
	} {
		args := []string{"-dsn", path, "-listen", "127.0.0.1:0"}
		if text != "" {
			if err := os.WriteFile("policy.json", []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			args = append(args, "-policy", "policy.json")
		}
		var out strings.Builder
		err := run(t.Context(), args, nil, &out)
		for _, part := range want {
			if err == nil || !strings.Contains(err.Error(), part) || strings.Contains(err.Error(), "rights") {
				t.Errorf("%s: error = %v, want one that contains %q", text, err, part)
			}
		}
		if strings.Contains(text, "boats") && !strings.Contains(out.String(), "there is no table or view boats") {
			t.Errorf("the output does not name the table: %s", out.String())
		}
	}
}

func TestHelp(t *testing.T) {
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	old := os.Stderr
	os.Stderr = write
	err = run(t.Context(), []string{"-h"}, nil, io.Discard)
	os.Stderr = old
	write.Close()
	text, _ := io.ReadAll(read)
	if !errors.Is(err, flag.ErrHelp) {
		t.Error(err)
	}
	for _, want := range []string{"OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL", "ANTHROPIC_API_KEY", "QED_SERVE_TOKEN", "-all-tables"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the usage lacks %s:\n%s", want, text)
		}
	}
}
