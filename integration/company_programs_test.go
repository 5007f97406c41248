package integration_test

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/stdlib"

	"github.com/qedkit/qed/integration"
)

// example is a compiled program of examples/.
type example struct{ path string }

func buildExample(t *testing.T, name string) *example {
	t.Helper()
	return &example{integration.Program(t, "examples/"+name)}
}

// run runs the program in an empty folder with the variables of env, and returns its
// output. It asserts that the output contains no password.
func (e *example) run(t *testing.T, env []string, args ...string) (out string, ok bool) {
	t.Helper()
	program := exec.CommandContext(t.Context(), e.path, args...)
	program.Dir = t.TempDir()
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); !strings.HasPrefix(name, "OPENAI_") && !strings.HasPrefix(name, "DB_") && !strings.HasPrefix(name, "PG") {
			program.Env = append(program.Env, v)
		}
	}
	program.Env = append(program.Env, env...)
	text, err := program.CombinedOutput()
	if strings.Contains(string(text), examplePassword) {
		t.Errorf("the output shows the password:\n%s", text)
	}
	return string(text), err == nil
}

const examplePassword = "hunter2-%/?#@:"

// exampleServer is a server with an empty database.
type exampleServer struct {
	scheme, address, root string
	database              string
	admin                 *sql.DB // in the database
}

// url returns the URL for an account and a database. The empty password means none.
func (s *exampleServer) url(user, password, database string) string {
	u := url.URL{Scheme: s.scheme, Host: s.address, User: url.User(user), Path: "/" + database}
	if password != "" {
		u.User = url.UserPassword(user, password)
	}
	return u.String()
}

func mariaDBExample(t *testing.T, database string) *exampleServer {
	t.Helper()
	config := integration.MariaDB(t)
	return &exampleServer{"mysql", config.Addr, config.User, database, openMariaDB(t, database, "")}
}

func postgreSQLExample(t *testing.T, database string) *exampleServer {
	t.Helper()
	config := integration.PostgreSQL(t)
	server := stdlib.OpenDB(*config)
	t.Cleanup(func() { server.Close() })
	mustExec(t, server, "CREATE DATABASE "+database)
	t.Cleanup(func() { server.Exec("DROP DATABASE " + database + " WITH (FORCE)") })
	s := &exampleServer{"postgres", fmt.Sprintf("%s:%d", config.Host, config.Port), config.User, database, nil}
	config.Database = database
	s.admin = stdlib.OpenDB(*config)
	t.Cleanup(func() { s.admin.Close() })
	return s
}

// modelServer starts a fake model that chooses one table, writes one statement, and
// reports whether the rows contain a text.
func modelServer(t *testing.T, table, statement, sought string) (env []string) {
	t.Helper()
	return chatServer(t, func(text string) string {
		var say any
		switch {
		case strings.Contains(text, "You decide who answers"):
			say = map[string]any{"route": "sql"}
		case strings.Contains(text, "You choose the tables"):
			say = map[string]any{"tables": []string{table}}
		case strings.Contains(text, "You write one"), strings.Contains(text, "was refused or failed"):
			say = map[string]any{"sql": statement}
		case strings.Contains(text, sought):
			return "The rows have it."
		default:
			return "The rows lack it."
		}
		raw, _ := json.Marshal(say)
		return string(raw)
	})
}

// chatServer starts a server with the API of chat completions. reply returns what the model
// says to the texts of the messages.
func chatServer(t *testing.T, reply func(text string) string) (env []string) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Stream   bool
			Messages []struct{ Content string }
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		var text strings.Builder
		for _, m := range body.Messages {
			text.WriteString(m.Content + "\n")
		}
		quoted, _ := json.Marshal(reply(text.String()))
		if body.Stream {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, "data: {\"id\":\"1\",\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":%s},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n", quoted)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"id":"1","object":"chat.completion","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":%s}}]}`, quoted)
	}))
	t.Cleanup(s.Close)
	return []string{"OPENAI_BASE_URL=" + s.URL, "OPENAI_MODEL=test"}
}
