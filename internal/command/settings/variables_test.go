package settings_test

import (
	"context"
	"os"
	"regexp"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/internal/command/settings"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
)

// A variable has a value and the part of the settings that has to become want.
type variable struct {
	value string
	want  any
	part  func(*settings.Settings) any
}

var variables = map[string]variable{
	"OPENAI_API_KEY":     {"k", "k", func(s *settings.Settings) any { return s.APIKey }},
	"OPENAI_BASE_URL":    {"http://a", "http://a", func(s *settings.Settings) any { return s.BaseURL }},
	"OPENAI_MODEL":       {"m", "m", func(s *settings.Settings) any { return s.Model }},
	"OPENAI_TEMPERATURE": {"0.5", new(0.5), func(s *settings.Settings) any { return s.Agent.Temperature }},
	"OPENAI_JSON_MODE":   {"true", true, func(s *settings.Settings) any { return s.Agent.JSONMode }},
	"ANTHROPIC_API_KEY":  {"k", "k", func(s *settings.Settings) any { return s.Anthropic.APIKey }},
	"ANTHROPIC_BASE_URL": {"http://a", "http://a", func(s *settings.Settings) any { return s.Anthropic.BaseURL }},
	"ANTHROPIC_MODEL":    {"m", "m", func(s *settings.Settings) any { return s.Model }},
	"MODEL_PRICE_INPUT":  {"2", 2.0, costOf(llm.Usage{InputTokens: 1e6})},
	"MODEL_PRICE_OUTPUT": {"3", 3.0, costOf(llm.Usage{OutputTokens: 1e6})},
	"EMBEDDING_MODEL":    {"e", "e", func(s *settings.Settings) any { return s.EmbeddingModel }},

	"ELASTICSEARCH_URL":      {"http://a", "http://a", func(s *settings.Settings) any { return s.Search.URL }},
	"ELASTICSEARCH_USERNAME": {"u", "u", func(s *settings.Settings) any { return s.Search.Username }},
	"ELASTICSEARCH_PASSWORD": {"p", "p", func(s *settings.Settings) any { return s.Search.Password }},
	"ELASTICSEARCH_API_KEY":  {"k", "k", func(s *settings.Settings) any { return s.Search.APIKey }},

	"DB_HOST":        {"h", "mysql://h:3306/app", func(s *settings.Settings) any { return s.Database }},
	"DB_PORT":        {"1", "mysql://127.0.0.1:1/app", func(s *settings.Settings) any { return s.Database }},
	"DB_USER":        {"u", "mysql://u@127.0.0.1:3306/app", func(s *settings.Settings) any { return s.Database }},
	"DB_PWD":         {"p", "mysql://:p@127.0.0.1:3306/app", func(s *settings.Settings) any { return s.Database }},
	"DB_NAME":        {"n", "mysql://127.0.0.1:3306/n", func(s *settings.Settings) any { return s.Database }},
	"DB_ENCRYPT_KEY": {"k", "k", func(s *settings.Settings) any { return s.EncryptKey }},

	"SQL_AGENT_MAX_ITERATIONS":           {"7", 7, func(s *settings.Settings) any { return s.Agent.MaxStatements }},
	"SQL_SAMPLE_ROWS":                    {"7", 7, func(s *settings.Settings) any { return s.Agent.SampleRows }},
	"SQL_MAX_TABLES_IN_CONTEXT":          {"7", 7, func(s *settings.Settings) any { return s.Agent.Limits.Tables }},
	"SQL_CORRECTION_MAX_ATTEMPTS":        {"7", 7, func(s *settings.Settings) any { return s.Agent.MaxCorrections }},
	"SQL_PRE_VALIDATION_ENABLED":         {"false", true, func(s *settings.Settings) any { return s.Agent.HideColumns }},
	"SQL_CONFIDENCE_THRESHOLD":           {"0.5", 0.5, func(s *settings.Settings) any { return s.Agent.MinConfidence }},
	"SQL_MAX_SUGGESTED_PATHS":            {"7", 7, func(s *settings.Settings) any { return s.Agent.Limits.Paths }},
	"SQL_MAX_RELATIONSHIPS_IN_PROMPT":    {"7", 7, func(s *settings.Settings) any { return s.Agent.Limits.Relationships }},
	"SQL_MAX_COLUMNS_IN_SCHEMA":          {"7", 7, func(s *settings.Settings) any { return s.Agent.Limits.Columns }},
	"SQL_MAX_COLUMNS_IN_VALIDATION":      {"7", 7, func(s *settings.Settings) any { return s.ColumnsInMessages }},
	"SQL_MAX_TABLES_IN_SELECTION_PROMPT": {"7", 7, func(s *settings.Settings) any { return s.Agent.Limits.ListedTables }},
	"MAX_CONTEXT_TOKENS":                 {"7", 7, func(s *settings.Settings) any { return s.Agent.MaxContextTokens }},
	"MAX_OUTPUT_TOKENS":                  {"7", 7, func(s *settings.Settings) any { return s.Agent.MaxOutputTokens }},
	"MAX_QUERY_ROWS":                     {"7", 7, func(s *settings.Settings) any { return s.MaxRows }},

	"CONVERSATION_DB_PATH":                {"x.db", "x.db", func(s *settings.Settings) any { return s.Conversations.Path }},
	"CONVERSATION_MAX_AGE_HOURS":          {"7", 7 * time.Hour, func(s *settings.Settings) any { return s.Conversations.MaxAge }},
	"CONVERSATION_CLEANUP_INTERVAL_HOURS": {"7", 7 * time.Hour, func(s *settings.Settings) any { return s.Conversations.CleanupInterval }},
	"CONVERSATION_DB_RETRY_ATTEMPTS":      {"7", 8, func(s *settings.Settings) any { return s.Conversations.Retry.Attempts }},
	"CONVERSATION_DB_RETRY_DELAY":         {"7", 7 * time.Second, func(s *settings.Settings) any { return s.Conversations.Retry.Wait }},
	"MAX_CONVERSATION_MESSAGES":           {"7", 7, func(s *settings.Settings) any { return s.Conversations.Messages }},
	"CONVERSATION_MEMORY_STRATEGY":        {"tiered", true, func(s *settings.Settings) any { return s.Conversations.Tiered }},
}

// needed are the variables without which another one has no effect.
var needed = map[string][2]string{
	"ANTHROPIC_MODEL": {"ANTHROPIC_API_KEY", "k"}, "DB_HOST": {"DB_NAME", "app"}, "DB_PORT": {"DB_NAME", "app"},
	"DB_USER": {"DB_NAME", "app"}, "DB_PWD": {"DB_NAME", "app"},
}

// costOf returns the cost of the usage of a model with the prices of the settings.
func costOf(u llm.Usage) func(*settings.Settings) any {
	return func(s *settings.Settings) any {
		m := s.Priced(llmtest.New(llmtest.Rule{Replies: []llmtest.Reply{{Text: "x", Usage: u}}}))
		reply, err := m.Generate(context.Background(), &llm.Request{}, nil)
		if err != nil {
			return err
		}
		return reply.Usage.Cost
	}
}

// TestVariables checks that each variable of the example file has an effect.
func TestVariables(t *testing.T) {
	text, err := os.ReadFile("../../../.env.example")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?m)^(\w+)=`).FindAllSubmatch(text, -1) {
		name := string(m[1])
		v, ok := variables[name]
		if !ok {
			t.Errorf("the effect of %s is not tested", name)
			continue
		}
		t.Run(name, func(t *testing.T) {
			set := map[string]string{}
			if other, ok := needed[name]; ok {
				set[other[0]] = other[1]
			}
			env(t, set)
			before, err := settings.Load("missing")
			if err != nil {
				t.Fatal(err)
			}
			t.Setenv(name, v.value)
			after, err := settings.Load("missing")
			if err != nil {
				t.Fatal(err)
			}
			if cmp.Equal(v.want, v.part(before)) {
				t.Errorf("%v is the default", v.want)
			}
			if diff := cmp.Diff(v.want, v.part(after)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
