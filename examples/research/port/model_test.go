package port_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/examples/research/port"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/research"
	"github.com/qedkit/qed/store"
)

// The report on the fee says the amount that follows from the documents.
func TestFee(t *testing.T) {
	number := func(document, pattern string) int {
		t.Helper()
		raw, err := port.Files.ReadFile("documents/" + document)
		if err != nil {
			t.Fatal(err)
		}
		found := regexp.MustCompile(pattern).FindSubmatch(raw)
		if found == nil {
			t.Fatalf("%s has no %s", document, pattern)
		}
		n, err := strconv.Atoi(string(found[1]))
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	const nights = 3
	whole := nights * number("liegeplatz-2.md", `Liegegeld beträgt ([0-9]+) Euro für jede angefangene Nacht`)
	less := whole * number("liegeplatz-3.md", `zahlt ([0-9]+) Prozent weniger Liegegeld`) / 100
	docs, err := port.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	agent, err := research.New(port.Model(llmtest.New(port.Transcript()...)), docs.Index, &research.Options{
		Registry: docs.Registry, TopK: 2, MinPassages: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	answer, err := qed.Ask(t.Context(), agent, qed.Turn{Text: port.Recorded()[0]})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		fmt.Sprintf("Für drei Nächte zahlt ein Schiff mit Landstrom %d Euro", whole-less),
		fmt.Sprintf("| drei Nächte zu je %d Euro | %d |", whole/nights, whole), fmt.Sprintf("| −%d |", less),
	} {
		if !strings.Contains(answer.Text, want) {
			t.Errorf("%q is not in\n%s", want, answer.Text)
		}
	}
	if answer.Audit == nil || len(answer.Audit.Findings) > 0 {
		t.Errorf("%+v", answer.Audit)
	}
}

// What the recorded model says depends on what the user says: the reply to a question
// adds a task, and a report has what the tasks of the user find, and nothing else.
func TestModel(t *testing.T) {
	docs, err := port.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	agent, err := research.New(port.Model(llmtest.New(port.Transcript()...)), docs.Index, &research.Options{
		Registry: docs.Registry, TopK: 2, MinPassages: 1, MaxRounds: 2, ApprovePlan: true, Store: new(store.InMemory),
	})
	if err != nil {
		t.Fatal(err)
	}
	edit := func(task, query string) string {
		return fmt.Sprintf(`edit: {"current_task_key": "a", "original_request": "", "rewritten_request": "", "tasks": {"a": {
			"description": %q, "tool": "", "can_clarify": false, "status": "pending", "arguments": {"query": %q}}}}`, task, query)
	}
	for i, c := range []struct {
		replies     []string
		tasks       int
		has, hasNot string
		notFound    bool
	}{
		{[]string{"/end", "yes"}, 2, "every 12 months", "Also found", false},
		{[]string{`"Also the permit."`, "yes"}, 3, "every 12 months", "Also found", false},
		{[]string{"/end", edit("How often hoses are tested", "hose test interval")}, 1, "every 12 months", "Also found", false},
		{[]string{"/end", edit("Which noise limit applies at night", "decibel limit fence night")}, 1, "45 decibels at night", "12 months", false},
		{[]string{"/end", edit("xylophones", "decibel")}, 1, "could not answer", "decibel", true},
	} {
		thread := strconv.Itoa(i)
		answer, err := qed.Ask(t.Context(), agent, qed.Turn{Thread: thread, Text: port.Recorded()[1]})
		for _, text := range c.replies {
			if err != nil || len(answer.Questions) != 1 {
				t.Fatalf("%s: %v, %v", thread, answer.Questions, err)
			}
			turn := qed.Turn{Thread: thread, Text: text}
			if strings.HasPrefix(text, `"`) { // as a form sends it
				turn.Text, turn.Replies = "", []question.Reply{{Question: answer.Questions[0].ID, Value: json.RawMessage(text)}}
			}
			answer, err = qed.Ask(t.Context(), agent, turn)
		}
		if err != nil {
			t.Fatalf("%s: %v", thread, err)
		}
		if len(answer.Plan) != c.tasks || answer.NotFound != c.notFound {
			t.Errorf("%s: the plan is %v, not found: %v", thread, answer.Plan, answer.NotFound)
		}
		if !strings.Contains(answer.Text, c.has) || strings.Contains(answer.Text, c.hasNot) {
			t.Errorf("%s: %s", thread, answer.Text)
		}
		if answer.Audit != nil && len(answer.Audit.Findings) > 0 {
			t.Errorf("%s: %v", thread, answer.Audit.Findings)
		}
	}
}
