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
		{name: "nothing is said", answer: text(" "), text: "I found 2 matches", partial: "not put into words"},
		{name: "a refusal", answer: fails(llm.ErrRefusal), text: "I found 2 matches", partial: "not put into words"},
		{name: "broken off", answer: llmtest.Reply{Text: "There are", Err: &llm.Error{Kind: llm.ErrTruncated}}, text: "There are", partial: "not complete"},
		{name: "unreachable, and nothing is kept", answer: fails(llm.ErrUnavailable), text: "I found 2 matches", partial: "not put into words"},
		{name: "unreachable", answer: fails(llm.ErrUnavailable), stored: true, text: "I found 2 matches", partial: "not put into words"},
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

// The answer has whole documents, within MaxDocumentBytes and without hidden fields.
func TestDocumentsOfAnAnswer(t *testing.T) {
	for _, tt := range []struct{ most, want int }{{0, 3}, {200, 2}, {10, 0}} {
		_, got := ask(t, newAgent(t, llmtest.New(scripted()...), found(2), &searchagent.Options{MaxDocumentBytes: tt.most}), qed.Turn{Text: taxDocuments})
		if len(got.Documents) != tt.want {
			t.Fatalf("%d bytes: documents = %+v", tt.most, got.Documents)
		}
		for i, d := range got.Documents[:min(len(got.Documents), 2)] {
			if d.Index != "files" || d.ID != fmt.Sprint("d", i+1) {
				t.Errorf("document %d = %+v", i, d)
			}
			wants(t, "the document", string(d.Source), `"parentId":"abc-123"`, `"size":`)
			lacks(t, "the document", string(d.Source), "hidden")
		}
	}
}

// Every node reports how long it took.
func TestLatencyOfNodes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rules := scripted()
		rules[1].Replies[0].Delay = 3 * time.Second
		var finished, slow int
		for e, err := range newAgent(t, llmtest.New(rules...), found(1), nil).Run(t.Context(), qed.Turn{Text: taxDocuments}) {
			if err != nil {
				t.Fatal(err)
			}
			if f, ok := e.Data.(qed.NodeFinished); ok {
				if finished++; f.Millis == 3000 {
					slow++
				}
			}
		}
		if finished < 6 || slow != 1 {
			t.Errorf("%d nodes finished, %d took 3 s", finished, slow)
		}
	})
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
				if err != nil || !got.Partial || !strings.Contains(got.PartialReason, "not put into words") {
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
	m := single(body(right), body(right))
	_, got := ask(t, newAgent(t, m, uncounted{&engine{}}, nil), qed.Turn{Text: taxDocuments})
	if got.Partial {
		t.Errorf("answer = %+v", got)
	}
	wants(t, "the prompt for the words", sent(m, "answer")[0], "nothing was found")
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
