package query_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/query"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/refusal"
)

// built is the result of query_builder.
type built struct {
	Text, Source, Language, Mode, Reason string
	Query                                any
	Corrections                          []qed.Correction
}

func TestBuild(t *testing.T) {
	m := model(says("query", "port=Miami", "explanation", "Ships in Miami."))
	got, events := done[built](t, builder(t, m, nil), `{"request":"ships in Miami","entities":[{"kind":"port","name":"Miami"}],"fields":[{"term":"in","field":"port"}]}`)
	want := built{Text: "Wrote a query in words for ships", Source: "ships", Language: "words", Mode: "create_new", Reason: "Ships in Miami.", Query: "port=Miami"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	wantKinds(t, events, "query_written")
	contains(t, "the prompt", sent(m)[0], `"ships in Miami"`, "columns: id, port", `"name":"Miami"`, `"field":"port"`)
}

// A query that a model writes as JSON text becomes that JSON value.
func TestWrittenForms(t *testing.T) {
	for written, want := range map[string]any{
		"all":                       "all",
		" all\n":                    "all",
		`"all"`:                     "all",
		"```\nall\n```":             "all",
		"```sql\nport=Miami\n```":   "port=Miami",
		"port=\"x\"":                `port="x"`,
		"```json\n\"port=a b\"```":  "port=a b",
		`{"query":{"match_all":{}}`: nil, // no JSON, so a string
		`{"query":{}}`:              nil,
	} {
		tool := builder(t, model(says("query", written)), nil)
		if want == nil {
			fails(t, tool, `{"request":"r"}`)
			continue
		}
		if got, _ := done[built](t, tool, `{"request":"r"}`); got.Query != want {
			t.Errorf("%q became %v, want %v", written, got.Query, want)
		}
	}
}

func TestCorrections(t *testing.T) {
	m := model(says("query", "harbor=Miami"), says("query", "harbour=Miami"), says("query", "port=Miami"))
	got, events := done[built](t, builder(t, m, nil), `{"request":"ships in Miami"}`)
	want := []qed.Correction{
		{Query: "harbor=Miami", Reason: "there is no column harbor (did you mean port?)"},
		{Query: "harbour=Miami", Reason: "there is no column harbour (did you mean port?)"},
	}
	if d := cmp.Diff(want, got.Corrections); d != "" || got.Query != "port=Miami" {
		t.Errorf("query %v, %s", got.Query, d)
	}
	wantKinds(t, events, "query_written", "query_refused", "query_written", "query_refused", "query_written")
	for _, e := range events {
		switch d := e.Data.(type) {
		case qed.QueryRefused:
			if d.Code != "unknown_column" || d.Name == "" || len(d.Candidates) != 1 {
				t.Errorf("refused = %+v", d)
			}
		case qed.QueryWritten:
			if (d.Attempt > 1) != (d.Reason != "") {
				t.Errorf("written = %+v", d)
			}
		}
	}
	prompts := sent(m)
	contains(t, "the second prompt", prompts[1], `"harbor=Miami"`, `"there is no column harbor (did you mean port?)"`)
	contains(t, "the third prompt", prompts[2], `"harbour=Miami"`, `"harbor=Miami"`)
}

// A call without a usable query ends with the last problem, within its limit.
func TestNoQuery(t *testing.T) {
	wrong := func(n int) (replies []llmtest.Reply) {
		for i := range n {
			replies = append(replies, says("query", fmt.Sprintf("x%d=1", i)))
		}
		return replies
	}
	for _, test := range []struct {
		name    string
		replies []llmtest.Reply
		calls   int
		want    string // in the error
	}{
		{"always wrong", wrong(9), 4, "no column x3"},
		{"the same again", []llmtest.Reply{says("query", "x=1"), says("query", "x=1")}, 2, "no column x"},
		{"none, with a reason", []llmtest.Reply{says("explanation", "ships have no prices")}, 1, "ships have no prices"},
		{"none after a refusal", []llmtest.Reply{says("query", "x=1"), says()}, 2, "no column x"},
		{"no JSON", []llmtest.Reply{{Text: "a"}, {Text: "b"}, {Text: "c"}}, 3, ""},
		{"no JSON after a refusal", []llmtest.Reply{says("query", "x=1"), {Text: "a"}, {Text: "b"}, {Text: "c"}}, 4, "no column x"},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := model(test.replies...)
			text, _ := fails(t, builder(t, m, nil), `{"request":"r"}`)
			contains(t, "the error", text, test.want)
			if n := len(m.Requests()); n != test.calls {
				t.Errorf("asked the model %d times, want %d", n, test.calls)
			}
		})
	}
}

// A failure of the source does not go back to the model.
func TestSourceFails(t *testing.T) {
	down := errors.New("the engine does not answer")
	m := model(says("query", "all"), says("query", "port=x"))
	text, _ := fails(t, builder(t, m, nil, &ships{checkErr: down}), `{"request":"r"}`)
	contains(t, "the error", text, "does not answer")
	if n := len(m.Requests()); n != 1 {
		t.Errorf("asked the model %d times, want once", n)
	}

	tool := builder(t, model(says("query", "all")), nil, &ships{checkErr: down})
	if _, err := tool.Call(t.Context(), json.RawMessage(`{"request":"r"}`)); !errors.Is(err, down) {
		t.Errorf("got %v, want the source's error", err)
	}
	tool = builder(t, model(says("query", "x=1"), says("query", "x=1")), nil)
	_, err := tool.Call(t.Context(), json.RawMessage(`{"request":"r"}`))
	if !errors.Is(err, refusal.Code("unknown_column")) {
		t.Errorf("got %v, want the refusal", err)
	}
}

// The model asks which meaning is right, the user chooses, and the same call continues.
func TestQuestion(t *testing.T) {
	asks := llmtest.Reply{JSON: map[string]any{"query": "", "question": "Which Miami?", "options": []string{"Port of Miami", "Miami Container Terminal", "Port of Miami", " "}}}
	m := model(asks, says("query", "port=Port of Miami"))
	c := call(t, builder(t, m, nil), `{"request":"ships in Miami"}`)
	_, answer := c.turn(qed.Turn{Text: "go"})
	if len(answer.Questions) != 1 || answer.Questions[0].Text != "Which Miami?" || len(answer.Questions[0].Choices) != 2 {
		t.Fatalf("questions = %+v", answer.Questions)
	}
	if n := len(m.Requests()); n != 1 {
		t.Fatalf("asked the model %d times before the reply", n)
	}
	_, answer = c.turn(qed.Turn{Replies: []question.Reply{{Question: answer.Questions[0].ID, Value: json.RawMessage(`"1"`)}}})
	if len(answer.Questions) > 0 || c.err != nil {
		t.Fatalf("asked again: %v, %v", answer.Questions, c.err)
	}
	if got := read[built](t, c.output); got.Query != "port=Port of Miami" {
		t.Errorf("got %+v", got)
	}
	if n := len(m.Requests()); n != 2 {
		t.Errorf("asked the model %d times, want 2: what it said is recorded", n)
	}
	contains(t, "the prompt after the reply", sent(m)[1], `"Which Miami?"`, `"Port of Miami"`)
}

// A resumed run is not affected if the source has another description or other rules by then.
func TestSourceChangesWhileAsked(t *testing.T) {
	s := &ships{}
	m := model(says("query", "harbour=1"), says("question", "Which Miami?"), says("query", "port=Miami"))
	c := call(t, builder(t, m, nil, s), `{"request":"ships in Miami"}`)
	_, answer := c.turn(qed.Turn{Text: "go"})
	if len(answer.Questions) != 1 {
		t.Fatalf("asked %v, error %v", answer.Questions, c.err)
	}
	s.about, s.also = "columns: id, port, harbour", "harbour"
	c.turn(qed.Turn{Replies: []question.Reply{{Question: answer.Questions[0].ID, Value: json.RawMessage(`"the port"`)}}})
	if c.err != nil {
		t.Fatal(c.err)
	}
	if got := read[built](t, c.output); got.Query != "port=Miami" || len(m.Requests()) != 3 {
		t.Errorf("got %+v after %d calls", got, len(m.Requests()))
	}
}

// A question without choices accepts any text, and the query after a reply may still be refused.
func TestFreeQuestion(t *testing.T) {
	m := model(says("question", "Since when?"), says("query", "date=2020"), says("query", "port=2020"))
	c := call(t, builder(t, m, nil), `{"request":"ships"}`)
	_, answer := c.turn(qed.Turn{Text: "go"})
	if len(answer.Questions) != 1 || answer.Questions[0].Kind != question.KindText {
		t.Fatalf("questions = %+v", answer.Questions)
	}
	c.turn(qed.Turn{Replies: []question.Reply{{Question: answer.Questions[0].ID, Value: json.RawMessage(`"since 2020"`)}}})
	if got := read[built](t, c.output); got.Query != "port=2020" || len(got.Corrections) != 1 {
		t.Errorf("got %+v", got)
	}
	contains(t, "the last prompt", sent(m)[2], `"since 2020"`, `"date=2020"`)
}

// The prompt of a model that asks a second time says that the run cannot be interrupted again.
func TestQuestionsAreBounded(t *testing.T) {
	m := model(says("question", "Which?"), says("question", "Which one?"))
	c := call(t, builder(t, m, nil), `{"request":"ships"}`)
	_, answer := c.turn(qed.Turn{Text: "go"})
	c.turn(qed.Turn{Replies: []question.Reply{{Question: answer.Questions[0].ID, Value: json.RawMessage(`"any"`)}}})
	if c.err == nil {
		t.Fatalf("got %s", c.output)
	}
	contains(t, "the error", c.err.Error(), "Which one?")
}

// If the run cannot be interrupted, the model chooses.
func TestNobodyToAsk(t *testing.T) {
	for name, test := range map[string]struct {
		replies []llmtest.Reply
		calls   int
	}{
		"only a question": {[]llmtest.Reply{says("question", "Which?"), says("query", "all", "explanation", "Took all.")}, 2},
		"a query as well": {[]llmtest.Reply{says("question", "Which?", "query", "all", "explanation", "Took all.")}, 1},
	} {
		m := model(test.replies...)
		tool := builder(t, m, nil)
		out, err := tool.Call(t.Context(), json.RawMessage(`{"request":"ships"}`))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := read[built](t, out); got.Query != "all" || got.Reason != "Took all." || len(m.Requests()) != test.calls {
			t.Errorf("%s: %+v after %d calls", name, got, len(m.Requests()))
		}
	}
}

func TestEditing(t *testing.T) {
	for _, test := range []struct {
		name, arguments string
		mode            string
		shown           string // of the previous query, in the prompt; empty: nothing
		fails           string // in the error; empty: it does not
	}{
		{"a query", `"mode":"edit_existing","previous":"port=Miami"`, "edit_existing", "port=Miami", ""},
		{"by itself", `"previous":"port=Miami"`, "edit_existing", "port=Miami", ""},
		{"metadata", `"previous":{"query_type":"words","query":"port=Miami","summary":"3 rows"}`, "edit_existing", "port=Miami", ""},
		{"a finding", `"previous":{"query_metadata":{"query_type":"words","query":"port=Miami"},"cached":true}`, "edit_existing", "port=Miami", ""},
		{"a built query", `"previous":{"source":"ships","language":"words","query":"port=Miami"}`, "edit_existing", "port=Miami", ""},
		{"one of another source", `"previous":{"source":"boats","language":"words","query":"port=Miami"}`, "", "", `"boats"`},
		{"one of another source, not asked for", `"mode":"create_new","previous":{"source":"boats","language":"words","query":"port=Miami"}`, "create_new", "", ""},
		{"one that is refused by now", `"previous":{"language":"words","query":"harbour=Miami"}`, "edit_existing", "harbour=Miami", ""},
		{"not asked for", `"mode":"create_new","previous":"port=Miami"`, "create_new", "", ""},
		{"null", `"previous":null`, "create_new", "", ""},
		{"none", `"mode":"edit_existing"`, "", "", "previous"},
		{"null to edit", `"mode":"edit_existing","previous":null`, "", "", "previous"},
		{"another language", `"previous":{"query_type":"sql","query":"SELECT 1"}`, "", "", `"sql"`},
		{"another language, in a finding", `"mode":"edit_existing","previous":{"query_metadata":{"query_type":"sql","query":"SELECT 1"}}`, "", "", `"sql"`},
		{"another language that does not say so", `"previous":{"query":{"match_all":{}}}`, "", "", "cannot be edited"},
		{"a long one", `"previous":{"language":"words","query":"port=` + strings.Repeat("x", 20_000) + `"}`, "", "", "bytes"},
		{"another mode", `"mode":"edit"`, "", "", "mode"},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := model(says("query", "all"))
			tool := builder(t, m, nil)
			if test.fails != "" {
				text, _ := fails(t, tool, `{"request":"r",`+test.arguments+`}`)
				contains(t, "the error", text, test.fails)
				if len(m.Requests()) > 0 {
					t.Error("the model was asked")
				}
				return
			}
			got, _ := done[built](t, tool, `{"request":"r",`+test.arguments+`}`)
			if got.Mode != test.mode || got.Query != "all" {
				t.Errorf("got %+v", got)
			}
			if shown := strings.Contains(sent(m)[0], "<previous>"); shown != (test.shown != "") || !strings.Contains(sent(m)[0], test.shown) {
				t.Errorf("the prompt: %s", sent(m)[0])
			}
		})
	}
}

func TestBuilderOptions(t *testing.T) {
	warm := 0.7
	m := model(says("query", "all"))
	done[built](t, builder(t, m, &query.BuilderOptions{
		Settings: llm.Settings{JSONMode: true, Temperature: &warm, MaxOutputTokens: 77},
	}), `{"request":"r"}`)
	req := m.Requests()[0]
	if req.Temperature == nil || *req.Temperature != warm || req.MaxOutputTokens != 77 || req.Format.Mode != llm.JSONMode {
		t.Errorf("sent %+v", req)
	}
}

// Each language has its own rules in the prompt.
func TestLanguages(t *testing.T) {
	seen := map[string]string{}
	for _, language := range []string{"elasticsearch", "graphql", "sql", "words"} {
		m := model(says("query", "all"))
		done[built](t, builder(t, m, nil, &ships{language: language}), `{"request":"r"}`)
		prompt := strings.ReplaceAll(sent(m)[0], language, "")
		for other, same := range seen {
			if same == prompt {
				t.Errorf("%s and %s are asked for alike", language, other)
			}
		}
		seen[language] = prompt
	}
}

// In a small context the end of a long description is left out.
func TestBuildInASmallContext(t *testing.T) {
	source := &ships{about: strings.Repeat("a field of ships\n", 2000)}
	m := model(says("query", "all"))
	opt := &query.BuilderOptions{Settings: llm.Settings{ContextTokens: 4096}}
	if got, _ := done[built](t, builder(t, m, opt, source), `{"request":"all ships"}`); got.Query != "all" {
		t.Errorf("%+v", got)
	}
	if n := strings.Count(sent(m)[0], "a field of ships"); n < 8 || n > 400 {
		t.Errorf("the prompt has %d lines of the description", n)
	}
}
