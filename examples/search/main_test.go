package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/qedkit/qed/examples/folders"
	"github.com/qedkit/qed/internal/command/chattest"
)

// search runs the program with nothing configured but env.
func search(t *testing.T, env map[string]string, in string, args ...string) (string, error) {
	t.Helper()
	return chattest.Run(t, run, env, in, args...)
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
	for _, step := range []string{"plan ", "task ", "model ", "refused ", "correct ", "secured ", "ran ", "found ", "reused ", "waiting ", "question ", "failed ", "answer ", "rows "} {
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
	chattest.WrongTurns(t, run, append(chattest.WrongClusters(t), []chattest.WrongTurn{
		chattest.Wrong("a question that the transcript lacks", "OPENAI_API_KEY", "What is love?"),
		chattest.Wrong("an unknown flag", "-nope", "-nope"),
	}...))
}

// TestModelWithoutACluster checks that a search that was not recorded is reported, with
// the setting for a cluster, and that the conversation continues.
func TestModelWithoutACluster(t *testing.T) {
	url := chattest.Provider(t, func(sent string) string {
		var reply any
		switch {
		case strings.Contains(sent, `You decide whether`):
			reply = map[string]any{"intent": "search", "confidence": "high", "reasoning": "it asks for documents"}
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

// TestCredentials checks what a cluster gets of the variables. It refuses everything.
func TestCredentials(t *testing.T) {
	for name, tt := range map[string]struct {
		env  map[string]string
		want string
	}{
		"none":       {nil, ""},
		"a password": {map[string]string{"ELASTICSEARCH_USERNAME": "me", "ELASTICSEARCH_PASSWORD": "secret"}, "Basic bWU6c2VjcmV0"},
		"an API key": {map[string]string{"ELASTICSEARCH_API_KEY": "a-key"}, "APIKey a-key"},
	} {
		var got string
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			got = r.Header.Get("Authorization")
			w.WriteHeader(http.StatusUnauthorized)
		}))
		env := map[string]string{"ELASTICSEARCH_URL": server.URL}
		for variable, value := range tt.env {
			env[variable] = value
		}
		if _, err := search(t, env, ""); err == nil || !strings.EqualFold(got, tt.want) {
			t.Errorf("%s: the cluster got %q, want %q (%v)", name, got, tt.want, err)
		}
		server.Close()
	}
}
