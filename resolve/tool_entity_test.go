package resolve_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/finding"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/resolve"
	"github.com/qedkit/qed/store"
)

func miami(t *testing.T, aliases ...string) *resolve.Catalog {
	t.Helper()
	c, err := resolve.NewCatalog([]resolve.Entity{
		{Kind: "port", Name: "Port of Miami", ID: "p1", Aliases: aliases},
		{Kind: "terminal", Name: "Miami Container Terminal", ID: "t1"},
		{Kind: "port", Name: "Shanghai International Port", ID: "p2"},
		{Kind: "vessel", Name: "MSC Anna", ID: "v1"},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

const askMiami = `{"terms":[{"text":"Miami"},{"kind":"vessel","text":"Anna MSC"}]}`

var (
	portOfMiami   = finding.Entity{Kind: "port", Name: "Port of Miami", ID: "p1", Said: "Miami"}
	miamiTerminal = finding.Entity{Kind: "terminal", Name: "Miami Container Terminal", ID: "t1", Said: "Miami"}
	mscAnna       = finding.Entity{Kind: "vessel", Name: "MSC Anna", ID: "v1", Said: "Anna MSC"}
)

// Two entities have the name: the user is asked, and answers in words or with a
// number.
func TestEntityToolAsks(t *testing.T) {
	for _, tt := range []struct {
		reply string
		want  finding.Entity
	}{{"Port of Miami", portOfMiami}, {"port of miami.", portOfMiami}, {"1", portOfMiami}, {"2", miamiTerminal}, {"the second", portOfMiami}} {
		t.Run(tt.reply, func(t *testing.T) {
			tool, err := resolve.NewEntityTool(nil, miami(t), nil)
			a := agent(t, tool, err)
			asked := say(t, a, askMiami)
			if len(asked.Questions) != 1 {
				t.Fatalf("questions: %+v", asked.Questions)
			}
			q := asked.Questions[0]
			if q.Text != "Which Miami: Port of Miami or Miami Container Terminal?" || len(q.Choices) != 2 {
				t.Errorf("question: %+v", q)
			}
			if tt.reply == "the second" { // not a reply without a model to read it: a new request, which is no JSON
				if _, err := qed.Ask(t.Context(), a, qed.Turn{Thread: "t", User: "ann", Text: tt.reply}); err == nil {
					t.Error("another message is read as a reply")
				}
				return
			}
			got := read(t, say(t, a, tt.reply).Text)
			if diff := cmp.Diff([]finding.Entity{tt.want, mscAnna}, got.Entities); diff != "" {
				t.Error(diff)
			}
			if want := "Resolved Miami to " + tt.want.Name + ", Anna MSC to MSC Anna"; got.Text != want || len(got.Unresolved) > 0 {
				t.Errorf("got %q, unresolved %v; want %q", got.Text, got.Unresolved, want)
			}
		})
	}
}

// An alias resolves the term without a question and without the model.
func TestEntityToolAlias(t *testing.T) {
	tool, err := resolve.NewEntityTool(llmtest.Scripted(t), miami(t, "Miami"), nil)
	got := read(t, say(t, agent(t, tool, err), askMiami).Text)
	if diff := cmp.Diff([]finding.Entity{portOfMiami, mscAnna}, got.Entities); diff != "" {
		t.Error(diff)
	}
}

// One entity has a similar name: the user may choose it, or none.
func TestEntityToolNear(t *testing.T) {
	for _, tt := range []struct {
		reply string
		found bool
	}{{"Shanghai International Port", true}, {"1", true}, {"2", false}, {"None of these", false}, {"none", false}} {
		t.Run(tt.reply, func(t *testing.T) {
			tool, err := resolve.NewEntityTool(nil, miami(t), nil)
			a := agent(t, tool, err)
			asked := say(t, a, `{"terms":[{"text":"Shanghai"}]}`)
			if len(asked.Questions) != 1 || len(asked.Questions[0].Choices) != 2 {
				t.Fatalf("questions: %+v", asked.Questions)
			}
			got := read(t, say(t, a, tt.reply).Text)
			switch {
			case tt.found && (len(got.Entities) != 1 || got.Entities[0].ID != "p2" || len(got.Unresolved) > 0):
				t.Errorf("got %+v", got)
			case !tt.found:
				want := []resolve.UnresolvedTerm{{Text: "Shanghai", Nearest: []string{"Shanghai International Port"}}}
				if diff := cmp.Diff(want, got.Unresolved); diff != "" || len(got.Entities) > 0 {
					t.Errorf("%s %+v", diff, got.Entities)
				}
				if got.Text != "Not found: Shanghai (nearest: Shanghai International Port)" {
					t.Errorf("text = %q", got.Text)
				}
			}
		})
	}
}

// A term that resembles nothing is unresolved without a question, or an error if
// all terms have to be resolved.
func TestEntityToolUnresolved(t *testing.T) {
	const arguments = `{"terms":[{"kind":"vessel","text":"MSC Anna"},{"text":"Copenhagen"}]}`
	tool, err := resolve.NewEntityTool(nil, miami(t), nil)
	got := read(t, say(t, agent(t, tool, err), arguments).Text)
	if got.Text != "Resolved MSC Anna to MSC Anna. Not found: Copenhagen" || len(got.Entities) != 1 || len(got.Unresolved) != 1 {
		t.Errorf("got %+v", got)
	}

}

// If nobody can be asked, the error lists the term and its candidates.
func TestEntityToolCannotInterrupt(t *testing.T) {
	tool, err := resolve.NewEntityTool(nil, miami(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	muted := tool
	muted.Interrupts = false
	tools := qed.NewRegistry(nil)
	if err := tools.Add(muted); err != nil {
		t.Fatal(err)
	}
	_, err = qed.Ask(t.Context(), qed.Durable(qed.AgentFunc(func(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
		results, err := tools.Do(ctx, llm.ToolCall{Name: tool.Name, Arguments: json.RawMessage(askMiami)})
		if err == nil {
			err = results[0].Err
		}
		return qed.Answer{}, err
	}), new(store.InMemory), nil), qed.Turn{Thread: "t", Text: "go"})
	_, alone := tool.Call(t.Context(), json.RawMessage(askMiami))
	for _, err := range []error{err, alone} {
		if !errors.Is(err, qed.ErrCannotInterrupt) || !strings.Contains(err.Error(), "Miami Container Terminal") || !strings.Contains(err.Error(), `"Miami"`) {
			t.Errorf("error = %v", err)
		}
	}
}

// The model is not asked about equal candidates, and chooses among similar ones only if it is
// certain.
func TestEntityToolModel(t *testing.T) {
	const request = "containers discharged at the terminal in Miami"
	ask := func(term, request string) string {
		text, _ := json.Marshal(map[string]any{"terms": []map[string]string{{"text": term}}, "request": request})
		return string(text)
	}
	for _, tt := range []struct {
		name, arguments string
		says            map[string]any
		want            string // empty: the user is asked
	}{
		{"equal", ask("Miami", request), nil, ""},
		{"near, and sure", ask("Shanghai", ""), map[string]any{"choice": 1}, "p2"},
		{"near, and not sure", ask("Shanghai", ""), map[string]any{"choice": 0}, ""},
		{"no reply that can be read", ask("Shanghai", ""), nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rule := llmtest.Rule{Name: "choose_entity", Replies: []llmtest.Reply{{JSON: tt.says}}}
			var rules []llmtest.Rule
			switch {
			case tt.says != nil:
				rules = append(rules, rule)
			case tt.name == "no reply that can be read":
				rules = append(rules, llmtest.Rule{Name: "choose_entity", Repeat: true, Replies: []llmtest.Reply{{Text: "I think so"}}})
			}
			tool, err := resolve.NewEntityTool(llmtest.Scripted(t, rules...), miami(t), nil)
			answer := say(t, agent(t, tool, err), tt.arguments)
			if tt.want == "" {
				if len(answer.Questions) != 1 {
					t.Errorf("nobody is asked: %+v", answer)
				}
				return
			}
			if got := read(t, answer.Text); len(got.Entities) != 1 || got.Entities[0].ID != tt.want {
				t.Errorf("got %+v", got)
			}
		})
	}
}

// Entities with one name are distinguished by what differs.
func TestSameName(t *testing.T) {
	c, err := resolve.NewCatalog([]resolve.Entity{
		{Kind: "city", Name: "Springfield", ID: "1", Attributes: map[string]string{"country": "US", "state": "Illinois"}},
		{Kind: "city", Name: "Springfield", ID: "2", Attributes: map[string]string{"country": "US", "state": "Oregon"}},
		{Kind: "city", Name: "Springfield", ID: "3"},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	tool, err := resolve.NewEntityTool(nil, c, nil)
	a := agent(t, tool, err)
	asked := say(t, a, `{"terms":[{"text":"springfield"}]}`)
	var options []string
	for _, o := range asked.Questions[0].Choices {
		options = append(options, o.Text)
	}
	want := []string{"Springfield (country: US, state: Illinois)", "Springfield (country: US, state: Oregon)", "Springfield (id: 3)"}
	if diff := cmp.Diff(want, options); diff != "" {
		t.Error(diff)
	}
	if got := read(t, say(t, a, "2").Text); got.Entities[0].ID != "2" {
		t.Errorf("got %+v", got.Entities)
	}
}

// The question stays as the user saw it, even if the catalog changes.
func TestQuestionStays(t *testing.T) {
	c := miami(t)
	tool, err := resolve.NewEntityTool(nil, c, nil)
	a := agent(t, tool, err)
	say(t, a, askMiami)
	if err := c.Replace([]resolve.Entity{{Kind: "terminal", Name: "Miami Cruise Terminal", ID: "t2"}, {Kind: "vessel", Name: "MSC Anna", ID: "v1"}}); err != nil {
		t.Fatal(err)
	}
	if got := read(t, say(t, a, "2").Text); len(got.Entities) != 2 || got.Entities[0] != miamiTerminal {
		t.Errorf("got %+v", got)
	}
}
