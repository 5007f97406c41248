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

// Alone gives the test a folder of its own to run a program in, with nothing
// configured but env.
func Alone(t *testing.T, env map[string]string) (folder string) {
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

// variables are all that the programs read. They are read once, as tests leave the
// folder from which the file is found.
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

// A Program is what an example runs.
type Program func(ctx context.Context, args []string, in io.Reader, out io.Writer) error

// Run runs a program that is [Alone], and returns what it wrote.
func Run(t *testing.T, program Program, env map[string]string, in string, args ...string) (string, error) {
	t.Helper()
	Alone(t, env)
	var out strings.Builder
	err := program(t.Context(), args, strings.NewReader(in), &out)
	return out.String(), err
}

// A WrongTurn is a start of a program that comes to nothing.
type WrongTurn struct {
	name string
	env  map[string]string
	args []string
	want string
}

// Wrong returns a wrong turn with nothing configured, whose remedy names want.
func Wrong(name, want string, args ...string) WrongTurn {
	return WrongTurn{name: name, args: args, want: want}
}

// password is one that no error may show.
const password = "hunter2"

// WrongTurns asserts that a program ends with errors that help.
func WrongTurns(t *testing.T, program Program, turns []WrongTurn) {
	t.Helper()
	for _, turn := range turns {
		t.Run(turn.name, func(t *testing.T) {
			out, err := Run(t, program, turn.env, "", turn.args...)
			if err == nil || !strings.Contains(err.Error(), turn.want) {
				t.Fatalf("error = %v, want one that names %q", err, turn.want)
			}
			if strings.Contains(out+err.Error(), password) {
				t.Errorf("the password is shown: %v\n%s", err, out)
			}
		})
	}
}

// WrongClusters are the wrong turns of a program that searches a cluster.
func WrongClusters(t *testing.T) []WrongTurn {
	t.Helper()
	at := func(url string) map[string]string { return map[string]string{"ELASTICSEARCH_URL": url} }
	const refusal = `{"error":{"type":"security_exception","reason":"missing authentication credentials"},"status":401}`
	return []WrongTurn{
		{"a cluster that is down", at("http://me:" + password + "@127.0.0.1:1"), nil, "127.0.0.1:1"},
		{"a cluster that wants a password", at(answering(t, http.StatusUnauthorized, refusal)), nil, "ELASTICSEARCH_API_KEY"},
		{"a server that is no cluster", at(answering(t, http.StatusOK, "<html></html>")), nil, "ELASTICSEARCH_URL"},
		{"no URL", at("me:" + password + "@localhost"), nil, "ELASTICSEARCH_URL"},
	}
}

// answering starts a server that answers everything alike, until the test ends.
func answering(t *testing.T, status int, body string) (url string) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		io.WriteString(w, body)
	}))
	t.Cleanup(server.Close)
	return server.URL
}
