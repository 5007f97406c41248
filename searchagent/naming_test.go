package searchagent_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/searchagent"
	"github.com/qedkit/qed/store"
)

// taxFolders returns an engine with 30 folders named Tax, in three cities and ten
// years, each with one file.
func taxFolders() *engine {
	e := &engine{answers: []answer{{contains: `"Tax"`}}}
	for i := range 30 {
		id := fmt.Sprint("folder-", i+1)
		city := []string{"München", "Hamburg", "Bern"}[i%3]
		e.answers[0].docs = append(e.answers[0].docs, doc{id, fmt.Sprintf(
			`{"name":"Tax","city":%q,"year":%d,"team":{"labels":["paper","Monatsrechnung %d"]},"ssn":"hidden-%d"}`, city, 2010+i/3, 100+i, i)})
		e.answers = append(e.answers, answer{contains: `"` + id + `"`, docs: []doc{{"in-" + id, `{"name":"File of ` + id + `"}`}}})
	}
	return e
}

// said returns a turn that replies to the open question of an answer.
func said(t *testing.T, open qed.Answer, text string) qed.Turn {
	t.Helper()
	if len(open.Questions) != 1 {
		t.Fatalf("no question is open: %+v", open)
	}
	value, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	return qed.Turn{Thread: "t", Replies: []question.Reply{{Question: open.Questions[0].ID, Value: value}}}
}

// Of more than ten documents the user names what distinguishes the one that is meant,
// until ten or fewer are left. Any process can resume the turn after each reply.
func TestNarrow(t *testing.T) {
	const de, many = "de", "these are the first"
	for _, tt := range []struct {
		name     string
		language string
		opt      searchagent.Options
		replies  []string
		asked    []string // a part of each question after the first
		kinds    []question.Kind
		folder   string // whose documents are found; empty: none
		reason   string
	}{
		{"one is named", "", searchagent.Options{}, []string{"the one in Hamburg of 2013"}, nil, nil, "folder-11", ""},
		{"without accents", "", searchagent.Options{}, []string{"munchen 2013"}, nil, nil, "folder-10", ""},
		{"in another spelling", de, searchagent.Options{}, []string{"Ich meine den aus Muenchen von 2013"}, nil, nil, "folder-10", ""},
		{"by an id", "", searchagent.Options{}, []string{"folder-1"}, nil, nil, "folder-1", ""},
		{"by a value", de, searchagent.Options{}, []string{"„monatsrechnung 103“."}, nil, nil, "folder-4", ""},
		{"by a part of a compound", de, searchagent.Options{}, []string{"Rechnung 117"}, nil, nil, "folder-18", ""},
		{"a few are left", "", searchagent.Options{}, []string{"Bern", "2"}, []string{"left"}, []question.Kind{question.KindChoice}, "folder-6", ""},
		{"a few are left, in German", de, searchagent.Options{}, []string{"die in Bern", "2"}, []string{"Übrige Dokumente"}, []question.Kind{question.KindChoice}, "folder-6", ""},
		{"not all words fit", "", searchagent.Options{}, []string{"Hamburg 2013 confidential", "1"}, []string{": 1."}, []question.Kind{question.KindChoice}, "folder-11", ""},
		{"nothing fits, then one", "", searchagent.Options{}, []string{"Oslo", "Bern 2010"}, []string{`"Oslo" fits none`}, []question.Kind{question.KindText}, "folder-3", ""},
		{"all fit, then one", "", searchagent.Options{}, []string{"Tax", "Bern 2010"}, []string{`"Tax" fits none of the documents, or all`}, []question.Kind{question.KindText}, "folder-3", ""},
		{"hidden fields name nothing", "", searchagent.Options{}, []string{"hidden", "Bern 2010"}, []string{`"hidden" fits none`}, nil, "folder-3", ""},
		{"only fillers", de, searchagent.Options{}, []string{"ich meine den", "Bern 2010"}, []string{"passt zu keinem"}, []question.Kind{question.KindText}, "folder-3", ""},
		{"none of them", "", searchagent.Options{}, []string{"None of them, thanks."}, nil, nil, "", "None of the documents"},
		{"none of them, in German", de, searchagent.Options{}, []string{"Keine davon."}, nil, nil, "", "Keines der gefundenen"},
		{"none of those left", "", searchagent.Options{}, []string{"Bern", "none of them"}, []string{"left"}, []question.Kind{question.KindChoice}, "", "None of the documents"},
		{"too many questions", "", searchagent.Options{Durable: &qed.DurableOptions{MaxQuestions: 2}}, []string{"Oslo", "Oslo"}, []string{"Oslo"}, nil, "", "(10)"},
		{"more than a page", "", searchagent.Options{PageSize: 20}, []string{"Bern 2010"}, nil, nil, "folder-3", many},
		{"beyond the page", "", searchagent.Options{PageSize: 20}, []string{"2019", "Bern 2010"}, []string{many}, nil, "folder-3", many},
	} {
		t.Run(tt.name, func(t *testing.T) {
			opt := tt.opt
			opt.Store = &store.InMemory{}
			m := llmtest.New(isSearch(), reply("plan", folderPlan()), generates(findFolder, body(folderBody)),
				generates(findDocuments, documentsIn(tt.folder)), reply("answer", text("Done.")))
			e := taxFolders()
			_, got := ask(t, newAgent(t, m, e, &opt), qed.Turn{Thread: "t", Text: taxDocuments, Language: tt.language})
			if len(got.Questions) != 1 || got.Questions[0].Kind != question.KindText || !got.Questions[0].Resumable {
				t.Fatalf("answer = %+v", got)
			}
			first := got.Questions[0].Text
			wants(t, "the question", first, "30", "folder named Tax", "city: München", map[bool]string{true: many}[tt.reason == many])
			lacks(t, "the question", first, "hidden")
			for i, text := range tt.replies {
				turn := said(t, got, text)
				turn.Language = tt.language
				_, got = ask(t, newAgent(t, m, e, &opt), turn)
				if i < len(tt.asked) {
					wants(t, "the question", fmt.Sprint(got.Questions), tt.asked[i])
					if len(got.Questions) != 1 || i < len(tt.kinds) && got.Questions[0].Kind != tt.kinds[i] {
						t.Fatalf("asked %+v", got.Questions)
					}
				}
			}
			if len(got.Questions) > 0 {
				t.Fatalf("asked %+v", got.Questions)
			}
			if tt.folder == "" {
				if !got.Partial || len(e.ran) != 1 || got.Text == "" {
					t.Errorf("answer = %+v", got)
				}
				wants(t, "the reason", got.PartialReason, tt.reason)
				return
			}
			if got.Partial || got.Text != "Done." || len(e.ran) != 2 || got.Table.Rows[0][0] != "File of "+tt.folder {
				t.Errorf("answer = %+v", got)
			}
			told := sent(m, "generate")[1]
			wants(t, "the prompt", told, `"`+tt.folder+`"`, "It found 1")
			if n := strings.Count(told, `"name":"Tax"`); n != 1 {
				t.Errorf("the prompt has %d folders: %s", n, told)
			}
		})
	}
}

// A reply in words goes through the model that reads replies, and starts no new turn.
func TestNarrowByAMessage(t *testing.T) {
	st := &store.InMemory{}
	first := llmtest.New(isSearch(), reply("plan", folderPlan()), generates(findFolder, body(folderBody)))
	_, asked := ask(t, newAgent(t, first, taxFolders(), &searchagent.Options{Store: st}), qed.Turn{Thread: "t", Text: taxDocuments})
	if len(asked.Questions) != 1 {
		t.Fatalf("answer = %+v", asked)
	}
	m := llmtest.New(llmtest.Rule{Name: "read_reply", Contains: []string{"Bern of 2010"}, Replies: []llmtest.Reply{{JSON: map[string]any{"intent": "exact_answer", "reason": "it names one",
		"answers": []map[string]any{{"question": asked.Questions[0].ID, "value": "the one in Bern of 2010"}}}}}},
		generates(findDocuments, documentsIn("folder-3")), reply("answer", text("Done.")))
	a := newAgent(t, m, taxFolders(), &searchagent.Options{Store: st})
	if _, got := ask(t, a, qed.Turn{Thread: "t", Text: "the one in Bern of 2010"}); got.Partial || got.Text != "Done." || got.Table.Rows[0][0] != "File of folder-3" {
		t.Errorf("answer = %+v", got)
	}
}

// Without a store nobody can be asked: the answer lists ten choices and the number of the
// others.
func TestNarrowWithoutAStore(t *testing.T) {
	e := taxFolders()
	_, got := ask(t, newAgent(t, llmtest.New(scripted()...), e, nil), qed.Turn{Text: taxDocuments})
	if !got.Partial || len(e.ran) != 1 {
		t.Errorf("answer = %+v", got)
	}
	wants(t, "the reason", got.PartialReason, "(1) year: 2010, city: München", "(10)", "and 20 more")
	lacks(t, "the reason", got.PartialReason, "(11)", "hidden")
}
