package settings_test

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/internal/command/provider"
	"github.com/qedkit/qed/internal/command/settings"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/retry"
)

// env sets the variables of the examples for the test: those given, and no other.
func env(t *testing.T, values map[string]string) {
	t.Helper()
	f, err := os.Open("../../../.env.example")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if name, _, ok := strings.Cut(lines.Text(), "="); ok && !strings.HasPrefix(name, "#") {
			t.Setenv(name, "") // so that it is restored after the test
			os.Unsetenv(name)
		}
	}
	for name, v := range values {
		t.Setenv(name, v)
	}
}

func file(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), ".env")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestEnvironmentWinsOverFile(t *testing.T) {
	env(t, map[string]string{"OPENAI_MODEL": "from-env", "MAX_QUERY_ROWS": "7"})
	s, err := settings.Load(file(t, "OPENAI_MODEL=from-file\nOPENAI_BASE_URL=http://localhost:1/v1\nSQL_SAMPLE_ROWS=0\nSQL_PRE_VALIDATION_ENABLED=false\nSQL_MAX_ESTIMATED_ROWS=5000\n"))
	if err != nil {
		t.Fatal(err)
	}
	got := []any{s.Model, s.BaseURL, s.MaxRows, s.Agent.Limits.SampleRows, s.Agent.HideColumns, s.Agent.MaxEstimate}
	if diff := cmp.Diff([]any{"from-env", "http://localhost:1/v1", 7, -1, true, 5000}, got); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
	if _, ok, err := provider.Open(s); !ok || err != nil {
		t.Errorf("OpenModel = %v, %v; a base URL is enough", ok, err)
	}
}

func TestDatabase(t *testing.T) {
	for _, tt := range []struct {
		name string
		env  map[string]string
		want string
	}{
		{"none", map[string]string{"DB_HOST": "db", "DB_USER": "root", "DB_PWD": "secret"}, ""},
		{"defaults", map[string]string{"DB_NAME": "app"}, "mysql://127.0.0.1:3306/app"},
		{"all", map[string]string{"DB_NAME": "a b", "DB_HOST": "::1", "DB_PORT": "3307", "DB_USER": "me@home", "DB_PWD": "p@s/s?#%:"},
			"mysql://me%40home:p%40s%2Fs%3F%23%25%3A@[::1]:3307/a%20b"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			env(t, tt.env)
			s, err := settings.Load("missing")
			if err != nil {
				t.Fatal(err)
			}
			if s.Database != tt.want {
				t.Errorf("Database = %q, want %q", s.Database, tt.want)
			}
		})
	}
}

func TestNothingIsSet(t *testing.T) {
	env(t, nil)
	s, err := settings.Load(filepath.Join(t.TempDir(), "missing"))
	if err != nil {
		t.Fatal(err)
	}
	if s.Database != "" || s.EncryptKey != "" {
		t.Errorf("a database is set: %+v", s)
	}
	if _, ok, err := provider.Open(s); ok || err != nil {
		t.Errorf("OpenModel = %v, %v; there is none", ok, err)
	}
}

// TestExampleFile checks that the file that users copy holds the defaults.
func TestExampleFile(t *testing.T) {
	env(t, nil)
	s, err := settings.Load("../../../.env.example")
	if err != nil {
		t.Fatal(err)
	}
	if s.MaxRows != 100 || s.Agent.MaxCorrections != 3 || s.Agent.Limits.ListedTables != 250 || s.ColumnsInMessages != 100 {
		t.Errorf("the example file sets other values than it says: %+v", s)
	}
}

func TestConversations(t *testing.T) {
	for _, tt := range []struct {
		name string
		env  map[string]string
		want settings.Conversations
	}{
		{"nothing is set", nil, settings.Conversations{Path: "data/conversations.db"}},
		{"all", map[string]string{
			"CONVERSATION_DB_PATH": "x.db", "CONVERSATION_MAX_AGE_HOURS": "0.5", "CONVERSATION_CLEANUP_INTERVAL_HOURS": "2",
			"CONVERSATION_DB_RETRY_ATTEMPTS": "5", "CONVERSATION_DB_RETRY_DELAY": "0.25",
			"MAX_CONVERSATION_MESSAGES": "30", "CONVERSATION_MEMORY_STRATEGY": "tiered",
		}, settings.Conversations{
			Path: "x.db", MaxAge: 30 * time.Minute, CleanupInterval: 2 * time.Hour,
			Retry: retry.Policy{Attempts: 6, Wait: 250 * time.Millisecond}, Messages: 30, Tiered: true,
		}},
		{"zero", map[string]string{"CONVERSATION_MAX_AGE_HOURS": "0", "CONVERSATION_DB_RETRY_ATTEMPTS": "0"},
			settings.Conversations{Path: "data/conversations.db", Retry: retry.Policy{Attempts: 1}}},
		{"the defaults, named", map[string]string{
			"CONVERSATION_MAX_AGE_HOURS": "24", "CONVERSATION_CLEANUP_INTERVAL_HOURS": "1",
			"CONVERSATION_DB_RETRY_ATTEMPTS": "3", "CONVERSATION_DB_RETRY_DELAY": "0.1", "CONVERSATION_MEMORY_STRATEGY": "simple",
		}, settings.Conversations{
			Path: "data/conversations.db", MaxAge: 24 * time.Hour, CleanupInterval: time.Hour,
			Retry: retry.Policy{Attempts: 4, Wait: 100 * time.Millisecond},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			env(t, tt.env)
			s, err := settings.Load("missing")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, s.Conversations); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestEmbedder(t *testing.T) {
	for _, tt := range []struct {
		name string
		env  map[string]string
		want bool
	}{
		{"none is named", map[string]string{"OPENAI_API_KEY": "k"}, false},
		{"no provider", map[string]string{"EMBEDDING_MODEL": "e"}, false},
		{"both", map[string]string{"EMBEDDING_MODEL": "e", "OPENAI_BASE_URL": "http://localhost:1/v1"}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			env(t, tt.env)
			s, err := settings.Load("missing")
			if err != nil {
				t.Fatal(err)
			}
			if e, err := provider.OpenEmbedder(s); (e != nil) != tt.want || err != nil {
				t.Errorf("OpenEmbedder = %v, %v", e, err)
			}
		})
	}
}

// TestOpenModel checks that a key or a base URL is enough, and that OpenAI has precedence.
func TestOpenModel(t *testing.T) {
	for _, tt := range []struct {
		name  string
		env   map[string]string
		live  bool
		model string
	}{
		{"none", nil, false, "gpt-5.4-mini"},
		{"a model is not enough", map[string]string{"ANTHROPIC_MODEL": "claude"}, false, "gpt-5.4-mini"},
		{"OpenAI", map[string]string{"OPENAI_API_KEY": "k", "OPENAI_MODEL": "gpt"}, true, "gpt"},
		{"Anthropic", map[string]string{"ANTHROPIC_API_KEY": "k"}, true, "claude-sonnet-5-5"},
		{"Anthropic's base URL", map[string]string{"ANTHROPIC_BASE_URL": "http://localhost:1", "ANTHROPIC_MODEL": "claude"}, true, "claude"},
		{"both", map[string]string{"OPENAI_API_KEY": "k", "ANTHROPIC_API_KEY": "k", "ANTHROPIC_MODEL": "claude"}, true, "gpt-5.4-mini"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			env(t, tt.env)
			s, err := settings.Load("missing")
			if err != nil {
				t.Fatal(err)
			}
			if _, live, err := provider.Open(s); err != nil || live != tt.live || s.Model != tt.model {
				t.Errorf("got %v, %v, model %q; want %v, %q", live, err, s.Model, tt.live, tt.model)
			}
		})
	}
}

// TestPrices checks that a reply costs what the variables say, for a million tokens.
func TestPrices(t *testing.T) {
	env(t, map[string]string{"MODEL_PRICE_INPUT": "2", "MODEL_PRICE_OUTPUT": "10"})
	s, err := settings.Load("missing")
	if err != nil {
		t.Fatal(err)
	}
	model := s.Priced(llmtest.New(llmtest.Rule{Replies: []llmtest.Reply{{Text: "hello", Usage: llm.Usage{InputTokens: 500_000, OutputTokens: 100_000}}}}))
	resp, err := model.Generate(t.Context(), &llm.Request{}, nil)
	if err != nil || resp.Usage.Cost != 2 {
		t.Errorf("got %+v, %v", resp, err)
	}
}

// A limit for a call that no agent makes would have no effect, and nobody would know.
func TestMisspeltCalls(t *testing.T) {
	for _, value := range []string{"generete=500", "answer=300,=5", "answer=300, answer=400", "Answer=300"} {
		env(t, map[string]string{"MODEL_CALL_LIMITS": value, "DB_NAME": "app"})
		if _, err := settings.Load("missing"); err == nil || !strings.Contains(err.Error(), "select_tables") {
			t.Errorf("%s: %v", value, err)
		}
	}
}

func TestMalformedValuesAreNamed(t *testing.T) {
	for name, value := range map[string]string{
		"OPENAI_TEMPERATURE":         "warm",
		"MODEL_PRICE_INPUT":          "-1",
		"MODEL_PRICE_OUTPUT":         "NaN",
		"SQL_CONFIDENCE_THRESHOLD":   "1.5",
		"SQL_SAMPLE_ROWS":            "-1",
		"MAX_QUERY_ROWS":             "0",
		"MAX_OUTPUT_TOKENS":          "4k",
		"MODEL_CALL_LIMITS":          "answer=300,generate",
		"DB_PORT":                    "65536",
		"SQL_PRE_VALIDATION_ENABLED": "perhaps",
		"SQL_MAX_ESTIMATED_ROWS":     "-5",

		"MAX_CONVERSATION_MESSAGES":           "0",
		"CONVERSATION_MEMORY_STRATEGY":        "long",
		"CONVERSATION_MAX_AGE_HOURS":          "-1",
		"CONVERSATION_CLEANUP_INTERVAL_HOURS": "0",
		"CONVERSATION_DB_RETRY_ATTEMPTS":      "often",
		"CONVERSATION_DB_RETRY_DELAY":         "100ms",
	} {
		t.Run(name, func(t *testing.T) {
			env(t, map[string]string{name: value, "DB_NAME": "app"})
			_, err := settings.Load("missing")
			if err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("error = %v, want one that contains %s", err, name)
			}
		})
	}
}

func TestMalformedFileKeepsItsSecrets(t *testing.T) {
	env(t, nil)
	_, err := settings.Load(file(t, "OPENAI_API_KEY=sk-secret\n\"sk-secret"))
	if err == nil || strings.Contains(err.Error(), "sk-secret") {
		t.Errorf("error = %v, want one without the file's text", err)
	}
}

// TestZeroIsNotTheDefault checks that 0 in a variable differs from an unset variable.
func TestZeroIsNotTheDefault(t *testing.T) {
	env(t, map[string]string{"SQL_CONFIDENCE_THRESHOLD": "0", "SQL_SAMPLE_ROWS": "0"})
	s, err := settings.Load("missing")
	if err != nil {
		t.Fatal(err)
	}
	if c := s.Agent.MinConfidence; c <= 0 || c > 1e-9 {
		t.Errorf("the confidence is %v, want next to nothing", c)
	}
	if s.Agent.Limits.SampleRows >= 0 {
		t.Errorf("there are %d sample rows, want none", s.Agent.Limits.SampleRows)
	}
}
