package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/qedkit/qed/examples/folders"
	"github.com/qedkit/qed/examples/internal/chat/chattest"
)

// search runs the program with nothing configured but env.
func search(t *testing.T, env map[string]string, in string, args ...string) (string, error) {
	t.Helper()
	t.Chdir(t.TempDir()) // no .env
	for _, name := range []string{"OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "ANTHROPIC_MODEL",
		"ELASTICSEARCH_URL", "ELASTICSEARCH_USERNAME", "ELASTICSEARCH_PASSWORD", "ELASTICSEARCH_API_KEY"} {
		t.Setenv(name, env[name])
	}
	var out strings.Builder
	err := run(t.Context(), args, strings.NewReader(in), &out)
	return out.String(), err
}

func TestReplay(t *testing.T) {
	out, err := search(t, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, turn := range folders.Transcript() {
		if !strings.Contains(out, "? "+turn.Text) || !strings.Contains(out, turn.Answer) {
			t.Errorf("the output lacks %q, or its answer", turn.Text)
		}
	}
	for _, step := range []string{"plan ", "step ", "model ", "refused ", "correct ", "secured ", "ran ", "found ", "known ", "waits ", "question ", "failed ", "answer ", "rows "} {
		if !strings.Contains(out, "\n  "+step) {
			t.Errorf("no turn shows the step %q", step)
		}
	}
	for _, secret := range []string{"TIN-", "Card_Statements", "Rival_", "\x1b"} {
		if strings.Contains(out, secret) {
			t.Errorf("the output shows %q", secret)
		}
	}
}

func TestOneQuestion(t *testing.T) {
	out, err := search(t, nil, "", "what is in the contracts folder?")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out, "Malmo_Harbour_2025.pdf") || strings.Contains(out, "W2_2024.pdf") {
		t.Errorf("the output is that of another question:\n%s", out)
	}
}

func TestWrongTurns(t *testing.T) {
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
		w.Write([]byte(`{"error":{"type":"security_exception","reason":"missing authentication credentials"},"status":401}`))
	}))
	defer refusing.Close()
	for _, tt := range []struct {
		name string
		env  map[string]string
		args []string
		want string // the remedy names it
	}{
		{"a question that the transcript lacks", nil, []string{"What is love?"}, "OPENAI_API_KEY"},
		{"a cluster that is down", map[string]string{"ELASTICSEARCH_URL": "http://me:hunter2@127.0.0.1:1"}, nil, "127.0.0.1:1"},
		{"a cluster that wants a password", map[string]string{"ELASTICSEARCH_URL": refusing.URL}, nil, "401"},
		{"no URL", map[string]string{"ELASTICSEARCH_URL": "me:hunter2@localhost"}, nil, "ELASTICSEARCH_URL"},
		{"a flag that is none", nil, []string{"-nope"}, "-nope"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := search(t, tt.env, "", tt.args...)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error = %v, want one that names %q", err, tt.want)
			}
			if err != nil && strings.Contains(err.Error(), "hunter2") {
				t.Errorf("the error shows the password: %v", err)
			}
		})
	}
}

// TestModelWithoutACluster: a model may ask what was not recorded. The program says so,
// and what brings an engine, and the conversation goes on.
func TestModelWithoutACluster(t *testing.T) {
	url := chattest.Provider(t, func(sent string) string {
		var reply any
		switch {
		case strings.Contains(sent, `You decide whether`):
			reply = map[string]any{"search": true, "confidence": "high", "reason": "it asks for documents"}
		case strings.Contains(sent, `You plan`):
			reply = map[string]any{"reason": "", "steps": []map[string]any{{"key": "a", "task": "find photos", "index": folders.Index}}}
		default:
			reply = map[string]any{"body": `{"query":{"term":{"file.type":"jpg"}}}`}
		}
		text, err := json.Marshal(reply)
		if err != nil {
			t.Error(err)
		}
		return string(text)
	})
	out, err := search(t, map[string]string{"OPENAI_BASE_URL": url}, "Which photos are there?\n")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out, "ELASTICSEARCH_URL") || !strings.Contains(out, "not recorded") {
		t.Errorf("the output does not say what is missing:\n%s", out)
	}
}
