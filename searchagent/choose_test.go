package searchagent_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/budget"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/searchagent"
	"github.com/qedkit/qed/store"
)

// several returns an engine with n folders of the same name.
func several(n int) *engine {
	ids := make([]string, n)
	for i := range ids {
		ids[i] = fmt.Sprint("folder-", i+1)
	}
	e := &engine{answers: []answer{{contains: `"Tax"`, docs: folders(ids...)}}}
	for _, id := range ids {
		e.answers = append(e.answers, answer{contains: `"` + id + `"`, docs: []doc{{"in-" + id, `{"name":"File of ` + id + `"}`}}})
	}
	return e
}

func documentsIn(id string) llmtest.Reply {
	return body(strings.Replace(documentsBody, "abc-123", id, 1), "name")
}

// If one folder is needed and there are three, the user is asked, and any process can
// resume the turn with the choice.
func TestAskAndResume(t *testing.T) {
	for _, said := range []string{"2", "Tax, owner: owner-2", "Option 2."} {
		t.Run(said, func(t *testing.T) {
			st := &store.InMemory{}
			first := llmtest.Scripted(t, isSearch(), reply("plan", folderPlan()), generates(findFolder, body(folderBody)))
			e := several(3)
			events, got := ask(t, newAgent(t, first, e, &searchagent.Options{Store: st}), qed.Turn{Thread: "t", Text: taxDocuments})
			if len(got.Questions) != 1 || got.Questions[0].Kind != question.KindChoice || !got.Questions[0].Resumable || len(e.ran) != 1 {
				t.Fatalf("answer = %+v", got)
			}
			wants(t, "the question", got.Questions[0].Text, "3 matches", findFolder)
			for i, o := range got.Questions[0].Choices {
				if o.Text != fmt.Sprint("Tax, owner: owner-", i+1) {
					t.Errorf("option %d = %+v", i, o)
				}
			}
			lacks(t, "the question", got.Questions[0].String(), "hidden", "ssn")
			if finished := all[qed.TaskFinished](events); len(finished) != 1 || !finished[0].Interrupted {
				t.Errorf("finished %+v", finished)
			}

			second := llmtest.Scripted(t, generates(findDocuments, documentsIn("folder-2")), reply("answer", text("One file.")))
			e = several(3)
			_, got = ask(t, newAgent(t, second, e, &searchagent.Options{Store: st}), qed.Turn{Thread: "t", Text: said})
			if got.Partial || got.Text != "One file." || len(got.Queries) != 2 || got.Queries[0].Rows != 3 || got.Table.Rows[0][0] != "File of folder-2" {
				t.Errorf("answer = %+v", got)
			}
			if len(e.ran) != 1 {
				t.Errorf("it was searched again: %q", e.ran)
			}
			told := sent(second, "generate")[0]
			wants(t, "the prompt", told, "folder-2", "It found 1")
			lacks(t, "the prompt", told, "folder-1", "folder-3", "hidden")
			wants(t, "the prompt for the words", sent(second, "answer")[0], "Tax, owner: owner-2")
		})
	}
}

// The choices contain what distinguishes the documents, and no more.
func TestChoices(t *testing.T) {
	prose := strings.Repeat("word ", 40)
	for _, tt := range []struct {
		name    string
		sources []string
		want    []string
	}{
		{"a name first", []string{`{"a":1,"b":1,"name":"x"}`, `{"a":2,"b":1,"name":"y"}`}, []string{"x, a: 1", "y, a: 2"}},
		{"below an object", []string{`{"o":{"a":1}}`, `{"o":{"a":2}}`}, []string{"a: 1", "a: 2"}},
		{"missing in some", []string{`{"name":"x"}`, `{"name":"x","a":true}`}, []string{"x", "x, a: true"}},
		{"the path before others", []string{`{"attributes":{"name":"Tax","size":1},"system":{"id":"f-201","parentId":"p-1","path":"/a/Tax"}}`, `{"attributes":{"name":"Tax","size":1},"system":{"id":"f-202","parentId":"p-2","path":"/b/Tax"}}`}, []string{"Tax, /a/Tax", "Tax, /b/Tax"}},
		{"no id where something else differs", []string{`{"name":"Tax","id":"f-201","folder_id":"1","createdBy":"Ann"}`, `{"name":"Tax","id":"f-202","folder_id":"2","createdBy":"Bob"}`}, []string{"Tax, createdBy: Ann", "Tax, createdBy: Bob"}},
		{"names in other forms", []string{`{"doc_id":"7","file_name":"tax.pdf","file_path":"/a"}`, `{"doc_id":"8","file_name":"tax.pdf","file_path":"/b"}`}, []string{"tax.pdf, /a", "tax.pdf, /b"}},
		{"German names", []string{`{"akte":{"Bezeichnung":"Steuer","Ordner":"2024"}}`, `{"akte":{"Bezeichnung":"Steuer","Ordner":"2025"}}`}, []string{"Steuer, 2024", "Steuer, 2025"}},
		{"only an id", []string{`{"name":"Tax","id":"f-201"}`, `{"name":"Tax","id":"f-202"}`}, []string{"Tax, _id: 1", "Tax, _id: 2"}},
		{"prose last", []string{`{"p":"1` + prose + `","long":1}`, `{"p":"2` + prose + `","long":2}`}, []string{"long: 1, p: 1word ", "long: 2, p: 2word "}},
		{"at most four", []string{`{"a":1,"b":1,"c":1,"d":1,"e":1}`, `{"a":2,"b":2,"c":2,"d":2,"e":2}`}, []string{"a: 1, b: 1, c: 1, d: 1", "a: 2, b: 2, c: 2, d: 2"}},
		{"no difference", []string{`{"a":1}`, `{"a":1}`}, []string{"_id: 1", "_id: 2"}},
		{"not all differ", []string{`{"a":1}`, `{"a":1}`, `{"a":2}`}, []string{"a: 1, _id: 1", "a: 1, _id: 2", "a: 2"}},
		{"hidden fields are not shown", []string{`{"ssn":"1"}`, `{"ssn":"2"}`}, []string{"_id: 1", "_id: 2"}},
		{"line breaks", []string{`{"a":"x\n2. y"}`, `{"a":"z"}`}, []string{"a: x 2. y", "a: z"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var docs []doc
			for i, source := range tt.sources {
				docs = append(docs, doc{fmt.Sprint(i + 1), source})
			}
			a := newAgent(t, llmtest.New(scripted()...), &engine{answers: []answer{{docs: docs}}}, &searchagent.Options{Store: &store.InMemory{}})
			_, got := ask(t, a, qed.Turn{Thread: "t", Text: taxDocuments})
			if len(got.Questions) != 1 || len(got.Questions[0].Choices) != len(tt.want) {
				t.Fatalf("answer = %+v", got)
			}
			for i, o := range got.Questions[0].Choices {
				if o.Text != tt.want[i] && !(strings.HasSuffix(tt.want[i], " ") && strings.HasPrefix(o.Text, tt.want[i])) {
					t.Errorf("option %d is %q, want %q", i+1, o.Text, tt.want[i])
				}
			}
		})
	}
}

// A model cannot hide that there are several documents.
func TestLookupsFindAll(t *testing.T) {
	for _, key := range []string{`"size":1`, `"size":0`, `"from":11`, `"terminate_after":1`, `"track_total_hits":false`} {
		m := llmtest.New(isSearch(), reply("plan", folderPlan()), generates(findFolder, body(strings.Replace(folderBody, "{", "{"+key+",", 1))))
		e := several(12)
		_, got := ask(t, newAgent(t, m, e, &searchagent.Options{Store: &store.InMemory{}}), qed.Turn{Thread: "t", Text: taxDocuments})
		if len(got.Questions) != 1 || len(got.Questions[0].Choices) != 11 {
			t.Fatalf("%s: answer = %+v", key, got)
		}
		wants(t, "the question", got.Questions[0].Text, "12 matches", "the first 10")
		wants(t, "the search", e.ran[0], `"size":100,`, `"track_total_hits":true`)
		lacks(t, "the search", e.ran[0]+",", key+",")
	}
}

// A budget does not choose among several documents.
func TestBudgetOfALookup(t *testing.T) {
	e := several(5)
	got, err := qed.Ask(budget.With(t.Context(), budget.Limits{Rows: 3}), newAgent(t, llmtest.New(scripted()...), e, nil), qed.Turn{Text: taxDocuments})
	if err != nil || !got.Partial || len(e.ran) != 1 {
		t.Errorf("answer = %+v, %v", got, err)
	}
}

// If the run cannot be interrupted, the answer lists the choices, and no later task runs.
func TestNobodyToAsk(t *testing.T) {
	m, e := llmtest.New(scripted()...), several(2)
	_, got := ask(t, newAgent(t, m, e, nil), qed.Turn{Text: taxDocuments})
	if !got.Partial || len(e.ran) != 1 || got.Text == "" {
		t.Errorf("answer = %+v", got)
	}
	wants(t, "the reason", got.PartialReason, "(1) Tax, owner: owner-1", "(2) Tax, owner: owner-2")
	lacks(t, "the reason", got.PartialReason, "hidden")
}

// The user is not asked if no later task needs one of the documents.
func TestSeveralAreNoQuestion(t *testing.T) {
	for name, plan := range map[string]llmtest.Reply{
		"the last step":       plan(findOne("folder", findFolder)),
		"all of them matter":  plan(find("folder", findFolder), find("documents", findDocuments, "folder")),
		"figures were wanted": plan(findOne("folder", findFolder), find("documents", findDocuments, "folder")),
	} {
		t.Run(name, func(t *testing.T) {
			rules := scripted()
			rules[1] = reply("plan", plan)
			if name == "figures were wanted" {
				rules[2] = generates(findFolder, body(`{"size":0,"query":{"term":{"name.keyword":"Tax"}},"aggs":{"owner":{"terms":{"field":"owner"}}}}`))
			}
			_, got := ask(t, newAgent(t, llmtest.New(rules...), several(3), &searchagent.Options{Store: &store.InMemory{}}), qed.Turn{Thread: "t", Text: taxDocuments})
			if len(got.Questions) > 0 || len(got.Queries) == 0 || got.Text == "" {
				t.Errorf("answer = %+v", got)
			}
		})
	}
}

// Of more than ten documents the user chooses one of the first ten, or none of them.
func TestChoiceOfMany(t *testing.T) {
	for said, folder := range map[string]string{"10": "folder-10", "none of them": ""} {
		opt := &searchagent.Options{Store: &store.InMemory{}}
		m := llmtest.New(isSearch(), reply("plan", folderPlan()), generates(findFolder, body(folderBody)),
			generates(findDocuments, documentsIn("folder-10")), reply("answer", text("Done.")))
		e := several(30)
		a := newAgent(t, m, e, opt)
		ask(t, a, qed.Turn{Thread: "t", Text: taxDocuments})
		_, got := ask(t, a, qed.Turn{Thread: "t", Text: said})
		if folder == "" {
			if !got.Partial || len(e.ran) != 1 || !strings.Contains(got.PartialReason, "more exactly") {
				t.Errorf("answer = %+v", got)
			}
			continue
		}
		if got.Partial || len(e.ran) != 2 || got.Table.Rows[0][0] != "File of "+folder {
			t.Errorf("answer = %+v", got)
		}
	}
}

// Without a store nobody can be asked: the answer lists ten choices and the number of the
// others.
func TestManyAndNobodyToAsk(t *testing.T) {
	e := several(30)
	_, got := ask(t, newAgent(t, llmtest.New(scripted()...), e, nil), qed.Turn{Text: taxDocuments})
	if !got.Partial || len(e.ran) != 1 {
		t.Errorf("answer = %+v", got)
	}
	wants(t, "the reason", got.PartialReason, "(1) Tax, owner: owner-1", "(10)", "and 20 more")
	lacks(t, "the reason", got.PartialReason, "(11)", "hidden")
}

// A reply that is another question starts a new turn.
func TestAnotherQuestionInPlaceOfAReply(t *testing.T) {
	st := &store.InMemory{}
	m := llmtest.New(isSearch(), reply("plan", folderPlan(), plan(find("all", findAll))),
		generates(findFolder, body(folderBody)), generates(findAll, body(`{}`)),
		reply("read_reply", llmtest.Reply{JSON: map[string]any{"intent": "new_request", "reason": "other"}}),
		reply("answer", text("All.")))
	e := several(2)
	e.answers = append(e.answers, answer{docs: files(1)})
	a := newAgent(t, m, e, &searchagent.Options{Store: st})
	ask(t, a, qed.Turn{Thread: "t", Text: taxDocuments})
	if _, got := ask(t, a, qed.Turn{Thread: "t", Text: "Forget it, show me everything"}); got.Text != "All." {
		t.Errorf("answer = %+v", got)
	}
}
