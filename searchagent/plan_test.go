package searchagent_test

import (
	"strings"
	"testing"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
)

// A plan that cannot be used goes back to the model once, with what is wrong.
func TestPlanIsRepaired(t *testing.T) {
	elsewhere := find("documents", findDocuments)
	elsewhere["index"] = "file"
	for _, tt := range []struct {
		name string
		bad  llmtest.Reply
		told string // what the model must be told
	}{
		{"an index that is not there", plan(elsewhere), "did you mean files?"},
		{"a step that is not there", plan(find("documents", findDocuments, "folder")), "folder"},
		{"itself", plan(find("documents", findDocuments, "documents")), "circle"},
		{"a circle", plan(find("a", findFolder, "b"), find("b", findDocuments, "a")), "circle"},
		{"two of a name", plan(find("a", findFolder), find("a", findDocuments)), "key is used twice"},
		{"an invalid name", plan(find("a/b", findFolder)), "letters"},
		{"no name", plan(find("", findFolder)), "letters"},
		{"no task", plan(find("a", " ")), "no task"},
		{"too many", plan(find("a", "x"), find("b", "x"), find("c", "x"), find("d", "x"), find("e", "x"), find("f", "x")), "at most 5"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rules := scripted()
			rules[1] = reply("plan", tt.bad, folderPlan())
			m := llmtest.Scripted(t, rules...)
			events, got := ask(t, newAgent(t, m, found(1), nil), qed.Turn{Text: taxDocuments})
			if got.Partial || len(got.Queries) != 2 || len(all[qed.Planned](events)) != 1 {
				t.Errorf("answer = %+v", got)
			}
			wants(t, "the second prompt", sent(m, "plan")[1], tt.told)

			m, e := llmtest.Scripted(t, isSearch(), reply("plan", tt.bad, tt.bad)), found(1)
			_, got = ask(t, newAgent(t, m, e, nil), qed.Turn{Text: taxDocuments})
			if !got.Partial || len(e.ran) > 0 || !strings.Contains(got.PartialReason, "no way to search") {
				t.Errorf("after two such plans: %+v", got)
			}
		})
	}
}

func TestPlanIsTaken(t *testing.T) {
	bare := find("documents", findDocuments)
	delete(bare, "index")
	twice := find("documents", findDocuments, "folder", "folder")
	for name, reply1 := range map[string]llmtest.Reply{
		"without the only index": plan(bare),
		"out of order":           plan(find("documents", findDocuments, "folder"), findOne("folder", findFolder)),
		"a need named twice":     plan(findOne("folder", findFolder), twice),
	} {
		t.Run(name, func(t *testing.T) {
			rules := scripted()
			rules[1] = reply("plan", reply1)
			_, got := ask(t, newAgent(t, llmtest.New(rules...), found(1), nil), qed.Turn{Text: taxDocuments})
			if got.Partial || got.Queries[len(got.Queries)-1].Task != "documents" {
				t.Errorf("answer = %+v", got)
			}
		})
	}
}

func TestNoPlan(t *testing.T) {
	for name, replies := range map[string][]llmtest.Reply{
		"nothing to be searched": {plan()},
		"nonsense":               {text("?"), text("?"), text("?")},
		"a refusal":              {fails(llm.ErrRefusal)},
	} {
		t.Run(name, func(t *testing.T) {
			_, got := ask(t, newAgent(t, llmtest.Scripted(t, isSearch(), reply("plan", replies...)), &engine{}, nil), qed.Turn{Text: taxDocuments})
			if !got.Partial || got.Text == "" || got.PartialReason == "" {
				t.Errorf("answer = %+v", got)
			}
		})
	}
}
