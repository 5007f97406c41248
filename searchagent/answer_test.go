package searchagent_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/esquery"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/searchagent"
	"github.com/qedkit/qed/store"
)

// If the model fails to answer in words, the documents are still in the answer.
func TestWordsFail(t *testing.T) {
	for _, tt := range []struct {
		name    string
		answer  llmtest.Reply
		stored  bool
		text    string
		partial string
	}{
		{name: "nothing is said", answer: text(" "), text: "I found 2 documents", partial: "not put into words"},
		{name: "a refusal", answer: fails(llm.ErrRefusal), text: "I found 2 documents", partial: "not put into words"},
		{name: "broken off", answer: llmtest.Reply{Text: "There are", Err: &llm.Error{Kind: llm.ErrTruncated}}, text: "There are", partial: "not complete"},
		{name: "unreachable, and nothing is kept", answer: fails(llm.ErrUnavailable), text: "I found 2 documents", partial: "not put into words"},
		{name: "unreachable", answer: fails(llm.ErrUnavailable), stored: true, text: "I found 2 documents", partial: "not put into words"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rules := scripted()
			rules[4] = reply("answer", tt.answer)
			opt := &searchagent.Options{}
			if tt.stored {
				opt.Store = &store.InMemory{}
			}
			_, got, err := run(t, newAgent(t, llmtest.New(rules...), found(2), opt), qed.Turn{Thread: "t", Text: taxDocuments})
			if err != nil || !got.Partial || got.Saved != tt.stored || len(got.Table.Rows) != 2 || len(got.Queries) != 2 {
				t.Errorf("answer = %+v, %v", got, err)
			}
			wants(t, "the text", got.Text, tt.text)
			wants(t, "the reason", got.PartialReason, tt.partial)
		})
	}
}

func TestModelTimeout(t *testing.T) {
	for _, name := range []string{"classify", "plan", "generate", "answer"} {
		synctest.Test(t, func(t *testing.T) {
			rules := scripted()
			for i := range rules {
				if rules[i].Name == name {
					rules[i].Replies[0].Delay = time.Hour
				}
			}
			a := newAgent(t, llmtest.New(rules...), found(1), &searchagent.Options{Settings: llm.Settings{ModelTimeout: time.Minute}, Store: &store.InMemory{}})
			_, got, err := run(t, a, qed.Turn{Thread: "t", Text: taxDocuments})
			if name == "answer" {
				if err != nil || !got.Partial || !strings.Contains(got.PartialReason, "timeout") {
					t.Errorf("%s: answer = %+v, %v", name, got, err)
				}
			} else if !errors.Is(err, llm.ErrTimeout) {
				t.Errorf("%s: error = %v", name, err)
			}
		})
	}
}

// An engine that breaks its contract ends the turn with an error that says so.
func TestFaultyEngine(t *testing.T) {
	for name, docs := range map[string][]doc{"no JSON": {{"1", `{"name":`}}, "nothing": nil} {
		var e searchagent.Engine = &engine{answers: []answer{{docs: docs}}}
		if docs == nil {
			e = silent{&engine{}}
		}
		if _, got, err := run(t, newAgent(t, single(body(right)), e, nil), qed.Turn{Text: taxDocuments}); err == nil {
			t.Errorf("%s: answer = %+v", name, got)
		}
	}
}

// If the conditions cannot be counted, the answer still says that nothing was found.
func TestNothingCanBeCounted(t *testing.T) {
	_, got := ask(t, newAgent(t, single(body(right), body(right)), uncounted{&engine{}}, nil), qed.Turn{Text: taxDocuments})
	if !got.Partial || !strings.Contains(got.PartialReason, "Nothing was found") {
		t.Errorf("answer = %+v", got)
	}
}

// If there are many indices, the prompts contain those that the question names.
func TestManyIndices(t *testing.T) {
	mapping, err := esquery.ParseMapping([]byte(`{"properties":{"name":{"type":"keyword"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	indices := map[string]*esquery.Mapping{"invoices": mapping, "zz-receipts": mapping}
	for i := range 40 {
		indices[fmt.Sprintf("logs-%02d", i)] = mapping
	}
	v, err := esquery.NewValidator(indices, nil)
	if err != nil {
		t.Fatal(err)
	}
	m := llmtest.New(isSearch(), reply("plan", plan()))
	a, err := searchagent.New(m, &engine{}, v, &searchagent.Options{About: map[string]string{"zz-receipts": "what was paid"}})
	if err != nil {
		t.Fatal(err)
	}
	_, got := ask(t, a, qed.Turn{Text: "Which invoices were paid?"})
	wants(t, "the prompt", sent(m, "plan")[0], "invoices", "zz-receipts", "what was paid", "logs-00")
	lacks(t, "the prompt", sent(m, "plan")[0], "logs-39")
	wants(t, "the text", got.Text, "invoices", "and 32 more")
}
