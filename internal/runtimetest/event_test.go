package runtimetest_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/question"
)

// events has an event of every kind, with every field, and how it is written.
var events = map[string]qed.Event{
	`{"event":"node_start","path":"sql/a","data":{"attempt":2}}`:                                                                              {Path: "sql/a", Data: qed.NodeStarted{Attempt: 2}},
	`{"event":"node_end","path":"","data":{"attempt":1,"millis":3,"error":"boom"}}`:                                                           {Data: qed.NodeFinished{Attempt: 1, Millis: 3, Error: "boom"}},
	`{"event":"intent_classified","path":"todo","data":{"intent":"modification","tasks":["run"],"reason":"why"}}`:                             {Path: "todo", Data: qed.IntentClassified{Intent: question.IntentModification, Tasks: []string{"run"}, Reason: "why"}},
	`{"event":"question_rewritten","path":"","data":{"question":"q"}}`:                                                                        {Data: qed.QuestionRewritten{Question: "q"}},
	`{"event":"route_decision","path":"","data":{"route":"sql"}}`:                                                                             {Data: qed.RouteDecision{Route: "sql"}},
	`{"event":"tool_start","path":"","data":{"tool":"sql_agent","id":"1","arguments":{"a":1}}}`:                                               {Data: qed.ToolStarted{Tool: "sql_agent", ID: "1", Arguments: json.RawMessage(`{"a":1}`)}},
	`{"event":"tool_end","path":"","data":{"tool":"sql_agent","id":"1","millis":3,"result":"{}"}}`:                                            {Data: qed.ToolFinished{Tool: "sql_agent", ID: "1", Millis: 3, Result: "{}"}},
	`{"event":"tool_end","path":"","data":{"tool":"sql_agent","id":"1","millis":3,"error":"boom"}}`:                                           {Data: qed.ToolFinished{Tool: "sql_agent", ID: "1", Error: "boom", Millis: 3}},
	`{"event":"tables_selected","path":"","data":{"tables":["a"],"fallback":true,"reason":"r"}}`:                                              {Data: qed.TablesSelected{Tables: []string{"a"}, Fallback: true, Reason: "r"}},
	`{"event":"planned","path":"","data":{"reason":"r","tasks":[{"key":"1","description":"d"},{"key":"2","description":"e","after":["1"]}]}}`: {Data: qed.Planned{Reason: "r", Tasks: []qed.PlanTask{{Key: "1", Description: "d"}, {Key: "2", Description: "e", After: []string{"1"}}}}},
	`{"event":"task_start","path":"","data":{"key":"1","description":"d"}}`:                                                                   {Data: qed.TaskStarted{Key: "1", Description: "d"}},
	`{"event":"task_end","path":"","data":{"key":"1","rows":2,"cached":true,"millis":3,"error":"e","interrupted":true}}`:                      {Data: qed.TaskFinished{Key: "1", Rows: 2, Cached: true, Millis: 3, Error: "e", Interrupted: true}},
	`{"event":"page","path":"","data":{"number":1,"table":{"columns":[{"name":"c"}],"rows":[[1]]}}}`:                                          {Data: qed.Page{Number: 1, Table: qed.Table{Columns: []qed.Column{{Name: "c"}}, Rows: [][]any{{int64(1)}}}}},
	`{"event":"join_planned","path":"","data":{"tables":["a"],"joins":["j"],"ties":["t"]}}`:                                                   {Data: qed.JoinPlanned{Tables: []string{"a"}, Joins: []string{"j"}, Ties: []string{"t"}}},
	`{"event":"query_written","path":"","data":{"language":"sql","query":"q","attempt":2,"reason":"r"}}`:                                      {Data: qed.QueryWritten{Language: "sql", Query: "q", Attempt: 2, Reason: "r"}},
	`{"event":"edge","path":"sql/a","time":"2026-01-02T03:04:05Z","data":{"to":"b"}}`:                                                         {Path: "sql/a", Time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Data: qed.EdgeTaken{To: "b"}},
	`{"event":"warning","path":"","data":{"code":"not_saved","message":"m"}}`:                                                                 {Data: qed.Warning{Code: "not_saved", Message: "m"}},
	`{"event":"query_rewritten","path":"","data":{"query":"q","views":["v"]}}`:                                                                {Data: qed.QueryRewritten{Query: "q", Views: []string{"v"}}},
	`{"event":"query_estimated","path":"","data":{"query":"q","rows":1500000}}`:                                                               {Data: qed.QueryEstimated{Query: "q", Rows: 1.5e6}},
	`{"event":"query_refused","path":"","data":{"query":"q","code":"c","name":"n","message":"m","candidates":["d"]}}`:                         {Data: qed.QueryRefused{Query: "q", Code: "c", Name: "n", Message: "m", Candidates: []string{"d"}}},
	`{"event":"query_executed","path":"","data":{"query":"q","rows":2,"truncated":true,"millis":3}}`:                                          {Data: qed.QueryExecuted{Query: "q", Rows: 2, Truncated: true, Millis: 3}},
	`{"event":"query_empty","path":"","data":{"query":"q","empty":{"predicates":[{"sql":"a = 'b'","tables":["t"],"verdict":"contradicted","column":"t.a","nearest":["c"],"from":"d","to":"e"}],"together":true,"limited":true}}}`: {Data: qed.QueryEmpty{Query: "q", Empty: qed.EmptyResult{Predicates: []qed.Predicate{{SQL: "a = 'b'", Tables: []string{"t"}, Verdict: dates.Contradicted, Column: "t.a", Nearest: []string{"c"}, From: "d", To: "e"}}, Together: true, Limited: true}}},
	`{"event":"token","path":"","data":{"channel":"final","content":"There"}}`:                                                        {Data: qed.Token{Channel: qed.ChannelFinal, Content: "There"}},
	`{"event":"error","path":"","data":{"message":"m"}}`:                                                                              {Data: qed.Failed{Message: "m"}},
	`{"event":"chart","path":"a","data":[1,2.50]}`:                                                                                    {Path: "a", Data: qed.CustomEvent{Kind: "chart", JSON: json.RawMessage(`[1,2.50]`)}},
	`{"event":"complete","path":"","data":{"answer":{"text":"t","usage":{"input_tokens":1,"output_tokens":2,"calls":1}},"millis":4}}`: {Data: qed.Completed{Answer: qed.Answer{Text: "t", Usage: llm.Usage{InputTokens: 1, OutputTokens: 2, Calls: 1}}, Millis: 4}},
	`{"event":"complete","path":"","data":{"answer":{"text":"t","queries":[{"language":"sql","written":"w","rows":0,` +
		`"verified":{"question":"q","sql":"s","by":"ann","time":"2026-01-02T03:04:05Z","parameters":{"site":"x"}},` +
		`"empty":{"predicates":[{"sql":"a = 1","tables":["t"],"verdict":"not_checked"}]}}],` +
		`"used":{"examples":[{"question":"q","sql":"s"}],"values":[{"said":"a","table":"t","column":"c","value":"v"}],"notes":["n"],` +
		`"definitions":[{"table":"t","column":"c","text":"d"}]},"usage":{"input_tokens":0,"output_tokens":0,"calls":0}},"millis":4}}`: {Data: qed.Completed{Answer: qed.Answer{
		Text: "t", Queries: []qed.Query{{
			Language: "sql", Written: "w",
			Verified: &qed.VerifiedQuestion{Question: "q", SQL: "s", By: "ann", Time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Parameters: map[string]string{"site": "x"}},
			Empty:    &qed.EmptyResult{Predicates: []qed.Predicate{{SQL: "a = 1", Tables: []string{"t"}, Verdict: dates.NotChecked}}},
		}},
		Used: &qed.Used{
			Examples: []qed.VerifiedQuestion{{Question: "q", SQL: "s"}}, Values: []qed.ValueMatch{{Said: "a", Table: "t", Column: "c", Value: "v"}},
			Notes: []string{"n"}, Definitions: []qed.Definition{{Table: "t", Column: "c", Text: "d"}},
		},
	}, Millis: 4}},
	`{"event":"complete","path":"","data":{"answer":{"text":"t",` +
		`"table":{"columns":[{"name":"n","type":"INT"}],"rows":[[9007199254740993],[null]],"truncated":true},` +
		`"queries":[{"language":"sql","written":"w","executed":"e","views":["v"],"join_path":[{"left":{"table":"l","columns":["a"]},"right":{"table":"r","alias":"x","columns":["b"]},"kind":"inner","relationship":"known","role":"o","confidence":0.9,"cardinality":"N:1"}],"rows":2,"corrections":[{"query":"q","reason":"r"}]}],` +
		`"artifacts":[{"name":"a","media_type":"m","data":"AQ=="}],"citations":[{"title":"t","location":"l","excerpt":"x"}],` +
		`"partial":true,"partial_reason":"p","usage":{"input_tokens":0,"output_tokens":0,"calls":0}},"millis":0}}`: {Data: qed.Completed{Answer: qed.Answer{
		Text:      "t",
		Table:     &qed.Table{Columns: []qed.Column{{Name: "n", Type: "INT"}}, Rows: [][]any{{int64(9007199254740993)}, {nil}}, Truncated: true},
		Queries:   []qed.Query{{Language: "sql", Written: "w", Executed: "e", Views: []string{"v"}, JoinPath: []qed.Join{{Left: qed.JoinSide{Table: "l", Columns: []string{"a"}}, Right: qed.JoinSide{Table: "r", Alias: "x", Columns: []string{"b"}}, Kind: "inner", Relationship: qed.JoinKnown, Role: "o", Confidence: 0.9, Cardinality: "N:1"}}, Rows: 2, Corrections: []qed.Correction{{Query: "q", Reason: "r"}}}},
		Artifacts: []qed.Artifact{{Name: "a", MediaType: "m", Data: []byte{1}}}, Citations: []qed.Citation{{Title: "t", Location: "l", Excerpt: "x"}},
		Partial: true, PartialReason: "p",
	}}},
}

func TestEventJSON(t *testing.T) {
	for text, event := range events {
		got, err := json.Marshal(event)
		if err != nil {
			t.Errorf("%T: %v", event.Data, err)
		}
		if diff := cmp.Diff(text, string(got)); diff != "" {
			t.Errorf("%T is written as something else: %s", event.Data, diff)
		}
		var back qed.Event
		if err := json.Unmarshal([]byte(text), &back); err != nil {
			t.Errorf("%T: %v", event.Data, err)
		}
		if diff := cmp.Diff(event, back); diff != "" {
			t.Errorf("%T is read as something else: %s", event.Data, diff)
		}
	}
}

func TestEventIsReadStrictly(t *testing.T) {
	for name, text := range map[string]string{
		"no kind":            `{"path":"","data":{}}`,
		"no data":            `{"event":"token","path":""}`,
		"no data of another": `{"event":"chart","path":""}`,
		"unknown field":      `{"event":"token","path":"","data":{},"more":1}`,
		"unknown in data":    `{"event":"token","path":"","data":{"more":1}}`,
		"unknown deep":       `{"event":"complete","path":"","data":{"answer":{"text":"","usage":{"more":1}}}}`,
		"unknown in table":   `{"event":"complete","path":"","data":{"answer":{"table":{"columns":[],"rows":[],"more":1}}}}`,
		"wrong type":         `{"event":"token","path":"","data":{"content":1}}`,
		"null data":          `{"event":"token","path":"","data":null}`,
		"array":              `{"event":"token","path":"","data":[]}`,
		"no object":          `[]`,
	} {
		var e qed.Event
		if err := json.Unmarshal([]byte(text), &e); err == nil {
			t.Errorf("%s: read as %+v", name, e)
		}
	}
}

func TestEventThatCannotBeWritten(t *testing.T) {
	for name, e := range map[string]qed.Event{
		"no data":        {},
		"no kind":        {Data: qed.CustomEvent{JSON: json.RawMessage("1")}},
		"a taken kind":   {Data: qed.CustomEvent{Kind: "token", JSON: json.RawMessage("{}")}},
		"no JSON":        {Data: qed.CustomEvent{Kind: "chart"}},
		"something else": {Data: qed.CustomEvent{Kind: "chart", JSON: json.RawMessage("{")}},
		"a pointer":      {Data: &qed.Token{}},
		"a nil pointer":  {Data: (*qed.Token)(nil)},
		"an embedder":    {Data: struct{ qed.Completed }{}},
	} {
		if text, err := json.Marshal(e); err == nil {
			t.Errorf("%s: written as %s", name, text)
		}
	}
}

// What is read is written and read again as the same.
func FuzzEventJSON(f *testing.F) {
	for text := range events {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var first, second qed.Event
		if json.Unmarshal(raw, &first) != nil {
			return
		}
		text, err := json.Marshal(first)
		if err != nil {
			t.Fatalf("%q is read and cannot be written: %v", raw, err)
		}
		if err := json.Unmarshal(text, &second); err != nil {
			t.Fatalf("%q is written as %q, which cannot be read: %v", raw, text, err)
		}
		again, err := json.Marshal(second)
		if err != nil || string(again) != string(text) {
			t.Fatalf("%q is written as %q the second time: %v", text, again, err)
		}
	})
}
