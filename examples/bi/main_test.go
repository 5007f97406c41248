package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/qedkit/qed/examples/shipping"
	"github.com/qedkit/qed/internal/command/chattest"
)

// bi runs the program with nothing configured but env.
func bi(t *testing.T, env map[string]string, in string, args ...string) (string, error) {
	t.Helper()
	return chattest.Run(t, run, env, in, args...)
}

// TestAllScenarios checks that every conversation runs without any settings, and that
// every kind of step is printed.
func TestAllScenarios(t *testing.T) {
	out, err := bi(t, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range shipping.Scenarios() {
		if !strings.Contains(out, s.Title) {
			t.Errorf("the output lacks scenario %d", s.Number)
		}
		for _, turn := range s.Turns {
			if !strings.Contains(out, "? "+turn.Text) || !strings.Contains(out, turn.Question) {
				t.Errorf("the output lacks %q, or what it means", turn.Text)
			}
		}
	}
	for _, step := range []string{"intent ", "rewritten ", "plan ", "task ", "model ", "ran ", "found ", "done ", "waiting ", "question ", "closed ", "answer ", "rows ", "artifact ", "memory "} {
		if !strings.Contains(out, "\n  "+step) {
			t.Errorf("no turn shows the step %q", step)
		}
	}
	for _, secret := range []string{"red-ensign", "tenant_id", "\x1b"} {
		if strings.Contains(out, secret) {
			t.Errorf("the output shows %q", secret)
		}
	}
}

func TestOneScenario(t *testing.T) {
	out, err := bi(t, nil, "", "-scenario", "4")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out, "customs_hold") || strings.Contains(out, "142 shipments") {
		t.Errorf("the output is that of another scenario:\n%s", out)
	}
}

func TestChartFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "chart.json")
	without, err := bi(t, nil, "", "-scenario", "5")
	if err != nil {
		t.Fatal(err)
	}
	out, err := bi(t, nil, "", "-scenario", "5", "-out", file)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(without, "-out ") || strings.Contains(out, "-out ") || !strings.Contains(out, file) {
		t.Errorf("the output does not say where the chart is, or how to have it written: %s", out)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var spec struct {
		Schema string `json:"$schema"`
		Data   struct {
			Values []map[string]any `json:"values"`
		} `json:"data"`
	}
	if err := json.Unmarshal(text, &spec); err != nil {
		t.Fatal(err)
	}
	if carriers := 5; !strings.Contains(spec.Schema, "vega-lite") || len(spec.Data.Values) != carriers {
		t.Errorf("the chart is of %q and has %d values, want %d", spec.Schema, len(spec.Data.Values), carriers)
	}
}

func TestWrongTurns(t *testing.T) {
	chattest.WrongTurns(t, run, append(chattest.WrongClusters(t), []chattest.WrongTurn{
		chattest.Wrong("an unknown scenario", "5  The rows are analysed", "-scenario", "9"),
		chattest.Wrong("a scenario and a question", "leave out", "-scenario", "1", "Why?"),
		chattest.Wrong("a scenario and a user", "leave out -user", "-scenario", "1", "-user", "ben"),
		chattest.Wrong("a question without a model", "OPENAI_API_KEY", "Which ships are late?"),
		chattest.Wrong("a user without a model", "OPENAI_API_KEY", "-user", "ben"),
		chattest.Wrong("an unknown user", "ana or ben", "-user", "eve"),
		chattest.Wrong("a file in no folder", "nowhere", "-out", "nowhere/chart.json"),
		chattest.Wrong("a folder for a file", "chart.json", "-out", "."),
		chattest.Wrong("a file and no chart", "-scenario 5", "-scenario", "1", "-out", "chart.json"),
		chattest.Wrong("a flag behind the question", "flags come first", "Why?", "-out", "chart.json"),
		chattest.Wrong("an unknown flag", "-nope", "-nope"),
	}...))
}

// TestModelWithoutACluster checks that a search that was not recorded is reported, with
// the setting for a cluster, and that the conversation continues.
func TestModelWithoutACluster(t *testing.T) {
	url := chattest.Provider(t, func(sent string) string {
		var reply any
		switch {
		case strings.Contains(sent, "You rewrite"):
			reply = map[string]any{"question": "Which shipments are late?"}
		case strings.Contains(sent, "You make the plan"):
			reply = map[string]any{"retrieval": "multi_entity", "query_mode": "create_new", "tasks": []map[string]any{
				{"key": "execute_es", "description": "search", "tool": "es_executor",
					"arguments": `{"source":"` + shipping.ShipmentIndex + `","query":{"query":{"range":{"delay_hours":{"gt":0}}},"size":3}}`},
			}}
		default:
			reply = map[string]any{"intent": "new_request"}
		}
		text, err := json.Marshal(reply)
		if err != nil {
			t.Error(err)
		}
		return string(text)
	})
	out, err := bi(t, map[string]string{"OPENAI_BASE_URL": url}, "Which ships are late?\nforget it\n")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"ELASTICSEARCH_URL", "not recorded", "All right."} {
		if !strings.Contains(out, want) {
			t.Errorf("the output lacks %q:\n%s", want, out)
		}
	}
}
