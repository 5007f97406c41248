package chattest

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
)

// Isolate runs the test in a new, empty folder, with nothing configured but env.
func Isolate(t *testing.T, env map[string]string) (folder string) {
	t.Helper()
	names, err := variables()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		t.Setenv(name, env[name])
	}
	folder = t.TempDir()
	t.Chdir(folder) // no .env
	return folder
}

// variables returns the names of all settings. The file is read once, because tests
// leave the folder that its path is relative to.
var variables = sync.OnceValues(func() (names []string, err error) {
	f, err := os.Open("../../.env.example")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if name, _, ok := strings.Cut(lines.Text(), "="); ok && !strings.HasPrefix(name, "#") {
			names = append(names, name)
		}
	}
	return names, lines.Err()
})

// Program is the run function of an example.
type Program func(ctx context.Context, args []string, in io.Reader, out io.Writer) error

// Run isolates the test, runs a program and returns its output.
func Run(t *testing.T, program Program, env map[string]string, in string, args ...string) (string, error) {
	t.Helper()
	Isolate(t, env)
	var out strings.Builder
	err := program(t.Context(), args, strings.NewReader(in), &out)
	return out.String(), err
}

// WrongTurn is a start of a program that must fail.
type WrongTurn struct {
	name string
	env  map[string]string
	args []string
	want string
}

// Wrong returns a wrong turn with nothing configured, whose error must contain want.
func Wrong(name, want string, args ...string) WrongTurn {
	return WrongTurn{name: name, args: args, want: want}
}

// password must not appear in any output.
const password = "hunter2"

// WrongTurns asserts that a program fails with an error that helps the user.
func WrongTurns(t *testing.T, program Program, turns []WrongTurn) {
	t.Helper()
	for _, turn := range turns {
		t.Run(turn.name, func(t *testing.T) {
			out, err := Run(t, program, turn.env, "", turn.args...)
			if err == nil || !strings.Contains(err.Error(), turn.want) {
				t.Fatalf("error = %v, want one that contains %q", err, turn.want)
			}
			if strings.Contains(out+err.Error(), password) {
				t.Errorf("the password is shown: %v\n%s", err, out)
			}
		})
	}
}

// WrongClusters returns the wrong turns of a program that searches a cluster.
func WrongClusters(t *testing.T) []WrongTurn {
	t.Helper()
	at := func(url string) map[string]string { return map[string]string{"ELASTICSEARCH_URL": url} }
	const refusal = `{"error":{"type":"security_exception","reason":"missing authentication credentials"},"status":401}`
	return []WrongTurn{
		{"a cluster that is down", at("http://me:" + password + "@127.0.0.1:1"), nil, "127.0.0.1:1"},
		{"a cluster that wants a password", at(answering(t, http.StatusUnauthorized, refusal)), nil, "ELASTICSEARCH_API_KEY"},
		{"a server that is not a cluster", at(answering(t, http.StatusOK, "<html></html>")), nil, "ELASTICSEARCH_URL"},
		{"no URL", at("me:" + password + "@localhost"), nil, "ELASTICSEARCH_URL"},
	}
}

// answering starts a server that gives the same answer to every request.
func answering(t *testing.T, status int, body string) (url string) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		io.WriteString(w, body)
	}))
	t.Cleanup(server.Close)
	return server.URL
}
