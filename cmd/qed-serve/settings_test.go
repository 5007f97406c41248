package main

import (
	"bufio"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// elsewhere has the variables that have a test of their own, with its file.
var elsewhere = map[string]string{
	"QED_SERVE_TOKEN":                "cmd/qed-serve/access_test.go",
	"CONVERSATION_DB_RETRY_ATTEMPTS": "cmd/qed-serve/settings_test.go", "CONVERSATION_DB_RETRY_DELAY": "cmd/qed-serve/settings_test.go",
	"DB_HOST": "integration/company_ask_test.go", "DB_PORT": "integration/company_ask_test.go",
	"DB_USER": "integration/company_ask_test.go", "DB_PWD": "integration/company_ask_test.go",
	"SQL_MAX_ESTIMATED_ROWS": "integration/company_ask_test.go",
	"DB_NAME":                "integration/company_ask_test.go", "DB_ENCRYPT_KEY": "integration/company_ask_test.go",
	"ELASTICSEARCH_URL": "examples/search/main_test.go", "ELASTICSEARCH_USERNAME": "examples/search/main_test.go",
	"ELASTICSEARCH_PASSWORD": "examples/search/main_test.go", "ELASTICSEARCH_API_KEY": "examples/search/main_test.go",
}

// between returns the lines of a text between two of its parts.
func between(text, from, to string) []string {
	_, rest, _ := strings.Cut(text, from)
	rest, _, _ = strings.Cut(rest, to)
	return strings.Split(strings.TrimSpace(rest), "\n")
}

// A variable is a line of .env.example, and how its effect shows.
type variable struct {
	name, value string
	other       string            // in place of no value
	with        map[string]string // further variables
	args        []string
	questions   []string

	// probe returns what the variable changes: by default it returns unset, and with
	// the value set.
	probe      func(t *testing.T, s *site, p *process, events []string) any
	unset, set any
}

// body returns a member of the last request for a completion.
func body(member string) func(*testing.T, *site, *process, []string) any {
	return func(_ *testing.T, s *site, _ *process, _ []string) any {
		all := s.model.requests()
		return all[len(all)-1].body[member]
	}
}

// count returns how many requests contain a text.
func count(part string) func(*testing.T, *site, *process, []string) any {
	return func(_ *testing.T, s *site, _ *process, _ []string) any { return len(s.model.asked(part)) }
}

// lines returns how many lines of the first prompt with a text are between two parts.
func lines(prompt, from, to string) func(*testing.T, *site, *process, []string) any {
	return func(t *testing.T, s *site, _ *process, _ []string) any {
		all := s.model.asked(prompt)
		if len(all) == 0 {
			t.Fatalf("no prompt contains %q", prompt)
		}
		return len(between(all[0], from, to))
	}
}

// holds reports whether the first prompt with a text contains another one.
func holds(prompt, part string) func(*testing.T, *site, *process, []string) any {
	return func(t *testing.T, s *site, _ *process, _ []string) any {
		all := s.model.asked(prompt)
		if len(all) == 0 {
			t.Fatalf("no prompt contains %q", prompt)
		}
		return strings.Contains(all[0], part)
	}
}

// complete returns a member of the last event.
func complete(path ...string) func(*testing.T, *site, *process, []string) any {
	return func(t *testing.T, _ *site, _ *process, events []string) any {
		_, last, ok := strings.Cut(events[len(events)-1], `data: {"event":"complete"`)
		if !ok {
			t.Fatal(events[len(events)-1])
		}
		last, _, _ = strings.Cut(last, "\n")
		var v any
		if err := json.Unmarshal([]byte(`{"event":"complete"`+last), &v); err != nil {
			t.Fatal(err)
		}
		for _, name := range path {
			v = v.(map[string]any)[name]
		}
		if list, ok := v.([]any); ok {
			return len(list)
		}
		return v
	}
}

// failed reports whether the first turn ended with an error.
func failed(_ *testing.T, _ *site, _ *process, events []string) any {
	return strings.Contains(events[0], `"event":"error"`)
}

// path returns the path of the first request to the provider.
func path(_ *testing.T, s *site, _ *process, _ []string) any { return s.model.requests()[0].path }

func header(name string) func(*testing.T, *site, *process, []string) any {
	return func(_ *testing.T, s *site, _ *process, _ []string) any {
		all := s.model.requests()
		return all[len(all)-1].header.Get(name)
	}
}

func exists(file string) func(*testing.T, *site, *process, []string) any {
	return func(_ *testing.T, s *site, _ *process, _ []string) any {
		_, err := os.Stat(filepath.Join(s.folder, file))
		return err == nil
	}
}

// history returns how many messages of the conversation the last general prompt has.
func history(_ *testing.T, s *site, _ *process, _ []string) any {
	all := s.model.requests()
	messages, _ := all[len(all)-1].body["messages"].([]any)
	return len(messages) - 2 // without the instructions and the question
}

// conversationsOf returns a probe of how many conversations there are after a while, or
// before if there are none.
func conversationsOf(wait time.Duration) func(*testing.T, *site, *process, []string) any {
	return func(t *testing.T, _ *site, p *process, _ []string) any {
		for end := time.Now().Add(wait); ; time.Sleep(time.Second / 2) {
			_, text := p.send(t, "GET", "/conversations", "")
			if n := strings.Count(text, `"title"`); n == 0 || time.Now().After(end) {
				return n
			}
		}
	}
}

func repeated(question string, n int) []string { return slices.Repeat([]string{question}, n) }

const graphOf60 = `{"version":1,"tables":{"boat":{"columns":["id","patron"]},"owner":{"columns":["id"],"unique_columns":["id"]}},
	"relationships":[{"from_table":"boat","from_column":"patron","to_table":"owner","to_column":"id","type":"inferred","confidence":0.6,"cardinality":"N:1"}]}`

var variables = []variable{
	{name: "OPENAI_API_KEY", value: "sk-test", probe: header("Authorization"), unset: "", set: "Bearer sk-test"},
	{name: "OPENAI_BASE_URL", value: "PROVIDER/below", other: "PROVIDER", probe: path, unset: "/chat/completions", set: "/below/chat/completions"},
	{name: "OPENAI_MODEL", value: "other", probe: body("model"), unset: "gpt-5.4-mini", set: "other"},
	{name: "OPENAI_TEMPERATURE", value: "0.3", probe: body("temperature"), unset: nil, set: 0.3},
	{name: "OPENAI_JSON_MODE", value: "true", questions: []string{"Which boats?"}, probe: func(_ *testing.T, s *site, _ *process, _ []string) any {
		for _, r := range s.model.requests() {
			if format, ok := r.body["response_format"].(map[string]any); ok {
				return format["type"]
			}
		}
		return nil
	}, unset: "json_schema", set: "json_object"},
	{name: "ANTHROPIC_API_KEY", value: "a-key", with: map[string]string{"ANTHROPIC_BASE_URL": "PROVIDER"},
		probe: header("X-Api-Key"), unset: "", set: "a-key"},
	{name: "ANTHROPIC_BASE_URL", value: "PROVIDER/below", other: "PROVIDER", with: map[string]string{"ANTHROPIC_API_KEY": "a-key"},
		probe: path, unset: "/v1/messages", set: "/below/v1/messages"},
	{name: "ANTHROPIC_MODEL", value: "claude-other", with: map[string]string{"ANTHROPIC_API_KEY": "a-key", "ANTHROPIC_BASE_URL": "PROVIDER"},
		probe: func(_ *testing.T, s *site, _ *process, _ []string) any {
			return s.model.requests()[0].body["model"] == "claude-other"
		}, unset: false, set: true},
	{name: "MODEL_TIMEOUT", value: "0.2", questions: []string{"What is the weather, slowly?"}, probe: failed, unset: false, set: true},
	{name: "MODEL_LOAD_TIMEOUT", value: "0.1", other: "60", questions: []string{"What is the weather while you load?"},
		probe: failed, unset: false, set: true},
	{name: "MODEL_PRICE_INPUT", value: "1000", probe: complete("stats", "cost"), unset: nil, set: 2.0},
	{name: "MODEL_PRICE_OUTPUT", value: "1000", probe: complete("stats", "cost"), unset: nil, set: 0.02},
	{name: "EMBEDDING_MODEL", value: "e", args: []string{"-docs", "docs"}, questions: []string{"How do I paint?"},
		probe: func(_ *testing.T, s *site, _ *process, _ []string) any {
			for _, r := range s.model.requests() {
				if strings.HasSuffix(r.path, "/embeddings") {
					return r.body["model"]
				}
			}
			return nil
		}, unset: nil, set: "e"},

	{name: "SQL_AGENT_MAX_ITERATIONS", value: "1", questions: []string{"Which broken boats?"}, probe: count("refused or failed"), unset: 3, set: 0},
	{name: "SQL_CORRECTION_MAX_ATTEMPTS", value: "1", questions: []string{"Which broken boats?"}, probe: count("refused or failed"), unset: 3, set: 1},
	{name: "SQL_SAMPLE_ROWS", value: "3", questions: []string{"Which boats?"}, probe: holds("You write one", "Bob"), unset: false, set: true},
	{name: "SQL_MAX_TABLES_IN_CONTEXT", value: "1", questions: []string{"Which boats of which kind?"},
		probe: holds("You write one", "kind(id"), unset: true, set: false},
	{name: "SQL_PRE_VALIDATION_ENABLED", value: "false", questions: []string{"Which broken boats?"},
		probe: holds("refused or failed", "columns of boat:"), unset: true, set: false},
	{name: "SQL_CONFIDENCE_THRESHOLD", value: "0.5", args: []string{"-graph", "graph.json"}, questions: []string{"Which boats of which owner?"},
		probe: holds("You write one", "boat.patron = owner.id"), unset: false, set: true},
	{name: "SQL_MAX_SUGGESTED_PATHS", value: "2", questions: []string{"Which boats in which harbour?"},
		probe: func(t *testing.T, s *site, p *process, events []string) any {
			return len(regexp.MustCompile(`\{"id":"[0-9]+","text"`).FindAllString(events[0], -1))
		}, unset: 3, set: 2},
	{name: "SQL_MAX_RELATIONSHIPS_IN_PROMPT", value: "1", questions: []string{"Which boats of which kind?"},
		probe: lines("You write one", "\nRelationships:\n", "\n\n"), unset: 3, set: 1},
	{name: "SQL_MAX_COLUMNS_IN_SCHEMA", value: "3", questions: []string{"Which boats?"},
		probe: holds("You write one", "and 5 more columns"), unset: false, set: true},
	{name: "SQL_MAX_COLUMNS_IN_VALIDATION", value: "2", questions: []string{"Which broken boats?"},
		probe: holds("refused or failed", "columns of boat: id, name, ..."), unset: false, set: true},
	{name: "SQL_MAX_TABLES_IN_SELECTION_PROMPT", value: "2", questions: []string{"Which boats?"},
		probe: lines("You choose the tables", "<tables>\n", "</tables>"), unset: 4, set: 2},

	{name: "MAX_CONTEXT_TOKENS", value: "256", questions: []string{"Which boats?"},
		probe: failed, unset: false, set: true},
	{name: "MAX_OUTPUT_TOKENS", value: "77", probe: body("max_tokens"), unset: 4000, set: 77},
	{name: "MODEL_CALL_LIMITS", value: "route=30, general=55", probe: body("max_tokens"), unset: 4000, set: 55},
	{name: "MAX_QUERY_ROWS", value: "2", questions: []string{"Which boats?"}, probe: complete("final_structured_data"), unset: 3, set: 2},

	{name: "CONVERSATION_DB_PATH", value: "kept/here.db", probe: exists("kept/here.db"), unset: false, set: true},
	{name: "CONVERSATION_MAX_AGE_HOURS", value: "0.0002", with: map[string]string{"CONVERSATION_CLEANUP_INTERVAL_HOURS": "1"},
		probe: func(t *testing.T, s *site, p *process, _ []string) any {
			time.Sleep(time.Second)
			p.kill()
			return conversationsOf(5*time.Second)(t, s, s.launch(t), nil) // old ones are deleted at the start
		}, unset: 1, set: 0},
	{name: "CONVERSATION_CLEANUP_INTERVAL_HOURS", value: "0.001", with: map[string]string{"CONVERSATION_MAX_AGE_HOURS": "0.0002"},
		probe: conversationsOf(10 * time.Second), unset: 1, set: 0},
	{name: "MAX_CONVERSATION_MESSAGES", value: "26", questions: repeated("What is the weather?", 15), probe: history, unset: 20, set: 26},
	{name: "CONVERSATION_MEMORY_STRATEGY", value: "tiered", with: map[string]string{"MAX_CONVERSATION_MESSAGES": "2"},
		questions: repeated("What is the weather?", 8), probe: func(_ *testing.T, s *site, _ *process, _ []string) any {
			return len(s.model.asked("The user asked about the weather.")) > 0
		}, unset: false, set: true},
}

// TestVariables starts the program without each variable of .env.example and with it, and
// compares what the variable changes.
func TestVariables(t *testing.T) {
	for _, v := range variables {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			for _, set := range []bool{false, true} {
				values := map[string]string{}
				for name, value := range v.with {
					values[name] = value
				}
				want := v.unset
				if v.other != "" {
					values[v.name] = v.other
				}
				if set {
					values[v.name], want = v.value, v.set
				}
				s := newSite(t, values)
				s.write(t, "graph.json", graphOf60)
				p := s.launch(t, v.args...)
				if p.address == "" {
					t.Fatal(p.log.String())
				}
				questions := v.questions
				if questions == nil {
					questions = []string{"What is the weather?"}
				}
				var events []string
				for _, q := range questions {
					events = append(events, p.ask(t, "c1", q))
				}
				if got := v.probe(t, s, p, events); fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("set %v: %v, want %v", set, got, want)
				}
				p.kill()
			}
		})
	}
}

// TestEveryVariableIsTested compares .env.example with the tests.
func TestEveryVariableIsTested(t *testing.T) {
	f, err := os.Open("../../.env.example")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		name, _, ok := strings.Cut(lines.Text(), "=")
		if !ok || strings.HasPrefix(name, "#") {
			continue
		}
		here := slices.ContainsFunc(variables, func(v variable) bool { return v.name == name })
		if file := elsewhere[name]; file != "" && !here {
			text, err := os.ReadFile("../../" + file)
			here = err == nil && strings.Contains(string(text), name)
		}
		if !here {
			t.Errorf("no test sees the effect of %s in a program", name)
		}
	}
}

// TestRetry locks the file of conversations: the program starts as late as its variables
// say, and then says that the file is locked. SQLite itself waits 5 seconds each time.
func TestRetry(t *testing.T) {
	for name, tt := range map[string]struct {
		attempts, delay string
		least, most     time.Duration // a busy machine takes longer
	}{
		"once":        {"0", "0.1", 4 * time.Second, 14 * time.Second},
		"three times": {"2", "0.1", 14 * time.Second, time.Hour},
		"twice":       {"1", "20", 19 * time.Second, time.Hour}, // a delay is shortened by chance, to its half at least
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, map[string]string{"CONVERSATION_DB_RETRY_ATTEMPTS": tt.attempts, "CONVERSATION_DB_RETRY_DELAY": tt.delay})
			s.write(t, "data/conversations.db", "")
			db, err := sql.Open("sqlite", filepath.Join(s.folder, "data/conversations.db"))
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			db.SetMaxOpenConns(1)
			if _, err := db.Exec("CREATE TABLE t(a); BEGIN EXCLUSIVE"); err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			p := s.launch(t)
			took := time.Since(start)
			if p.address != "" || !strings.Contains(p.log.String(), "locked") || took < tt.least || took > tt.most {
				t.Errorf("it took %v, want %v to %v: %s", took, tt.least, tt.most, p.log.String())
			}
		})
	}
}
